"""Keys that order the edges of the same weight."""

import numpy as np
import pytest

import kostra


def kruskal(n, edges, keys):
    """The positions of the forest's edges, by sorting tuples."""
    parent = list(range(n))

    def root(vertex):
        while parent[vertex] != vertex:
            vertex = parent[vertex]
        return vertex

    found = []
    for edge in sorted(range(len(edges)), key=keys.__getitem__):
        u, v = map(root, edges[edge])
        if u != v:
            parent[u] = v
            found.append(edge)
    return sorted(found)


@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_edges_of_one_weight_are_ordered_by_the_keys_and_then_by_position(seed, maximum):
    random = np.random.default_rng(seed)
    n, m = 12, 60
    u, v = random.integers(0, n, (2, m))
    w, first = random.integers(0, 3, (2, m))
    second = random.integers(0, 3, m) / 2
    sign = -1 if maximum else 1
    keys = [(sign * w[e], sign * first[e], sign * second[e], e) for e in range(m)]
    expected = kruskal(n, list(zip(u.tolist(), v.tolist())), keys)
    options = {"maximum": maximum, "ties": [first, second]}
    forest = kostra.minimum_spanning_forest(u, v, w, n, **options)
    assert forest.edge_ids.tolist() == expected
    assert forest.weights.tolist() == w[expected].tolist() and forest.weights.dtype == w.dtype
    assert forest.maximum == maximum and forest.total_weight == w[expected].sum()
    graph = kostra.Graph(u, v, w, n)
    assert graph.minimum_spanning_forest(**options) == forest
    plain = kostra.minimum_spanning_forest(u, v, w, n, maximum=maximum)
    assert plain.total_weight == forest.total_weight
    assert kostra.minimum_spanning_forest(u, v, w, n, maximum=maximum, ties=w) == plain


def test_a_forest_keeps_names_and_columns():
    roads = {"source": ["a", "b", "a"], "target": ["b", "c", "c"], "weight": [1, 1, 1]}
    graph = kostra.Graph.from_table(roads | {"year": [2003, 2002, 2001]}, keep=["year"])
    forest = graph.minimum_spanning_forest(ties=graph.kept["year"])
    assert forest.edge_ids.tolist() == [1, 2] and forest.nodes == ["a", "b", "c"]
    assert forest.kept["year"].tolist() == [2002, 2001]


def test_signed_zeros_are_equal_and_infinities_are_values():
    u, v, w = [0, 0], [1, 1], [1.0, 1.0]
    assert kostra.minimum_spanning_forest(u, v, w, ties=[0.0, -0.0]).edge_ids.tolist() == [0]
    assert kostra.minimum_spanning_forest(u, v, w, ties=[0.0, -np.inf]).edge_ids.tolist() == [1]


def test_wrong_keys_are_refused():
    for ties, message in (
        ([1.0], "ties has 1 entry, but the graph has 2 edges"),
        ([[1, 2], [1, 2, 3]], r"ties\[1\] has 3 entries"),
        ([1.0, np.nan], r"ties\[1\] is NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            kostra.minimum_spanning_forest([0, 1], [1, 2], [1, 1], ties=ties)
    with pytest.raises(TypeError, match="ties must be an array of integers or floats"):
        kostra.minimum_spanning_forest([0, 1], [1, 2], [1, 1], ties=["a", "b"])
