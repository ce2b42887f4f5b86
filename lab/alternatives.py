"""Compares alternatives to forests, and forests under constraints, with NetworkX and SciPy, in turn.

    python lab/alternatives.py [--runs N] [--only TASK,...] [-o RECORD]

needs kostra, networkx and scipy. Each task has one graph, which every program has in its own form
before it is timed. A program that takes more than ten seconds runs once. The answers must agree:
totals of the best trees, numbers of trees (those of NetworkX are floats), and totals of forests.
"""

import argparse
import itertools
import json
import pathlib
import time

import networkx as nx
import numpy as np
from networkx.algorithms.tree.mst import EdgePartition, SpanningTreeIterator
from networkx.algorithms.tree.mst import partition_spanning_tree
from records import about, add
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

import kostra

#: A run of more seconds is not repeated.
LONG = 10


def of_networkx(u, v, w):
    graph = nx.Graph()
    graph.add_nodes_from(range(int(max(u.max(), v.max())) + 1))
    graph.add_weighted_edges_from(zip(u.tolist(), v.tolist(), w.tolist()))
    return graph


def simple(n, m, weights):
    """A connected graph without parallel edges: a random tree, and random edges."""
    random = np.random.default_rng(1)
    pairs = {(int(random.integers(0, v)), v) for v in range(1, n)}
    while len(pairs) < m:
        u, v = sorted(random.integers(0, n, 2).tolist())
        if u < v:
            pairs.add((u, v))
    u, v = np.array(sorted(pairs)).T
    return u, v, random.integers(1, weights, m)


def grid(side, weights):
    places = np.arange(side * side).reshape(side, side)
    u = np.concatenate([places[:, 1:].ravel(), places[1:].ravel()])
    v = np.concatenate([places[:, :-1].ravel(), places[:-1].ravel()])
    return u, v, np.random.default_rng(1).integers(1, weights + 1, len(u))


def best_trees(n, m, k):
    """The totals of the best k spanning trees."""
    u, v, w = simple(n, m, 100)
    graph = of_networkx(u, v, w)

    def of_kostra():
        return [tree.total_weight for tree in kostra.alternatives(u, v, w).best(k)]

    def of_peer():
        trees = itertools.islice(SpanningTreeIterator(graph), k)
        return [int(tree.size(weight="weight")) for tree in trees]

    peers = {"networkx": of_peer} if k <= 100 else {}
    return {"kostra": of_kostra, **peers}, lambda a, b: a == b


def number_of_trees(side):
    """The number of spanning trees of a grid without weights."""
    u, v, _ = grid(side, 1)
    graph = of_networkx(u, v, np.ones(len(u)))

    # The float of the peer overflows from a side of 25 on.
    peers = {"networkx": lambda: nx.number_of_spanning_trees(graph, weight=None)}
    programs = {"kostra": lambda: kostra.alternatives(u, v).count(), **(peers if side < 25 else {})}
    return programs, lambda a, b: a == b or abs(b - a) <= 1e-6 * a


def constrained(side):
    """The total of the best tree with every twentieth edge, without every other twentieth."""
    u, v, w = grid(side, 1000)
    include, exclude = np.arange(0, len(u), 20), np.arange(10, len(u), 20)
    graph = of_networkx(u, v, w)
    for ids, part in (include, EdgePartition.INCLUDED), (exclude, EdgePartition.EXCLUDED):
        for edge in ids.tolist():
            graph.edges[int(u[edge]), int(v[edge])]["partition"] = part

    def of_kostra():
        return kostra.constrained_forest(u, v, w, include=include, exclude=exclude).total_weight

    def of_peer():
        return int(partition_spanning_tree(graph).size(weight="weight"))

    return {"kostra": of_kostra, "networkx": of_peer}, lambda a, b: a == b


def ties(side, weights):
    """The total of the forest, with the alternatives to all edges and without."""
    u, v, w = grid(side, weights)
    n = side * side
    matrix = sparse.csr_array((w, (u, v)), shape=(n, n))
    graph = kostra.Graph(u, v, w)

    return {
        "kostra": lambda: kostra.alternatives(graph).forest.total_weight,
        "kostra, forest only": lambda: graph.minimum_spanning_forest().total_weight,
        "scipy, forest only": lambda: int(minimum_spanning_tree(matrix).sum()),
    }, lambda a, b: a == b


TASKS = {
    "best-100": lambda: best_trees(200, 800, 100),
    "best-1000": lambda: best_trees(100_000, 400_000, 1000),
    "number-grid-24": lambda: number_of_trees(24),
    "number-grid-60": lambda: number_of_trees(60),
    "constrained-grid-300": lambda: constrained(300),
    "ties-grid-1000": lambda: ties(1000, 100),
}


def measure(task, runs):
    """The seconds of each program, in turn."""
    programs, agree = task()
    seconds, answers = {name: [] for name in programs}, {}
    for _ in range(runs):
        for name, program in programs.items():
            if seconds[name] and seconds[name][0] > LONG:
                continue
            start = time.perf_counter()
            answer = program()
            seconds[name].append(time.perf_counter() - start)
            first = answers.setdefault("kostra", answer)
            if not agree(first, answer):
                raise SystemExit(f"{name}: {str(answer)[:100]}, and kostra {str(first)[:100]}")
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default=",".join(TASKS))
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    for name in options.only.split(","):
        seconds = measure(TASKS[name], options.runs)
        print(name, json.dumps(seconds))
        if options.output:
            packages = about(["kostra", "networkx", "scipy"])
            add(options.output, name, {**packages, "samples": seconds})


if __name__ == "__main__":
    main()
