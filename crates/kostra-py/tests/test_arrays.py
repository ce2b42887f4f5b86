"""What may be handed over, and what is said of what may not."""

import numpy as np
import pytest

import kostra

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
WEIGHTS = [*INTEGERS, np.float16, np.float32, np.float64]

# A triangle and a vertex apart; the forest is edges 1 and 2.
U, V, W = [0, 1, 2], [1, 2, 0], [1, 0, 0]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_ends_of_every_integer_type_come_back_in_it(dtype):
    forest = kostra.minimum_spanning_forest(np.array(U, dtype), np.array(V, dtype), W, 4)
    assert forest.edge_ids.tolist() == [1, 2] and forest.edge_ids.dtype == np.int64
    assert forest.u.dtype == forest.v.dtype == dtype
    assert (forest.u.tolist(), forest.v.tolist()) == ([1, 2], [2, 0])


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_weights_of_every_type_come_back_in_it(dtype):
    forest = kostra.minimum_spanning_forest(U, V, np.array(W, dtype))
    assert forest.edge_ids.tolist() == [1, 2]
    assert forest.weights.dtype == dtype and forest.weights.tolist() == [0, 0]
    assert isinstance(forest.total_weight, float if np.dtype(dtype).kind == "f" else int)


def test_without_weights_the_first_edges_that_connect_are_taken():
    forest = kostra.minimum_spanning_forest(U, V)
    assert forest.edge_ids.tolist() == [0, 1] and forest.total_weight == 2
    assert forest.weights.tolist() == [1, 1]


def test_large_integers_are_neither_rounded_nor_overflow():
    big = 2**53
    forest = kostra.minimum_spanning_forest(U, V, [big + 1, big, 2**62])
    assert forest.edge_ids.tolist() == [0, 1] and forest.total_weight == 2 * big + 1
    high = np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], np.uint64)
    assert kostra.minimum_spanning_forest(U, V, high).total_weight == 2**65 - 3
    assert kostra.minimum_spanning_forest(U, V, high, maximum=True).edge_ids.tolist() == [0, 2]
    low = np.array([-(2**63), 2**63 - 1, 0], np.int64)
    assert kostra.minimum_spanning_forest(U, V, low, maximum=True).edge_ids.tolist() == [1, 2]


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "i2"])
def test_any_layout_gives_the_same_forest(dtype):
    random = np.random.default_rng(5)
    u, v, w = random.integers(0, 50, 300), random.integers(0, 50, 300), random.integers(0, 9, 300)
    expected = kostra.minimum_spanning_forest(u, v, w, 60).edge_ids.tolist()

    def layouts(array):
        yield array.astype(dtype)
        yield array.astype(">" + dtype)
        yield np.repeat(array.astype(dtype), 3)[::3]
        yield array.astype(dtype)[::-1].copy()[::-1]
        yield np.asfortranarray(np.column_stack([array, array]).astype(dtype))[:, 1]
        unaligned = np.zeros(len(array), [("pad", "u1"), ("value", dtype)])
        unaligned["value"] = array
        yield unaligned["value"]
        frozen = array.astype(dtype)
        frozen.flags.writeable = False
        yield frozen
        yield array.tolist()

    for ends in zip(layouts(u), layouts(v), layouts(w)):
        assert kostra.minimum_spanning_forest(*ends, 60).edge_ids.tolist() == expected
        assert kostra.Graph(*ends, 60).minimum_spanning_forest().edge_ids.tolist() == expected


def test_arrays_with_the_engines_layout_are_not_copied():
    u, v = np.array(U, np.int32), np.array(V, np.uint32)
    w = np.array(W, np.float64)
    graph = kostra.Graph(u, v, w, copy=False)
    assert all(
        np.shares_memory(ours, theirs)
        for ours, theirs in ((graph.u, u), (graph.v, v), (graph.weights, w))
    )
    graph = kostra.Graph(u, v, w)
    assert not any(
        np.shares_memory(ours, theirs)
        for ours, theirs in ((graph.u, u), (graph.v, v), (graph.weights, w))
    )
    w[:] = 7
    assert graph.weights.tolist() == W


def test_what_comes_back_is_read_only_and_outlives_what_it_came_from():
    forest = kostra.minimum_spanning_forest(
        np.array(U, np.int32), np.array(V, np.int32), np.array(W)
    )
    arrays = [forest.edge_ids, forest.u, forest.v, forest.weights]
    del forest
    assert [array.tolist() for array in arrays] == [[1, 2], [1, 2], [2, 0], [0, 0]]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5


def test_nothing_is_a_graph_too():
    for empty in ([], np.empty(0, np.int64), np.empty(0, np.float64)):
        forest = kostra.minimum_spanning_forest(empty, empty, empty)
        assert (len(forest), forest.n, forest.n_components, forest.total_weight) == (0, 0, 0, 0)
    forest = kostra.minimum_spanning_forest([], [], n=3)
    assert (len(forest), forest.n_components, forest.labels().tolist()) == (0, 3, [0, 1, 2])
    assert kostra.minimum_spanning_forest([], []).parents().tolist() == []


BAD = [
    (([[0, 1]], [1, 2]), {}, ValueError, "u must have one dimension, not 2"),
    ((0, [1]), {}, ValueError, "u must have one dimension, not 0"),
    (([0], 1), {}, ValueError, "v must have one dimension, not 0"),
    (([0], [1], 1.0), {}, ValueError, "w must have one dimension, not 0"),
    (([0.0], [1]), {}, TypeError, "u must be an array of integers, not of float64"),
    (([0], [True]), {}, TypeError, "v must be an array of integers, not of bool"),
    (([0], ["a"]), {}, TypeError, "v must be an array of integers, not of <U1"),
    (([0], [None]), {}, TypeError, "v must be an array of integers, not of object"),
    (
        ([0], [1], [1j]),
        {},
        TypeError,
        "w must be an array of integers or floats of up to 64 bits, not of complex128",
    ),
    (([0], [1], [True]), {}, TypeError, "w consists of booleans: are they the weights 0 and 1, or"),
    (([0], [1], ["1"]), {}, TypeError, "w must be an array of integers or floats"),
    (([0], [1], [2**64]), {}, TypeError, "w must be an array of integers or floats"),
    (([0], [1], np.array([1], "m8[s]")), {}, TypeError, "w must be an array of integers or floats"),
    (([0], [1], np.array([1], np.longdouble)), {}, TypeError, "up to 64 bits, not of"),
    (([0, [1]], [1, 2]), {}, ValueError, "u cannot be converted to an array: "),
    (([0, 1], [1]), {}, ValueError, "u and v must have the same length, but have 2, 1 entries"),
    (
        ([0], [1], [1, 2]),
        {},
        ValueError,
        "u, v and w must have the same length, but have 1, 1, 2 entries",
    ),
    (([0, 1, -1], [1, 2, 0]), {}, ValueError, r"u\[2\] is -1, but vertices are numbered from 0; pass relabel=True"),
    (
        (np.array([0, 1]), np.array([1, -7], np.int32)),
        {},
        ValueError,
        r"v\[1\] is -7, but vertices",
    ),
    ((np.array([0, 1]), np.array([1, -7], np.int8)), {}, ValueError, r"v\[1\] is -7, but vertices"),
    (([0, 2**40], [1, 0]), {}, ValueError, r"u\[1\] is 1099511627776, but vertex ids have 32 bits"),
    (
        (np.array([0, 2**64 - 1], np.uint64), [1, 0]),
        {},
        ValueError,
        r"u\[1\] is 18446744073709551615, but vertex ids have 32 bits",
    ),
    (([0, 2**32 - 1], [1, 0]), {}, ValueError, "n is too large"),
    (
        ([0, 5], [1, 2]),
        {"n": 5},
        ValueError,
        r"u\[1\] is 5, but the graph has n = 5 vertices, numbered from 0",
    ),
    (([0, 2], [1, 9]), {"n": 5}, ValueError, r"v\[1\] is 9, but the graph has n = 5 vertices"),
    (([0], [1]), {"n": -1}, ValueError, "n must be from 0 to 4294967295, not -1"),
    (([0], [1]), {"n": 2.0}, TypeError, "n must be an integer, not 2.0"),
    (([0], [1], [np.nan]), {}, ValueError, r"w\[0\] is NaN; fix it, or pass nan='skip'"),
    (([0, 0], [1, 1], np.array([1, np.nan], np.float16)), {}, ValueError, r"w\[1\] is NaN"),
    (([0], [1], np.ma.masked_array([1.0], [True])), {}, ValueError, r"w\[0\] is masked"),
    (([0], [1]), {"nan": "ignore"}, ValueError, "nan must be 'error' or 'skip', not 'ignore'"),
    (([0], [1]), {"threads": 0}, ValueError, "threads must be from 1 to 4096, not 0"),
    (([0], [1]), {"threads": "two"}, TypeError, "threads must be an integer, not 'two'"),
    (
        ([0], [1]),
        {"algorithm": "kruskall"},
        ValueError,
        "no algorithm 'kruskall'; did you mean kruskal?",
    ),
    (([0], [1]), {"algorithm": None}, TypeError, "algorithm must be a text, not None"),
    (([0], [1]), {"maximum": "no"}, TypeError, "maximum must be True or False, not 'no'"),
    (([0], [1]), {"relabel": 1}, TypeError, "relabel must be True or False, not 1"),
    (([0], [1]), {"n": True}, TypeError, "n must be an integer, not True"),
    (([0], [1]), {"parts": [0, 0]}, ValueError, "does not use parts; omit parts, or pass algo"),
    (([0], [1]), {"device": "gpu"}, ValueError, "device must be 'auto', 'cpu', 'cuda' or"),
]


@pytest.mark.parametrize(("arguments", "options", "error", "message"), BAD)
def test_what_is_wrong_is_said_with_argument_and_position(arguments, options, error, message):
    with pytest.raises(error, match=message):
        kostra.minimum_spanning_forest(*arguments, **options)


def test_nan_is_skipped_on_request_and_other_edges_keep_their_ids():
    forest = kostra.minimum_spanning_forest(U, V, [np.nan, 2.0, 1.0], nan="skip")
    assert forest.edge_ids.tolist() == [1, 2] and forest.total_weight == 3
    forest = kostra.minimum_spanning_forest(U, V, [np.nan, np.nan, 1.0], nan="skip")
    assert forest.edge_ids.tolist() == [2] and forest.n_components == 2


class _OnDevice:
    def __init__(self, device):
        self.device = device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        raise AssertionError("asked for memory that is not to be touched")


def test_a_device_solves_or_is_said_to_be_none():
    for device in ("cuda", "cuda:0"):
        try:
            assert len(kostra.minimum_spanning_forest(U, V, device=device)) == 2
        except kostra.DeviceError as error:
            assert "no CUDA device" in str(error)
    with pytest.raises(kostra.DeviceError, match="no CUDA device"):
        kostra.minimum_spanning_forest(U, V, device="cuda:999999999")
    assert len(kostra.minimum_spanning_forest(U, V, device="cpu")) == 2
    with pytest.raises(ValueError, match="kruskal runs on the processor only"):
        kostra.minimum_spanning_forest(U, V, device="cuda", algorithm="kruskal")
    with pytest.raises(ValueError, match="cuda-fast runs on CUDA devices only"):
        kostra.minimum_spanning_forest(U, V, device="cpu", algorithm="cuda-fast")


def test_several_devices_solve_or_the_reason_is_given():
    for device in ("cuda:0,1", "cuda:1,0,2"):
        try:
            assert len(kostra.minimum_spanning_forest(U, V, device=device)) == 2
        except kostra.DeviceError as error:
            assert "no CUDA device" in str(error)
    with pytest.raises(kostra.DeviceError, match="no CUDA device"):
        kostra.minimum_spanning_forest(U, V, device="cuda:0,999999999")
    for device in ("cuda:0,0", "cuda:1,2,01"):
        with pytest.raises(ValueError, match="names device [01] twice; name each one once"):
            kostra.minimum_spanning_forest(U, V, device=device)
    for device in ("cuda:0,", "cuda:,1", "cuda:0, 1", "cuda:0,1,x", "cpu,cuda:0"):
        with pytest.raises(ValueError, match="^device must be 'auto', 'cpu', 'cuda' or"):
            kostra.minimum_spanning_forest(U, V, device=device)
    with pytest.raises(ValueError, match="cuda-fast runs on one device, and 2 are named"):
        kostra.minimum_spanning_forest(U, V, device="cuda:0,1", algorithm="cuda-fast")


def test_arrays_of_other_libraries_in_memory_are_taken_as_they_are():
    class InMemory(_OnDevice):
        def __array__(self, dtype=None, copy=None):
            return np.array([0], dtype)

    assert len(kostra.minimum_spanning_forest(InMemory((1, 0)), [1])) == 1


LONG = 10**5000  # more digits than Python writes


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda graph: kostra.minimum_spanning_forest(U, V, W, LONG), "n must be from 0"),
        (lambda graph: graph.delete(LONG), r"ids\[0\] is an integer of more than 4300 digits"),
        (lambda graph: graph.delete([0, LONG]), r"ids\[1\] is an integer of more than 4300"),
        (lambda graph: graph.insert(LONG, 0, 1), "not an integer of more than 4300 digits"),
        (lambda graph: graph.expire(LONG), "not an integer of more than 4300 digits"),
        (lambda graph: kostra.Graph.read("x.csv", id=LONG), "id must be from 1"),
    ],
)
def test_an_integer_that_python_does_not_write_is_refused_in_a_sentence(call, said):
    with pytest.raises(ValueError, match=said) as refusal:
        call(kostra.DynamicForest(4))
    assert "set_int_max_str_digits" not in str(refusal.value)


def test_a_name_that_python_does_not_write_is_refused_in_a_sentence(tmp_path):
    networkx = pytest.importorskip("networkx")
    graph = kostra.Graph.from_networkx(networkx.Graph([(LONG, 1)]), weight=None)
    forest = kostra.minimum_spanning_forest(graph)
    for said, call in [
        ("nodes contains an integer of more", lambda: forest.write(tmp_path / "x.csv")),
        ("names contains an integer of more", lambda: kostra.newick([[0, 1, 1, 2]], [LONG, 1])),
        ("which is not in forest.nodes", lambda: forest.parents(LONG + 1, names=True)),
        ("nodes has an integer of more", lambda: kostra.DynamicForest(graph, log=tmp_path / "l")),
    ]:
        with pytest.raises(ValueError, match=said) as refusal:
            call()
        assert "set_int_max_str_digits" not in str(refusal.value)
