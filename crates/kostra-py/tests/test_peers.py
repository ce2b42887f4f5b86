"""Random graphs, beside SciPy, igraph, rustworkx and NetworkX, each where it can be trusted."""

import igraph
import networkx as nx
import numpy as np
import pytest
import rustworkx
import scipy.sparse.csgraph as csgraph
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import sparse

import kostra
import kostra.scipy

DTYPES = [np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]


@st.composite
def edge_lists(draw, dtypes=DTYPES):
    """Ends, weights with many ties, and a number of vertices, with loops, parallel edges and isolated
    vertices.
    """
    n = draw(st.integers(1, 24))
    m = draw(st.integers(0, 60))
    ends = npst.arrays(
        draw(st.sampled_from([np.int32, np.uint32, np.int64, np.uint8])),
        m,
        elements=st.integers(0, n - 1),
    )
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    if draw(st.booleans()):
        elements = st.integers(0, 3)
    else:
        elements = npst.from_dtype(dtype, allow_nan=False)
    return draw(ends), draw(ends), draw(npst.arrays(dtype, m, elements=elements)), n


def by_the_book(u, v, w, n, maximum):
    """Kruskal's algorithm in a few lines: the ids of the canonical forest."""
    component = list(range(n))
    ids = []
    for edge in sorted(range(len(u)), key=lambda edge: w[edge].item(), reverse=maximum):
        a, b = component[u[edge]], component[v[edge]]
        if a != b:
            component = [a if c == b else c for c in component]
            ids.append(edge)
    return sorted(ids)


@settings(max_examples=300, deadline=None)
@given(edge_lists(), st.booleans(), st.sampled_from([1, 3]))
def test_the_canonical_forest(edges, maximum, threads):
    u, v, w, n = edges
    forest = kostra.minimum_spanning_forest(u, v, w, n, maximum=maximum, threads=threads)
    assert forest.edge_ids.tolist() == by_the_book(u, v, w, n, maximum)
    kostra.verify(kostra.Graph(u, v, w, n), forest)


@settings(max_examples=150, deadline=None)
@given(edge_lists([np.float64, np.int32]))
def test_igraph_finds_the_same_edges_where_no_two_weights_are_equal_and_the_same_weight_always(
    edges,
):
    u, v, w, n = edges
    graph = igraph.Graph(n=n, edges=list(zip(u.tolist(), v.tolist())))
    theirs = np.array(sorted(graph.spanning_tree(weights=w.tolist(), return_tree=False)), int)
    forest = kostra.minimum_spanning_forest(u, v, w, n)
    assert sorted(w[theirs].tolist()) == sorted(forest.weights.tolist())
    if len(np.unique(w)) == len(w):
        assert theirs.tolist() == forest.edge_ids.tolist()


@settings(max_examples=150, deadline=None)
@given(edge_lists([np.float64, np.float32, np.int32]))
def test_rustworkx_finds_the_same_weights(edges):
    u, v, w, n = edges
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(list(zip(u.tolist(), v.tolist(), w.tolist())))
    theirs = rustworkx.minimum_spanning_edges(graph, weight_fn=float)
    forest = kostra.minimum_spanning_forest(u, v, w, n)
    assert sorted(weight for *_, weight in theirs) == sorted(forest.weights.tolist())


@settings(max_examples=150, deadline=None)
@given(edge_lists([np.float64, np.float32, np.int32, np.uint32]))
def test_scipy_finds_the_same_weights_zeros_apart(edges):
    u, v, w, n = edges
    # Each pair once, the lightest: SciPy would sum the others.
    order = np.lexsort((w, np.maximum(u, v), np.minimum(u, v)))
    pairs = np.column_stack([np.minimum(u, v), np.maximum(u, v)])[order]
    first = np.ones(len(order), bool)
    first[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
    kept = order[first]
    matrix = sparse.csr_array(
        (w[kept], (u[kept].astype(np.int64), v[kept].astype(np.int64))), shape=(n, n)
    )
    theirs = csgraph.minimum_spanning_tree(matrix)
    forest = kostra.minimum_spanning_forest(u, v, w, n)
    weights = np.asarray(forest.weights, np.float64)
    assert sorted(theirs.data.tolist()) == sorted(weights[weights != 0].tolist())
    ours = kostra.scipy.minimum_spanning_tree(matrix, explicit_zeros=True)
    assert sorted(ours.data.tolist()) == sorted(weights.tolist())


@settings(max_examples=100, deadline=None)
@given(edge_lists([np.float64, np.int64, np.uint64]), st.booleans())
def test_networkx_finds_the_same_edges(edges, maximum):
    u, v, w, n = edges
    graph = nx.empty_graph(n, nx.MultiGraph)
    for edge, (a, b, weight) in enumerate(zip(u.tolist(), v.tolist(), w.tolist())):
        graph.add_edge(a, b, key=edge, weight=weight)
    function = nx.maximum_spanning_edges if maximum else nx.minimum_spanning_edges
    theirs = list(function(graph, data="weight", backend="networkx"))
    ours = list(function(graph, data="weight", backend="kostra"))
    assert ours == theirs


TRAPS = {
    "a weight of zero": ([0, 1], [1, 2], [0.0, 1.0], [0, 1]),
    "infinity": ([0, 1, 0], [1, 2, 2], [np.inf, 1.0, np.inf], [0, 1]),
    "parallel edges": ([0, 0], [1, 1], [5.0, 2.0], [1]),
    "an edge from both ends": ([0, 1], [1, 0], [5.0, 2.0], [1]),
    "a forest": ([0, 3], [1, 4], [1.0, 1.0], [0, 1]),
    "integers above 2**53": ([0, 0], [1, 1], [2**53 + 1, 2**53], [1]),
    "weights below 1e-8": ([0, 1, 2], [1, 2, 0], [1e-300, 5e-324, 2e-300], [0, 1]),
    "negative weights": ([0, 1, 2], [1, 2, 0], [-1, -2, -3], [1, 2]),
    "minus zero": ([0, 1, 2], [1, 2, 0], [0.0, -0.0, 0.0], [0, 1]),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_traps_that_others_fall_into(trap):
    u, v, w, ids = TRAPS[trap]
    forest = kostra.minimum_spanning_forest(u, v, w, max(u + v) + 1)
    assert forest.edge_ids.tolist() == ids
    assert forest.weights.tolist() == [w[edge] for edge in ids]


def test_nan_is_named_where_others_return_a_wrong_tree():
    with pytest.raises(ValueError, match=r"w\[1\] is NaN"):
        kostra.minimum_spanning_forest([0, 1], [1, 2], [1.0, np.nan])
