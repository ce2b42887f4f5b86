// The AM-tree (github.com/ucrparlay/AM-tree, Ding, Gu & Sun 2025), its lazy kind that stitches,
// which its authors found to be the fastest, on one thread.
//
// It inserts all edges one by one. The public code is for temporal graphs: each edge must be lighter
// than all before, and weights must be below -1, so they are shifted.

#include <optional>

// The links of the tree are its only answer with all edges, and are private.
#define private public
#include "am_tree_lazy.h"
#undef private

#include "peer.hpp"

namespace {

class AmTree {
  public:
    explicit AmTree(peer::Graph graph) : graph_(std::move(graph)) {
        peer::refuse_weights_above(graph_, INT32_MAX - 2);
    }

    void prepare() { tree_.emplace(static_cast<int>(graph_.n)); }

    double solve() {
        return peer::seconds_of([&] {
            for (size_t i = 0; i < graph_.m(); i++) {
                tree_->Insert(static_cast<int>(graph_.u[i]), static_cast<int>(graph_.v[i]),
                              static_cast<int>(graph_.w[i] + SHIFT));
            }
        });
    }

    peer::Answer answer() const {
        peer::Answer answer;
        for (uint32_t x = 0; x < graph_.n; x++) {
            if (tree_->p[x] < 0) continue;
            answer.edges++;
            answer.total += static_cast<uint32_t>(tree_->t[x]) - SHIFT;
        }
        return answer;
    }

  private:
    static constexpr uint32_t SHIFT = uint32_t{1} << 31;

    peer::Graph graph_;
    std::optional<AMTreeLazy<AMTreeMode::Stitch>> tree_;
};

}  // namespace

int main(int count, char** arguments) {
    return peer::serve<AmTree>("AM-tree, lazy, stitch", count, arguments);
}
