"""Estimators of clusters with the interface of scikit-learn, which they need.

* :class:`HDBSCAN` finds clusters of different densities, and noise.
* :class:`PLSCAN` does so without a least size of a cluster to choose.
* :class:`SingleLinkage` merges the nearest clusters.
* :class:`FelzenszwalbSegmentation` divides points whose neighbors differ more than their regions
  do.

All are exact and deterministic: they use the unique spanning tree of
:func:`kostra.euclidean_mst`. With ``metric="precomputed"``, ``X`` contains distances in one of these
forms:

* a square symmetric matrix,
* a condensed vector, as ``scipy.spatial.distance.pdist`` returns it,
* a sparse n-by-n matrix, such as the k-nearest-neighbor graph of scikit-learn. Stored zeros are
  distances. A pair that is stored in both directions must have one distance.
* the pair of arrays that ``kneighbors`` of scikit-learn returns. A pair of points with two
  distances is a warning, and the lesser distance counts.

The components of a sparse matrix or of k-NN arrays are joined at an infinite distance. ``X`` may
also be a :class:`kostra.Forest` whose weights are distances. So several estimators can share one
tree. Then ``metric`` and ``min_samples`` have no effect, because the tree has its distances.

:class:`HDBSCAN` and :class:`SingleLinkage` also take points on a CUDA device, such as arrays of
CuPy and PyTorch, or the tree of such points. The device finds the tree, and the processor the
clusters. The results are the same, and are in host memory.
"""

import numpy as np

from kostra import _arrays, _distances, _metrics, _points
from kostra._estimator import Estimator
from kostra._forest import Forest
from kostra._graph import Graph
from kostra._grid import number, segment
from kostra._hdbscan import HDBSCAN
from kostra._hierarchies import CondensedTree, MinimumSpanningTree, SingleLinkageTree
from kostra._plscan import PLSCAN
from kostra._prediction import (
    all_points_membership_vectors,
    approximate_predict,
    approximate_predict_scores,
    membership_vector,
)
from kostra._tree import cut, single_linkage
from kostra._validity import validity_index

__all__ = [
    "HDBSCAN",
    "CondensedTree",
    "FelzenszwalbSegmentation",
    "MinimumSpanningTree",
    "PLSCAN",
    "SingleLinkage",
    "SingleLinkageTree",
    "all_points_membership_vectors",
    "approximate_predict",
    "approximate_predict_scores",
    "membership_vector",
    "validity_index",
]


class SingleLinkage(Estimator):
    """Flat clusters by single linkage: the nearest clusters are merged first.

    Parameters
    ----------
    n_clusters : int, optional
        The number of clusters. It must be None if ``distance_threshold`` is given.
    distance_threshold : float, optional
        Clusters at this distance or above are not merged, as in scikit-learn's
        ``AgglomerativeClustering``. :func:`kostra.cut` merges at exactly its ``height``.
    min_samples : int, optional
        If it is at least 2, distances are mutual reachability distances: robust single linkage.
    metric : str or callable
        A metric of :func:`kostra.euclidean_mst`, or ``"precomputed"``.
    connectivity : matrix of n by n, or callable, optional
        Which points may be joined, as for :class:`HDBSCAN`.
    threads : int, optional
        The number of threads; by default, all of the machine's.

    Attributes
    ----------
    labels_ : array of int32
        The cluster of each point. Clusters are numbered in the order of their lowest points.
    n_clusters_ : int
        The number of clusters.
    linkage_ : array of n - 1 by 4
        The linkage matrix of SciPy.
    spanning_tree_ : Forest
        The spanning tree.
    n_features_in_ : int
        The number of columns of ``X``.

    Examples
    --------
    >>> import kostra.cluster
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> kostra.cluster.SingleLinkage(n_clusters=3).fit_predict(X)
    array([0, 0, 1, 1, 2], dtype=int32)
    """

    def __init__(
        self,
        n_clusters=2,
        *,
        distance_threshold=None,
        min_samples=None,
        metric="euclidean",
        connectivity=None,
        threads=None,
    ):
        self.n_clusters = n_clusters
        self.distance_threshold = distance_threshold
        self.min_samples = min_samples
        self.metric = metric
        self.connectivity = connectivity
        self.threads = threads

    def fit(self, X, y=None):
        """Finds the clusters of ``X``.

        Parameters
        ----------
        X : array of n by d, Forest, or distances
            Points, the tree of points, or with ``metric="precomputed"`` distances in one of the
            forms of :mod:`kostra.cluster`.
        y : ignored
            For the interface of scikit-learn.

        Returns
        -------
        self
        """
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError("pass either n_clusters or distance_threshold, and None for the other")
        tree = self._tree(X, self.min_samples)
        if self.distance_threshold is None:
            k = _arrays.required("n_clusters", self.n_clusters, 1, tree.n)
        else:
            threshold = number("distance_threshold", self.distance_threshold)
            k = tree.n_components + int(np.count_nonzero(tree.weights >= threshold))
        labels = cut(tree, k=max(k, tree.n_components))
        # Components are joined at an infinite distance, in the order of their lowest points.
        self.labels_ = np.maximum(labels - max(tree.n_components - k, 0), 0)
        self.n_clusters_ = k
        self.linkage_ = single_linkage(tree, join=np.inf)
        self.spanning_tree_ = tree
        return self


class FelzenszwalbSegmentation(Estimator):
    """Segments of points by the criterion of Felzenszwalb and Huttenlocher.

    The points are the vertices of the graph of their nearest neighbors; section 6 of the paper uses
    it for pixels with color and position. To segment the grid of an image itself, fit a
    ``kostra.Graph``, such as ``kostra.grid(image)``, or call :func:`kostra.segment`.

    Parameters
    ----------
    scale : float
        How strongly small segments are merged: larger values give larger segments. Its unit is that
        of the distances.
    min_size : int
        The least number of points of a segment in a connected graph.
    n_neighbors : int
        The number of nearest neighbors of each point, itself not included. It is reduced to n - 1.
    metric : str or callable
        A metric of :func:`kostra.nearest_neighbors`, another one of
        ``sklearn.neighbors.NearestNeighbors``, or ``"precomputed"`` for a sparse matrix with the
        distances of neighbors, or a square matrix of distances. For ``"haversine"``, the columns of
        ``X`` are latitude and longitude in degrees, and distances are in meters.
    threads : int, optional
        The number of threads; by default, all of the machine's.

    Attributes
    ----------
    labels_ : array of int32
        The segment of each point. Segments are numbered in the order of their lowest points.
    n_segments_ : int
        The number of segments.
    n_features_in_ : int
        The number of columns of ``X``.

    References
    ----------
    Felzenszwalb and Huttenlocher, "Efficient graph-based image segmentation", 2004.

    Examples
    --------
    >>> import kostra, kostra.cluster
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.3]]
    >>> segmentation = kostra.cluster.FelzenszwalbSegmentation(scale=1, min_size=1)
    >>> segmentation.fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> segmentation.set_params(scale=20).fit_predict(kostra.grid([[10, 11, 90], [10, 12, 91]]))
    array([0, 0, 1, 0, 0, 1], dtype=int32)
    """

    def __init__(
        self, scale=1.0, *, min_size=20, n_neighbors=10, metric="euclidean", threads=None
    ):
        self.scale = scale
        self.min_size = min_size
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.threads = threads

    def fit(self, X, y=None):
        """Finds the segments of ``X``.

        Parameters
        ----------
        X : array of n by d, Graph, or distances
            Points, a graph whose weights are differences, or with ``metric="precomputed"`` a matrix
            of distances.
        y : ignored
            For the interface of scikit-learn.

        Returns
        -------
        self
        """
        graph = X if isinstance(X, Graph) else self._graph(X)
        self.labels_ = segment(graph, scale=self.scale, min_size=self.min_size)
        self.n_segments_ = int(self.labels_.max(initial=-1)) + 1
        return self

    def _graph(self, X):
        X = self._validated(X)
        if hasattr(X, "tocoo"):
            graph = Graph.from_scipy(X, threads=self.threads)
            _distances.sparse_entries(X)
            return graph
        if np.ndim(X) != 2 or isinstance(X, Forest):
            raise ValueError("X must be points, or with metric='precomputed' a matrix of distances")
        if self.metric == "precomputed":
            _distances.refuse_wrong("X", X)
            _distances.refuse_no_square(X)
        k = min(_arrays.required("n_neighbors", self.n_neighbors, 1, 2**32 - 1), len(X) - 1)
        if isinstance(self.metric, str) and self.metric in _metrics.METRICS:
            indices, distances = _points.nearest_neighbors(
                X, k, metric=self.metric, threads=self.threads
            )
            points = np.repeat(np.arange(len(X)), k)
            return Graph(
                points, indices.reshape(-1), distances.reshape(-1), len(X), threads=self.threads
            )
        from sklearn.neighbors import NearestNeighbors

        neighbors = NearestNeighbors(
            n_neighbors=k, metric=self.metric, n_jobs=self.threads or -1
        )
        graph = neighbors.fit(X).kneighbors_graph(mode="distance")
        return Graph.from_scipy(graph, threads=self.threads)
