"""Forests as tables and pictures."""

import sys

import numpy as np
import pytest

import kostra


def test_pandas_joins_the_forest_to_the_rows_of_the_input():
    import pandas

    roads = pandas.DataFrame(
        {"source": ["a", "b", "a"], "target": ["b", "c", "c"], "km": [4.0, 2.5, 3.0]}
    )
    forest = kostra.Graph.from_table(roads, weight="km").minimum_spanning_forest()
    frame = forest.to_pandas(weight="km")
    assert frame.index.name == "edge" and list(frame.columns) == ["source", "target", "km"]
    pandas.testing.assert_frame_equal(
        frame, roads.iloc[frame.index], check_names=False, check_dtype=False, check_index_type=False
    )
    with pytest.raises(ValueError, match="weight is 'source', which is the name of another column"):
        forest.to_pandas(weight="source")


def test_pandas_gets_tuples_as_names():
    forest = kostra.minimum_spanning_forest([0], [1], [2])
    forest.nodes = [("a", 1), ("b", 2)]
    assert forest.to_pandas().source.tolist() == [("a", 1)]


def test_networkx_refuses_names_that_would_merge_vertices_or_attributes():
    forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6])
    forest.nodes = ["a", "b", "a"]
    with pytest.raises(ValueError, match="two vertices have the same name"):
        forest.to_networkx()
    table = {"source": [0, 1], "target": [1, 2], "weight": [5, 6], "km": [1, 2]}
    graph = kostra.Graph.from_table(table, weight="km", keep=["weight"])
    with pytest.raises(ValueError, match="two attributes would be called 'weight'"):
        graph.minimum_spanning_forest().to_networkx()


def test_trees_of_points_can_be_drawn(tmp_path):
    points = np.array([[50.0, 14.0], [49.0, 16.0], [48.0, 16.5]], np.float32)
    tree = kostra.euclidean_mst(points)
    points[0] = 0  # the tree has a copy
    np.testing.assert_array_equal(tree.coordinates[0], [50, 14])
    assert not tree.geographic and "<svg" in tree._repr_svg_()
    earth = kostra.neighbors_mst(points + 1, 1, metric="haversine")
    np.testing.assert_array_equal(earth.coordinates, (points + 1)[:, ::-1])
    assert earth.geographic
    earth.write(tmp_path / "tree.geojson")
    assert kostra.euclidean_mst(points, metric="canberra").coordinates.shape == (3, 2)
    assert kostra.euclidean_mst([[1.0], [2.0]]).coordinates is None
    assert repr(tree).startswith("<kostra.PointTree: 3 vertices")


def test_vertices_without_a_position_are_left_out_of_pictures():
    forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6])
    forest.coordinates = np.array([[0, 0], [1, 0], [np.nan, 1]])
    assert "nan" not in forest._repr_svg_().lower()


def test_a_plot_has_one_line_per_edge_colored_by_component():
    from matplotlib import colors, figure

    forest = kostra.minimum_spanning_forest([0, 1, 3], [1, 2, 4], n=5)
    positions = np.array([[0, 0], [1, 0], [1, 1], [5, 5], [6, 7]])
    ax = figure.Figure().subplots()
    assert forest.plot(positions, ax=ax, linewidths=2) is ax
    (lines,) = ax.collections
    assert [line.tolist() for line in lines.get_segments()] == [
        [[0, 0], [1, 0]],
        [[1, 0], [1, 1]],
        [[5, 5], [6, 7]],
    ]
    expected = [colors.to_rgba(color) for color in ("C0", "C0", "C1")]
    assert [tuple(color) for color in lines.get_edgecolor()] == expected
    assert ax.get_xlim()[1] >= 6 and ax.get_ylim()[1] >= 7
    forest.plot(positions, ax=ax, color="red")
    assert tuple(ax.collections[1].get_edgecolor()[0]) == colors.to_rgba("red")
    with pytest.raises(ValueError, match=r"positions must have the shape \(5, 2\)"):
        forest.plot(positions[:4], ax=ax)


def city():
    return kostra.Graph.generate("road:n=200,seed=3").minimum_spanning_forest()


def test_a_forest_has_the_positions_of_its_graph():
    from matplotlib import figure

    forest = city()
    ax = forest.plot(ax=figure.Figure().subplots())
    assert len(ax.collections[0].get_segments()) == len(forest)
    names = kostra.minimum_spanning_forest([0], [1])
    names.nodes = ["a", "b"]
    ax = names.plot({"a": (0, 0), "b": (2, 1)}, ax=ax)
    assert ax.collections[1].get_segments()[0].tolist() == [[0, 0], [2, 1]]
    with pytest.raises(ValueError, match="positions has no position of the node 'b'"):
        names.plot({"a": (0, 0)})
    with pytest.raises(ValueError, match="the vertices have no coordinates; pass positions"):
        names.plot()


def test_a_map_has_a_line_per_edge():
    forest = city()
    frame = forest.to_geopandas(weight="km")
    assert frame.index.tolist() == forest.edge_ids.tolist()
    assert list(frame.columns) == ["source", "target", "km", "geometry"]
    line = frame.geometry.iloc[5].coords
    ends = forest.coordinates[[forest.u[5], forest.v[5]]]
    np.testing.assert_array_equal(np.array(line), ends)
    assert (frame.crs == "EPSG:4326") == forest.geographic
    assert forest.to_geopandas(crs="EPSG:3857").crs == "EPSG:3857"


def test_a_drawing_is_shown_of_small_forests_with_coordinates():
    from xml.etree import ElementTree

    forest = city()
    drawing = ElementTree.fromstring(forest._repr_svg_())
    paths = drawing.findall("{*}path")
    drawn = [path for path in paths if path.get("class") in ("forest", "bottlenecks")]
    assert sum(path.get("d").count("M") for path in drawn) == len(forest)
    assert "<svg" in forest._repr_html_()
    assert kostra.minimum_spanning_forest([0], [1])._repr_svg_() is None


@pytest.mark.parametrize("edges", [0, 1])
def test_a_forest_of_few_edges_can_be_plotted(edges):
    from matplotlib import figure

    forest = kostra.minimum_spanning_forest([0] * edges, [1] * edges, n=2)
    ax = forest.plot([[0, 0], [1, 1]], ax=figure.Figure().subplots())
    assert len(ax.collections[0].get_segments()) == edges


@pytest.mark.parametrize(
    "library, call",
    [
        ("pandas", lambda forest: forest.to_pandas()),
        ("matplotlib", lambda forest: forest.plot([])),
        ("geopandas", lambda forest: forest.to_geopandas()),
    ],
)
def test_a_missing_library_is_named(monkeypatch, library, call):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=f"needs {library}; run `pip install {library}`"):
        call(kostra.minimum_spanning_forest([0], [1]))


def test_notebooks_show_the_figures():
    shown = kostra.minimum_spanning_forest([0], [1], [1500], n=4, maximum=True)._repr_html_()
    assert "Maximum spanning forest" in shown
    assert "<th>components</th><td>3</td>" in shown
    assert "<th>total weight</th><td>1,500</td>" in shown


def test_pictures_show_names(tmp_path):
    figure = pytest.importorskip("matplotlib.figure")
    forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6])
    forest.nodes = ["Oslo", "<Bergen>", 7]
    forest.write(tmp_path / "forest.svg")
    svg = (tmp_path / "forest.svg").read_text(encoding="utf-8")
    assert all(f">{name}</text>" in svg for name in ["Oslo", "&lt;Bergen&gt;", "7"])
    ax = forest.plot([[0, 0], [1, 0], [1, 1]], ax=figure.Figure().subplots())
    assert [text.get_text() for text in ax.texts] == ["Oslo", "<Bergen>", "7"]
