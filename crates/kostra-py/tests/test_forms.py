"""Points and distances in other forms than an array of finite numbers."""

import signal
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.cluster import HDBSCAN as Theirs
from sklearn.datasets import make_blobs

import kostra
from kostra import _metrics
from kostra.cluster import HDBSCAN, FelzenszwalbSegmentation, SingleLinkage


def blobs(n=60, d=2, seed=0):
    return make_blobs(n, d, centers=3, cluster_std=[0.4, 0.7, 1], random_state=seed)[0]


@pytest.mark.parametrize("estimator", [HDBSCAN, SingleLinkage, FelzenszwalbSegmentation])
def test_a_coordinate_that_is_not_finite_is_refused_with_its_place(estimator):
    points = blobs()
    points[5, 0] = np.inf
    for X in (points, pandas.DataFrame(points), points.astype(np.float32).tolist()):
        with pytest.raises(ValueError, match=r"row 5, column 0 \(counted from 0\) is inf; remove"):
            estimator().fit(X)
    points[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"row 3, column 1 \(counted from 0\) is NaN; remove"):
        estimator().fit(points)


@pytest.mark.parametrize("kind", [np.asarray, pandas.DataFrame])
def test_points_that_are_not_finite_have_scikit_learns_labels_on_request(kind):
    points = blobs()
    for row, values in [(3, [0, np.nan]), (7, [np.inf, 0]), (9, [-np.inf, 1]), (20, [np.nan] * 2)]:
        points[row] = values
    found = HDBSCAN(nonfinite="label", store_centers="both").fit(kind(points))
    theirs = Theirs(copy=True).fit(points)
    is_finite = np.isfinite(points).all(axis=1)
    np.testing.assert_array_equal(found.labels_[~is_finite], theirs.labels_[~is_finite])
    assert found.labels_[~is_finite].tolist() == [-3, -2, -2, -3]
    np.testing.assert_array_equal(
        found.probabilities_[~is_finite], theirs.probabilities_[~is_finite]
    )
    assert np.isnan(found.outlier_scores_[~is_finite]).all()
    rest = HDBSCAN(store_centers="both").fit(points[is_finite])
    for name in ("labels_", "probabilities_", "outlier_scores_"):
        np.testing.assert_array_equal(getattr(found, name)[is_finite], getattr(rest, name))
    np.testing.assert_array_equal(found.medoids_, rest.medoids_)
    with pytest.raises(ValueError, match="nonfinite must be 'refuse' or 'label'"):
        HDBSCAN(nonfinite="drop").fit(points)


def test_a_sparse_matrix_of_near_points_is_the_square_with_infinite_distances():
    for seed in range(6):
        points = np.concatenate([blobs(40, seed=seed), [[90.0, 90]]])
        square = squareform(pdist(points))
        near = square <= np.quantile(square, 0.2)
        rows, columns = near.nonzero()
        entries = sparse.csr_array((square[near], (rows, columns)), shape=square.shape)
        options = HDBSCAN(4, min_samples=3, metric="precomputed")
        with pytest.warns(UserWarning, match="infinitely far from all others: .* of 41"):
            found = options.fit(entries)
        expected = HDBSCAN(**options.get_params()).fit(np.where(near, square, np.inf))
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        np.testing.assert_array_equal(found.probabilities_, expected.probabilities_)
        assert found.labels_[-1] == -1 and found.labels_.max() >= 1
        with pytest.raises(ValueError, match="min_samples is 42|from 1 to 41"):
            options.set_params(min_samples=42).fit(entries)
        with pytest.raises(ValueError, match="min_samples is 3, but point 0 has 1 stored entries"):
            options.set_params(min_samples=3).fit(sparse.csr_array((np.zeros(41), [range(41)] * 2)))


@pytest.mark.parametrize("of", ["pandas", "frame", "polars", "list", "array", "arrow", "fixed"])
def test_a_column_of_vectors_is_an_array(of):
    points = blobs(d=4)
    column = {
        "pandas": lambda: pandas.Series(list(points)),
        "frame": lambda: pandas.DataFrame({"embedding": [row.tolist() for row in points]}),
        "polars": lambda: polars.DataFrame({"embedding": points.tolist()}),
        "list": lambda: polars.Series(points.tolist()),
        "array": lambda: polars.Series(points, dtype=polars.Array(polars.Float64, 4)),
        "arrow": lambda: pyarrow.table({"embedding": points.tolist()}),
        "fixed": lambda: pyarrow.FixedSizeListArray.from_arrays(points.reshape(-1), 4),
    }[of]()
    assert kostra.euclidean_mst(column) == kostra.euclidean_mst(points)
    expected = HDBSCAN(store_centers="both").fit(points)
    found = HDBSCAN(store_centers="both").fit(column)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.medoids_, expected.medoids_)
    for estimator in (SingleLinkage(3), FelzenszwalbSegmentation()):
        np.testing.assert_array_equal(
            estimator.fit_predict(column), estimator.fit_predict(points)
        )


def test_vectors_that_are_no_rows_of_an_array_are_refused():
    rows = [np.ones(3), np.ones(3), np.ones(2)]
    for call in (HDBSCAN().fit, kostra.euclidean_mst):
        with pytest.raises(ValueError, match="row 0 of X has 3 coordinates, and row 2 has 2"):
            call(pandas.Series(rows))
        for absent in (None, [1.0, None, 2.0]):
            with pytest.raises(ValueError, match="row 1 of X is no vector.*numpy.stack"):
                call(pandas.Series([np.ones(3), absent, np.ones(3)]))


def test_points_of_geopandas_are_points_in_the_unit_of_their_system():
    geopandas = pytest.importorskip("geopandas")
    from shapely.geometry import Point, Polygon

    degrees = np.column_stack([blobs()[:, 0] / 10 + 14.4, blobs()[:, 1] / 10 + 50.1])
    frame = geopandas.GeoDataFrame(
        {"name": ["x"] * 60}, geometry=[Point(*row) for row in degrees], crs=4326
    )
    for geometry in (frame, frame.geometry):
        expected = kostra.euclidean_mst(degrees[:, ::-1], metric="haversine")
        assert kostra.euclidean_mst(geometry, metric="haversine") == expected
        labels = HDBSCAN(metric="haversine").fit_predict(geometry)
        np.testing.assert_array_equal(
            labels, HDBSCAN(metric="haversine").fit_predict(degrees[:, ::-1])
        )
        with pytest.raises(ValueError, match=r"longitudes and latitudes; pass metric='haversine'"):
            HDBSCAN().fit(geometry)
        plane = geometry.to_crs(geometry.estimate_utm_crs())
        positions = np.column_stack([plane.geometry.x, plane.geometry.y])
        assert kostra.euclidean_mst(plane) == kostra.euclidean_mst(positions)
        with pytest.raises(ValueError, match=r"metric='haversine' needs .* pass X.to_crs\(4326\)"):
            kostra.euclidean_mst(plane, metric="haversine")
    for shape, error in [(Polygon([(0, 0), (1, 0), (0, 1)]), TypeError), (None, ValueError)]:
        with pytest.raises(error, match="row 1 of X (is a Polygon|has no point)"):
            kostra.euclidean_mst(geopandas.GeoSeries([Point(0, 0), shape]))


def test_n_jobs_is_the_number_of_threads_of_scikit_learn():
    expected = HDBSCAN().fit_predict(blobs())
    for jobs in (None, 1, 2, -1, -2, -100):
        np.testing.assert_array_equal(HDBSCAN(n_jobs=jobs).fit_predict(blobs()), expected)
    with pytest.raises(ValueError, match="threads and n_jobs mean the same"):
        HDBSCAN(n_jobs=1, threads=1).fit(blobs())
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        HDBSCAN(n_jobs=0).fit(blobs())


def test_noise_only_is_a_warning_that_says_what_to_try():
    with pytest.warns(UserWarning, match="all 6 points are noise; pass a smaller") as caught:
        HDBSCAN().fit_predict(np.arange(6.0).reshape(-1, 1))
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HDBSCAN().fit(blobs())


def test_halves_are_points_and_pixels():
    points = blobs().astype(np.float16)
    wide = points.astype(np.float32)
    assert kostra.euclidean_mst(points) == kostra.euclidean_mst(wide)
    np.testing.assert_array_equal(HDBSCAN().fit_predict(points), HDBSCAN().fit_predict(wide))
    np.testing.assert_array_equal(kostra.grid(points).weights, kostra.grid(wide).weights)


def test_an_image_whose_channels_may_be_first_is_asked_about():
    image = np.random.default_rng(0).random((7, 9, 3))
    planes = np.moveaxis(image, -1, 0)
    expected = kostra.grid(image, 4)
    with pytest.raises(ValueError, match=r"does the first or the last .* pass channels='first' or"):
        kostra.grid(planes, 4)
    found = kostra.grid(planes, 4, channels="first")
    assert found.n == expected.n == 63
    np.testing.assert_array_equal(found.weights, expected.weights)
    assert kostra.grid(planes, 4, channels="last").n == 21
    assert kostra.grid(image, 4, channels="last").n == 63
    assert kostra.grid(planes, 6).n == 189
    volume = np.stack([image] * 5)
    found = kostra.grid(np.moveaxis(volume, -1, 0), 6, channels="first")
    np.testing.assert_array_equal(found.weights, kostra.grid(volume, 6).weights)
    with pytest.raises(ValueError, match="no channels; leave channels out"):
        kostra.grid(image[..., 0], channels="first")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_segments_end_at_ctrl_c():
    graph = kostra.grid(np.random.default_rng(0).random((1500, 1500)))

    def press(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, press)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        with pytest.raises(KeyboardInterrupt):
            kostra.segment(graph, scale=1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


BITS = ["dice", "hamming", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"]


@pytest.mark.parametrize("columns", [1, 64, 130])
@pytest.mark.parametrize("metric", BITS)
def test_distances_of_bits_are_those_of_scipy(metric, columns):
    bits = np.random.default_rng(columns).random((40, columns)) < 0.3
    bits[bits.sum(axis=1) == 0, 0] = True
    square = squareform(pdist(bits, metric))
    for samples in (1, 5):
        expected = kostra.single_linkage(square, metric="precomputed", min_samples=samples)
        for X in (bits, bits.astype(np.uint8), bits.astype(float)):
            for threads in (1, 3):
                found = kostra.single_linkage(
                    X, metric=metric, min_samples=samples, threads=threads
                )
                np.testing.assert_array_equal(found, expected)
    for other, name in [("matching", "hamming"), ("sokalmichener", "rogerstanimoto")]:
        assert kostra.euclidean_mst(bits, metric=other) == kostra.euclidean_mst(bits, metric=name)


def test_rows_of_zeros_have_the_distances_of_scipy_or_none():
    bits = np.eye(6, dtype=bool)
    bits[1] = bits[4] = False
    for metric in ("hamming", "jaccard", "rogerstanimoto", "russellrao", "yule"):
        square = cdist(bits, bits, metric) * ~np.eye(6, dtype=bool)
        expected = kostra.single_linkage(square, metric="precomputed")
        np.testing.assert_array_equal(kostra.single_linkage(bits, metric=metric), expected)
    for metric in ("dice", "sokalsneath"):
        with pytest.raises(ValueError, match=r"two rows of zeros, such as X\[1\] and X\[4\]"):
            kostra.euclidean_mst(bits, metric=metric)
    with pytest.raises(ValueError, match=r"compares zeros and ones, but X\[0, 1\] is 2.0"):
        kostra.euclidean_mst([[0, 2], [1, 1]], metric="jaccard")


FORMS = ["points", "square", "condensed", "sparse", "neighbors"]


def in_form(points, metric, form):
    """The points, or their distances, each computed in one way for both orders of its points."""
    if form == "points":
        return points, metric
    square = squareform(pdist(points, metric)).clip(0)
    if form == "condensed":
        return squareform(square, checks=False), "precomputed"
    if form == "sparse":  # some pairs are missing, and so infinitely far
        near = square <= np.quantile(square, 0.7)
        rows, columns = near.nonzero()
        return sparse.csr_array((square[near], (rows, columns)), square.shape), "precomputed"
    if form == "neighbors":  # whole rows, because the last of fewer neighbors may be tied
        order = np.argsort(square, axis=1)
        return (order, np.take_along_axis(square, order, axis=1)), "precomputed"
    return square, "precomputed"


@pytest.mark.filterwarnings("ignore:all .* points are noise", "ignore:points with fewer")
@pytest.mark.parametrize("form", FORMS)
# SciPy's jensenshannon rounds differently in the other order of its points.
@pytest.mark.parametrize("metric", [name for name in _metrics.SCIPY if name != "jensenshannon"])
def test_rows_in_another_order_have_permuted_clusters_for_every_metric(metric, form):
    random = np.random.default_rng(len(metric))
    for n in (9, 40):
        if metric in _metrics.BOOLEAN or metric == "hamming":
            points = random.random((n, 7)) < 0.4
            points[~points.any(axis=1), 0] = True
        else:
            points = random.integers(1, 6, (n, 4)).astype(float)
            points[:, 0] += np.arange(n) % 3 == 0  # rows of equal numbers have no correlation
            points[:, 1] += (points == points[:, :1]).all(axis=1)
        order = random.permutation(n)
        found = []
        for rows in (points, points[order]):
            X, name = in_form(rows, metric, form)
            found.append(HDBSCAN(3, min_samples=3, metric=name).fit(X))
        first, second = found
        pairs = set(zip(first.labels_[order].tolist(), second.labels_.tolist()))
        assert len(pairs) == len(set(first.labels_)) == len(set(second.labels_))
        np.testing.assert_array_equal(first.labels_[order] < 0, second.labels_ < 0)
        if form == "points":
            np.testing.assert_array_equal(first.labels_[order], second.labels_)
        np.testing.assert_array_equal(first.probabilities_[order], second.probabilities_)
        np.testing.assert_array_equal(first.outlier_scores_[order], second.outlier_scores_)


@pytest.mark.parametrize("seed", range(8))
def test_clusters_are_scikit_learns_if_no_mutual_reachability_distances_are_equal(seed):
    points = blobs(200, seed=seed)
    assert len(set(pdist(points))) == len(pdist(points))
    theirs = Theirs(min_samples=2, copy=True).fit(points)
    # With two samples, mutual reachability distances are the distances.
    for ties in ("together", "scikit-learn"):
        found = HDBSCAN(min_samples=2, ties=ties).fit(points)
        pairs = set(zip(found.labels_.tolist(), theirs.labels_.tolist()))
        assert len(pairs) == len(set(found.labels_)) == len(set(theirs.labels_))
        assert (-1, -1) in pairs or (theirs.labels_ >= 0).all()
        np.testing.assert_allclose(found.probabilities_, theirs.probabilities_, rtol=1e-9)
    np.testing.assert_array_equal(found.labels_, theirs.labels_)  # the numbers of the last one


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "double[pyarrow]", "int32[pyarrow]"])
def test_nullable_columns_and_those_of_arrow_are_coordinates(dtype):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    numbers = np.random.default_rng(4).integers(0, 50, (40, 2))
    frame = pandas.DataFrame(numbers, columns=["x", "y"])
    mixed = frame.astype({"x": dtype})
    expected = kostra.euclidean_mst(numbers.astype(float))
    for values in (frame.astype(dtype), mixed):
        tree = kostra.euclidean_mst(values)
        assert np.array_equal(tree.to_numpy(), expected.to_numpy())
        assert kostra.single_linkage(values).tolist() == kostra.single_linkage(expected).tolist()
        labels = kostra.cluster.SingleLinkage(n_clusters=3).fit_predict(values)
        assert labels.tolist() == kostra.cut(expected, k=3).tolist()
    holes = frame.astype(dtype)
    holes.loc[3, "y"] = pandas.NA
    with pytest.raises(ValueError, match=r"row 3, column 1 \(counted from 0\) is NaN"):
        kostra.euclidean_mst(holes)


def test_wide_integers_beside_missing_values_are_refused():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": pandas.array([2**53 + 1, None], "Int64")})
    with pytest.raises(ValueError, match="column 0 of X contains an integer that a float would"):
        kostra.euclidean_mst(frame)


def test_an_index_of_edges_names_reset_index():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"source": [0, 1], "target": [1, 2], "weight": [3, 4]})
    indexed = frame.set_index(["source", "target"])
    message = "its index has the levels 'source', 'target', so pass table.reset_index"
    with pytest.raises(ValueError, match=message):
        kostra.Graph.from_table(indexed)
    assert kostra.Graph.from_table(indexed.reset_index()) == kostra.Graph.from_table(frame)


def test_the_error_of_too_few_samples_is_public():
    with pytest.raises(kostra.SamplesError, match="min_samples must be from 1 to 2"):
        kostra.euclidean_mst([[0.0], [1.0]], min_samples=3)
