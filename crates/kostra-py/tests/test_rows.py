"""The edges of a forest as rows: arrays, tuples, and Arrow streams."""

import numpy as np
import pytest

import kostra


def forest_of(n=60, m=200, seed=0, **options):
    random = np.random.default_rng(seed)
    u, v = random.integers(0, n, (2, m))
    return kostra.minimum_spanning_forest(u, v, random.integers(0, 20, m), n, **options)


@pytest.mark.parametrize("maximum", [False, True])
def test_the_array_has_the_edges_in_ascending_order_of_weight_and_id(maximum):
    forest = forest_of(maximum=maximum)
    # As clients of SciPy sort: a stable sort of columns in the order of the ids.
    weights = -forest.weights if maximum else forest.weights
    order = np.argsort(weights, kind="stable")
    expected = np.column_stack([forest.u, forest.v, forest.weights])[order].astype(np.float64)
    assert np.array_equal(forest.to_numpy(), expected)
    assert np.array_equal(np.asarray(forest), expected) and np.asarray(forest).dtype == np.float64
    assert np.array_equal(np.array(list(forest)), expected)
    assert np.array_equal(np.asarray(forest, np.int64), expected.astype(np.int64))
    with pytest.raises(ValueError, match="copy=None"):
        forest.__array__(copy=False)


def test_the_array_of_a_tree_of_points_is_what_the_package_hdbscan_shows():
    points = np.random.default_rng(1).random((50, 3))
    tree = kostra.euclidean_mst(points)
    assert np.array_equal(tree.to_numpy(), np.column_stack([tree.edges, tree.distances]))


def test_numbers_that_the_type_cannot_hold_are_refused():
    wide = kostra.minimum_spanning_forest([0, 1], [1, 2], [1, 2**53 + 1])
    with pytest.raises(ValueError, match=r"forest.weights\[1\] is 9007199254740993, which float64"):
        wide.to_numpy()
    assert wide.to_numpy(np.int64)[1].tolist() == [1, 2, 2**53 + 1]
    assert wide.to_numpy(object).tolist() == [[0, 1, 1], [1, 2, 2**53 + 1]]
    halves = kostra.minimum_spanning_forest([0, 1], [1, 2], [1.0, 2.5])
    with pytest.raises(ValueError, match=r"forest.weights\[1\] is 2.5, which int32"):
        halves.to_numpy(np.int32)
    with pytest.raises(TypeError, match="dtype must be"):
        halves.to_numpy("U3")
    infinite = kostra.minimum_spanning_forest([0, 1], [1, 2], [1.0, np.inf])
    assert infinite.to_numpy()[1, 2] == np.inf
    with pytest.raises(ValueError, match="is inf, which int64"):
        infinite.to_numpy(np.int64)


def test_an_empty_forest_has_no_rows():
    forest = kostra.minimum_spanning_forest([], [], [], 3)
    assert forest.to_numpy().shape == (0, 3) and list(forest) == []


def test_tuples_have_the_names_of_the_vertices():
    table = {"source": ["b", "a"], "target": ["c", "b"], "weight": [2.5, 1.0]}
    forest = kostra.Graph.from_table(table).minimum_spanning_forest()
    assert list(forest) == [("a", "b", 1.0), ("b", "c", 2.5)]
    assert forest.to_numpy().tolist() == [[0, 1, 1.0], [1, 2, 2.5]]
    assert type(next(iter(forest_of()))[2]) is int


def test_a_forest_is_no_points():
    for call in (kostra.euclidean_mst, lambda x: kostra.nearest_neighbors(x, 1)):
        with pytest.raises(TypeError, match="is a forest, not points"):
            call(forest_of())


TYPES = [np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64, np.float16, np.int8]


@pytest.mark.parametrize("dtype", TYPES)
def test_libraries_take_a_forest_as_a_table(dtype):
    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    random = np.random.default_rng(2)
    u, v = random.integers(0, 40, (2, 90))
    forest = kostra.minimum_spanning_forest(u, v, random.integers(0, 9, 90).astype(dtype), 40)
    expected = forest.to_pandas().reset_index()
    for _ in range(2):  # each export is a table of its own
        table = pyarrow.table(forest)
        table.validate(full=True)
        assert table.column_names == ["edge", "source", "target", "weight"]
        for name in table.column_names:
            assert table[name].to_numpy().dtype == expected[name].dtype
            assert table[name].to_pylist() == expected[name].tolist()
    if dtype != np.float16:
        assert polars.DataFrame(forest).rows() == list(expected.itertuples(index=False, name=None))
    # The forest of a forest is the forest.
    again = kostra.Graph.from_table(pyarrow.table(forest), vertices=40).minimum_spanning_forest()
    assert again.total_weight == forest.total_weight and len(again) == len(forest)


def test_duckdb_takes_a_forest_as_a_table():
    duckdb = pytest.importorskip("duckdb")
    forest = forest_of()
    edges = pytest.importorskip("pyarrow").table(forest)  # noqa: F841, DuckDB finds it by name
    total, rows = duckdb.sql("SELECT sum(weight), count(*) FROM edges").fetchall()[0]
    assert (total, rows) == (forest.total_weight, len(forest))


def test_a_table_has_names_and_kept_columns_with_missing_values():
    pyarrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    kept = {
        "road": ["A1", None, "Straße"],
        "lanes": pandas.array([2, None, 3], "Int64"),
        "toll": [True, False, None],
        "built": np.array(["2001-05-01", "NaT", "1999-01-02"], "M8[D]"),
        "slope": [0.5, np.nan, 0.25],
    }
    roads = {"source": ["a", "b", "c"], "target": ["b", "c", "d"], "weight": [3, 2, 1]} | kept
    graph = kostra.Graph.from_table(pandas.DataFrame(roads), keep="all")
    table = pyarrow.table(graph.minimum_spanning_forest())
    table.validate(full=True)
    assert table["source"].to_pylist() == ["a", "b", "c"]
    assert table["road"].to_pylist() == ["A1", None, "Straße"]
    assert table["lanes"].to_pylist() == [2, None, 3]
    assert table["toll"].to_pylist() == [True, False, None]
    assert [day and day.year for day in table["built"].to_pylist()] == [2001, None, 1999]
    assert table["slope"].to_pylist()[::2] == [0.5, 0.25]


def test_what_arrow_cannot_hold_is_refused_by_name():
    pytest.importorskip("pyarrow")
    roads = {"source": [0], "target": [1], "weight": [3], "note": [[1, 2]]}
    forest = kostra.Graph.from_table(roads, keep=["note"]).minimum_spanning_forest()
    with pytest.raises(TypeError, match="column 'note' contains values of the type list"):
        forest.__arrow_c_stream__()
    roads = {"source": [0], "target": [1], "weight": [3], "edge": [7]}
    forest = kostra.Graph.from_table(roads, keep=["edge"]).minimum_spanning_forest()
    with pytest.raises(ValueError, match="two columns would be called 'edge'"):
        forest.__arrow_c_stream__()


def test_a_stream_that_is_not_read_is_freed():
    import gc
    import resource

    forest = kostra.minimum_spanning_forest(np.arange(100_000), np.arange(1, 100_001))
    before = None
    for turn in range(60):
        forest.__arrow_c_stream__()
        if turn == 9:
            gc.collect()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Each export has 2.4 MB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000
