"""The estimator PLSCAN."""

import numpy as np

from kostra import _arrays
from kostra._hdbscan import HDBSCAN


class PLSCAN(HDBSCAN):
    """Clusters of different densities, and noise, without a ``min_cluster_size`` to choose.

    The clusters are those of :class:`HDBSCAN` with ``cluster_selection_method="leaf"``: the ones
    that are not divided. Each such cluster exists for a range of values of ``min_cluster_size``.
    Below the range it is divided, and above it is too small, or the rest of its parent is. The
    length of the range is its persistence. PLSCAN takes the value whose clusters have the largest
    total persistence; of several the lowest.

    Parameters
    ----------
    min_samples : int
        The number of nearest points, itself included, within the core distance of a point.
    min_cluster_size : int, optional
        A lower limit, at least 2: the value that is taken is larger. By default, ``min_samples``.
    metric, metric_params : str or callable, dict
        As for :class:`HDBSCAN`. ``"precomputed"`` and trees are possible, too.
    store_centers, prediction_data, nonfinite, threads, n_jobs : object
        As for :class:`HDBSCAN`.

    Attributes
    ----------
    min_cluster_size_ : int
        The value of ``min_cluster_size`` that was taken.
    persistence_trace_ : structured array
        The total persistence of the clusters for each ``min_cluster_size`` at which a cluster
        begins to be one, in ascending order: the fields ``min_cluster_size`` and ``persistence``.
        Between two of these values, the clusters only become fewer. :meth:`labels_of_sizes` has the
        labels.
    labels_, probabilities_, outlier_scores_, centroids_, medoids_, spanning_tree_, n_features_in_ : \
object
        As for :class:`HDBSCAN` with ``min_cluster_size_``. So are all methods and other attributes.

    Notes
    -----
    Merges at one distance are undone together, as in :class:`HDBSCAN`, so the labels do not depend
    on the order of the rows. A cluster may then divide into several parts. A part exists for the
    sizes up to its own and that of the largest other part.

    References
    ----------
    Bot, McInnes and Aerts, "Persistent Multiscale Density-based Clustering", arXiv 2512.16558, 2025.

    Examples
    --------
    >>> import kostra.cluster
    >>> X = [[0.0], [0.1], [0.2], [0.4], [5.0], [5.1], [5.3], [5.4], [20.0]]
    >>> found = kostra.cluster.PLSCAN(min_samples=2).fit(X)
    >>> found.labels_, found.min_cluster_size_
    (array([ 0,  0,  0,  0,  1,  1,  1,  1, -1], dtype=int32), 3)
    """

    # What PLSCAN does not leave to choose.
    cluster_selection_epsilon = 0.0
    cluster_selection_epsilon_max = None
    cluster_selection_persistence = 0.0
    cluster_selection_method = "leaf"
    max_cluster_size = None
    allow_single_cluster = False
    ties = "together"
    alpha = 1.0
    approximate = False
    seed = 0
    algorithm = "auto"
    leaf_size = 40
    copy = False

    def __init__(
        self,
        min_samples=5,
        *,
        min_cluster_size=None,
        metric="euclidean",
        metric_params=None,
        store_centers=None,
        prediction_data=False,
        nonfinite="refuse",
        threads=None,
        n_jobs=None,
    ):
        self.min_samples = min_samples
        self.min_cluster_size = min_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.store_centers = store_centers
        self.prediction_data = prediction_data
        self.nonfinite = nonfinite
        self.threads = threads
        self.n_jobs = n_jobs

    def _least_size(self):
        samples = _arrays.required("min_samples", self.min_samples, 1, 2**32 - 1)
        if self.min_cluster_size is None:
            return max(samples, 2)
        return super()._least_size()

    def _chosen_size(self, tree, least):
        [condensed] = self._condense(tree, [least])
        sizes, totals = _trace(*_ranges(condensed.clusters(), least))
        self.persistence_trace_ = np.empty(
            len(sizes), [("min_cluster_size", np.int64), ("persistence", np.int64)]
        )
        self.persistence_trace_["min_cluster_size"] = sizes + 1
        self.persistence_trace_["persistence"] = totals
        self.min_cluster_size_ = int(sizes[totals.argmax()]) + 1 if len(sizes) else least + 1
        return self.min_cluster_size_


def _ranges(clusters, least):
    """For each cluster but that of all points, the size up to which it is divided, and the size up to
    which it exists. It is a leaf between both.
    """
    parents, sizes = clusters["parent"], clusters["size"]
    highest = sizes.copy()
    # Siblings are neighbors, the largest one first. It exists with the second one.
    is_first = np.diff(parents, prepend=-2) != 0
    firsts = np.flatnonzero(is_first[1:]) + 1
    highest[firsts] = sizes[firsts + 1]
    divided = np.full(len(sizes), least)
    # A child has a higher number than its parent.
    for child in range(len(sizes) - 1, 0, -1):
        parent = parents[child]
        divided[parent] = max(divided[parent], divided[child], highest[child])
    return divided[1:], highest[1:]


def _trace(low, high):
    """The total length of the ranges from ``low`` to ``high`` that contain each ``low``, the upper end
    not included.
    """
    is_leaf = low < high
    low, high = low[is_leaf], high[is_leaf]
    starts = np.unique(low)
    lengths = high - low
    begun, ended = (_sum_up_to(starts, ends, lengths) for ends in (low, high))
    return starts, begun - ended


def _sum_up_to(limits, places, values):
    """For each limit, the sum of the values whose places are at most the limit."""
    order = np.argsort(places)
    sums = np.concatenate([[0], np.cumsum(values[order])])
    return sums[np.searchsorted(places[order], limits, "right")]
