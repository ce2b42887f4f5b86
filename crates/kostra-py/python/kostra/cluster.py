"""Estimators of clusters with the interface of scikit-learn, which they need.

* :class:`HDBSCAN` finds clusters of different densities, and noise.
* :class:`SingleLinkage` merges the nearest clusters.
* :class:`FelzenszwalbSegmentation` divides points whose neighbors differ more than their regions
  do.

All three are exact and deterministic: they use the unique spanning tree of
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

from kostra import _arrays, _device, _device_forest, _distances, _kostra, _metrics, _points, _tables
from kostra._forest import Forest, in_memory
from kostra._grid import number, segment
from kostra._graph import Graph
from kostra._tree import cut, single_linkage

try:
    from sklearn.base import BaseEstimator, ClusterMixin
    from sklearn.utils import _safe_indexing
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError(
        "kostra.cluster needs scikit-learn 1.6 or later; run `pip install -U scikit-learn`"
    ) from error

__all__ = ["HDBSCAN", "FelzenszwalbSegmentation", "SingleLinkage"]


class _Estimator(ClusterMixin, BaseEstimator):
    """What the estimators have in common: the forms of ``X``."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.sparse = self.metric == "precomputed"
        return tags

    def _validated(self, X, is_new=False):
        """``X`` after scikit-learn's checks. Trees and pairs of arrays are returned as they are. New
        points must have the columns of those of the fit.
        """
        X = in_memory(X)
        if isinstance(X, Forest):
            return X
        _device.refuse_if_on_device("X", X)
        X = _tables.coordinates("X", X, self.metric)
        is_pair = isinstance(X, (tuple, list)) and len(X) == 2 and np.ndim(X[0]) == 2
        if self.metric == "precomputed" and (is_pair or np.ndim(X) == 1 and not hasattr(X, "tocoo")):
            return X
        if not hasattr(X, "tocoo"):
            self._refuse_inexact(X)
        else:
            _arrays.refuse_blocks("X", X)
            if X.dtype.kind in "iu":
                _arrays.numbers("X.data", X.tocoo().data)
        sparse = ["csr", "csc", "coo"] if self.metric == "precomputed" else False
        return validate_data(
            self,
            X,
            accept_sparse=sparse,
            dtype=[np.float64, np.float32],
            reset=not is_new,
            ensure_min_samples=1 if is_new else 2,
            # The trees of distances refuse NaN, and accept infinite distances.
            ensure_all_finite=self.metric != "precomputed",
        )

    def _refuse_inexact(self, X):
        """Refuses values that scikit-learn's checks would change, and columns that are wrong."""
        _metrics.refuse_wrong_columns("X", X, self.metric)
        array = np.asarray(X)
        if array.dtype.kind in "US" or array.dtype.kind == "O" and any(
            isinstance(value, str) for value in array.flat
        ):
            raise TypeError("X contains texts; convert them to numbers, as with X.astype(float)")
        if array.dtype.kind in "mM":
            raise TypeError("X contains times; convert them to numbers in a unit that you choose")
        if array.dtype.kind in "iuf":
            _arrays.numbers("X", X)
        if array.dtype.kind == "f" and array.ndim == 2 and self.metric != "precomputed":
            _points.refuse_infinite(array)

    def _thread_count(self):
        return self.threads

    def _tree(self, X, min_samples):
        options = {"metric": self.metric, "min_samples": min_samples}
        options["threads"] = self._thread_count()
        if self.metric != "precomputed" and _device.place_of(X) is not None:
            # scikit-learn checks arrays in host memory only. The device checks these.
            tree = _points.tree(X, **options)
            self.n_features_in_ = _device.shape_of(X)[1]
            return tree
        X = self._validated(X)
        if isinstance(X, Forest):
            options["min_samples"] = None
        return _points.tree(X, **options)


class _Predictor:
    """The points and parameters of a fit. What searches among them is built for the first search."""

    def __init__(self, points, metric, min_samples, choice):
        self._points, self._metric, self._min_samples = points, metric, min_samples
        self._choice, self._fitted = choice, None

    def __getstate__(self):
        return self.__dict__ | {"_fitted": None}

    def predict(self, condensed, points, threads):
        """The labels of points, in the clusters of a condensed tree."""
        if self._fitted is None:
            basis = {
                "coordinates": self._points.reshape(-1),
                "dimensions": self._points.shape[1],
                "metric": self._metric,
                "min_samples": self._min_samples,
                "threads": threads,
            }
            self._fitted = _kostra.Fitted(basis, condensed, self._choice, False)
        flat = np.ascontiguousarray(points).reshape(-1)
        return self._fitted.predict(flat, points.shape[1], threads)[0]


class HDBSCAN(_Estimator):
    """Clusters of different densities, and noise, by HDBSCAN.

    The result depends on the set of the points alone: rows in another order have the same labels,
    probabilities and scores, and equal rows have equal labels. So merges at one distance are undone
    together, as the source does it. Nearly all data have such merges, because the core distance of
    a point is its distance to several others. ``sklearn.cluster.HDBSCAN`` and the package hdbscan
    undo them one by one; ``ties="scikit-learn"`` does so, too.

    Parameters
    ----------
    min_cluster_size : int
        The least number of points of a cluster, at least 2.
    min_samples : int, optional
        The number of nearest points, itself included, within the core distance of a point. By
        default, ``min_cluster_size``. With 1, clusters are those of plain single linkage. A Forest
        already has its distances, so ``min_samples`` and ``metric`` have no effect on it. The
        package hdbscan does not count the point itself: its ``k`` is ``k + 1`` here.
    cluster_selection_epsilon : float
        Clusters are not divided below this distance.
    max_cluster_size : int, optional
        The largest cluster that the method ``"eom"`` selects. As in scikit-learn, the method
        ``"leaf"`` ignores it. The cluster of all points counts all its points, where scikit-learn
        counts only those in clusters below it.
    metric : str or callable
        A metric of :func:`kostra.euclidean_mst`, or ``"precomputed"``.
    cluster_selection_method : {"eom", "leaf"}
        Whether to select the clusters with the most excess of mass, or those that are not divided
        further: more and smaller ones of similar density.
    allow_single_cluster : bool
        Whether the cluster of all points may be selected.
    ties : {"together", "scikit-learn"}
        Whether merges at one distance are undone together, or one by one, in an order that depends
        on the order of the rows. Labels and probabilities of the latter are those of scikit-learn
        if no two distances that matter are equal: mutual reachability distances are equal in
        nearly all data if ``min_samples`` is above 2.
    store_centers : {"centroid", "medoid", "both"}, optional
        Which centers of clusters to compute, as in scikit-learn. They need points in host memory.
        Haversine distances have no centroids, because longitudes start again at 180 degrees.
    nonfinite : {"refuse", "label"}
        Whether points with NaN or infinite coordinates are refused, or have labels of their own, as
        in scikit-learn. The clusters are those of the other points, and the trees contain only
        them, numbered in their order.
    threads : int, optional
        The number of threads; by default, all of the machine's.
    n_jobs : int, optional
        The same, with the meaning of scikit-learn: -1 for all threads, -2 for all but one. By
        default, ``threads`` decides.

    Attributes
    ----------
    labels_ : array of int32
        The cluster of each point; -1 for noise. With ``nonfinite="label"``, -3 for points with NaN
        and -2 for others with infinite coordinates. Clusters that begin at a larger distance come
        first, then larger ones, then those whose distances inside come first in a fixed order. If
        all distances inside are equal, the lowest coordinates decide, or without coordinates the
        lowest row. ``ties="scikit-learn"`` numbers them as scikit-learn does.
    probabilities_ : array of float64
        How strongly each point belongs to its cluster, from 0 to 1; 0 for noise and the label -2,
        NaN for the label -3.
    outlier_scores_ : array of float64
        The outlier score of each point by GLOSH, from 0 to 1; NaN for the labels -2 and -3.
    centroids_ : array of n_clusters by n_features_in_
        The mean of the points of each cluster, weighted by their probabilities. Only with
        ``store_centers="centroid"`` or ``"both"``.
    medoids_ : array of n_clusters by n_features_in_
        The point of each cluster with the least sum of distances to the others, weighted by their
        probabilities. Only with ``store_centers="medoid"`` or ``"both"``. Takes time quadratic in
        the size of a cluster.
    spanning_tree_ : Forest
        The spanning tree, for other values of the parameters: ``HDBSCAN(...).fit(tree)``.
    n_features_in_ : int
        The number of columns of ``X``.

    Notes
    -----
    In a sparse matrix, the ``min_samples``-th smallest stored entry of a row is the core distance,
    as in scikit-learn. So store the zeros of the diagonal to count each point itself. In the arrays
    of ``kneighbors``, every point counts itself, whether its row contains it or not.

    References
    ----------
    Campello, Moulavi, Zimek and Sander, "Hierarchical density estimates for data clustering,
    visualization, and outlier detection", 2015. Malzer and Baum, "A hybrid approach to hierarchical
    density-based cluster selection", 2020.

    Examples
    --------
    >>> import kostra.cluster
    >>> X = [[0.0], [0.1], [0.2], [0.4], [5.0], [5.1], [5.3], [20.0]]
    >>> kostra.cluster.HDBSCAN(min_cluster_size=2).fit_predict(X)
    array([ 0,  0,  0,  0,  1,  1,  1, -1], dtype=int32)
    """

    def __init__(
        self,
        min_cluster_size=5,
        *,
        min_samples=None,
        cluster_selection_epsilon=0.0,
        max_cluster_size=None,
        metric="euclidean",
        cluster_selection_method="eom",
        allow_single_cluster=False,
        ties="together",
        store_centers=None,
        nonfinite="refuse",
        threads=None,
        n_jobs=None,
    ):
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.ties = ties
        self.store_centers = store_centers
        self.nonfinite = nonfinite
        self.threads = threads
        self.n_jobs = n_jobs

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
        most = 2**32 - 1
        least = _arrays.required("min_cluster_size", self.min_cluster_size, 2, most)
        methods = ("eom", "leaf")
        method = self.cluster_selection_method
        choice = {
            "leaf": _arrays.choice("cluster_selection_method", method, methods) == "leaf",
            "epsilon": number("cluster_selection_epsilon", self.cluster_selection_epsilon),
            "allow_single_cluster": _arrays.flag("allow_single_cluster", self.allow_single_cluster),
            "max_cluster_size": _arrays.whole("max_cluster_size", self.max_cluster_size, 1, most),
        }
        one_by_one = _arrays.choice("ties", self.ties, ("together", "scikit-learn")) != "together"
        most = choice["max_cluster_size"]
        if most is not None and most < least and method == "eom":
            raise ValueError(
                f"max_cluster_size is {most}, below min_cluster_size, {least}; no cluster has both"
            )
        self._refuse_centers(X)
        X, nonfinite = self._finite(X)
        tree = self._tree_of_samples(X, least)
        self._least, self._one_by_one = least, one_by_one
        self._condensed = self._condense(tree, least, one_by_one)
        self._ranks = self._ranks_of(X) if self._condensed.is_ambiguous else None
        self._number()
        self.labels_, self.probabilities_, self._selected = self._condensed.select(choice)
        self.outlier_scores_ = self._condensed.outlier_scores()
        self.spanning_tree_ = tree
        self._store_centers(X)
        self._predictor = self._predictor_of(X, least, choice)
        if not (self.labels_ >= 0).any():
            _arrays.warn(
                f"all {len(self.labels_)} points are noise; pass a smaller min_cluster_size or "
                "min_samples, or allow_single_cluster=True if all points may be one cluster"
            )
        if nonfinite is not None:
            self._add_nonfinite(nonfinite)
        return self

    def predict(self, X):
        """The clusters of new points, each as if it alone were added to the fitted points.

        A new point joins the cluster that it reaches at the least distance, and of several the one
        with the lowest label. It reaches a cluster at the largest of its core distance (to the
        ``min_samples``-th nearest fitted point), the distance to a point of the cluster, and the
        distance at which that point leaves the cluster; at this distance, the cluster must exist.
        A point that reaches none is noise. So fitted points have their own labels, except with
        ``ties="scikit-learn"``. hdbscan's ``approximate_predict`` asks only the neighbor that is
        reached first, and may give other labels.

        Parameters
        ----------
        X : array of m by n_features_in_
            Points with finite coordinates. The model must have been fitted to points in host memory
            with a metric of :func:`kostra.euclidean_mst` that has a name there.

        Returns
        -------
        labels : array of int32
            The cluster of each point; -1 for noise.
        """
        check_is_fitted(self)
        if self._predictor is None:
            raise ValueError(
                "predict needs the points of the fit, but this model was fitted to distances, a "
                "tree, points on a device, or by a metric of SciPy; fit it to points in host memory "
                "with metric='euclidean', 'manhattan', 'chebyshev', 'cosine' or 'haversine'"
            )
        if isinstance(in_memory(X), Forest):
            raise TypeError("X is a forest; pass the coordinates of new points")
        points = self._validated(X, is_new=True)
        return self._predictor.predict(
            self._condensed, points, _arrays.threads(self._thread_count())
        )

    def _predictor_of(self, X, least, choice):
        """What predicts the clusters of new points; None if the fit has no points of the engine."""
        is_forest = isinstance(in_memory(X), Forest)
        if is_forest or self.metric == "precomputed" or _device.place_of(X) is not None:
            return None
        metric = _metrics.resolve(self.metric)
        if callable(metric):
            return None
        is_single = np.asarray(X).dtype == np.float32
        points = np.array(X, np.float32 if is_single else np.float64, order="C")
        samples = least if self.min_samples is None else int(self.min_samples)
        return _Predictor(points, metric, samples, choice)

    def _thread_count(self):
        return _arrays.threads_of_jobs(self.threads, self.n_jobs)

    def _finite(self, X):
        """The points with finite coordinates, and the labels of the other ones: 0 for finite points,
        and None instead of the labels if there are no other ones.
        """
        label = _arrays.choice("nonfinite", self.nonfinite, ("refuse", "label")) == "label"
        if isinstance(in_memory(X), Forest) or _device.place_of(X) is not None:
            return X, None
        X = _tables.coordinates("X", X, self.metric)
        if not label or self.metric == "precomputed" or np.ndim(X) != 2:
            return X, None
        values = np.asarray(X, np.float64)
        is_missing, is_finite = np.isnan(values).any(axis=1), np.isfinite(values).all(axis=1)
        if is_finite.all():
            return X, None
        labels = np.where(is_missing, -3, np.where(is_finite, 0, -2)).astype(np.int32)
        return _safe_indexing(X, np.flatnonzero(is_finite)), labels

    def _add_nonfinite(self, labels):
        """Adds points without finite coordinates to the attributes per point."""
        is_finite = labels == 0
        probabilities = np.where(labels == -3, np.nan, 0.0)
        scores = np.full(len(labels), np.nan)
        labels[is_finite] = self.labels_
        probabilities[is_finite], scores[is_finite] = self.probabilities_, self.outlier_scores_
        self.labels_, self.probabilities_, self.outlier_scores_ = labels, probabilities, scores

    def _tree_of_samples(self, X, least):
        if self.min_samples is not None:
            return self._tree(X, self.min_samples)
        try:
            return self._tree(X, least)
        except _distances.SamplesError as error:
            raise ValueError(f"{error}; by default, it is min_cluster_size") from None

    def _refuse_centers(self, X):
        """Refuses centers of clusters that do not exist."""
        if self.store_centers is None:
            return
        _arrays.choice("store_centers", self.store_centers, ("centroid", "medoid", "both"))
        is_forest = isinstance(in_memory(X), Forest)
        if is_forest or self.metric == "precomputed" or _device.place_of(X) is not None:
            raise ValueError(
                f"store_centers={self.store_centers!r} needs points in host memory; "
                "pass points and their metric, or leave store_centers out"
            )
        if self.metric == "haversine" and self.store_centers != "medoid":
            raise ValueError(
                "longitudes have no mean across 180 degrees; pass store_centers='medoid'"
            )

    def _store_centers(self, X):
        if self.store_centers is None:
            return
        points = np.asarray(X, np.float64)
        centroids, medoids = _metrics.centers(
            points, self.labels_, self.probabilities_, self.metric
        )
        if self.store_centers in ("centroid", "both"):
            self.centroids_ = centroids
        if self.store_centers in ("medoid", "both"):
            self.medoids_ = medoids

    @property
    def condensed_tree_(self):
        """The condensed tree, with the columns of ``condensed_tree_.to_numpy()`` of the package
        hdbscan: a record array of ``parent``, ``child``, ``lambda_val`` and ``child_size``.

        Points are numbered from 0 to n - 1, and clusters from n. Cluster n contains all points.
        """
        check_is_fitted(self)
        clusters = self._condensed.clusters()
        homes, departures = self._condensed.points()
        n = len(homes)
        types = [("parent", int), ("child", int), ("lambda_val", float), ("child_size", int)]
        rows = np.empty(n + max(len(clusters["size"]) - 1, 0), types)
        below, points = rows[n:], rows[:n]
        points["parent"], points["child"], points["child_size"] = n + homes, np.arange(n), 1
        below["parent"] = n + clusters["parent"][1:]
        below["child"] = n + 1 + np.arange(len(below))
        below["child_size"] = clusters["size"][1:]
        with np.errstate(divide="ignore"):
            points["lambda_val"] = 1 / departures
            below["lambda_val"] = 1 / clusters["birth"][1:]
        return rows

    def __getstate__(self):
        # The compiled condensed tree is computed again from the spanning tree.
        state = dict(super().__getstate__())
        state.pop("_condensed", None)
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if hasattr(self, "spanning_tree_"):
            self._condensed = self._condense(self.spanning_tree_, self._least, self._one_by_one)
            self._number()

    def _condense(self, tree, least, one_by_one):
        return _kostra.Condensed(tree._inner, least, one_by_one, self._thread_count())

    def _number(self):
        if self._ranks is not None:
            self._condensed = self._condensed.numbered_by(self._ranks)

    def _ranks_of(self, X):
        """The place of each row in the order of their coordinates; None for distances."""
        if self.metric == "precomputed" or isinstance(in_memory(X), Forest):
            return None
        is_on_device = _device.place_of(X) is not None
        points = _device_forest.rows_on_host(X) if is_on_device else np.asarray(X)
        ranks = np.empty(len(points), np.int64)
        ranks[np.lexsort(points.T[::-1])] = np.arange(len(points))
        return ranks


class SingleLinkage(_Estimator):
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
        threads=None,
    ):
        self.n_clusters = n_clusters
        self.distance_threshold = distance_threshold
        self.min_samples = min_samples
        self.metric = metric
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


class FelzenszwalbSegmentation(_Estimator):
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
