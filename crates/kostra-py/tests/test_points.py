"""Trees of points and of distances, grids and segments, beside SciPy and plain definitions."""

import itertools
import pickle
import warnings

import numpy as np
import PIL.Image
import pytest
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

import kostra


def cloud(n=120, d=2, seed=1):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev", "cosine"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_tree_has_the_distances_of_scipys(metric, dtype):
    points = cloud(d=3).astype(dtype)
    tree = kostra.euclidean_mst(points, metric=metric)
    linkage = hierarchy.linkage(pdist(points.astype(np.float64), metric), "single")
    np.testing.assert_allclose(tree.distances, linkage[:, 2], rtol=1e-9, atol=1e-12)
    assert tree.n_components == 1 and tree.edges.shape == (119, 2)
    assert (tree.edges[:, 0] < tree.edges[:, 1]).all()


def test_haversine_takes_degrees_and_gives_meters():
    tree = kostra.euclidean_mst([[0.0, 0.0], [0.0, 90.0]], metric="haversine")
    np.testing.assert_allclose(tree.distances, 6_371_008.7714 * np.pi / 2)
    with pytest.warns(UserWarning, match="needs degrees") as caught:
        kostra.euclidean_mst([[0.1, 0.2], [0.3, -3.1]], metric="haversine")
    assert caught[0].filename == __file__


def test_the_tree_is_a_forest_that_can_be_cut_plotted_and_pickled():
    points = np.array([[0.0], [1.0], [10.0], [11.5]])
    tree = kostra.euclidean_mst(points, threads=1)
    assert isinstance(tree, kostra.Forest) and tree.total_weight == 11.5
    np.testing.assert_array_equal(kostra.cut(tree, k=2), [0, 0, 1, 1])
    np.testing.assert_array_equal(tree.edges, [[0, 1], [2, 3], [1, 2]])
    copy = pickle.loads(pickle.dumps(tree))
    assert copy == tree and type(copy) is kostra.PointTree
    np.testing.assert_array_equal(copy.distances, tree.distances)


def joined_neighbors(points, k):
    """The tree of nearest neighbors by its definition: Kruskal's algorithm, neighbors first."""
    n, distances = len(points), squareform(pdist(points))
    order = np.argsort(distances + np.diag(np.full(n, np.inf)), axis=1, kind="stable")
    nearest = np.zeros((n, n), bool)
    np.put_along_axis(nearest, order[:, :k], True, axis=1)
    nearest |= nearest.T
    pairs = sorted((distances[u, v], u, v) for u, v in itertools.combinations(range(n), 2))
    component, found = list(range(n)), []
    for only_neighbors in (True, False):
        for pair in pairs:
            _, u, v = pair
            a, b = component[u], component[v]
            if a != b and (nearest[u, v] or not only_neighbors):
                component = [a if c == b else c for c in component]
                found.append(pair)
    return [[u, v] for _, u, v in sorted(found)]


@pytest.mark.parametrize("k", [1, 2, 5, 39])
def test_components_of_neighbors_are_joined_by_the_shortest_links(k):
    for seed in range(10):
        points = cloud(n=40, seed=seed)
        tree = kostra.neighbors_mst(points, k)
        np.testing.assert_array_equal(tree.edges, joined_neighbors(points, k))
        lengths = np.linalg.norm(points[tree.edges[:, 0]] - points[tree.edges[:, 1]], axis=1)
        np.testing.assert_allclose(tree.distances, lengths)
    assert kostra.neighbors_mst(points, 39) == kostra.euclidean_mst(points)


@pytest.mark.parametrize("k", [0, 3, -1])
def test_numbers_of_neighbors_that_do_not_exist_are_refused(k):
    with pytest.raises(ValueError, match="n_neighbors"):
        kostra.neighbors_mst([[0.0], [1.0], [2.0]], k)
    with pytest.raises(TypeError, match="n_neighbors"):
        kostra.neighbors_mst([[0.0], [1.0], [2.0]], None)
    with pytest.raises(ValueError, match="one point"):
        kostra.neighbors_mst([[0.0]], k)


def test_mutual_reachability_counts_the_point_itself():
    tree = kostra.euclidean_mst([[0.0], [1.0], [3.0]], min_samples=2)
    np.testing.assert_array_equal(tree.distances, [1.0, 2.0])
    tree = kostra.euclidean_mst([[0.0], [1.0], [3.0]], min_samples=3)
    np.testing.assert_array_equal(tree.distances, [3.0, 3.0])


@pytest.mark.parametrize(
    "points, options, message",
    [
        (np.empty((0, 2)), {}, "no points"),
        (np.empty((3, 0)), {}, "no columns"),
        ([1.0, 2.0], {}, "one row per point"),
        ([[1.0, 2.0], [3.0]], {}, "X cannot be converted"),
        ([[1.0], [np.nan]], {}, "row 1, column 0"),
        ([[1.0], [np.inf]], {}, "row 1, column 0"),
        ([[1.0], [2.0]], {"min_samples": 3}, "min_samples must be from 1 to 2, not 3"),
        ([[1.0], [2.0]], {"min_samples": 0}, "min_samples must be from 1"),
        ([[1.0], [2.0]], {"metric": "nearest"}, "metric must be one of"),
        ([[10.0], [20.0]], {"metric": "haversine"}, "2 coordinates"),
        ([[91.0, 0.0], [2.0, 0.0]], {"metric": "haversine"}, "latitude"),
        ([[0.0, 0.0], [1.0, 0.0]], {"metric": "cosine"}, "only zeros"),
    ],
)
def test_bad_points_are_refused_in_pythons_terms(points, options, message):
    with pytest.raises(ValueError, match=message):
        kostra.euclidean_mst(points, **options)


def test_other_types_of_points_are_refused():
    with pytest.raises(TypeError, match="integers or floats"):
        kostra.euclidean_mst([["a"], ["b"]])
    with pytest.raises(ValueError, match="masked"):
        kostra.euclidean_mst(np.ma.array([[1.0], [2.0]], mask=[[1], [0]]))
    for odd in ([[1j], [2]], np.array([["1"], ["2"]], object), np.zeros((2, 1), np.longdouble)):
        with pytest.raises(TypeError, match="integers or floats"):
            kostra.euclidean_mst(odd)
    with pytest.raises(TypeError, match=r"sparse matrix; pass X.toarray\(\)"):
        kostra.euclidean_mst(sparse.eye(3))
    np.testing.assert_array_equal(kostra.euclidean_mst([[1], [4]]).distances, [3.0])


@pytest.mark.parametrize(
    "points",
    [
        [[1, 2], [3, 2**53 + 1]],
        [[1, 2], [3, -(2**53) - 1]],
        np.array([[1, 2], [3, 2**64 - 1]], np.uint64),
        [[0.5, 2], [3, 2**53 + 1]],
    ],
)
def test_integers_that_a_float_would_round_are_refused(points):
    with pytest.raises(ValueError, match=r"X\[1, 1\] is -?\d+, which a float would round"):
        kostra.euclidean_mst(points)
    assert len(kostra.euclidean_mst([[2**53], [2**60]])) == 1


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_with_the_longitude_first_are_refused(library):
    table = pytest.importorskip(library).DataFrame
    places = {"stop_lon": [14.42, 16.61], "stop_lat": [50.09, 49.20]}
    for call in (kostra.euclidean_mst, kostra.single_linkage):
        with pytest.raises(ValueError, match=r"pass X\[\['stop_lat', 'stop_lon'\]\]"):
            call(table(places), metric="haversine")
    with pytest.warns(UserWarning, match="metric='haversine'"):
        assert len(kostra.euclidean_mst(table(places))) == 1
    turned = table(places)[["stop_lat", "stop_lon"]]
    assert len(kostra.euclidean_mst(turned, metric="haversine")) == 1
    with pytest.raises(ValueError, match="choose two others"):
        kostra.euclidean_mst(table({"lat1": [1], "lat2": [2]}), metric="haversine")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_with_a_column_that_is_no_coordinate_are_refused(library):
    module = pytest.importorskip(library)
    table = module.table if library == "pyarrow" else module.DataFrame
    places = table({"stop_id": [7, 8], "x": [1.0, 2.0], "y": [3.0, 4.0]})
    neighbors = lambda X: kostra.nearest_neighbors(X, 1)  # noqa: E731
    for call in (kostra.euclidean_mst, kostra.single_linkage, neighbors):
        with pytest.raises(ValueError, match=r"is column 'stop_id' .* X\[\['x', 'y'\]\]"):
            call(places)
    assert len(kostra.euclidean_mst(np.asarray(places))) == 1
    assert len(kostra.euclidean_mst(table({"x": [1.0, 2.0], "y": [3.0, 4.0]}))) == 1


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_with_times_are_refused(library):
    table = pytest.importorskip(library).DataFrame
    for times in (np.array([5, 6], "datetime64[ms]"), np.array([5, 6], "m8[ms]")):
        with pytest.raises(TypeError, match="column 'hour' of X contains times"):
            kostra.euclidean_mst(table({"x": [1.0, 2.0], "hour": times}))


def test_single_linkage_of_points_and_of_distances_is_scipys():
    points = cloud(80, 3)
    expected = hierarchy.linkage(points, "single")
    condensed = pdist(points)
    forms = {
        "points": (points, "euclidean"),
        "condensed": (condensed, "euclidean"),
        "square": (squareform(condensed), "precomputed"),
        "sparse": (sparse.csr_array(squareform(condensed)), "precomputed"),
        "forest": (kostra.euclidean_mst(points), "euclidean"),
    }
    for name, (form, metric) in forms.items():
        found = kostra.single_linkage(form, metric=metric)
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    "distances, message",
    [
        (np.zeros(4), "condensed vector"),
        (np.zeros((2, 3)), "square matrix"),
        (np.zeros((0, 0)), "square matrix"),
        (np.array([[0.0, 1.0], [2.0, 0.0]]), r"X\[0, 1\] is 1.0 and X\[1, 0\] is 2.0"),
        (np.array([[0.0, np.nan], [np.nan, 0.0]]), r"X\[0, 1\] is NaN"),
        (np.array([1.0, np.nan, 2.0]), r"X\[1\] is NaN; pass distances of at least 0"),
        (np.array([1.0, 2.0, -3.0]), r"X\[2\] is the negative distance -3.0"),
        (np.array([[0.0, -1.0], [-1.0, 0.0]]), r"X\[0, 1\] is the negative distance"),
        (np.array([[1.0, 0.5], [0.5, 1.0]]), r"X\[0, 0\] is 1.0, .* not similarities"),
        (np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), r"X\[1\] is masked"),
        (np.array([1, 2, 2**53 + 1]), r"X\[2\] is \d+, which a float would round"),
        (sparse.csr_array(np.array([[0.0, -1.0], [0.0, 0.0]])), "negative distance"),
        (sparse.csr_array((2, 3)), "square matrix"),
        (sparse.csr_array(np.array([[0.0, np.nan], [0.0, 0.0]])), r"X.data\[0\] is NaN; pass dist"),
    ],
)
def test_bad_distances_are_refused(distances, message):
    with pytest.raises(ValueError, match=message):
        kostra.single_linkage(distances, metric="precomputed")


def test_distances_that_are_no_numbers_are_refused():
    for odd in (np.array([1j]), np.array(["1"]), np.array([1], object)):
        with pytest.raises(TypeError, match="integers or floats"):
            kostra.single_linkage(odd)


def test_an_infinite_distance_joins_last():
    square = squareform(pdist(np.array([[0.0], [1], [10], [12]])))
    square[square > 5] = np.inf
    linkage = kostra.single_linkage(square, metric="precomputed")
    assert linkage[:, 2].tolist() == [1, 2, np.inf]
    sparser = sparse.csr_array(np.where(np.isinf(square), 0, square))
    np.testing.assert_array_equal(
        kostra.single_linkage(sparser, metric="precomputed", join=np.inf), linkage
    )


def test_a_metric_without_effect_is_refused():
    with pytest.raises(ValueError, match="a forest already has its distances.*leave metric out"):
        kostra.single_linkage(kostra.euclidean_mst([[0.0], [1.0]]), metric="cosine")
    with pytest.raises(ValueError, match="a vector contains distances.*leave metric out"):
        kostra.single_linkage(np.array([1.0]), metric="cosine")


@pytest.mark.parametrize("shape", [(3, 4), (1, 5), (2, 3, 4)])
def test_a_grid_joins_the_neighbors_of_the_definition(shape):
    array = np.random.default_rng(3).integers(0, 9, shape)
    near, far = (4, 8) if len(shape) == 2 else (6, 26)
    places = list(np.ndindex(*shape))
    for connectivity in (near, far):
        graph = kostra.grid(array, connectivity)
        expected = {}
        for a, b in itertools.combinations(range(len(places)), 2):
            steps = np.abs(np.subtract(places[a], places[b]))
            if steps.max() <= 1 and (connectivity == far or steps.sum() == 1):
                expected[a, b] = abs(array[places[a]] - array[places[b]])
        assert list(zip(graph.u.tolist(), graph.v.tolist())) == list(expected)
        assert graph.weights.tolist() == list(expected.values())


def test_a_grid_of_colors_has_their_euclidean_distance():
    image = np.array([[[0, 0], [3, 4]]], np.uint8)
    assert kostra.grid(image, 8).weights.tolist() == [5.0]
    assert kostra.grid(image.astype(np.int64), 4).weights.dtype == np.float64


def test_a_callable_gives_the_weights_of_a_grid():
    heights = np.array([[1.0, 5.0], [2.0, 0.0]])
    graph = kostra.grid(heights, weight=np.maximum)
    assert graph.weights.tolist() == [5.0, 2.0, 5.0, 2.0]
    colors = np.arange(12).reshape(2, 2, 3)
    graph = kostra.grid(colors, 4, weight=lambda a, b: np.abs(a - b).max(axis=1))
    assert graph.weights.tolist() == [3, 6, 6, 3]
    for dtype, highest in ((np.uint8, 255), (np.int16, 32767), (np.uint32, 2**32 - 1)):
        image = np.array([[0, highest, 1]], dtype)  # the differences are not wrapped around
        graph = kostra.grid(image, weight=lambda a, b: np.abs(a - b))
        assert graph.weights.tolist() == [highest, highest - 1]


@pytest.mark.parametrize(
    "array, options, error, message",
    [
        (np.zeros((2, 2)), {"connectivity": 5}, ValueError, "4, 8, 6 or 26"),
        (np.zeros(4), {}, ValueError, "needs an array of 2 dimensions"),
        (np.zeros((2, 2)), {"connectivity": 6}, ValueError, "needs an array of 3 dimensions"),
        (np.zeros((5, 4, 3)), {}, ValueError, "an image with channels or a volume?"),
        (np.ma.array([[1, 2]], mask=[[0, 1]]), {}, ValueError, r"array\[0, 1\] is masked"),
        (np.array([[1j, 2]]), {}, TypeError, "integers or floats"),
        (np.array([[2**53 + 1, 2]]), {}, ValueError, "would round"),
        (np.zeros((2, 2)), {"threads": 2}, ValueError, "threads has an effect only"),
        (np.array([[0.0, np.nan]]), {}, ValueError, r"at \[0, 1\], .* replace it"),
        (np.array([["a", "b"]]), {}, TypeError, "integers or floats"),
        (np.zeros((2, 2)), {"weight": "product"}, ValueError, "'difference' or a callable"),
        (np.zeros((2, 2)), {"weight": np.zeros(4)}, ValueError, "'difference' or a callable"),
        (PIL.Image.new("P", (2, 2)), {}, ValueError, r"a palette, .*; pass array.convert\("),
        (np.zeros((2, 2)), {"weight": lambda a, b: a[:2]}, ValueError, "4 weights"),
        (np.zeros((2, 2)), {"weight": lambda a, b: a + np.nan}, ValueError, "NaN"),
    ],
)
def test_bad_grids_are_refused(array, options, error, message):
    with pytest.raises(error, match=message):
        kostra.grid(array, **options)


def test_segments_of_an_image_are_its_regions():
    image = np.zeros((20, 30))
    image[:, 15:] = 100
    image[5:8, 5:8] = 50
    image += np.random.default_rng(5).random(image.shape)
    labels = kostra.segment(kostra.grid(image, 8), scale=20, min_size=5).reshape(image.shape)
    regions = np.where(image < 25, 0, np.where(image > 75, 1, 2))
    assert len(set(zip(labels.flat, regions.flat))) == 3 == labels.max() + 1
    with pytest.raises(ValueError, match="scale must be at least 0"):
        kostra.segment(kostra.grid(image), scale=-1)
    with pytest.raises(TypeError, match="kostra.grid"):
        kostra.segment(image, scale=1)


def test_latitudes_without_the_metric_of_the_earth_are_a_warning():
    pandas = pytest.importorskip("pandas")
    places = pandas.DataFrame({"stop_lat": [49.2, 50.1], "stop_lon": [16.6, 14.4]})
    with pytest.warns(UserWarning, match="pass metric='haversine' for distances in meters"):
        kostra.euclidean_mst(places)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kostra.euclidean_mst(places.to_numpy())
        kostra.euclidean_mst(places, metric="haversine")
        kostra.euclidean_mst(places.rename(columns={"stop_lat": "y", "stop_lon": "x"}))
