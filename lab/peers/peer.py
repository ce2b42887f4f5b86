"""Shared code of the Python peers: the graph file, and the protocol between peer and runner.

A peer calls `serve` with a version and three functions. lab/kostra-bench/src/peers/program.rs
describes the protocol.
"""

import gc
import json
import platform
import sys
import time

import numpy as np

HEADER_BYTES = 8 + 2 * 8


def load(path):
    """Reads a graph: the number of vertices, and arrays of first ends, second ends and weights."""
    with open(path, "rb") as file:
        if file.read(8) != b"KOSTRAPE":
            sys.exit(f"{path} is not a graph for peers")
        n, m = (int(number) for number in np.fromfile(file, dtype="<u8", count=2))
    arrays = np.fromfile(path, dtype="<u4", offset=HEADER_BYTES)
    if len(arrays) != 3 * m:
        sys.exit(f"{path} holds {len(arrays)} numbers, not {3 * m}")
    return n, arrays[:m], arrays[m : 2 * m], arrays[2 * m :]


def without_parallel_edges(n, u, v, w):
    """The lightest edge of each pair of vertices, for libraries that add up the weights or keep the
    last.

    This changes neither the number of edges of the forest nor its weight.
    """
    pair = np.minimum(u, v).astype(np.int64) * n + np.maximum(u, v)
    order = np.lexsort((w, pair))
    first = np.ones(len(order), dtype=bool)
    first[1:] = pair[order[1:]] != pair[order[:-1]]
    keep = np.sort(order[first])
    return u[keep], v[keep], w[keep]


def serve(version, build, solve, answer):
    """Answers the runner's requests until the input ends.

    `build(n, u, v, w)` builds the library's graph. Only `solve(graph)` is timed.
    `answer(graph, result)` returns the number of edges of the forest and its weight as an exact
    integer.
    """

    def tell(**line):
        print(json.dumps(line), flush=True)

    arrays = load(sys.argv[1])
    start = time.perf_counter()
    graph = build(*arrays)
    seconds = time.perf_counter() - start
    del arrays
    tell(version=f"{version}, Python {platform.python_version()}", build_seconds=seconds)
    for _ in sys.stdin:
        # A garbage collection during the solve would count as time of the library.
        gc.collect()
        gc.disable()
        start = time.perf_counter()
        result = solve(graph)
        seconds = time.perf_counter() - start
        gc.enable()
        edges, total = answer(graph, result)
        del result
        tell(seconds=seconds, edges=int(edges), total=int(total))
