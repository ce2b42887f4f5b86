"""Trees of correlations in windows, against NumPy's correlations and SciPy's trees."""

import numpy as np
import pytest

import kostra


def expected(window, absolute):
    """The tree of one window."""
    r = np.corrcoef(window.T)
    r = np.abs(r) if absolute else r
    distances = np.sqrt(2 * np.clip(1 - r, 0, None))
    i, j = np.triu_indices(len(r), 1)
    forest = kostra.minimum_spanning_forest(i, j, distances[i, j], len(r))
    order = np.lexsort((forest.v, forest.u, forest.weights))
    return np.column_stack([forest.u, forest.v])[order], forest.weights[order]


@pytest.mark.parametrize("distance", ["correlation", "absolute_correlation"])
@pytest.mark.parametrize("window, step", [(20, 1), (50, 7), (30, 30)])
def test_each_window_has_the_tree_of_its_correlations(window, step, distance):
    rng = np.random.default_rng(window)
    X = rng.normal(size=(200, 12)) + rng.normal(size=(200, 1))
    trees = kostra.rolling_mst(X, window, step, distance=distance)
    assert trees.starts.tolist() == list(range(0, 200 - window + 1, step))
    before = set()
    for k, start in enumerate(trees.starts):
        edges, distances = expected(X[start : start + window], distance != "correlation")
        assert trees.edges[k].tolist() == edges.tolist()
        np.testing.assert_allclose(trees.distances[k], distances, rtol=1e-9)
        assert trees.degrees[k].tolist() == np.bincount(edges.ravel(), minlength=12).tolist()
        found = set(map(tuple, edges))
        if k:
            assert trees.survival[k] == len(found & before) / 11
        before = found
    assert np.isnan(trees.survival[0])
    np.testing.assert_allclose(trees.totals, trees.distances.sum(axis=1))
    one = kostra.rolling_mst(X, window, step, distance=distance, threads=1)
    assert (one.distances == trees.distances).all()


def test_names_of_a_data_frame_come_back():
    pandas = pytest.importorskip("pandas")
    X = np.random.default_rng(1).normal(size=(30, 3)).cumsum(axis=0)
    days = pandas.date_range("2024-01-01", periods=30)
    frame = pandas.DataFrame(X, days, ["oil", "gas", "coal"])
    trees = kostra.rolling_mst(frame, 10, 5)
    assert trees.columns == ["oil", "gas", "coal"] and len(trees) == 5
    assert trees.tree(-1).nodes == trees.columns
    assert trees.tree(1).distances.tolist() == trees.distances[1].tolist()
    table = trees.to_pandas()
    assert table.index[0] == days[9] and table["hub"][days[9]] in trees.columns
    assert table["total"].tolist() == trees.totals.tolist()


def test_wrong_windows_and_values_are_refused():
    X = np.random.default_rng(1).normal(size=(30, 3))
    X[4:16, 1] = 2.0
    with pytest.raises(ValueError, match="column 1 is constant in rows 4 to 13 "):
        kostra.rolling_mst(X, 10)
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="row 3, column 2 .* is NaN"):
        kostra.rolling_mst(X, 10)
    with pytest.raises(ValueError, match="window must be from 2 to 30, not 31"):
        kostra.rolling_mst(X, 31)
    with pytest.raises(ValueError, match="step must be from 1"):
        kostra.rolling_mst(X, 3, 0)
    with pytest.raises(ValueError, match="distance must be 'correlation' or"):
        kostra.rolling_mst(X, 3, distance="pearson")
    with pytest.raises(ValueError, match="two dimensions"):
        kostra.rolling_mst(X[0], 3)
