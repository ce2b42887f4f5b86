"""Clusters and bottlenecks of a forest."""

import math
import numbers

import numpy as np

from kostra import _arrays, _names
from kostra._forest import Forest, _signed, in_memory


def single_linkage(forest, *, join=None):
    """The hierarchy of single-linkage clusters as a SciPy linkage matrix.

    Each of the ``n - 1`` rows holds the two clusters that are merged, the lower first, their distance, and the number
    of vertices in both. Vertex ``i`` is cluster ``i``, and row ``i`` makes cluster ``n + i``. Among equal distances the
    edge that comes first in the input comes first. The functions of ``scipy.cluster.hierarchy`` for linkage matrices,
    such as ``dendrogram`` and ``fcluster``, accept the result.

    Parameters
    ----------
    forest : Forest
        A minimum spanning forest whose weights are distances.
    join : float, optional
        The distance at which the components are joined, such as ``math.inf``: one after the other, in the order of
        their lowest vertices. It must not be below the largest distance in the forest. Without it, more than one
        component is a ValueError.

    Takes O(n log n).

    >>> import kostra
    >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [3.0, 1.0, 2.0])
    >>> kostra.single_linkage(forest)
    array([[1., 2., 1., 2.],
           [0., 3., 2., 3.]])
    """
    forest = _checked(forest)
    if forest.maximum:
        raise ValueError("forest is a maximum spanning forest; single linkage wants distances, so a minimum one")
    if forest.n_components > 1 and join is None:
        raise ValueError(
            f"forest has {forest.n_components} components, and a linkage matrix has one; "
            "pass join=<distance> to join them there, such as math.inf"
        )
    hierarchy = forest._inner.hierarchy()
    low, high, size = hierarchy.merges()
    heights = forest.weights[hierarchy.edges()]
    linkage = np.column_stack([low, high, heights, size]).astype(np.float64, copy=False)
    if forest.n_components > 1:
        linkage = np.vstack([linkage, _joins(forest, linkage, join)])
    return linkage


def _joins(forest, linkage, join):
    """The rows that join what no edge joins."""
    if len(linkage) and not join >= linkage[-1, 2]:
        raise ValueError(f"join must not be below the largest distance in the forest, {linkage[-1, 2]}, but is {join}")
    # A component's cluster is the last that has one of its vertices; for an isolated vertex, the vertex itself.
    labels = forest.labels()
    clusters = np.empty(forest.n_components, np.int64)
    clusters[labels[::-1]] = np.arange(forest.n)[::-1]
    edges = forest._inner.hierarchy().edges()
    clusters[labels[forest.u[edges]]] = forest.n + np.arange(len(edges))
    sizes = np.cumsum(np.bincount(labels, minlength=forest.n_components))[1:]
    made = forest.n + len(linkage) + np.arange(len(clusters) - 1)
    left = np.concatenate([clusters[:1], made[:-1]])
    pairs = np.sort(np.column_stack([left, clusters[1:]]), axis=1)
    return np.column_stack([pairs, np.full(len(pairs), join, np.float64), sizes])


def cut(forest, *, k=None, height=None):
    """Flat clusters: which one each vertex is in, numbered from 0 in the order of the clusters' lowest vertices.

    Parameters
    ----------
    forest : Forest
    k : int, optional
        How many clusters, from ``forest.n_components`` to ``forest.n``. The last edges, by weight and then by id, are
        cut until there are exactly ``k`` clusters, also where weights are equal.
    height : number, optional
        Cuts the edges that weigh more than this; of a maximum spanning forest, those that weigh less. The comparison
        is exact, whatever the types: ``numpy.float32(0.1)`` weighs more than ``0.1``.

    One of ``k`` and ``height`` must be given. Takes O(n log n) at the first call on a forest, then about O(n).

    >>> import kostra
    >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 3], [3.0, 1.0, 2.0])
    >>> kostra.cut(forest, k=2)
    array([0, 1, 1, 1], dtype=int32)
    >>> kostra.cut(forest, height=1.5)
    array([0, 1, 1, 2], dtype=int32)
    """
    forest = _checked(forest)
    if (k is None) == (height is None):
        raise TypeError("cut takes either k or height")
    hierarchy = forest._inner.hierarchy()
    if k is not None:
        k = _arrays.whole("k", k, min(forest.n_components, forest.n), forest.n)
        merges = forest.n - k
    else:
        height = np.asarray(height).item() if np.ndim(height) == 0 else height
        if not isinstance(height, numbers.Number):
            raise TypeError(f"height must be a number, not {height!r}")
        if height != height:
            raise ValueError("height is NaN")
        merges = int(np.count_nonzero(_within(forest.weights[hierarchy.edges()], height, forest.maximum)))
    return _signed(hierarchy.clusters(merges))


def _within(weights, height, maximum):
    """Which weights are at most a height, or at least, compared exactly."""
    if weights.dtype.kind != "f":
        return _integers_within(weights, height, maximum)
    if not isinstance(height, (float, np.floating)):  # an integer, say, that no float need be
        height = _float_towards(height, up=maximum)
    bound = np.array([height], np.result_type(weights.dtype, np.float64))
    return weights >= bound if maximum else weights <= bound


def _integers_within(weights, height, maximum):
    if isinstance(height, (float, np.floating)) and math.isinf(height):
        return np.full(len(weights), (height < 0) == maximum)
    # An integer is at most a number where it is at most the largest integer that is.
    height = math.ceil(height) if maximum else math.floor(height)
    lowest, highest = (0, 1) if weights.dtype == np.bool_ else (np.iinfo(weights.dtype).min, np.iinfo(weights.dtype).max)
    if not lowest <= height <= highest:
        return np.full(len(weights), (height < lowest) == maximum)
    bound = np.array([height], weights.dtype)
    return weights >= bound if maximum else weights <= bound


def _float_towards(number, *, up):
    """The float next to a number that is not above it, or with ``up`` not below it."""
    try:
        nearest = float(number)
    except OverflowError:
        nearest = math.inf if number > 0 else -math.inf
    if nearest < number and up:
        return math.nextafter(nearest, math.inf)
    if nearest > number and not up:
        return math.nextafter(nearest, -math.inf)
    return nearest


def bottleneck(forest, s, t, *, threads=None, names=None):
    """The smallest weight such that edges of at most this weight connect ``s`` and ``t``: the minimax path weight.

    It is the largest weight on the forest's path between them; of a maximum spanning forest, the smallest on it,
    which is the widest path. Where there is no path it is infinite (negative for a maximum spanning forest), and
    where ``s`` is ``t`` it is the other infinity.

    Parameters
    ----------
    forest : Forest
    s, t : vertices, or arrays of vertices
        Arrays are answered element by element. One vertex and an array are allowed: the vertex is paired with each
        element. A vertex is given by its number, or by its name where ``forest.nodes`` holds names.
    threads : int, optional
        How many threads to use; by default, all that the machine has.
    names : bool, optional
        Whether ``s`` and ``t`` are names. By default, where ``forest.nodes`` is not None, integers are numbers and
        everything else is a name. If some vertex has a numeric name that differs from its number, as is usual after
        ``relabel=True``, an integer is a ValueError unless this is given.

    Returns
    -------
    float or array of float64
        Integers beyond 2**53 are rounded.

    Takes O(n log n) at the first call on a forest, then O(log n) a pair.

    >>> import kostra
    >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [3.0, 1.0, 2.0], n=4)
    >>> kostra.bottleneck(forest, 0, 1)
    2.0
    >>> kostra.bottleneck(forest, 0, [0, 2, 3])
    array([-inf,   2.,  inf])
    """
    forest = _checked(forest)
    (s, one_s), (t, one_t) = (
        _names.vertices(argument, values, forest, names) for argument, values in (("s", s), ("t", t))
    )
    if len(s) != len(t) and 1 not in (len(s), len(t)):
        raise ValueError(f"s and t must be equally long, or one of them one vertex, but have {len(s)} and {len(t)}")
    s, t = (np.ascontiguousarray(values) for values in np.broadcast_arrays(s, t))
    edges = forest._inner.hierarchy().bottlenecks(s, t, _arrays.threads(threads))
    apart, same = (-np.inf, np.inf) if forest.maximum else (np.inf, -np.inf)
    found = np.select([edges == -1, edges == -2], [same, apart])
    inside = edges >= 0
    found[inside] = forest.weights[edges[inside]]
    return float(found[0]) if one_s and one_t else found


def _checked(forest):
    forest = in_memory(forest)
    if not isinstance(forest, Forest):
        raise TypeError(f"forest must be a kostra.Forest, not {type(forest).__name__}")
    return forest
