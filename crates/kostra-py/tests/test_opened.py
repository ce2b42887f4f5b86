"""Other packages open what the command writes, and the command opens what they write."""

import json
import subprocess
import sys

import duckdb
import geopandas
import igraph
import networkx
import pandas
import polars
import pytest

ROADS = pandas.DataFrame(
    {
        "from": ["Köln", "Bonn", "Aachen", "Köln"],
        "to": ["Bonn", "Aachen", "Köln", "Düren"],
        "km": [28.5, 91.0, 70.25, 40.0],
        "way": [901, 902, 903, 904],
    }
)
# The forest by hand: all roads but the longest of the triangle.
FOREST = {("Köln", "Bonn"): 28.5, ("Aachen", "Köln"): 70.25, ("Köln", "Düren"): 40.0}


def kostra(*arguments, folder):
    command = [sys.executable, "-m", "kostra", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def forest(tmp_path):
    ROADS.to_csv(tmp_path / "roads.csv", index=False)

    def write(name, *options):
        columns = ["--source", "from", "--target", "to", "--weight", "km"]
        kostra("solve", "roads.csv", *columns, *options, "-o", name, folder=tmp_path)
        return tmp_path / name

    return write


def edges(graph, name):
    """The edges of a graph of NetworkX, in both directions."""
    found = {}
    for u, v, data in graph.edges(data=True):
        found[name(u), name(v)] = found[name(v), name(u)] = float(data["weight"])
    return found


def both_ways(pairs):
    return {**pairs, **{(v, u): weight for (u, v), weight in pairs.items()}}


def test_networkx_opens_graphml_and_json(forest):
    for graph in [
        networkx.read_graphml(forest("f.graphml")),
        networkx.node_link_graph(json.loads(forest("f.json").read_text()), edges="edges"),
    ]:
        assert edges(graph, str) == both_ways(FOREST)
        assert sorted(data["edge"] for *_, data in graph.edges(data=True)) == [0, 2, 3]


def test_igraph_opens_graphml(forest):
    graph = igraph.Graph.Read_GraphML(str(forest("f.graphml")))
    names = graph.vs["id"]
    found = {(names[e.source], names[e.target]): e["weight"] for e in graph.es}
    assert both_ways(found) == both_ways(FOREST)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("f.csv", pandas.read_csv),
        ("f.tsv", lambda path: pandas.read_csv(path, sep="\t")),
        ("f.parquet", pandas.read_parquet),
        ("f.parquet", lambda path: polars.read_parquet(path).to_pandas()),
        ("f.parquet", lambda path: duckdb.read_parquet(str(path)).df()),
    ],
)
def test_tables_open_and_join_the_rows_they_came_from(forest, name, read):
    table = read(forest(name, "--keep", "way"))
    assert list(table.columns) == ["edge", "u", "v", "weight", "way"]
    found = dict(zip(zip(table["u"], table["v"]), table["weight"]))
    assert found == FOREST
    joined = table.merge(ROADS, on="way")
    assert (joined["u"] == joined["from"]).all() and (joined["weight"] == joined["km"]).all()


@pytest.mark.parametrize("compression", ["snappy", "zstd", "gzip", "none"])
def test_parquet_of_pandas_and_polars_is_solved(tmp_path, compression):
    ROADS.to_parquet(tmp_path / "pandas.parquet", compression=None if compression == "none" else compression)
    polars.DataFrame(ROADS.to_dict("list")).write_parquet(
        tmp_path / "polars.parquet",
        compression="uncompressed" if compression == "none" else compression,
    )
    for name in ["pandas.parquet", "polars.parquet"]:
        columns = ["--source", "from", "--target", "to", "--weight", "km"]
        kostra("solve", name, *columns, "-o", "f.parquet", folder=tmp_path)
        assert pandas.read_parquet(tmp_path / "f.parquet")["edge"].tolist() == [0, 2, 3]
        kostra("verify", name, "f.parquet", *columns, folder=tmp_path)


def test_a_map_opens_as_geojson(tmp_path):
    bonn, aachen, koeln = [7.1, 50.73], [6.08, 50.78], [6.96, 50.94]
    lines = [[koeln, bonn], [bonn, aachen], [aachen, koeln]]
    geometries = [{"type": "LineString", "coordinates": line} for line in lines]
    features = [
        {"type": "Feature", "properties": {}, "geometry": geometry} for geometry in geometries
    ]
    (tmp_path / "roads.geojson").write_text(
        json.dumps({"type": "FeatureCollection", "features": features})
    )
    kostra("solve", "roads.geojson", "-o", "f.geojson", folder=tmp_path)
    found = json.loads((tmp_path / "f.geojson").read_text())
    assert found["type"] == "FeatureCollection"
    geometries = [feature["geometry"]["coordinates"] for feature in found["features"]]
    assert len(geometries) == 2 and all(line in lines for line in geometries)
    frame = geopandas.read_file(tmp_path / "f.geojson")
    assert len(frame) == 2 and set(frame.geom_type) == {"LineString"}
    assert list(frame.total_bounds) == [6.08, 50.73, 7.1, 50.94]
    kostra("verify", "roads.geojson", "f.geojson", folder=tmp_path)
