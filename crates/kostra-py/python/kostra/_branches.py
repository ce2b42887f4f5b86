"""Branches in clusters, with the names of the module ``hdbscan.branches``.

A cluster that is shaped like the letter Y has three branches. The source is Bot, Peeters,
Liesenborgs and Aerts, "FLASC: a flare-sensitive clustering algorithm", 2025. The distance of a
point to the center of its cluster is its eccentricity. A graph connects near points of the cluster.
Remove points from the center outward: the parts into which the graph falls apart are the branches.
They are found as HDBSCAN finds clusters, with the eccentricity as the density.

The result depends on the set of the points alone, not on the order of their rows.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from kostra import _arrays
from kostra._approximation_graph import ApproximationGraph
from kostra._branch_graph import Branches, ClusterGraphs, all_but_early
from kostra._grid import number
from kostra._hierarchies import SingleLinkageTree
from kostra._metrics import medoid
from kostra._prediction import approximate_predict
from kostra._results import condensed_tree
from kostra._tree import single_linkage

__all__ = ["BranchDetector", "approximate_predict_branch"]

_MOST = 2**32 - 1


class BranchDetector(ClusterMixin, BaseEstimator):
    """Finds the branches of the clusters of a fitted model.

    Parameters
    ----------
    branch_detection_method : {"full", "core"}
        Which points of a cluster are connected: those within the longest edge of the spanning tree
        in the cluster, or those within the core distance of one of them, and the edges of the
        spanning tree. As in the package, this core distance counts the point itself where the
        clusters do not. ``"full"`` sees less noise and takes longer.
    label_sides_as_branches : bool
        Whether two branches, the ends of a long cluster, count. By default, at least three do.
    min_cluster_size, max_cluster_size, allow_single_cluster, cluster_selection_method : int, int, \
bool, str, optional
        As for the clusters. By default, the values of the model.
    cluster_selection_epsilon, cluster_selection_persistence : float
        As for the clusters. The unit of epsilon is 1 / eccentricity.

    Attributes
    ----------
    labels_ : array of int64
        A label for each branch, and for each cluster with too few branches; -1 for noise. Points of
        a cluster that are in none of its branches have a label of their own, the lowest of the
        cluster.
    probabilities_ : array of float64
        The mean of the probabilities of the cluster and of the branch, in clusters with branches.
    cluster_labels_, cluster_probabilities_ : arrays of int32 and float64
        The clusters.
    branch_labels_, branch_probabilities_ : arrays of int64 and float64
        The branch of each point inside of its cluster; -1 in none of its branches. 0 and 1 in
        clusters with too few branches.
    branch_persistences_ : list of arrays
        For each cluster, the persistence of each branch, from 0 to 1.
    centralities_ : array of float64
        1 / eccentricity of each point; 0 for noise.
    cluster_points_ : list of arrays
        For each cluster, the rows of its points.

    Notes
    -----
    If the points of a cluster are not connected, as with ``labels`` from elsewhere, its branches
    are its connected parts. Then it has no trees.

    Examples
    --------
    >>> import numpy as np
    >>> import kostra.hdbscan
    >>> ray = np.linspace(0.2, 5, 40)
    >>> angles = np.array([0, 2.1, 4.2])
    >>> X = np.concatenate([np.outer(ray, [np.cos(angle), np.sin(angle)]) for angle in angles])
    >>> model = kostra.hdbscan.HDBSCAN(10, allow_single_cluster=True).fit(X)
    >>> found = kostra.hdbscan.BranchDetector(allow_single_cluster=False).fit(model)
    >>> model.labels_.max() + 1, np.unique(found.branch_labels_[[39, 79, 119]])
    (np.int32(1), array([0, 1, 2]))
    """

    def __init__(
        self,
        branch_detection_method="full",
        label_sides_as_branches=False,
        min_cluster_size=None,
        max_cluster_size=None,
        allow_single_cluster=None,
        cluster_selection_method=None,
        cluster_selection_epsilon=0.0,
        cluster_selection_persistence=0.0,
    ):
        self.branch_detection_method = branch_detection_method
        self.label_sides_as_branches = label_sides_as_branches
        self.min_cluster_size = min_cluster_size
        self.max_cluster_size = max_cluster_size
        self.allow_single_cluster = allow_single_cluster
        self.cluster_selection_method = cluster_selection_method
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.cluster_selection_persistence = cluster_selection_persistence

    def fit(self, clusterer, labels=None, probabilities=None):
        """Finds the branches of clusters.

        Parameters
        ----------
        clusterer : HDBSCAN
            A fitted model. Its points must be in host memory. With ``connectivity``, only the pairs
            that may be joined are connected. With ``sample_weight``, the result is that of the
            repeated rows, up to rounding.
        labels : array of n integers, optional
            Other clusters of its points; -1 for noise.
        probabilities : array of n numbers, optional
            How strongly points belong to their clusters. By default, those of the model, or 1 for
            other ``labels``.

        Returns
        -------
        self
        """
        check_is_fitted(clusterer)
        self._clusterer, self._has_own_clusters = clusterer, labels is None
        self.cluster_labels_, self.cluster_probabilities_ = _clusters(
            self._model, labels, probabilities
        )
        labels = self.cluster_labels_
        self.cluster_points_ = [
            np.flatnonzero(labels == label) for label in range(labels.max(initial=-1) + 1)
        ]
        self._found = self._find()
        self.branch_persistences_ = [found.persistences for found in self._found]
        self._label()
        return self

    @property
    def _model(self):
        """The estimator of :mod:`kostra.cluster`."""
        return getattr(self._clusterer, "_model", self._clusterer)

    def _find(self):
        """The branches of each cluster."""
        graphs, options = self._graphs(), self._options()
        return [
            Branches(graphs.of(points, self.cluster_probabilities_[points]), options)
            for points in self.cluster_points_
        ]

    def _graphs(self):
        methods = ("full", "core")
        method = _arrays.choice("branch_detection_method", self.branch_detection_method, methods)
        return ClusterGraphs(self._model, method)

    def __getstate__(self):
        # The compiled trees are computed again.
        state = dict(super().__getstate__())
        state.pop("_found", None)
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if hasattr(self, "cluster_points_"):
            self._found = self._find()

    def _options(self):
        """The parameters of the branches: the least size, the persistence, and the engine's choice."""

        def default(name):
            own = getattr(self, name)
            return getattr(self._model, name) if own is None else own

        least = self._model._least if self.min_cluster_size is None else self.min_cluster_size
        least = _arrays.required("min_cluster_size", least, 2, _MOST)
        most = default("max_cluster_size") or None
        method = default("cluster_selection_method")
        method = _arrays.choice("cluster_selection_method", method, ("eom", "leaf"))
        choice = {
            "leaf": method == "leaf",
            "epsilon": number("cluster_selection_epsilon", self.cluster_selection_epsilon),
            "allow_single_cluster": bool(default("allow_single_cluster")),
            "max_cluster_size": _arrays.whole("max_cluster_size", most, 1, _MOST),
            "max_distance": None,
            "must_link": [],
            "cannot_link": [],
        }
        persistence = number("cluster_selection_persistence", self.cluster_selection_persistence)
        return least, persistence, choice

    def _label(self):
        """Numbers clusters and branches."""
        n = len(self.cluster_labels_)
        self.labels_, self.branch_labels_ = np.full(n, -1), np.zeros(n, np.int64)
        self.probabilities_ = self.cluster_probabilities_.copy()
        self.branch_probabilities_, self.centralities_ = np.ones(n), np.zeros(n)
        first = 0
        for points, found in zip(self.cluster_points_, self._found):
            self.centralities_[points] = found.centralities
            if not self._has_branches(found):
                self.labels_[points] = first
                first += 1
                continue
            # Points in no branch come first.
            first += int((found.labels < 0).any())
            self.labels_[points] = found.labels + first
            self.branch_labels_[points] = found.labels
            self.branch_probabilities_[points] = found.probabilities
            self.probabilities_[points] = (self.probabilities_[points] + found.probabilities) / 2
            first += len(found.persistences)

    def _has_branches(self, found):
        least = 2 if self.label_sides_as_branches else 3
        return len(found.persistences) >= (2 if found.condensed is None else least)

    def fit_predict(self, clusterer, labels=None, probabilities=None):
        """The labels of :meth:`fit`.

        Parameters
        ----------
        clusterer, labels, probabilities : HDBSCAN, array, array
            As for :meth:`fit`.

        Returns
        -------
        array of int64
        """
        return self.fit(clusterer, labels, probabilities).labels_

    @property
    def condensed_trees_(self):
        """The condensed tree of each cluster, whose density is the eccentricity. Its points are
        numbered as in ``cluster_points_``. None for a cluster that is not connected.
        """
        check_is_fitted(self)
        return [
            None
            if found.condensed is None
            else condensed_tree(found.condensed, found.selected, found.counts)
            for found in self._found
        ]

    @property
    def linkage_trees_(self):
        """The merges of each cluster, at the larger centrality of two points."""
        check_is_fitted(self)
        return [
            None
            if found.condensed is None
            else SingleLinkageTree(single_linkage(found.forest), found.copies)
            for found in self._found
        ]

    @property
    def approximation_graph_(self):
        """The graphs of all clusters, an :class:`ApproximationGraph`. It is computed again at each
        access. It may contain all pairs of points of a cluster. 40 bytes per edge.
        """
        check_is_fitted(self)
        graphs, centralities = self._graphs(), self.centralities_
        cores, edges = graphs.core_distances(), []
        for cluster, rows in enumerate(self.cluster_points_):
            u, v, distances = graphs.edges(rows, cores)
            u, v = rows[u], rows[v]
            larger = np.maximum(centralities[u], centralities[v])
            edges.append((u, v, larger, distances, np.full(len(u), cluster)))
        points = {
            "id": np.arange(len(self.labels_)),
            "label": self.labels_,
            "probability": self.probabilities_,
            "centrality": centralities,
            "cluster_label": self.cluster_labels_,
            "cluster_probability": self.cluster_probabilities_,
            "branch_label": self.branch_labels_,
            "branch_probability": self.branch_probabilities_,
        }
        is_inside = self.cluster_labels_ >= 0
        points = {name: values[is_inside] for name, values in points.items()}
        data = np.full((len(self.labels_), graphs.points.shape[1]), np.nan)
        finite = self._model._finite_rows
        data[slice(None) if finite is None else finite] = graphs.points
        return ApproximationGraph._of(points, edges, data)

    @property
    def exemplars_(self):
        """For each cluster, the points in the most eccentric parts of each branch; None for a
        cluster with too few branches.
        """
        check_is_fitted(self)
        exemplars = []
        for points, found in zip(self.cluster_points_, self._found):
            if found.condensed is None or not self._has_branches(found):
                exemplars.append(None)
                continue
            members, starts = found.condensed.exemplars(found.choice)
            starts = starts.astype(np.int64)
            parts = [points[members[a:b]] for a, b in zip(starts[:-1], starts[1:])]
            exemplars.append([_coordinates(self._model, part) for part in parts])
        return exemplars

    def weighted_centroid(self, label_id, data=None):
        """The mean of the points with a label, weighted by their probabilities.

        Parameters
        ----------
        label_id : int
            A label of ``labels_``, not -1.
        data : array of n by d, optional
            Other coordinates of the points.

        Returns
        -------
        array of d numbers
        """
        points, weights = self._weighted(label_id, data)
        return np.average(points, weights=weights, axis=0)

    def weighted_medoid(self, label_id, data=None):
        """The point with the least sum of distances to the others with its label, weighted by their
        probabilities. Takes time quadratic in the number of these points.

        Parameters
        ----------
        label_id, data : int, array of n by d
            As for :meth:`weighted_centroid`.

        Returns
        -------
        array of d numbers
        """
        points, weights = self._weighted(label_id, data)
        return medoid(points, weights, self._model._distances_of(points))

    def _weighted(self, label, data):
        """The points with a label, and their probabilities."""
        check_is_fitted(self)
        _arrays.required("label_id", label, 0, int(self.labels_.max(initial=-1)))
        rows = np.flatnonzero(self.labels_ == label)
        weights, model = self.probabilities_[rows], self._model
        if model._copies is not None:
            weights = weights * model._copies[0][model._places(rows)]
        if data is None:
            return _coordinates(model, rows).astype(np.float64), weights
        return np.asarray(data, np.float64)[rows], weights


def approximate_predict_branch(branch_detector, points_to_predict):
    """The clusters of new points by :func:`kostra.cluster.approximate_predict`, and the branches of
    the fitted points that decide.

    Parameters
    ----------
    branch_detector : BranchDetector
        A fitted model.
    points_to_predict : array of m by d
        New points.

    Returns
    -------
    labels, probabilities, cluster_labels, cluster_probabilities, branch_labels, \
branch_probabilities : arrays
        As the attributes of :class:`BranchDetector`.
    """
    found = branch_detector
    check_is_fitted(found)
    if not found._has_own_clusters:
        raise ValueError(
            "new points join the clusters of the model, but these branches are of other labels; fit "
            "the BranchDetector without labels"
        )
    clusters, strengths, neighbors = approximate_predict(found._clusterer, points_to_predict, True)
    has_branches = np.array([found._has_branches(of) for of in found._found] + [False])
    divides = has_branches[clusters]
    branches = np.where(divides, found.branch_labels_[neighbors], 0)
    shares = np.where(divides, found.branch_probabilities_[neighbors], 1.0)
    # Clusters with too few branches have one label.
    firsts = [found.labels_[points[0]] for points in found.cluster_points_] + [-1]
    labels = np.where(divides, found.labels_[neighbors], np.array(firsts)[clusters])
    probabilities = np.where(divides, (strengths + shares) / 2, strengths)
    return labels, probabilities, clusters, strengths, branches, shares


def _clusters(model, labels, probabilities):
    """The clusters whose branches are wanted."""
    n = len(model.labels_)
    if labels is None:
        labels = np.maximum(model.labels_, -1)
        own = np.nan_to_num(model.probabilities_)
        if len(model._selected) == 1 and model._selected[0] == 0:
            rows = slice(None) if model._finite_rows is None else model._finite_rows
            found = all_but_early(model._condensed, model.cluster_selection_epsilon)
            labels[rows], own[rows] = found
    else:
        labels = _arrays.numbers("labels", labels)
        if labels.shape != (n,) or labels.dtype.kind not in "iu" or labels.min(initial=0) < -1:
            raise ValueError(f"labels must be {n} integers of at least -1, one for each point")
        labels = labels.astype(np.int32)
        if model._finite_rows is not None:
            others = np.setdiff1d(np.arange(n), model._finite_rows)
            labels[others] = -1
        own = np.where(labels < 0, 0.0, 1.0)
    if probabilities is None:
        return labels, own
    probabilities = _arrays.numbers("probabilities", probabilities).astype(np.float64)
    if probabilities.shape != (n,) or not (probabilities >= 0).all():
        raise ValueError(f"probabilities must be {n} numbers of at least 0, one for each point")
    return labels, probabilities


def _coordinates(model, rows):
    """The coordinates of rows of the fit."""
    return model._predictor.rows(model._places(rows))
