"""What could be silently wrong is asked about, told of or refused."""

import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from scipy import sparse

import kostra
import kostra.scipy

U, V, W = [0, 1, 2, 0], [1, 2, 0, 3], [4.0, 1.0, 2.0, 0.0]


class Exporter:
    """Exports an Arrow stream, and nothing else."""

    def __init__(self, columns):
        self.table = pyarrow.table(columns)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "make", [dict, pandas.DataFrame, polars.DataFrame, pyarrow.table, Exporter]
)
def test_the_column_called_weight_is_the_weight_and_without_one_the_table_is_asked_about(make):
    ends = {"source": U, "target": V}
    assert (
        kostra.Graph.from_table(make(ends | {"weight": W, "lanes": [1, 1, 2, 2]})).weights.tolist()
        == W
    )
    with pytest.raises(ValueError) as refusal:
        kostra.Graph.from_table(
            make({"id": U} | ends | {"length_km": W, "road_name": list("abcd")})
        )
    assert str(refusal.value) == (
        "which column is the weight? columns: 'id', 'source', 'target', 'length_km', 'road_name'; "
        "pass weight='length_km', or weight=None for weight 1"
    )
    assert kostra.Graph.from_table(make(ends | {"km": W}), weight=None).weights.tolist() == [1] * 4
    assert kostra.Graph.from_table(make(ends)).weights.tolist() == [1] * 4
    for weight in ("weight", "Km"):
        with pytest.raises(ValueError, match=f"table has no column '{weight}'"):
            kostra.Graph.from_table(make(ends | {"km": W}), weight=weight)
    with pytest.raises(ValueError, match="table has no column 'from'"):
        kostra.Graph.from_table(make(ends | {"km": W}), "from")
    many = {f"c{number}": U for number in range(20)}
    with pytest.raises(ValueError, match="'c9', and so on; pass weight='c0'"):
        kostra.Graph.from_table(make(ends | many))


def test_masked_entries_are_refused():
    masked = np.ma.array([0, 1], mask=[False, True])
    for arguments, message in [
        ((masked, [1, 2]), r"u\[1\] is masked"),
        (([0, 1], masked), r"v\[1\] is"),
        (([0, 1], [1, 2], masked), r"w\[1\] is"),
    ]:
        with pytest.raises(ValueError, match=message):
            kostra.minimum_spanning_forest(*arguments)
    columns = {"source": [0, 1], "target": [1, 2], "weight": [1, 2]}
    for name in columns:
        with pytest.raises(ValueError, match=f"column '{name}' has no value in row 1"):
            kostra.Graph.from_table(columns | {name: masked})
    assert len(kostra.minimum_spanning_forest(np.ma.array([0, 1]), [1, 2])) == 2


def test_gaps_in_the_ids_are_told_of_with_their_remedy():
    edges = [101, 102], [102, 103], [1.5, 2.5]
    with pytest.warns(
        UserWarning,
        match=r"^101 of the 104 vertices have no edge, .* pass relabel=True .* or n=104",
    ) as found:
        forest = kostra.minimum_spanning_forest(*edges)
    assert (forest.n, found[0].filename) == (104, __file__)
    with pytest.warns(
        UserWarning,
        match="^1 of the 3 vertices has no edge, because edges of weight NaN are skipped",
    ):
        kostra.minimum_spanning_forest([0, 1], [1, 2], [1.5, np.nan], nan="skip")
    graph = kostra.Graph([0, 3], [1, 4])
    with pytest.warns(UserWarning, match="^1 of the 5 vertices has no edge") as found:
        graph.minimum_spanning_forest()
    assert found[0].filename == __file__
    with pytest.warns(
        UserWarning,
        match="101 of the 104 vertices .* pass relabel=True to number .* or vertices=104 to accept all vertices$",
    ):
        kostra.Graph.from_table({"source": edges[0], "target": edges[1]}).minimum_spanning_forest()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph.minimum_spanning_forest()  # once is enough
        kostra.minimum_spanning_forest(*edges, 104)
        kostra.minimum_spanning_forest([0, 2, 4, 4], [1, 3, 4, 4])  # a self-loop is an edge
        kostra.Graph.from_scipy(sparse.csr_array((5, 5))).minimum_spanning_forest()
        forest = kostra.minimum_spanning_forest(*edges, relabel=True)
    assert (forest.n, forest.nodes, forest.u.tolist(), forest.v.tolist()) == (
        3,
        [101, 102, 103],
        [0, 1],
        [1, 2],
    )


def test_ids_of_any_size_can_be_numbered_anew():
    for ids, kind in [
        ([-5, 2**62], np.int64),
        ([3, 2**64 - 1], np.uint64),
        ([0, 200], np.uint8),
        ([7, 7], np.int32),
    ]:
        graph = kostra.Graph(np.array(ids[:1], kind), np.array(ids[1:], kind), [2.5], relabel=True)
        assert graph.nodes == sorted(set(ids)) and graph.n == len(set(ids))
    mixed = kostra.Graph(
        np.array([2**63 + 1], np.uint64), np.array([2**53 + 1], np.int64), relabel=True
    )
    assert mixed.nodes == [2**53 + 1, 2**63 + 1]
    with pytest.raises(ValueError, match="u and v contain negative ids and ids of 2"):
        kostra.Graph(np.array([2**63], np.uint64), np.array([-1], np.int64), relabel=True)
    with pytest.raises(
        ValueError, match=r"u\[0\] is 1099511627776, but vertex ids have 32 bits; pass relabel=True"
    ):
        kostra.Graph([2**40], [1])
    with pytest.raises(TypeError, match="n and relabel=True exclude each other"):
        kostra.Graph([0], [1], n=2, relabel=True)
    table = kostra.Graph.from_table({"source": [2**40], "target": [7]}, relabel=True)
    assert table.nodes == [7, 2**40] and kostra.Graph([], [], relabel=True).nodes == []


def test_integers_that_a_float_would_round_are_refused():
    big = 2**53 + 1
    for weights in ([big, 0.5], (0.5, big), [np.int64(big), 0.5], [2**64 - 1, -1]):
        with pytest.raises(ValueError, match=r"^w\[[01]\] is \d+, which a float would round"):
            kostra.minimum_spanning_forest([0, 1], [1, 2], weights)
    for large in (2**70 + 1, 10**400):
        with pytest.raises((TypeError, ValueError), match="^w "):
            kostra.minimum_spanning_forest([0, 1], [1, 2], [large, 0.5])
    with pytest.raises(ValueError, match=r"u\[0\] is 9007199254740993, which a float would round"):
        kostra.minimum_spanning_forest([big, 1.0], [1, 2])
    assert kostra.Graph([0, 1], [1, 2], [2**53, 0.5]).weights.tolist() == [2.0**53, 0.5]


@pytest.mark.parametrize("make", [dict, pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_names_that_a_float_would_merge_are_refused(make):
    big = 2**53
    with pytest.raises(
        ValueError, match="column 'source' contains 9007199254740993 in row 1, which floats do not"
    ):
        kostra.Graph.from_table(make({"source": [big, big + 1], "target": [0.5, 1.5]}))
    with pytest.raises(ValueError, match="column 'target' contains 9007199254740992.0 in row 0"):
        kostra.Graph.from_table(make({"source": [0.5, 1.5], "target": [float(big), 0.5]}))
    assert kostra.Graph.from_table(make({"source": [0.5, 1.5], "target": [1, 2]})).nodes == [
        0.5,
        1,
        1.5,
        2,
    ]


def test_tables_of_lists_are_taken_as_exactly():
    with pytest.raises(
        ValueError, match=r"weight\[0\] is 9007199254740993, which a float would round"
    ):
        kostra.Graph.from_table({"source": [0, 1], "target": [1, 2], "weight": [2**53 + 1, 0.5]})
    with pytest.raises(TypeError, match="contain values that cannot be sorted"):
        kostra.Graph.from_table({"source": ["1", 1], "target": ["2", "3"]})
    with pytest.raises(
        TypeError, match="column 'source' contains text and column 'target' does not"
    ):
        kostra.Graph.from_table({"source": np.array(["1", "2"]), "target": [1, 2]})


def test_messages_of_readers_name_arguments_and_not_the_commands_options(tmp_path):
    path = tmp_path / "with --names.txt"
    for text, message in [
        ("a b 1\n", "names=True"),
        ("hello!\n", "pass `format`"),
        ("0 1 nan\n", 'the weight is NaN; fix it, or pass `nan="skip"`'),
    ]:
        path.write_text(text)
        options = {} if text == "hello!\n" else {"format": "edges"}
        if text == "a b 1\n":
            options["vertices"] = 2
        with pytest.raises(ValueError) as refusal:
            kostra.Graph.read(path, **options)
        assert message in str(refusal.value) and str(path) in str(refusal.value)
        assert "--" not in str(refusal.value).replace(str(path), "")


def test_queries_without_rows_name_the_method_that_runs_them():
    query = polars.DataFrame({"source": [0], "target": [1], "weight": [2]}).lazy()
    with pytest.raises(TypeError, match=r"a LazyFrame has no rows yet; pass table.collect\(\)"):
        kostra.Graph.from_table(query)
    assert kostra.Graph.from_table(query.collect()).m == 1


def test_a_dataset_of_xarray_names_the_method_that_makes_a_table():
    class Dataset:
        def to_dataframe(self):
            return pandas.DataFrame()

        def compute(self):
            return self

    with pytest.raises(TypeError, match=r"pass table.to_dataframe\(\)"):
        kostra.Graph.from_table(Dataset())


def test_what_is_no_array_is_named():
    for values, kind in [((x for x in [0]), "generator"), ({0}, "set"), (None, "NoneType")]:
        with pytest.raises(TypeError, match=f"u must be an array or a list, not {kind}"):
            kostra.Graph(values, [1], [1])
    with pytest.raises(TypeError, match="X must be an array or a list, not dict"):
        kostra.euclidean_mst({"x": [1.0], "y": [2.0]})
    with pytest.raises(ValueError, match="column 'source' must have one dimension, not 2"):
        kostra.Graph.from_table({"source": [(0, 0)], "target": [(1, 1)], "weight": [1]})


def test_series_with_different_labels_are_a_question():
    u, v = pandas.Series([0, 1]), pandas.Series([1, 2])
    w = pandas.Series([5, 3])
    for function in (kostra.Graph, kostra.minimum_spanning_forest):
        for relabel in (False, True):
            with pytest.raises(ValueError, match=r"do the rows of u and w .* w.to_numpy\(\)"):
                function(u, v, w.sort_values(), relabel=relabel)
    assert kostra.Graph(u, v, w.sort_values().to_numpy()).weights.tolist() == [3, 5]
    assert kostra.Graph(u, v.tolist(), w).weights.tolist() == [5, 3]


@pytest.mark.parametrize("kind", [polars.Series, pyarrow.array, lambda v: pandas.array(v, "Int64")])
def test_integers_beside_missing_values_are_not_rounded(kind):
    with pytest.raises(ValueError, match=r"w\[0\] is an integer that a float would round"):
        kostra.Graph([0, 1], [1, 2], kind([2**53 + 1, None]), nan="skip")
    graph = kostra.Graph([0, 1], [1, 2], kind([7, None]), 3, nan="skip")
    assert len(graph.minimum_spanning_forest()) == 1


def test_half_floats_in_a_list_need_no_cast():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kostra.Graph([0], [1], [np.float16(2)]).weights.tolist() == [2]


def test_a_matrix_of_distances_in_place_of_points_gives_a_warning():
    distances = np.array([[0, 1, 4], [1, 0, 2], [4, 2, 0]])
    with pytest.warns(UserWarning, match="X is symmetric with zeros on the diagonal; .*precomputed"):
        kostra.euclidean_mst(distances)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kostra.single_linkage(distances, metric="precomputed")
        kostra.euclidean_mst(np.triu(distances))
        kostra.euclidean_mst(np.zeros((3, 3)))


def test_entries_of_distances_that_are_stored_twice_are_added_as_by_scipy():
    twice = sparse.coo_array(([1.0, 2.0, 2.0], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    links = kostra.single_linkage(twice, metric="precomputed")
    assert links[:, 2].tolist() == [2, 3]
    assert twice.nnz == 3


def test_degrees_beside_a_height_give_a_warning():
    table = pandas.DataFrame({"lon": [14.0, 16], "height": [3, 4], "lat": [50.0, 49]})
    with pytest.warns(UserWarning, match=r"pass X\[\['lat', 'lon'\]\] and metric='haversine'"):
        kostra.euclidean_mst(table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kostra.euclidean_mst(table.rename(columns={"lat": "plate", "lon": "salon"}))
