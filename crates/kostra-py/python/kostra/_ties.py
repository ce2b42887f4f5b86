"""Further keys that order the edges of the same weight."""

import numpy as np

from kostra import _arrays, _kostra
from kostra._values import graph_of_arrays


def solve(graph, ties, options):
    """The engine's forest of a graph whose edges are ordered by weight, then by the keys ``ties``.

    The rank of each edge in this order is its weight in a second graph, which has the same forest.
    """
    keys = [graph.weights, *_keys(ties, graph.m)]
    ranks = _ranks(keys)
    u, v = graph._inner.u(), graph._inner.v()
    ranked = _arrays.graph(
        _arrays.Columns(u, v, ranks, graph.n), nan="error", copy=False, threads=options["threads"]
    )
    found = ranked.solve(options)
    ids = np.array(found.ids())
    edges = graph_of_arrays(u[ids], v[ids], graph._inner.weights()[ids], graph.n)
    return _kostra.Forest.whole_of(edges, ids, options["maximum"], found.algorithm)


def _keys(ties, m):
    """The keys as arrays, one value per edge."""
    several = isinstance(ties, (list, tuple)) and any(np.ndim(key) for key in ties)
    for place, key in enumerate(ties if several else [ties]):
        name = f"ties[{place}]" if several else "ties"
        array, _ = _arrays.weights(name, key)
        if len(array) != m:
            entries = _arrays.counted(len(array), "entry", "entries")
            raise ValueError(f"{name} has {entries}, but the graph has {m} edges")
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise ValueError(f"{name}[{int(np.isnan(array).argmax())}] is NaN; replace it")
        yield array


def _ranks(keys):
    """The rank of each edge in lexicographic order. Edges with the same keys have the same rank."""
    order = np.lexsort(keys[::-1])
    is_new = np.zeros(len(order), np.bool_)
    for key in keys:
        sorted_key = key[order]
        is_new[1:] |= sorted_key[1:] != sorted_key[:-1]
    ranks = np.empty(len(order), np.uint32)
    ranks[order] = np.cumsum(is_new, dtype=np.uint32)
    return ranks
