"""The drop-in for SciPy's function, beside SciPy's, and under SciPy's own tests."""

import functools

import numpy as np
import pytest
import scipy.sparse.csgraph as csgraph
from scipy import sparse

import kostra.scipy as drop_in
from kostra.scipy import minimum_spanning_tree

FORMATS = [
    sparse.csr_array,
    sparse.csr_matrix,
    sparse.csc_array,
    sparse.coo_array,
    sparse.coo_matrix,
    sparse.lil_array,
    np.asarray,
    np.asmatrix,
    lambda matrix: np.ma.masked_equal(matrix, 0),
    lambda matrix: np.asarray(matrix).tolist(),
]


def test_scipys_own_tests_pass(monkeypatch):
    tests = pytest.importorskip("scipy.sparse.csgraph.tests.test_spanning_tree")
    monkeypatch.setattr(tests, "minimum_spanning_tree", minimum_spanning_tree)
    ran = [name for name in dir(tests) if name.startswith("test_")]
    for name in ran:
        getattr(tests, name)()
    assert ran


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64, np.bool_])
def test_the_result_is_of_scipys_type_with_scipys_weights(make, dtype):
    random = np.random.default_rng(8)
    for n in (0, 1, 2, 9, 40):
        dense = np.round(10 * random.random((n, n))).astype(dtype) * (random.random((n, n)) < 0.2)
        graph = make(dense.astype(dtype))
        try:
            expected = csgraph.minimum_spanning_tree(graph)
        except ValueError:
            continue  # SciPy has no trees of graphs without vertices
        tree = minimum_spanning_tree(graph)
        assert type(tree) is type(expected)
        assert (tree.dtype, tree.shape, tree.nnz) == (expected.dtype, expected.shape, expected.nnz)
        assert sorted(tree.data.tolist()) == sorted(expected.data.tolist())
        both = np.minimum(np.where(dense, dense, np.inf), np.where(dense, dense, np.inf).T)
        rows, columns = tree.nonzero()
        assert (both[rows, columns] == tree.toarray()[rows, columns]).all()


def test_where_no_two_weights_are_equal_the_very_entries_are_scipys():
    random = np.random.default_rng(9)
    for n in (5, 30, 200):
        graph = sparse.random_array((n, n), density=4 / n, rng=random, format="csr")
        ours, theirs = minimum_spanning_tree(graph), csgraph.minimum_spanning_tree(graph)
        assert (ours != theirs).nnz == 0 and ours.nnz == theirs.nnz
        assert ours.has_sorted_indices or not theirs.has_sorted_indices


def test_the_input_stays_as_it_is():
    graph = sparse.csr_array([[0.0, 2, 1], [0, 0, 3], [0, 0, 0]])
    before = graph.copy()
    for overwrite in (False, True):
        minimum_spanning_tree(graph, overwrite)
        assert (graph != before).nnz == 0


def test_edges_of_weight_zero_are_stored_only_on_request():
    graph = sparse.csr_array((np.array([0.0, 5.0]), ([0, 1], [1, 2])), shape=(3, 3))
    tree = minimum_spanning_tree(graph)
    assert tree.nnz == csgraph.minimum_spanning_tree(graph).nnz == 1
    tree = minimum_spanning_tree(graph, explicit_zeros=True)
    assert tree.nnz == 2 and sorted(tree.data.tolist()) == [0, 5]
    # A stored zero keeps heavier edges out, stored in the result or not.
    triangle = sparse.csr_array((np.array([0.0, 5.0, 7.0]), ([0, 1, 0], [1, 2, 2])), shape=(3, 3))
    assert minimum_spanning_tree(triangle).data.tolist() == [5]


def test_a_maximum_tree_is_the_minimum_tree_of_negative_weights():
    random = np.random.default_rng(3)
    for n in (2, 9, 40):
        graph = sparse.random_array((n, n), density=0.4, rng=random, format="csr")
        tree, expected = minimum_spanning_tree(graph, maximum=True), minimum_spanning_tree(-graph)
        assert (tree != -expected).nnz == 0 and tree.nnz == expected.nnz
    both = sparse.csr_array((np.array([5.0, 2.0]), ([0, 1], [1, 0])), shape=(2, 2))
    assert minimum_spanning_tree(both, maximum=True).toarray().tolist() == [[0, 5], [0, 0]]


def test_an_older_scipy_returns_matrices_and_so_do_we(monkeypatch):
    monkeypatch.setattr(drop_in, "_ALWAYS_MATRIX", True)
    for make in FORMATS:
        assert type(minimum_spanning_tree(make(np.array([[0, 2], [0, 0]])))) is sparse.csr_matrix


def test_complex_weights_are_refused_with_what_to_pass():
    for make in (np.asarray, sparse.csr_array):
        with pytest.raises(TypeError, match="abs|real"):
            minimum_spanning_tree(make(np.array([[0, 1j], [0, 0]])))


def test_nan_is_refused_where_scipy_uses_it():
    graph = sparse.csr_array((np.array([np.nan, 5.0]), ([0, 1], [1, 2])), shape=(3, 3))
    with pytest.raises(ValueError, match=r"^csgraph\[0, 1\] is NaN; remove the entry"):
        minimum_spanning_tree(graph)


def test_infinities_are_edges_of_sparse_graphs():
    graph = sparse.csr_array((np.array([np.inf, -np.inf]), ([0, 1], [1, 2])), shape=(3, 3))
    assert minimum_spanning_tree(graph).data.tolist() == [np.inf, -np.inf]


def test_an_edge_stored_from_both_ends_weighs_the_lesser():
    graph = sparse.csr_array((np.array([5.0, 2.0]), ([0, 1], [1, 0])), shape=(2, 2))
    assert minimum_spanning_tree(graph).toarray().tolist() == [[0, 0], [2, 0]]


def test_integers_that_floats_round_are_compared_exactly():
    big = 2**53
    graph = sparse.csr_array((np.array([big + 1, big, 1]), ([0, 0, 1], [2, 1, 2])), shape=(3, 3))
    assert minimum_spanning_tree(graph).toarray()[0].tolist() == [0, big, 0]


def test_entries_stored_twice_are_parallel_edges_unless_a_conversion_sums_them():
    twice = sparse.csr_array(
        (np.array([5.0, 2.0]), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 2)
    )
    assert minimum_spanning_tree(twice).data.tolist() == [2]
    coordinates = sparse.coo_array((np.array([5.0, 2.0]), ([0, 0], [1, 1])), shape=(2, 2))
    assert minimum_spanning_tree(coordinates).data.tolist() == [7]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_rows_may_be_many_empty_and_have_room_for_more(dtype):
    n = 100_000
    starts = np.zeros(n + 1, dtype)
    starts[7:], starts[50_000:], starts[-1] = 2, 3, 4
    graph = sparse.csr_array((n, n))
    graph.indptr, graph.indices = starts, np.array([1, 2, 3, 4, 5, 5], dtype)
    graph.data = np.array([3.0, 0, 2, 1, 9, 9])
    tree = minimum_spanning_tree(graph, threads=2, explicit_zeros=True)
    assert (
        tree.indptr.dtype == tree.indices.dtype == np.int32
        and tree.indptr.tolist() == starts.tolist()
    )
    assert (tree.indices.tolist(), tree.data.tolist()) == ([1, 2, 3, 4], [3, 0, 2, 1])
    empty = minimum_spanning_tree(sparse.csr_array((0, 0))) if dtype == np.int32 else None
    assert empty is None or empty.shape == (0, 0)


def test_rows_that_are_none_are_refused():
    for starts in ([0, 2, 1], [1, 1, 1], [-1, 0, 1], [0, 5, 3]):
        graph = sparse.csr_array(np.array([[0, 1.0], [0, 0]]))
        graph.indptr = np.array(starts, np.int32)
        with pytest.raises(
            ValueError,
            match="csgraph.indptr (must start at 0 and be ascending|ends at 3, but csgraph has 1 entry)",
        ):
            minimum_spanning_tree(graph)


def test_what_is_no_graph_is_refused():
    for bad in (sparse.csr_array((2, 3)), np.zeros((2, 3))):
        with pytest.raises(ValueError, match="square|shape"):
            minimum_spanning_tree(bad)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
@pytest.mark.parametrize("make", FORMATS)
def test_the_result_is_the_callers_to_write_to(make, dtype):
    graph = make(np.array([[0, 2, 1], [0, 0, 3], [0, 0, 0]], dtype))
    before = np.array(graph.toarray() if sparse.issparse(graph) else graph)
    for overwrite in (False, True):
        tree = minimum_spanning_tree(graph, overwrite)
        for array in (tree.data, tree.indices, tree.indptr):
            owner = array if array.base is None else array.base
            assert array.flags.writeable and owner.flags.owndata
        assert (tree.indices.dtype, tree.indptr.dtype) == (np.int32, np.int32)
        tree *= 2
        assert tree.data.tolist() == [4, 2]
        tree.data[...] = [0, 7]
        tree.eliminate_zeros()
        tree.sort_indices()
        assert tree.toarray().tolist() == [[0, 0, 7], [0, 0, 0], [0, 0, 0]]
    assert (np.array(graph.toarray() if sparse.issparse(graph) else graph) == before).all()


def test_what_is_masked_is_no_edge_and_what_is_not_is_one():
    weights = [[0, 1, 5], [1, 0, 140], [5, 140, 0]]
    graph = np.ma.array(weights, mask=[[1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=float)
    tree = minimum_spanning_tree(graph)
    assert tree.data.tolist() == csgraph.minimum_spanning_tree(graph).data.tolist() == [5, 140]
    zero = np.ma.array([[0.0, 0.0], [0.0, 0.0]], mask=[[1, 0], [1, 1]])
    assert minimum_spanning_tree(zero, explicit_zeros=True).nnz == 1
    assert minimum_spanning_tree(
        np.ma.array([[0.0, 3], [0, 0]], mask=[[1, 0], [1, 1]])
    ).data.tolist() == [3]
    assert minimum_spanning_tree(np.ma.array([[0.0, 3], [2, 0]])).data.tolist() == [
        2
    ]  # SciPy raises


def test_points_that_coincide_keep_their_labels_as_the_documentation_shows(monkeypatch):
    cluster = pytest.importorskip("sklearn.cluster")
    random = np.random.default_rng(0)
    points = np.vstack([random.normal(center, 0.2, (20, 2)) for center in (0, 3, 6)])
    points = np.vstack([points, points[:12], points[:12]])
    dense = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    rows, columns = np.indices(dense.shape)
    distances = sparse.csr_matrix(
        (dense.ravel(), (rows.ravel(), columns.ravel())), shape=dense.shape
    )

    def labels(matrix):
        return cluster.HDBSCAN(metric="precomputed", min_samples=2, copy=True).fit(matrix).labels_

    expected = labels(dense).tolist()
    assert len(set(expected)) == 3
    theirs = labels(distances)
    assert len(theirs) < len(points)
    with_zeros = functools.partial(minimum_spanning_tree, explicit_zeros=True)
    monkeypatch.setattr(csgraph, "minimum_spanning_tree", with_zeros)
    with pytest.raises(ValueError):
        labels(distances)
    monkeypatch.setattr(csgraph, "minimum_spanning_tree", minimum_spanning_tree)
    assert len(labels(distances)) == len(theirs)
    distances.data[distances.data == 0] = np.finfo(distances.dtype).tiny
    assert labels(distances).tolist() == expected
