"""Spanning trees and nearest neighbors of points."""

import numpy as np

from kostra import (
    _approximate,
    _arrays,
    _device,
    _distances,
    _kostra,
    _matrix,
    _metrics,
    _tables,
    _weights,
)
from kostra._distances import samples
from kostra._forest import Forest, in_memory
from kostra._graph import Graph

class PointTree(Forest):
    """The spanning tree of points, as :func:`euclidean_mst` returns it.

    It is a :class:`Forest` whose edges are in ascending order of (distance, lower index, higher
    index). ``weights`` are the distances, and ``edge_ids`` are the positions in this order. Points
    of two columns are the ``coordinates``, so that the tree can be drawn.

    Examples
    --------
    >>> import kostra
    >>> tree = kostra.euclidean_mst([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    >>> tree.edges
    array([[0, 2],
           [1, 2]], dtype=int32)
    >>> tree.distances.round(3)
    array([1.   , 4.243])
    """

    __slots__ = ("_error",)

    @property
    def error(self):
        """The :class:`ErrorBound` of a tree with ``approximate=True``; None for other trees."""
        return getattr(self, "_error", None)

    def __reduce__(self):
        return _with_error, (super().__reduce__(), self.error)

    @classmethod
    def _of(cls, inner, points=None, metric=None):
        tree = cls(inner, (np.dtype(np.int32),) * 2, np.dtype(np.float64))
        if points is not None and points.shape[1] == 2:
            # A copy, because the points may change. Latitudes come first, but x comes first.
            tree.geographic = isinstance(metric, str) and metric == "haversine"
            tree.coordinates = np.array(points[:, ::-1] if tree.geographic else points, np.float64)
        return tree

    @property
    def edges(self):
        """The two points of each edge, the lower index first: an array of n - 1 by 2."""
        return np.column_stack([self.u, self.v])

    @property
    def distances(self):
        """The distance between the two points of each edge: an array of n - 1 float64."""
        return self.weights


def _with_error(reduced, error):
    """Restores a tree from the arguments of ``PointTree.__reduce__``."""
    restore, arguments = reduced
    tree = restore(*arguments)
    tree._error = error
    return tree


def euclidean_mst(
    X,
    *,
    metric="euclidean",
    metric_params=None,
    min_samples=None,
    approximate=False,
    seed=0,
    threads=None,
):
    """The minimum spanning tree of points.

    The tree is exact and unique: pairs of points are ordered by distance, then by the lower and the
    higher index. It does not depend on the number of threads. Points may coincide.

    Parameters
    ----------
    X : array of n by d
        The points, one per row. ``float32`` and ``float64`` are used as they are; other types are
        converted to ``float64``. Arrays on a CUDA device, such as those of CuPy, PyTorch, JAX and
        Numba, must have one of these two types. Also a column of vectors of one length, such as
        embeddings, of pandas, polars or PyArrow, and points of GeoPandas, whose other columns have
        no effect. Points in a geographic system need ``metric="haversine"``.
    metric : str or callable
        How distances are measured: ``"euclidean"``, ``"manhattan"``, ``"chebyshev"``,
        ``"haversine"``, ``"cosine"`` or ``"arccos"``, the angle divided by pi. For ``"haversine"``,
        the columns of ``X`` are latitude and longitude in degrees, and distances are in meters.
        scikit-learn uses radians on the unit sphere, as ``"haversine_radians"`` does. For arrays on
        a device, ``"euclidean"`` and ``"cosine"`` are supported.

        ``"minkowski"`` is one of these for p = 1, 2 and infinity. ``"seuclidean"`` and
        ``"mahalanobis"`` are Euclidean distances of mapped points.

        Further metrics compare all pairs, in O(n^2) time and O(n) memory. Metrics of zeros and ones
        count bits, with SciPy's definitions: ``"jaccard"``, ``"dice"``, ``"hamming"`` or
        ``"matching"``, ``"rogerstanimoto"`` or ``"sokalmichener"``, ``"russellrao"``,
        ``"sokalsneath"`` and ``"yule"``. The others run on one thread: ``"minkowski"`` with other
        p, the other metrics of ``scipy.spatial.distance.cdist``, such as ``"canberra"``, and
        callables. With ``"precomputed"``, ``X`` contains the distances, in the forms that
        :func:`single_linkage` takes. A callable gets two points as arrays of float64, and returns
        their distance, a number of at least 0 that does not depend on their order.
    metric_params : dict, optional
        Parameters of the metric: ``p`` of Minkowski's, the variances ``V`` of ``"seuclidean"``, the
        inverse ``VI`` of the covariance of ``"mahalanobis"``, by default those of ``X``, further
        ones of ``cdist`` such as ``w``, and those of a callable.
    min_samples : int, optional
        If it is at least 2, the distance of two points is their mutual reachability distance: the
        largest of their distance and their core distances. The core distance of a point is the
        distance to its ``min_samples``-th nearest point, where the point itself is the first, as in
        scikit-learn. At most 129 for arrays on a device.
    approximate : bool
        Whether the tree may be longer than the minimum: it is found from near neighbors, in about
        O(n d) time. Its ``error`` is an :class:`ErrorBound`. For points in host memory, and metrics
        of their coordinates. The tree is exact for up to 16 dimensions, less than 4096 points, or a
        ``min_samples`` above 128.
    seed : int
        The seed of an approximate tree, which does not depend on the number of threads.
    threads : int, optional
        The number of threads; by default, all of the machine's.

    Returns
    -------
    PointTree
        For an array on a CUDA device, a :class:`DevicePointTree`. The tree is the same.

    Raises
    ------
    ValueError, TypeError
        If ``X`` contains no points, no columns, NaN or infinite values, or if ``min_samples`` is
        not from 1 to n.
    DeviceError
        If the device of ``X`` cannot be used.
    KeyboardInterrupt
        If Ctrl-C is pressed during the call.

    Notes
    -----
    Takes O(n log n) time for points that are spread evenly in few dimensions, and up to O(n^2) in
    many. More than 16 dimensions always take O(n^2 d) time, unless ``approximate`` is True. Memory
    is O(n d).

    Examples
    --------
    >>> import kostra
    >>> cities = [[50.09, 14.42], [49.20, 16.61], [48.21, 16.37]]  # Prague, Brno, Vienna
    >>> tree = kostra.euclidean_mst(cities, metric="haversine")
    >>> tree.edges
    array([[1, 2],
           [0, 1]], dtype=int32)
    >>> (tree.distances / 1000).round()
    array([111., 186.])
    """
    if _device.place_of(X) is not None:
        from kostra import _device_forest

        _approximate.refuse(approximate, "X is on a device, whose trees are exact")
        if metric_params:
            raise ValueError("metric_params needs points in host memory")
        return _device_forest.euclidean_mst(X, _metrics.engine(metric), min_samples, threads)
    if isinstance(metric, str) and metric == "precomputed":
        _arrays.threads(threads)
        options = {"metric": metric, "metric_params": metric_params, "approximate": approximate}
        return tree(X, **options, min_samples=min_samples, threads=threads)
    seed = _approximate.seed_of(approximate, seed)
    options = {"metric": metric, "metric_params": metric_params, "threads": threads}
    return _tree_of_points(X, None, min_samples=min_samples, seed=seed, **options)[0]


def _tree_of_points(
    X, weights, alpha=1.0, *, metric, metric_params, min_samples, threads, seed=None
):
    """The tree of points that count as several, with distances divided by ``alpha``, and their core
    distances: None without weights. With a seed, an approximate tree of points that count as one
    each.
    """
    found = _metrics.resolve(metric, metric_params)
    coordinates = points("X", X, found)
    n, dimensions = coordinates.shape
    min_samples = samples(min_samples, _weights.total(weights, n))
    if callable(found):
        _approximate.refuse(seed is not None, f"metric={metric!r} compares all pairs")
        threads = _arrays.threads(threads)
        refuse_infinite(coordinates)
        inner, cores = found(coordinates).tree(min_samples, threads, weights=weights)
        return PointTree._of(inner, coordinates), cores
    by = _metrics.linear_map(metric, metric_params, coordinates, weights)
    basis = {
        "coordinates": _flat(_metrics.mapped(coordinates, by), found),
        "dimensions": dimensions,
        "metric": found,
        "min_samples": min_samples,
        "alpha": alpha,
        "weights": weights,
        "threads": _arrays.threads(threads),
    }
    if seed is not None:
        inner, error = _kostra.approximate_tree_of_points(basis, seed)
        tree = PointTree._of(inner, coordinates, found)
        tree._error = _approximate.ErrorBound(*error)
        return tree, None
    tree, cores = PointTree._of(_kostra.tree_of_points(basis), coordinates, found), None
    if weights is not None:
        # Rows that count as many points have the core distance 0.
        needs = ((weights > 1) & (weights < min_samples)).any()
        cores = _kostra.cores_of_points(basis) if needs else np.zeros(n)
    return tree, cores


def neighbors_mst(X, n_neighbors, *, metric="euclidean", threads=None):
    """The minimum spanning forest of the graph of nearest neighbors, joined to a tree.

    The graph joins two points if one of them is among the ``n_neighbors`` nearest points of the
    other, itself not included. Its minimum spanning forest is part of the tree. The other edges are
    the minimum spanning tree of the forest's components, where the distance of two components is
    that of their nearest points. They are exact, not limited to the neighbors.

    Pairs of points are ordered by distance, then by the lower and the higher index. So the tree is
    unique. It is the tree of :func:`euclidean_mst` if ``n_neighbors`` is large enough. Otherwise it
    may be longer, because the path between two points of a component stays inside of it.

    Parameters
    ----------
    X : array of n by d
        The points, as for :func:`euclidean_mst`.
    n_neighbors : int
        The number of nearest points of each point, from 1 to n - 1.
    metric : {"euclidean", "manhattan", "chebyshev", "haversine", "cosine"}
        How distances are measured, as for :func:`euclidean_mst`.
    threads : int, optional
        The number of threads; by default, all of the machine's.

    Returns
    -------
    PointTree

    Raises
    ------
    ValueError, TypeError
        If ``X`` contains less than two points, no columns, NaN or infinite values, or if
        ``n_neighbors`` is not from 1 to n - 1.
    KeyboardInterrupt
        If Ctrl-C is pressed during the call.

    Examples
    --------
    >>> import kostra
    >>> tree = kostra.neighbors_mst([[0.0], [1.0], [5.0], [7.0]], n_neighbors=1)
    >>> tree.edges
    array([[0, 1],
           [2, 3],
           [1, 2]], dtype=int32)
    """
    coordinates, arguments = _neighbor_search(X, n_neighbors, metric, threads)
    return PointTree._of(_kostra.tree_of_neighbors(*arguments), coordinates, arguments[2])


def nearest_neighbors(X, n_neighbors, *, metric="euclidean", threads=None):
    """The nearest other points of each point.

    They are exact. Points at equal distances are ordered by their indices, so the answer is unique.
    A point is not its own neighbor, as for ``kneighbors()`` of scikit-learn without an argument.

    Parameters
    ----------
    X : array of n by d
        The points, as for :func:`euclidean_mst`.
    n_neighbors : int
        The number of nearest points of each point, from 1 to n - 1.
    metric : {"euclidean", "manhattan", "chebyshev", "haversine", "cosine"}
        How distances are measured, as for :func:`euclidean_mst`.
    threads : int, optional
        The number of threads; by default, all of the machine's.

    Returns
    -------
    indices : array of int64, n by n_neighbors
        The neighbors of each point, in the order of (distance, index).
    distances : array of float64, n by n_neighbors
        Their distances. scikit-learn returns the two arrays in the other order. ``(indices,
        distances)`` can be passed with ``metric="precomputed"`` to the estimators of
        :mod:`kostra.cluster` and to :func:`single_linkage`.

    Raises
    ------
    ValueError, TypeError
        As for :func:`neighbors_mst`.
    KeyboardInterrupt
        If Ctrl-C is pressed during the call.

    Examples
    --------
    >>> import kostra
    >>> indices, distances = kostra.nearest_neighbors([[0.0], [1.0], [5.0], [7.0]], 2)
    >>> indices
    array([[1, 2],
           [0, 2],
           [3, 1],
           [2, 1]])
    >>> distances
    array([[1., 5.],
           [1., 4.],
           [2., 4.],
           [2., 6.]])
    """
    _, arguments = _neighbor_search(X, n_neighbors, metric, threads)
    found = _kostra.neighbors_of_points(*arguments)
    indices, distances = (array.reshape(-1, n_neighbors) for array in found)
    return indices.astype(np.int64), distances


def _neighbor_search(X, n_neighbors, metric, threads):
    """The points, and the engine's arguments of a search for nearest neighbors."""
    metric = _metrics.engine(metric)
    coordinates = points("X", X, metric)
    n, dimensions = coordinates.shape
    if n < 2:
        raise ValueError("X has one point, which has no neighbors; pass at least two")
    neighbors = _arrays.required("n_neighbors", n_neighbors, 1, n - 1)
    flat = _flat(coordinates, metric)
    return coordinates, (flat, dimensions, metric, neighbors, _arrays.threads(threads))


def _flat(coordinates, metric):
    """The coordinates row by row. Warns if they may be in radians, the unit of scikit-learn."""
    if metric == "haversine" and len(coordinates) > 1 and np.abs(coordinates).max() <= np.pi:
        _arrays.warn(
            "all latitudes and longitudes are at most pi; "
            "metric='haversine' needs degrees, so convert radians with numpy.degrees"
        )
    return np.ascontiguousarray(coordinates).reshape(-1)


def refuse_infinite(coordinates):
    """Refuses NaN and infinite coordinates, as the engine does."""
    wrong = ~np.isfinite(coordinates)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        value = coordinates[row, column]
        raise ValueError(
            f"row {row}, column {column} (counted from 0) is {'NaN' if np.isnan(value) else value}; "
            "remove the point or replace the coordinate"
        )


def points(name, values, metric):
    """An argument that is an array of points, as float32 or float64."""
    if isinstance(values, Forest):
        raise TypeError(f"{name} is a forest, not points; pass the points")
    _device.refuse_if_on_device(name, values)
    if hasattr(values, "tocoo"):
        raise TypeError(
            f"{name} is a sparse matrix; pass {name}.toarray() for points, or "
            "metric='precomputed' to kostra.single_linkage or an estimator for distances"
        )
    values = _tables.coordinates(name, values, metric)
    _metrics.refuse_wrong_columns(name, values, metric)
    array = _arrays.numbers(name, values)
    if array.ndim != 2:
        raise ValueError(
            f"{name} must have two dimensions, one row per point, but has {array.ndim}; "
            f"pass numpy.reshape({name}, (-1, 1)) for points of one coordinate"
        )
    if 0 in array.shape:
        what = "points" if array.shape[0] == 0 else "columns"
        raise ValueError(f"{name} has the shape {array.shape} and so no {what}; pass at least one")
    if _are_distances(array):
        _arrays.warn(
            f"{name} is symmetric with zeros on the diagonal; if it contains distances, pass "
            "metric='precomputed' to kostra.single_linkage or an estimator"
        )
    is_single = array.dtype.kind == "f" and array.dtype.itemsize <= 4
    return np.asarray(array, np.float32 if is_single else np.float64)


def _are_distances(array):
    """Whether an array of points looks like a matrix of their distances."""
    n = len(array)
    return (
        array.shape == (n, n)
        and n > 2
        and not array.diagonal().any()
        and array.any()
        and (array >= 0).all()
        and np.array_equal(array, array.T)
    )


def features_tree(X, weights, alpha, *, metric, metric_params, min_samples, threads):
    """The tree of the rows of a sparse matrix of features, and with weights the core distances."""
    n = X.shape[0]
    basis = {
        "starts": X.indptr.astype(np.uint64),
        "columns": X.indices.astype(np.uint32),
        "values": X.data.astype(np.float64),
        "metric": _metrics.resolve(metric, metric_params),
        "min_samples": samples(min_samples, _weights.total(weights, n)),
        "alpha": alpha,
        "weights": weights,
        "threads": _arrays.threads(threads),
    }
    inner, cores = _kostra.tree_of_features(basis)
    return PointTree._of(inner), cores


def counted_tree(X, weights, *, metric, metric_params, min_samples, threads):
    """The tree of rows of points or distances that count as several points, and their core
    distances.
    """
    options = {"metric": metric, "metric_params": metric_params}
    options |= {"min_samples": min_samples, "threads": threads}
    if not (isinstance(metric, str) and metric == "precomputed"):
        return _tree_of_points(X, weights, **options)
    if hasattr(X, "tocoo"):
        inner, cores = _distances.counted_sparse_tree(X, min_samples, weights, threads)
    else:
        inner, cores = _distances.dense_tree(X, min_samples, weights)
    return PointTree._of(inner), cores


def scaled_tree(X, alpha, weights, *, metric, metric_params, min_samples, threads):
    """The tree of mutual reachability distances whose distances of two points, but not core
    distances, are divided by ``alpha``, and the core distances. Compares all pairs of other metrics
    than the engine's.
    """
    options = {"metric": metric, "metric_params": metric_params}
    options |= {"min_samples": min_samples, "threads": threads}
    if hasattr(X, "tocoo") and metric != "precomputed":
        return features_tree(X, weights, alpha, **options)
    if isinstance(X, (Forest, tuple, list)) or hasattr(X, "tocoo") or np.ndim(X) != 2:
        raise ValueError(f"alpha={alpha} needs points in host memory or a square matrix")
    if isinstance(metric, str) and metric == "precomputed":
        X = np.asarray(X, np.float64)
        _distances.refuse_wrong("X", X)
        _distances.refuse_no_square(X)
        rows = _metrics.MatrixRows(X)
    else:
        found = _metrics.resolve(metric, metric_params)
        if _metrics.divides(found, alpha):
            return _tree_of_points(X, weights, alpha, **options)
        X = points("X", X, found)
        refuse_infinite(X)
        rows = _metrics.rows_of(X, metric, metric_params)
    min_samples = samples(min_samples, _weights.total(weights, len(X)))
    inner, cores = rows.tree(min_samples, _arrays.threads(threads), alpha, weights)
    return PointTree._of(inner, None if isinstance(rows, _metrics.MatrixRows) else X), cores


def tree(
    X,
    *,
    metric="euclidean",
    metric_params=None,
    min_samples=None,
    approximate=False,
    seed=0,
    threads=None,
):
    """The forest of points, or with ``metric="precomputed"`` of distances in one of these forms:
    a Forest, a square matrix, a condensed vector, a sparse matrix, or a pair of k-NN arrays.
    """
    X = in_memory(X)
    if isinstance(X, Forest):
        _approximate.refuse(approximate, "a forest already has its edges")
        if X.maximum:
            raise ValueError("X is a maximum spanning forest; pass a minimum spanning forest")
        if min_samples is not None:
            raise ValueError("a forest already has its distances; leave min_samples out")
        return X
    if isinstance(X, Graph):
        raise TypeError("X must not be a Graph; pass X.minimum_spanning_forest()")
    if not (isinstance(metric, str) and metric == "precomputed"):
        options = {"metric": metric, "metric_params": metric_params, "min_samples": min_samples}
        options |= {"approximate": approximate, "seed": seed, "threads": threads}
        return in_memory(euclidean_mst(X, **options))
    _approximate.refuse(approximate, "trees of distances are exact")
    if metric_params:
        raise ValueError("metric='precomputed' has no metric_params")
    if hasattr(X, "tocoo"):
        inner = _distances.sparse_tree(X, min_samples, threads)
    elif isinstance(X, (tuple, list)) and len(X) == 2 and np.ndim(X[0]) == 2:
        inner = _distances.neighbor_tree(*X, min_samples, threads)
    else:
        found = PointTree._of(_distances.dense_tree(X, min_samples)[0])
        if np.ndim(X) == 2:
            found.nodes = _matrix.labels(X)
        return found
    return PointTree._of(inner)
