"""Clusters and bottlenecks of a forest."""

import math
import numbers

import numpy as np

from kostra import _arrays, _kostra, _names, _points
from kostra._forest import Forest, _signed, in_memory


def single_linkage(
    X,
    *,
    join=None,
    metric="euclidean",
    min_samples=None,
    approximate=False,
    seed=0,
    threads=None,
):
    """The single-linkage clustering of points or of a forest, as a SciPy linkage matrix.

    Each row contains two merged clusters, the lower number first, their distance, and the number of
    vertices in both. Vertex ``i`` is cluster ``i``, and row ``i`` creates cluster ``n + i``. Equal
    distances are ordered by edge id. The functions of ``scipy.cluster.hierarchy`` for linkage
    matrices, such as ``dendrogram`` and ``fcluster``, accept the result.

    Parameters
    ----------
    X : Forest, or array
        A minimum spanning forest whose weights are distances. Or points, an array of n by d, also
        on a CUDA device, which then finds the tree. Or distances: a condensed vector, as in SciPy's
        ``linkage``, or with ``metric="precomputed"`` one of the forms of :mod:`kostra.cluster`.
    join : float, optional
        The distance for merging the components, such as ``math.inf``. Components are merged in the
        order of their lowest vertices. ``join`` must not be below the largest distance in the
        forest. Without it, several components raise a ValueError.
    metric, min_samples, approximate, seed, threads : optional
        For points, as in :func:`kostra.euclidean_mst`, whose tree says how large the error of
        ``approximate`` is. Pass that tree as ``X``.

    Returns
    -------
    array of float64, n - 1 by 4
        The linkage matrix.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong, ``X`` is a maximum spanning forest, or the forest has several
        components and ``join`` is missing.

    Notes
    -----
    Takes O(n log n) time.

    Examples
    --------
    >>> import kostra
    >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [3.0, 1.0, 2.0])
    >>> kostra.single_linkage(forest)
    array([[1., 2., 1., 2.],
           [0., 3., 2., 3.]])
    >>> kostra.single_linkage([[0.0], [1.0], [3.0]])  # points
    array([[0., 1., 1., 2.],
           [2., 3., 2., 3.]])
    """
    X = in_memory(X)
    _arrays.threads(threads)  # a forest needs none, but a wrong argument is an error
    if isinstance(X, Forest):
        _refuse_metric(metric, "a forest already has its distances")
    elif not hasattr(X, "tocoo") and np.ndim(X) == 1:
        # Points have two dimensions, and condensed distances have one.
        _refuse_metric(metric, "a vector contains distances")
        metric = "precomputed"
    options = {"min_samples": min_samples, "approximate": approximate, "seed": seed}
    forest = _points.tree(X, metric=metric, **options, threads=threads)
    if forest.n_components > 1 and join is None:
        raise ValueError(
            f"the forest of X has {forest.n_components} components, but a linkage matrix needs "
            "one; pass join=<distance> to merge them at a distance, such as math.inf"
        )
    hierarchy = forest._inner.hierarchy()
    low, high, size = hierarchy.merges()
    heights = forest.weights[hierarchy.edges()]
    linkage = np.column_stack([low, high, heights, size]).astype(np.float64, copy=False)
    if forest.n_components > 1:
        linkage = np.vstack([linkage, _joins(forest, linkage, join)])
    return linkage


def _refuse_metric(metric, reason):
    """Refuses a metric that would have no effect."""
    if metric not in ("euclidean", "precomputed"):
        raise ValueError(f"{reason}, so metric={metric!r} has no effect; leave metric out")


def _joins(forest, linkage, join):
    """The rows that merge the components at the distance ``join``."""
    if not isinstance(join, numbers.Real):
        raise TypeError(f"join must be a number, not {_arrays.shown(join)}")
    if join != join:
        raise ValueError("join is NaN")
    if len(linkage) and join < linkage[-1, 2]:
        raise ValueError(
            f"join must not be below the largest distance in the forest, {linkage[-1, 2]}, "
            f"but is {join}"
        )
    # The cluster of a component is the last one with its vertices. For an isolated vertex, it is
    # the vertex.
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


def newick(linkage, names=None):
    """A linkage matrix as a dendrogram in Newick, the format of phylogenetics.

    A leaf is at height 0 and a merge at half its distance, as in ``as.phylo`` of R's package ape.
    So the path between two leaves is as long as the distance at which they merge.

    Parameters
    ----------
    linkage : array of n - 1 by 4
        A matrix of :func:`single_linkage`, of :class:`kostra.cluster.SingleLinkage`, or of SciPy.
    names : sequence, optional
        The names of the n leaves, such as ``forest.nodes`` or the index of a DataFrame. By default,
        their numbers. A name with blanks, underscores or punctuation is written in quotes.

    Returns
    -------
    str
        One line, which ends in a semicolon and a line break.

    Raises
    ------
    ValueError, TypeError
        If ``linkage`` is no linkage matrix, a distance is not finite, or ``names`` does not have
        one name per leaf.

    Examples
    --------
    >>> import kostra
    >>> linkage = kostra.single_linkage([[0.0], [1.0], [3.0]])
    >>> print(kostra.newick(linkage, ["A", "B", "C 1"]), end="")
    ('C 1':1,(A:0.5,B:0.5):0.5);
    """
    linkage = np.asarray(linkage)
    if linkage.ndim != 2 or linkage.shape[1] != 4 or linkage.dtype.kind not in "fiu":
        raise ValueError("linkage must be a linkage matrix, an array of n - 1 by 4 numbers")
    clusters, made = linkage[:, :2], len(linkage) + 1 + np.arange(len(linkage))
    is_cluster = (clusters >= 0) & (clusters < made[:, np.newaxis]) & (clusters % 1 == 0)
    if not is_cluster.all() or len(np.unique(clusters)) < clusters.size:
        raise ValueError("linkage must merge each cluster once, after it is made")
    if names is not None:
        names = _arrays.texts("names", names)
        _arrays.check_unicode("names", names)
        if len(names) != len(linkage) + 1:
            raise ValueError(f"names has {len(names)} names, and linkage has {len(linkage) + 1} leaves")
    merges, distances = clusters.astype(np.uint64).tolist(), linkage[:, 2].tolist()
    return _kostra.newick(merges, [float(distance) for distance in distances], names)


def cut(forest, *, k=None, height=None):
    """The flat clusters of a forest: the cluster of each vertex.

    Clusters are numbered from 0 in the order of their lowest vertices. Exactly one of ``k`` and
    ``height`` must be given.

    Parameters
    ----------
    forest : Forest or DeviceForest
    k : int, optional
        The number of clusters, from ``forest.n_components`` to ``forest.n``. The last edges,
        ordered by weight and then by id, are removed until exactly ``k`` clusters remain, even if
        weights are equal.
    height : number, optional
        Edges of greater weight are removed; for a maximum spanning forest, edges of lower weight.
        The comparison is exact for all types: ``numpy.float32(0.1)`` is greater than ``0.1``.
        Edges of exactly this weight join, as in ``scipy.cluster.hierarchy.fcluster``. They do not
        with ``distance_threshold`` of :class:`kostra.cluster.SingleLinkage`, as in scikit-learn.

    Returns
    -------
    array of int32
        The cluster of each vertex, of length n. The type is int64 for 2**31 vertices or more.

    Raises
    ------
    ValueError, TypeError
        If ``k`` or ``height`` is wrong, or both or neither are given.

    Notes
    -----
    The first call for a forest takes O(n log n) time. Further calls take about O(n) time.

    Examples
    --------
    >>> import kostra
    >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 3], [3.0, 1.0, 2.0])
    >>> kostra.cut(forest, k=2)
    array([0, 1, 1, 1], dtype=int32)
    >>> kostra.cut(forest, height=1.5)
    array([0, 1, 1, 2], dtype=int32)
    """
    forest = _checked(forest)
    if (k is None) == (height is None):
        raise TypeError("pass either k or height")
    hierarchy = forest._inner.hierarchy()
    if k is not None:
        k = _arrays.whole("k", k, min(forest.n_components, forest.n), forest.n)
        merges = forest.n - k
    else:
        height = np.asarray(height).item() if np.ndim(height) == 0 else height
        if not isinstance(height, numbers.Number) or isinstance(height, complex):
            raise TypeError(f"height must be a number, not {_arrays.shown(height)}")
        if height != height:
            raise ValueError("height is NaN")
        merges = int(
            np.count_nonzero(_within(forest.weights[hierarchy.edges()], height, forest.maximum))
        )
    return _signed(hierarchy.clusters(merges))


def _within(weights, height, maximum):
    """Which weights are at most ``height``, or with ``maximum`` at least ``height``; compared
    exactly.
    """
    if weights.dtype.kind != "f":
        return _integers_within(weights, height, maximum)
    if not isinstance(height, (float, np.floating)):  # such as an integer that is not a float
        height = _float_towards(height, up=maximum)
    bound = np.array([height], np.result_type(weights.dtype, np.float64))
    return weights >= bound if maximum else weights <= bound


def _integers_within(weights, height, maximum):
    if isinstance(height, (float, np.floating)) and math.isinf(height):
        return np.full(len(weights), (height < 0) == maximum)
    # An integer is at most a number if it is at most the number's floor.
    height = math.ceil(height) if maximum else math.floor(height)
    lowest, highest = (
        (0, 1)
        if weights.dtype == np.bool_
        else (np.iinfo(weights.dtype).min, np.iinfo(weights.dtype).max)
    )
    if not lowest <= height <= highest:
        return np.full(len(weights), (height < lowest) == maximum)
    bound = np.array([height], weights.dtype)
    return weights >= bound if maximum else weights <= bound


def _float_towards(number, *, up):
    """The largest float not above ``number``, or with ``up`` the smallest float not below it."""
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
    """The smallest weight such that edges of at most this weight connect ``s`` and ``t``.

    This minimax path weight is the largest weight on the path from ``s`` to ``t`` in the forest.
    For a maximum spanning forest, the result is the smallest weight on the path, the width of the
    widest path. If there is no path, the result is infinity; if ``s`` equals ``t``, it is minus
    infinity. For a maximum spanning forest, the signs are reversed.

    Parameters
    ----------
    forest : Forest or DeviceForest
    s, t : vertices, or arrays of vertices
        Two arrays must have the same length and are paired by position. A single vertex is paired
        with every element of an array. A vertex is given by number, or by name if ``forest.nodes``
        contains names.
    threads : int, optional
        The number of threads; by default, all of the machine's.
    names : bool, optional
        Whether ``s`` and ``t`` are names. By default, if ``forest.nodes`` is not None, integers are
        numbers and all other values are names. If some vertex has a numeric name that differs from
        its number, as is usual after ``relabel=True``, an integer raises a ValueError unless
        ``names`` is given.

    Returns
    -------
    float or array of float64
        A float for two single vertices, otherwise an array. Integers above 2**53 are rounded.

    Raises
    ------
    ValueError, TypeError
        If a vertex does not exist, or could be a number or a name.

    Notes
    -----
    The first call for a forest takes O(n log n) time. Further calls take O(log n) time per pair.

    Examples
    --------
    >>> import kostra
    >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [3.0, 1.0, 2.0], n=4)
    >>> kostra.bottleneck(forest, 0, 1)
    2.0
    >>> kostra.bottleneck(forest, 0, [0, 2, 3])
    array([-inf,   2.,  inf])
    """
    forest = _checked(forest)
    s, t, is_one = _names.pairs(s, t, forest, names)
    edges = forest._inner.hierarchy().bottlenecks(s, t, _arrays.threads(threads))
    found = bottleneck_weights(edges, forest.maximum, lambda edges: forest.weights[edges])
    return float(found[0]) if is_one else found


def bottleneck_weights(edges, maximum, weights):
    """The bottlenecks of pairs of vertices, as floats. ``edges`` has the last edge on each path, -1
    for equal vertices and -2 for no path, and ``weights`` returns the weights of edges.
    """
    apart, same = (-np.inf, np.inf) if maximum else (np.inf, -np.inf)
    found = np.select([edges == -1, edges == -2], [same, apart])
    inside = edges >= 0
    found[inside] = weights(edges[inside])
    return found


def _checked(forest):
    forest = in_memory(forest)
    if not isinstance(forest, Forest):
        raise TypeError(f"forest must be a kostra.Forest, not {type(forest).__name__}")
    return forest
