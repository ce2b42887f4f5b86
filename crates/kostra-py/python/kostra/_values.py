"""Equality, copying and pickling of graphs and forests."""

from collections.abc import Iterable

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


class Vertices(Value):
    """What a graph and a forest know about their vertices. A subclass has the number ``n``."""

    __slots__ = ()

    @property
    def nodes(self):
        """The name or the original id of each vertex, a list; None if the vertices have only
        numbers. It can be set.
        """
        return self._nodes

    @nodes.setter
    def nodes(self, nodes):
        if nodes is not None and not isinstance(nodes, list):
            if isinstance(nodes, (str, bytes)) or not isinstance(nodes, Iterable):
                raise TypeError(f"nodes must be a list of names or None, not {nodes!r}")
            nodes = _arrays.listed(nodes) if hasattr(nodes, "tolist") else list(nodes)
        if nodes is not None and len(nodes) != self.n:
            names = _arrays.counted(len(nodes), "name", "names")
            raise ValueError(f"nodes has {names}, but there are {self.n} vertices")
        self._nodes = nodes

    @property
    def coordinates(self):
        """The position of each vertex, an array of n by 2: planar, or longitude and latitude in
        degrees if ``geographic`` is True. None if unknown. It can be set.
        """
        return self._coordinates

    @coordinates.setter
    def coordinates(self, places):
        self._coordinates = None if places is None else positions("coordinates", places, self.n)


def positions(name, values, n):
    """An argument that is the positions of ``n`` vertices, as an array of n by 2."""
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} cannot be converted to an array: {error}") from error
    if array.shape != (n, 2) and (array.size or n):
        raise ValueError(
            f"{name} must have the shape ({n}, 2), one row per vertex, "
            f"but have the shape {array.shape}"
        )
    return array.reshape(n, 2)


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
