"""Trees whose edges are chosen pairs of points: the parameter ``connectivity``."""

import numpy as np

from kostra import _arrays, _distances, _kostra, _metrics, _points, _weights
from kostra._forest import Forest


def refuse(X, metric, approximate, on_device):
    """Refuses what has no tree of chosen pairs."""
    if on_device:
        raise ValueError("connectivity needs points in host memory")
    if isinstance(X, Forest):
        raise ValueError("a forest already has its edges; leave connectivity out")
    is_sparse, is_pair = hasattr(X, "tocoo"), isinstance(X, (tuple, list)) and np.ndim(X[0]) == 2
    if isinstance(metric, str) and metric == "precomputed":
        if is_sparse or is_pair or np.ndim(X) != 2:
            raise ValueError(
                "connectivity needs points or a square matrix of distances; a sparse matrix and "
                "arrays of neighbors already say which points are connected, so leave connectivity "
                "out"
            )
    elif is_sparse:
        raise ValueError("connectivity needs dense points; pass X.toarray()")
    if approximate:
        raise ValueError("trees with connectivity are exact; leave approximate out")


def pairs(connectivity, X, among):
    """The two points of each connected pair. The points of ``X`` may be some of those of
    ``connectivity``; then ``among`` has their places there, and how many there are.
    """
    if callable(connectivity):
        connectivity, among = connectivity(X), None
    if not hasattr(connectivity, "tocoo"):
        connectivity = np.asarray(connectivity)
    rows, n = (None, np.shape(X)[0]) if among is None else among
    shape = connectivity.shape
    if shape != (n, n):
        raise ValueError(
            f"connectivity must be a matrix with a row and a column for each of the {n} points, "
            f"but its shape is {shape}"
        )
    if hasattr(connectivity, "tocoo"):
        _arrays.refuse_blocks("connectivity", connectivity)
        stored = connectivity.tocoo()
        ends = stored.coords if hasattr(stored, "coords") else (stored.row, stored.col)
    else:
        ends = np.nonzero(connectivity)
    if rows is not None:
        places = _arrays.positions(rows, n)
        ends = [places[end] for end in ends]
        are_there = (ends[0] >= 0) & (ends[1] >= 0)
        ends = [end[are_there] for end in ends]
    return [np.ascontiguousarray(end, np.uint32) for end in ends]


def matrix(u, v, n):
    """The matrix of connected pairs of ``n`` points."""
    from scipy.sparse import coo_array

    return coo_array((np.ones(len(u), bool), (u, v)), shape=(n, n))


def tree(X, connected, alpha, weights, *, metric, metric_params, min_samples, threads):
    """The forest of the connected pairs of checked points, or of the points of a square matrix of
    distances, and with weights their core distances. Core distances are those of all points. The
    points that a row counts as are connected with each other.
    """
    threads = _arrays.threads(threads)
    min_samples = _distances.samples(min_samples, _weights.total(weights, len(X)))
    counts = min_samples, weights, threads
    if isinstance(metric, str) and metric == "precomputed":
        X = np.asarray(X, np.float64)
        _distances.refuse_wrong("X", X)
        _distances.refuse_no_square(X)
        inner, cores = _compared(_metrics.MatrixRows(X), connected, alpha, counts)
        return _points.PointTree._of(inner), cores
    found = _metrics.resolve(metric, metric_params)
    X = _points.points("X", X, found)
    _points.refuse_infinite(X)
    if callable(found) or alpha != 1 and not _metrics.divides(found, alpha):
        rows = _metrics.rows_of(X, metric, metric_params)
        inner, cores = _compared(rows, connected, alpha, counts)
        return _points.PointTree._of(inner, X), cores
    by = _metrics.linear_map(metric, metric_params, X, weights)
    basis = {
        "coordinates": _points._flat(_metrics.mapped(X, by), found),
        "dimensions": X.shape[1],
        "metric": found,
        "min_samples": min_samples,
        "alpha": alpha,
        "weights": weights,
        "threads": threads,
    }
    tree = _points.PointTree._of(_kostra.tree_of_connected(basis, *connected), X, found)
    return tree, None if weights is None else _kostra.cores_of_points(basis)


def _compared(rows, connected, alpha, counts):
    """The engine's forest of pairs by a metric that has all distances of one point at a time, and the
    core distances.
    """
    (u, v), (min_samples, weights, threads) = connected, counts
    order = np.argsort(u, kind="stable")
    u, v = u[order], v[order]
    starts = np.searchsorted(u, np.arange(rows.n + 1))
    cores, distances = np.zeros(rows.n), np.empty(len(u))
    for point in range(rows.n):
        own = slice(starts[point], starts[point + 1])
        if min_samples == 1 and own.start == own.stop:
            continue
        row = rows.all(point)
        if min_samples > 1:
            cores[point] = _weights.nth(row, min_samples, weights)
        distances[own] = row[v[own]]
    reach = np.maximum(distances / alpha, np.maximum(cores[u], cores[v]))
    return _kostra.tree_of_entries((rows.n, u, v, reach), 1, threads), cores
