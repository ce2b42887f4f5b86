// Shared code of the C++ peers: the graph file, and the protocol between the peer and the runner.
//
// A peer is a class with a constructor and three functions. The constructor takes the graph and
// builds the format of the peer's code. `prepare` restores the data that the last solve consumed,
// `solve` is timed and returns its seconds, and `answer` returns the result.
// lab/kostra-bench/src/peers/program.rs describes the protocol.

#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace peer {

// Each edge once, in the runner's order. Self-loops and parallel edges are possible.
struct Graph {
    uint32_t n = 0;
    std::vector<uint32_t> u, v, w;

    size_t m() const { return w.size(); }
};

struct Answer {
    uint64_t edges = 0;
    uint64_t total = 0;
};

// Exits the peer. The runner records the reason.
[[noreturn]] inline void refuse(const std::string& reason) {
    std::fprintf(stderr, "%s\n", reason.c_str());
    std::exit(1);
}

inline void refuse_weights_above(const Graph& graph, uint32_t limit) {
    if (std::any_of(graph.w.begin(), graph.w.end(), [=](uint32_t weight) { return weight > limit; })) {
        refuse("it keeps weights up to " + std::to_string(limit) + " only, and this graph has heavier edges");
    }
}

inline Graph load(const char* path) {
    std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path, "rb"), std::fclose);
    char magic[8];
    uint64_t counts[2];
    if (!file || std::fread(magic, 8, 1, file.get()) != 1 || std::memcmp(magic, "KOSTRAPE", 8) != 0 ||
        std::fread(counts, 8, 2, file.get()) != 2) {
        refuse(std::string(path) + " is not a graph for peers");
    }
    // All peers store vertices, and most store edges, as signed 32-bit integers.
    if (counts[0] > INT32_MAX || counts[1] > INT32_MAX) {
        refuse("it keeps ids in 31 bits, and this graph has more vertices or edges");
    }
    if (counts[1] == 0) refuse("it is not for graphs without edges");
    Graph graph;
    graph.n = static_cast<uint32_t>(counts[0]);
    for (std::vector<uint32_t>* array : {&graph.u, &graph.v, &graph.w}) {
        array->resize(counts[1]);
        if (std::fread(array->data(), 4, counts[1], file.get()) != counts[1]) {
            refuse(std::string(path) + " ends too early");
        }
    }
    return graph;
}

// Compressed sparse rows: the neighbors of `x` are at `offsets[x]` to `offsets[x + 1]`, exclusive.
// Each edge is in the rows of both ends.
struct Rows {
    std::vector<uint64_t> offsets;
    struct Neighbor {
        uint32_t id, weight;

        bool operator<(const Neighbor& other) const {
            return id != other.id ? id < other.id : weight < other.weight;
        }
    };
    std::vector<Neighbor> neighbors;
};

// Rows in ascending order, without self-loops, and with only the lightest of parallel edges. This
// changes neither the number of edges of the forest nor its weight.
inline Rows simple_rows(Graph graph) {
    Rows rows;
    rows.offsets.assign(static_cast<size_t>(graph.n) + 1, 0);
    const size_t m = graph.m();
    for (size_t i = 0; i < m; i++) {
        if (graph.u[i] == graph.v[i]) continue;
        rows.offsets[graph.u[i] + 1]++;
        rows.offsets[graph.v[i] + 1]++;
    }
    for (size_t x = 0; x < graph.n; x++) rows.offsets[x + 1] += rows.offsets[x];
    rows.neighbors.resize(rows.offsets[graph.n]);
    std::vector<uint64_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
    for (size_t i = 0; i < m; i++) {
        const uint32_t u = graph.u[i], v = graph.v[i], weight = graph.w[i];
        if (u == v) continue;
        rows.neighbors[next[u]++] = {v, weight};
        rows.neighbors[next[v]++] = {u, weight};
    }
    uint64_t kept = 0;
    for (size_t x = 0; x < graph.n; x++) {
        const auto begin = rows.neighbors.begin() + rows.offsets[x], end = rows.neighbors.begin() + next[x];
        if (!std::is_sorted(begin, end)) std::sort(begin, end);
        rows.offsets[x] = kept;
        for (auto at = begin; at != end; ++at) {
            if (at == begin || at->id != (at - 1)->id) rows.neighbors[kept++] = *at;
        }
    }
    rows.offsets[graph.n] = kept;
    rows.neighbors.resize(kept);
    return rows;
}

// Returns the seconds that `step` takes.
template <class Step>
double seconds_of(Step step) {
    const auto start = std::chrono::steady_clock::now();
    step();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Answers the runner's requests until the input ends.
template <class Peer>
int serve(const char* version, int count, char** arguments) {
    if (count != 2) refuse("it takes one argument, a file with a graph");
    // Redirect the code's own output to standard error. Only the protocol uses standard output.
    std::fflush(stdout);
    FILE* runner = fdopen(dup(STDOUT_FILENO), "w");
    if (!runner || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) refuse("it cannot keep its output apart");
    Graph graph = load(arguments[1]);
    std::unique_ptr<Peer> peer;
    const double build = seconds_of([&] { peer = std::make_unique<Peer>(std::move(graph)); });
    std::fprintf(runner, "{\"version\": \"%s, g++ %s\", \"build_seconds\": %.9f}\n", version, __VERSION__, build);
    std::fflush(runner);
    for (char line[64]; std::fgets(line, sizeof line, stdin);) {
        peer->prepare();
        const double seconds = peer->solve();
        const Answer answer = peer->answer();
        std::fprintf(runner, "{\"seconds\": %.9f, \"edges\": %llu, \"total\": %llu}\n", seconds,
                     static_cast<unsigned long long>(answer.edges), static_cast<unsigned long long>(answer.total));
        std::fflush(runner);
    }
    return 0;
}

}  // namespace peer
