"""A number of clusters instead of an epsilon, with the names of the module ``hdbscan.flat``.

The functions choose the ``cluster_selection_epsilon`` with which the condensed tree of a model has
``n_clusters`` clusters, the largest one. The tree stays as it is.
"""

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from kostra import _arrays, cluster

__all__ = [
    "HDBSCAN_flat",
    "all_points_membership_vectors_flat",
    "approximate_predict_flat",
    "membership_vector_flat",
]


def HDBSCAN_flat(
    X,
    n_clusters=None,
    cluster_selection_epsilon=0.0,
    clusterer=None,
    inplace=False,
    **kwargs,
):
    """A fitted model with a number of clusters.

    Parameters
    ----------
    X : array of n by d, Forest, or distances
        As for :meth:`kostra.hdbscan.HDBSCAN.fit`.
    n_clusters : int, optional
        The number of clusters. If the method ``"eom"`` has not as many, ``"leaf"`` is used, and a
        warning says so.
    cluster_selection_epsilon : float
        The distance below which clusters are not divided, without ``n_clusters``.
    clusterer : HDBSCAN, optional
        The model to fit.
    inplace : bool
        Whether ``clusterer`` itself is fitted and returned, or a copy.
    **kwargs
        Parameters of :class:`kostra.hdbscan.HDBSCAN`, without ``clusterer``.

    Returns
    -------
    HDBSCAN

    Raises
    ------
    ValueError
        If no epsilon has ``n_clusters`` clusters: clusters that begin at one distance begin
        together.
    """
    from kostra.hdbscan import HDBSCAN

    if clusterer is None:
        clusterer = HDBSCAN(**kwargs)
    elif not inplace:
        clusterer = clone(clusterer)
    if n_clusters is None and cluster_selection_epsilon != 0:
        clusterer.set_params(cluster_selection_epsilon=float(cluster_selection_epsilon))
    elif n_clusters is not None and cluster_selection_epsilon != 0:
        _arrays.warn("n_clusters decides, so cluster_selection_epsilon has no effect")
    clusterer.set_params(prediction_data=True).fit(X)
    return clusterer if n_clusters is None else _selected(clusterer, n_clusters, None)


def approximate_predict_flat(
    clusterer,
    points_to_predict,
    n_clusters=None,
    cluster_selection_epsilon=None,
    prediction_data=None,
    return_prediction_data=False,
):
    """The clusters of new points, by :func:`kostra.cluster.approximate_predict`.

    Parameters
    ----------
    clusterer : HDBSCAN
        A fitted model. It does not change.
    points_to_predict : array of m by d
        New points.
    n_clusters : int, optional
        The number of clusters among the fitted points.
    cluster_selection_epsilon : float, optional
        The distance below which clusters are not divided, without ``n_clusters``.
    prediction_data : HDBSCAN, optional
        What an earlier call returned; then it decides.
    return_prediction_data : bool
        Whether to return what decides, a model.

    Returns
    -------
    labels : array of int32
        The cluster of each point; -1 for noise.
    probabilities : array of float64
        How strongly each point belongs to its cluster.
    prediction_data : HDBSCAN
        With ``return_prediction_data``.
    """
    chosen = _chosen(clusterer, prediction_data, n_clusters, cluster_selection_epsilon)
    found = cluster.approximate_predict(chosen, points_to_predict)
    return (*found, chosen) if return_prediction_data else found


def membership_vector_flat(
    clusterer,
    points_to_predict,
    prediction_data=None,
    n_clusters=None,
    cluster_selection_epsilon=0.0,
):
    """How strongly new points belong to each cluster, by :func:`kostra.cluster.membership_vector`.

    Parameters
    ----------
    clusterer, points_to_predict, prediction_data, n_clusters : object
        As for :func:`approximate_predict_flat`.
    cluster_selection_epsilon : float
        The same; with 0, that of the model.

    Returns
    -------
    array of m by n_clusters
    """
    epsilon = cluster_selection_epsilon or None
    chosen = _chosen(clusterer, prediction_data, n_clusters, epsilon)
    return cluster.membership_vector(chosen, points_to_predict)


def all_points_membership_vectors_flat(
    clusterer, prediction_data=None, n_clusters=None, cluster_selection_epsilon=None
):
    """How strongly each fitted point belongs to each cluster, by
    :func:`kostra.cluster.all_points_membership_vectors`.

    Parameters
    ----------
    clusterer, prediction_data, n_clusters, cluster_selection_epsilon : object
        As for :func:`approximate_predict_flat`.

    Returns
    -------
    array of n by n_clusters
    """
    chosen = _chosen(clusterer, prediction_data, n_clusters, cluster_selection_epsilon)
    return cluster.all_points_membership_vectors(chosen)


def _chosen(clusterer, prediction_data, n_clusters, epsilon):
    """The model itself, or a copy with other clusters."""
    check_is_fitted(clusterer)
    if prediction_data is not None:
        return prediction_data
    if n_clusters is None and epsilon is None:
        return clusterer
    return _selected(_copied(clusterer), n_clusters, epsilon)


def _copied(clusterer):
    """The same fit, of which other clusters can be selected."""
    other = object.__new__(type(clusterer))
    vars(other).update(vars(clusterer))
    if _model(clusterer) is not clusterer:
        other._model = _copied(clusterer._model)
    return other


def _model(clusterer):
    """The estimator of :mod:`kostra.cluster`."""
    return vars(clusterer).get("_model", clusterer)


def _selected(clusterer, n_clusters, epsilon):
    """The model with ``n_clusters`` clusters, or those of an epsilon."""
    model, method = _model(clusterer), clusterer.cluster_selection_method
    if n_clusters is not None:
        n_clusters = _arrays.required("n_clusters", n_clusters, 1, 2**32 - 1)
        most = _count(model, method, 0.0)
        if method == "eom" and n_clusters > most:
            _arrays.warn(
                f"Cannot predict more than {most} clusters with cluster_selection_method='eom'; "
                "'leaf' is used"
            )
            method = "leaf"
        epsilon = _epsilon_of(model, method, n_clusters)
    options = {"cluster_selection_method": method, "cluster_selection_epsilon": float(epsilon)}
    clusterer.set_params(**options)
    model._select_again(**options)
    if model is not clusterer:
        clusterer.labels_ = np.maximum(model.labels_, -1)
        clusterer.probabilities_ = np.nan_to_num(model.probabilities_)
    return clusterer


def _epsilon_of(model, method, n_clusters):
    """The largest epsilon with ``n_clusters`` clusters: just below the distance of a division."""
    births = np.unique(model._condensed.clusters()["birth"][1:])
    candidates = np.concatenate([[0.0], np.nextafter(births[births > 0], 0)])
    # A larger epsilon has as many clusters or fewer.
    low, high = 0, len(candidates)
    while high - low > 1:
        middle = (low + high) // 2
        if _count(model, method, candidates[middle]) >= n_clusters:
            low = middle
        else:
            high = middle
    found = _count(model, method, candidates[low])
    if found != n_clusters:
        other = "" if high == len(candidates) else f" or {_count(model, method, candidates[high])}"
        raise ValueError(
            f"no epsilon has {n_clusters} clusters; pass n_clusters={found}{other}, or another "
            "min_cluster_size"
        )
    return candidates[low]


def _count(model, method, epsilon):
    """The number of clusters that an epsilon selects."""
    choice = model._choice(model._least) | {"leaf": method == "leaf", "epsilon": float(epsilon)}
    return len(model._condensed.select(choice)[2])
