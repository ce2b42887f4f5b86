"""Forests in host memory."""

import numpy as np

from kostra import _arrays, _kostra, _names
from kostra._exports import Exports
from kostra._values import graph_of_arrays


class Forest(Exports):
    """A minimum (or maximum) spanning forest, as :func:`minimum_spanning_forest` returns it.

    The forest has its own read-only arrays, with one entry per edge of the forest, in ascending
    order of the edge ids. It does not keep the graph. Two forests are equal if their edge ids,
    ends, weights, numbers of vertices, ``nodes``, ``kept`` and ``maximum`` are equal. Forests can
    be copied and pickled, but are not hashable.

    Attributes
    ----------
    geographic : bool
        Whether ``coordinates`` are longitude and latitude in degrees.

    Examples
    --------
    >>> import kostra
    >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [5, 6, 7], n=4)
    >>> forest
    <kostra.Forest: 4 vertices, 2 edges, 2 components, total weight 11>
    >>> forest.u, forest.v, forest.weights
    (array([0, 1]), array([1, 2]), array([5, 6]))
    """

    __slots__ = (
        "_inner",
        "_end_types",
        "_weight_type",
        "_arrays",
        "_kept",
        "_lines",
        "_named",
        "_coordinates",
        "_nodes",
        "geographic",
    )

    def __init__(
        self, inner, end_types, weight_type, nodes=None, coordinates=None, geographic=False
    ):
        self._inner = inner
        self._end_types = end_types
        self._weight_type = weight_type
        self._arrays = {}
        self._kept = None
        self._lines = None
        self._named = None
        self._nodes = nodes
        self._coordinates = coordinates
        self.geographic = geographic

    def _parts(self):
        edges = self.edge_ids, self.u, self.v, self.weights, self._kept
        return self.n, self.maximum, *edges, self.nodes

    def __reduce__(self):
        inner = self._inner
        arrays = inner.ids(), inner.u(), inner.v(), inner.weights(), inner.n
        kind = self.maximum, self.algorithm
        return _restored, (
            type(self),
            arrays,
            kind,
            (
                self._end_types,
                self._weight_type,
                self.nodes,
                self.coordinates,
                self.geographic,
            ),
            self._kept,
            self._lines,
        )

    def _names(self):
        """The map from names to vertices."""
        if self._named is None or self._named.nodes is not self.nodes:
            self._named = _names.Names(self.nodes)
        return self._named

    def _array(self, name, make, dtype):
        array = self._arrays.get(name)
        if array is None:
            array = self._arrays[name] = _arrays.typed(make(), np.dtype(dtype))
        return array

    @property
    def n(self):
        """The number of vertices, isolated vertices included."""
        return self._inner.n

    @property
    def edge_ids(self):
        """The positions of the forest's edges in the input, ascending: an array of int64."""
        return self._array("edge_ids", self._inner.ids, np.int64)

    @property
    def u(self):
        """The first ends, ``u[edge_ids]``, in the type of the input."""
        return self._array("u", self._inner.u, self._end_types[0])

    @property
    def v(self):
        """The second ends, ``v[edge_ids]``, in the type of the input."""
        return self._array("v", self._inner.v, self._end_types[1])

    @property
    def weights(self):
        """The weights, ``w[edge_ids]``, in the type of the input; 1 without input weights."""
        return self._array("weights", self._inner.weights, self._weight_type)

    @property
    def kept(self):
        """The columns that the graph keeps with its edges: a dictionary from names to arrays with
        one entry per edge of the forest, empty without any. See :meth:`Graph.read`.
        """
        return {} if self._kept is None else self._kept.arrays()

    @property
    def total_weight(self):
        """The sum of the weights: an exact int for integers, a float by compensated summation for
        floats.
        """
        return self._inner.total

    @property
    def n_components(self):
        """The number of components. Every isolated vertex is a component."""
        return self._inner.n_components

    @property
    def maximum(self):
        """Whether this is a maximum spanning forest."""
        return self._inner.maximum

    @property
    def algorithm(self):
        """The name of the algorithm that computed the forest."""
        return self._inner.algorithm

    @property
    def fallback(self):
        """Why an algorithm on the processor computed the forest instead of the algorithm for a
        device that was chosen first, as a sentence; None if the first algorithm computed it, or the
        forest was copied.
        """
        return self._inner.fallback

    def __len__(self):
        return len(self.edge_ids)

    def __repr__(self):
        return f"<kostra.{type(self).__name__}: {_arrays.counts(self)}, total weight {self.total_weight}>"

    def labels(self):
        """The component of each vertex. Takes O(n) time.

        Returns
        -------
        array of n int32
            Components are numbered from 0 in the order of their lowest vertices. The type is int64
            for 2**31 vertices or more.

        Examples
        --------
        >>> import kostra
        >>> kostra.minimum_spanning_forest([0, 3], [2, 1], n=5).labels()
        array([0, 1, 0, 1, 2], dtype=int32)
        """
        return _signed(self._inner.labels())

    def parents(self, root=..., *, names=None):
        """The forest as rooted trees: the parent of each vertex. Takes O(n) time.

        Parameters
        ----------
        root : vertex, optional
            The root of its tree, a number or one of the names in ``nodes``. The root of any other
            tree is the tree's lowest vertex.
        names : bool, optional
            Whether ``root`` is a name; see :func:`kostra.bottleneck`.

        Returns
        -------
        array of n int64
            The parents, -1 for roots.

        Raises
        ------
        ValueError, TypeError
            If ``root`` is not a vertex, or could be a number or a name.

        Examples
        --------
        >>> import kostra
        >>> kostra.minimum_spanning_forest([0, 1, 3], [1, 2, 4]).parents(root=2)
        array([ 1,  2, -1, -1,  3])
        """
        if self.n == 0:
            return np.empty(0, np.int64)
        return self._inner.parents(0 if root is ... else _names.vertex("root", root, self, names))


def _restored(cls, arrays, kind, rest, kept=None, lines=None):
    """Restores a forest from the arguments of ``Forest.__reduce__``."""
    ids, u, v, weights, n = arrays
    inner = _kostra.Forest.whole_of(graph_of_arrays(u, v, weights, n), ids, *kind)
    forest = cls.__new__(cls)
    Forest.__init__(forest, inner, *rest)
    forest._kept, forest._lines = kept, lines
    lengths = [("nodes", forest.nodes, n), ("coordinates", forest.coordinates, n)]
    if kept is not None:
        lengths += [(f"kept[{name!r}]", array, len(ids)) for name, array in kept.arrays().items()]
    for name, values, expected in lengths:
        if values is not None and len(values) != expected:
            raise ValueError(f"{name} of a forest must have {expected} entries, not {len(values)}")
    return forest


def in_memory(forest):
    """A forest; copied to host memory if it is on a device."""
    return forest.to_host() if hasattr(forest, "to_host") else forest


def _signed(numbers):
    """An array of uint32 as int32, the type of SciPy's labels, or as int64 if it has 2**31 entries
    or more.
    """
    return numbers.view(np.int32) if numbers.size < 1 << 31 else numbers.astype(np.int64)
