// ECL-MST v1.0 (Fallin, Gonzalez, Seo and Burtscher, 2023), for CUDA.
//
// It needs simple rows with signed weights. The seconds are those of its own clock, which starts
// when the rows are in device memory and stops when the answer is in device memory. This file also
// does the remaining work of its `main`: it selects one of the two methods by the average degree,
// and computes the threshold from twenty samples.

#include <climits>
#include <cstdarg>
#include <cstring>

#include "peer.hpp"

namespace {

double last_printed = 0;

// ECL-MST prints the seconds of each solve after a letter.
int note(const char* format, ...) {
    va_list values;
    va_start(values, format);
    if (std::strncmp(format, "Dev", 3) == 0) {
        (void)va_arg(values, int);
        last_printed = va_arg(values, double);
    }
    va_end(values);
    return 0;
}

}  // namespace

// The headers that ECL-MST includes, before the macros change its names.
#include <cuda.h>
#include <sys/time.h>

#include <tuple>

#define main ecl_main
#define printf note
// Members that CUDA 13 removed. Only its `main` prints them, which is not called.
#define clockRate major
#define memoryClockRate major
#include "ECL-MST_10.cu"
#undef memoryClockRate
#undef clockRate
#undef printf
#undef main

namespace {

class EclMst {
  public:
    explicit EclMst(peer::Graph graph) {
        peer::refuse_weights_above(graph, INT32_MAX);
        const peer::Rows rows = peer::simple_rows(std::move(graph));
        if (rows.neighbors.size() > INT32_MAX) peer::refuse("it stores positions in rows in 31 bits");
        offsets_.assign(rows.offsets.begin(), rows.offsets.end());
        for (const auto& neighbor : rows.neighbors) {
            neighbors_.push_back(static_cast<int>(neighbor.id));
            weights_.push_back(static_cast<int>(neighbor.weight));
        }
        const int n = static_cast<int>(offsets_.size()) - 1;
        const int entries = static_cast<int>(neighbors_.size());
        graph_ = {n, entries, offsets_.data(), neighbors_.data(), weights_.data()};
        filtered_ = entries / n >= 4;
        if (!filtered_) return;
        int samples[20];
        const int drawn = std::min(entries, 20);
        for (int i = 0; i < drawn; i++) samples[i] = weights_[hash(i) % entries];
        std::sort(samples, samples + drawn);
        threshold_ = samples[std::min(19, static_cast<int>(3.0 * n * drawn / entries))];
    }

    // Processes that share a device take turns, and the first kernel of a turn waits 0.13 ms. Do
    // this work here, outside the timing.
    void prepare() {
        chosen_.reset();
        constexpr size_t bytes = 1 << 20; // as many as Kostra clears
        if (!cleared_) cudaMalloc(&cleared_, bytes);
        cudaMemset(cleared_, 0, bytes);
        cudaDeviceSynchronize();
    }

    double solve() {
        chosen_.reset(
            filtered_ ? gpuMST<true>(graph_, threshold_) : gpuMST<false>(graph_, INT_MAX));
        return last_printed;
    }

    peer::Answer answer() const {
        peer::Answer answer;
        for (size_t i = 0; i < weights_.size(); i++) {
            answer.edges += chosen_[i];
            answer.total += chosen_[i] ? weights_[i] : 0;
        }
        return answer;
    }

  private:
    std::vector<int> offsets_, neighbors_, weights_;
    ECLgraph graph_;
    bool filtered_;
    int threshold_ = INT_MAX;
    void* cleared_ = nullptr;
    std::unique_ptr<bool[]> chosen_;
};

}  // namespace

int main(int count, char** arguments) {
    return peer::serve<EclMst>("burtscher/ECL-MST " PEER_COMMIT, count, arguments);
}
