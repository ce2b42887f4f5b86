"""The functions :func:`alternatives` and :func:`constrained_forest`."""

import operator

import numpy as np

from kostra import _arrays, _ids, _kostra, _matrix, _names
from kostra._graph import Graph

#: The most multiplications for a number of forests: an hour.
_MOST_STEPS = 10**12


class Alternatives:
    """The alternatives to a minimum (or maximum) spanning forest, as :func:`alternatives` returns
    them.

    A *best forest* is a minimum spanning forest or, with ``maximum``, a maximum one. The arrays
    have one entry per edge of the graph.

    Attributes
    ----------
    forest : Forest
        The canonical forest, which is the first of the best ones.

    Examples
    --------
    >>> import kostra
    >>> found = kostra.alternatives([0, 1, 2, 0], [1, 2, 0, 3], [1, 2, 2, 5])
    >>> found
    <kostra.Alternatives: 4 edges, 2 in every forest, 2 in some, 0 in none>
    >>> found.network
    array([0, 1, 2, 3])
    """

    __slots__ = ("_graph", "_inner", "forest")

    def __init__(self, graph, inner):
        self._graph = graph
        self._inner = inner
        self.forest = graph._forest_of(inner.best(1).advance())

    @property
    def unique(self):
        """Whether there is only one best forest."""
        return self._inner.unique

    @property
    def in_every(self):
        """Whether each edge is in every best forest: an array of bool."""
        return self._inner.members(True)

    @property
    def in_some(self):
        """Whether each edge is in some best forest: an array of bool."""
        return self._inner.members(False)

    @property
    def network(self):
        """The ids of the edges in some best forest, ascending: the minimum spanning network, as an
        array of int64.
        """
        return np.flatnonzero(self.in_some)

    @property
    def rivals(self):
        """For each edge, the edge that changes places with it if its weight changes far enough; -1
        if there is none: an array of int64.

        In a minimum spanning forest, an edge of the forest stays in it while its weight is below
        that of its rival, and another edge enters when its weight falls below that of its rival.
        An edge of the forest without a rival is a bridge, and another one is a self-loop.
        """
        return self._inner.rivals()

    def count(self):
        """The number of best forests, exactly.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If counting takes more than 10**12 multiplications.

        Notes
        -----
        For s vertices joined by edges of equal weight, counting takes the steps of a sparse
        elimination, O(s**1.5) for planar graphs and O(s**3) for dense ones, times the number of
        digits.

        Examples
        --------
        >>> import kostra
        >>> square = kostra.alternatives([0, 1, 2, 3, 0, 1], [1, 2, 3, 0, 2, 3])
        >>> square.count()
        16
        """
        return int.from_bytes(self._inner.count(_MOST_STEPS), "little")

    def best(self, k=None):
        """The best forests in order: by total weight, compared without rounding. Of two with equal
        totals, the first is the one that lacks the highest edge id that only one of them has.

        Parameters
        ----------
        k : int, optional
            The most forests. By default, the iterator ends after the last spanning forest. With
            ``k`` it is faster, because fewer edges matter.

        Returns
        -------
        iterator of Forest
            Each forest is found when it is asked for.

        Raises
        ------
        ValueError, TypeError
            If ``k`` is wrong, or a weight is infinite.

        Examples
        --------
        >>> import kostra
        >>> found = kostra.alternatives([0, 1, 2], [1, 2, 0], [1, 2, 4])
        >>> [forest.total_weight for forest in found.best(10)]
        [3, 5, 6]
        """
        most = _arrays.whole("k", k, 0, 2**63 - 1)
        return self._forests(self._inner.best(2**63 - 1 if most is None else most))

    def _forests(self, inner):
        while (forest := inner.advance()) is not None:
            yield self._graph._forest_of(forest)

    def __repr__(self):
        edges, every, some = self._graph.m, self.in_every.sum(), self.in_some.sum()
        return (
            f"<kostra.Alternatives: {_arrays.counted(edges, 'edge', 'edges')}, {every} in every "
            f"forest, {some - every} in some, {edges - some} in none>"
        )


def alternatives(u, v=None, w=None, n=None, *, maximum=False, threads=None):
    """Whether the minimum spanning forest of a graph is unique, and its alternatives.

    Parameters
    ----------
    u, v, w, n
        As for :func:`minimum_spanning_forest`.
    maximum : bool
        Whether to compare maximum spanning forests.
    threads : int, optional
        The number of threads; by default, all of the machine's.

    Returns
    -------
    Alternatives
        Which edges are in every and in some minimum spanning forest, how many forests there are,
        the best forests in order, and how far weights may change.

    Raises
    ------
    ValueError, TypeError, KeyboardInterrupt
        As for :func:`minimum_spanning_forest`.

    Notes
    -----
    Takes a second solve, of the edges outside the forest, and O(log n) for each edge.

    Examples
    --------
    >>> import kostra
    >>> found = kostra.alternatives([0, 1, 2, 0], [1, 2, 0, 3], [1, 2, 2, 5])
    >>> found.unique, found.count(), found.forest.edge_ids
    (False, 2, array([0, 1, 3]))
    >>> found.in_every
    array([ True, False, False,  True])
    """
    graph = _graph(u, v, w, n, threads)
    maximum = _arrays.flag("maximum", maximum)
    inner = _kostra.Alternatives.find(graph._inner, maximum, _arrays.threads(threads))
    return Alternatives(graph, inner)


def constrained_forest(
    u,
    v=None,
    w=None,
    n=None,
    *,
    include=(),
    exclude=(),
    links=(),
    trees=None,
    most_trees=None,
    maximum=False,
    threads=None,
):
    """The best forest that contains some edges, avoids others, or has a certain number of trees.

    Parameters
    ----------
    u, v, w, n
        As for :func:`minimum_spanning_forest`.
    include, exclude : arrays of integers, or of m booleans
        The ids of edges that the forest contains, and of edges that it does not contain.
    links : sequence of groups of vertices
        Vertices of a group are connected without edges: the forest is that of the graph in which
        each group is one vertex. Vertices are given by number or, if the graph has ``nodes``, by
        name.
    trees : int, optional
        The number of trees. The worst edges are left out. Linked vertices count as one, and
        isolated vertices are trees.
    most_trees : int, optional
        The most trees. An edge that is not needed is in the forest only if it improves the total.
    maximum : bool
        Whether the forest is a maximum spanning forest.
    threads : int, optional
        The number of threads; by default, all of the machine's.

    Returns
    -------
    Forest
        Its ``n_components`` counts linked vertices as they are, without the links.

    Raises
    ------
    ValueError, TypeError, KeyboardInterrupt
        As for :func:`minimum_spanning_forest`, and if the included edges close a cycle, an edge is
        both included and excluded, or no forest has the number of trees.

    Examples
    --------
    >>> import kostra
    >>> ring = [0, 1, 2, 3], [1, 2, 3, 0], [1, 2, 3, 4]
    >>> kostra.constrained_forest(*ring, include=[3], exclude=[0]).edge_ids
    array([1, 2, 3])
    >>> kostra.constrained_forest(*ring, links=[[0, 2]]).edge_ids
    array([0, 2])
    >>> kostra.constrained_forest(*ring, trees=2).edge_ids
    array([0, 1])
    """
    graph = _graph(u, v, w, n, threads)
    if trees is not None and most_trees is not None:
        raise TypeError("trees and most_trees exclude each other; pass one of them")
    named = _Named(graph)
    keywords = {
        "include": _edges("include", include, graph.m),
        "exclude": _edges("exclude", exclude, graph.m),
        "links": [
            _names.vertices(f"links[{place}]", group, named, None)[0].tolist()
            for place, group in enumerate(links)
        ],
        "trees": _arrays.whole("trees", trees, 0, _ids.MAX_VERTICES),
        "most_trees": _arrays.whole("most_trees", most_trees, 0, _ids.MAX_VERTICES),
        "maximum": _arrays.flag("maximum", maximum),
        "threads": _arrays.threads(threads),
    }
    inner, _ = _kostra.constrained_forest(graph._inner, keywords)
    return graph._forest_of(inner)


class _Named:
    """The vertices of a graph by name, as :mod:`kostra._names` takes them."""

    __slots__ = ("_map", "n", "nodes")

    def __init__(self, graph):
        self.n, self.nodes = graph.n, graph.nodes
        self._map = None

    def _names(self):
        if self._map is None:
            self._map = _names.Names(self.nodes)
        return self._map


def _graph(u, v, w, n, threads):
    if v is not None:
        return Graph(u, v, w, n, copy=False, threads=threads)
    if w is not None or n is not None:
        raise TypeError("w and n need the ends of the edges as u and v; pass v")
    return _matrix.graph_of(u, Graph, "error", threads)


def _edges(name, values, m):
    """Ids of edges as an array of uint32."""
    values = np.asarray(values)
    if values.dtype == np.bool_:
        if values.shape != (m,):
            raise ValueError(f"{name} must have {m} booleans, one for each edge")
        return np.flatnonzero(values).astype(np.uint32)
    if values.size == 0:
        return np.empty(0, np.uint32)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise TypeError(f"{name} must be an array of the ids of edges, or of booleans")
    outside = (values < 0) | (values >= m)
    if outside.any():
        place = int(outside.argmax())
        raise ValueError(
            f"{name}[{place}] is {operator.index(values[place])}, but the graph has {m} edges, "
            "numbered from 0"
        )
    return values.astype(np.uint32)
