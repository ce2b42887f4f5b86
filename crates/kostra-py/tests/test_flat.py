"""The functions of ``hdbscan.flat`` for a number of clusters."""

import sys

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import kostra.hdbscan as ours
from kostra.cluster import HDBSCAN
from kostra.hdbscan.flat import (
    HDBSCAN_flat,
    all_points_membership_vectors_flat,
    approximate_predict_flat,
    membership_vector_flat,
)

theirs = pytest.importorskip("hdbscan.flat")


def sample(seed):
    random = np.random.default_rng(seed)
    centers = random.uniform(0, 30, (9, 2))
    X = centers[random.integers(0, 9, 260)] + random.normal(size=(260, 2))
    return X, random.uniform(0, 30, (50, 2))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["eom", "leaf"])
def test_a_number_of_clusters_has_those_of_hdbscan(method):
    compared = 0
    for seed in range(3):
        X, new = sample(seed)
        # With one sample, no two mutual reachability distances are equal.
        options = {"min_cluster_size": 6, "min_samples": 1, "cluster_selection_method": method}
        plain = ours.HDBSCAN(**options, prediction_data=True).fit(X)
        for k in range(2, plain.labels_.max() + 2):
            expected = theirs.HDBSCAN_flat(X, k, **options, approx_min_span_tree=False)
            found = HDBSCAN_flat(X, k, **options)
            assert found.labels_.max() + 1 == k
            if expected.labels_.max() + 1 != k:
                continue  # The package counts the divisions of the tree, and not the clusters.
            assert adjusted_rand_score(found.labels_, expected.labels_) == 1
            np.testing.assert_allclose(found.probabilities_, expected.probabilities_, rtol=1e-9)
            labels, _ = approximate_predict_flat(plain, new, k)
            right, _ = theirs.approximate_predict_flat(expected, new)
            assert adjusted_rand_score(labels, right) == 1
            compared += 1
    assert compared > 10


@pytest.mark.filterwarnings("ignore")
def test_other_clusters_of_a_model_are_those_of_another_fit():
    X, new = sample(1)
    X[3] = np.nan
    plain = ours.HDBSCAN(6, prediction_data=True).fit(X)
    before = plain.labels_.copy()
    for k in (2, 4):
        flat = HDBSCAN_flat(X, k, min_cluster_size=6)
        epsilon = flat.cluster_selection_epsilon
        fit = ours.HDBSCAN(6, cluster_selection_epsilon=epsilon, prediction_data=True).fit(X)
        for other in (flat, HDBSCAN_flat(X, cluster_selection_epsilon=epsilon, min_cluster_size=6)):
            np.testing.assert_array_equal(other.labels_, fit.labels_)
            np.testing.assert_array_equal(other.probabilities_, fit.probabilities_)
            np.testing.assert_array_equal(other.cluster_persistence_, fit.cluster_persistence_)
        right = ours.approximate_predict(fit, new)
        *found, chosen = approximate_predict_flat(plain, new, k, return_prediction_data=True)
        np.testing.assert_array_equal(found, right)
        again = approximate_predict_flat(plain, new, prediction_data=chosen)
        np.testing.assert_array_equal(again, right)
        memberships = membership_vector_flat(plain, new, n_clusters=k)
        np.testing.assert_array_equal(memberships, ours.membership_vector(fit, new))
        memberships = all_points_membership_vectors_flat(plain, cluster_selection_epsilon=epsilon)
        np.testing.assert_array_equal(memberships, ours.all_points_membership_vectors(fit))
    np.testing.assert_array_equal(plain.labels_, before)
    np.testing.assert_array_equal(
        membership_vector_flat(plain, new), ours.membership_vector(plain, new)
    )


def test_a_model_is_fitted_in_place_or_copied():
    X, _ = sample(2)
    model = ours.HDBSCAN(6)
    copied = HDBSCAN_flat(X, 3, clusterer=model)
    assert not hasattr(model, "labels_") and copied.min_cluster_size == 6
    assert HDBSCAN_flat(X, 3, clusterer=model, inplace=True) is model
    np.testing.assert_array_equal(model.labels_, copied.labels_)
    # Also a model of kostra.cluster, which counts a point among its own samples.
    own = HDBSCAN_flat(X, 3, clusterer=HDBSCAN(6, min_samples=7))
    np.testing.assert_array_equal(own.labels_, copied.labels_)
    np.testing.assert_array_equal(
        approximate_predict_flat(own, X, 4), approximate_predict_flat(copied, X, 4)
    )
    np.testing.assert_array_equal(own.labels_, copied.labels_)


def test_numbers_of_clusters_without_an_epsilon():
    X = np.concatenate([np.arange(5.0) / 10 + 10 * group for group in range(3)])[:, None]
    # Three groups at equal distances begin together.
    with pytest.raises(ValueError, match="no epsilon has 2 clusters; pass n_clusters=3"):
        HDBSCAN_flat(X, 2, min_cluster_size=3, min_samples=1)
    X, _ = sample(3)
    most = ours.HDBSCAN(6).fit(X).labels_.max() + 1
    with pytest.warns(UserWarning, match=f"more than {most} clusters with .*; 'leaf' is used"):
        found = HDBSCAN_flat(X, int(most) + 1, min_cluster_size=6)
    assert found.labels_.max() == most and found.cluster_selection_method == "leaf"
    with pytest.raises(ValueError, match="n_clusters must be"):
        HDBSCAN_flat(X, 0)
    with pytest.warns(UserWarning, match="cluster_selection_epsilon has no effect"):
        HDBSCAN_flat(X, 2, 1.0, min_cluster_size=6)


def test_the_modules_of_the_package_can_be_imported():
    for name in ("flat", "plots", "prediction", "validity"):
        assert sys.modules[f"kostra.hdbscan.{name}"] is getattr(ours, name)
