// cuhc 0.1.0, exact hierarchical clustering on a GPU, as a program:
//   cuhc FILE POINTS DIMENSIONS RUNS
//
// FILE has 32-bit coordinates, point by point. Prints the seconds of each single linkage by
// Euclidean distances, from points in host memory to the rows of the linkage in host memory. The
// first one is not timed. At the end stands the sum of all heights.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

extern "C" int cuhc_linkage(const float* points, int n, int features, int metric, float parameter,
                            int linkage, int algorithm, double* rows);

namespace {

constexpr int EUCLIDEAN = 0, SINGLE = 0, SPANNING_TREE = 1;
constexpr int VALUES_PER_ROW = 4, HEIGHT = 2;

}  // namespace

int main(int count, char** words) {
    if (count != 5) return std::fputs("usage: cuhc FILE POINTS DIMENSIONS RUNS\n", stderr), 2;
    const int n = std::atoi(words[2]), dimensions = std::atoi(words[3]), runs = std::atoi(words[4]);
    std::vector<float> points(static_cast<size_t>(n) * dimensions);
    std::ifstream file(words[1], std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(points.data()), points.size() * sizeof(float))) {
        return std::fputs("the file has fewer coordinates\n", stderr), 1;
    }
    std::vector<double> rows(static_cast<size_t>(n - 1) * VALUES_PER_ROW);
    for (int run = 0; run <= runs; ++run) {
        const auto start = std::chrono::steady_clock::now();
        const int status = cuhc_linkage(points.data(), n, dimensions, EUCLIDEAN, 0, SINGLE,
                                        SPANNING_TREE, rows.data());
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (status != 0) return std::fprintf(stderr, "cuhc_linkage: status %d\n", status), 1;
        if (run > 0) std::printf("%.6f ", took.count());
    }
    double sum = 0;
    for (size_t at = HEIGHT; at < rows.size(); at += VALUES_PER_ROW) sum += rows[at];
    std::printf("s, total %.9g\n", sum);
}
