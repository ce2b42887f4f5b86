"""Spanning trees of distances, in the forms that other libraries use."""

import numpy as np

from kostra import _arrays, _device, _kostra, _weights


class SamplesError(ValueError):
    """There are not as many points or neighbors as ``min_samples``."""


def samples(value, n):
    """The argument ``min_samples`` for ``n`` points."""
    try:
        return 1 if value is None else _arrays.required("min_samples", value, 1, n)
    except ValueError as error:
        raise SamplesError(str(error)) from None


def dense_tree(X, min_samples, weights=None):
    """The engine's tree of a square matrix or a condensed vector of distances, and with weights the
    core distances. Points at an infinite distance are not neighbors.
    """
    _device.refuse_if_on_device("X", X)
    distances = np.ascontiguousarray(_arrays.numbers("X", X), np.float64)
    refuse_wrong("X", distances)
    if distances.ndim == 1:
        if not len(distances):
            raise ValueError("X contains no distances; pass those of at least two points")
        n = int(round((1 + np.sqrt(1 + 8 * len(distances))) / 2))
        if n * (n - 1) // 2 != len(distances):
            raise ValueError(
                f"X has {len(distances)} distances, but n points have n * (n - 1) / 2 pairs; "
                "pass a condensed vector such as scipy.spatial.distance.pdist returns"
            )
    else:
        refuse_no_square(distances)
        n = len(distances)
    min_samples = samples(min_samples, _weights.total(weights, n))
    is_square = distances.ndim == 2
    return _kostra.tree_of_distances(distances.reshape(-1), is_square, min_samples, weights)


def refuse_no_square(distances):
    """Refuses arrays that are no square matrix of the distances of points."""
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1] or not distances.size:
        raise ValueError(
            f"X must be a square matrix of distances, but its shape is {distances.shape}"
        )
    largest, other = _largest(distances), distances.T
    wrong = ~(np.isclose(distances, other) | _is_rounding(distances, other, largest))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        _refuse_directions(row, column, distances[row, column], distances[column, row])
    own = distances.diagonal()
    wrong = ~(np.isclose(own, 0) | _is_rounding(own, 0, largest))
    if wrong.any():
        place = int(wrong.argmax())
        raise ValueError(
            f"X[{place}, {place}] is {own[place]}, but the distance of a point to itself is 0; "
            "pass distances, not similarities, and zeros on the diagonal"
        )


def _largest(distances):
    return np.max(distances, initial=0, where=np.isfinite(distances))


def _is_rounding(a, b, largest):
    """Where two distances are the same but for rounding, by the rule for matrices in files."""
    with np.errstate(invalid="ignore"):
        units = np.abs(a - b) * np.maximum(np.abs(a), np.abs(b))
    return units <= 64 * np.finfo(np.float64).eps * largest**2


def _refuse_directions(row, column, there, back):
    raise ValueError(
        f"X must be symmetric, but X[{row}, {column}] is {there} and X[{column}, {row}] is {back}; "
        "pass distances that do not depend on the order"
    )


def refuse_wrong(name, distances):
    """Refuses negative distances and NaN."""
    wrong = ~(distances >= 0)
    if wrong.any():
        place = np.argwhere(wrong)[0]
        value = distances[tuple(place)]
        what = "NaN" if np.isnan(value) else f"the negative distance {value}"
        raise ValueError(
            f"{name}[{', '.join(map(str, place))}] is {what}; pass distances of at least 0"
        )


def sparse_tree(X, min_samples, threads):
    """The engine's forest of the stored entries of a sparse matrix."""
    n, (rows, columns, distances) = X.shape[0], _checked_entries(X)
    min_samples = samples(min_samples, n)
    if min_samples > 1:
        counts = np.bincount(rows, minlength=n)
        few = counts < min_samples
        if few.all():
            _refuse_few_neighbors(counts, min_samples, "stored entries")
        elif few.any():
            _arrays.warn(
                f"points with fewer than min_samples = {min_samples} stored entries are infinitely "
                f"far from all others: {few.sum()} of {n}, such as point {few.argmax()}; if this is "
                "not meant, store zeros of the diagonal, and more neighbors"
            )
    return _forest(n, rows, columns, distances, threads, min_samples)


def _checked_entries(X):
    if len(X.shape) != 2 or X.shape[0] != X.shape[1]:
        raise ValueError(f"X must be a square matrix of distances, but its shape is {X.shape}")
    rows, columns, distances = sparse_entries(X)
    _refuse_similarities(distances[rows == columns], distances)
    return rows, columns, distances


def counted_sparse_tree(X, min_samples, weights, threads):
    """The engine's forest of the stored entries of a sparse matrix whose points count as several,
    and their core distances. The copies of a point have the distance on the diagonal.
    """
    n, (rows, columns, distances) = X.shape[0], _checked_entries(X)
    distances = np.asarray(distances, np.float64)
    is_stored, is_own = np.zeros(n, bool), rows == columns
    is_stored[rows[is_own]] = True
    apart = ~is_stored & (weights > 1)
    if apart.any():
        row = int(apart.argmax())
        raise ValueError(
            f"X[{row}, {row}] is not stored, so the {weights[row]} points that row {row} counts as "
            "have no distance to each other; store zeros on the diagonal"
        )
    min_samples = samples(min_samples, _weights.total(weights, n))
    cores = _weights.core_of_entries(rows, columns, distances, min_samples, weights)
    if min_samples == 1:
        # Without core distances, copies are as far apart as the diagonal says.
        cores = np.zeros(n)
        np.maximum.at(cores, rows[is_own], distances[is_own])
        return _forest(n, rows, columns, distances, threads), cores
    reach = np.maximum(distances, np.maximum(cores[rows], cores[columns]))
    return _forest(n, rows, columns, reach, threads), cores


def sparse_entries(X):
    """The rows, columns and distances of the stored entries of a square sparse matrix.

    Two different distances of a pair of points are refused. A pair that is stored in one direction
    only, as in a graph of nearest neighbors, has one distance.
    """
    _arrays.refuse_blocks("X", X)
    if X.format == "coo":
        X = X.tocsr()  # adds entries that are stored twice
    X = X.tocoo(copy=False)
    rows, columns = X.coords if hasattr(X, "coords") else (X.row, X.col)
    distances = _arrays.numbers("X.data", X.data)
    refuse_wrong("X.data", distances)
    found = _kostra.asymmetric_entries((X.shape[0], *_entries(rows, columns, distances)))
    if found is not None:
        one, other = found
        _refuse_directions(rows[one], columns[one], distances[one], distances[other])
    return rows, columns, distances


def neighbor_tree(indices, distances, min_samples, threads):
    """The engine's forest of the arrays of scikit-learn's ``kneighbors``, in either order."""
    indices = _arrays.numbers("the first array of X", indices)
    distances = _arrays.numbers("the second array of X", distances)
    if indices.dtype.kind in "iu" and distances.dtype.kind in "iu":
        raise ValueError(
            "both arrays of nearest neighbors contain integers, so it is unclear which of them are "
            "the distances; pass the distances as float64"
        )
    if indices.dtype.kind == "f" and distances.dtype.kind in "iu":
        indices, distances = distances, indices  # the order of scikit-learn
    if indices.shape != distances.shape or indices.ndim != 2 or indices.dtype.kind not in "iu":
        raise ValueError(
            "the two arrays of nearest neighbors must be integers and distances of one shape, "
            f"n by k, but are {indices.dtype} of the shape {indices.shape} and "
            f"{distances.dtype} of the shape {distances.shape}"
        )
    refuse_wrong("distances", distances)
    n, k = indices.shape
    remedy = "; pass fewer neighbors, so that every point has all of them"
    _arrays.refuse_outside("indices", indices, (n, "points"), remedy)
    rows = np.repeat(np.arange(n, dtype=np.uint32), k)
    columns = indices.reshape(-1)
    reach = np.asarray(distances, np.float64)
    _warn_of_directions(n, _entries(rows, columns, reach.reshape(-1)))
    is_itself = indices == np.arange(n)[:, None]
    _refuse_similarities(reach[is_itself], reach)
    min_samples = samples(min_samples, n)
    if min_samples > 1:
        # The point itself is the first neighbor, whether its row contains it or not.
        has_itself = is_itself.any(axis=1)
        _refuse_few_neighbors(k + 1 - has_itself, min_samples, "neighbors, itself included")
        nearest = np.sort(reach, axis=1)
        cores = nearest[np.arange(n), min_samples - 1 - ~has_itself]
        reach = np.maximum(reach, np.maximum(cores[:, None], cores[indices]))
    return _forest(n, rows, columns, reach.reshape(-1), threads)


def _warn_of_directions(n, entries):
    """Warns of pairs with two distances. The searches of some libraries round that much."""
    found = _kostra.asymmetric_entries((n, *entries))
    if found is not None:
        rows, columns, distances = entries
        one, other = found
        _arrays.warn(
            f"points {rows[one]} and {columns[one]} have the distances {distances[one]} and "
            f"{distances[other]}, and the lesser counts; pass distances that do not depend on the "
            "order"
        )


def _refuse_similarities(own, distances):
    """Refuses points that are not near themselves. Rounding may make their distances positive."""
    if own.size and own.mean() > distances.mean() / 2:
        raise ValueError(
            f"the mean distance of points to themselves is {own.mean():.6g}, and the mean of all "
            f"distances is {distances.mean():.6g}; pass distances, not similarities"
        )


def _refuse_few_neighbors(counts, min_samples, what):
    if len(counts) and counts.min() < min_samples:
        point = int(counts.argmin())
        raise SamplesError(
            f"min_samples is {min_samples}, but point {point} has {counts[point]} {what}; "
            "pass a smaller min_samples, or more neighbors"
        )


def _forest(n, rows, columns, distances, threads, min_samples=1):
    entries = _entries(rows, columns, distances)
    return _kostra.tree_of_entries((n, *entries), min_samples, _arrays.threads(threads))


def _entries(rows, columns, distances):
    """The entries of a sparse matrix in the engine's types."""
    rows, columns = (np.ascontiguousarray(ends, np.uint32) for ends in (rows, columns))
    return rows, columns, np.ascontiguousarray(distances, np.float64)
