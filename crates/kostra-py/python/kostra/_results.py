"""What a fitted HDBSCAN knows in addition to labels: its trees, centers of clusters, and indices."""

from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from kostra import _arrays, _connectivity, _metrics
from kostra._hierarchies import CondensedTree, MinimumSpanningTree, SingleLinkageTree
from kostra._tree import single_linkage
from kostra._validity import persistence, relative_validity


class Edges(NamedTuple):
    """The ends and distances of the edges of a tree."""

    u: np.ndarray
    v: np.ndarray
    weights: np.ndarray


def condensed_tree(condensed, selected, weights=None):
    """The engine's condensed tree with its chosen clusters, as in the package hdbscan."""
    clusters = condensed.clusters()
    homes, departures = condensed.points()
    n = len(homes)
    types = [("parent", int), ("child", int), ("lambda_val", float), ("child_size", int)]
    rows = np.empty(n + max(len(clusters["size"]) - 1, 0), types)
    below, points = rows[n:], rows[:n]
    points["parent"], points["child"] = n + homes, np.arange(n)
    points["child_size"] = 1 if weights is None else weights
    below["parent"] = n + clusters["parent"][1:]
    below["child"] = n + 1 + np.arange(len(below))
    below["child_size"] = clusters["size"][1:]
    with np.errstate(divide="ignore"):
        points["lambda_val"] = 1 / departures
        below["lambda_val"] = 1 / clusters["birth"][1:]
    return CondensedTree(rows, n + selected.astype(int))


class Results:
    """The attributes and methods of a fitted HDBSCAN that are computed when they are asked for."""

    @property
    def condensed_tree_(self):
        """The hierarchy without the clusters of fewer than ``min_cluster_size`` points, a
        :class:`CondensedTree`.
        """
        check_is_fitted(self)
        weights = None if self._copies is None else self._copies[0]
        return condensed_tree(self._condensed, self._selected, weights)

    @property
    def single_linkage_tree_(self):
        """The hierarchy of single linkage, a :class:`SingleLinkageTree`. Its sizes are numbers of
        rows, also with ``sample_weight``.
        """
        check_is_fitted(self)
        linkage = single_linkage(self.spanning_tree_, join=np.inf)
        return SingleLinkageTree(linkage, self._copies)

    @property
    def minimum_spanning_tree_(self):
        """``spanning_tree_`` with the coordinates of its points, a :class:`MinimumSpanningTree`."""
        check_is_fitted(self)
        tree = self.spanning_tree_
        points = None if self._predictor is None else self._predictor.rows()
        return MinimumSpanningTree(np.column_stack([tree.u, tree.v, tree.weights]), points)

    @property
    def cluster_persistence_(self):
        """The stability of each cluster from 0 to 1: its excess of mass, divided by that of its
        points at the highest density of the tree. 1 if points coincide. An array of float64.
        """
        check_is_fitted(self)
        weights = None if self._copies is None else self._copies[0]
        return persistence(self._condensed, self._selected, self._used(self.labels_), weights)

    @property
    def relative_validity_(self):
        """The index DBCV, from -1 to 1, with the distances of the spanning tree. Only good for
        comparing parameters on the same points. 0 without clusters. Of several spanning trees the
        coordinates decide, or without coordinates the order of the rows. Takes the time of a fit.
        """
        check_is_fitted(self)
        labels = self._used(self.labels_)
        n = len(self.labels_)
        if self._copies is not None:
            n = int(self._copies[0].sum())
        return relative_validity(self._tree_by_coordinates(), labels, n, self._copies)

    def _tree_by_coordinates(self):
        """The ends and distances of the spanning tree that ``fit`` finds for the points in the order
        of their coordinates: the same one for any order of the rows.
        """
        tree = self.spanning_tree_
        has_ties = len(np.unique(tree.weights)) < len(tree.weights)
        if self._predictor is None or self.approximate or not has_ties:
            return Edges(tree.u, tree.v, tree.weights)
        points, again = self._predictor.points, clone(self)
        ranks = self._ranks_of(points)
        order = np.argsort(ranks)
        if self.connectivity is not None:
            ends = _connectivity.pairs(self.connectivity, points, self._among)
            again.connectivity = _connectivity.matrix(*(ranks[end] for end in ends), len(ranks))
        counts = None if self._copies is None else self._copies[0][order]
        options = self._predictor._min_samples, self._metric_parameters(), self.alpha, counts
        tree, _ = again._tree_and_cores(points[order], *options)
        return Edges(order[tree.u], order[tree.v], tree.weights)

    def _used(self, values):
        """The values of the rows that the trees contain."""
        return values if self._finite_rows is None else values[self._finite_rows]

    def _places(self, rows):
        """The places of rows of the fit among those that the trees contain."""
        return rows if self._finite_rows is None else np.searchsorted(self._finite_rows, rows)

    def dbscan_clustering(self, cut_distance, min_cluster_size=5):
        """The clusters at a distance, and noise: DBSCAN without border points.

        Parameters
        ----------
        cut_distance : float
            Clusters whose mutual reachability distance is below this one are merged.
        min_cluster_size : int
            The points of smaller clusters are noise.

        Returns
        -------
        array of int64
            The cluster of each point, in the order of their lowest points; -1 for noise, and the
            labels -2 and -3 of ``labels_``.
        """
        found = self.single_linkage_tree_.get_clusters(cut_distance, min_cluster_size)
        if self._finite_rows is None:
            return found
        labels = self.labels_.astype(np.int64)
        labels[self._finite_rows] = found
        return labels

    def weighted_cluster_centroid(self, cluster_id):
        """The mean of the points of a cluster, weighted by their probabilities.

        Parameters
        ----------
        cluster_id : int
            The label of the cluster.

        Returns
        -------
        array of n_features_in_
            For haversine distances, the direction of the mean in space, as latitude and longitude.
        """
        return _metrics.centroid(*self._members(cluster_id), self.metric)

    def weighted_cluster_medoid(self, cluster_id):
        """The point of a cluster with the least sum of distances to the others, weighted by their
        probabilities. Takes time quadratic in the size of the cluster.

        Parameters
        ----------
        cluster_id : int
            The label of the cluster.

        Returns
        -------
        array of n_features_in_
        """
        points, weights = self._members(cluster_id)
        return _metrics.medoid(points, weights, self._distances_of(points))

    def _distances_of(self, points):
        """The distances of some points, by the metric of all points."""
        if self._predictor.map is not None:
            return _metrics.rows_of(_metrics.mapped(points, self._predictor.map), "euclidean")
        return _metrics.rows_of(points, self.metric, self._metric_parameters())

    def _members(self, label):
        """The coordinates of the points of a cluster, and their probabilities times what they count
        as.
        """
        check_is_fitted(self)
        if self._predictor is None:
            raise ValueError(
                "centers of clusters need points in host memory, but this model was fitted to "
                "distances, a tree, or points on a device"
            )
        label = _arrays.required("cluster_id", label, 0, len(self._selected) - 1)
        rows = np.flatnonzero(self.labels_ == label)
        places = self._places(rows)
        weights = self.probabilities_[rows]
        if self._copies is not None:
            weights = weights * self._copies[0][places]
        return self._predictor.rows(places).astype(np.float64), weights
