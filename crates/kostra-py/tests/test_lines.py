"""Lines on a map: tables of GeoPandas as graphs, and whole lines in output."""

import copy
import json
import math
import pickle

import numpy as np
import pandas
import pytest

import kostra

geopandas = pytest.importorskip("geopandas", reason="geopandas is not installed")
from shapely.geometry import LineString, MultiLineString, Point  # noqa: E402

LINES = [
    LineString([(0, 0), (0.5, 1), (1, 0)]),
    LineString([(1, 0), (2, 0)]),
    LineString([(2, 0), (1, -1), (0, 0)]),
    LineString([(5, 5), (6, 5)]),
]


def frame(crs=4326, lines=LINES, **columns):
    columns = columns or {"km": [3.0, 1.0, 2.0, 4.0], "name": list("abcd")}
    return geopandas.GeoDataFrame(columns, geometry=lines, crs=crs)


def test_ends_of_lines_are_vertices_in_order_of_appearance():
    roads = frame()
    graph = kostra.Graph.from_geopandas(roads, weight="km", keep=["name"])
    assert (graph.u.tolist(), graph.v.tolist()) == ([0, 1, 2, 3], [1, 2, 0, 4])
    assert graph.coordinates.tolist() == [[0, 0], [1, 0], [2, 0], [5, 5], [6, 5]]
    assert graph.geographic
    forest = graph.minimum_spanning_forest()
    assert roads.iloc[forest.edge_ids].name.tolist() == ["b", "c", "d"]
    assert forest.kept["name"].tolist() == ["b", "c", "d"]


def test_a_table_of_lines_is_the_only_argument_and_asks_for_its_weight():
    with pytest.raises(ValueError, match="column or the length of the line.*weight='km'"):
        kostra.minimum_spanning_forest(frame())
    forest = kostra.minimum_spanning_forest(frame(name=["a", "b", "c", "d"]))
    assert forest.edge_ids.tolist() == [0, 1, 3]
    both = frame(source=[0, 1, 2, 3], target=[1, 2, 0, 4])
    with pytest.raises(ValueError, match="columns 'source' and 'target', or the ends"):
        kostra.minimum_spanning_forest(both)


def test_lengths_are_meters_on_the_earth_and_units_in_a_plane(tmp_path):
    graph = kostra.Graph.from_geopandas(frame(), weight="geometry")
    degree = math.radians(1) * 6_371_008.7714
    assert graph.weights[1] == pytest.approx(degree, rel=1e-12)
    path = tmp_path / "lines.geojson"
    frame(name=list("abcd")).to_file(path, driver="GeoJSON")
    segments = kostra.Graph.read(path, weights="distance")
    assert graph.weights.sum() == pytest.approx(segments.weights.sum(), rel=1e-12)
    plane = kostra.Graph.from_geopandas(frame(crs=None), weight="geometry")
    assert not plane.geographic
    assert plane.weights.tolist() == pytest.approx([line.length for line in LINES])


def test_output_has_whole_lines(tmp_path):
    heights = [LineString([(0, 0, 7), (0.5, 1, 8), (1, 0, 9)]), *LINES[1:]]
    forest = kostra.minimum_spanning_forest(frame(lines=heights, name=list("abcd")))
    for same in (forest, copy.deepcopy(forest), pickle.loads(pickle.dumps(forest))):
        table = same.to_geopandas()
        assert [line.equals_exact(heights[edge], 0) for edge, line in table.geometry.items()]
        assert table.geometry.iloc[0].coords[1] == (0.5, 1, 8)
    forest.write(tmp_path / "forest.geojson")
    features = json.loads((tmp_path / "forest.geojson").read_text())["features"]
    assert [feature["geometry"]["coordinates"] for feature in features] == [
        [[0, 0, 7], [0.5, 1, 8], [1, 0, 9]],
        [[1, 0], [2, 0]],
        [[5, 5], [6, 5]],
    ]


def test_a_file_of_lines_is_written_with_whole_lines(tmp_path):
    frame().to_file(tmp_path / "lines.geojson", driver="GeoJSON")
    graph = kostra.Graph.read(tmp_path / "lines.geojson", weight="km", keep="all")
    graph.minimum_spanning_forest().write(tmp_path / "forest.geojson")
    found = geopandas.read_file(tmp_path / "forest.geojson")
    assert found.name.tolist()[:2] == ["b", "c"]
    assert found.geometry.iloc[1].equals_exact(LINES[2], 0)


def test_what_is_no_line_is_refused_with_its_row():
    for wrong, what in (
        (None, "row 3 of frame has no line"),
        (LineString(), "row 3 of frame has no line"),
        (MultiLineString([LINES[0], LINES[3]]), r"row 3 of frame has several lines; call explode"),
        (Point(1, 2), "row 3 of frame is no line"),
    ):
        with pytest.raises(ValueError, match=what):
            kostra.Graph.from_geopandas(frame(lines=[*LINES[:3], wrong]), weight="km")
    with pytest.raises(TypeError, match="must be a geopandas.GeoDataFrame, not DataFrame"):
        kostra.Graph.from_geopandas(pandas.DataFrame({"km": [1]}))
    with pytest.raises(ValueError, match="no column 'kn'; columns: 'km', 'name', 'geometry'"):
        kostra.Graph.from_geopandas(frame(), weight="kn")


def test_all_columns_but_the_lines_and_the_weight_are_kept():
    graph = kostra.Graph.from_geopandas(frame(), weight="km", keep="all")
    assert list(graph.kept) == ["name"]
    assert np.array_equal(graph.weights, [3.0, 1.0, 2.0, 4.0])
