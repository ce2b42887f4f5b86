"""Sparse features, such as TF-IDF: the results are those of the rows with their zeros."""

import numpy as np
import pytest
from scipy import sparse

import kostra.hdbscan
from kostra import cluster
from kostra.cluster import HDBSCAN


def sample(seed, n=60):
    """Rows of few different values in many columns, some of them equal and some negative."""
    random = np.random.default_rng(seed)
    topics = random.random((5, 40)) < 0.15
    X = topics[random.integers(0, 5, n)] * random.integers(0, 3, (n, 40)) / 2
    X[random.random((n, 40)) < 0.02] = -1.5
    X[:, seed % 40] = 1
    return X


def shuffled(X, seed):
    """The same matrix with entries in any order, stored twice, and stored zeros."""
    random = np.random.default_rng(seed)
    matrix = sparse.csr_array(X)
    rows = np.repeat(np.arange(len(X)), np.diff(matrix.indptr))
    halves = [matrix.data / 2, matrix.data / 2]
    zeros = random.integers(0, len(X), 9), random.integers(0, X.shape[1], 9)
    data = np.concatenate([*halves, np.zeros(9)])
    rows = np.concatenate([rows, rows, zeros[0]])
    columns = np.concatenate([matrix.indices, matrix.indices, zeros[1]])
    order = random.permutation(len(data))
    return sparse.coo_array((data[order], (rows[order], columns[order])), X.shape)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "l2", "manhattan", "arccos", "canberra"])
def test_sparse_rows_have_the_results_of_dense_ones(metric):
    for seed in range(6):
        X, new = sample(seed), sample(seed + 20)
        options = {"min_cluster_size": 3, "min_samples": 1 + seed, "metric": metric}
        dense = HDBSCAN(**options).fit(X)
        for matrix in (sparse.csr_array(X), sparse.csc_matrix(X), shuffled(X, seed)):
            before = matrix.copy()
            found = HDBSCAN(**options).fit(matrix)
            assert (before != matrix).nnz == 0 and before.nnz == matrix.nnz
            for name in ("labels_", "probabilities_", "outlier_scores_"):
                np.testing.assert_array_equal(getattr(found, name), getattr(dense, name), name)
            np.testing.assert_array_equal(found.spanning_tree_.edges, dense.spanning_tree_.edges)
            assert found.n_features_in_ == 40
        if metric == "canberra":
            continue
        for points in (new, sparse.csr_array(new)):
            np.testing.assert_array_equal(found.predict(points), dense.predict(new))
            for function in (cluster.membership_vector, cluster.approximate_predict_scores):
                np.testing.assert_array_equal(function(found, points), function(dense, new))
        of_all = cluster.all_points_membership_vectors
        np.testing.assert_array_equal(of_all(found), of_all(dense))
        for pair in zip(found.exemplars_, dense.exemplars_, strict=True):
            np.testing.assert_array_equal(*pair)
        for label in range(len(dense.exemplars_)):
            centers = [model.weighted_cluster_centroid(label) for model in (found, dense)]
            np.testing.assert_array_equal(*centers)
        data = [model.minimum_spanning_tree_._data for model in (found, dense)]
        np.testing.assert_array_equal(*data)


def test_sparse_rows_in_another_order_have_the_same_labels():
    """Also clusters of equal shape, which only the coordinates number."""
    X = np.kron(np.diag([1.0, 1.0, -1.0, 1.0]), np.ones((3, 1)))
    X = np.column_stack([X, np.zeros((12, 2))])
    X[::3, 4] = 0.5
    dense = HDBSCAN(3, min_samples=1).fit_predict(X)
    assert dense.max() == 3
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(len(X))
        found = HDBSCAN(3, min_samples=1).fit_predict(sparse.csr_array(X[order]))
        np.testing.assert_array_equal(found, dense[order])


def test_the_drop_in_takes_sparse_rows():
    X = sample(2)
    for options in ({}, {"metric": "cosine"}, {"alpha": 1.2}):
        found = kostra.hdbscan.HDBSCAN(4, **options).fit(sparse.csr_matrix(X))
        right = kostra.hdbscan.HDBSCAN(4, **options).fit(X)
        np.testing.assert_array_equal(found.labels_, right.labels_)
        predicted = kostra.hdbscan.approximate_predict
        if not options.get("alpha"):
            rows = sparse.csr_matrix(X[:5])
            np.testing.assert_array_equal(predicted(found, rows)[0], predicted(right, X[:5])[0])


def test_rows_with_missing_values_have_labels_of_their_own():
    X = sample(4)
    X[3, 5], X[8, 2], X[8, 7] = np.nan, np.inf, np.nan
    X[11, 0] = -np.inf
    for metric in ("euclidean", "cosine", "manhattan"):
        options = {"min_cluster_size": 3, "nonfinite": "label", "metric": metric}
        found, dense = (HDBSCAN(**options).fit(rows) for rows in (sparse.csr_array(X), X))
        np.testing.assert_array_equal(found.labels_, dense.labels_)
        np.testing.assert_array_equal(found.outlier_scores_, dense.outlier_scores_)
        assert found.labels_[[3, 8, 11]].tolist() == [-3, -3, -2]


def test_wrong_sparse_rows_are_refused():
    X = sparse.csr_array(sample(1))

    def error(X, **options):
        with pytest.raises((TypeError, ValueError)) as caught:
            HDBSCAN(**options).fit(X)
        return str(caught.value)

    missing = X.copy()
    missing.data[missing.indptr[7]] = np.nan
    assert f"row 7, column {X.indices[X.indptr[7]]} (counted from 0) is NaN" in error(missing)
    assert "contain distances?" in error(X[:40])
    empty = sparse.csr_array((5, 9))
    assert "row 0 has only zeros" in error(empty, metric="cosine", min_cluster_size=2)
