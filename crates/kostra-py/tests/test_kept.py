"""Columns that are kept with the edges, and go with them to the forest."""

import copy
import datetime
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import kostra

ROADS = """road,from,to,km,lanes,name,width
R007,a,b,2.5,2,"Main, St",2.50
R008,b,c,1.5,4,Side,3.25
R009,a,c,9.5,6,,3
R010,c,d,4.5,1,007,4.75
"""
KEPT = {"source": "from", "target": "to", "weight": "km", "id": "road", "keep": ["lanes", "name"]}


@pytest.fixture
def roads(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_text(ROADS)
    return path


def by_command(path, output, *options):
    command = [sys.executable, "-m", "kostra", "solve", path, *options, "-o", output, "--quiet"]
    subprocess.run(command, check=True)
    return output.read_bytes()


def test_kept_columns_go_with_the_edges_to_the_forest(roads):
    graph = kostra.Graph.read(roads, **KEPT | {"keep": ["lanes", 6, "width"]})
    assert list(graph.kept) == ["road", "lanes", "name", "width"]
    assert graph.kept["name"].tolist() == ["Main, St", "Side", "", "007"]
    forest = graph.minimum_spanning_forest()
    assert forest.kept["road"].tolist() == ["R007", "R008", "R010"]
    frame = forest.to_pandas()
    assert frame.columns.tolist() == ["source", "target", "weight", "road", "lanes", "name", "width"]
    assert frame["lanes"].dtype == np.int64 and frame["lanes"].tolist() == [2, 4, 1]
    assert frame["width"].dtype == np.float64 and frame["width"].tolist() == [2.5, 3.25, 4.75]
    assert frame["name"].tolist() == ["Main, St", "Side", "007"]
    assert kostra.Graph.read(roads, weight="km").kept == {}
    assert kostra.minimum_spanning_forest([0], [1]).kept == {}


@pytest.mark.parametrize("extension", ["csv", "tsv", "parquet", "csv.gz"])
def test_files_are_those_of_the_command(roads, tmp_path, extension):
    ours, theirs = tmp_path / f"ours.{extension}", tmp_path / f"theirs.{extension}"
    options = "--source from --target to --weight km --id road --keep lanes,name,width".split()
    by_command(roads, theirs, *options)
    columns = KEPT | {"keep": ["lanes", "name", "width"]}
    kostra.Graph.read(roads, **columns).minimum_spanning_forest().write(ours)
    assert ours.read_bytes() == theirs.read_bytes()


def test_only_decimal_numbers_become_floats(tmp_path):
    path = tmp_path / "roads.csv"
    for fields, kind in [
        (["1.5", ""], np.float64),
        (["1e5", "-0.25"], np.float64),
        (["1.5", "007"], object),
        (["1.5", "nan"], object),
        (["1.5", "1e999"], object),
        (["1", "-2"], np.int64),
        (["18446744073709551615", "2"], np.uint64),
        (["36893488147419103232", "2"], object),
        (["1", ""], object),
        (["", ""], object),
    ]:
        path.write_text("from,to,km,x\n0,1,5,{}\n1,2,6,{}\n".format(*fields))
        kept = kostra.Graph.read(path, weight="km", keep=["x"]).kept["x"]
        assert kept.dtype == kind, fields
        if kind is object and "1" not in fields:
            assert [str(value) for value in kept] == fields


@pytest.mark.filterwarnings("ignore:a .* file has numbers in place of the nodes")
def test_other_formats_hold_no_columns_and_are_refused(roads, tmp_path):
    forest = kostra.Graph.read(roads, **KEPT).minimum_spanning_forest()
    for extension in ["gr", "kst", "ids", "mtx"]:
        path = tmp_path / f"forest.{extension}"
        with pytest.raises(ValueError, match="holds no kept columns; write .csv.*`keep=False`"):
            forest.write(path)
        assert not path.exists()
        forest.write(path, keep=False)
        assert path.exists()
    forest.write(tmp_path / "forest.csv", keep=False)
    assert (tmp_path / "forest.csv").read_text().splitlines()[0] == "edge,u,v,weight"


def test_formats_with_attributes_hold_columns(roads, tmp_path):
    nx = pytest.importorskip("networkx")
    forest = kostra.Graph.read(roads, **KEPT).minimum_spanning_forest()
    forest.write(tmp_path / "forest.graphml")
    edges = nx.read_graphml(tmp_path / "forest.graphml").edges(data=True)
    lanes = sorted(edge["lanes"] for *_, edge in edges if "lanes" in edge)
    expected = forest.kept["lanes"].tolist()
    assert lanes and lanes == sorted(value for value in expected if value is not None)
    for extension in ["json", "dot"]:
        path = tmp_path / f"forest.{extension}"
        forest.write(path)
        assert "lanes" in path.read_text()
        forest.write(path, keep=False)
        assert "lanes" not in path.read_text()


def test_networkx_gets_columns_as_attributes():
    pytest.importorskip("networkx")
    table = {"source": [0, 1], "target": [1, 2], "weight": [7, 8], "lanes": [2, None]}
    forest = kostra.Graph.from_table(table, keep=["lanes"]).minimum_spanning_forest()
    edges = list(forest.to_networkx().edges(data=True))
    assert edges == [(0, 1, {"weight": 7, "lanes": 2}), (1, 2, {"weight": 8})]
    with pytest.raises(ValueError, match="two attributes would be called 'lanes'"):
        forest.to_networkx(weight="lanes")


def test_columns_of_one_name_are_refused(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_text("source,target,weight,u\na,b,5,x\n")
    forest = kostra.Graph.read(path, keep=["weight"]).minimum_spanning_forest()
    with pytest.raises(ValueError, match="two columns would be called 'weight'"):
        forest.to_pandas()
    assert forest.to_pandas(weight="w").columns.tolist() == ["source", "target", "w", "weight"]
    with pytest.raises(TypeError, match="keep must be True or False, not 'weight'"):
        forest.write(tmp_path / "forest.csv", keep="weight")
    twice = tmp_path / "twice.csv"
    twice.write_text("source,target,weight,n,n\n0,1,5,x,y\n")
    with pytest.raises(ValueError, match="two columns are called 'n'.*`keep=.5.`"):
        kostra.Graph.read(twice, keep=["n"])
    with pytest.raises(ValueError, match="two kept columns are called 'n'; name all columns"):
        kostra.Graph.read(twice, keep=[4, 5])
    assert kostra.Graph.read(twice, keep=[5]).kept["n"].tolist() == ["y"]
    forest = kostra.Graph.read(path, keep=["u"]).minimum_spanning_forest()
    for extension in ["csv", "tsv", "parquet"]:
        with pytest.raises(ValueError, match="would be called 'u'") as refusal:
            forest.write(tmp_path / f"forest.{extension}")
        assert "--" not in str(refusal.value)


def test_ids_are_no_weights_and_wrong_columns_are_refused(roads, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("from,to,id\n0,1,7\n1,2,8\n")
    graph = kostra.Graph.read(path, id="id")
    assert graph.weights.tolist() == [1, 1] and graph.kept["id"].tolist() == [7, 8]
    for arguments, error, message in [
        ({"keep": "lanes"}, TypeError, "keep must be \"all\" or a list of columns, not 'lanes'"),
        ({"keep": [1.5]}, TypeError, "each column of keep must be the name or the position"),
        ({"keep": [0]}, ValueError, "each column of keep must be a position of at least 1"),
        ({"id": True}, TypeError, "id must be the name or the position"),
        ({"keep": ["none"]}, ValueError, "there is no column 'none'"),
        ({"id": 99}, ValueError, "there is no column 99"),
    ]:
        with pytest.raises(error, match=message):
            kostra.Graph.read(roads, weight="km", **arguments)
    matrix = tmp_path / "m.mtx"
    matrix.write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n")
    for arguments in [{"id": "x"}, {"keep": ["x"]}]:
        with pytest.raises(ValueError, match=r"`(id|keep)` applies to edge lists only"):
            kostra.Graph.read(matrix, **arguments)


def test_types_in_parquet_are_kept(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path, out = tmp_path / "roads.parquet", tmp_path / "forest.parquet"
    columns = {
        "source": [0, 1, 0],
        "target": [1, 2, 2],
        "weight": [1.0, 2.0, 9.0],
        "code": ["7", "8", "9"],
        "lanes": [1, None, 3],
        "width": [4.0, 5.0, 6.0],
        "paved": [True, False, True],
    }
    parquet.write_table(pyarrow.table(columns), path)
    keep = ["code", "lanes", "width", "paved"]
    forest = kostra.Graph.read(path, keep=keep).minimum_spanning_forest()
    kept = forest.kept
    assert kept["code"].tolist() == ["7", "8"] and kept["lanes"].tolist() == [1, None]
    assert kept["width"].dtype == np.float64 and kept["width"].tolist() == [4, 5]
    assert kept["paved"].dtype == np.bool_ and kept["paved"].tolist() == [True, False]
    forest.write(out)
    written = parquet.read_table(out).to_pydict()
    assert written["code"] == ["7", "8"] and written["paved"] == [True, False]
    assert [type(width) for width in written["width"]] == [float, float]
    forest = kostra.Graph.from_table(pyarrow.table(columns), keep=keep).minimum_spanning_forest()
    forest.write(out)
    assert parquet.read_table(out).to_pydict() == written


def table_of(make):
    return make(
        {
            "source": ["a", "b", "a"],
            "target": ["b", "c", "c"],
            "km": [1.0, 2.0, 9.0],
            "way": [70, 80, 90],
            "name": ["x", None, "z"],
            "built": [datetime.date(2001, 2, 3), datetime.date(2002, 2, 3), None],
            "width": [2.5, 4.0, None],
        }
    )


def tables():
    import pandas
    import polars
    import pyarrow

    return [dict, pandas.DataFrame, polars.DataFrame, pyarrow.table]


@pytest.mark.parametrize("make", tables(), ids=["dict", "pandas", "polars", "pyarrow"])
def test_tables_keep_columns(make, tmp_path):
    graph = kostra.Graph.from_table(
        table_of(make), weight="km", id="way", keep=["name", "built", "width"]
    )
    forest = graph.minimum_spanning_forest()
    frame = forest.to_pandas()
    assert frame.columns.tolist()[3:] == ["way", "name", "built", "width"]
    assert frame["way"].tolist() == [70, 80] and frame["name"].isna().tolist() == [False, True]
    forest.write(tmp_path / "forest.csv")
    assert (tmp_path / "forest.csv").read_text() == (
        "edge,u,v,weight,way,name,built,width\n"
        "0,a,b,1,70,x,2001-02-03,2.5\n"
        "1,b,c,2,80,,2002-02-03,4\n"
    )
    assert graph.kept["width"].dtype == np.float64 and np.isnan(graph.kept["width"][2])


def test_types_of_pandas_are_kept(tmp_path):
    import pandas

    table = pandas.DataFrame({"source": [0, 1], "target": [1, 2], "id": [5, 6]})
    table["kind"] = pandas.Categorical(["x", "y"])
    table["lanes"] = pandas.array([1, None], "Int64")
    table["day"] = pandas.to_datetime(["2020-01-01", None])
    forest = kostra.Graph.from_table(
        table, id="id", weight=None, keep=["kind", "lanes", "day"]
    ).minimum_spanning_forest()
    table.loc[:, "lanes"] = 9
    frame = forest.to_pandas()
    assert frame["kind"].dtype == "category" and frame["lanes"].dtype == "Int64"
    assert frame["lanes"][0] == 1 and frame["day"].dtype.kind == "M"
    forest.write(tmp_path / "forest.tsv")
    lines = (tmp_path / "forest.tsv").read_text().splitlines()
    assert lines[1:] == ["0\t0\t1\t1\t5\tx\t1\t2020-01-01 00:00:00", "1\t1\t2\t1\t6\ty\t\t"]


def test_the_ids_of_a_table_are_no_weight():
    columns = {"source": [0], "target": [1], "weight": [5]}
    assert kostra.Graph.from_table(columns, id="weight", weight=None).weights.tolist() == [1]
    assert kostra.Graph.from_table(columns, id="weight").weights.tolist() == [1]
    with pytest.raises(ValueError, match="id is 'weight', which is also an end or the weight"):
        kostra.Graph.from_table(columns, id="weight", weight="weight")
    with pytest.raises(ValueError, match="which column is the weight.*pass weight='km'"):
        kostra.Graph.from_table({"source": [0], "target": [1], "id": [1], "km": [2]}, id="id")


def test_columns_of_tables_that_cannot_be_kept_are_refused(tmp_path):
    duckdb = pytest.importorskip("duckdb")

    query = duckdb.sql("select 0 as source, 1 as target, 5 as weight, 'x' as name")
    with pytest.raises(TypeError, match="the columns of a DuckDBPyRelation cannot be kept"):
        kostra.Graph.from_table(query, keep=["name"])
    columns = {"source": [0, 1], "target": [1, 2], "weight": [5, 6]}
    for more, keep, error, message in [
        ({}, "source", TypeError, 'keep must be "all" or a list'),
        ({}, ["none"], ValueError, "table has no column 'none'"),
        ({"a": [1]}, ["a"], ValueError, "column 'a' has 1 rows, but the table has 2"),
        ({"a": 5}, ["a"], TypeError, "column 'a' must be an array or a list, not 5"),
        ({"a": "xy"}, ["a"], TypeError, "column 'a' must be an array or a list, not 'xy'"),
        ({}, [["a"]], TypeError, "id and keep must be names of columns, not ..a"),
        ({1: [1, 2], "1": [3, 4]}, [1, "1"], ValueError, "two kept columns would be called '1'"),
    ]:
        with pytest.raises(error, match=message):
            kostra.Graph.from_table(columns | more, keep=keep)
    masked = np.ma.array([5, 6], mask=[True, False])
    graph = kostra.Graph.from_table(columns | {"a": masked}, keep=["a"])
    assert graph.kept["a"].tolist() == [None, 6]
    tags = kostra.Graph.from_table(columns | {"tags": [["a"], []]}, keep=["tags"])
    forest = tags.minimum_spanning_forest()
    assert forest.kept["tags"].tolist() == [["a"], []]
    with pytest.raises(ValueError, match="column 'tags' contains values of the type list"):
        forest.write(tmp_path / "forest.csv")


def test_rows_stay_with_their_edges_if_edges_are_skipped_or_relabeled():
    columns = {"source": [900, 7, 900], "target": [7, 8, 8], "weight": [np.nan, 2.0, 1.0]}
    graph = kostra.Graph.from_table(
        columns | {"id": ["x", "y", "z"]}, id="id", nan="skip", relabel=True
    )
    forest = graph.minimum_spanning_forest()
    assert forest.kept["id"].tolist() == ["y", "z"] and graph.nodes == [7, 8, 900]
    assert graph.minimum_spanning_forest(maximum=True).to_pandas()["id"].tolist() == ["y", "z"]


def test_kept_columns_are_compared_copied_and_pickled(roads):
    import pandas

    graphs = [
        kostra.Graph.read(roads, **KEPT),
        kostra.Graph.from_table(
            pandas.read_csv(roads), "from", "to", "km", id="road", keep=["lanes", "name"]
        ),
    ]
    for graph in graphs:
        forest = graph.minimum_spanning_forest()
        for value in (graph, forest):
            for other in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
                assert other == value and list(other.kept) == ["road", "lanes", "name"]
                assert other.kept["lanes"].tolist() == value.kept["lanes"].tolist()
    assert graphs[0] != kostra.Graph.read(roads, **KEPT | {"keep": ["lanes"]})
    assert not kostra.Graph.read(roads, **KEPT).kept["lanes"].flags.writeable


def test_tags_of_roads_are_kept(tmp_path):
    import pathlib

    town = pathlib.Path(__file__).resolve().parents[3] / "docs/guide/town.osm.pbf"
    graph = kostra.Graph.read(town, id="way", keep=["highway"])
    forest = graph.minimum_spanning_forest()
    frame = forest.to_geopandas()
    assert frame.columns.tolist()[3:5] == ["way", "highway"] and len(frame) == len(forest)
    assert frame["way"].dtype == np.int64 and set(frame["highway"]) <= set(graph.kept["highway"])
    forest.write(tmp_path / "town.geojson")
    features = json.loads((tmp_path / "town.geojson").read_text())["features"]
    ways = [feature["properties"]["way"] for feature in features]
    assert ways == frame["way"].tolist()
    forest.write(tmp_path / "town.svg")


def test_all_columns_but_the_ends_and_the_weight_are_kept(tmp_path):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "g.csv"
    path.write_text("from,to,km,name,lanes\na,b,3,x,1\nb,c,5,y,2\na,c,9,z,\n")
    graph = kostra.Graph.read(path, weight="km", keep="all")
    assert {name: list(values) for name, values in graph.kept.items()} == {
        "name": ["x", "y", "z"],
        "lanes": [1, 2, None],
    }
    table = pandas.read_csv(path)
    for other in (table, polars.from_pandas(table), pyarrow.Table.from_pandas(table)):
        found = kostra.Graph.from_table(other, "from", "to", "km", id="name", keep="all")
        assert list(found.kept) == ["name", "lanes"]
    with pytest.raises(TypeError, match='keep must be "all" or a list'):
        kostra.Graph.read(path, weight="km", keep="lanes")
