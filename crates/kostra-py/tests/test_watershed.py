"""Watersheds: by definition, of all kinds of data, refusals, and higra beside Kostra."""

import numpy as np
import pytest

import kostra


def by_definition(graph, markers):
    """Kruskal's algorithm, in which an edge joins two trees unless both have a marker."""
    labels, parents = markers.copy(), list(range(graph.n))

    def find(vertex):
        while parents[vertex] != vertex:
            vertex = parents[vertex]
        return vertex

    for edge in np.argsort(graph.weights, kind="stable"):
        a, b = find(graph.u[edge]), find(graph.v[edge])
        if a != b and (labels[a] == 0 or labels[b] == 0):
            parents[b], labels[a] = a, labels[a] or labels[b]
    return np.array([labels[find(vertex)] for vertex in range(graph.n)], np.int32)


@pytest.mark.parametrize(
    ("shape", "connectivity"), [((9, 8), 4), ((9, 8), 8), ((4, 5, 6), 6), ((4, 5, 6), 26)]
)
def test_regions_are_those_of_the_definition(shape, connectivity):
    for seed in range(5):
        random = np.random.default_rng(seed)
        image = random.integers(0, 3 + 50 * seed, shape)
        markers = np.maximum(random.integers(-30, 4, shape), 0)
        markers.flat[7] = 9
        for relief, weight in [("differences", "difference"), ("heights", np.maximum)]:
            graph = kostra.grid(image, connectivity, weight)
            expected = by_definition(graph, markers.ravel())
            options = {"relief": relief, "threads": 1 + seed % 2}
            found = kostra.watershed(image, markers, connectivity, **options)
            assert found.dtype == np.int32 and found.shape == shape
            assert np.array_equal(found.ravel(), expected)
            assert np.array_equal(kostra.watershed(graph, markers.ravel()), expected)


def test_colors_are_compared_by_their_distance():
    random = np.random.default_rng(4)
    image = random.integers(0, 256, (7, 6, 3), np.uint8)
    markers = np.zeros((7, 6), int)
    markers[0, 0], markers[5, 5] = 1, 2
    expected = by_definition(kostra.grid(image, 4), markers.ravel())
    for array, channels in [(image, None), (np.moveaxis(image, -1, 0), "first")]:
        found = kostra.watershed(array, markers, 4, relief="differences", channels=channels)
        assert np.array_equal(found.ravel(), expected)


def test_what_has_two_meanings_or_none_is_refused():
    image, markers = np.zeros((2, 3)), np.array([[1, 0, 0], [0, 0, 0]])
    with pytest.raises(ValueError, match="an image or heights"):
        kostra.watershed(image, markers)
    with pytest.raises(ValueError, match="there is no marker"):
        kostra.watershed(image, 0 * markers, relief="heights")
    with pytest.raises(ValueError, match="the shape"):
        kostra.watershed(image, markers.T, relief="heights")
    with pytest.raises(ValueError, match="labels from 0"):
        kostra.watershed(image, -markers, relief="heights")
    with pytest.raises(TypeError, match="integers"):
        kostra.watershed(image, markers / 2, relief="heights")
    with pytest.raises(ValueError, match="dimensions"):
        kostra.watershed(np.zeros((2, 3, 3)), markers, 4, relief="heights")
    with pytest.raises(ValueError, match="apply to images"):
        kostra.watershed(kostra.grid(image), markers.ravel(), relief="heights")
    with pytest.raises(TypeError, match="minimum spanning forest"):
        kostra.watershed_hierarchy(kostra.grid(image))
    forest = kostra.grid(image).minimum_spanning_forest()
    with pytest.raises(ValueError, match="one number for each of 6"):
        kostra.watershed_hierarchy(forest, "area", areas=[1])
    with pytest.raises(ValueError, match="at least 0"):
        kostra.watershed_hierarchy(forest, "area", areas=[1, 1, 1, 1, 1, -1])


def test_regions_of_a_hierarchy_are_the_most_important_ones():
    heights = np.array([[0, 0, 5, 1, 3, 2, 2]])
    graph = kostra.grid(heights, weight=np.maximum)
    forest = graph.minimum_spanning_forest()
    area = kostra.watershed_hierarchy(forest, "area", areas=[1, 1, 1, 9, 1, 1, 1])
    assert area.total_weight != forest.total_weight and len(area.edge_ids) == 6
    altitude = kostra.watershed_hierarchy(forest, "altitude")
    assert np.array_equal(altitude.weights, forest.weights)


@pytest.mark.parametrize("by", ["area", "volume", "dynamics", "altitude"])
def test_hierarchies_are_those_of_higra(by):
    higra = pytest.importorskip("higra")
    for seed in range(20):
        random = np.random.default_rng(seed)
        shape = (6 + seed, 9)
        image = random.integers(0, 4 + 3 * seed, shape).astype(float)
        graph = kostra.grid(image)
        other = higra.UndirectedGraph(graph.n)
        other.add_edges(graph.u, graph.v)
        areas = random.integers(1, 5, graph.n).astype(float)
        if by == "altitude":
            tree, altitudes = higra.quasi_flat_zone_hierarchy(other, graph.weights)
        elif by == "dynamics":
            tree, altitudes = higra.watershed_hierarchy_by_dynamics(other, graph.weights)
        else:
            make = getattr(higra, f"watershed_hierarchy_by_{by}")
            tree, altitudes = make(other, graph.weights, areas)
        expected = higra.saliency(tree, altitudes, other)
        areas = areas if by in ("area", "volume") else None
        found = kostra.watershed_hierarchy(graph.minimum_spanning_forest(), by, areas=areas)
        # The saliency of an edge is the weight at which its two ends are in one region.
        np.testing.assert_allclose(kostra.bottleneck(found, graph.u, graph.v), expected)
