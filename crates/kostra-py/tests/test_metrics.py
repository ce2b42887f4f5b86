"""Nearest neighbors, and trees by metrics of SciPy and by callables, beside plain definitions."""

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist, squareform

import kostra
from kostra import _metrics


def cloud(n=60, d=3, seed=1):
    return np.random.default_rng(seed).normal(size=(n, d))


def definition(distances, min_samples=1):
    """The edges and lengths of the canonical tree, by Kruskal's algorithm on all pairs."""
    n = len(distances)
    cores = np.sort(distances, axis=1)[:, min_samples - 1]
    reach = distances if min_samples == 1 else np.maximum(
        distances, np.maximum(cores[:, None], cores[None, :])
    )
    component, found = list(range(n)), []
    pairs = itertools.combinations(range(n), 2)
    for length, u, v in sorted((reach[u, v], u, v) for u, v in pairs):
        a, b = component[u], component[v]
        if a != b:
            component = [a if c == b else c for c in component]
            found.append((u, v, length))
    return found


def edges(tree):
    return [(int(u), int(v), w) for (u, v), w in zip(tree.edges, tree.distances)]


@pytest.mark.parametrize("d", [2, 20])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev", "cosine"])
def test_nearest_neighbors_are_those_of_all_pairs(metric, d):
    points = cloud(d=d)
    distances = cdist(points, points, metric)
    np.fill_diagonal(distances, np.inf)
    for k in (1, 7, 59):
        indices, found = kostra.nearest_neighbors(points, k, metric=metric)
        expected = np.argsort(distances, axis=1, kind="stable")[:, :k]
        assert indices.dtype == np.int64 and indices.shape == found.shape == (60, k)
        np.testing.assert_array_equal(indices, expected)
        np.testing.assert_allclose(
            found, np.take_along_axis(distances, expected, axis=1), rtol=1e-9, atol=1e-12
        )


def test_of_points_at_one_distance_those_with_the_lowest_indices_are_nearest():
    points = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [0, 0]])
    indices, distances = kostra.nearest_neighbors(points, 3, threads=2)
    assert indices[0].tolist() == [5, 1, 2] and indices[5].tolist() == [0, 1, 2]
    assert indices[3].tolist() == [0, 5, 2] and distances[3].tolist() == [1, 1, 2**0.5]
    tree = kostra.single_linkage((indices, distances), metric="precomputed")
    np.testing.assert_array_equal(tree, kostra.single_linkage(points))


def test_numbers_of_neighbors_and_metrics_that_do_not_exist_are_refused():
    for k, error in [(0, ValueError), (3, ValueError), (None, TypeError), (1.5, TypeError)]:
        with pytest.raises(error, match="n_neighbors"):
            kostra.nearest_neighbors([[0.0], [1.0], [2.0]], k)
    for metric in ("jaccard", np.subtract):
        with pytest.raises(ValueError, match="metric must be one of"):
            kostra.nearest_neighbors([[0.0], [1.0]], 1, metric=metric)


@pytest.mark.parametrize("min_samples", [1, 4])
@pytest.mark.parametrize("metric", _metrics.SCIPY)
def test_metrics_of_scipy_give_the_canonical_tree_of_all_pairs(metric, min_samples):
    points = np.abs(cloud())
    if metric in _metrics.BOOLEAN or metric == "hamming":
        points = cloud(d=8) > 0.3
        points = points[points.any(axis=1)]
    square = squareform(pdist(points, metric))
    np.clip(square, 0, None, out=square)
    tree = kostra.euclidean_mst(points, metric=metric, min_samples=min_samples)
    assert edges(tree) == definition(square, min_samples)
    linkage = kostra.single_linkage(points, metric=metric, min_samples=min_samples)
    np.testing.assert_array_equal(linkage[:, 2], tree.distances)


@pytest.mark.parametrize("min_samples", [1, 3])
def test_a_callable_is_a_metric(min_samples):
    points = cloud(30).round(1).astype(np.float32)
    calls = []

    def longest(a, b):
        calls.append((a, b))
        return np.abs(a - b).max()

    tree = kostra.euclidean_mst(points, metric=longest, min_samples=min_samples)
    exact = points.astype(np.float64)
    assert edges(tree) == definition(cdist(exact, exact, "chebyshev"), min_samples)
    assert all(a.dtype == np.float64 and not a.flags.writeable for a, _ in calls)
    assert kostra.euclidean_mst([[1.0]], metric=longest).edges.shape == (0, 2)
    # Points that are not joined are at an infinite distance.
    apart = kostra.euclidean_mst([[0], [1]], metric=lambda a, b: np.inf)
    assert apart.distances.tolist() == [np.inf]


@pytest.mark.parametrize(
    "points, metric, error, message",
    [
        ([[0], [1]], lambda a, b: np.nan, ValueError, r"nan for X\[0\] and X\[1\]"),
        ([[0], [1]], lambda a, b: -1, ValueError, "number of at least 0"),
        ([[0], [1]], lambda a, b: "near", TypeError, "must return a number"),
        ([[0], [1]], lambda a, b: 1j, TypeError, "must return a number"),
        ([[0], [3]], lambda a, b: 1 + a[0], ValueError, "but 4.0 in the other order"),
        ([[0], [np.nan]], lambda a, b: 1, ValueError, "row 1, column 0"),
        ([[0, 2], [1, 1]], "jaccard", ValueError, r"X\[0, 1\] is 2.0; pass a boolean array"),
        ([[1, 1], [1, 2]], "correlation", ValueError, r"distance nan for X\[0\] and X\[1\]"),
        ([[1e200], [-1e200]], "sqeuclidean", ValueError, "gives the distance inf"),
        ([[1], [-2]], "jensenshannon", ValueError, "gives the distance (inf|nan)"),
        ([[0, 1], [1, 1]], "seuclidean", ValueError, "V must be an array of 2 variances above 0"),
        ([[0, 1], [1, 1]], "mahalanobis", ValueError, "need a positive definite matrix of 2 by 2"),
        ([[0], [1]], "nearest", ValueError, "metric must be one of"),
        ([[0], [1]], 2, ValueError, "metric must be one of"),
    ],
)
def test_distances_that_are_none_are_refused(points, metric, error, message):
    with pytest.raises(error, match=message):
        kostra.euclidean_mst(points, metric=metric)


def test_an_error_of_a_callable_is_not_changed():
    with pytest.raises(ZeroDivisionError):
        kostra.euclidean_mst([[0.0], [1.0]], metric=lambda a, b: 1 / 0)


@pytest.mark.parametrize(
    "metric, params",
    [
        ("minkowski", None),
        ("p", {"p": 1}),
        ("minkowski", {"p": 2}),
        ("minkowski", {"p": 3.5}),
        ("minkowski", {"p": np.inf}),
        ("minkowski", {"p": 2, "w": [1.0, 4.0, 0.5]}),
        ("infinity", None),
        ("seuclidean", None),
        ("seuclidean", {"V": [1.0, 4.0, 0.5]}),
        ("mahalanobis", None),
        ("mahalanobis", {"VI": np.diag([1.0, 4.0, 0.5]) + 0.1}),
        ("canberra", {"w": [1.0, 4.0, 0.5]}),
    ],
)
def test_metrics_with_parameters_are_scipys(metric, params):
    points = np.random.default_rng(3).normal(size=(60, 3)) * [1, 3, 10]
    name = {"p": "minkowski", "infinity": "chebyshev"}.get(metric, metric)
    for samples in (1, 5):
        expected = kostra.single_linkage(
            pdist(points, name, **(params or {})), metric="precomputed", min_samples=samples
        )
        found = kostra.euclidean_mst(
            points, metric=metric, metric_params=params, min_samples=samples
        )
        np.testing.assert_allclose(found.distances, expected[:, 2], rtol=1e-12)


def test_angles_and_radians_are_scikit_learns():
    from sklearn.metrics.pairwise import cosine_distances, haversine_distances

    points = np.random.default_rng(4).uniform(-1.5, 1.5, (60, 2))
    angles = np.arccos(1 - cosine_distances(points)) / np.pi
    np.fill_diagonal(angles, 0)
    for metric, distances in [
        ("arccos", angles),
        ("haversine_radians", haversine_distances(points)),
    ]:
        expected = kostra.single_linkage(distances, metric="precomputed", min_samples=4)
        found = kostra.euclidean_mst(points, metric=metric, min_samples=4)
        np.testing.assert_allclose(found.distances, expected[:, 2], atol=1e-8)
    meters = kostra.euclidean_mst(np.degrees(points), metric="haversine", min_samples=4)
    np.testing.assert_allclose(meters.distances / 6_371_008.7714, found.distances, rtol=1e-12)


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_mapped_points_do_not_depend_on_the_order_of_the_rows(metric):
    points = np.random.default_rng(5).normal(size=(200, 4))
    points[1::2] = points[::2]  # equal rows
    order = np.random.default_rng(6).permutation(200)
    trees = [
        kostra.euclidean_mst(rows, metric=metric, min_samples=3) for rows in (points, points[order])
    ]
    np.testing.assert_array_equal(trees[0].distances, trees[1].distances)


@pytest.mark.parametrize(
    "metric, params, message",
    [
        ("euclidean", {"p": 3}, "metric='euclidean' has no parameter 'p'"),
        ("minkowski", {"p": 0.5}, "p of the metric 'minkowski' must be a number of at least 1"),
        ("minkowski", {"p": None}, "p of the metric 'minkowski' must be a number of at least 1"),
        ("seuclidean", {"w": [1, 2]}, "metric='seuclidean' has no parameter 'w'"),
        ("seuclidean", {"V": [1, 0]}, "V must be an array of 2 variances above 0"),
        ("mahalanobis", {"VI": [[1, 2], [2, 1]]}, "positive definite matrix of 2 by 2"),
        ("precomputed", {"p": 3}, "metric='precomputed' has no metric_params"),
    ],
)
def test_parameters_without_a_meaning_are_refused(metric, params, message):
    with pytest.raises(ValueError, match=message):
        kostra.euclidean_mst([[0.0, 1.0], [1.0, 0.0]], metric=metric, metric_params=params)
