"""Equality, copying and pickling of graphs and forests."""

import numpy as np

from kostra import _arrays, _kostra


class Value:
    """An object that is compared by its contents. It is not hashable, like NumPy's arrays.

    A subclass defines ``_parts()``, which returns the tuple to compare, and ``__reduce__``, which
    ``pickle`` and ``copy`` use.
    """

    __slots__ = ()
    __hash__ = None

    def __eq__(self, other):
        if not isinstance(other, type(self)):
            return NotImplemented
        return self is other or all(
            _equal(ours, theirs) for ours, theirs in zip(self._parts(), other._parts())
        )


def _equal(a, b):
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return _arrays.same(a, b)
    return a is b or (type(a) is type(b) and a == b)


def graph_of_arrays(u, v, weights, n):
    """The engine's graph of the arrays of another graph. It uses them without a copy."""
    columns = _arrays.Columns(u, v, weights, n)
    return _arrays.graph(columns, nan="error", copy=False, threads=1)


def restored_graph(cls, arrays, rest):
    """Restores a graph from the arguments of ``Graph.__reduce__``."""
    graph = cls.__new__(cls)
    graph._inner = graph_of_arrays(*arrays)
    for name, value in rest.items():
        setattr(graph, name, value)
    return graph
