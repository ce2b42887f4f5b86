"""rustworkx.minimum_spanning_edges, on a graph with Python floats as weights."""

from importlib.metadata import version

import rustworkx

from peer import serve


def build(n, u, v, w):
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(list(zip(u.tolist(), v.tolist(), w.astype(float).tolist())))
    return graph


def solve(graph):
    return rustworkx.minimum_spanning_edges(graph, weight_fn=float)


def answer(_, forest):
    return len(forest), sum(int(weight) for _, _, weight in forest)


serve(f"rustworkx {version('rustworkx')}", build, solve, answer)
