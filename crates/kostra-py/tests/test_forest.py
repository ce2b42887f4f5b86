"""What a forest knows."""

import numpy as np
import pytest

import kostra


def graph(seed=1, n=200, m=500, weights=20):
    random = np.random.default_rng(seed)
    return kostra.Graph(
        random.integers(0, n, m), random.integers(0, n, m), random.integers(0, weights, m), n
    )


@pytest.mark.parametrize("maximum", [False, True])
def test_every_exact_algorithm_on_any_number_of_threads_gives_the_same_edges(maximum):
    question = graph()
    expected = question.minimum_spanning_forest(maximum=maximum)
    kostra.verify(question, expected)
    assert expected.maximum == maximum
    for solver in kostra.solvers():
        if solver["platform"] not in ("one thread", "threads"):
            continue  # wants a device
        for threads in (1, 2, 5):
            forest = question.minimum_spanning_forest(
                maximum=maximum, threads=threads, algorithm=solver["name"]
            )
            assert forest.algorithm == solver["name"]
            if solver["exact"]:
                assert forest.edge_ids.tolist() == expected.edge_ids.tolist()
            else:
                assert len(forest) == len(expected)
                excess = forest.total_weight - expected.total_weight
                assert (excess <= 0) if maximum else (excess >= 0)


def test_its_arrays_are_those_of_its_edges():
    question = graph()
    forest = question.minimum_spanning_forest()
    ids = forest.edge_ids
    assert (np.diff(ids) > 0).all()
    for name in ("u", "v", "weights"):
        np.testing.assert_array_equal(getattr(forest, name), getattr(question, name)[ids])
    assert forest.total_weight == question.weights[ids].sum()
    assert len(forest) == len(ids) == forest.n - forest.n_components


def test_labels_number_components_by_their_lowest_vertices():
    forest = kostra.minimum_spanning_forest([5, 2, 3], [1, 4, 3], n=6)
    assert forest.labels().tolist() == [0, 1, 2, 3, 2, 1] and forest.n_components == 4


def test_parents_lead_to_the_root_along_edges_of_the_forest():
    forest = graph().minimum_spanning_forest()
    root = 17
    parents = forest.parents(root)
    edges = {frozenset(edge) for edge in zip(forest.u.tolist(), forest.v.tolist())}
    labels = forest.labels()
    roots = np.flatnonzero(parents == -1)
    lowest = {int(np.flatnonzero(labels == label)[0]) for label in range(forest.n_components)}
    assert set(roots.tolist()) == lowest - {int(np.flatnonzero(labels == labels[root])[0])} | {root}
    for vertex in range(forest.n):
        steps = 0
        while parents[vertex] != -1:
            assert frozenset((vertex, int(parents[vertex]))) in edges
            vertex, steps = int(parents[vertex]), steps + 1
            assert steps < forest.n
    for bad in (-1, forest.n):
        with pytest.raises(ValueError, match="root must be from 0 to 199"):
            forest.parents(bad)
    for bad, message in (
        (None, "root must be a vertex"),
        (1.0, "root must be an integer, not 1.0"),
    ):
        with pytest.raises(TypeError, match=message):
            forest.parents(bad)
    assert forest.parents(np.uint8(root)).tolist() == parents.tolist()
    assert forest.parents().tolist() == forest.parents(0).tolist()


def test_scipy_gets_every_edge_zeros_included():
    forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [0, 5], n=4)
    matrix = forest.to_scipy()
    assert matrix.shape == (4, 4) and matrix.nnz == 2 and matrix.dtype == np.int64
    assert matrix.toarray()[1, 2] == 5
    matrix = forest.to_scipy(symmetric=True)
    assert matrix.nnz == 4 and matrix.toarray()[2, 1] == 5


def test_networkx_gets_every_vertex():
    tree = kostra.minimum_spanning_forest([0, 1], [1, 2], [0.5, 5], n=4).to_networkx(
        weight="length"
    )
    assert list(tree) == [0, 1, 2, 3]
    assert sorted(tree.edges(data="length")) == [(0, 1, 0.5), (1, 2, 5.0)]


def test_verify_names_the_first_thing_that_is_wrong():
    question = kostra.Graph([0, 1, 2, 0], [1, 2, 0, 3], [1, 2, 3, 4])
    kostra.verify(question, [3, 0, 1])
    for wrong, message in [
        ([0, 2, 3], "edge 1 .* is not in the forest, but comes before edge 2"),
        ([0, 1], "edge 3 .* joins two trees that the forest leaves apart"),
        ([0, 1, 2], "forest edge 2 .* closes a cycle"),
        ([0, 0, 1], "forest contains edge 0 twice"),
        ([0, 1, 4], "forest contains edge 4, but the graph has 4 edges, numbered from 0"),
        ([0, -1], "forest contains edge -1"),
        (question.minimum_spanning_forest(maximum=True).edge_ids, "is not in the forest"),
        (kostra.minimum_spanning_forest([0], [1]), "forest has n = 2, but graph has n = 4"),
    ]:
        with pytest.raises(ValueError, match=message):
            kostra.verify(question, wrong)
    with pytest.raises(TypeError, match="graph must be a kostra.Graph, not list"):
        kostra.verify([], [])


def test_graphs_and_forests_describe_themselves():
    question = graph()
    assert repr(question) == "<kostra.Graph: 200 vertices, 500 edges, int64 weights>"
    assert repr(kostra.minimum_spanning_forest([0], [1], [2.5])) == (
        "<kostra.Forest: 2 vertices, 1 edge, one component, total weight 2.5>"
    )
