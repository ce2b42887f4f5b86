"""The names and signatures of the package hdbscan 0.8.44, over :mod:`kostra.cluster`.

``import kostra.hdbscan as hdbscan`` serves code that was written for that package. To give it to
libraries that import the package themselves, such as BERTopic, run this before their import::

    import sys, kostra.hdbscan
    sys.modules["hdbscan"] = kostra.hdbscan

What differs:

* Merges at one distance are undone together, so that labels do not depend on the order of the rows.
  Nearly all data have such merges, so the clusters may differ from hdbscan's.
* Clusters have other numbers: see ``labels_`` of :class:`kostra.cluster.HDBSCAN`.
* The tree is always exact, and uses all threads. Parameters that choose an algorithm are checked,
  and have no effect.
* The spanning tree, exemplars and predictions need no preparation by a parameter.
"""

import sys

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import _num_samples, check_is_fitted

from kostra import _arrays, _metrics, cluster
from kostra._approximation_graph import ApproximationGraph
from kostra._branches import BranchDetector, approximate_predict_branch
from kostra._forest import Forest, in_memory
from kostra.cluster import (
    CondensedTree,
    MinimumSpanningTree,
    SingleLinkageTree,
    approximate_predict,
    approximate_predict_scores,
    membership_vector,
)

__all__ = [
    "ApproximationGraph",
    "BranchDetector",
    "HDBSCAN",
    "CondensedTree",
    "MinimumSpanningTree",
    "RobustSingleLinkage",
    "SingleLinkageTree",
    "all_points_membership_vectors",
    "approximate_predict",
    "approximate_predict_branch",
    "approximate_predict_scores",
    "hdbscan",
    "membership_vector",
    "robust_single_linkage",
    "validity_index",
]

_MINKOWSKI = ("minkowski", "p")
_TREES = ("prims_kdtree", "prims_balltree", "boruvka_kdtree", "boruvka_balltree")
#: Metrics for which hdbscan has no search tree.
_WITHOUT_TREE = ("precomputed", "cosine", "arccos")


def _fitted(X, metric, samples, options):
    """Kostra's estimator with hdbscan's meaning of ``metric``, a pair of a name and parameters, and
    of a number of samples, fitted to ``X``.
    """
    name, params = metric
    algorithm, is_precomputed = options.pop("algorithm"), name == "precomputed"
    _arrays.choice("algorithm", algorithm, ("best", "generic", *_TREES))
    if algorithm in _TREES and name in _WITHOUT_TREE:
        raise ValueError(f"algorithm={algorithm!r} takes no metric={name!r}; pass 'best'")
    try:
        samples = _arrays.required("min_samples", samples, 1, 2**32 - 1)
        X = in_memory(X)
        n = X.n if isinstance(X, Forest) else _num_samples(X)
        samples = max(1, min(samples, n - 1))
        # hdbscan counts a point itself only among the entries of a sparse matrix.
        samples += not (is_precomputed and issparse(X))
        name = "haversine_radians" if name == "haversine" else name
        return cluster.HDBSCAN(
            min_samples=samples, metric=name, metric_params=params or None, **options
        ).fit(X)
    except TypeError as error:
        raise ValueError(str(error)) from error


class HDBSCAN(ClusterMixin, BaseEstimator):
    """:class:`kostra.cluster.HDBSCAN` with the parameters of ``hdbscan.HDBSCAN``.

    A fitted model has the attributes and methods of :class:`kostra.cluster.HDBSCAN`.

    Parameters
    ----------
    min_cluster_size, cluster_selection_epsilon, cluster_selection_persistence, metric, alpha, \
cluster_selection_method, allow_single_cluster, prediction_data : int, float, float, str, float, \
str, bool, bool
        As for :class:`kostra.cluster.HDBSCAN`. ``"haversine"`` takes radians.
    min_samples : int, optional
        The number of nearest points, the point itself not included, within the core distance. By
        default, ``min_cluster_size``. It is reduced to n - 1.
    branch_detection_data : bool
        Without effect: :class:`BranchDetector` needs no preparation.
    match_reference_implementation : bool
        Only False: Kostra does not have it.
    max_cluster_size : int
        The largest cluster that the method ``"eom"`` selects; 0 for no limit.
    p : float, optional
        The parameter of ``metric="minkowski"``.
    algorithm, leaf_size : str, int
        Checked, without effect.
    memory, approx_min_span_tree, gen_min_span_tree, core_dist_n_jobs : object, bool, bool, int
        Without effect.
    cluster_selection_epsilon_max : float
        The method ``"eom"`` selects no cluster that begins above this distance.
    **kwargs
        Parameters of the metric.

    Attributes
    ----------
    labels_ : array of int32
        The cluster of each point; -1 for noise and for points with NaN or infinite coordinates.
    probabilities_ : array of float64
        How strongly each point belongs to its cluster, from 0 to 1; 0 for the label -1.
    """

    def __init__(
        self,
        min_cluster_size=5,
        min_samples=None,
        cluster_selection_epsilon=0.0,
        cluster_selection_persistence=0.0,
        max_cluster_size=0,
        metric="euclidean",
        alpha=1.0,
        p=None,
        algorithm="best",
        leaf_size=40,
        memory=None,
        approx_min_span_tree=True,
        gen_min_span_tree=False,
        core_dist_n_jobs=4,
        cluster_selection_method="eom",
        allow_single_cluster=False,
        prediction_data=False,
        branch_detection_data=False,
        match_reference_implementation=False,
        cluster_selection_epsilon_max=float("inf"),
        **kwargs,
    ):
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.cluster_selection_persistence = cluster_selection_persistence
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.alpha = alpha
        self.p = p
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.memory = memory
        self.approx_min_span_tree = approx_min_span_tree
        self.gen_min_span_tree = gen_min_span_tree
        self.core_dist_n_jobs = core_dist_n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.prediction_data = prediction_data
        self.branch_detection_data = branch_detection_data
        self.match_reference_implementation = match_reference_implementation
        self.cluster_selection_epsilon_max = cluster_selection_epsilon_max
        self._metric_kwargs = kwargs

    def get_params(self, deep=True):
        """The parameters by name, with those of the metric.

        Parameters
        ----------
        deep : bool
            For the interface of scikit-learn.

        Returns
        -------
        dict
        """
        return super().get_params(deep) | self._metric_kwargs

    def set_params(self, **params):
        """Changes parameters.

        Parameters
        ----------
        **params
            New values by name.

        Returns
        -------
        self
        """
        of_metric = {name: params.pop(name) for name in self._metric_kwargs if name in params}
        self._metric_kwargs = self._metric_kwargs | of_metric
        return super().set_params(**params)

    def fit(self, X, y=None):
        """Finds the clusters of ``X``.

        Parameters
        ----------
        X : array of n by d, Forest, or distances
            As for :meth:`kostra.cluster.HDBSCAN.fit`.
        y : ignored
            For the interface of scikit-learn.

        Returns
        -------
        self
        """
        if self.match_reference_implementation:
            raise ValueError(
                "Kostra has no match_reference_implementation; leave it out, and pass "
                "min_samples - 1 and min_cluster_size + 1"
            )
        params = dict(self._metric_kwargs)
        if self.p is not None and self.metric in _MINKOWSKI:
            params["p"] = self.p
        same = ("min_cluster_size", "alpha", "algorithm", "leaf_size", "prediction_data")
        options = {name: getattr(self, name) for name in same}
        options |= {
            name: value
            for name, value in self.get_params().items()
            if name.startswith(("cluster_selection", "allow"))
        }
        options["max_cluster_size"] = self.max_cluster_size or None
        options["nonfinite"] = "label"
        samples = self.min_cluster_size if self.min_samples is None else self.min_samples
        self._model = _fitted(X, (self.metric, params), samples, options)
        self.labels_ = np.maximum(self._model.labels_, -1)
        self.probabilities_ = np.nan_to_num(self._model.probabilities_)
        return self

    def __getattr__(self, name):
        # Everything else is that of Kostra's estimator.
        model = vars(self).get("_model")
        if model is None or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(model, name)

    def generate_branch_detection_data(self):
        """Checks that the model is fitted. :class:`BranchDetector` needs no preparation."""
        check_is_fitted(self)

    @property
    def branch_detection_data_(self):
        """The model itself."""
        return self.prediction_data_

    def dbscan_clustering(self, cut_distance, min_cluster_size=5):
        """:meth:`kostra.cluster.HDBSCAN.dbscan_clustering`, with hdbscan's label of missing points.

        Parameters
        ----------
        cut_distance : float
            Clusters whose mutual reachability distance is below this one are merged.
        min_cluster_size : int
            The points of smaller clusters are noise.

        Returns
        -------
        array of int64
            The cluster of each point; -1 for noise and for points with NaN or infinite coordinates.
        """
        return np.maximum(self._model.dbscan_clustering(cut_distance, min_cluster_size), -1)

    @property
    def prediction_data_(self):
        """The model itself, which has ``raw_data`` and ``exemplars``."""
        check_is_fitted(self)
        return self

    @property
    def raw_data(self):
        """The fitted points with finite coordinates."""
        return self._model._predictor.points

    @property
    def exemplars(self):
        """``exemplars_``."""
        return self._model.exemplars_


def hdbscan(
    X,
    min_cluster_size=5,
    min_samples=None,
    alpha=1.0,
    cluster_selection_epsilon=0.0,
    cluster_selection_persistence=0.0,
    max_cluster_size=0,
    metric="minkowski",
    p=2,
    leaf_size=40,
    algorithm="best",
    memory=None,
    approx_min_span_tree=True,
    gen_min_span_tree=False,
    core_dist_n_jobs=4,
    cluster_selection_method="eom",
    allow_single_cluster=False,
    match_reference_implementation=False,
    cluster_selection_epsilon_max=float("inf"),
    **kwargs,
):
    """The clusters of points or distances, as arrays.

    Parameters
    ----------
    X : array of n by d, Forest, or distances
        As for :meth:`HDBSCAN.fit`.
    min_cluster_size, min_samples, alpha, cluster_selection_epsilon, \
cluster_selection_persistence, max_cluster_size, metric, p, leaf_size, algorithm, memory, \
approx_min_span_tree, gen_min_span_tree, core_dist_n_jobs, cluster_selection_method, \
allow_single_cluster, match_reference_implementation, cluster_selection_epsilon_max, **kwargs
        As for :class:`HDBSCAN`.

    Returns
    -------
    labels, probabilities, cluster_persistence : arrays
        Those attributes of :class:`HDBSCAN`.
    condensed_tree : structured array
        ``condensed_tree_.to_numpy()``.
    single_linkage_tree : array of n - 1 by 4
        ``single_linkage_tree_.to_numpy()``.
    min_spanning_tree : array of n - 1 by 3, or None
        ``minimum_spanning_tree_.to_numpy()``, with ``gen_min_span_tree=True``.
    """
    options = {name: value for name, value in locals().items() if name not in ("X", "kwargs")}
    if metric == "minkowski" and p is None:
        raise TypeError("metric='minkowski' needs a number p")
    model = HDBSCAN(**options, **kwargs).fit(X)
    return (
        model.labels_,
        model.probabilities_,
        model.cluster_persistence_,
        model.condensed_tree_.to_numpy(),
        model.single_linkage_tree_.to_numpy(),
        model.minimum_spanning_tree_.to_numpy() if gen_min_span_tree else None,
    )


def all_points_membership_vectors(clusterer):
    """:func:`kostra.cluster.all_points_membership_vectors`, with hdbscan's result without clusters.

    Parameters
    ----------
    clusterer : HDBSCAN
        A fitted model.

    Returns
    -------
    array of n by n_clusters
        Without clusters, an array of n zeros.
    """
    found = cluster.all_points_membership_vectors(clusterer)
    return found if found.shape[1] else np.zeros(len(found))


def validity_index(
    X,
    labels,
    metric="euclidean",
    d=None,
    per_cluster_scores=False,
    mst_raw_dist=False,
    verbose=False,
    **kwd_args,
):
    """The density-based validity of clusters with the figures of the package, which may depend on the
    order of the rows.

    Mutual reachability distances are often equal, so that there are several spanning trees. The
    package takes one by the order of the rows, :func:`kostra.cluster.validity_index` by the
    coordinates. Takes O(n^2) memory.

    Parameters
    ----------
    X, labels, metric, d, per_cluster_scores, mst_raw_dist, verbose, **kwd_args
        As for :func:`kostra.cluster.validity_index`. ``"haversine"`` takes radians.

    Returns
    -------
    index : float
        From -1 to 1: the mean over all points of the index of their cluster. Noise counts as 0.
    clusters : array of float64
        The index of each cluster. Only with ``per_cluster_scores``.
    """
    if not (isinstance(metric, str) and metric == "precomputed"):
        points = np.asarray(X, np.float64)
        metric = "haversine_radians" if metric == "haversine" else metric
        rows, d = _metrics.rows_of(points, metric, kwd_args), points.shape[1]
        X = np.array([rows.all(point) for point in range(len(points))])
    return cluster.validity_index(X, labels, "precomputed", d, per_cluster_scores, mst_raw_dist)


class RobustSingleLinkage(ClusterMixin, BaseEstimator):
    """The clusters at one distance of single linkage by mutual reachability distances.

    Parameters
    ----------
    cut : float
        Clusters whose distance is below this one are merged.
    k : int
        The number of nearest points, the point itself not included, within the core distance of a
        point.
    alpha : float
        Distances, but not core distances, are divided by this number. Other values than 1 compare
        all pairs on one thread.
    gamma : int
        The points of smaller clusters are noise.
    metric : str or callable
        As for :class:`HDBSCAN`.
    algorithm : str
        Checked, without effect.
    core_dist_n_jobs : int
        Without effect.
    metric_params : dict, optional
        Parameters of the metric.

    Attributes
    ----------
    labels_ : array of int64
        The cluster of each point, in the order of their lowest points; -1 for noise.
    cluster_hierarchy_ : SingleLinkageTree
        The hierarchy.
    """

    def __init__(
        self,
        cut=0.4,
        k=5,
        alpha=1.4142135623730951,
        gamma=5,
        metric="euclidean",
        algorithm="best",
        core_dist_n_jobs=4,
        metric_params=None,
    ):
        self.cut = cut
        self.k = k
        self.alpha = alpha
        self.gamma = gamma
        self.metric = metric
        self.algorithm = algorithm
        self.core_dist_n_jobs = core_dist_n_jobs
        self.metric_params = metric_params

    def fit(self, X, y=None):
        """Finds the clusters of ``X``.

        Parameters
        ----------
        X : array of n by d, Forest, or distances
            As for :meth:`HDBSCAN.fit`.
        y : ignored
            For the interface of scikit-learn.

        Returns
        -------
        self
        """
        options = {"min_cluster_size": 2, "alpha": self.alpha, "algorithm": self.algorithm}
        model = _fitted(X, (self.metric, self.metric_params), self.k, options)
        self.cluster_hierarchy_ = model.single_linkage_tree_
        try:
            self.labels_ = self.cluster_hierarchy_.get_clusters(self.cut, self.gamma)
        except TypeError as error:
            raise ValueError(str(error)) from error
        return self


def robust_single_linkage(
    X,
    cut,
    k=5,
    alpha=1.4142135623730951,
    gamma=5,
    metric="euclidean",
    algorithm="best",
    memory=None,
    leaf_size=40,
    core_dist_n_jobs=4,
    **kwargs,
):
    """The clusters of :class:`RobustSingleLinkage`, as arrays.

    Parameters
    ----------
    X : array of n by d, Forest, or distances
        As for :meth:`HDBSCAN.fit`.
    cut, k, alpha, gamma, metric, algorithm, core_dist_n_jobs : float, int, float, int, str, str, \
int
        As for :class:`RobustSingleLinkage`.
    memory : object
        Without effect.
    leaf_size : int
        Checked, without effect.
    **kwargs
        Parameters of the metric.

    Returns
    -------
    labels : array of int64
        The cluster of each point; -1 for noise.
    single_linkage_tree : array of n - 1 by 4
        The hierarchy, a linkage matrix of SciPy.
    """
    if metric == "minkowski" and kwargs.get("p") is None:
        raise TypeError("metric='minkowski' needs a number p")
    try:
        _arrays.required("leaf_size", leaf_size, 1, 2**32 - 1)
    except TypeError as error:
        raise ValueError(str(error)) from error
    model = RobustSingleLinkage(cut, k, alpha, gamma, metric, algorithm, metric_params=kwargs)
    model.fit(X)
    return model.labels_, model.cluster_hierarchy_.to_numpy()


# Code that imports a module of the package.
from kostra import _branches as branches  # noqa: E402, F401
from kostra import _flat as flat  # noqa: E402, F401

prediction = plots = validity = hdbscan_ = sys.modules[__name__]
for _name in ("branches", "flat", "hdbscan_", "plots", "prediction", "validity"):
    sys.modules[f"{__name__}.{_name}"] = vars()[_name]
