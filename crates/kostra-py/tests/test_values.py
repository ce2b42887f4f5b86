"""Graphs and forests as values, and vertices by name."""

import copy
import pickle
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

import kostra

U, V, W = [0, 1, 2, 0], [1, 2, 0, 3], [4.0, 1.0, 2.0, 0.0]
COPIES = [
    copy.copy,
    copy.deepcopy,
    *(lambda it, p=p: pickle.loads(pickle.dumps(it, p)) for p in range(2, 6)),
]


def graphs():
    yield kostra.Graph(U, V, W)
    yield kostra.Graph(np.array(U, np.uint8), V, np.array(W, np.float16), 9)
    yield kostra.Graph(U, V)
    yield kostra.Graph([], [])
    yield kostra.Graph([7, 1], [1, 9], [2**53 + 1, 2**53], relabel=True)
    yield kostra.Graph(U, V, [np.nan, 1, 2, 0], nan="skip")
    yield kostra.Graph([2**31], [0], n=2**31 + 1)
    yield kostra.Graph.generate("road:n=50,seed=3")


@pytest.mark.parametrize("make", COPIES)
def test_copies_equal_what_they_are_of(make):
    for graph in graphs():
        twin = make(graph)
        assert twin == graph and not twin != graph and repr(twin) == repr(graph)
        assert [getattr(twin, name).dtype for name in ("u", "v", "weights")] == [
            graph.u.dtype,
            graph.v.dtype,
            graph.weights.dtype,
        ]
        assert twin.notes == graph.notes
        if graph.n > 1 << 20:
            continue
        for maximum in (False, True):
            forest = graph.minimum_spanning_forest(maximum=maximum)
            twin = make(forest)
            assert (
                twin == forest
                and repr(twin) == repr(forest)
                and twin.total_weight == forest.total_weight
            )
            assert (
                twin.algorithm == forest.algorithm
                and twin.labels().tolist() == forest.labels().tolist()
            )
            assert [getattr(twin, name).dtype for name in ("u", "v", "weights")] == [
                forest.u.dtype,
                forest.v.dtype,
                forest.weights.dtype,
            ]
            kostra.verify(graph, twin)


def test_nodes_and_coordinates_have_one_entry_per_vertex():
    forest = kostra.minimum_spanning_forest([0, 1], [1, 2])
    graph = kostra.Graph([0, 1], [1, 2])
    for item in (forest, graph):
        item.nodes = np.array(["a", "b", "c"])
        assert item.nodes == ["a", "b", "c"]
        item.coordinates = [[0, 0], [1, 0], [1, 1]]
        assert item.coordinates.dtype == np.float64
        for wrong, error in ((["a"], ValueError), ("abc", TypeError), (5, TypeError)):
            with pytest.raises(error, match="nodes"):
                item.nodes = wrong
        with pytest.raises(ValueError, match=r"coordinates must have the shape \(3, 2\)"):
            item.coordinates = [[0, 0]]
        assert item.nodes == ["a", "b", "c"] and item.coordinates[2, 1] == 1
        item.nodes = item.coordinates = None


def test_what_differs_is_unequal():
    graph = kostra.Graph(U, V, W)
    others = [
        kostra.Graph(U, V, W, 5),
        kostra.Graph(U, V),
        kostra.Graph(V, U, W),
        kostra.Graph(U[:3], V[:3], W[:3], 4),
        kostra.Graph(U, V, [4.0, 1.0, 2.0, 0.5]),
    ]
    assert (
        all(graph != other for other in others)
        and graph != 5
        and graph != graph.minimum_spanning_forest()
    )
    forest = graph.minimum_spanning_forest()
    assert forest == kostra.minimum_spanning_forest(U, V, W, algorithm="kruskal", threads=1)
    assert all(forest != other.minimum_spanning_forest() for other in others)
    assert forest != graph.minimum_spanning_forest(maximum=True)
    named = copy.copy(forest)
    named.nodes = list("abcd")
    assert named != forest
    big = kostra.minimum_spanning_forest([0], [1], [2**53 + 1])
    assert big != kostra.minimum_spanning_forest([0], [1], [2.0**53])
    for value in (graph, forest):
        with pytest.raises(TypeError, match="unhashable"):
            hash(value)


def test_modules_are_attributes_and_imported_at_their_first_use():
    program = """if True:
        import sys, kostra
        print("scipy" in sys.modules, "scipy" in dir(kostra), kostra.scipy.minimum_spanning_tree.__name__, kostra.nx.__name__)
        try: kostra.missing
        except AttributeError as error: print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [
        "False True minimum_spanning_tree kostra.nx",
        "module 'kostra' has no attribute 'missing'",
    ]


def roads(*names, weights=(3.0, 1.0)):
    graph = nx.Graph()
    for u, v, weight in zip(names, names[1:], weights):
        graph.add_edge(u, v, weight=weight)
    return kostra.Graph.from_networkx(graph).minimum_spanning_forest()


def test_vertices_are_given_by_name_or_number():
    forest = roads("Praha", "Plzen", "Cheb")
    assert forest.parents("Cheb").tolist() == forest.parents(2).tolist() == [1, 2, -1]
    assert forest.parents().tolist() == forest.parents(root="Praha").tolist() == [-1, 0, 1]
    assert kostra.bottleneck(forest, "Praha", "Cheb") == kostra.bottleneck(forest, 0, 2) == 3
    for names in (
        ["Praha", "Plzen"],
        np.array(["Praha", "Plzen"]),
        np.array(["Praha", "Plzen"], object),
    ):
        assert kostra.bottleneck(forest, names, "Cheb").tolist() == [3, 1]
    assert kostra.bottleneck(forest, [0, 1], "Cheb").tolist() == [3, 1]
    for bad in ("Brno", None, 1.5):
        with pytest.raises(ValueError, match=f"root is {bad!r}, which is not in forest.nodes"):
            forest.parents(bad)
    with pytest.raises(ValueError, match=r"t\[1\] is 'Brno', which is not in forest.nodes"):
        kostra.bottleneck(forest, "Praha", ["Cheb", "Brno"])
    with pytest.raises(ValueError, match=r"s\[1\] is 2, which is not in"):
        kostra.bottleneck(forest, ["Cheb", 2], 0)
    with pytest.raises(ValueError, match="root is 0, which is not in forest.nodes"):
        forest.parents(0, names=True)
    with pytest.raises(TypeError, match="root must be an integer, not 'Cheb'"):
        forest.parents("Cheb", names=False)
    plain = kostra.minimum_spanning_forest(U, V)
    with pytest.raises(ValueError, match="vertices of forest have no names"):
        plain.parents(0, names=True)
    forest.nodes = ["a", "b", "a"]
    with pytest.raises(ValueError, match="s is 'a', the name of several vertices"):
        kostra.bottleneck(forest, "a", "b")


def test_names_that_are_numbers_are_asked_about():
    forest = roads(30, 10, 20)
    for ask in (
        lambda: forest.parents(10),
        lambda: forest.parents(0),
        lambda: kostra.bottleneck(forest, [0, 1], 2),
    ):
        with pytest.raises(
            ValueError, match="could be a number or a name, .* pass names=True or names=False"
        ):
            ask()
    assert (
        forest.parents(20, names=True).tolist()
        == forest.parents(2, names=False).tolist()
        == [1, 2, -1]
    )
    assert kostra.bottleneck(forest, [30, 10], 20, names=True).tolist() == [3, 1]
    assert (
        kostra.bottleneck(forest, [], [], names=True).tolist()
        == kostra.bottleneck(forest, [], []).tolist()
        == []
    )
    assert forest.parents().tolist() == [-1, 0, 1]
    same = roads(0, 1, 2)  # each name is its own number
    assert same.parents(2).tolist() == same.parents(2, names=True).tolist() == [1, 2, -1]


def test_names_that_are_tuples_are_asked_about_where_they_could_be_several_vertices():
    forest = roads(("a", 1), ("b", 2), ("c", 3))
    assert kostra.bottleneck(forest, ("a", 1), [("b", 2), ("c", 3)]).tolist() == [3, 3]
    grid = roads((0, 0), (0, 1), (0, 2))
    with pytest.raises(
        ValueError,
        match="could be one vertex by name or several; pass names=True for one vertex, or a list",
    ):
        kostra.bottleneck(grid, (0, 1), [2])
    assert kostra.bottleneck(grid, (0, 0), (0, 2), names=True) == 3
    assert (
        kostra.bottleneck(grid, [0, 1], 2).tolist()
        == kostra.bottleneck(grid, (0, 1), 2, names=False).tolist()
        == [3, 1]
    )
    assert grid.parents((0, 2)).tolist() == [1, 2, -1]


def test_a_forest_of_another_graph_is_no_proof():
    graph = kostra.Graph(U, V, W)
    for other in (
        kostra.Graph(U, V, [4.0, 1.5, 2.0, 0.0]),
        kostra.Graph([0, 1, 3, 0], [1, 2, 0, 2], W),
    ):
        with pytest.raises(
            ValueError, match="forest belongs to another graph: its edge .* but edge .* of graph is"
        ):
            kostra.verify(graph, other.minimum_spanning_forest())
    big = kostra.minimum_spanning_forest([0], [1], [2**53 + 1])
    with pytest.raises(
        ValueError,
        match="weight 9007199254740993, but edge 0 of graph is 0 to 1, weight 9007199254740992.0",
    ):
        kostra.verify(kostra.Graph([0], [1], [2.0**53]), big)
    kostra.verify(
        kostra.Graph(np.array(U, np.uint8), V, np.array(W, np.float32)),
        graph.minimum_spanning_forest(),
    )


@pytest.mark.parametrize("symmetric", [False, True])
def test_half_precision_goes_to_scipy_too(symmetric):
    forest = kostra.minimum_spanning_forest([0, 1], [1, 2], np.array([0.5, 0], np.float16))
    matrix = forest.to_scipy(symmetric=symmetric)
    assert matrix.dtype == np.float32 and matrix.nnz == 2 + 2 * symmetric and matrix[0, 1] == 0.5


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"u": [0, 1, 2], "v": [1, 2, 0], "ids": [0, 1, 2]}, "have no cycle, but edge 2 closes"),
        ({"u": [0, 9]}, "n = 4"),
        ({"ids": [1, 1]}, "must ascend"),
        ({"ids": [1]}, "one id per edge"),
        ({"nodes": ["a"]}, "nodes of a forest must have 4 entries, not 1"),
        ({"coordinates": np.zeros((3, 2))}, "coordinates of a forest must have 4 entries"),
    ],
)
def test_a_restored_forest_is_checked(changed, said):
    forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [1.0, 2.0], n=4)
    make, (cls, (ids, u, v, w, n), kind, rest, kept, _) = forest.__reduce__()
    given = {"ids": ids, "u": u, "v": v} | changed
    ids, u, v = (np.asarray(given[name], np.uint32) for name in ("ids", "u", "v"))
    nodes, coordinates = (changed.get(name) for name in ("nodes", "coordinates"))
    arrays = ids, u, v, np.ones(len(u)), n
    with pytest.raises(ValueError, match=said):
        make(cls, arrays, kind, (*rest[:2], nodes, coordinates, False), kept)


@pytest.mark.parametrize("name", ["\0", "a\0b", "\ud800", "a\udfff"])
def test_names_that_no_text_can_hold_are_refused(name, tmp_path):
    forest = kostra.minimum_spanning_forest([0], [1])
    forest.nodes = [name, "b"]
    for extension in ("csv", "tsv", "edges"):
        with pytest.raises(ValueError, match=r"U\+0000|lone surrogate"):
            forest.write(tmp_path / f"forest.{extension}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "options",
    [{"weight": "w\ud800"}, {"format": "\ud800"}, {"keep": ["a", "\udfff"]}, {"columns": ["\ud800"]}],
)
def test_options_that_no_text_can_be_are_refused_by_name(options, tmp_path):
    path = tmp_path / "roads.csv"
    path.write_text("a,b,3\n")
    (name,) = options
    with pytest.raises(ValueError, match=f"{name} contains .* lone surrogate"):
        kostra.Graph.read(path, **options)
    with pytest.raises(ValueError, match="algorithm contains .* lone surrogate"):
        kostra.minimum_spanning_forest([0], [1], algorithm="\ud800")


def test_an_id_of_many_digits_stays_a_text(tmp_path):
    digits = "9" * 5000
    path = tmp_path / "roads.csv"
    path.write_text(f"source,target,weight,id\n0,1,1,{digits}\n1,2,1,7\n")
    assert kostra.Graph.read(path, id="id").kept["id"].tolist() == [digits, "7"]


def test_edge_weights_say_which_values_they_may_have():
    with pytest.raises(ValueError, match=r"from 0 to 2\*\*63 - 1"):
        weights = np.array([1, 2**63], np.uint64)
        kostra.partition(([0, 1], [1, 2]), 2, edge_weights=weights)
