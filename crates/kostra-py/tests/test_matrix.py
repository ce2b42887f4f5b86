"""Graphs of matrices, and of the only argument."""

import kostra
import numpy as np
import pytest

DISTANCES = [[0, 3, 5], [3, 0, 4], [5, 4, 0]]


def test_a_matrix_in_any_form_is_a_graph():
    pandas = pytest.importorskip("pandas")
    sparse = pytest.importorskip("scipy.sparse")
    named = pandas.DataFrame(DISTANCES, index=list("abc"), columns=list("abc"))
    masked = np.ma.masked_equal([[0, 3, 9], [3, 0, 4], [9, 4, 0]], 9)
    for matrix, edges in [
        (DISTANCES, 3),
        (np.array(DISTANCES, np.float16), 3),
        (np.array(DISTANCES, ">i4"), 3),
        (masked, 2),
        (named, 3),
        (sparse.csr_array(np.triu(DISTANCES)), 3),
    ]:
        graph = kostra.Graph.from_matrix(matrix)
        assert (graph.n, graph.m) == (3, edges)
        assert graph.minimum_spanning_forest().total_weight == 7
    assert kostra.Graph.from_matrix(named).nodes == ["a", "b", "c"]
    with pytest.raises(ValueError, match="different labels"):
        kostra.Graph.from_matrix(named.rename(index={"a": "x"}))
    with pytest.raises(ValueError, match=r"must be square, but its shape is \(1, 2\)"):
        kostra.Graph.from_matrix([[1, 2]])
    with pytest.raises(ValueError, match="row 0, column 1 .* differ"):
        kostra.Graph.from_matrix([[0, 1], [2, 0]])


def test_values_with_a_meaning_are_a_question():
    zero = [[0, 0, 4], [0, 0, 4], [4, 4, 0]]
    with pytest.raises(ValueError, match='pass `zeros="edge"` or `zeros="none"`'):
        kostra.Graph.from_matrix(zero)
    graph = kostra.Graph.from_matrix(zero, zeros="edge")
    assert (graph.m, graph.minimum_spanning_forest().total_weight) == (3, 4)
    assert "1 pair, are edges" in graph.notes[0]
    assert kostra.Graph.from_matrix(zero, zeros="none").m == 2
    with pytest.raises(ValueError, match='`negatives="none"`'):
        kostra.Graph.from_matrix([[-1, 3], [3, -1]])
    similar = kostra.Graph.from_matrix([[1, 0.5], [0.5, 1]])
    with pytest.warns(UserWarning, match="similarities, with 1 on the diagonal.*maximum=True"):
        similar.minimum_spanning_forest()


def test_distances_of_correlations_are_read_with_their_rounding():
    values = np.random.default_rng(1).normal(size=(20, 5))
    values[1] = values[0]
    with np.errstate(invalid="ignore"):
        distances = np.sqrt(2 * np.maximum(1 - np.corrcoef(values), 0))
    distances[0, 0], distances[3, 2] = 2.1e-8, np.nextafter(distances[2, 3], 9)
    total = kostra.euclidean_mst(distances, metric="precomputed").total_weight
    forest = kostra.Graph.from_matrix(distances, zeros="edge").minimum_spanning_forest()
    assert forest.total_weight == pytest.approx(total)
    assert kostra.single_linkage(distances, metric="precomputed").shape == (19, 4)


def test_the_only_argument_is_a_graph_a_matrix_a_table_or_a_foreign_graph():
    networkx = pytest.importorskip("networkx")
    pandas = pytest.importorskip("pandas")
    large = np.array(DISTANCES + [[6, 7, 8]])
    large = np.hstack([large, [[6], [7], [8], [0]]])
    foreign = networkx.Graph()
    foreign.add_weighted_edges_from([("a", "b", 3), ("b", "c", 4), ("a", "c", 5), ("c", "d", 6)])
    table = pandas.DataFrame({"source": [0, 1, 0, 2], "target": [1, 2, 2, 3], "weight": [3, 4, 5, 6]})
    for x in (kostra.Graph.from_matrix(large), large, large.tolist(), foreign, table):
        assert kostra.minimum_spanning_forest(x).total_weight == 13
    for x, error, message in [
        ("roads.csv", TypeError, "Graph.read"),
        (DISTANCES, ValueError, r"from_matrix\(x\) or kostra.Graph.from_edges\(x\)"),
        ([0, 1], TypeError, "must be a Graph, a matrix, a table"),
    ]:
        with pytest.raises(error, match=message):
            kostra.minimum_spanning_forest(x)
    with pytest.raises(TypeError, match="pass v"):
        kostra.minimum_spanning_forest(large, w=[1])


def test_rows_of_an_array_are_edges():
    rows = [[0, 1, 5], [1, 2, 6], [0, 2, 4], [2, 3, 1]]
    expected = kostra.minimum_spanning_forest(*zip(*rows))
    for x in (rows, np.array(rows), np.array(rows, float), np.array(rows, np.uint8).T.copy().T):
        assert kostra.minimum_spanning_forest(x).edge_ids.tolist() == expected.edge_ids.tolist()
        assert kostra.Graph.from_edges(x, n=9).n == 9
    assert kostra.Graph.from_edges(np.array(rows)) == kostra.Graph(*np.array(rows).T)
    assert kostra.minimum_spanning_forest(np.array(rows)[:, :2]).total_weight == 3
    again = kostra.Graph.from_edges(expected.to_numpy()).minimum_spanning_forest()
    assert again.total_weight == expected.total_weight
    wide = np.array([[-5, 10**12, 2**60 + 1], [10**12, 7, 3]], object)
    graph = kostra.Graph.from_edges(wide, relabel=True)
    assert graph.nodes == [-5, 7, 10**12] and graph.weights.tolist() == [2**60 + 1, 3]
    square = [[0, 1, 5], [1, 2, 6], [0, 2, 4]]
    assert kostra.Graph.from_edges(square).minimum_spanning_forest().total_weight == 9
    assert kostra.Graph.from_edges(np.empty((0, 3))).n == 0


@pytest.mark.parametrize(
    "rows, message",
    [
        ([[0, 1.5, 2]], r"edges\[0, 1\] is 1.5, which is not the number of a vertex"),
        ([[0, np.nan, 2]], r"edges\[0, 1\] is nan"),
        ([[0, 2.0**53, 2]], r"edges\[0, 1\] is 9007199254740992"),
        ([[0, 1, np.nan]], "NaN"),
        ([[0, 1, 2, 3]], r"shape \(m, 2\) or \(m, 3\), not \(1, 4\)"),
        ([0, 1], r"not \(2,\)"),
        (np.ma.array([[0, 1, 2]], mask=[[0, 0, 1]]), "masked"),
        ([[-1, 1, 2]], "relabel=True"),
    ],
)
def test_rows_that_are_no_edges_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        kostra.Graph.from_edges(rows)


def test_a_graph_is_written_and_read_back(tmp_path):
    graph = kostra.Graph.from_matrix(DISTANCES)
    graph.nodes = ["a", "b", "c"]
    for name in ("graph.kst", "graph.graphml", "graph.json.gz"):
        graph.write(tmp_path / name)
        again = kostra.Graph.read(tmp_path / name)
        assert (again.nodes, again.weights.tolist()) == (graph.nodes, graph.weights.tolist())
    with pytest.raises(ValueError, match="svg"):
        graph.write(tmp_path / "graph.xyz")


def test_a_misspelled_metric_gets_a_suggestion():
    for metric in ("euclidian", "haversin", "pre-computed"):
        with pytest.raises(ValueError, match="did you mean '(euclidean|haversine|precomputed)'"):
            kostra.euclidean_mst([[0.0], [1.0]], metric=metric)


def test_a_tree_of_distances_has_the_labels_of_the_table():
    pandas = pytest.importorskip("pandas")
    D = np.array([[0.0, 1, 4], [1, 0, 3], [4, 3, 0]])
    names = ["Oslo", "Bergen", "Rome"]
    table = pandas.DataFrame(D, index=names, columns=names)
    assert kostra.euclidean_mst(table, metric="precomputed").nodes == names
    assert kostra.euclidean_mst(D, metric="precomputed").nodes is None


def test_a_table_without_the_usual_columns_names_the_constructor():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"source": ["a"], "target": ["b"], "km": [1]})
    with pytest.raises(ValueError, match="weight=None for weight 1, to kostra.Graph.from_table$"):
        kostra.minimum_spanning_forest(table)
