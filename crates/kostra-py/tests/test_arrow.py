"""Tables by Arrow's C data interface, without pyarrow: from its libraries, and exported by hand."""

import gc
import itertools
import signal
import sys
import threading

import numpy as np
import polars
import pyarrow
import pytest
from arrow_exporter import Exporter, Given

import kostra

U, V, W = [0, 1, 2, 0], [1, 2, 0, 3], [4, 1, 2, 0]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]


def arrow(values, kind):
    return pyarrow.array(np.array(values, kind))


def table(ends="int64", weights="float64"):
    return pyarrow.table({"u": arrow(U, ends), "v": arrow(V, ends), "w": arrow(W, weights)})


def batch(begin, end):
    values = [
        arrow(values[begin:end], kind)
        for values, kind in ((U, "int64"), (V, "int64"), (W, "float64"))
    ]
    return pyarrow.RecordBatch.from_arrays(values, ["u", "v", "w"])


def graph_of(rows, source="u", target="v", weight="w"):
    return kostra.Graph.from_table(rows, source, target, weight)


def lists(graph):
    return graph.u.tolist(), graph.v.tolist(), graph.weights.tolist()


def pieces(rows):
    """The same rows, cut in many ways."""
    yield rows
    yield pyarrow.concat_tables([rows[:1], rows[1:1], rows[1:3], rows[3:]])
    yield pyarrow.concat_tables([rows, rows])[2:6].take([2, 3, 0, 1])
    yield pyarrow.concat_tables([rows.slice(0, 0), rows])
    yield pyarrow.concat_tables([rows.slice(3), rows])[1:]


@pytest.mark.parametrize("ends", INTEGERS)
def test_ends_of_every_width_come_back_in_it(ends):
    for rows in pieces(table(ends)):
        graph = graph_of(rows)
        assert lists(graph) == (U, V, W) and graph.u.dtype == graph.v.dtype == ends
        kostra.verify(graph, graph.minimum_spanning_forest())


@pytest.mark.parametrize("weights", INTEGERS + FLOATS)
def test_weights_of_every_width_come_back_in_it(weights):
    for rows in pieces(table(weights=weights)):
        graph = graph_of(rows)
        assert lists(graph) == (U, V, W) and graph.weights.dtype == weights
        assert graph.minimum_spanning_forest().edge_ids.tolist() == [1, 2, 3]


@pytest.mark.parametrize("ends", ["int32", "uint32"])
@pytest.mark.parametrize("weights", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_one_piece_in_the_engines_types_is_used_as_it_lies(ends, weights):
    whole = table(ends, weights)
    for rows in (whole, whole[1:3], pyarrow.concat_tables([whole[:0], whole])):
        graph = graph_of(rows)
        for name, ours in zip("uvw", (graph.u, graph.v, graph.weights)):
            assert (
                np.shares_memory(ours, rows[name].chunks[-1].to_numpy())
                and not ours.flags.writeable
            )
    graph = graph_of(pyarrow.concat_tables([whole, whole]))
    assert not np.shares_memory(graph.u, whole["u"].chunks[0].to_numpy())


@pytest.mark.parametrize("ends", INTEGERS)
def test_errors_name_the_column_and_the_row(ends):
    for value, message in (
        (-1, "is -1, but vertices are numbered from 0; pass relabel=True"),
        (2**40, "is 1099511627776, but vertex ids have 32"),
    ):
        if value not in range(np.iinfo(ends).min, np.iinfo(ends).max + 1):
            continue
        rows = table(ends).set_column(0, "u", arrow([0, 1, value, 0], ends))
        for cut in (rows, pyarrow.concat_tables([rows[:1], rows[1:]])):
            with pytest.raises(ValueError, match=rf"^u\[2\] {message}"):
                graph_of(cut)
    rows = table(ends).rename_columns(["from", "to", "length"])
    with pytest.raises(ValueError, match=r"^length\[1\] is NaN; fix it, or pass nan='skip'"):
        graph_of(
            rows.set_column(2, "length", arrow([1, np.nan, 2, 3], "float32")),
            "from",
            "to",
            "length",
        )
    with pytest.raises(ValueError, match="n is too large"):
        graph_of(rows.set_column(1, "to", arrow([2**32 - 1] * 4, "uint32")), "from", "to", None)


def test_random_pieces_are_joined_in_their_order():
    random = np.random.default_rng(8)
    for _ in range(30):
        count = int(random.integers(0, 2000))
        columns = {
            "u": random.integers(0, 200, count).astype(random.choice(INTEGERS[1:])),
            "v": random.integers(0, 200, count).astype(random.choice(INTEGERS[1:])),
            "w": random.integers(-9, 9, count).astype(random.choice(["int8", *FLOATS])),
        }
        rows = pyarrow.table(columns)
        cuts = np.sort(random.integers(0, count + 1, 6))
        cut = pyarrow.concat_tables(
            [rows[begin:end] for begin, end in itertools.pairwise([0, *cuts.tolist(), count])]
        )
        begin = int(random.integers(0, count + 1))
        graph = graph_of(cut[begin:])
        assert lists(graph) == tuple(columns[name][begin:].tolist() for name in "uvw")


def names(kind):
    texts = ["Ústí nad Labem", "b", "", "a rather long name, of more than 12 bytes"]
    values = pyarrow.array([texts[u] for u in U])
    return pyarrow.table(
        {"u": values.cast(kind), "v": pyarrow.array([texts[v] for v in V]).cast(kind)}
    ), texts


@pytest.mark.parametrize(
    "kind",
    [
        pyarrow.string(),
        pyarrow.large_string(),
        pyarrow.string_view(),
        *[
            pyarrow.dictionary(code, pyarrow.string())
            for code in (pyarrow.int8(), pyarrow.int32(), pyarrow.int64())
        ],
    ],
    ids=str,
)
def test_texts_in_every_layout_name_vertices(kind):
    rows, texts = names(kind)
    parts = [
        rows,
        pyarrow.concat_tables([rows[:1], rows[1:3], rows[3:]]),
        pyarrow.concat_tables([rows[2:], rows])[2:],
    ]
    for part in parts:
        graph = graph_of(part, weight=None)
        assert graph.nodes == sorted(texts) and graph.n == 4
        assert [graph.nodes[u] for u in graph.u] == [texts[u] for u in U]
        assert [graph.nodes[v] for v in graph.v] == [texts[v] for v in V]
    assert graph_of(rows[:0], weight=None).nodes == []


def column(name, values):
    index = table().column_names.index(name)
    return table().set_column(index, name, values)


REFUSED = [
    (
        "w",
        pyarrow.array([True, False, True, True]),
        r"column 'w' contains booleans \(Arrow type \"b\"\); cast it",
    ),
    ("u", pyarrow.array([True, False, True, True]), "column 'u' contains booleans"),
    ("w", pyarrow.array(list("1234")), "column 'w' contains text; cast it to integers or floats"),
    ("w", pyarrow.array(list("1234")).dictionary_encode(), "column 'w' contains text"),
    ("w", pyarrow.array([1, 2, 1, 2]).dictionary_encode(), "column 'w' contains categories"),
    (
        "u",
        pyarrow.array(list("1234")),
        "column 'u' contains text and column 'v' does not; cast one of them",
    ),
    ("v", pyarrow.array(list("1234")), "column 'v' contains text and column 'u' does not"),
    ("w", pyarrow.array([1, 2, 3, 4], pyarrow.date32()), "column 'w' contains dates or times"),
    ("w", pyarrow.array([1, 2, 3, 4], pyarrow.decimal128(9)), "column 'w' contains decimals"),
    ("w", pyarrow.array([b"1"] * 4), "column 'w' contains bytes"),
    ("w", pyarrow.array([[1]] * 4), "column 'w' contains nested values"),
]


@pytest.mark.parametrize(("name", "values", "message"), REFUSED)
def test_columns_of_other_types_are_refused_by_name(name, values, message):
    with pytest.raises(TypeError, match=message):
        graph_of(column(name, values))


@pytest.mark.parametrize("name", "uvw")
def test_the_first_row_without_a_value_is_named(name):
    values = pyarrow.array([1, 2, None, None])
    rows = column(name, values)
    for before in (0, 1, 7, 8, 30):
        longer = pyarrow.concat_tables([table().cast(rows.schema)] * before + [rows])
        for cut in (longer, longer.combine_chunks(), longer.combine_chunks()[1:], longer[1:]):
            row = len(cut) - 2
            with pytest.raises(
                ValueError, match=f"column '{name}' has no value in row {row}; remove such rows"
            ):
                graph_of(cut)
    assert graph_of(rows[:2]).m == 2, "rows that are cut off are not looked at"
    with pytest.raises(ValueError, match=f"column '{name}' has no value in row 0"):
        graph_of(column(name, pyarrow.nulls(4)))


def test_categories_and_rows_may_lack_a_value_too():
    codes, texts = pyarrow.array([0, 1, 2, 1], pyarrow.int8()), pyarrow.array(["a", "b", None])
    with pytest.raises(ValueError, match="column 'v' has no value in row 2"):
        graph_of(
            column("v", pyarrow.DictionaryArray.from_arrays(codes, texts)).set_column(
                0, "u", [list("abcd")]
            )
        )
    rows = pyarrow.StructArray.from_arrays(
        [arrow(U, "int64"), arrow(V, "int64")],
        ["u", "v"],
        mask=pyarrow.array([False, False, True, False]),
    )
    with pytest.raises(ValueError, match="row 2 of table has no value"):
        graph_of(Given(rows.__arrow_c_array__()), weight=None)
    with pytest.raises(ValueError, match="row 1 of table has no value"):
        graph_of(Given(rows[1:].__arrow_c_array__()), weight=None)
    assert lists(graph_of(Given(rows[:2].__arrow_c_array__()), weight=None))[:2] == (U[:2], V[:2])
    assert lists(graph_of(Given(rows[3:].__arrow_c_array__()), weight=None))[:2] == (U[3:], V[3:])


def test_columns_that_are_missing_or_twice_are_refused_by_name():
    with pytest.raises(ValueError, match="table has no column 'x'; columns: 'u', 'v', 'w'"):
        graph_of(table(), weight="x")
    wide = pyarrow.table({f"c{number}": [1] for number in range(20)})
    with pytest.raises(ValueError, match="columns: 'c0', .*'c11', and so on"):
        graph_of(wide)
    with pytest.raises(ValueError, match="table has no column 'u'; columns: none"):
        graph_of(pyarrow.table({}))
    twice = pyarrow.Table.from_arrays([arrow(U, "int64")] * 4, ["u", "v", "w", "v"])
    with pytest.raises(ValueError, match="table has 2 columns named 'v'; rename all but one"):
        graph_of(twice)
    with pytest.raises(
        TypeError, match="source, target and weight must be names of columns, not 2"
    ):
        graph_of(table(), weight=2)
    with pytest.raises(ValueError, match="source and target name the same column"):
        graph_of(table(), target="u")


def test_empty_tables_are_graphs():
    schema = table().schema
    empty = [
        schema.empty_table(),
        pyarrow.RecordBatchReader.from_batches(schema, []),
        pyarrow.RecordBatchReader.from_batches(schema, [batch(0, 0)] * 3),
        pyarrow.table({"u": [], "v": [], "w": []}),
        polars.DataFrame({"u": [], "v": [], "w": []}),
        polars.DataFrame(schema={"u": polars.String, "v": polars.String, "w": polars.Float32}),
    ]
    for rows in empty:
        graph = graph_of(rows)
        assert (graph.n, graph.m) == (0, 0)


def test_streams_are_read_to_their_end_and_once():
    batches = [batch(0, 2), batch(2, 2), batch(2, 4)]
    reader = pyarrow.RecordBatchReader.from_batches(table().schema, iter(batches))
    assert lists(graph_of(reader)) == (U, V, W)
    capsule = table().__arrow_c_stream__()
    assert graph_of(Given(capsule)).m == 4
    with pytest.raises(ValueError, match="table was already read; export it again"):
        graph_of(Given(capsule))
    with pytest.raises(TypeError, match="table must be a table, but is a column of numbers"):
        graph_of(table()["u"])
    for other in (object(), (object(), object()), None, table().schema.__arrow_c_schema__()):
        with pytest.raises(
            TypeError, match="table must export Arrow capsules, but one of them is not"
        ):
            graph_of(Given(other))


def test_libraries_need_no_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    frame = polars.DataFrame({"u": U, "v": V, "w": W})
    assert lists(graph_of(frame)) == (U, V, W)
    assert lists(graph_of(polars.concat([frame[:1], frame[1:]], rechunk=False))) == (U, V, W)
    named = frame.with_columns(
        polars.col("u").cast(polars.String), polars.col("v").cast(polars.String)
    )
    assert graph_of(named).nodes == ["0", "1", "2", "3"]
    named = named.with_columns(
        polars.col("u").cast(polars.Categorical), polars.col("v").cast(polars.Categorical)
    )
    assert graph_of(named).nodes == ["0", "1", "2", "3"]


def test_duckdb_needs_no_pyarrow(monkeypatch):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not there")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with duckdb.connect() as database:
        query = database.sql(
            "select range as u, range + 1 as v, 0.5 * range :: double as w from range(10000)"
        )
        graph = graph_of(query)
    assert (graph.n, graph.m, graph.minimum_spanning_forest().total_weight) == (
        10001,
        10000,
        0.5 * 9999 * 10000 / 2,
    )


def test_nanoarrow_needs_no_pyarrow(monkeypatch):
    nanoarrow = pytest.importorskip("nanoarrow", reason="nanoarrow is not there")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    kinds = {"u": nanoarrow.int32(), "v": nanoarrow.int32(), "w": nanoarrow.float64()}
    columns = [nanoarrow.c_array(values, kind) for values, kind in zip((U, V, W), kinds.values())]
    rows = nanoarrow.c_array_from_buffers(nanoarrow.struct(kinds), 4, [None], children=columns)
    assert lists(graph_of(rows)) == (U, V, W)
    assert lists(graph_of(nanoarrow.Array(rows))) == (U, V, W)
    assert lists(graph_of(nanoarrow.ArrayStream(rows))) == (U, V, W)


def by_hand(exporter, arrays=1, rows=4, offset=0, **changes):
    """A schema and `arrays` arrays, of the columns u and v and a third one that nobody asks for."""

    def numbers(values, dtype):
        return exporter.array(rows, [None, np.array([9] * offset + values, dtype)], offset=offset)

    schema = exporter.schema(
        "+s",
        children=[
            exporter.schema(kind, name) for kind, name in (("i", "u"), ("g", "x"), ("i", "v"))
        ],
    )
    made = []
    for _ in range(arrays):
        columns = [numbers(U, np.int32), numbers([0.5] * 4, np.float64), numbers(V, np.int32)]
        made.append(exporter.array(rows, [None], children=columns, **changes))
    return schema, made


@pytest.mark.parametrize("offset", [0, 3])
@pytest.mark.parametrize("arrays", [0, 1, 3])
def test_every_struct_is_given_back_once(arrays, offset):
    exporter = Exporter()
    graph = graph_of(Given(exporter.stream(*by_hand(exporter, arrays, offset=offset))), weight=None)
    assert lists(graph)[:2] == (U * arrays, V * arrays)
    held = set(exporter.structs()) - set(exporter.given_back)
    assert len(held) == (2 if arrays == 1 else 0), "only columns in use are kept"
    u = graph.u
    del graph
    gc.collect()
    assert arrays != 1 or len(exporter.given_back) < len(exporter.structs()), (
        "an array keeps its column"
    )
    assert u.tolist() == U * arrays
    del u
    gc.collect()
    assert sorted(exporter.given_back) == exporter.structs()


def failures(exporter):
    """Tables that fail half-way, and what is said."""
    yield (
        exporter.stream(*by_hand(exporter, 2), 5, b"no disk"),
        OSError,
        "table cannot be read completely: no disk",
    )
    yield (
        exporter.stream(*by_hand(exporter, 2), 22, b"no such query"),
        ValueError,
        "completely: no such query",
    )
    yield exporter.stream(*by_hand(exporter), 12), MemoryError, "completely: error 12"
    yield exporter.stream(*by_hand(exporter, rows=-1)), ValueError, "it has a negative length"
    schema, arrays = by_hand(exporter)
    yield (
        exporter.stream(schema, [*arrays, exporter.array(2)]),
        ValueError,
        "does not have the number of columns",
    )
    yield (
        exporter.stream(*by_hand(exporter, 2, rows=2**31)),
        ValueError,
        "4294967296 edges are more than the",
    )
    schema, (array,) = by_hand(exporter)
    array.length = 5
    yield exporter.capsules(schema, array), ValueError, "a column is shorter than the table"
    schema, (array,) = by_hand(exporter)
    array.children[2].contents.offset = -1
    yield exporter.capsules(schema, array), ValueError, "it has a negative offset"
    schema, (array,) = by_hand(exporter)
    array.offset = 2**63 - 1
    yield exporter.capsules(schema, array), ValueError, "a column is shorter than the table"
    schema, (array,) = by_hand(exporter)
    array.children[2].contents.n_buffers = 1
    yield exporter.capsules(schema, array), ValueError, "a column of numbers lacks a buffer"
    schema, (array,) = by_hand(exporter)
    array.children[2].contents.release(array.children[2])
    yield exporter.capsules(schema, array), ValueError, "a column is missing"
    schema, (array,) = by_hand(exporter)
    schema.children[0].contents.format = None
    yield exporter.capsules(schema, array), TypeError, "column 'u' contains values"


def test_what_fails_is_given_back_too():
    exporter = Exporter()
    for exported, error, message in failures(exporter):
        with pytest.raises(error, match=message):
            graph_of(Given(exported), weight=None)
        gc.collect()
        assert sorted(exporter.given_back) == exporter.structs()


def texts_by_hand(exporter, kind, buffers, rows=2):
    schema = exporter.schema("+s", children=[exporter.schema(kind, name) for name in "uv"])
    return exporter.capsules(
        schema, exporter.array(rows, [None], children=[exporter.array(rows, buffers) for _ in "uv"])
    )


def test_texts_that_lie_nowhere_are_refused():
    def view(*numbers):
        return np.array([0] * 4 + list(numbers), np.int32)

    cases = [
        ("u", [None, np.array([0, 1, 0], np.int32), b"ab"], "ends before it begins"),
        ("u", [None, np.array([-1, 0, 1], np.int32), b"ab"], "ends before it begins"),
        ("U", [None, np.array([0, -1, 2], np.int64), b"ab"], "ends before it begins"),
        ("u", [None, None, b"ab"], "lacks a buffer"),
        ("u", [None, b"ab"], "lacks a buffer"),
        ("u", [None, np.array([0, 1, 2], np.int32), b"\xff\xfe"], "is not UTF-8"),
        ("vu", [None, view(13, 0, 1, 0), b"x" * 20, np.array([20])], "is in no buffer"),
        ("vu", [None, view(13, 0, -1, 0), b"x" * 20, np.array([20])], "is in no buffer"),
        ("vu", [None, view(13, 0, 0, 8), b"x" * 20, np.array([20])], "ends after its buffer"),
        ("vu", [None, view(13, 0, 0, -8), b"x" * 20, np.array([20])], "ends before it begins"),
        ("vu", [None, view(-1, 0, 0, 0), b"x" * 20, np.array([20])], "ends after its buffer"),
        ("vu", [None], "lacks a buffer"),
    ]
    exporter = Exporter()
    for kind, buffers, message in cases:
        with pytest.raises(ValueError, match=f"table is malformed: .*{message}"):
            graph_of(Given(texts_by_hand(exporter, kind, buffers)), weight=None)
    gc.collect()
    assert sorted(exporter.given_back) == exporter.structs()
    graph = graph_of(
        Given(texts_by_hand(exporter, "vu", [None, view(0, 0, 0, 0), np.zeros(0)])), weight=None
    )
    assert graph.nodes == [""]


def test_numbers_may_begin_at_any_address():
    exporter = Exporter()
    schema, (array,) = by_hand(exporter, rows=2)
    for column in (array.children[0].contents, array.children[2].contents):
        column.buffers[1] += 1
    graph = graph_of(Given(exporter.capsules(schema, array)), weight=None)
    shifted = [
        np.frombuffer(np.array(values, np.int32).tobytes()[1:9], np.int32).tolist()
        for values in (U, V)
    ]
    assert list(lists(graph)[:2]) == shifted


def test_nothing_of_a_table_is_kept_or_lost():
    rows = pyarrow.concat_tables([table("int32")] * 3).combine_chunks()
    text = names(pyarrow.string())[0]
    frame = polars.DataFrame({"u": U, "v": V})

    def use():
        graph_of(rows), graph_of(pyarrow.concat_tables([rows, rows])), graph_of(frame, weight=None)
        forest = graph_of(text, weight=None).minimum_spanning_forest()
        with pytest.raises(ValueError, match="no column"):
            graph_of(rows, weight="x")
        return forest.u

    use()
    gc.collect()
    before = pyarrow.total_allocated_bytes(), sys.getrefcount(rows), sys.getrefcount(text)
    for _ in range(50):
        use()
    gc.collect()
    assert (pyarrow.total_allocated_bytes(), sys.getrefcount(rows), sys.getrefcount(text)) == before
    graph = graph_of(rows.take([0, 1, 2]))
    assert lists(graph) == (U[:3], V[:3], W[:3]), (
        "a graph keeps what it uses of a table that is gone"
    )


def test_columns_may_be_let_go_on_any_thread():
    exporter = Exporter()
    graphs = [graph_of(Given(exporter.stream(*by_hand(exporter))), weight=None) for _ in range(8)]
    threads = [threading.Thread(target=graphs.pop) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert sorted(exporter.given_back) == exporter.structs()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer")
def test_an_endless_stream_is_interrupted():
    class Pressed(Exception):
        pass

    def press(*_):
        raise Pressed

    endless = pyarrow.RecordBatchReader.from_batches(table().schema, itertools.repeat(batch(0, 0)))
    before = signal.signal(signal.SIGALRM, press)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Pressed):
            graph_of(endless)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
