"""Predictions and memberships, as the package hdbscan computes them on Kostra's condensed tree."""

import types

import numpy as np
import pytest

import kostra.cluster
from kostra import _kostra

prediction = pytest.importorskip("hdbscan.prediction")

CHOICE = {
    "leaf": False,
    "epsilon": 0.0,
    "allow_single_cluster": False,
    "max_cluster_size": None,
}


def sample(seed, dimensions):
    """Groups of different densities and noise, and new points near to them."""
    rng = np.random.default_rng(seed)
    centers = rng.uniform(-10, 10, (6, dimensions))
    widths = rng.uniform(0.3, 1.5, (6, 1))
    noise = rng.uniform(-14, 14, (60, dimensions))
    groups = centers[:, None] + widths[:, None] * rng.normal(size=(6, 60, dimensions))
    points = rng.permutation(np.concatenate([groups.reshape(-1, dimensions), noise]))
    new = (centers[:, None] + rng.normal(size=(6, 20, dimensions))).reshape(-1, dimensions)
    return points, np.concatenate([new, rng.uniform(-14, 14, (60, dimensions))])


def fit(points, min_samples, leaf):
    method = "leaf" if leaf else "eom"
    model = kostra.cluster.HDBSCAN(
        min_cluster_size=10, min_samples=min_samples, cluster_selection_method=method
    ).fit(points)
    basis = {
        "coordinates": points.ravel(),
        "dimensions": points.shape[1],
        "metric": "euclidean",
        "min_samples": min_samples,
        "threads": 2,
    }
    choice = CHOICE | {"leaf": leaf}
    return model, _kostra.Fitted(basis, model._condensed, choice, True), choice


def of_hdbscan(model, points, min_samples):
    """What the functions of hdbscan need to know of Kostra's tree. Their samples leave out the point."""
    rows = model.condensed_tree_
    tree = types.SimpleNamespace(
        _raw_tree=rows, _select_clusters=lambda: [len(points) + int(c) for c in model._selected]
    )
    data = prediction.PredictionData(points, tree, min_samples - 1)
    return types.SimpleNamespace(
        condensed_tree_=tree,
        prediction_data_=data,
        min_samples=min_samples - 1,
        min_cluster_size=10,
    )


@pytest.mark.parametrize("leaf", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_soft_clusters_are_those_of_hdbscan_on_the_same_tree(seed, leaf):
    dimensions, min_samples = [(2, 4), (3, 6), (5, 9)][seed % 3]
    points, new = sample(seed, dimensions)
    model, fitted, choice = fit(points, min_samples, leaf)
    other = of_hdbscan(model, points, min_samples)
    clusters = len(model._selected)
    assert clusters > 2
    labels, probabilities = prediction.approximate_predict(other, new)
    found = fitted.approximate_predict(new.ravel(), dimensions, 2)
    np.testing.assert_array_equal(found["labels"], labels)
    np.testing.assert_allclose(found["probabilities"], probabilities, rtol=1e-12)
    exemplars, starts = model._condensed.exemplars(choice)
    for cluster in range(clusters):
        rows = points[exemplars[int(starts[cluster]) : int(starts[cluster + 1])]]
        expected = other.prediction_data_.exemplars[cluster]
        assert sorted(map(tuple, rows)) == sorted(map(tuple, expected))
    _, memberships = fitted.memberships(None, 2)
    expected = prediction.all_points_membership_vectors(other)
    np.testing.assert_allclose(memberships.reshape(expected.shape), expected, atol=1e-6)
    _, memberships = fitted.memberships_of(new.ravel(), dimensions, None, 2)
    expected = prediction.membership_vector(other, new)
    # hdbscan rounds one density to 32 bits.
    np.testing.assert_allclose(memberships.reshape(expected.shape), expected, atol=1e-4)


def test_the_largest_memberships_are_those_of_all():
    points, new = sample(3, 2)
    model, fitted, _ = fit(points, 5, True)
    new = new.ravel()
    for few, everything in [
        (fitted.memberships(3, 2), fitted.memberships(None, 1)),
        (fitted.memberships_of(new, 2, 3, 2), fitted.memberships_of(new, 2, None, 1)),
    ]:
        everything = everything[1].reshape(-1, len(model._selected))
        labels, memberships = (array.reshape(-1, 3) for array in few)
        np.testing.assert_array_equal(np.take_along_axis(everything, labels, 1), memberships)
        np.testing.assert_array_equal(-np.sort(-everything, 1)[:, :3], memberships)


def test_fitted_points_get_their_own_labels():
    points, _ = sample(4, 2)
    model, fitted, _ = fit(points, 5, False)
    labels, probabilities = fitted.predict(points.ravel(), 2, 2)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(probabilities, model.probabilities_)
