"""Files of forests."""

import json
import sys

import numpy as np
import pytest

import kostra


def forest_of_names():
    graph = kostra.Graph([0, 1, 2], [1, 2, 0], [7, 6, 5])
    graph.nodes = ["a", "b, c", "d"]
    return graph.minimum_spanning_forest()


def test_the_extension_decides_the_format(tmp_path):
    import networkx
    import pandas
    import scipy.io

    forest = forest_of_names()
    forest.write(tmp_path / "f.csv")
    assert (tmp_path / "f.csv").read_text() == 'edge,u,v,weight\n1,"b, c",d,6\n2,d,a,5\n'
    forest.write(str(tmp_path / "f.ids"))
    assert (tmp_path / "f.ids").read_text() == "1\n2\n"
    forest.write(tmp_path / "f.parquet")
    table = pandas.read_parquet(tmp_path / "f.parquet")
    assert table.to_dict("list") == {
        "edge": [1, 2],
        "u": ["b, c", "d"],
        "v": ["d", "a"],
        "weight": [6, 5],
    }
    forest.write(tmp_path / "f.graphml")
    assert set(networkx.read_graphml(tmp_path / "f.graphml")) == {"a", "b, c", "d"}
    with pytest.warns(UserWarning, match="a .mtx file has numbers in place of the nodes; .csv"):
        forest.write(tmp_path / "f.mtx")
    assert scipy.io.mmread(tmp_path / "f.mtx").shape == (3, 3)
    forest.write(tmp_path / "f", format="json")
    assert len(json.loads((tmp_path / "f").read_text())["nodes"]) == 3


def test_unknown_formats_are_refused_in_terms_of_python(tmp_path):
    forest = forest_of_names()
    for name, format, message in [
        ("f.xyz", None, "no forest format has the extension .xyz; use one of .* `format` with"),
        ("f.csv", "xyz", "format is \"xyz\"; use one of .* .html"),
        ("f.geojson", None, "the vertices have no positions, and GeoJSON needs places"),
    ]:
        with pytest.raises(ValueError, match=message) as raised:
            forest.write(tmp_path / name, format=format)
        assert "--" not in str(raised.value)
    for name in ("f.csv", "f.kst", "f.ids"):
        with pytest.raises(FileNotFoundError) as raised:
            forest.write(tmp_path / "no folder" / name)
        assert raised.value.filename == str(tmp_path / "no folder" / name)
    with pytest.raises(TypeError, match="format must be a text, not 3"):
        forest.write(tmp_path / "f", format=3)
    forest.nodes = [1, "1", 2]
    with pytest.raises(ValueError, match="two nodes have the same text"):
        forest.write(tmp_path / "f.csv")
    assert list(tmp_path.iterdir()) == []


def test_maps_and_pictures_have_the_coordinates(tmp_path):
    forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6])
    forest.coordinates, forest.geographic = np.array([[14.4, 50], [14.5, 50], [14.5, 50.1]]), True
    forest.write(tmp_path / "f.geojson")
    features = json.loads((tmp_path / "f.geojson").read_text())["features"]
    assert features[0]["geometry"]["coordinates"] == [[14.4, 50], [14.5, 50]]
    forest.write(tmp_path / "f.svg")
    assert (tmp_path / "f.svg").read_text() == forest._repr_svg_()
    if sys.platform != "win32":
        plain = tmp_path / "plain"
        plain.write_text("")
        assert (tmp_path / "f.svg").stat().st_mode == plain.stat().st_mode
    for place in ([14.4, np.nan], [14.4, 91], [np.inf, 0]):
        forest.coordinates = [[0, 0], place, [1, 1]]
        with pytest.raises(ValueError, match=r"vertex 1 \(counted from 0\) has the position \[.*\]"):
            forest.write(tmp_path / "places.geojson")
    assert not (tmp_path / "places.geojson").exists()


def test_pictures_are_compressed_by_their_extension(tmp_path):
    import gzip

    forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6])
    forest.coordinates = np.array([[0, 0], [1, 0], [1, 1]])
    forest.write(tmp_path / "f.SVG.gz")
    assert gzip.decompress((tmp_path / "f.SVG.gz").read_bytes()).decode() == forest._repr_svg_()
    forest.write(tmp_path / "f.gz", format="svg")
    assert gzip.decompress((tmp_path / "f.gz").read_bytes()).decode() == forest._repr_svg_()
    with pytest.raises(ValueError, match=r"f\.svg\.xz.*\.gz"):
        forest.write(tmp_path / "f.svg.xz")
    for name in ["f.svgz", "f.xlsx.gz", "f.csv.bz2", "f.7z"]:
        with pytest.raises(ValueError):
            forest.write(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.SVG.gz", "f.gz"]


def test_pictures_have_a_legend_with_the_bottlenecks(tmp_path):
    graph = kostra.Graph.generate("road:n=300")
    forest = graph.minimum_spanning_forest()
    forest.write(tmp_path / "f.png")
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    forest.write(tmp_path / "f.html")
    page = (tmp_path / "f.html").read_text()
    assert "<title>Minimum spanning forest</title>" in page and "10 bottlenecks" in page
    forest.write(tmp_path / "f.svg")
    assert "10 bottlenecks" in (tmp_path / "f.svg").read_text()
    forest_of_names().write(tmp_path / "layout.svg")
    assert (tmp_path / "layout.svg").read_text().count("<path") == 1


def test_a_dash_is_a_file(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    forest_of_names().write("-")
    assert (tmp_path / "-").read_text() == "1\n2\n" and capfd.readouterr().out == ""


def test_forests_on_devices_are_written_from_host_memory(tmp_path):
    forest = kostra.DeviceForest.__new__(kostra.DeviceForest)
    forest._host = forest_of_names()
    forest.write(tmp_path / "f.csv")
    forest_of_names().write(tmp_path / "host.csv")
    assert (tmp_path / "f.csv").read_bytes() == (tmp_path / "host.csv").read_bytes()
    forest.write(tmp_path / "f", format="json", keep=False)
    assert len(json.loads((tmp_path / "f").read_text())["nodes"]) == 3
