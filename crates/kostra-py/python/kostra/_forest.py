"""Forests in memory."""

import numpy as np

from kostra import _arrays, _kostra, _names
from kostra._values import Value, graph_of_arrays


class Forest(Value):
    """A minimum (or maximum) spanning forest, as :func:`minimum_spanning_forest` returns it.

    It has its own arrays, all read-only, with one entry for each edge of the forest, in the order of the edges' ids;
    nothing of the graph it came from is kept. Forests are equal if these are equal: the edges' ids, ends and
    weights, the number of vertices, ``nodes`` and ``maximum``. Forests can be copied and pickled, and cannot be keys of
    dictionaries.

    >>> import kostra
    >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [5, 6, 7], n=4)
    >>> forest
    <kostra.Forest: 4 vertices, 2 edges, 2 components, total weight 11>
    >>> forest.u, forest.v, forest.weights
    (array([0, 1]), array([1, 2]), array([5, 6]))
    """

    __slots__ = ("_inner", "_end_types", "_weight_type", "_arrays", "_named", "nodes")

    def __init__(self, inner, end_types, weight_type, nodes=None):
        self._inner = inner
        self._end_types = end_types
        self._weight_type = weight_type
        self._arrays = {}
        self._named = None
        #: The graph's ``nodes``: the names or the ids of the vertices, by number; None where they have none.
        self.nodes = nodes

    def _parts(self):
        return self.n, self.maximum, self.edge_ids, self.u, self.v, self.weights, self.nodes

    def __reduce__(self):
        inner = self._inner
        arrays = inner.ids(), inner.u(), inner.v(), inner.weights(), inner.n
        return _restored, (type(self), arrays, self.maximum, self.algorithm, self._end_types, self._weight_type, self.nodes)

    def _names(self):
        """The numbers of the vertices by name."""
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
        """How many vertices there are, isolated ones included."""
        return self._inner.n

    @property
    def edge_ids(self):
        """The positions in the input of the forest's edges, ascending (int64)."""
        return self._array("edge_ids", self._inner.ids, np.int64)

    @property
    def u(self):
        """First ends: ``u[edge_ids]``, in the type of the input."""
        return self._array("u", self._inner.u, self._end_types[0])

    @property
    def v(self):
        """Second ends: ``v[edge_ids]``, in the type of the input."""
        return self._array("v", self._inner.v, self._end_types[1])

    @property
    def weights(self):
        """Weights: ``w[edge_ids]``, in the type of the input; ones where there were none."""
        return self._array("weights", self._inner.weights, self._weight_type)

    @property
    def total_weight(self):
        """The sum of the weights: an exact int where they are integers, a float with compensated error where not."""
        return self._inner.total

    @property
    def n_components(self):
        """How many components the graph has; isolated vertices count."""
        return self._inner.n_components

    @property
    def maximum(self):
        """Whether this is a maximum spanning forest."""
        return self._inner.maximum

    @property
    def algorithm(self):
        """The name of the algorithm that found it."""
        return self._inner.algorithm

    def __len__(self):
        return len(self.edge_ids)

    def __repr__(self):
        components = "one component" if self.n_components == 1 else f"{self.n_components} components"
        return (
            f"<kostra.Forest: {self.n} vertices, {len(self)} edges, {components}, "
            f"total weight {self.total_weight}>"
        )

    def labels(self):
        """Which component each vertex is in: numbers from 0, in the order of the components' lowest vertices.

        >>> import kostra
        >>> kostra.minimum_spanning_forest([0, 3], [2, 1], n=5).labels()
        array([0, 1, 0, 1, 2], dtype=int32)
        """
        return _signed(self._inner.labels())

    def parents(self, root=..., *, names=None):
        """The forest as rooted trees: each vertex's parent, and -1 for the roots (int64).

        The tree of ``root`` hangs from it, and each other tree from its lowest vertex; without ``root``, all trees do.
        ``root`` is a number or one of the names in ``nodes``; see :func:`kostra.bottleneck` for ``names``. Takes O(n).

        >>> import kostra
        >>> kostra.minimum_spanning_forest([0, 1, 3], [1, 2, 4]).parents(root=2)
        array([ 1,  2, -1, -1,  3])
        """
        if self.n == 0:
            return np.empty(0, np.int64)
        return self._inner.parents(0 if root is ... else _names.vertex("root", root, self, names))

    def to_scipy(self, *, symmetric=False):
        """The forest as a ``scipy.sparse.csr_array`` with an entry at ``(u, v)`` for each edge, zeros included.

        With ``symmetric=True`` there is one at ``(v, u)`` too. Weights of float16, which SciPy's matrices cannot hold,
        become float32.

        >>> import kostra
        >>> kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6]).to_scipy().toarray()
        array([[0, 5, 0],
               [0, 0, 6],
               [0, 0, 0]])
        """
        from scipy import sparse

        rows, columns, data = self.u, self.v, self.weights
        if data.dtype == np.float16:
            data = data.astype(np.float32)
        if symmetric:
            rows, columns = np.concatenate([rows, columns]), np.concatenate([columns, rows])
            data = np.concatenate([data, data])
        return sparse.coo_array((data, (rows, columns)), shape=(self.n, self.n)).tocsr()

    def to_networkx(self, *, weight="weight"):
        """The forest as a ``networkx.Graph`` with all vertices, and the weights under an attribute of that name.

        The vertices are those in ``nodes``, and numbers where ``nodes`` is None.

        >>> import kostra
        >>> kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6]).to_networkx().edges(data="weight")
        EdgeDataView([(0, 1, 5), (1, 2, 6)])
        """
        import networkx

        graph = networkx.Graph()
        u, v = self.u.tolist(), self.v.tolist()
        if self.nodes is None:
            graph.add_nodes_from(range(self.n))
        else:
            graph.add_nodes_from(self.nodes)
            u, v = [self.nodes[vertex] for vertex in u], [self.nodes[vertex] for vertex in v]
        graph.add_weighted_edges_from(zip(u, v, self.weights.tolist()), weight=weight)
        return graph


def _restored(cls, arrays, maximum, algorithm, end_types, weight_type, nodes):
    """The forest that ``Forest.__reduce__`` describes."""
    ids, u, v, weights, n = arrays
    inner = _kostra.Forest.whole_of(graph_of_arrays(u, v, weights, n), ids, maximum, algorithm)
    forest = cls.__new__(cls)
    Forest.__init__(forest, inner, end_types, weight_type, nodes)
    return forest


def in_memory(forest):
    """A forest, copied to memory where it lies on a device."""
    return forest.to_host() if hasattr(forest, "to_host") else forest


def _signed(numbers):
    """32-bit numbers as int32, the type of SciPy's labels, unless some do not fit."""
    return numbers.view(np.int32) if numbers.size < 1 << 31 else numbers.astype(np.int64)
