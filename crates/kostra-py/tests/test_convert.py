"""Graphs of other libraries, and from files."""

import datetime
import gzip
import os
import subprocess
import sys
import warnings

import igraph
import networkx as nx
import numpy as np
import pandas
import polars
import pyarrow
import pytest
import rustworkx
from pyarrow import parquet
from scipy import sparse

import kostra
import kostra.scipy
from kostra.cluster import HDBSCAN

U, V, W = [0, 1, 2, 0], [1, 2, 0, 3], [4.0, 1.0, 2.0, 0.0]
IDS = [1, 2, 3]


def check(graph, ids=IDS, weights=W):
    assert graph.m == len(weights) and graph.weights.tolist() == weights
    forest = graph.minimum_spanning_forest()
    assert forest.edge_ids.tolist() == ids
    kostra.verify(graph, forest)
    return forest


def test_times_of_nanoseconds_are_no_integers():
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], "datetime64[ns]")
    table = pandas.DataFrame({"source": days[:2], "target": days[1:], "weight": [1.5, 2.5]})
    names = [datetime.datetime(2020, 1, day) for day in (1, 2, 3)]
    assert kostra.Graph.from_table(table).nodes == names
    graph = kostra.Graph([0, 1], [1, 2])
    graph.nodes = days
    assert graph.nodes == names
    forest = graph.minimum_spanning_forest()
    assert kostra.bottleneck(forest, days[:1], days[1:2]).tolist() == [1]
    graph.nodes = days + np.timedelta64(1, "ns")
    assert graph.nodes == list(days + np.timedelta64(1, "ns"))


def test_scipy_matrices_keep_their_zeros_and_order():
    coordinates = sparse.coo_array((W, (U, V)), shape=(5, 5))
    assert check(kostra.Graph.from_scipy(coordinates)).n_components == 2
    for make in (
        sparse.csr_array,
        sparse.csr_matrix,
        sparse.csc_array,
        sparse.bsr_array,
        sparse.dok_array,
    ):
        graph = kostra.Graph.from_scipy(make(coordinates))
        assert graph.n == 5 and graph.minimum_spanning_forest().total_weight == 3
    with pytest.raises(
        TypeError, match="matrix must be a SciPy sparse array or matrix, not ndarray"
    ):
        kostra.Graph.from_scipy(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"matrix must be square, but its shape is \(2, 3\)"):
        kostra.Graph.from_scipy(sparse.csr_array((2, 3)))


def test_zeros_in_blocks_are_asked_about():
    square = np.diag([5.0, 3, 4], 1)
    square += square.T
    blocks = sparse.bsr_array(square, blocksize=(2, 2))
    for solve in (
        kostra.Graph.from_scipy,
        kostra.scipy.minimum_spanning_tree,
        lambda matrix: kostra.single_linkage(matrix, metric="precomputed"),
        HDBSCAN(2, metric="precomputed", min_samples=1).fit,
    ):
        with pytest.raises(ValueError, match=r"a zero in a block may be an entry or none; pass \w+"):
            solve(blocks)
        entries = blocks.tocsr()
        entries.eliminate_zeros()
        solve(entries)
        solve(sparse.bsr_array(square, blocksize=(1, 1)))


def test_networkx_graphs_keep_their_nodes():
    original = nx.Graph()
    original.add_nodes_from("abcde")
    original.add_weighted_edges_from([("a", "b", 4), ("a", "d", 0), ("b", "c", 1), ("a", "c", 2)])
    graph = kostra.Graph.from_networkx(original)
    assert graph.nodes == list("abcde") and graph.weights.dtype == np.int64
    forest = graph.minimum_spanning_forest()
    assert [list(original.edges)[edge] for edge in forest.edge_ids] == [
        ("a", "d"),
        ("a", "c"),
        ("b", "c"),
    ]
    tree = forest.to_networkx()
    assert list(tree) == list("abcde")
    assert nx.utils.edges_equal(
        tree.edges(data=True), nx.minimum_spanning_tree(original).edges(data=True)
    )
    assert kostra.Graph.from_networkx(original, weight=None).weights.tolist() == [1] * 4
    with pytest.raises(
        ValueError, match="no edge of graph has the attribute 'length'; pass weight=None"
    ):
        kostra.Graph.from_networkx(original, weight="length")
    multigraph = nx.MultiGraph([(0, 1, {"weight": 5}), (0, 1, {"weight": 2})])
    assert kostra.Graph.from_networkx(multigraph).minimum_spanning_forest().edge_ids.tolist() == [1]
    with pytest.raises(ValueError, match="graph is directed"):
        kostra.Graph.from_networkx(nx.DiGraph([(0, 1)]))
    with pytest.raises(TypeError, match="graph must be a NetworkX graph, not list"):
        kostra.Graph.from_networkx([])


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1, None], TypeError, "the value of edge 1 is None, which is not a number"),
        ([1, "2"], TypeError, "the value of edge 1 is '2', which is not a number"),
        ([1, 2**70], ValueError, "do not fit in 64 bits"),
        (
            [0.5, 2**53 + 1],
            ValueError,
            "the value of edge 1 is 9007199254740993, which a float would round",
        ),
    ],
)
def test_weights_that_would_be_rounded_are_refused(weights, error, message):
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, weights[0]), (1, 2, weights[1])])
    with pytest.raises(error, match=message):
        kostra.Graph.from_networkx(graph)


def test_igraph_graphs_keep_their_edge_ids():
    graph = igraph.Graph(n=5, edges=list(zip(U, V)), edge_attrs={"weight": W})
    forest = check(kostra.Graph.from_igraph(graph))
    assert sorted(graph.spanning_tree(weights=W, return_tree=False)) == forest.edge_ids.tolist()
    with pytest.raises(
        ValueError, match="no edge of graph has the attribute 'length'; pass weight=None"
    ):
        kostra.Graph.from_igraph(graph, weight="length")
    assert kostra.Graph.from_igraph(graph, weight=None).weights.tolist() == [1] * 4
    assert kostra.Graph.from_igraph(igraph.Graph([(0, 1)])).weights.tolist() == [1]
    assert kostra.Graph.from_igraph(igraph.Graph()).n == 0
    with pytest.raises(ValueError, match="graph is directed"):
        kostra.Graph.from_igraph(igraph.Graph([(0, 1)], directed=True))
    with pytest.raises(TypeError, match="igraph"):
        kostra.Graph.from_igraph(nx.Graph())


def test_names_of_igraph_are_nodes():
    graph = igraph.Graph.TupleList([("a", "b"), ("b", "c")])
    forest = kostra.Graph.from_igraph(graph).minimum_spanning_forest()
    assert forest.nodes == ["a", "b", "c"]
    assert kostra.bottleneck(forest, "a", "c") == 1
    graph.vs["name"] = [7, 8, 9]
    assert kostra.Graph.from_igraph(graph).nodes is None


def test_tables_may_have_vertices_without_edges():
    table = {"source": [1, 2], "target": [2, 5], "weight": [1.0, 2.0]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = kostra.Graph.from_table(table, vertices=9)
        assert graph.minimum_spanning_forest().n_components == 7
    with pytest.warns(UserWarning, match="vertices=6 to accept all vertices"):
        kostra.Graph.from_table(table).minimum_spanning_forest()
    with pytest.raises(ValueError, match="target.* is 5, but the graph has n = 4"):
        kostra.Graph.from_table(table, vertices=4)
    names = {"source": ["a", "b"], "target": ["b", "c"]}
    for table_of, relabel in ((table, True), (names, False)):
        with pytest.raises(ValueError, match="vertices needs integer ends"):
            kostra.Graph.from_table(table_of, vertices=9, relabel=relabel)
    with pytest.raises(ValueError, match="no column 'km'; columns: 'source', 'target', 'weight'"):
        kostra.Graph.from_table(table, weight="km")


@pytest.mark.parametrize(
    "columns, names",
    [
        ({"target": "source"}, "source and target"),
        ({"weight": "source"}, "source and weight"),
        ({"weight": "target"}, "target and weight"),
    ],
)
def test_a_column_has_one_role(columns, names):
    table = {"source": [0, 1], "target": [1, 2], "weight": [5, 6]}
    with pytest.raises(ValueError, match=f"{names} name the same column"):
        kostra.Graph.from_table(table, **columns)


def test_rustworkx_graphs_keep_their_indices():
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(6))
    graph.add_edges_from(list(zip(U, V, W)))
    graph.remove_node(4)
    assert check(kostra.Graph.from_rustworkx(graph)).n == 6
    named = rustworkx.PyGraph()
    named.add_nodes_from(range(4))
    named.add_edges_from([(u, v, {"weight": w}) for u, v, w in zip(U, V, W)])
    check(kostra.Graph.from_rustworkx(named, weight_fn=lambda data: data["weight"]))
    with pytest.raises(TypeError, match="pass weight_fn to get them from the edge data"):
        kostra.Graph.from_rustworkx(named)
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(2))
    graph.add_edges_from_no_data([(0, 1)])
    assert kostra.Graph.from_rustworkx(graph).weights.tolist() == [1]
    with pytest.raises(ValueError, match="directed"):
        kostra.Graph.from_rustworkx(rustworkx.PyDiGraph())


COLUMNS = {"source": U, "target": V, "length": W}


class Exporter:
    """What exports an Arrow stream and nothing else."""

    def __arrow_c_stream__(self, requested_schema=None):
        return pyarrow.table(COLUMNS).__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "make",
    [pandas.DataFrame, polars.DataFrame, pyarrow.table, lambda _: Exporter()],
    ids=["pandas", "polars", "arrow", "stream"],
)
def test_tables_of_every_library_are_graphs(make):
    check(kostra.Graph.from_table(make(COLUMNS), weight="length"))


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_names_in_tables_become_nodes(make):
    graph = kostra.Graph.from_table(
        make({"source": ["b", "a"], "target": ["c", "c"], "w": [2, 1]}), weight="w"
    )
    assert graph.nodes == ["a", "b", "c"] and (graph.u.tolist(), graph.v.tolist()) == (
        [1, 0],
        [2, 2],
    )
    with pytest.raises(ValueError, match="table has no column 'from'"):
        kostra.Graph.from_table(make(COLUMNS), source="from")
    with pytest.raises(ValueError, match="column 'target' has no value in row 1; remove such rows"):
        kostra.Graph.from_table(make({"source": ["a", "b"], "target": ["b", None]}))
    with pytest.raises(TypeError, match="table must be a table"):
        kostra.Graph.from_table([1, 2])


def test_what_pandas_calls_missing_is_refused_with_its_row():
    columns = {"source": [0, 1, 2], "target": [1, 2, 0], "w": [1, 2, 3]}
    for name, values in [
        ("source", pandas.array([0, None, 2], "Int64")),
        ("source", [0, None, 2]),  # floats and NaN, to pandas
        ("target", pandas.array(["a", None, "b"], "string")),
        ("w", pandas.array([0, None, 2], "Int32")),
        ("w", pandas.array([0.5, None, 2], "Float64")),
        ("w", [1, None, "2"]),
    ]:
        with pytest.raises(
            ValueError, match=f"column '{name}' has no value in row 1; remove such rows"
        ):
            kostra.Graph.from_table(pandas.DataFrame(columns | {name: values}), weight="w")
    frame = pandas.DataFrame(columns | {"w": [1, np.nan, 2]})
    with pytest.raises(ValueError, match=r"w\[1\] is NaN; fix it, or pass nan='skip'"):
        kostra.Graph.from_table(frame, weight="w")
    assert (
        len(kostra.Graph.from_table(frame, weight="w", nan="skip").minimum_spanning_forest()) == 2
    )
    with pytest.raises(ValueError, match="table has 2 columns named 'w'; rename all but one"):
        kostra.Graph.from_table(pandas.concat([frame, frame["w"]], axis=1), weight="w")


def test_pandas_needs_no_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    frame = pandas.DataFrame(COLUMNS)
    graph = kostra.Graph.from_table(frame, weight="length")
    frame["length"] = 0.0
    check(graph)


def test_files_are_recognized_by_their_content(tmp_path):
    path = tmp_path / "graph"
    path.write_bytes(gzip.compress(b"c roads\np sp 4 4\na 1 2 4\na 2 3 1\na 3 1 2\na 1 4 0\n"))
    graph = kostra.Graph.read(path)
    check(graph, weights=[4, 1, 2, 0])
    assert graph.weights.dtype == np.int32 and graph.nodes is None and graph.coordinates is None
    path.write_text("a b 2\nb c 1\n")
    graph = kostra.Graph.read(path, names=True)
    assert graph.nodes == ["a", "b", "c"] and graph.weights.tolist() == [2, 1]
    path.write_text("0 1\n1 2\n")
    graph = kostra.Graph.read(path, format="edges")
    assert graph.weights.tolist() == [1, 1] and graph.notes == [
        "the input has no weights; each edge weighs 1"
    ]


def test_what_is_wrong_with_a_file_is_said_with_its_place(tmp_path):
    path = tmp_path / "roads.gr"
    with pytest.raises(FileNotFoundError, match="No such file .*roads.gr'"):
        kostra.Graph.read(path)
    path.write_text("p sp 2 1\na 0 1 5\n")
    with pytest.raises(ValueError, match="roads.gr: line 2, column 3: "):
        kostra.Graph.read(path)
    path.write_text("hello!\n")
    with pytest.raises(ValueError, match="none of the formats that Kostra reads .* pass `format`"):
        kostra.Graph.read(path)
    for options, message in [
        ({"format": "doc"}, "no format 'doc'.* parquet, .* kst$"),
        ({"weights": "x"}, "weights must be"),
        ({"nan": 1}, "nan must"),
    ]:
        with pytest.raises(ValueError, match=message):
            kostra.Graph.read(path, **options)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_matrices_that_scipy_saved_are_read(tmp_path, form):
    path = tmp_path / "matrix.npz"
    for make in (getattr(sparse, f"{form}_matrix"), getattr(sparse, f"{form}_array")):
        matrix = make((W, (U, V)), shape=(5, 5))
        sparse.save_npz(path, matrix)
        graph = kostra.Graph.read(path)
        assert (graph.n, graph.m, graph.minimum_spanning_forest().total_weight) == (5, 4, 3)
    ends = np.array([0, 0, 1]), np.array([1, 1, 0])
    twice = sparse.coo_array(([2.0, 1.0, 5.0], ends), shape=(2, 2))
    if form != "coo":
        starts = {"csr": [0, 2, 3], "csc": [0, 1, 3]}[form]
        order, others = {"csr": ([0, 1, 2], [1, 1, 0]), "csc": ([2, 0, 1], [1, 0, 0])}[form]
        make = getattr(sparse, f"{form}_array")
        twice = make((twice.data[order], others, starts), shape=(2, 2))
    sparse.save_npz(path, twice)
    for graph in (kostra.Graph.read(path), kostra.Graph.from_scipy(twice)):
        assert sorted(graph.weights.tolist()) == [1, 2, 5]
        assert graph.minimum_spanning_forest().total_weight == 1
    sparse.save_npz(path, sparse.csr_array((2, 3)))
    with pytest.raises(ValueError, match="save a square matrix"):
        kostra.Graph.read(path)
    np.savez(path, a=np.zeros(3))
    with pytest.raises(ValueError, match="save an n x n matrix of weights"):
        kostra.Graph.read(path)


def test_parquet_is_read(tmp_path):
    path = tmp_path / "edges.parquet"
    parquet.write_table(pyarrow.table(COLUMNS), path)
    check(kostra.Graph.read(path))
    check(kostra.Graph.read(path, source="target", target="source", weight="length"))
    check(kostra.Graph.read(path, source="target", target="source"))
    with pytest.raises(ValueError, match="there is no column 'from'"):
        kostra.Graph.read(path, source="from", target="source")
    parquet.write_table(pyarrow.table({"from": ["x", "y"], "to": ["y", "z"]}), path)
    assert kostra.Graph.read(path).nodes == ["x", "y", "z"]
    parquet.write_table(pyarrow.table({"id": [5], "from": [0], "to": [1], "km": [2.5]}), path)
    with pytest.raises(
        ValueError,
        match=r"edges.parquet: which column is the weight\? columns: id, from, to, km; pass",
    ):
        kostra.Graph.read(path)
    assert kostra.Graph.read(path, source="from", target="to", weight="km").weights.tolist() == [
        2.5
    ]
    parquet.write_table(
        pyarrow.table({"id": [5], "source": [0], "target": [1], "weight": [2.5]}), path
    )
    assert kostra.Graph.read(path).weights.tolist() == [2.5]
    parquet.write_table(pyarrow.table({"source": [0], "target": [1]}), path)
    assert kostra.Graph.read(path).weights.tolist() == [1]
    parquet.write_table(pyarrow.table({"a": [1]}), path)
    with pytest.raises(ValueError, match="an edge needs two vertices, but the file has"):
        kostra.Graph.read(path)


def test_graphs_are_made_to_order():
    graph = kostra.Graph.generate("road:n=500,seed=3")
    assert graph.n == 500 and graph.coordinates.shape == (500, 2)
    kostra.verify(graph, graph.minimum_spanning_forest())
    with pytest.raises(ValueError, match="no generator|roads"):
        kostra.Graph.generate("roads")


@pytest.mark.parametrize(
    "command",
    [[sys.executable, "-m", "kostra"], [os.path.join(os.path.dirname(sys.executable), "kostra")]],
)
def test_the_command_line_comes_along(command, tmp_path):
    def run(*arguments):
        return subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=tmp_path)

    done = run("solve", "gen:path:n=5", "-o", "ids", "--json")
    assert done.returncode == 0 and '"total_weight"' in done.stdout
    assert run("verify", "gen:path:n=5", "ids").returncode == 0
    (tmp_path / "ids").write_text("0\n")
    assert run("verify", "gen:path:n=5", "ids").returncode == 1
    done = run("solve", "no such file")
    assert done.returncode == 2 and done.stderr.startswith("kostra: no such file: No such file")
    assert run("--version").stdout == f"kostra {kostra.__version__}\n"


def test_a_weight_under_another_name_is_a_warning():
    roads = nx.Graph()
    roads.add_edge("a", "b", length=4, name="x", toll=True)
    with pytest.warns(UserWarning, match="every edge weighs 1; pass weight='length' if that is"):
        graph = kostra.Graph.from_networkx(roads)
    assert graph.weights.tolist() == [1]
    triangle = igraph.Graph([(0, 1), (1, 2)], edge_attrs={"km": [4, 2]})
    with pytest.warns(UserWarning, match="pass weight='km' if that is the weight, or weight=None"):
        kostra.Graph.from_igraph(triangle)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kostra.Graph.from_networkx(roads, weight=None)
        kostra.Graph.from_networkx(nx.path_graph(3))
        roads["a"]["b"]["weight"] = 3
        kostra.Graph.from_networkx(roads)


def test_columns_that_are_no_names_ends_or_weights_are_refused():
    roads = pandas.DataFrame({"source": [0, 1], "target": [1, 2], "weight": [True, False]})
    with pytest.raises(TypeError, match="column 'weight' consists of booleans: are they"):
        kostra.Graph.from_table(roads)
    with pytest.raises(TypeError, match="weight must be the name of a column, not a Series"):
        kostra.Graph.from_table(roads, weight=roads["weight"])
    lists = pandas.DataFrame({"source": [[0, 1], [1]], "target": [[1], [2]]})
    with pytest.raises(TypeError, match="the ends cannot be names: .*; convert them to texts"):
        kostra.Graph.from_table(lists)
    roads = nx.Graph([(0, 1, {"weight": [1]}), (1, 2, {"weight": [1, 2]})])
    with pytest.raises(TypeError, match=r"the value of edge 0 is \[1\], which is not a number"):
        kostra.Graph.from_networkx(roads)


def test_an_empty_text_as_a_vertex_is_a_warning():
    with pytest.warns(UserWarning, match="'' is a vertex; if it stands for a missing value"):
        kostra.Graph.from_table(pandas.DataFrame({"source": ["a", ""], "target": ["b", "c"]}))


@pytest.mark.parametrize("library", [pandas, polars])
def test_a_vertex_called_like_a_missing_value_is_a_warning(library):
    roads = library.DataFrame({"source": ["a", "nan", "b"], "target": ["nan", "c", "c"]})
    with pytest.warns(UserWarning, match="'nan' is a vertex; if it stands for a missing value"):
        kostra.Graph.from_table(roads)


def test_weights_that_are_similarities_are_a_warning(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("source,target,match_score\na,b,0.9\nb,c,0.1\n")
    frame = pandas.read_csv(path)
    graph = nx.from_pandas_edgelist(frame, edge_attr="match_score")
    sources = [
        lambda: kostra.Graph.read(path),
        lambda: kostra.Graph.from_table(frame, weight="match_score"),
        lambda: kostra.Graph.from_networkx(graph, weight="match_score"),
        lambda: kostra.Graph.from_igraph(igraph.Graph.from_networkx(graph), weight="match_score"),
    ]
    for source in sources:
        similar = source()
        similar.minimum_spanning_forest(maximum=True)
        with pytest.warns(UserWarning, match="the weights are 'match_score'.*pass maximum=True"):
            similar.minimum_spanning_forest()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            similar.minimum_spanning_forest()  # warns once
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lengths = frame.rename(columns={"match_score": "km"})
        kostra.Graph.from_table(lengths, weight="km").minimum_spanning_forest()
