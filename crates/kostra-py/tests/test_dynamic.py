"""Forests that change, against a fresh solve after every batch."""

import pickle

import numpy as np
import pytest

import kostra
from kostra import DynamicForest


class Model:
    """The present edges, and a solve of them."""

    def __init__(self, n, dtype, maximum):
        self.n, self.dtype, self.maximum = n, dtype, maximum
        self.edges = {}

    def forest(self):
        ids = sorted(self.edges)
        u, v, w = (np.array([self.edges[i][place] for i in ids]) for place in range(3))
        u, v, w = u.astype(np.int32), v.astype(np.int32), w.astype(self.dtype)
        forest = kostra.minimum_spanning_forest(u, v, w, self.n, maximum=self.maximum)
        return np.array(ids, np.int64)[forest.edge_ids], forest


def check(forest, model):
    ids, solved = model.forest()
    assert forest.edge_ids.tolist() == ids.tolist()
    assert forest.total_weight == solved.total_weight
    assert type(forest.total_weight) is type(solved.total_weight)
    assert forest.n_components == solved.n_components
    assert forest.present_ids.tolist() == sorted(model.edges)
    assert forest.m == len(model.edges)
    vertices = np.arange(model.n)
    sizes = np.bincount(solved.labels())[solved.labels()]
    assert forest.component_size(vertices).tolist() == sizes.tolist()
    expected = kostra.bottleneck(solved, 0, vertices)
    assert forest.bottleneck(0, vertices).tolist() == expected.tolist()
    assert forest.connected(0, vertices).tolist() == (solved.labels() == 0).tolist()
    copy = forest.forest()
    assert copy.edge_ids.tolist() == ids.tolist()
    assert copy.weights.tolist() == solved.weights.tolist()
    assert copy.algorithm == "dynamic" and pickle.loads(pickle.dumps(copy)) == copy


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint64", "uint32"])
@pytest.mark.parametrize("maximum", [False, True])
def test_every_batch_gives_the_forest_of_a_fresh_solve(dtype, maximum, tmp_path):
    rng = np.random.default_rng(4)
    n, path = 12, tmp_path / "updates.log"
    forest = DynamicForest(n, dtype=dtype, maximum=maximum, log=path)
    model = Model(n, dtype, maximum)
    for step in range(40):
        before = forest.edge_ids
        size = int(rng.integers(1, 6))
        kind = rng.integers(4) if model.edges else 0
        if kind < 2:
            u, v, w = rng.integers(0, n, size), rng.integers(0, n, size), rng.integers(0, 5, size)
            ids = forest.insert(u, v, w)
            model.edges.update(zip(ids.tolist(), zip(u, v, w)))
        else:
            ids = rng.permutation(sorted(model.edges))[:size]
            if kind == 2:
                forest.delete(ids)
                for i in ids.tolist():
                    del model.edges[i]
            else:
                w = rng.integers(0, 5, len(ids))
                forest.reweight(ids, w)
                for i, weight in zip(ids.tolist(), w):
                    model.edges[i] = (*model.edges[i][:2], weight)
        assert set(forest.entered) == set(forest.edge_ids) - set(before)
        assert set(forest.left) == set(before) - set(forest.edge_ids)
        check(forest, model)
    oldest = sorted(model.edges)[len(model.edges) // 2]
    assert forest.expire(oldest) == len(model.edges) - len(forest.present_ids)
    model.edges = {i: edge for i, edge in model.edges.items() if i >= oldest}
    check(forest, model)
    del forest
    check(DynamicForest.open(path), model)


def test_a_forest_starts_from_any_graph_and_its_edges_keep_their_ids():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_weighted_edges_from([("a", "b", 2), ("b", "c", 3), ("c", "a", 1)])
    forest = DynamicForest(graph)
    assert forest.nodes == ["a", "b", "c"] and forest.dtype == np.int64
    assert forest.total_weight == 3 and forest.bottleneck("a", "b") == 2.0
    assert forest.insert("b", "c", 0).tolist() == [3]
    assert forest.bottleneck("b", ["c", "b"]).tolist() == [0.0, -np.inf]
    assert forest.component_size("a") == 3
    assert [column.tolist() for column in forest.edges([3])] == [[1], [2], [0]]
    assert forest.forest().nodes == ["a", "b", "c"]
    half = kostra.Graph([0], [1], [2.5])
    assert DynamicForest(half, dtype="float32").total_weight == 2.5
    with pytest.raises(ValueError, match="float32 does not hold all weights"):
        DynamicForest(kostra.Graph([0], [1], [0.1]), dtype="float32")


def test_a_log_keeps_names(tmp_path):
    graph = kostra.Graph([0], [1], [2.5])
    graph.nodes = ["Brno", "Plzeň"]
    forest = DynamicForest(graph, log=tmp_path / "a.log")
    del forest
    forest = DynamicForest.open(tmp_path / "a.log")
    assert forest.nodes == graph.nodes and forest.bottleneck("Brno", "Plzeň") == 2.5
    graph.nodes = [1, 7]
    with pytest.raises(ValueError, match="nodes has 1"):
        DynamicForest(graph, log=tmp_path / "b.log")


def test_vertices_come_later_with_and_without_names(tmp_path):
    forest = DynamicForest(2, log=tmp_path / "numbers.log")
    assert forest.add_vertices(3).tolist() == [2, 3, 4] and forest.nodes is None
    forest.insert([0, 4], [4, 1], [1.0, 2.0])
    assert (forest.n, forest.n_components, forest.bottleneck(0, 1)) == (5, 3, 2.0)
    forest.delete([0])
    forest.delete([1])  # trees that can change take vertices, too
    assert forest.add_vertices(1).tolist() == [5] and forest.component_size(5) == 1
    with pytest.raises(ValueError, match="have no names"):
        forest.add_vertices(["x"])
    del forest
    assert DynamicForest.open(tmp_path / "numbers.log").n == 6

    graph = kostra.Graph([0], [1], [2.5])
    graph.nodes = ["Brno", "Plzeň"]
    forest = DynamicForest(graph, log=tmp_path / "names.log")
    before = forest.forest()
    assert forest.add_vertices("Praha").tolist() == [2]
    assert forest.add_vertices(["Cheb", "Aš"]).tolist() == [3, 4]
    assert forest.insert("Praha", "Aš", 7).tolist() == [1] and forest.bottleneck("Aš", "Praha") == 7.0
    assert graph.nodes == before.nodes == ["Brno", "Plzeň"]
    for wrong, message in [
        (3, "pass the names"),
        (["Most", "Aš"], r"vertices\[1\] is 'Aš', which is the name of a vertex"),
        (["Most", "Most"], r"vertices\[1\] is 'Most'"),
        ([5], "names that are texts, and nodes has 5"),
    ]:
        with pytest.raises(ValueError, match=message):
            forest.add_vertices(wrong)
    names = ["Brno", "Plzeň", "Praha", "Cheb", "Aš"]
    assert forest.nodes == names and forest.n == 5
    del forest
    assert DynamicForest.open(tmp_path / "names.log").nodes == names

    empty = DynamicForest(0, log=tmp_path / "empty.log")
    assert empty.add_vertices(("a", "b")).tolist() == [0, 1] and empty.nodes == ["a", "b"]
    assert empty.insert("a", "b").tolist() == [0]
    del empty
    assert DynamicForest.open(tmp_path / "empty.log").connected("a", "b")


def test_a_compacted_log_is_small_and_keeps_ids_and_names(tmp_path):
    path = tmp_path / "updates.log"
    forest = DynamicForest(named_path(["a", "b", "c"]), log=path)
    for _ in range(50):
        forest.delete(forest.insert("a", "c", 0))
    before = path.stat().st_size
    forest.compact()
    assert path.stat().st_size < before / 10
    assert forest.insert("a", "c", 0).tolist() == [52]
    del forest
    forest = DynamicForest.open(path)
    assert forest.nodes == ["a", "b", "c"] and forest.present_ids.tolist() == [0, 1, 52]
    forest.nodes = ["a", "b"]
    with pytest.raises(ValueError, match="2 names, and the forest 3 vertices"):
        forest.compact()
    with pytest.raises(ValueError, match="has no log"):
        DynamicForest(3).compact()


def named_path(names):
    """A path with names, and weights 1."""
    graph = kostra.Graph(range(len(names) - 1), range(1, len(names)), [1] * (len(names) - 1))
    graph.nodes = names
    return graph


def test_a_refused_update_changes_nothing():
    forest = DynamicForest(3, dtype="int32")
    forest.insert([0, 1], [1, 2], [5, 6])
    for update, message in [
        (lambda: forest.insert([0, 1], [1, 3], [1, 1]), r"v\[1\] is 3, but the forest has 3"),
        (lambda: forest.insert([0], [1], [2.5]), r"w\[0\] is 2.5, which int32 does not hold"),
        (lambda: forest.insert([0], [1], [2**40]), r"w\[0\] is 1099511627776"),
        (lambda: forest.insert([0], [1], [1, 2]), "must have the same length"),
        (lambda: forest.delete([0, 7]), "edge 7 is not present"),
        (lambda: forest.delete([0, 0]), "edge 0 twice"),
        (lambda: forest.delete(-1), r"ids\[0\] is -1"),
        (lambda: forest.reweight([0], [1, 2]), "1 edges have 2 new weights"),
        (lambda: forest.bottleneck(0, 3), "t must be from 0 to 2"),
        (lambda: DynamicForest(3, dtype="int8"), "dtype must be"),
    ]:
        with pytest.raises(ValueError, match=message):
            update()
    assert forest.edge_ids.tolist() == [0, 1] and forest.total_weight == 11
    with pytest.raises(ValueError, match=r"w\[0\] is NaN"):
        DynamicForest(2).insert(0, 1, float("nan"))
    with pytest.raises(ValueError, match="-1"):
        DynamicForest(2, dtype="uint64").insert(0, 1, -1)


def test_an_interrupted_batch_is_dropped_with_a_warning(tmp_path):
    path = tmp_path / "updates.log"
    forest = DynamicForest(3, log=path)
    forest.insert([0, 1], [1, 2], [5.0, 6.0])
    size = path.stat().st_size
    forest.delete(0)
    with pytest.raises(OSError, match="another process uses this log"):
        DynamicForest.open(path)
    del forest
    content = path.read_bytes()
    path.write_bytes(content[:-3])
    with pytest.warns(UserWarning, match="interrupted"):
        forest = DynamicForest.open(path)
    assert forest.edge_ids.tolist() == [0, 1] and path.stat().st_size == size
    del forest
    path.write_bytes(content[:60] + b"!" + content[61:])
    with pytest.raises(ValueError, match="damaged at byte 32"):
        DynamicForest.open(path)
    with pytest.raises(OSError):
        DynamicForest(3, log=path)
