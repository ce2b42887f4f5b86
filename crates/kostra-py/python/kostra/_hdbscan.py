"""The estimator HDBSCAN."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from kostra import (
    _arrays,
    _constraints,
    _device,
    _device_forest,
    _distances,
    _kostra,
    _metrics,
    _tables,
    _weights,
)
from kostra._estimator import Estimator
from kostra._forest import Forest, in_memory
from kostra._grid import number
from kostra._prediction import Predictor, exemplars, fitted, membership_vector, new_points
from kostra._results import Results

#: A model without constraints.
_NO_LINKS = {"must_link": [], "cannot_link": []}
#: The largest number of points.
_MOST = 2**32 - 1


class HDBSCAN(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Results, Estimator):
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
        already has its distances, so ``min_samples``, ``metric`` and ``approximate`` have no effect
        on it. The package hdbscan does not count the point itself: its ``k`` is ``k + 1`` here.
    cluster_selection_epsilon : float
        Clusters are not divided below this distance.
    cluster_selection_epsilon_max : float, optional
        The method ``"eom"`` selects no cluster that begins above this distance.
    cluster_selection_persistence : float
        The least difference of densities, 1 / distance, between the beginning and the densest part
        of a cluster. Clusters that persist less are removed from the condensed tree. If fewer than
        two parts of a cluster persist, it is not divided.
    max_cluster_size : int, optional
        The largest cluster that the method ``"eom"`` selects. As in scikit-learn, the method
        ``"leaf"`` ignores it. The cluster of all points counts all its points, where scikit-learn
        counts only those in clusters below it.
    metric : str or callable
        A metric of :func:`kostra.euclidean_mst`, or ``"precomputed"``.
    metric_params : dict, optional
        Parameters of the metric, as for :func:`kostra.euclidean_mst`.
    alpha : float
        Distances, but not core distances, are divided by this number, as in robust single linkage.
        Other values than 1 need points or a square matrix, and for others than the Euclidean,
        Manhattan, Chebyshev and cosine distances compare all pairs on one thread.
        scikit-learn also divides the core distances where it compares all pairs.
    connectivity : matrix of n by n, or callable, optional
        Which points may be joined, with the meaning of scikit-learn's ``AgglomerativeClustering``:
        the stored entries of a sparse matrix, or the elements of an array that are not zero, in
        either direction. A callable gets ``X`` and returns the matrix. The spanning tree contains
        only such pairs, at their mutual reachability distances. Core distances are those of all
        points. No cluster contains points of two components of the matrix; scikit-learn adds pairs
        until there is one component. Needs points, or a square matrix of distances. Metrics of
        SciPy and callables compare all pairs on one thread. There are no predictions, because new
        points are not connected. With ``sample_weight``, the points that a row counts as are
        connected with each other, and with those of connected rows.
    algorithm, leaf_size, copy : str, int, bool
        Without effect, for the interface of scikit-learn. The tree does not depend on how it is
        found, and ``X`` does not change.
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
    prediction_data : bool
        Whether ``fit`` prepares the points for predictions and memberships. Otherwise the first
        call of a function that needs this prepares them.
    nonfinite : {"refuse", "label"}
        Whether points with NaN or infinite coordinates are refused, or have labels of their own, as
        in scikit-learn. The clusters are those of the other points, and the trees contain only
        them, numbered in their order.
    approximate : bool
        Whether the spanning tree may be longer than the minimum, as in
        :func:`kostra.euclidean_mst`. ``spanning_tree_.error`` says how much longer at most.
    seed : int
        The seed of an approximate tree.
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
        :meth:`weighted_cluster_centroid` of each cluster. Only with ``store_centers="centroid"`` or
        ``"both"``.
    medoids_ : array of n_clusters by n_features_in_
        :meth:`weighted_cluster_medoid` of each cluster. Only with ``store_centers="medoid"`` or
        ``"both"``.
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
        cluster_selection_epsilon_max=None,
        cluster_selection_persistence=0.0,
        max_cluster_size=None,
        metric="euclidean",
        metric_params=None,
        alpha=1.0,
        connectivity=None,
        algorithm="auto",
        leaf_size=40,
        copy=False,
        cluster_selection_method="eom",
        allow_single_cluster=False,
        ties="together",
        store_centers=None,
        prediction_data=False,
        nonfinite="refuse",
        approximate=False,
        seed=0,
        threads=None,
        n_jobs=None,
    ):
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.cluster_selection_epsilon_max = cluster_selection_epsilon_max
        self.cluster_selection_persistence = cluster_selection_persistence
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.connectivity = connectivity
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.copy = copy
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.ties = ties
        self.store_centers = store_centers
        self.prediction_data = prediction_data
        self.nonfinite = nonfinite
        self.approximate = approximate
        self.seed = seed
        self.threads = threads
        self.n_jobs = n_jobs

    def fit(self, X, y=None, sample_weight=None, must_link=None, cannot_link=None):
        """Finds the clusters of ``X``.

        Parameters
        ----------
        X : array of n by d, Forest, or distances
            Points, the tree of points, or with ``metric="precomputed"`` distances in one of the
            forms of :mod:`kostra.cluster`. Also a sparse matrix of features, such as TF-IDF. By
            ``"euclidean"`` and ``"cosine"`` distances, its zeros take no memory.
        y : ignored
            For the interface of scikit-learn.
        sample_weight : array of n numbers, optional
            How many points each row counts as: the result is that of the repeated rows, for
            ``min_samples``, ``min_cluster_size``, and everything that is computed from the model.
            Only ``single_linkage_tree_`` counts rows. Rows of weight 0 do not count. They have the
            label -1, the probability 0 and the outlier score NaN, and are not in the trees. Weights
            need host memory and ``ties="together"``, and ``X`` must not be a Forest or k-NN arrays.
        must_link, cannot_link : arrays of m by 2 integers, optional
            Pairs of rows that belong to one cluster, and pairs that do not. Of the selections of
            clusters from the condensed tree, the one that satisfies the most of these constraints
            is chosen, and of several the one with the most excess of mass. A pair of
            ``cannot_link`` is also satisfied if one of its points is noise. The tree does not
            change, so a constraint that no cluster of it satisfies is left unsatisfied. They need
            ``cluster_selection_method="eom"`` without ``cluster_selection_epsilon``.

        Returns
        -------
        self
        """
        least, self._links = self._least_size(), _NO_LINKS
        choice, alpha = self._choice(least), self._checked_alpha()
        ties = _arrays.choice("ties", self.ties, ("together", "scikit-learn"))
        self._refuse_centers(X)
        weights = self._checked_weights(X, sample_weight)
        X, weights, others = self._counted(X, weights)
        self._finite_rows = None if others is None else np.flatnonzero(others == 0)
        self._among = None if others is None else (self._finite_rows, len(others))
        tree, cores = self._tree_of_samples(X, weights, least, alpha)
        self._copies = None if weights is None else (weights, cores)
        self._one_by_one = ties != "together"
        self._least = least = self._chosen_size(tree, least)
        self._persistence = number(
            "cluster_selection_persistence", self.cluster_selection_persistence
        )
        [self._condensed] = self._condense(tree, [least])
        self._ranks = self._ranks_of(X) if self._condensed.is_ambiguous else None
        self._condensed = self._numbered_and_simplified(self._condensed)
        n = tree.n if others is None else len(others)
        self._links = self._checked_links({"must_link": must_link, "cannot_link": cannot_link}, n)
        choice |= self._links
        self.labels_, self.probabilities_, self._selected = self._condensed.select(choice)
        self.outlier_scores_ = self._condensed.outlier_scores()
        self.spanning_tree_ = tree
        self._predictor = self._predictor_of(X, least, choice)
        self._on_device = _device.place_of(X) is not None
        if not (self.labels_ >= 0).any():
            _arrays.warn(
                f"all {len(self.labels_)} points are noise; pass a smaller min_cluster_size or "
                "min_samples, or allow_single_cluster=True if all points may be one cluster"
            )
        if others is not None:
            self._add_others(others)
        self._store_centers()
        if self.prediction_data:
            self.generate_prediction_data()
        return self

    def _least_size(self):
        return _arrays.required("min_cluster_size", self.min_cluster_size, 2, _MOST)

    def _chosen_size(self, tree, least):
        """The least size of a cluster, for the tree of the points."""
        return least

    def _choice(self, least):
        """How clusters are selected, for the engine."""
        method = _arrays.choice(
            "cluster_selection_method", self.cluster_selection_method, ("eom", "leaf")
        )
        most = _arrays.whole("max_cluster_size", self.max_cluster_size, 1, _MOST)
        if most is not None and most < least and method == "eom":
            raise ValueError(
                f"max_cluster_size is {most}, below min_cluster_size, {least}; no cluster has both"
            )
        highest = self.cluster_selection_epsilon_max
        return {
            "leaf": method == "leaf",
            "epsilon": number("cluster_selection_epsilon", self.cluster_selection_epsilon),
            "allow_single_cluster": _arrays.flag("allow_single_cluster", self.allow_single_cluster),
            "max_cluster_size": most,
            "max_distance": highest and number("cluster_selection_epsilon_max", highest),
        } | self._links

    def _checked_links(self, links, n):
        """The constraints on ``n`` rows, for the engine."""
        links = {name: _constraints.checked(name, pairs, n) for name, pairs in links.items()}
        if self._finite_rows is not None:
            # Rows that are not in the trees are noise.
            links = {
                name: _constraints.among(pairs, self._finite_rows, n)
                for name, pairs in links.items()
            }
        return {name: pairs.tolist() for name, pairs in links.items()}

    def _checked_alpha(self):
        """``alpha``, after checks of the parameters that have no effect."""
        _arrays.choice("algorithm", self.algorithm, ("auto", "brute", "kd_tree", "ball_tree"))
        _arrays.required("leaf_size", self.leaf_size, 1, _MOST)
        _arrays.flag("copy", self.copy)
        alpha = number("alpha", self.alpha)
        if not 0 < alpha < np.inf:
            raise ValueError(f"alpha must be a finite number above 0, not {alpha}")
        return alpha

    def _approximation(self):
        return {"approximate": self.approximate, "seed": self.seed}

    def _metric_parameters(self):
        return self.metric_params

    def predict(self, X):
        """The clusters of new points, each as if it alone were added to the fitted points.

        A new point joins the cluster that it reaches at the least distance, and of several the one
        with the lowest label. It reaches a cluster at the largest of its core distance (to the
        ``min_samples``-th nearest fitted point), the distance to a point of the cluster divided by
        ``alpha``, and the distance at which that point leaves the cluster; at this distance, the
        cluster must exist.
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
        model = fitted(self, "predict", needs_cores=False)
        return model.predict(*new_points(self, X))[0]

    def transform(self, X):
        """The memberships of new points, as :func:`membership_vector` returns them.

        With ``set_output(transform="pandas")``, the result is a table with the index of ``X``.

        Parameters
        ----------
        X : array of m by n_features_in_
            Points, as for :meth:`predict`.

        Returns
        -------
        array of m by n_clusters
        """
        return membership_vector(self, X)

    @property
    def _n_features_out(self):
        return len(self._selected)

    def generate_prediction_data(self):
        """Prepares the fitted points for predictions and memberships.

        The first call of a function that needs this does it, too. So this call only decides when
        the time is spent, as ``prediction_data=True`` does.

        Returns
        -------
        self
        """
        fitted(self, "generate_prediction_data")
        return self

    @property
    def exemplars_(self):
        """For each cluster, its exemplars: the points in its densest parts, an array of any number
        by ``n_features_in_``. They are the points that leave last in the clusters of the condensed
        tree below it that are not divided.
        """
        return exemplars(self)

    def _predictor_of(self, X, least, choice):
        """The points of the fit and what predicts the clusters of new ones; None without points."""
        is_forest = isinstance(in_memory(X), Forest)
        if is_forest or self.metric == "precomputed" or _device.place_of(X) is not None:
            return None
        params = self._metric_parameters()
        metric = _metrics.resolve(self.metric, params)
        if hasattr(X, "tocoo"):
            points = X.copy()
        else:
            is_single = np.asarray(X).dtype == np.float32
            points = np.array(X, np.float32 if is_single else np.float64, order="C")
        weights = None if self._copies is None else self._copies[0]
        by = _metrics.linear_map(self.metric, params, points, weights)
        is_scaled = self.alpha == 1 or _metrics.divides(metric, self.alpha)
        has_search = not callable(metric) and is_scaled
        measure = metric if has_search else None, by, self.alpha
        return Predictor(points, measure, (self._samples(X, least), weights), choice)

    def _samples(self, X, least):
        """The number of samples of a fit, where a point counts itself."""
        return least if self.min_samples is None else int(self.min_samples)

    def _thread_count(self):
        return _arrays.threads_of_jobs(self.threads, self.n_jobs)

    def _takes_sparse_rows(self):
        is_precomputed = isinstance(self.metric, str) and self.metric == "precomputed"
        params = self._metric_parameters()
        return not is_precomputed and _metrics.takes_sparse_rows(self.metric, params)

    def _checked_weights(self, X, sample_weight):
        if sample_weight is None:
            return None
        X = in_memory(X)
        is_pair = isinstance(X, (tuple, list)) and len(X) == 2 and np.ndim(X[0]) == 2
        if isinstance(X, Forest) or self.metric == "precomputed" and is_pair:
            raise ValueError(
                "sample_weight needs points, or distances as a matrix or a condensed vector, because "
                "core distances depend on it"
            )
        if _device.place_of(X) is not None:
            raise ValueError("sample_weight needs points in host memory")
        if self.ties != "together":
            raise ValueError(
                "with ties='scikit-learn', labels depend on the order of equal rows; leave ties out, "
                "or pass numpy.repeat(X, sample_weight, axis=0)"
            )
        X = _tables.coordinates("X", X, self.metric)
        n = X.shape[0] if hasattr(X, "tocoo") else _num_samples(X)
        if self.metric == "precomputed" and np.ndim(X) == 1 and not hasattr(X, "tocoo"):
            n = int(round((1 + np.sqrt(1 + 8 * n)) / 2))
        return _weights.checked(sample_weight, n)

    def _counted(self, X, weights):
        """The points with finite coordinates and weights above 0, their weights, and the labels of the
        other ones: 0 for these points, and None instead of the labels if there are no other ones.
        """
        label = _arrays.choice("nonfinite", self.nonfinite, ("refuse", "label")) == "label"
        if isinstance(in_memory(X), Forest) or _device.place_of(X) is not None:
            return X, weights, None
        X, labels = _tables.coordinates("X", X, self.metric), None
        if self.metric == "precomputed":
            label = False
        elif hasattr(X, "tocoo") and self._takes_sparse_rows():
            X = (_tables.rows_of_sparse if label else _tables.sparse)("X", X)
        else:
            X = _tables.dense("X", X)
        if label and (hasattr(X, "tocoo") or np.ndim(X) == 2):
            is_missing, is_finite = _tables.missing_and_finite(X)
            labels = np.where(is_missing, -3, np.where(is_finite, 0, -2)).astype(np.int32)
        if weights is not None and not weights.all():
            labels = np.zeros(len(weights), np.int32) if labels is None else labels
            labels[(labels == 0) & (weights == 0)] = -1
        if labels is None or not labels.any():
            return X, weights, None
        rows = np.flatnonzero(labels == 0)
        weights = None if weights is None else weights[rows]
        if self.metric != "precomputed":
            return _safe_indexing(X, rows), weights, labels
        if len(getattr(X, "shape", ())) != 2:
            row = int(labels.argmin())
            raise ValueError(
                f"sample_weight[{row}] is 0; leave the point out, or pass a square matrix"
            )
        X = X.tocsr() if hasattr(X, "tocoo") else np.asarray(X)
        return X[rows][:, rows], weights, labels

    def _add_others(self, labels):
        """Adds the points that are not in the trees to the attributes per point."""
        is_finite = labels == 0
        probabilities = np.where(labels == -3, np.nan, 0.0)
        scores = np.full(len(labels), np.nan)
        labels[is_finite] = self.labels_
        probabilities[is_finite], scores[is_finite] = self.probabilities_, self.outlier_scores_
        self.labels_, self.probabilities_, self.outlier_scores_ = labels, probabilities, scores

    def _tree_of_samples(self, X, weights, least, alpha):
        try:
            samples = self._samples(X, least)
            return self._tree_and_cores(X, samples, self._metric_parameters(), alpha, weights)
        except _distances.SamplesError as error:
            if self.min_samples is not None:
                raise
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

    def _store_centers(self):
        if self.store_centers is None:
            return
        labels = range(len(self._selected))
        none = np.empty((0, self.n_features_in_))
        if self.store_centers in ("centroid", "both"):
            self.centroids_ = np.array([*map(self.weighted_cluster_centroid, labels)] or none)
        if self.store_centers in ("medoid", "both"):
            self.medoids_ = np.array([*map(self.weighted_cluster_medoid, labels)] or none)

    def __getstate__(self):
        # The compiled condensed tree is computed again from the spanning tree.
        state = dict(super().__getstate__())
        state.pop("_condensed", None)
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if hasattr(self, "spanning_tree_"):
            [condensed] = self._condense(self.spanning_tree_, [self._least])
            self._condensed = self._numbered_and_simplified(condensed)

    def _condense(self, tree, sizes):
        """The condensed tree for each least size of a cluster."""
        options = self._one_by_one, self._copies, self._thread_count()
        return _kostra.Condensed.of_sizes(tree._inner, sizes, *options)

    def _numbered_and_simplified(self, condensed):
        if self._ranks is not None:
            condensed = condensed.numbered_by(self._ranks)
        return condensed.simplified(self._persistence) if self._persistence > 0 else condensed

    def _ranks_of(self, X):
        """The place of each row in the order of their coordinates; None for distances."""
        if self.metric == "precomputed" or isinstance(in_memory(X), Forest):
            return None
        if hasattr(X, "tocoo"):
            return _tables.ranks(X)
        is_on_device = _device.place_of(X) is not None
        points = _device_forest.rows_on_host(X) if is_on_device else np.asarray(X)
        ranks = np.empty(len(points), np.int64)
        ranks[np.lexsort(points.T[::-1])] = np.arange(len(points))
        return ranks

    def _select_again(self, **params):
        """Selects clusters from the tree of the fit with other parameters of the selection."""
        self.set_params(**params)
        choice = self._choice(self._least)
        labels, probabilities, self._selected = self._condensed.select(choice)
        rows = slice(None) if self._finite_rows is None else self._finite_rows
        self.labels_, self.probabilities_ = self.labels_.copy(), self.probabilities_.copy()
        self.labels_[rows], self.probabilities_[rows] = labels, probabilities
        if self._predictor is not None:
            self._predictor = self._predictor.choosing(choice)
        self._store_centers()

    def labels_of_sizes(self, min_cluster_sizes):
        """The labels for several values of ``min_cluster_size``, from the tree of the fit.

        They are the labels of separate fits with the other parameters of this model, and with the
        number of samples that this fit had. The merges of the tree are ordered once for all values.

        Parameters
        ----------
        min_cluster_sizes : array of k integers
            Values of ``min_cluster_size``.

        Returns
        -------
        array of int32, k by n
            A row for each value, as ``labels_``.

        Examples
        --------
        >>> import kostra.cluster
        >>> X = [[0.0], [0.1], [0.2], [0.4], [5.0], [5.1], [5.3], [20.0]]
        >>> model = kostra.cluster.HDBSCAN(min_cluster_size=2).fit(X)
        >>> model.labels_of_sizes([2, 4])
        array([[ 0,  0,  0,  0,  1,  1,  1, -1],
               [-1, -1, -1, -1, -1, -1, -1, -1]], dtype=int32)
        """
        check_is_fitted(self)
        sizes = [
            _arrays.required(f"min_cluster_sizes[{place}]", size, 2, _MOST)
            for place, size in enumerate(min_cluster_sizes)
        ]
        found = np.empty((len(sizes), len(self.labels_)), np.int32)
        trees = self._condense(self.spanning_tree_, sizes)
        for row, size, condensed in zip(found, sizes, trees):
            if condensed.is_ambiguous and self._ranks is None:
                self._ranks = self._ranks_again()
            labels, _, _ = self._numbered_and_simplified(condensed).select(self._choice(size))
            row[:] = self.labels_
            row[slice(None) if self._finite_rows is None else self._finite_rows] = labels
        return found

    def _ranks_again(self):
        """The places of the fitted rows in the order of their coordinates."""
        if self._predictor is not None:
            return self._ranks_of(self._predictor.points)
        if self._on_device:
            raise ValueError(
                "coordinates decide which of two equal clusters comes first, but the points are on a "
                "device; fit the model to points in host memory, or fit it for each value"
            )
        return None
