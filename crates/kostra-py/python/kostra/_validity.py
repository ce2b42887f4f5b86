"""How good clusters are, and how well separated."""

import numpy as np

from kostra import _arrays, _distances, _kostra, _metrics, _points


def persistence(condensed, selected, labels, weights=None):
    """The stability of each selected cluster, divided by its greatest possible value. Labels are
    those of rows that count as several points with ``weights``.
    """
    clusters = condensed.clusters()
    with np.errstate(divide="ignore"):
        densest = 1 / clusters["death"].min(initial=np.inf)
    if densest == np.inf or densest == 0:
        return np.ones(len(selected))
    weights = None if weights is None else weights[labels >= 0]
    sizes = np.bincount(labels[labels >= 0], weights, minlength=len(selected))
    return clusters["stability"][selected] / (sizes * densest)


def relative_validity(tree, labels, n, copies=None):
    """The index DBCV with the edges of one tree for the distances in and between clusters.

    ``labels`` are those of the tree's points, of ``n`` points in all. With ``copies``, the weights
    and core distances of rows that count as several points.
    """
    weights = None if copies is None else copies[0][labels >= 0]
    sizes = np.bincount(labels[labels >= 0], weights)
    if len(sizes) == 0:
        return 0.0
    lengths = tree.weights
    low, high = np.sort([labels[tree.u], labels[tree.v]], axis=0)
    # The sparseness of a cluster is its longest edge, its separation the shortest edge to another.
    sparseness, separation = np.zeros(len(sizes)), np.full(len(sizes), np.inf)
    inside, between = (low == high) & (low >= 0), (low < high) & (low >= 0)
    np.maximum.at(sparseness, low[inside], lengths[inside])
    if copies is not None:
        # The copies of a row are joined at its core distance.
        joined = (labels >= 0) & (copies[0] > 1)
        np.maximum.at(sparseness, labels[joined], copies[1][joined])
    for ends in (low, high):
        np.minimum.at(separation, ends[between], lengths[between])
    # A cluster without an edge to another one is far away. hdbscan has this value, too.
    far = lengths.max(initial=0.0)
    if len(sizes) == 1:
        far = lengths[(low < 0) & (high >= 0)].min(initial=far)
    separation[np.isinf(separation)] = 2 * far
    with np.errstate(invalid="ignore"):
        shares = (separation - sparseness) / np.maximum(separation, sparseness)
    return float(np.sum(sizes * shares / n))


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
    """The density-based validity of clusters, DBCV.

    A cluster is good if the gap to the nearest other cluster is wider than the widest gap inside.
    Gaps are edges of spanning trees, and several trees may exist, because mutual reachability
    distances are often equal. For metrics of :func:`kostra.euclidean_mst` that do not compare all
    pairs, the order of the coordinates decides, so the index does not depend on the order of the
    rows. For other metrics and distances, the order of the rows decides, as in the package hdbscan.

    Takes O(n^2 d) time. Memory is O(n d) for the former metrics and O(n^2) for the latter.

    Parameters
    ----------
    X : array of n by d, or distances
        Points, or with ``metric="precomputed"`` a square matrix or a condensed vector of distances.
    labels : array of n integers
        The cluster of each point, from 0; negative for noise.
    metric : str or callable
        A metric of :func:`kostra.euclidean_mst`, or ``"precomputed"``.
    d : int, optional
        The number of dimensions of the points, if ``X`` contains distances.
    per_cluster_scores : bool
        Whether to return the index of each cluster, too.
    mst_raw_dist : bool
        Whether gaps are measured by distances instead of mutual reachability distances.
    verbose : bool
        Without effect.
    **kwd_args
        Parameters of the metric.

    Returns
    -------
    index : float
        From -1 to 1: the mean over all points of the index of their cluster. Noise counts as 0.
    clusters : array of float64
        The index of each cluster. Only with ``per_cluster_scores``.

    References
    ----------
    Moulavi, Jaskowiak, Campello, Zimek and Sander, "Density-based clustering validation", 2014.

    Examples
    --------
    >>> import kostra.cluster
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> kostra.cluster.validity_index(X, [0, 0, 0, 1, 1, 1], mst_raw_dist=True)
    0.9
    """
    labels = np.asarray(labels)
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise TypeError("labels must be an array of one dimension of integers")
    raw = _arrays.flag("mst_raw_dist", mst_raw_dist)
    labeled = {"labels": np.ascontiguousarray(labels, np.int32), "raw": raw, "threads": None}
    if isinstance(metric, str) and metric == "precomputed":
        if d is None:
            raise ValueError("metric='precomputed' needs d, the number of dimensions of the points")
        distances = np.asarray(X, np.float64)
        if distances.ndim == 2:
            _distances.refuse_no_square(distances)
        index, clusters = _of_distances(distances, d, labeled)
    else:
        found = _metrics.resolve(metric, kwd_args)
        points = _points.points("X", X, found)
        if callable(found):
            rows = found(points)
            distances = np.array([rows.all(point) for point in range(len(points))])
            index, clusters = _of_distances(distances, points.shape[1], labeled)
        else:
            points = _metrics.mapped(points, _metrics.linear_map(metric, kwd_args, points))
            flat = np.ascontiguousarray(points).reshape(-1)
            index, clusters = _kostra.validity_of_points(flat, points.shape[1], found, labeled)
    return (index, clusters) if per_cluster_scores else index


def _of_distances(distances, dimensions, labeled):
    dimensions = _arrays.required("d", dimensions, 1, 2**32 - 1)
    flat, is_square = np.ascontiguousarray(distances).reshape(-1), distances.ndim == 2
    return _kostra.validity_of_distances(flat, is_square, dimensions, labeled)
