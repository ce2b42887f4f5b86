"""Compares the Python package with SciPy, igraph, rustworkx, networkit and NetworkX, in one
process, in turn.

    python lab/python.py GRAPH [--runs N] [--patience SECONDS] [--peers scipy,igraph]
        [--networkx] [-o RECORD]

The package and the peers must be installed. GRAPH is one of the names below, a generator spec, or a
file. With -o, the program adds or replaces the entry of GRAPH in the record, so that a record can
be measured graph by graph. With --peers, the name of the entry contains the peers. So peers that
are slow or use much memory can run in separate processes. Kinds of measurements:

* ``arrays``: from three NumPy arrays (int32, int32, float64) to the result, with conversions. If a
  library's graph takes too long to build, it is built once. The time of building it is ``build``,
  and counts only here.
* ``solve``: from the library's own graph to its result.
* ``networkx``: from a NetworkX graph to a list of edges: by NetworkX, by the backend with the
  conversion, and by the backend with a conversion that NetworkX has cached.

Each round runs every contestant once: A B C, A B C. A pause before each turn lets the threads of
the previous contestant stop. Idle processors are kept out of sleep states if the system permits it
(Linux, as root). The first round does not count. The result is the median. A contestant that takes
longer than --patience in the first round takes no further turns, and that round is its result. Of
parallel edges only the lightest is kept, because SciPy would sum them. Answers must agree in the
number of edges and the total weight.
"""

import argparse
import contextlib
import gc
import os
import pathlib
import statistics
import sys
import time

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

import kostra
import kostra.scipy
from records import about, add

PACKAGES = ("kostra", "numpy", "scipy", "igraph", "rustworkx", "networkit", "networkx")
DATA = os.environ.get("KOSTRA_DATA") or pathlib.Path(__file__).resolve().parents[2] / "shared/data"
GRAPHS = {
    "million": "gnm:n=1M,m=4M",
    "grid": "grid:side=2048",
    "road": "grid:side=2048,keep=0.6",
    "uniform": "gnm:n=4000000,m=16000000",
    "rmat": "rmat:scale=20",
    "dense": "dense:n=8000,m=28800000",
    "ny": str(pathlib.Path(DATA, "road/USA-road-d.NY.gr.gz")),
    "smoke": "gnm:n=2000,m=8000",
}


def load(name):
    """Loads a graph as arrays, with each pair of ends once."""
    source = GRAPHS.get(name, name)
    graph = kostra.Graph.read(source) if os.path.exists(source) else kostra.Graph.generate(source)
    low, high = np.minimum(graph.u, graph.v), np.maximum(graph.u, graph.v)
    order = np.argsort(low.astype(np.int64) * graph.n + high, kind="stable")
    order = order[low[order] != high[order]]
    weights = graph.weights.astype(np.float64)
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
    lightest = (
        np.minimum.reduceat(weights[order], np.flatnonzero(first)) if len(order) else weights[:0]
    )
    kept = order[first]
    back = np.argsort(kept)
    return graph.n, graph.u[kept][back], graph.v[kept][back], lightest[back]


class Kostra:
    def __init__(self, n, u, v, w):
        self.n, self.edges = n, (u, v, w)
        self.graph = kostra.Graph(u, v, w, n)

    def arrays(self):
        return kostra.minimum_spanning_forest(*self.edges, self.n)

    def solve(self):
        return self.graph.minimum_spanning_forest()

    def answer(self, forest):
        return len(forest), forest.total_weight


class DropIn:
    """The drop-in for SciPy, on the same matrix."""

    function = staticmethod(kostra.scipy.minimum_spanning_tree)

    def __init__(self, n, u, v, w):
        self.n, self.edges = n, (u, v, w)
        self.matrix = self.make()

    def make(self):
        u, v, w = self.edges
        return sparse.coo_array((w, (u, v)), shape=(self.n, self.n)).tocsr()

    def arrays(self):
        return self.function(self.make())

    def solve(self):
        return self.function(self.matrix)

    def answer(self, tree):
        return tree.nnz, tree.data.sum()


class SciPy(DropIn):
    function = staticmethod(csgraph.minimum_spanning_tree)


class Igraph:
    def __init__(self, n, u, v, w):
        import igraph

        start = time.perf_counter()
        self.weights = w.tolist()
        self.graph = igraph.Graph(n=n, edges=np.column_stack((u, v)).astype(np.int64))
        self.build = time.perf_counter() - start
        self.w = w

    def solve(self):
        return self.graph.spanning_tree(weights=self.weights, return_tree=False)

    def answer(self, edges):
        return len(edges), self.w[np.asarray(edges, np.int64)].sum()


class Rustworkx:
    def __init__(self, n, u, v, w):
        import rustworkx

        start = time.perf_counter()
        self.graph = rustworkx.PyGraph()
        self.graph.add_nodes_from(range(n))
        self.graph.add_edges_from(list(zip(u.tolist(), v.tolist(), w.tolist())))
        self.build = time.perf_counter() - start
        self.function = rustworkx.minimum_spanning_edges

    def solve(self):
        return self.function(self.graph, weight_fn=float)

    def answer(self, edges):
        return len(edges), sum(weight for *_, weight in edges)


class Networkit:
    def __init__(self, n, u, v, w):
        import networkit

        start = time.perf_counter()
        self.graph = networkit.Graph(n, weighted=True)
        for edge in zip(u.tolist(), v.tolist(), w.tolist()):
            self.graph.addEdge(*edge)
        self.build = time.perf_counter() - start
        self.solver = networkit.graph.KruskalMSF

    def solve(self):
        solver = self.solver(self.graph)
        solver.run()
        return solver

    def answer(self, solver):
        weights = [self.graph.weight(u, v) for u, v in solver.getForest().iterEdges()]
        return len(weights), sum(weights)


REST = 0.01
PEERS = {"scipy": SciPy, "igraph": Igraph, "rustworkx": Rustworkx, "networkit": Networkit}


def awake():
    """Keeps idle processors out of sleep states until the result is closed.

    The system permits it on Linux for root. In a virtual machine, sleeping processors wake late,
    which would count as time of contestants that start threads.
    """
    try:
        latency = open("/dev/cpu_dma_latency", "wb", buffering=0)
        latency.write(bytes(4))  # a latency of 0 microseconds
        return latency
    except OSError as error:
        print(f"processors may sleep: {error}", file=sys.stderr)
        return contextlib.nullcontext()


def contest(contestants, runs, patience):
    """The seconds of each contestant per round, and the last answers."""
    with awake():
        return rounds(contestants, runs, patience)


def rounds(contestants, runs, patience):
    seconds, answers = {name: [] for name in contestants}, {}
    for _ in range(runs + 1):
        for name, run in contestants.items():
            if seconds[name] and seconds[name][0] > patience:
                continue
            answers.pop(name, None)
            gc.collect()
            time.sleep(REST)
            gc.disable()
            start = time.perf_counter()
            answers[name] = run()
            seconds[name].append(time.perf_counter() - start)
            gc.enable()
    return seconds, answers


def summary(seconds):
    return {
        name: {
            "median": statistics.median(samples[1:] or samples),
            "seconds": samples[1:],
            "warm_up": samples[0],
        }
        for name, samples in seconds.items()
    }


def measure(name, peers, runs, patience):
    n, u, v, w = load(name)
    library = {"kostra": Kostra(n, u, v, w), "kostra.scipy": DropIn(n, u, v, w)}
    library |= {peer: PEERS[peer](n, u, v, w) for peer in peers}
    entry = {"source": os.path.basename(GRAPHS.get(name, name)), "vertices": n, "edges": len(u)}
    for kind in ("arrays", "solve"):
        contestants = {
            name: getattr(item, kind) for name, item in library.items() if hasattr(item, kind)
        }
        seconds, answers = contest(contestants, runs, patience)
        entry[kind] = summary(seconds)
        found = {peer: library[peer].answer(answer) for peer, answer in answers.items()}
        edges, total = found["kostra"]
        entry["disagreements"] = entry.get("disagreements", []) + [
            f"{peer}: {answer}"
            for peer, answer in found.items()
            if answer[0] != edges or abs(answer[1] - total) > 1e-9 * abs(total)
        ]
    entry["forest"] = {"edges": edges, "total_weight": total}
    for peer, item in library.items():
        if hasattr(item, "build"):
            entry["solve"][peer]["build"] = item.build
    return entry


def measure_networkx(name, runs, patience):
    import networkx as nx

    nx.config.warnings_to_ignore.add("cache")
    n, u, v, w = load(name)
    graph = nx.empty_graph(n)
    graph.add_weighted_edges_from(zip(u.tolist(), v.tolist(), w.tolist()))

    def edges(backend, cached=True):
        if not cached:
            graph.__networkx_cache__.clear()
        return list(nx.minimum_spanning_edges(graph, backend=backend))

    def tree(backend):
        return list(nx.minimum_spanning_tree(graph, backend=backend).edges(data=True))

    contestants = {
        "networkx": lambda: edges("networkx"),
        "kostra": lambda: edges("kostra", cached=False),
        "kostra, cached": lambda: edges("kostra"),
        "networkx, tree": lambda: tree("networkx"),
        "kostra, cached, tree": lambda: tree("kostra"),
    }
    seconds, answers = contest(contestants, runs, patience)
    same = answers["networkx"] == answers["kostra"] == answers["kostra, cached"]
    same = same and answers["networkx, tree"] == answers["kostra, cached, tree"]
    return {
        "source": GRAPHS.get(name, name),
        "vertices": n,
        "edges": len(u),
        "networkx": summary(seconds),
        "disagreements": [] if same else ["the edges differ"],
    }


def main():
    parser = argparse.ArgumentParser(description="Measures the Python package beside its peers.")
    parser.add_argument("graph")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--patience", type=float, default=60, help="limit in seconds (default: %(default)s)"
    )
    parser.add_argument("--peers", help=f"peers to run, from {','.join(PEERS)} (default: all)")
    parser.add_argument(
        "--networkx", action="store_true", help="measure the NetworkX backend instead"
    )
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    peers = (
        list(PEERS)
        if options.peers is None
        else [peer for peer in options.peers.split(",") if peer]
    )
    if options.networkx:
        name, entry = (
            f"networkx {options.graph}",
            measure_networkx(options.graph, options.runs, options.patience),
        )
    else:
        name = options.graph if options.peers is None else f"{options.graph}, {'+'.join(peers)}"
        entry = measure(options.graph, peers, options.runs, options.patience)
        entry["skipped"] = [peer for peer in PEERS if peer not in peers]
    entry |= {"runs": options.runs, "patience": options.patience, "about": about(PACKAGES)}
    for kind in ("arrays", "solve", "networkx"):
        for contestant, timing in entry.get(kind, {}).items():
            build = f" (build {timing['build']:.2f} s)" if "build" in timing else ""
            print(
                f"{name:24} {kind:9} {contestant:22} {timing['median']:9.4f} s{build}", flush=True
            )
    print(*entry["disagreements"], sep="\n")
    if options.output:
        add(options.output, name, entry)
    raise SystemExit(bool(entry["disagreements"]))


if __name__ == "__main__":
    main()
