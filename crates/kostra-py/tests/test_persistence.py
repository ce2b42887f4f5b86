"""Persistence: by definition, of all kinds of data, refusals, and GUDHI beside Kostra."""

import copy
import pickle

import numpy as np
import pytest

import kostra


def by_thresholds(values, neighbors, superlevel):
    """The pairs of the definition: at each value, the components, known by their first cells."""
    values = -values if superlevel else values
    alive, pairs = {}, []
    for step in np.unique(values):
        inside = set(np.flatnonzero(values <= step).tolist())
        now = {}
        while inside:
            stack = [inside.pop()]
            component = set(stack)
            while stack:
                for other in neighbors[stack.pop()]:
                    if other in inside:
                        inside.remove(other)
                        component.add(other)
                        stack.append(other)
            first = min(component, key=lambda cell: (values[cell], cell))
            now[first] = values[first]
        pairs += [(cell, birth, step) for cell, birth in alive.items() if cell not in now]
        alive = now
    pairs += [(cell, birth, np.inf) for cell, birth in alive.items()]
    sign = -1 if superlevel else 1
    return sorted((cell, sign * birth, sign * death) for cell, birth, death in pairs)


def found_pairs(found):
    return sorted(zip(found.vertices.tolist(), found.births.tolist(), found.deaths.tolist()))


@pytest.mark.parametrize(
    ("shape", "connectivity"), [((6, 7), 4), ((6, 7), 8), ((3, 4, 3), 6), ((3, 4, 3), 26)]
)
@pytest.mark.parametrize("superlevel", [False, True])
def test_pairs_are_those_of_the_definition(shape, connectivity, superlevel):
    for seed in range(4):
        image = np.random.default_rng(seed).integers(0, 4 + 30 * seed, shape)
        graph = kostra.grid(image, connectivity)
        neighbors = [[] for _ in range(image.size)]
        for u, v in zip(graph.u.tolist(), graph.v.tolist()):
            neighbors[u].append(v)
            neighbors[v].append(u)
        expected = by_thresholds(image.ravel(), neighbors, superlevel)
        for array in (image, image.astype(np.float32), np.asfortranarray(image)):
            found = kostra.persistence(array, connectivity, superlevel=superlevel, threads=2)
            assert found_pairs(found) == expected
        options = {"heights": image.ravel(), "edges": "ends", "superlevel": superlevel}
        assert found_pairs(kostra.persistence(graph, **options)) == expected


def test_results_are_values_and_short_components_are_left_out():
    image = np.random.default_rng(3).integers(0, 50, (20, 30))
    found = kostra.persistence(image)
    assert found == pickle.loads(pickle.dumps(found)) == copy.deepcopy(found)
    long = kostra.persistence(image, min_persistence=9)
    lasting = np.abs(found.deaths - found.births) > 9
    assert 1 < len(long) < len(found) and np.array_equal(long.pairs, found.pairs[lasting])
    assert not found.births.flags.writeable
    assert len(long.tree_values) == len(long.tree_parents) > len(long)
    assert (long.tree_parents[: len(long)] >= len(long)).sum() + 1 >= len(long)


def test_vertices_of_graphs_enter_at_zero_or_at_their_heights():
    graph = kostra.Graph([0, 1, 2], [1, 2, 3], [2.0, 5.0, 3.0])
    found = kostra.persistence(graph)
    assert found.pairs.tolist() == [[0, 2], [0, 3], [0, 5], [0, np.inf]]
    assert found.ends.tolist() == [0, 2, 1, -1] and found.elders.tolist() == [0, 2, 0, -1]
    found = kostra.persistence(graph, heights=[2, 1, 0, 3])
    assert found.pairs.tolist() == [[1, 5], [0, np.inf]]
    with pytest.raises(ValueError, match="edge 0 has the value 2, and its end 0 enters later"):
        kostra.persistence(graph, heights=[9, 1, 0, 3])


def test_what_has_two_meanings_or_none_is_refused():
    graph = kostra.Graph([0], [1], [1])
    with pytest.raises(ValueError, match="a volume"):
        kostra.persistence(np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="one value"):
        kostra.persistence(np.zeros((2, 2, 3)), 4)
    with pytest.raises(ValueError, match="NaN"):
        kostra.persistence([[0.0, np.nan]])
    with pytest.raises(ValueError, match="leave it out"):
        kostra.persistence(graph, 4)
    with pytest.raises(ValueError, match="apply to graphs"):
        kostra.persistence([[0.0]], heights=[1])
    with pytest.raises(ValueError, match="one value for each of 2"):
        kostra.persistence(graph, heights=[1])
    with pytest.raises(ValueError, match="needs heights"):
        kostra.persistence(graph, edges="ends")
    with pytest.raises(ValueError, match="2\\^53"):
        kostra.persistence(kostra.Graph([0], [1], [2**60]))


@pytest.mark.parametrize(("shape", "connectivity"), [((40, 50), 8), ((9, 10, 11), 26)])
def test_diagrams_of_images_are_those_of_gudhi(shape, connectivity):
    gudhi = pytest.importorskip("gudhi")
    image = np.random.default_rng(1).integers(0, 60, shape).astype(float)
    # Cells of the highest dimension are neighbors at corners; vertices are, at faces.
    for keyword, number in [
        ("top_dimensional_cells", connectivity),
        ("vertices", {8: 4, 26: 6}[connectivity]),
    ]:
        complex_ = gudhi.CubicalComplex(**{keyword: image})
        complex_.compute_persistence()
        expected = np.array(complex_.persistence_intervals_in_dimension(0))
        pairs = kostra.persistence(image, number).pairs
        assert sorted(map(tuple, pairs)) == sorted(map(tuple, expected))


def test_diagrams_of_points_are_those_of_gudhi():
    gudhi = pytest.importorskip("gudhi")
    points = np.random.default_rng(2).normal(size=(80, 3))
    simplices = gudhi.RipsComplex(points=points).create_simplex_tree(max_dimension=1)
    simplices.compute_persistence()
    expected = np.sort(simplices.persistence_intervals_in_dimension(0), axis=0)
    pairs = np.sort(kostra.persistence(kostra.euclidean_mst(points)).pairs, axis=0)
    np.testing.assert_allclose(pairs, expected, rtol=1e-12)
