"""Verification of forests."""

import numpy as np

from kostra import _arrays
from kostra._forest import Forest, in_memory
from kostra._graph import Graph


def verify(graph, forest):
    """Checks that a forest is the minimum spanning forest of a graph; raises a ValueError if not.

    Every edge outside the forest is compared with the forest's path between its ends, independently
    of the algorithms. Takes O(n log n + m) time.

    Parameters
    ----------
    graph : Graph
    forest : Forest, DeviceForest, or array of edge ids
        A forest is checked as a minimum or maximum spanning forest according to its ``maximum``,
        and the ends and weights of its edges must be those of the graph. An array of edge ids in
        any order is checked as a minimum spanning forest.

    Raises
    ------
    ValueError
        If the forest is wrong. The message gives the first violation.
    TypeError
        If an argument has the wrong type.

    Examples
    --------
    >>> import kostra
    >>> graph = kostra.Graph([0, 1, 2], [1, 2, 0], [1.5, 2.5, 3.5])
    >>> kostra.verify(graph, graph.minimum_spanning_forest())
    >>> kostra.verify(graph, [0, 2])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: edge 1 (1 to 2, weight 2.5) is not in the forest, but comes before edge 2 ...
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"graph must be a kostra.Graph, not {type(graph).__name__}")
    forest = in_memory(forest)
    if isinstance(forest, Forest):
        ids, maximum = forest.edge_ids, forest.maximum
        if forest.n != graph.n:
            raise ValueError(f"forest has n = {forest.n}, but graph has n = {graph.n}")
    else:
        ids, maximum = np.sort(_arrays.ends("forest", forest)), False
        twice = ids[1:][ids[1:] == ids[:-1]]
        if len(twice):
            raise ValueError(f"forest contains edge {twice[0]} twice")
    if len(ids) and not 0 <= ids[0] <= ids[-1] < max(graph.m, 1):
        edge = ids[0] if ids[0] < 0 else ids[-1]
        edges = _arrays.counted(graph.m, "edge", "edges") + ", numbered from 0"
        raise ValueError(f"forest contains edge {edge}, but the graph has {edges}")
    if isinstance(forest, Forest):
        _refuse_of_another_graph(graph, forest, ids)
    violation = graph._inner.verify(ids.astype(np.uint32), maximum)
    if violation is not None:
        raise ValueError(violation)


def _refuse_of_another_graph(graph, forest, ids):
    """Raises a ValueError if the ends or weights of a forest's edges differ from the graph's."""
    names = ("u", "v", "weights")
    if all(_arrays.same(getattr(graph, name)[ids], getattr(forest, name)) for name in names):
        return
    ours = zip(*(getattr(graph, name)[ids].tolist() for name in names))
    theirs = zip(*(getattr(forest, name).tolist() for name in names))
    edge, ours, theirs = next(row for row in zip(ids.tolist(), ours, theirs) if row[1] != row[2])
    raise ValueError(
        f"forest belongs to another graph: its edge {edge} is {_shown(theirs)}, "
        f"but edge {edge} of graph is {_shown(ours)}"
    )


def _shown(edge):
    u, v, weight = edge
    return f"{u} to {v}, weight {weight}"
