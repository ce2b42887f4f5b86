"""PLSCAN beside the package fast-plscan, and beside the leaf clusters of HDBSCAN for all sizes."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

import kostra
from kostra import cluster
from kostra.cluster import HDBSCAN, PLSCAN


def sample(seed, n=150, d=2):
    random = np.random.default_rng(seed)
    centers = random.uniform(-8, 8, (6, d))
    widths = random.uniform(0.2, 1.5, (6, 1))
    of = random.integers(0, 6, n)
    return centers[of] + random.normal(size=(n, d)) * widths[of]


def of_distinct(seed, n=150):
    """The tree of points, with distances that are distinct and exact in 32 bits."""
    tree = kostra.euclidean_mst(sample(seed, n))
    edges = np.column_stack([tree.u, tree.v, np.arange(1, n) / 64])
    matrix = np.full((n, n), np.inf)
    matrix[tree.u, tree.v] = matrix[tree.v, tree.u] = edges[:, 2]
    np.fill_diagonal(matrix, 0)
    return edges, HDBSCAN(2, min_samples=1, metric="precomputed").fit(matrix).spanning_tree_


def members(labels):
    """The set of clusters, each the tuple of its points."""
    return {tuple(np.flatnonzero(labels == label)) for label in range(labels.max() + 1)}


def same_partition(a, b):
    return len(set(zip(a, b))) == len(set(a)) == len(set(b))


@pytest.mark.parametrize("seed", range(20))
def test_trace_and_labels_are_those_of_fast_plscan(seed):
    plscan = pytest.importorskip("fast_plscan")
    n = 60 + 20 * seed
    edges, tree = of_distinct(seed, n)
    for least in (2, 5, 11):
        other = plscan.PLSCAN(metric="precomputed", min_samples=least).fit((edges, n))
        found = PLSCAN(min_samples=least).fit(tree)
        trace = other.persistence_trace_.to_numpy()
        mine = found.persistence_trace_
        # The package leaves out the lower end of a range, and also lists ends of empty ranges.
        common = np.isin(trace["min_size"] + 1, mine["min_cluster_size"])
        np.testing.assert_array_equal(mine["min_cluster_size"], trace["min_size"][common] + 1)
        np.testing.assert_array_equal(mine["persistence"], trace["persistence"][common])
        assert mine["persistence"].max(initial=0) == trace["persistence"].max()
        assert same_partition(found.labels_, other.labels_)
        assert ((found.labels_ == -1) == (other.labels_ == -1)).all()


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "canberra"])
def test_the_trace_is_that_of_leaf_clusters_of_all_sizes(metric):
    """Counts, for each cluster of points, the sizes for which it is a leaf."""
    for seed in range(6):
        X = sample(seed, 70).round(1) + 20
        model = PLSCAN(min_samples=3, metric=metric).fit(X)
        leaves = HDBSCAN(3, min_samples=3, metric=metric, cluster_selection_method="leaf").fit(X)
        sizes = np.arange(4, len(X) + 1)
        all_labels = leaves.labels_of_sizes(sizes)
        of_size = [members(row) for row in all_labels]
        counts = {}
        for clusters in of_size:
            for points in clusters:
                counts[points] = counts.get(points, 0) + 1
        totals = np.array([sum(counts[points] for points in clusters) for clusters in of_size])
        best = sizes[totals.argmax()] if totals.any() else 4
        assert model.min_cluster_size_ == best
        trace = model.persistence_trace_
        np.testing.assert_array_equal(trace["persistence"], totals[trace["min_cluster_size"] - 4])
        assert trace["persistence"].max(initial=0) == totals.max()
        np.testing.assert_array_equal(model.labels_, all_labels[best - 4])
        options = {"cluster_selection_method": "leaf", "min_samples": 3, "metric": metric}
        right = HDBSCAN(int(best), **options).fit(X)
        for name in ("labels_", "probabilities_", "outlier_scores_"):
            np.testing.assert_array_equal(getattr(model, name), getattr(right, name))


def test_rows_in_another_order_and_repeated_rows_have_the_same_labels():
    random = np.random.default_rng(3)
    for seed in range(10):
        X = sample(seed, 80).round(seed % 2)
        order = random.permutation(len(X))
        labels = PLSCAN().fit_predict(X)
        np.testing.assert_array_equal(PLSCAN().fit_predict(X[order]), labels[order])
        weights = random.integers(0, 4, len(X))
        found = PLSCAN().fit(X, sample_weight=weights)
        right = PLSCAN().fit(np.repeat(X, weights, axis=0))
        np.testing.assert_array_equal(np.repeat(found.labels_, weights), right.labels_)
        np.testing.assert_array_equal(found.persistence_trace_, right.persistence_trace_)


def test_predictions_and_memberships_are_those_of_hdbscan():
    X, new = sample(1), sample(2)
    model = PLSCAN(prediction_data=True, store_centers="both").fit(X)
    size, leaf = model.min_cluster_size_, "leaf"
    right = HDBSCAN(size, min_samples=5, cluster_selection_method=leaf, store_centers="both").fit(X)
    np.testing.assert_array_equal(model.predict(new), right.predict(new))
    np.testing.assert_array_equal(model.centroids_, right.centroids_)
    of_all = cluster.all_points_membership_vectors
    np.testing.assert_array_equal(of_all(model), of_all(right))


def test_few_points_and_wrong_parameters():
    check_estimator(PLSCAN())
    with pytest.warns(UserWarning, match="all 9 points are noise"):
        found = PLSCAN().fit(np.arange(9.0)[:, None])
    assert len(found.persistence_trace_) == 0 and found.min_cluster_size_ == 6
    for options in ({"min_samples": 0}, {"min_cluster_size": 1}, {"min_samples": None}):
        with pytest.raises((TypeError, ValueError), match=next(iter(options))):
            PLSCAN(**options).fit(sample(1))
