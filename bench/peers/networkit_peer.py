"""networkit.graph.KruskalMSF. Its forest has lost the weights, so they are looked up in the graph, outside the timing.

Edges are added one by one: making the graph from arrays has been seen to crash.
"""

from importlib.metadata import version

import networkit

from peer import serve, without_parallel_edges


def build(n, u, v, w):
    graph = networkit.Graph(n, weighted=True)
    # A forest's edge is only known by its ends, which must not mean two edges.
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
