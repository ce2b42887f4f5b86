"""Rows that count as several points: the results are those of the repeated rows."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform

from kostra import cluster
from kostra.cluster import HDBSCAN

ENGINE = ["euclidean", "manhattan", "chebyshev", "haversine", "cosine", "arccos"]
PAIRS = ["canberra", "braycurtis", "jaccard", "dice", "hamming", "seuclidean"]


def sample(seed, metric="euclidean", d=2):
    """Groups of rows with few different values, and how many points each counts as."""
    random = np.random.default_rng(seed)
    n = int(random.integers(20, 90))
    centers = random.integers(0, 30, (4, d))
    X = centers[random.integers(0, 4, n)] + random.integers(1, 6, (n, d)) / 2
    if metric in ("jaccard", "dice", "hamming"):
        X = random.integers(0, 2, (n, 12)).astype(float)
        X[:, 0] = 1
    weights = random.integers(1, 4, n)
    weights[random.integers(0, n, n // 8)] += random.integers(2, 15)
    return X, weights


def check(weighted, repeated, weights):
    """Compares two models, the second one of ``numpy.repeat(X, weights, axis=0)``."""
    first = np.cumsum(weights) - weights
    copies = np.repeat(np.arange(len(weights)), weights)
    for name in ("labels_", "probabilities_", "outlier_scores_"):
        found, right = getattr(weighted, name), getattr(repeated, name)
        np.testing.assert_array_equal(found[copies], right, err_msg=name)
    np.testing.assert_array_equal(weighted.cluster_persistence_, repeated.cluster_persistence_)
    assert weighted.relative_validity_ == pytest.approx(repeated.relative_validity_, rel=1e-12)
    lengths = repeated.spanning_tree_.weights
    for cut in np.quantile(lengths[np.isfinite(lengths)], [0.05, 0.3, 0.7, 0.95]):
        for size in (1, 4, 9):
            found = weighted.dbscan_clustering(cut, size)[copies]
            right = repeated.dbscan_clustering(cut, size)
            # Noise that is a cluster of one point has a label of its own for each copy.
            if size > 1:
                np.testing.assert_array_equal(found, right)
    found, right = weighted.condensed_tree_.to_numpy(), repeated.condensed_tree_.to_numpy()
    n, m = len(weights), len(copies)
    np.testing.assert_array_equal(found["child_size"][n:], right["child_size"][m:])
    np.testing.assert_array_equal(found["lambda_val"][:n][copies], right["lambda_val"][:m])
    assert (found["child_size"][:n] == weights).all() and len(first) == n


@pytest.mark.parametrize("metric", ENGINE + PAIRS)
def test_weights_are_repeated_rows(metric):
    for seed in range(12):
        X, weights = sample(seed, metric)
        random = np.random.default_rng(seed)
        sizes = random.integers(2, 12), random.integers(1, 20)
        options = {"min_cluster_size": int(sizes[0]), "min_samples": int(sizes[1])}
        options["cluster_selection_method"] = ("eom", "leaf")[seed % 2]
        options["allow_single_cluster"] = seed % 3 == 0
        options["cluster_selection_persistence"] = (0.0, 0.02)[seed % 4 == 3]
        model = HDBSCAN(metric=metric, **options)
        repeated = HDBSCAN(metric=metric, **options).fit(np.repeat(X, weights, axis=0))
        check(model.fit(X, sample_weight=weights), repeated, weights)
        again = pickle.loads(pickle.dumps(model))
        check(again, repeated, weights)


def graph(distances, limit):
    """The distances below a limit, with those of points to themselves."""
    ends = np.nonzero(distances < limit)
    return sparse.csr_array((distances[ends], ends), distances.shape)


@pytest.mark.parametrize("form", ["square", "condensed", "sparse", "features", "cosine features"])
def test_weights_of_distances_and_sparse_rows_are_repeated_rows(form):
    for seed in range(12):
        X, weights = sample(seed, d=6)
        options = {"min_cluster_size": 3 + seed, "min_samples": 1 + 2 * seed}
        repeated = np.repeat(X, weights, axis=0)
        if "features" in form:
            X[:, 1:][X[:, 1:] < 12] = 0
            repeated = np.repeat(X, weights, axis=0)
            options["metric"] = "cosine" if "cosine" in form else "euclidean"
            inputs = sparse.csr_array(X), repeated
        else:
            options["metric"] = "precomputed"
            inputs = [squareform(pdist(rows)) for rows in (X, repeated)]
        if form == "condensed":
            inputs = [squareform(distances) for distances in inputs]
        if form == "sparse":
            inputs = [graph(distances, np.median(inputs[0])) for distances in inputs]
        found = HDBSCAN(**options).fit(inputs[0], sample_weight=weights.astype(float))
        check(found, HDBSCAN(**options).fit(inputs[1]), weights)


def test_weights_count_for_scaled_distances():
    for seed in range(6):
        X, weights = sample(seed)
        for metric in ("euclidean", "manhattan", "jaccard"):
            X = X if metric != "jaccard" else sample(seed, metric)[0][: len(weights)]
            options = {"alpha": 1.5, "metric": metric, "min_samples": 7}
            repeated = HDBSCAN(**options).fit(np.repeat(X, weights, axis=0))
            check(HDBSCAN(**options).fit(X, sample_weight=weights), repeated, weights)


def test_predictions_memberships_and_centers_are_those_of_repeated_rows():
    for seed in range(8):
        X, weights = sample(seed)
        new = sample(seed + 50)[0]
        options = {"min_cluster_size": 8, "min_samples": 2 + seed, "store_centers": "both"}
        model = HDBSCAN(**options).fit(X, sample_weight=weights)
        other = HDBSCAN(**options).fit(np.repeat(X, weights, axis=0))
        np.testing.assert_array_equal(model.predict(new), other.predict(new))
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        if len(model.centroids_) == 0:
            continue
        for name in ("approximate_predict_scores", "membership_vector"):
            function = getattr(cluster, name)
            np.testing.assert_array_equal(function(model, new), function(other, new), name)
        for pair in zip(*(cluster.approximate_predict(of, new) for of in (model, other))):
            np.testing.assert_array_equal(*pair)
        of_all = cluster.all_points_membership_vectors
        np.testing.assert_array_equal(np.repeat(of_all(model), weights, axis=0), of_all(other))
        np.testing.assert_allclose(model.centroids_, other.centroids_, rtol=1e-12)
        np.testing.assert_array_equal(model.medoids_, other.medoids_)


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_the_metric_of_a_center_is_that_of_all_points(metric):
    X, weights = sample(2)
    X[:, 0] *= 9
    model = HDBSCAN(8, metric=metric, min_samples=3).fit(X, sample_weight=weights)
    repeated = np.repeat(X, weights, axis=0)
    statistics = {"seuclidean": {"V": np.var(repeated, axis=0, ddof=1)}}
    statistics["mahalanobis"] = {"VI": np.linalg.inv(np.cov(repeated.T))}
    for label in range(model.labels_.max() + 1):
        inside = np.repeat(model.labels_, weights) == label
        rows, own = repeated[inside], np.repeat(model.probabilities_, weights)[inside]
        sums = cdist(rows, rows, metric, **statistics[metric]) @ own
        found = model.weighted_cluster_medoid(label)
        at = np.flatnonzero((rows == found).all(axis=1))[0]
        assert sums[at] <= sums.min() * (1 + 1e-9)


def test_rows_of_weight_zero_do_not_count():
    X, weights = sample(3)
    weights[::5] = 0
    used = weights > 0
    for metric in ("euclidean", "precomputed"):
        given = X if metric == "euclidean" else squareform(pdist(X))
        least = given[used] if metric == "euclidean" else given[used][:, used]
        model = HDBSCAN(4, metric=metric).fit(given, sample_weight=weights)
        other = HDBSCAN(4, metric=metric).fit(least, sample_weight=weights[used])
        np.testing.assert_array_equal(model.labels_[used], other.labels_)
        assert (model.labels_[~used] == -1).all() and (model.probabilities_[~used] == 0).all()
        assert np.isnan(model.outlier_scores_[~used]).all()
        assert model.relative_validity_ == other.relative_validity_
    assert len(model.labels_of_sizes([3])[0]) == len(X)


def test_weights_without_a_meaning_are_refused():
    X, _ = sample(1)
    n = len(X)

    def error(weights, X=X, **options):
        with pytest.raises((ValueError, TypeError)) as caught:
            HDBSCAN(**options).fit(X, sample_weight=weights)
        return str(caught.value)

    def but(row, value):
        weights = np.ones(n)
        weights[row] = value
        return weights

    assert "sample_weight[4] is -1.0" in error(but(4, -1))
    assert "sample_weight[2] is nan" in error(but(2, np.nan))
    assert "sample_weight[3] is 0.5, but a row counts as a whole number" in error(but(3, 0.5))
    assert "above the limit" in error(but(3, 2.0**33)) and "limit" in error(but(0, np.inf))
    assert "are zero" in error(np.zeros(n)) and "its shape is (1,)" in error([1])
    assert "must be an array of integers or floats" in error(["a"] * n)
    assert "numpy.repeat" in error(np.ones(n), ties="scikit-learn")
    tree = HDBSCAN().fit(X).spanning_tree_
    assert "sample_weight needs points" in error(np.ones(n), tree)
    distances = squareform(pdist(X))
    graph = sparse.csr_array(distances)
    assert "store zeros on the diagonal" in error(but(0, 2), graph, metric="precomputed")
    assert "leave the point out" in error(but(0, 0), squareform(distances), metric="precomputed")
    assert "min_samples must be from 1 to" in error(np.ones(n), min_samples=n + 1)


def test_many_sizes_are_separate_fits():
    for seed in range(8):
        X, weights = sample(seed)
        sizes = [2, 3, 5, 9, 20]
        for options in (
            {"min_samples": 4},
            {"min_samples": 1, "ties": "scikit-learn"},
            {"min_samples": 3, "cluster_selection_method": "leaf", "max_cluster_size": 50},
            {"min_samples": 2, "cluster_selection_persistence": 0.05},
        ):
            counts = None if "ties" in options else weights
            model = HDBSCAN(7, **options).fit(X, sample_weight=counts)
            found = model.labels_of_sizes(sizes)
            assert found.dtype == np.int32 and found.shape == (5, len(X))
            for size, labels in zip(sizes, found):
                right = HDBSCAN(size, **options).fit(X, sample_weight=counts).labels_
                np.testing.assert_array_equal(labels, right)
    with pytest.raises(ValueError, match=r"min_cluster_sizes\[1\] must be from 2"):
        model.labels_of_sizes([2, 1])
    assert model.labels_of_sizes([]).shape == (0, len(X))
