"""Clusters of which only chosen pairs of points may be joined."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

import kostra
from kostra.cluster import HDBSCAN, PLSCAN, SingleLinkage, approximate_predict


def sample(seed, n=120, d=2):
    """Points in groups, and a matrix of some pairs in one direction."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (n, 1)) * 6 + random.normal(size=(n, d))
    return X, sparse.random_array((n, n), density=0.05, rng=random) != 0


def reached(distances, connected, samples, alpha=1.0):
    """Mutual reachability distances by the definition; infinite for pairs that are not connected."""
    cores = np.sort(distances, axis=1)[:, samples - 1]
    reach = np.maximum(distances / alpha, np.maximum(cores, cores[:, None]))
    reach[~(connected | connected.T)] = np.inf
    np.fill_diagonal(reach, 0)
    return reach


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "canberra", "function", "square"])
def test_clusters_are_those_of_the_connected_pairs(metric):
    for seed in range(4):
        X, connectivity = sample(seed)
        by = "euclidean" if metric in ("function", "square") else metric
        distances = squareform(pdist(X, by))
        for samples, alpha in [(1, 1.0), (4, 1.0), (4, 1.5)]:
            given = distances if metric == "square" else X
            named = {"square": "precomputed", "function": lambda a, b: np.linalg.norm(a - b)}
            options = {"metric": named.get(metric, "manhattan" if by == "cityblock" else by)}
            options |= {"min_samples": samples, "alpha": alpha, "connectivity": connectivity}
            found = HDBSCAN(5, **options).fit(given)
            reach = reached(distances, connectivity.toarray(), samples, alpha)
            expected = HDBSCAN(5, metric="precomputed", min_samples=1).fit(reach)
            tree, right = found.spanning_tree_, expected.spanning_tree_.weights
            np.testing.assert_allclose(tree.weights, right[np.isfinite(right)], rtol=1e-12)
            assert np.isfinite(reach[tree.u, tree.v]).all()
            assert adjusted_rand_score(found.labels_, expected.labels_) == 1
            np.testing.assert_allclose(found.probabilities_, expected.probabilities_, rtol=1e-9)


def test_all_pairs_change_nothing_and_the_order_of_rows_has_no_effect():
    X, connectivity = sample(7)
    plain = HDBSCAN(5).fit(X)
    found = HDBSCAN(5, connectivity=np.ones((len(X), len(X)))).fit(X)
    np.testing.assert_array_equal(found.labels_, plain.labels_)
    assert found.spanning_tree_ == plain.spanning_tree_
    order = np.random.default_rng(1).permutation(len(X))
    found = HDBSCAN(5, connectivity=connectivity).fit(X)
    other = HDBSCAN(5, connectivity=connectivity.tocsr()[order][:, order].T).fit(X[order])
    np.testing.assert_array_equal(other.labels_, found.labels_[order])
    np.testing.assert_array_equal(other.probabilities_, found.probabilities_[order])
    [labels] = found.labels_of_sizes([8])
    again = HDBSCAN(8, min_samples=5, connectivity=connectivity).fit_predict(X)
    np.testing.assert_array_equal(labels, again)
    assert PLSCAN().fit(X).connectivity is None


@pytest.mark.parametrize("metric", ["euclidean", "canberra", "square"])
def test_weights_are_repeated_rows_that_are_connected(metric):
    for seed in range(4):
        X, connectivity = sample(seed)
        weights = np.random.default_rng(seed).integers(0, 5, len(X))
        rows = np.repeat(np.arange(len(X)), weights)
        copies = (connectivity.toarray() | np.eye(len(X), dtype=bool))[rows][:, rows]
        for samples, alpha in [(1, 1.0), (6, 1.0), (6, 1.5)]:
            options = {"min_samples": samples, "alpha": alpha, "metric": metric}
            given = X
            if metric == "square":
                given, options["metric"] = cdist(X, X), "precomputed"
            other = given[rows][:, rows] if metric == "square" else given[rows]
            found = HDBSCAN(9, connectivity=connectivity, **options)
            found.fit(given, sample_weight=weights)
            right = HDBSCAN(9, connectivity=copies, **options).fit(other)
            np.testing.assert_array_equal(found.labels_[rows], right.labels_)
            np.testing.assert_array_equal(found.probabilities_[rows], right.probabilities_)
            np.testing.assert_array_equal(found.outlier_scores_[rows], right.outlier_scores_)
            assert set(found.labels_[weights == 0]) <= {-1}
            np.testing.assert_allclose(found.relative_validity_, right.relative_validity_)


def test_single_linkage_is_that_of_scikit_learn():
    for seed in range(5):
        X, _ = sample(seed, d=3)
        graph = kneighbors_graph(X, 40)
        for k in (2, 5, 9):
            ours = SingleLinkage(k, connectivity=graph).fit_predict(X)
            theirs = AgglomerativeClustering(k, linkage="single", connectivity=graph)
            assert adjusted_rand_score(ours, theirs.fit_predict(X)) == 1
    by_function = SingleLinkage(2, connectivity=lambda X: kneighbors_graph(X, 40)).fit_predict(X)
    np.testing.assert_array_equal(by_function, SingleLinkage(2, connectivity=graph).fit_predict(X))


def test_points_of_two_components_are_never_in_one_cluster():
    X = np.arange(20.0)[:, None]
    connected = np.arange(20) // 10 == np.arange(20)[:, None] // 10
    labels = HDBSCAN(3, min_samples=1, connectivity=connected).fit_predict(X)
    assert set(labels[:10]) == {0} and set(labels[10:]) == {1}


def test_rows_that_are_no_points_take_their_pairs_along():
    X, connectivity = sample(3)
    found = HDBSCAN(5, connectivity=connectivity).fit(X)
    rows = np.insert(X, [4], [[np.nan, 0.0]], axis=0)
    kept = np.delete(np.arange(len(rows)), 4)
    wide = np.ones((len(rows), len(rows)), bool)
    wide[np.ix_(kept, kept)] = connectivity.toarray()
    other = HDBSCAN(5, connectivity=wide, nonfinite="label").fit(rows)
    np.testing.assert_array_equal(other.labels_[kept], found.labels_)
    assert other.labels_[4] == -3


def test_what_has_no_connected_pairs_is_refused():
    X, connectivity = sample(5)
    model = HDBSCAN(5, connectivity=connectivity)
    with pytest.raises(ValueError, match="a forest already has its edges"):
        model.fit(kostra.euclidean_mst(X))
    with pytest.raises(ValueError, match="leave approximate out"):
        HDBSCAN(connectivity=connectivity, approximate=True).fit(X)
    with pytest.raises(ValueError, match=r"for each of the 120 points, but its shape is \(3, 3\)"):
        HDBSCAN(connectivity=np.ones((3, 3))).fit(X)
    with pytest.raises(ValueError, match="already say which points are connected"):
        HDBSCAN(connectivity=connectivity, metric="precomputed").fit(sparse.csr_array(cdist(X, X)))
    nearest = kostra.nearest_neighbors(X, 5)
    with pytest.raises(ValueError, match="already say which points are connected"):
        SingleLinkage(connectivity=connectivity, metric="precomputed").fit(nearest)
    with pytest.raises(ValueError, match=r"pass X.toarray\(\)"):
        model.fit(sparse.csr_array(X))
    with pytest.raises(ValueError, match="new points are connected"):
        approximate_predict(model.fit(X), X)
