"""Approximate trees beside exact ones."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import kostra
from kostra.cluster import HDBSCAN


@pytest.fixture(scope="module")
def points():
    random = np.random.default_rng(3)
    centers = 4 * random.normal(size=(20, 24))
    return centers[np.arange(4500) % 20] + random.normal(size=(4500, 24))


def test_an_approximate_tree_reports_its_error(points):
    exact = kostra.euclidean_mst(points)
    tree = kostra.euclidean_mst(points, approximate=True)
    error = tree.error
    assert exact.error is None and isinstance(error, kostra.ErrorBound)
    assert error.least <= exact.total_weight <= error.length * (1 + 1e-12)
    assert tree.total_weight == pytest.approx(error.length)
    assert error.relative == pytest.approx(error.length / error.least - 1)
    assert error.confidence == 0.95 and 0.9 < error.recall <= 1
    assert pickle.loads(pickle.dumps(tree)).error == error
    assert kostra.euclidean_mst(points, approximate=True, threads=1) == tree
    linkage = kostra.single_linkage(points, approximate=True)
    np.testing.assert_array_equal(linkage, kostra.single_linkage(tree))


@pytest.mark.slow
def test_the_clusters_of_an_approximate_tree_are_nearly_the_exact_ones(points):
    exact = HDBSCAN(min_cluster_size=50).fit(points)
    found = HDBSCAN(min_cluster_size=50, approximate=True, seed=5).fit(points)
    assert found.spanning_tree_.error.relative < 0.1
    assert adjusted_rand_score(found.labels_, exact.labels_) > 0.95
    again = HDBSCAN(min_cluster_size=50, approximate=True).fit(found.spanning_tree_)
    np.testing.assert_array_equal(again.labels_, found.labels_)


def test_few_points_have_the_exact_tree():
    tree = kostra.euclidean_mst([[0.0], [2.0], [5.0]], approximate=True)
    assert tree.error == (5, 5, 1, 1) and tree.error.relative == 0


@pytest.mark.parametrize(
    "options", [{"metric": "precomputed"}, {"metric": "jaccard"}, {"seed": -1}, {"seed": 2**64}]
)
def test_what_has_no_approximate_tree_is_refused(options):
    with pytest.raises(ValueError, match="approximate|seed"):
        kostra.euclidean_mst(np.eye(4), approximate=True, **options)
    with pytest.raises(TypeError):
        kostra.euclidean_mst(np.eye(4), approximate=2)
