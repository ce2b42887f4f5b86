"""The trees of a fitted HDBSCAN, and what is computed from them, beside hdbscan and SciPy."""

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import cdist, pdist, squareform

import kostra
from kostra import hdbscan
from kostra.cluster import HDBSCAN, SingleLinkageTree, validity_index

theirs = pytest.importorskip("hdbscan")
plots = pytest.importorskip("hdbscan.plots")
pytest.importorskip("matplotlib").use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")


def sample(seed=0, n=240, d=2):
    """Groups of different densities, and noise."""
    rng = np.random.default_rng(seed)
    centers = rng.uniform(-10, 10, (5, d))
    widths = rng.uniform(0.3, 1.2, (5, 1))
    groups = (centers[:, None] + widths[:, None] * rng.normal(size=(5, n // 6, d))).reshape(-1, d)
    return rng.permutation(np.concatenate([groups, rng.uniform(-14, 14, (n - len(groups), d))]))


def fit(points, **options):
    """With two samples, all distances of the tree differ, so each merge has two parts."""
    return HDBSCAN(8, **({"min_samples": 2} | options)).fit(points)


def same_partition(a, b):
    return len(set(zip(a, b))) == len(set(a)) == len(set(b))


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


@pytest.mark.parametrize("seed", range(4))
def test_exports_of_trees_are_those_of_hdbscan(seed):
    pytest.importorskip("pandas")
    networkx = pytest.importorskip("networkx")
    found = fit(sample(seed))
    condensed, linkage, tree = (
        found.condensed_tree_,
        found.single_linkage_tree_,
        found.minimum_spanning_tree_,
    )
    edges = np.column_stack([found.spanning_tree_.edges, found.spanning_tree_.distances])
    for ours, other in [
        (condensed, plots.CondensedTree(condensed.to_numpy(), found.labels_)),
        (linkage, plots.SingleLinkageTree(kostra.single_linkage(found.spanning_tree_))),
        (tree, plots.MinimumSpanningTree(edges, sample(seed))),
    ]:
        np.testing.assert_array_equal(ours.to_numpy(), other.to_numpy())
        np.testing.assert_array_equal(np.asarray(ours), other.to_numpy())
        assert ours.to_pandas().equals(other.to_pandas())
        ours, other = ours.to_networkx(), other.to_networkx()
        assert type(ours) is type(other)
        assert networkx.utils.graphs_equal(ours, other)


def test_the_selected_clusters_are_those_of_the_labels():
    found = fit(sample(1))
    rows, selected = found.condensed_tree_.to_numpy(), found.condensed_tree_._select_clusters()
    assert len(selected) == found.labels_.max() + 1 > 2
    for label, cluster in enumerate(selected):
        size = rows["child_size"][rows["child"] == cluster]
        assert size == np.count_nonzero(found.labels_ == label)


@pytest.mark.parametrize("log_size", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_icicles_have_the_bounds_and_lines_of_hdbscan(seed, log_size):
    found = fit(sample(seed))
    condensed = found.condensed_tree_
    other = plots.CondensedTree(condensed.to_numpy(), found.labels_)
    ours = condensed.get_plot_data(log_size=log_size)
    expected = other.get_plot_data(log_size=log_size)
    clusters = sorted(ours["cluster_bounds"])
    a, b = ([data["cluster_bounds"][cluster] for cluster in clusters] for data in (ours, expected))
    # hdbscan adds its clusters in another order, so only the heights and widths are equal.
    np.testing.assert_allclose(np.array(a)[:, 2:], np.array(b)[:, 2:])
    np.testing.assert_allclose(np.diff(np.array(a)[:, :2]), np.diff(np.array(b)[:, :2]))
    np.testing.assert_allclose(np.sort(ours["line_ys"], 0), np.sort(expected["line_ys"], 0))


def test_icicles_narrow_from_all_points_to_the_last_ones():
    found = fit(sample(2), min_samples=6)  # merges of several parts
    data = found.condensed_tree_.get_plot_data(max_rectangle_per_icicle=5)
    for left, right, bottom, top in data["cluster_bounds"].values():
        own = np.flatnonzero(np.isclose(data["bar_centers"], (left + right) / 2))
        assert 1 <= len(own) <= 6
        widths, bottoms = np.array(data["bar_widths"])[own], np.array(data["bar_bottoms"])[own]
        heights = np.array(data["bar_tops"])[own]
        assert widths[0] == right - left and (np.diff(widths) < 0).all()
        np.testing.assert_allclose(bottoms[1:], (bottoms + heights)[:-1])
        np.testing.assert_allclose([bottoms[0], bottoms[-1] + heights[-1]], [bottom, top])


def test_trees_are_drawn():
    found = fit(np.concatenate([sample(3), sample(3)[:9]]), min_samples=6)  # equal points
    axes = found.condensed_tree_.plot(
        select_clusters=True, label_clusters=True, selection_palette=["r", "g", "b"] * 9
    )
    assert len(axes.texts) == found.labels_.max() + 1
    assert found.condensed_tree_.plot(cmap="none", log_size=True, colorbar=False).lines
    axes = pyplot.figure().gca()
    assert found.single_linkage_tree_.plot(axes, "lastp", 12) is axes
    assert len(axes.collections[1].get_segments()) == 11
    axes = found.single_linkage_tree_.plot(cmap="none", vary_line_width=False)
    assert len(axes.collections[-1].get_segments()) == len(found.labels_) - 1
    axes = found.minimum_spanning_tree_.plot(pyplot.figure().gca(), edge_cmap="Reds")
    assert len(axes.collections[0].get_segments()) == len(found.labels_) - 1
    for d in (1, 5):
        assert fit(sample(3, 60, d)).minimum_spanning_tree_.plot(vary_line_width=False)
    with pytest.raises(ValueError, match="the tree has no coordinates"):
        HDBSCAN(8).fit(found.spanning_tree_).minimum_spanning_tree_.plot()


@pytest.mark.parametrize("mode, p", [(None, 0), ("lastp", 9), ("lastp", 0), ("level", 3), ("mtica", 5)])
def test_dendrograms_are_those_of_scipy(mode, p):
    linkage = kostra.single_linkage(sample(4, 90))
    ours = SingleLinkageTree(linkage).get_plot_data(mode, p)
    scipys = {"mtica": "level"}.get(mode, mode)
    expected = hierarchy.dendrogram(linkage, p=p, truncate_mode=scipys, no_plot=True)
    for name in ("icoord", "dcoord"):
        np.testing.assert_allclose(ours[name], expected[name])
    assert ours["leaves"] == expected["leaves"]
    assert len(ours["sizes"]) == len(ours["icoord"])


def test_a_chain_that_is_too_deep_for_scipy_has_a_dendrogram():
    linkage = kostra.single_linkage((1.001 ** np.arange(5000)).reshape(-1, 1))
    with pytest.raises(RecursionError):
        hierarchy.dendrogram(linkage, no_plot=True)
    data = SingleLinkageTree(linkage).get_plot_data()
    assert data["leaves"][:2] != [] and len(data["icoord"]) == 4999
    assert max(height[1] for height in data["dcoord"]) == linkage[-1, 2]


@pytest.mark.parametrize("least", [1, 5])
@pytest.mark.parametrize("seed", range(3))
def test_cuts_with_noise_are_those_of_hdbscan(seed, least):
    points = sample(seed).round(1)  # many equal distances
    found = fit(points, min_samples=4)
    other = plots.SingleLinkageTree(found.single_linkage_tree_.to_numpy())
    for distance in np.quantile(found.spanning_tree_.distances, [0, 0.3, 0.7, 0.95, 1]):
        labels = found.dbscan_clustering(distance, least)
        expected = other.get_clusters(distance, least)
        np.testing.assert_array_equal(labels < 0, expected < 0)
        assert same_partition(labels, expected)
        firsts = [np.flatnonzero(labels == label)[0] for label in range(labels.max() + 1)]
        assert firsts == sorted(firsts)
    rows = np.insert(points, 4, [np.nan, 0.0], axis=0)
    labels = fit(rows, min_samples=4, nonfinite="label").dbscan_clustering(distance, least)
    assert labels[4] == -3
    np.testing.assert_array_equal(np.delete(labels, 4), found.dbscan_clustering(distance, least))


@pytest.mark.parametrize("options", [{}, {"cluster_selection_method": "leaf"}], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_persistence_and_relative_validity_are_those_of_hdbscan(seed, options):
    points = sample(seed)
    found = fit(points, **options)
    # hdbscan does not count the point itself.
    other = theirs.HDBSCAN(
        8, min_samples=1, gen_min_span_tree=True, approx_min_span_tree=False, **options
    ).fit(points)
    assert same_partition(found.labels_, other.labels_)
    pairs = sorted(set(zip(found.labels_[found.labels_ >= 0], other.labels_[other.labels_ >= 0])))
    expected = other.cluster_persistence_[[label for _, label in pairs]]
    np.testing.assert_allclose(found.cluster_persistence_, expected)
    np.testing.assert_allclose(found.relative_validity_, other.relative_validity_)


def test_the_relative_validity_does_not_depend_on_the_order_of_rows():
    random = np.random.default_rng(0)
    for _ in range(10):
        points = random.integers(0, 5, (50, 2)).astype(float)
        weights, order = random.integers(1, 4, 50), random.permutation(50)
        connectivity = random.random((50, 50)) < 0.6
        for options in ({}, {"connectivity": connectivity}):
            found = HDBSCAN(2, min_samples=2, **options).fit(points, sample_weight=weights)
            if options:
                options = {"connectivity": connectivity[order][:, order]}
            other = HDBSCAN(2, min_samples=2, **options)
            other.fit(points[order], sample_weight=weights[order])
            assert found.relative_validity_ == other.relative_validity_


def test_one_cluster_and_no_cluster_have_a_relative_validity():
    points = np.random.default_rng(0).normal(size=(60, 2))
    options = {"min_cluster_size": 20, "allow_single_cluster": True}
    found = HDBSCAN(min_samples=2, **options).fit(points)
    other = theirs.HDBSCAN(
        min_samples=1, gen_min_span_tree=True, approx_min_span_tree=False, **options
    ).fit(points)
    assert set(found.labels_) == {-1, 0}
    np.testing.assert_allclose(found.relative_validity_, other.relative_validity_)
    with pytest.warns(UserWarning, match="points are noise"):
        assert HDBSCAN(50).fit(points).relative_validity_ == 0


@pytest.mark.parametrize("metric", ["euclidean", "canberra"])
def test_weighted_centers_are_those_of_hdbscan(metric):
    points = np.insert(sample(5), 3, [np.inf, 0.0], axis=0)
    found = HDBSCAN(8, min_samples=4, metric=metric, nonfinite="label").fit(points)
    other = theirs.HDBSCAN(8, metric=metric)
    other.labels_, other.probabilities_ = found.labels_, found.probabilities_
    other._raw_data = points
    for label in range(found.labels_.max() + 1):
        centroid = found.weighted_cluster_centroid(label)
        np.testing.assert_allclose(centroid, other.weighted_cluster_centroid(label))
        medoid = found.weighted_cluster_medoid(label)
        np.testing.assert_array_equal(medoid, other.weighted_cluster_medoid(label))
    with pytest.raises(ValueError, match="cluster_id must be from 0"):
        found.weighted_cluster_centroid(-1)
    with pytest.raises(ValueError, match="need points in host memory"):
        HDBSCAN().fit(found.spanning_tree_).weighted_cluster_medoid(0)


def test_centroids_of_haversine_are_means_on_the_sphere():
    rng = np.random.default_rng(1)
    west, east = rng.normal([10, 180], 0.5, (40, 2)), rng.normal([-60, 20], 0.5, (40, 2))
    west[:, 1] = (west[:, 1] + 180) % 360 - 180  # on both sides of 180 degrees
    found = HDBSCAN(20, min_samples=2, metric="haversine", store_centers="both")
    found.fit(np.concatenate([west, east]))
    assert sorted(set(found.labels_) - {-1}) == [0, 1]
    centers = found.centroids_ % 360
    assert cdist(centers, [[10, 180], [300, 20]]).min(axis=1).max() < 0.5
    assert cdist(found.medoids_ % 360, centers).min(axis=1).max() < 0.5


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_validity_is_that_of_hdbscan(seed, raw):
    points = sample(seed, d=2 + seed)
    labels = fit(points).labels_
    assert labels.max() > 1
    options = {"per_cluster_scores": True, "mst_raw_dist": raw}
    for metric in [
        {},
        {"metric": "manhattan"},
        {"metric": "canberra"},
        {"metric": "minkowski", "p": 3},
    ]:
        named = metric | ({"metric": "cityblock"} if "manhattan" in metric.values() else {})
        expected = theirs.validity_index(points + 30, labels.astype(int), **named, **options)
        functions = [hdbscan.validity_index]
        # Other spanning trees may be chosen.
        functions += [validity_index] * (raw or metric.get("metric") in ("canberra", "minkowski"))
        for function in functions:
            index, clusters = function(points + 30, labels, **metric, **options)
            np.testing.assert_allclose(index, expected[0], rtol=1e-9)
            np.testing.assert_allclose(clusters, expected[1], rtol=1e-9)
    expected = hdbscan.validity_index(points, labels, **options)
    for X in (pdist(points), squareform(pdist(points))):
        found = validity_index(X, labels, "precomputed", points.shape[1], True, raw)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-9)


def test_validity_does_not_depend_on_the_order_of_the_rows():
    points = sample(3)
    labels, order = fit(points).labels_, np.random.default_rng(0).permutation(len(points))
    assert validity_index(points[order], labels[order]) == validity_index(points, labels)
    with pytest.raises(ValueError, match="needs d, the number of dimensions"):
        validity_index(pdist(points), labels, "precomputed")
    with pytest.raises(TypeError, match="labels must be an array"):
        validity_index(points, labels / 2)
