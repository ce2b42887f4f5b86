"""Which columns of a file `Graph.read` takes, and what it refuses to guess."""

import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest
from scipy import sparse

import kostra

ROADS = "id,from,to,length_km,road_name,lanes\n1,0,1,2.5,A1,2\n2,1,2,4.5,B2,1\n3,0,2,9.5,C3,4\n"


@pytest.fixture
def roads(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_text(ROADS)
    return path


def test_columns_are_taken_as_asked(roads):
    for arguments in [
        {"weight": "length_km"},
        {"weight": 4},
        {"source": "from", "target": 3, "weight": "length_km"},
        {"source": 2, "target": "to", "weight": 4, "header": True},
    ]:
        graph = kostra.Graph.read(roads, **arguments)
        assert (graph.n, graph.weights.tolist()) == (3, [2.5, 4.5, 9.5])
    assert kostra.Graph.read(roads, weights="unit").weights.tolist() == [1, 1, 1]


def test_arguments_mean_what_the_options_of_the_command_mean(tmp_path):
    path = tmp_path / "roads.txt"
    path.write_text("0;1;2,5\n1;2;4\n")
    graph = kostra.Graph.read(path, decimal_comma=True, delimiter=";", vertices=5)
    assert (graph.n, graph.weights.tolist()) == (5, [2.5, 4.0])
    path.write_text("from;to;weight\n0;1;2,5\n")
    with pytest.raises(ValueError, match="`decimal_comma=True`"):
        kostra.Graph.read(path)
    path.write_text("9 0 1\n8 1 2\n")
    named = {"columns": ["km", "from", "to"], "source": "from", "target": "to", "weight": "km"}
    assert kostra.Graph.read(path, **named).weights.tolist() == [9, 8]
    square = tmp_path / "square.npy"
    np.save(square, np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]]))
    with pytest.raises(ValueError, match="`array"):
        kostra.Graph.read(square)
    assert kostra.Graph.read(square, array="edges").m == 3
    np.save(square, np.array([[-1, 0, 2], [0, -1, 3], [2, 3, -1]]))
    for answers, edges in [(("edge", "none"), 3), (("none", "none"), 2), (("none", "edge"), 5)]:
        meant = dict(zip(("zeros", "negatives"), answers))
        with pytest.raises(ValueError, match="pass `negatives=\"edge\"`"):
            kostra.Graph.read(square, array="matrix")
        assert kostra.Graph.read(square, array="matrix", **meant).m == edges
    for arguments, error, message in [
        ({"columns": "abc"}, TypeError, "columns must be a list of texts, not 'abc'"),
        ({"highway": [3]}, TypeError, "highway must be a list of texts"),
        ({"highway": 5}, TypeError, "highway must be a list of texts, not 5"),
        ({"highway": []}, ValueError, "highway must name at least one value"),
        ({"bbox": 5}, ValueError, "bbox must be west, south, east and north"),
        ({"delimiter": 3}, TypeError, "delimiter must be a text"),
        ({"delimiter": "ab"}, ValueError, "delimiter is \"ab\": pass a character"),
        ({"vertices": -1}, ValueError, "vertices"),
        ({"vertices": 5, "names": True}, ValueError, "vertices needs vertices that are numbers"),
        ({"bbox": (1, 2)}, ValueError, "bbox must be west, south, east and north"),
        ({"bbox": (0, 5, 1, 1)}, ValueError, "bbox: the south is above the north"),
        ({"bbox": (0, 0, 1, 1)}, ValueError, "bbox"),
        ({"array": "both"}, ValueError, "array must be"),
    ]:
        with pytest.raises(error, match=message):
            kostra.Graph.read(path, **arguments)


def test_signs_between_thousands_are_an_option(tmp_path):
    path = tmp_path / "blanks.csv"
    path.write_text("0;1;1\u00a0250,5\n1;2;950,0\n", encoding="utf-8")
    with pytest.raises(ValueError, match="`thousands=True` and `decimal_comma=True`"):
        kostra.Graph.read(path)
    graph = kostra.Graph.read(path, thousands=True, decimal_comma=True)
    assert graph.weights.tolist() == [1250.5, 950.0]


def test_what_is_open_is_asked_in_the_terms_of_python(roads, tmp_path):
    def refusal(path, **arguments):
        with pytest.raises(ValueError) as caught:
            kostra.Graph.read(path, **arguments)
        assert "--" not in str(caught.value)
        return str(caught.value)

    assert "no column 'NO SUCH COLUMN'; columns: id, from, to, " in refusal(
        roads, weight="NO SUCH COLUMN"
    )
    assert 'pass `weight="length_km"`, or `weights="unit"`' in refusal(roads)
    path = tmp_path / "od.csv"
    path.write_text("id,first,second,km\n1,0,1,2.5\n2,1,2,4.5\n")
    assert 'pass `source="NAME"` and `target="NAME"`, or their positions' in refusal(path)
    path.write_text("A,B\nx,y\ny,z\n")
    assert "a header? pass `header=True` or `header=False`" in refusal(path, names=True)
    assert kostra.Graph.read(path, names=True, header=False).nodes == ["A", "B", "x", "y", "z"]
    path.write_text("a b 5\nb c 6\n")
    assert "with `names=True` vertices can have names" in refusal(path, vertices=3)
    path.write_text("0 1 5\n1 02 6\n")
    assert "with `names=True` it is a name" in refusal(path, vertices=3)
    path.write_text("from,to,road_id\n0,1,7\n")
    assert 'pass `weight="NAME"`, or `weights="unit"`' in refusal(path)
    triangle = tmp_path / "triangle.txt"
    triangle.write_text("3 3\n2 3\n1 3\n1 2\n")
    assert 'pass `format="edges"` or `format="graph"`' in refusal(triangle)
    path.write_text("p sp 2 1\na 1 2 5\n")
    assert "`weight` applies to edge lists only, not to DIMACS" in refusal(path, weight="w")
    assert "the file has weights; omit `weights` to use them" in refusal(path, weights="unit")


def test_arguments_that_do_not_apply_are_refused(roads, tmp_path):
    for arguments, error in [
        ({"weight": 1.5}, TypeError),
        ({"weight": True}, TypeError),
        ({"weight": 0}, ValueError),
        ({"weight": 99}, ValueError),
        ({"header": 1}, TypeError),
        ({"weights": "none"}, ValueError),
    ]:
        with pytest.raises(error):
            kostra.Graph.read(roads, **arguments)
    path = tmp_path / "matrix.npz"
    sparse.save_npz(path, sparse.csr_array(np.eye(2)))
    for arguments, message in [
        ({"weights": "unit"}, "the file has weights; omit `weights`"),
        ({"weight": "w"}, "`weight` does not apply to a sparse matrix; omit it"),
        ({"header": True}, "`header` applies to edge lists only"),
        ({"names": True}, "`names` applies to edge lists only"),
    ]:
        with pytest.raises(ValueError, match=message):
            kostra.Graph.read(path, **arguments)


@pytest.mark.parametrize(
    "text, nodes, remedy",
    [
        ("101 102 5\n102 104 6\n", [101, 102, 104], "; pass vertices=105 for the ids from 0 to 104"),
        ("1 2 5\n2 3 6\n", [1, 2, 3], "; pass vertices=4 for the ids from 0 to 3"),
        ("10 1000000000 5\n", [10, 1000000000], ""),
        ("0 9999999999 5\n9999999999 7 6\n", [0, 9999999999, 7], ""),
    ],
)
def test_only_ids_that_occur_are_vertices(tmp_path, text, nodes, remedy):
    path = tmp_path / "sparse.txt"
    path.write_text(text)
    with pytest.warns(UserWarning, match="the vertices are the . ids that occur in the ") as caught:
        graph = kostra.Graph.read(path)
    (message,) = [str(warning.message) for warning in caught]
    assert message.endswith(f"vertex 0 is the id {nodes[0]}{remedy}") and message in graph.notes
    assert caught[0].filename == __file__
    assert (graph.n, graph.nodes) == (len(nodes), nodes)
    forest = graph.minimum_spanning_forest()
    assert forest.n_components == 1
    ends = [[int(word) for word in line.split()[:2]] for line in text.splitlines()]
    assert forest.to_pandas()[["source", "target"]].to_numpy().tolist() == ends
    forest.write(tmp_path / "ours.csv")
    command = [sys.executable, "-m", "kostra", "solve", path, "-q", "-o", tmp_path / "theirs.csv"]
    subprocess.run(command, check=True)
    assert (tmp_path / "ours.csv").read_bytes() == (tmp_path / "theirs.csv").read_bytes()
    with pytest.raises(ValueError, match="pass names=True or names=False"):
        forest.parents(7)
    assert len(forest.parents(nodes[1], names=True)) == graph.n


def test_arguments_about_ids_are_not_warned_of(tmp_path):
    path = tmp_path / "sparse.txt"
    path.write_text("1 2 5\n2 4 6\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kostra.Graph.read(path, names=True).nodes == ["1", "2", "4"]
        graph = kostra.Graph.read(path, vertices=5)
        assert (graph.n, graph.nodes, graph.u.tolist()) == (5, None, [1, 2])
        path.write_text("7 b 5\nb a 6\n")
        assert kostra.Graph.read(path).nodes == ["7", "b", "a"]
        path.write_text("0 1 5\n1 02 6\n")
        assert kostra.Graph.read(path).nodes == ["0", "1", "02"]
        path.write_text("0 1 5\n1 2 6\n")
        assert kostra.Graph.read(path).nodes is None
        path.write_text("p sp 5 1\na 1 3 5\n")
        assert (kostra.Graph.read(path).n, kostra.Graph.read(path).nodes) == (5, None)


def test_ids_in_arrays_are_those_that_occur(tmp_path):
    np.save(tmp_path / "edges.npy", np.array([[5, 9, 1], [9, 7, 2]]))
    with pytest.warns(UserWarning, match="the vertices are the 3 ids that occur"):
        graph = kostra.Graph.read(tmp_path / "edges.npy")
    assert (graph.n, graph.nodes) == (3, [5, 7, 9])
    with pytest.warns(UserWarning, match="the 3 ids that occur"):
        assert kostra.partition(tmp_path / "edges.npy", 2).nodes == [5, 7, 9]


def test_integers_of_64_bits_are_read(tmp_path):
    path = tmp_path / "huge.txt"
    path.write_text("0 1 18446744073709551615\n1 2 7\n")
    graph = kostra.Graph.read(path)
    assert graph.weights.dtype == np.uint64 and graph.weights.tolist() == [2**64 - 1, 7]


def test_names_count_for_parquet_and_are_refused_where_they_do_not(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for ends in [[101, 102], ["a", "b"]]:
        table = pyarrow.table({"source": ends, "target": [ends[1], ends[0]], "weight": [2.0, 3.0]})
        parquet.write_table(table, tmp_path / "roads.parquet")
        graph = kostra.Graph.read(tmp_path / "roads.parquet", names=True)
        assert (graph.n, list(graph.nodes)) == (2, [str(end) for end in ends])
    for ends in [[101, 102], [7, 2**40]]:
        gaps = tmp_path / "gaps.parquet"
        parquet.write_table(pyarrow.table({"source": ends[:1], "target": ends[1:]}), gaps)
        with pytest.warns(UserWarning, match="the vertices are the 2 ids that occur"):
            assert kostra.Graph.read(gaps).nodes == ends
    digits = pyarrow.table({"source": ["7"], "target": ["9"]})
    parquet.write_table(digits, tmp_path / "digits.parquet")
    assert kostra.Graph.read(tmp_path / "digits.parquet").nodes == ["7", "9"]


def workbook(path, sheets):
    """Writes sheets of texts and numbers as Excel does."""
    names = "".join(f'<sheet name="{name}" r:id="{name}"/>' for name in sheets)
    kind = "x/worksheet"
    targets = "".join(
        f'<Relationship Id="{name}" Type="{kind}" Target="{name}.xml"/>' for name in sheets
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/workbook.xml", f"<workbook><sheets>{names}</sheets></workbook>")
        file.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{targets}</Relationships>")
        for name, rows in sheets.items():
            text = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
            text = f"<worksheet><sheetData>{text}</sheetData></worksheet>"
            file.writestr(f"xl/{name}.xml", text)


def cell(value):
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
    return f"<c><v>{value}</v></c>"


def test_a_sheet_of_a_workbook_is_read_as_its_table(tmp_path):
    path = tmp_path / "roads.xlsx"
    roads = [["from", "to", "km"], ["Oslo", "Moss", 60.5], ["Moss", "Halden, S", 70]]
    workbook(path, {"Roads": roads, "Notes": [["by hand"]]})
    graph = kostra.Graph.read(path, sheet="Roads")
    assert graph.nodes == ["Oslo", "Moss", "Halden, S"]
    assert graph.weights.tolist() == [60.5, 70]
    question = 'Roads or Notes. pass `sheet="Roads"` or `sheet="Notes"`'
    with pytest.raises(ValueError, match=question):
        kostra.Graph.read(path)
    with pytest.raises(TypeError, match="sheet must be the name of a sheet, not 1"):
        kostra.Graph.read(path, sheet=1)


def test_rows_of_binary_numbers_are_read_with_their_types(tmp_path):
    path = tmp_path / "rows.bin"
    row = np.dtype([("u", "<u4"), ("v", "<u4"), ("w", "<f4")])
    np.array([(0, 1, 2.5), (1, 2, 1)], row).tofile(path)
    graph = kostra.Graph.read(path, format="raw:u32,u32,f32")
    assert (graph.n, graph.weights.tolist()) == (3, [2.5, 1])
    with pytest.raises(ValueError, match="24 bytes: 1 row of 16 bytes"):
        kostra.Graph.read(path, format="raw:u32,u32,f64")


def test_an_archive_of_one_table_is_a_matrix(tmp_path):
    path = tmp_path / "distances.npz"
    distances = np.array([[0, 3, 1, 4], [3, 0, 2, 5], [1, 2, 0, 6], [4, 5, 6, 0.0]])
    np.savez_compressed(path, distances=distances)
    assert kostra.Graph.read(path).minimum_spanning_forest().total_weight == 7
    np.savez(path, distances[:3, :3])
    assert kostra.Graph.read(path, array="matrix").m == 3
    with pytest.raises(ValueError, match="a matrix of weights or a list of edges"):
        kostra.Graph.read(path)
