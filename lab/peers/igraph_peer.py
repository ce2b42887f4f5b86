"""igraph's Graph.spanning_tree, with the weights as a list."""

import igraph
import numpy as np

from peer import serve


def build(n, u, v, w):
    graph = igraph.Graph(n=n, edges=np.column_stack((u, v)).astype(np.int64))
    return graph, w.tolist(), w


def solve(built):
    graph, weights, _ = built
    return graph.spanning_tree(weights=weights, return_tree=False)


def answer(built, forest):
    return len(forest), built[2][np.asarray(forest, dtype=np.int64)].astype(np.int64).sum()


serve(f"igraph {igraph.__version__}", build, solve, answer)
