"""Spanning trees of points, and of distances in the forms that other libraries use."""

import numpy as np

from kostra import _arrays, _device, _kostra
from kostra._arrays import Columns
from kostra._forest import Forest, in_memory
from kostra._graph import Graph

#: The names of metrics, with those of scikit-learn and SciPy that mean the same.
METRICS = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "l1": "manhattan",
    "chebyshev": "chebyshev",
    "haversine": "haversine",
    "cosine": "cosine",
}


class PointTree(Forest):
    """The spanning tree of points, as :func:`euclidean_mst` returns it.

    It is a :class:`Forest` whose edges are in ascending order of (distance, lower index, higher
    index). ``weights`` are the distances, and ``edge_ids`` are the positions in this order.

    >>> import kostra
    >>> tree = kostra.euclidean_mst([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    >>> tree.edges
    array([[0, 2],
           [1, 2]], dtype=int32)
    >>> tree.distances.round(3)
    array([1.   , 4.243])
    """

    __slots__ = ()

    @classmethod
    def _of(cls, inner):
        return cls(inner, (np.dtype(np.int32),) * 2, np.dtype(np.float64))

    @property
    def edges(self):
        """The two points of each edge, the lower index first: an array of n - 1 by 2."""
        return np.column_stack([self.u, self.v])

    @property
    def distances(self):
        """The distance between the two points of each edge: an array of n - 1 float64."""
        return self.weights


def euclidean_mst(X, *, metric="euclidean", min_samples=None, threads=None):
    """The minimum spanning tree of points.

    The tree is exact and unique: pairs of points are ordered by distance, then by the lower and the
    higher index. It does not depend on the number of threads. Points may coincide.

    Parameters
    ----------
    X : array of n by d
        The points, one per row. ``float32`` and ``float64`` are used as they are; other types are
        converted to ``float64``. Arrays on a CUDA device, such as those of CuPy, PyTorch, JAX and
        Numba, must have one of these two types.
    metric : {"euclidean", "manhattan", "chebyshev", "haversine", "cosine"}
        How distances are measured. For ``"haversine"``, the columns of ``X`` are latitude and
        longitude in degrees, and distances are in meters. This differs from scikit-learn, which
        uses radians. For arrays on a device, ``"euclidean"`` and ``"cosine"`` are supported.
    min_samples : int, optional
        If it is at least 2, the distance of two points is their mutual reachability distance: the
        largest of their distance and their core distances. The core distance of a point is the
        distance to its ``min_samples``-th nearest point, where the point itself is the first, as in
        scikit-learn. At most 129 for arrays on a device.
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

        return _device_forest.euclidean_mst(X, _metric(metric), min_samples, threads)
    coordinates, metric = points("X", X), _metric(metric)
    n, dimensions = coordinates.shape
    min_samples = samples(min_samples, n)
    flat = _flat(coordinates, metric)
    inner = _kostra.tree_of_points(flat, dimensions, metric, min_samples, _arrays.threads(threads))
    return PointTree._of(inner)


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
    coordinates, metric = points("X", X), _metric(metric)
    n, dimensions = coordinates.shape
    if n < 2:
        raise ValueError("X has one point, which has no neighbors; pass at least two")
    if n_neighbors is None:
        raise TypeError("n_neighbors must be an integer, not None")
    neighbors = _arrays.whole("n_neighbors", n_neighbors, 1, n - 1)
    flat = _flat(coordinates, metric)
    threads = _arrays.threads(threads)
    return PointTree._of(_kostra.tree_of_neighbors(flat, dimensions, metric, neighbors, threads))


def _flat(coordinates, metric):
    """The coordinates row by row. Warns if they may be in radians, the unit of scikit-learn."""
    if metric == "haversine" and len(coordinates) > 1 and np.abs(coordinates).max() <= np.pi:
        _arrays.warn(
            "all latitudes and longitudes are at most pi; "
            "metric='haversine' needs degrees, so convert radians with numpy.degrees"
        )
    return np.ascontiguousarray(coordinates).reshape(-1)


def points(name, values):
    """An argument that is an array of points, as float32 or float64."""
    _device.refuse_if_on_device(name, values)
    array = _arrays.exact(name, values)
    if array.ndim != 2:
        raise ValueError(
            f"{name} must have two dimensions, one row per point, but has {array.ndim}; "
            f"pass numpy.reshape({name}, (-1, 1)) for points of one coordinate"
        )
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values; remove these points")
    if array.dtype.kind not in "iufb" or array.dtype.itemsize > 8:
        raise TypeError(
            f"{name} must be an array of integers or floats of up to 64 bits, not of {array.dtype}"
        )
    if 0 in array.shape:
        what = "points" if array.shape[0] == 0 else "columns"
        raise ValueError(f"{name} has the shape {array.shape} and so no {what}; pass at least one")
    is_single = array.dtype.kind == "f" and array.dtype.itemsize <= 4
    return np.asarray(array, np.float32 if is_single else np.float64)


def samples(value, n):
    """The argument ``min_samples`` for ``n`` points."""
    value = _arrays.whole("min_samples", value, 1, 2**63)
    if value is not None and value > n:
        raise ValueError(
            f"min_samples is {value}, but there are {_arrays.counted(n, 'point', 'points')}; "
            f"pass at most {n}"
        )
    return 1 if value is None else value


def _metric(metric):
    try:
        return METRICS[metric]
    except (KeyError, TypeError):
        raise ValueError(
            f"metric must be one of {', '.join(map(repr, METRICS))}, not {metric!r}; "
            "compute other distances yourself and pass them with metric='precomputed' to "
            "kostra.single_linkage or an estimator of kostra.cluster"
        ) from None


def tree(X, *, metric="euclidean", min_samples=None, threads=None):
    """The forest of points, or with ``metric="precomputed"`` of distances in one of these forms:
    a Forest, a square matrix, a condensed vector, a sparse matrix, or a pair of k-NN arrays.
    """
    X = in_memory(X)
    if isinstance(X, Forest):
        if X.maximum:
            raise ValueError("forest is a maximum spanning forest; pass a minimum spanning forest")
        if min_samples is not None:
            raise ValueError("a forest already has its distances; leave min_samples out")
        return X
    if metric != "precomputed":
        return in_memory(
            euclidean_mst(X, metric=metric, min_samples=min_samples, threads=threads)
        )
    if isinstance(X, Graph):
        raise TypeError("X must not be a Graph; pass X.minimum_spanning_forest()")
    if hasattr(X, "tocoo"):
        return _sparse_tree(X, min_samples, threads)
    if isinstance(X, (tuple, list)) and len(X) == 2 and np.ndim(X[0]) == 2:
        return _neighbor_tree(*X, min_samples, threads)
    return _dense_tree(X, min_samples)


def _dense_tree(X, min_samples):
    """The tree of a square matrix or a condensed vector of distances."""
    _device.refuse_if_on_device("X", X)
    distances = np.ascontiguousarray(_arrays.exact("X", X), np.float64)
    if distances.ndim == 1:
        n = int(round((1 + np.sqrt(1 + 8 * len(distances))) / 2))
        if n * (n - 1) // 2 != len(distances):
            raise ValueError(
                f"X has {len(distances)} distances, but n points have n * (n - 1) / 2 pairs; "
                "pass a condensed vector such as scipy.spatial.distance.pdist returns"
            )
    elif distances.ndim != 2 or distances.shape[0] != distances.shape[1] or not distances.size:
        raise ValueError(
            f"X must be a square matrix of distances, but its shape is {distances.shape}"
        )
    else:
        n = len(distances)
        if np.isnan(distances).any():
            row, column = np.argwhere(np.isnan(distances))[0]
            raise ValueError(f"X[{row}, {column}] is NaN; fix it")
        if not np.allclose(distances, distances.T):
            raise ValueError("X must be symmetric; pass distances that do not depend on the order")
    min_samples = samples(min_samples, n)
    cores = None
    if min_samples > 1 and distances.ndim == 2:
        cores = np.partition(distances, min_samples - 1, axis=1)[:, min_samples - 1].copy()
    elif min_samples > 1:
        cores = _condensed_cores(distances, n, min_samples)
    inner = _kostra.tree_of_distances(distances.reshape(-1), distances.ndim == 2, cores)
    return PointTree._of(inner)


def _condensed_cores(distances, n, min_samples):
    """The core distances of a condensed vector, with one row in memory at a time."""
    cores = np.empty(n)
    row = np.zeros(n)
    starts = np.concatenate([[0], np.cumsum(np.arange(n - 1, 0, -1))])
    for point in range(n):
        above = np.arange(point)
        row[:point] = distances[starts[above] + point - above - 1]
        row[point] = 0
        row[point + 1 :] = distances[starts[point] : starts[point] + n - point - 1]
        cores[point] = np.partition(row, min_samples - 1)[min_samples - 1]
    return cores


def _sparse_tree(X, min_samples, threads):
    """The forest of the stored entries of a sparse matrix."""
    if len(X.shape) != 2 or X.shape[0] != X.shape[1]:
        raise ValueError(f"X must be a square matrix of distances, but its shape is {X.shape}")
    n = X.shape[0]
    X = X.tocoo(copy=False)
    rows, columns = X.coords if hasattr(X, "coords") else (X.row, X.col)
    distances = np.asarray(X.data)
    min_samples = samples(min_samples, n)
    if min_samples > 1:
        distances = distances.astype(np.float64, copy=False)
        counts = np.bincount(rows, minlength=n)
        _refuse_few_neighbors(counts, min_samples, "stored entries")
        order = np.lexsort((distances, rows))
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        cores = distances[order[starts + min_samples - 1]]
        distances = np.maximum(distances, np.maximum(cores[rows], cores[columns]))
    return _forest(rows, columns, distances, n, ("X.row", "X.col", "X.data"), threads)


def _neighbor_tree(indices, distances, min_samples, threads):
    """The forest of the arrays that scikit-learn's ``kneighbors`` returns, in either order."""
    indices, distances = (np.asarray(array) for array in (indices, distances))
    if indices.dtype.kind == "f" and distances.dtype.kind in "iu":
        indices, distances = distances, indices  # the order of scikit-learn
    if indices.shape != distances.shape or indices.ndim != 2 or indices.dtype.kind not in "iu":
        raise ValueError(
            "the two arrays of nearest neighbors must be integers and distances of one shape, "
            f"n by k, but are {indices.dtype} of the shape {indices.shape} and "
            f"{distances.dtype} of the shape {distances.shape}"
        )
    n, k = indices.shape
    rows = np.repeat(np.arange(n), k)
    reach = np.asarray(distances, np.float64)
    min_samples = samples(min_samples, n)
    if min_samples > 1:
        # The point itself is the first neighbor, whether its row contains it or not.
        has_itself = (indices == np.arange(n)[:, None]).any(axis=1)
        _refuse_few_neighbors(k + 1 - has_itself, min_samples, "neighbors, itself included")
        nearest = np.sort(reach, axis=1)
        cores = nearest[np.arange(n), min_samples - 1 - ~has_itself]
        if indices.size and not 0 <= indices.min() <= indices.max() < n:
            raise ValueError(f"indices must be from 0 to {n - 1}")
        reach = np.maximum(reach, np.maximum(cores[:, None], cores[indices]))
    names = ("rows", "indices", "distances")
    return _forest(rows, indices.reshape(-1), reach.reshape(-1), n, names, threads)


def _refuse_few_neighbors(counts, min_samples, what):
    if len(counts) and counts.min() < min_samples:
        point = int(counts.argmin())
        raise ValueError(
            f"min_samples is {min_samples}, but point {point} has {counts[point]} {what}; "
            "pass a smaller min_samples, or more neighbors"
        )


def _forest(rows, columns, distances, n, names, threads):
    columns = Columns(rows, columns, distances, n, names=names)
    graph = Graph._of(columns, "error", threads, copy=False)
    return graph.minimum_spanning_forest(threads=threads, device="cpu")
