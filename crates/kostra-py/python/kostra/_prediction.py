"""What a fitted HDBSCAN says about new points, and how strongly points belong to each cluster."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kostra import _arrays, _kostra, _metrics, _tables
from kostra._forest import Forest, in_memory


class Predictor:
    """The points and parameters of a fit. What searches among them is built for the first search.
    ``measure`` is the engine's name of a metric, or None for others, which cannot search, what maps
    points for this metric, and what distances are divided by.
    """

    def __init__(self, points, measure, counted, choice):
        self.points, self.choice = points, choice
        self.metric, self.map, self.alpha = measure
        self._min_samples, self.weights = counted
        self._fitted, self._has_cores = None, False

    def choosing(self, choice):
        """The same points, with other clusters."""
        counted = self._min_samples, self.weights
        return Predictor(self.points, (self.metric, self.map, self.alpha), counted, choice)

    def rows(self, places=slice(None)):
        """The coordinates of points; sparse rows with their zeros."""
        return _tables.with_zeros(self.points[places])

    def __getstate__(self):
        return self.__dict__ | {"_fitted": None}

    def fitted(self, condensed, needs_cores, threads):
        """The engine's points with the clusters of their condensed tree."""
        if self._fitted is None or needs_cores and not self._has_cores:
            basis = {
                "coordinates": _metrics.mapped(self.rows(), self.map).reshape(-1),
                "dimensions": self.points.shape[1],
                "metric": self.metric,
                "min_samples": self._min_samples,
                "alpha": self.alpha,
                "weights": self.weights,
                "threads": threads,
            }
            self._fitted = _kostra.Fitted(basis, condensed, self.choice, needs_cores)
            self._has_cores = needs_cores
        return self._fitted


def fitted(model, purpose, needs_cores=True):
    """The engine's points with their clusters; refuses a model without points."""
    check_is_fitted(model)
    if model._predictor is None or model._predictor.metric is None:
        raise ValueError(
            f"{purpose} needs the points of the fit, but this model was fitted to distances, a "
            "tree, points on a device, by a metric of SciPy or a callable, or by angles with alpha; "
            "fit it to points in host memory with a metric that compares less than all pairs, such "
            "as 'euclidean', 'manhattan', 'chebyshev' or 'cosine', or 'haversine' with alpha=1"
        )
    return model._predictor.fitted(model._condensed, needs_cores, _threads(model))


def new_points(model, X):
    """The coordinates of new points row by row, the number of columns, and the number of threads."""
    if isinstance(in_memory(X), Forest):
        raise TypeError("X is a forest; pass the coordinates of new points")
    if model.connectivity is not None:
        raise ValueError(
            "the model was fitted with connectivity, which does not say to which points new points "
            "are connected; fit it to all points, or without connectivity"
        )
    points = _tables.with_zeros(model._validated(X, is_new=True))
    points = _metrics.mapped(points, model._predictor.map)
    return np.ascontiguousarray(points).reshape(-1), points.shape[1], _threads(model)


def _threads(model):
    return _arrays.threads(model._thread_count())


def approximate_predict(clusterer, points_to_predict, return_connecting_points=False):
    """The clusters of new points, by the rule of the package hdbscan.

    Among the ``2 (min_samples - 1)`` nearest fitted points, the one decides whose mutual
    reachability distance to the new point is least. The new point is in the last cluster of that
    point, or in the nearest cluster above that begins at a larger distance.
    :meth:`HDBSCAN.predict` asks all fitted points instead, so it may give other labels. Takes
    O(log n) time for each point that is near to others in few dimensions.

    With ``alpha``, distances to fitted points are divided as those of the fit are. The package does
    not divide them, so its new points join a tree of other distances.

    Parameters
    ----------
    clusterer : HDBSCAN
        A fitted model. It must have been fitted to points in host memory with a metric of
        :func:`kostra.euclidean_mst` that has a name there.
    points_to_predict : array of m by n_features_in_
        Points with finite coordinates.
    return_connecting_points : bool
        Whether to return the deciding points.

    Returns
    -------
    labels : array of int32
        The cluster of each point; -1 for noise.
    probabilities : array of float64
        How strongly each point belongs to its cluster, from 0 to 1; 0 for noise.
    neighbors : array of int64
        The row of the deciding point of each new point. Only with ``return_connecting_points``.

    Examples
    --------
    >>> import kostra.cluster
    >>> X = [[0.0], [0.1], [0.2], [0.4], [5.0], [5.1], [5.3], [20.0]]
    >>> model = kostra.cluster.HDBSCAN(min_cluster_size=2).fit(X)
    >>> kostra.cluster.approximate_predict(model, [[0.1], [5.2], [12.0]])[0]
    array([ 0,  1, -1], dtype=int32)
    """
    found = _approximate(clusterer, "approximate_predict", points_to_predict)
    if len(clusterer._selected) == 0:
        _arrays.warn("the model has no clusters, so all new points are noise")
    if not return_connecting_points:
        return found["labels"], found["probabilities"]
    neighbors = found["neighbors"].astype(np.int64)
    if clusterer._finite_rows is not None:
        neighbors = clusterer._finite_rows[neighbors]
    return found["labels"], found["probabilities"], neighbors


def _approximate(model, purpose, X):
    return fitted(model, purpose).approximate_predict(*new_points(model, X))


def approximate_predict_scores(clusterer, points_to_predict):
    """The outlier scores by GLOSH of new points, by the rule of the package hdbscan.

    A new point joins the tree at the deciding point of :func:`approximate_predict`. Its score is 1
    - a / b. Here a is the density at which it joins, and b the highest density in the last cluster
    of the deciding point and in the clusters below it.

    Parameters
    ----------
    clusterer : HDBSCAN
        A fitted model, as for :func:`approximate_predict`.
    points_to_predict : array of m by n_features_in_
        Points with finite coordinates.

    Returns
    -------
    array of float64
        The scores from 0 to 1. Points that are denser than all fitted ones have the score 0, where
        hdbscan's is negative.
    """
    found = _approximate(clusterer, "approximate_predict_scores", points_to_predict)
    homes, departures = clusterer._condensed.points()
    clusters = clusterer._condensed.clusters()
    densest = clusters["death"].copy()
    # A child has a higher number than its parent.
    for child in range(len(densest) - 1, 0, -1):
        parent = clusters["parent"][child]
        densest[parent] = min(densest[parent], densest[child])
    neighbors = found["neighbors"]
    # A new point that coincides with a fitted one leaves with it.
    distances = np.where(found["nearest"] == 0, departures[neighbors], found["distances"])
    least = densest[homes[neighbors]]
    is_densest = distances <= least
    return 1 - np.where(is_densest, 1, least) / np.where(is_densest, 1, distances)


def membership_vector(clusterer, points_to_predict, *, largest=None):
    """How strongly new points belong to each cluster, by the formulas of the package hdbscan.

    The membership in a cluster depends on the distance to its nearest exemplar, and on the height
    at which the point and the cluster meet in the condensed tree. A new point joins the tree at the
    deciding point of :func:`approximate_predict`.

    Parameters
    ----------
    clusterer : HDBSCAN
        A fitted model, as for :func:`approximate_predict`.
    points_to_predict : array of m by n_features_in_
        Points with finite coordinates.
    largest : int, optional
        How many of the largest memberships of each point to return. Memory is proportional to this
        number, not to the number of clusters.

    Returns
    -------
    memberships : array of m by n_clusters
        Numbers from 0 to 1, whose sum is at most 1 for each point. Column ``i`` is cluster ``i``.
    labels, memberships : arrays of m by ``largest``
        With ``largest``: the clusters with the largest memberships, the largest first, and these
        memberships.
    """
    model = fitted(clusterer, "membership_vector")
    *points, threads = new_points(clusterer, points_to_predict)
    rows = len(points[0]) // points[1]
    found = model.memberships_of(*points, _most(largest), threads)
    return _shaped(found, rows, _columns(clusterer, largest))


def all_points_membership_vectors(clusterer, *, largest=None):
    """How strongly each fitted point belongs to each cluster, by the formulas of the package hdbscan.

    Takes O(n (e d + c)) time for e exemplars and c clusters.

    Parameters
    ----------
    clusterer : HDBSCAN
        A fitted model, as for :func:`approximate_predict`.
    largest : int, optional
        How many of the largest memberships of each point to return, as in
        :func:`membership_vector`.

    Returns
    -------
    memberships : array of n by n_clusters
        Numbers from 0 to 1, whose sum is at most 1 for each point. Column ``i`` is cluster ``i``.
        Rows of points without finite coordinates are 0.
    labels, memberships : arrays of n by ``largest``
        With ``largest``: the clusters with the largest memberships, the largest first, and these
        memberships. Points without finite coordinates have the labels -1.

    Examples
    --------
    >>> import kostra.cluster
    >>> X = [[0.0], [0.1], [0.2], [0.4], [5.0], [5.1], [5.3], [20.0]]
    >>> model = kostra.cluster.HDBSCAN(min_cluster_size=2).fit(X)
    >>> kostra.cluster.all_points_membership_vectors(model).argmax(axis=1)[:7]
    array([0, 0, 0, 0, 1, 1, 1])
    """
    model = fitted(clusterer, "all_points_membership_vectors", needs_cores=False)
    found = model.memberships(_most(largest), _threads(clusterer))
    rows = clusterer._predictor.points.shape[0]
    found = _shaped(found, rows, _columns(clusterer, largest))
    if clusterer._finite_rows is None:
        return found
    if largest is None:
        return _among_all(clusterer, found, 0.0)
    return _among_all(clusterer, found[0], -1), _among_all(clusterer, found[1], 0.0)


def _most(largest):
    return _arrays.whole("largest", largest, 1, 2**32 - 1)


def _columns(model, largest):
    return min(len(model._selected), len(model._selected) if largest is None else largest)


def _shaped(found, rows, columns):
    labels, memberships = found
    memberships = memberships.reshape(rows, columns)
    return memberships if labels is None else (labels.reshape(rows, columns), memberships)


def _among_all(model, values, other):
    """The rows of finite points among all rows of the fit."""
    everything = np.full((len(model.labels_), values.shape[1]), other, values.dtype)
    everything[model._finite_rows] = values
    return everything


def exemplars(model):
    """For each cluster, the coordinates of its exemplars."""
    check_is_fitted(model)
    if model._predictor is None:
        raise AttributeError(
            "exemplars_ needs the points of the fit, but this model was fitted to distances, a "
            "tree, or points on a device"
        )
    points, starts = model._condensed.exemplars(model._predictor.choice)
    starts = starts.astype(np.int64)
    return [model._predictor.rows(points[a:b]) for a, b in zip(starts[:-1], starts[1:])]
