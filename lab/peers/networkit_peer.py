"""networkit.graph.KruskalMSF.

Its forest has no weights, so they are looked up in the graph, outside the timing. Edges are added
one by one, because building the graph from arrays can crash.
"""

from importlib.metadata import version

import networkit

from peer import serve, without_parallel_edges


def build(n, u, v, w):
    graph = networkit.Graph(n, weighted=True)
    # An edge of the forest is identified by its ends only, so parallel edges are removed.
    u, v, w = without_parallel_edges(n, u, v, w)
    for edge in zip(u.tolist(), v.tolist(), w.astype(float).tolist()):
        graph.addEdge(*edge)
    return graph


def solve(graph):
    solver = networkit.graph.KruskalMSF(graph)
    solver.run()
    return solver


def answer(graph, solver):
    edges = total = 0
    for u, v in solver.getForest().iterEdges():
        edges += 1
        total += int(graph.weight(u, v))
    return edges, total


serve(f"networkit {version('networkit')}", build, solve, answer)
