"""Predictions and memberships, as the package hdbscan computes them on Kostra's condensed tree."""

import pickle
import types

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError

import kostra
from kostra import cluster
from kostra.cluster import HDBSCAN

prediction = pytest.importorskip("hdbscan.prediction")

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


def fit(points, min_samples, method="eom", **options):
    model = HDBSCAN(10, min_samples=min_samples, cluster_selection_method=method, **options)
    return model.fit(points)


def of_hdbscan(model, points, min_samples):
    """What the functions of hdbscan need to know of Kostra's tree. Their samples leave out the point."""
    tree = model.condensed_tree_
    data = prediction.PredictionData(points, tree, min_samples - 1)
    return types.SimpleNamespace(
        condensed_tree_=tree,
        prediction_data_=data,
        min_samples=min_samples - 1,
        min_cluster_size=10,
    )


@pytest.mark.parametrize("method", ["eom", "leaf"])
@pytest.mark.parametrize("seed", range(6))
def test_soft_clusters_are_those_of_hdbscan_on_the_same_tree(seed, method):
    dimensions, min_samples = [(2, 4), (3, 6), (5, 9)][seed % 3]
    points, new = sample(seed, dimensions)
    model = fit(points, min_samples, method, prediction_data=True)
    other = of_hdbscan(model, points, min_samples)
    assert len(model.exemplars_) > 2
    expected = prediction.approximate_predict(other, new, return_connecting_points=True)
    found = cluster.approximate_predict(model, new, return_connecting_points=True)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)
    np.testing.assert_array_equal(found[2], expected[2])
    for pair in zip(cluster.approximate_predict(model, new), found):
        np.testing.assert_array_equal(*pair)
    for few in (new, points):
        scores = np.maximum(prediction.approximate_predict_scores(other, few), 0)
        found = cluster.approximate_predict_scores(model, few)
        np.testing.assert_allclose(found, scores, atol=1e-12)
    np.testing.assert_allclose(found, model.outlier_scores_, atol=1e-12)
    for ours, theirs in zip(model.exemplars_, other.prediction_data_.exemplars, strict=True):
        assert sorted(map(tuple, ours)) == sorted(map(tuple, theirs))
    expected = prediction.all_points_membership_vectors(other)
    found = cluster.all_points_membership_vectors(model)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    expected = prediction.membership_vector(other, new)
    # hdbscan rounds one density to 32 bits.
    np.testing.assert_allclose(cluster.membership_vector(model, new), expected, atol=1e-4)


@pytest.mark.parametrize("alpha", [0.7, 1.5])
def test_new_points_are_at_divided_distances(alpha, monkeypatch):
    points, new = sample(11, 2)
    model = fit(points, 5, alpha=alpha)
    distances, departures = cdist(new, points), model._condensed.points()[1]
    births = model._condensed.clusters()["birth"][model._selected]
    core = np.sort(distances, axis=1)[:, [4]]
    reached = np.maximum(np.maximum(distances / alpha, core), departures)
    reached[:, model.labels_ < 0] = np.inf
    reached[reached >= np.where(model.labels_ < 0, 0, births[model.labels_])] = np.inf
    least = reached.min(axis=1, keepdims=True)
    # Of several clusters, the one with the lowest label.
    joined = np.where(reached == least, model.labels_, len(births)).min(axis=1)
    joined[np.isinf(least[:, 0])] = -1
    assert {-1, 0, 1} <= set(joined)
    np.testing.assert_array_equal(model.predict(new), joined)

    # The package's functions do not divide distances to fitted points. Here they do.
    def divided(indices, distances, cores, min_samples):
        reached = np.maximum(distances / alpha, np.maximum(cores[indices], distances[min_samples]))
        return indices[reached.argmin()], np.inf if reached.min() == 0 else 1 / reached.min()

    monkeypatch.setattr(prediction, "_find_neighbor_and_lambda", divided)
    other = of_hdbscan(model, points, 5)
    labels, probabilities = prediction.approximate_predict(other, new)
    found = cluster.approximate_predict(model, new)
    np.testing.assert_array_equal(found[0], labels)
    np.testing.assert_allclose(found[1], probabilities, rtol=1e-12)
    scores = np.maximum(prediction.approximate_predict_scores(other, new), 0)
    np.testing.assert_allclose(cluster.approximate_predict_scores(model, new), scores, atol=1e-12)
    expected = prediction.all_points_membership_vectors(other)
    np.testing.assert_allclose(cluster.all_points_membership_vectors(model), expected, atol=1e-6)
    expected = prediction.membership_vector(other, new)
    np.testing.assert_allclose(cluster.membership_vector(model, new), expected, atol=1e-4)


def test_the_largest_memberships_are_those_of_all():
    points, new = sample(3, 2)
    model = fit(points, 5, "leaf")
    for few, everything in [
        (
            cluster.all_points_membership_vectors(model, largest=3),
            cluster.all_points_membership_vectors(model),
        ),
        (
            cluster.membership_vector(model, new, largest=3),
            cluster.membership_vector(model, new),
        ),
    ]:
        labels, memberships = few
        assert labels.shape == memberships.shape == (len(everything), 3)
        np.testing.assert_array_equal(np.take_along_axis(everything, labels, 1), memberships)
        np.testing.assert_array_equal(-np.sort(-everything, 1)[:, :3], memberships)
    many = cluster.membership_vector(model, new, largest=1000)
    assert many[0].shape == (len(new), len(model.exemplars_))


def test_fitted_points_get_their_own_labels():
    points, _ = sample(4, 2)
    model = fit(points, 5)
    np.testing.assert_array_equal(model.predict(points), model.labels_)
    # Preparing for other functions does not change the predictions.
    model.generate_prediction_data()
    np.testing.assert_array_equal(model.predict(points), model.labels_)


def test_points_without_coordinates_have_no_memberships():
    points, new = sample(5, 2)
    finite = fit(points, 5)
    rows = np.insert(points, [0, 7], [[np.nan, 1.0], [np.inf, 1.0]], axis=0)
    model = fit(rows, 5, nonfinite="label")
    is_finite = np.isfinite(rows).all(axis=1)
    memberships = cluster.all_points_membership_vectors(model)
    expected = cluster.all_points_membership_vectors(finite)
    np.testing.assert_array_equal(memberships[is_finite], expected)
    assert not memberships[~is_finite].any()
    labels, _ = cluster.all_points_membership_vectors(model, largest=2)
    np.testing.assert_array_equal((labels < 0).all(axis=1), ~is_finite)
    found = cluster.approximate_predict(model, new, return_connecting_points=True)[2]
    expected = cluster.approximate_predict(finite, new, return_connecting_points=True)[2]
    np.testing.assert_array_equal(rows[found], points[expected])


def test_a_model_without_clusters_says_so():
    points, new = sample(6, 2)
    with pytest.warns(UserWarning, match="all 420 points are noise"):
        model = HDBSCAN(300, min_samples=5).fit(points)
    with pytest.warns(UserWarning, match="no clusters"):
        labels, probabilities = cluster.approximate_predict(model, new)
    assert set(labels) == {-1} and not probabilities.any()
    assert cluster.all_points_membership_vectors(model).shape == (len(points), 0)
    assert cluster.membership_vector(model, new).shape == (len(new), 0)
    assert model.exemplars_ == []


def test_functions_for_new_points_refuse_models_without_points():
    points, new = sample(7, 2)
    model = fit(kostra.euclidean_mst(points, min_samples=5), None)
    for function in (cluster.approximate_predict, cluster.membership_vector):
        with pytest.raises(ValueError, match=f"{function.__name__} needs the points of the fit"):
            function(model, new)
        with pytest.raises(NotFittedError):
            function(HDBSCAN(), new)
    with pytest.raises(ValueError, match="largest must be from 1"):
        cluster.membership_vector(fit(points, 5), new, largest=0)
    assert not hasattr(model, "exemplars_")


def test_the_engine_refuses_what_needs_core_distances():
    points, new = sample(8, 2)
    model = fit(points, 5)
    engine = model._predictor.fitted(model._condensed, False, None)
    with pytest.raises(ValueError, match="without core distances"):
        engine.approximate_predict(new.ravel(), 2, None)
    with pytest.raises(ValueError, match="without core distances"):
        engine.memberships_of(new.ravel(), 2, None, None)


def test_a_restored_model_predicts_the_same():
    points, new = sample(9, 3)
    model = fit(points, 5, prediction_data=True)
    restored = pickle.loads(pickle.dumps(model))
    for function in (cluster.approximate_predict_scores, cluster.membership_vector):
        np.testing.assert_array_equal(function(restored, new), function(model, new))
