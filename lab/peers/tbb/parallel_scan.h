// The part of TBB's interface that Boruvka UMinho uses, implemented with OpenMP. It was written for
// a TBB release that is no longer available, and one thread pool disturbs it less than two.

#pragma once

#include <omp.h>

#include <vector>

namespace tbb {

struct split {};
struct pre_scan_tag {
    static bool is_final_scan() { return false; }
};
struct final_scan_tag {
    static bool is_final_scan() { return true; }
};

struct task_scheduler_init {
    explicit task_scheduler_init(unsigned) {}
};

template <class Value>
class blocked_range {
  public:
    blocked_range(Value begin, Value end) : begin_(begin), end_(end) {}
    Value begin() const { return begin_; }
    Value end() const { return end_; }

  private:
    Value begin_, end_;
};

// A prefix sum in two passes. Each thread sums its share, then scans it again, starting with the
// sum of all earlier shares.
template <class Value, class Body>
void parallel_scan(const blocked_range<Value>& range, Body& body) {
    const Value size = range.end() - range.begin();
    const Value shares = size < 1 << 14 ? 1 : omp_get_max_threads();
    const auto share = [&](Value i) {
        const auto place = [&](Value at) { return range.begin() + static_cast<Value>(1ULL * size * at / shares); };
        return blocked_range<Value>(place(i), place(i + 1));
    };
    split tag;
    Body last(body, tag);
    std::vector<Body> bodies;
    for (Value i = 0; i < shares; i++) bodies.emplace_back(body, tag);
#pragma omp parallel for num_threads(shares) schedule(static, 1) if (shares > 1)
    for (Value i = 0; i < shares; i++) {
        if (i + 1 < shares) bodies[i](share(i), pre_scan_tag());
    }
    // Each body then contains the sum at the end of its share. The previous body contains the sum
    // at the start.
    for (Value i = 0; i < shares; i++) bodies[i].reverse_join(i == 0 ? body : bodies[i - 1]);
#pragma omp parallel for num_threads(shares) schedule(static, 1) if (shares > 1)
    for (Value i = 0; i < shares; i++) {
        Body from(body, tag);
        from.assign(i == 0 ? body : bodies[i - 1]);
        from(share(i), final_scan_tag());
        if (i + 1 == shares) last.assign(from);
    }
    body.assign(last);
}

}  // namespace tbb
