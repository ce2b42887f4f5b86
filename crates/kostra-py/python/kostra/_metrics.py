"""Metrics: those of the engine, those of SciPy, and callables."""

import difflib
import numbers

import numpy as np

from kostra import _arrays, _kostra, _optional, _weights

#: The names of the engine's metrics, with those of scikit-learn and SciPy that mean the same.
METRICS = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "l1": "manhattan",
    "chebyshev": "chebyshev",
    "infinity": "chebyshev",
    "haversine": "haversine",
    "haversine_radians": "haversine_radians",
    "cosine": "cosine",
    "arccos": "arccos",
}

#: The engine's metrics of coordinates in one unit.
_OF_PLANE = ("euclidean", "manhattan", "chebyshev")

#: Metrics of :func:`scipy.spatial.distance.cdist` for points of zeros and ones, which SciPy would
#: make of other numbers.
BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")

#: Other names of metrics, which scikit-learn and older versions of SciPy have.
_ALIASES = {"matching": "hamming", "sokalmichener": "rogerstanimoto"}

#: Metrics of zeros and ones that have no value for two rows of zeros.
_WITHOUT_EMPTY = ("dice", "sokalsneath")

#: The other metrics of SciPy that have no parameters.
SCIPY = (
    "braycurtis",
    "canberra",
    "correlation",
    "hamming",
    "jensenshannon",
    "sqeuclidean",
    *BOOLEAN,
)

#: Metrics that are Euclidean distances of mapped points.
_MAPPED = ("seuclidean", "mahalanobis")

#: Names of Minkowski's metric.
_MINKOWSKI = ("minkowski", "p")

#: The names of all metrics but ``"precomputed"``.
_ALL = (*METRICS, *SCIPY, *_MAPPED, *_MINKOWSKI)

#: Rounding may make the distance of two equal points negative.
_ROUNDING = 1e-12


def engine(metric):
    """The engine's name of a metric; refuses others."""
    name = METRICS.get(metric) if isinstance(metric, str) else None
    if name is None:
        raise ValueError(
            f"metric must be one of {_listed(METRICS)} here, not {metric!r}"
            f"{_suggestion(metric, METRICS)}"
        )
    return name


def _suggestion(metric, known):
    """The name that is probably meant, to end a sentence."""
    close = difflib.get_close_matches(metric, known, 1) if isinstance(metric, str) else []
    return f", did you mean {close[0]!r}?" if close else ""


def resolve(metric, params=None):
    """The engine's name of a metric, or a function that makes its :class:`Rows` of points. Points of
    metrics in ``_MAPPED`` must have been mapped by :func:`linear_map`.
    """
    params = {} if params is None else dict(params)
    if callable(metric):
        return lambda points: CallableRows(metric, points, params)
    if not isinstance(metric, str) or metric not in (*_ALL, *_ALIASES):
        raise ValueError(
            f"metric must be one of {_listed(_ALL)} or a callable, not {metric!r}"
            f"{_suggestion(metric, (*_ALL, 'precomputed'))}; "
            "compute other distances yourself and pass them with metric='precomputed' to "
            "kostra.single_linkage or an estimator of kostra.cluster"
        )
    if metric in _MINKOWSKI:
        metric, params = _minkowski(params)
    if metric in _MAPPED:
        return "euclidean"
    if metric in METRICS:
        if params:
            raise ValueError(f"metric={metric!r} has no parameter {next(iter(params))!r}")
        return METRICS[metric]
    named = _ALIASES.get(metric, metric)
    return lambda points: _named_rows(named, points, params)


def _minkowski(params):
    """The metric with the parameter ``p`` of Minkowski's, and the other parameters."""
    others = dict(params)
    p = others.pop("p", 2)
    if isinstance(p, bool) or not isinstance(p, numbers.Real) or not p >= 1:
        raise ValueError(f"p of the metric 'minkowski' must be a number of at least 1, not {p!r}")
    names = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}
    if p in names and not others:
        return names[p], others
    return "minkowski", params | {"p": p}


def linear_map(metric, params, points, weights=None):
    """What maps points that count as several with ``weights`` so that their Euclidean distances are
    those of a metric: a matrix, or an array of factors; None for other metrics. It does not depend
    on the order of the points, and equal points are the same as one that counts as many.
    """
    if not isinstance(metric, str) or metric not in _MAPPED:
        return None
    params = {} if params is None else dict(params)
    columns = points.shape[1]
    points, counts = _different(points, weights)
    if metric == "seuclidean":
        variances = params.pop("V", None)
        if variances is None:
            apart = points - np.average(points, axis=0, weights=counts)
            variances = counts @ apart**2 / max(1, counts.sum() - 1)
        variances = np.asarray(variances, np.float64)
        if variances.shape != (columns,) or not (variances > 0).all():
            raise ValueError(f"V must be an array of {columns} variances above 0")
        found = 1 / np.sqrt(variances)
    else:
        covariance, inverse = params.pop("V", None), params.pop("VI", None)
        if covariance is None and inverse is None:
            covariance = np.atleast_2d(np.cov(points, rowvar=False, fweights=counts))
        try:
            inverse = np.linalg.inv(covariance) if inverse is None else np.asarray(inverse, float)
            found = np.linalg.cholesky((inverse + inverse.T) / 2)
        except (np.linalg.LinAlgError, ValueError):
            found = np.empty((0, 0))
        if found.shape != (columns, columns):
            raise ValueError(
                f"mahalanobis distances need a positive definite matrix of {columns} by {columns}; "
                "pass it as VI in metric_params, or remove columns that depend on others"
            )
    if params:
        raise ValueError(f"metric={metric!r} has no parameter {next(iter(params))!r}")
    return found


def _different(points, weights):
    """The different points in the order of their coordinates, and how many there are of each."""
    order = np.lexsort(points.T[::-1])
    points = points[order].astype(np.float64)
    is_first = np.ones(len(points), bool)
    is_first[1:] = (points[1:] != points[:-1]).any(axis=1)
    counts = np.ones(len(points), np.int64) if weights is None else weights[order].astype(np.int64)
    firsts = np.flatnonzero(is_first)
    return points[firsts], np.add.reduceat(counts, firsts)


def mapped(points, by):
    """Points after a :func:`linear_map`. Each row is computed by itself, so that equal rows have
    equal results.
    """
    if by is None:
        return points
    points = points.astype(np.float64)
    if by.ndim == 1:
        return points * by
    return sum(points[:, [k]] * by[k] for k in range(len(by)))


def divides(metric, alpha):
    """Whether the engine divides distances by ``alpha``, for a result of :func:`resolve`."""
    return metric in ("euclidean", "manhattan", "chebyshev", "cosine") and (
        2.0**-30 <= alpha <= 2.0**30
    )


def takes_sparse_rows(metric, params):
    """Whether the engine compares sparse rows by a metric."""
    is_mapped = isinstance(metric, str) and metric in _MAPPED
    return not is_mapped and resolve(metric, params) in ("euclidean", "cosine")


def _named_rows(metric, points, params):
    """The rows of a metric of SciPy. Hamming distances of zeros and ones count bits, too."""
    is_of_bits = metric in BOOLEAN or metric == "hamming" and ((points == 0) | (points == 1)).all()
    return (BitRows if is_of_bits else ScipyRows)(metric, points, params)


def _listed(names):
    return ", ".join(map(repr, names))


class Rows:
    """The distances of one point to all points, for the search by Prim's algorithm.

    The distance of two points is that of the lower one to the higher one.
    """

    def __init__(self, points):
        self.points = np.array(points, np.float64, order="C")
        self.points.flags.writeable = False
        self.n = len(points)

    def tree(self, min_samples, threads, alpha=1.0, weights=None):
        """The engine's spanning tree, found on one thread, and the core distances. Distances, but
        not core distances, are divided by ``alpha``.
        """
        cores = None
        if min_samples > 1:
            rows = (self.all(point) for point in range(self.n))
            cores = np.array([_weights.nth(row, min_samples, weights) for row in rows])
        tree = _kostra.tree_of_rows(self.n, cores, lambda point: self.next(point) / alpha)
        return tree, np.zeros(self.n) if cores is None else cores

    def all(self, point):
        """The distances of a point to all points; 0 to itself."""
        raise NotImplementedError

    def next(self, point):
        """The distances of the next point of the tree; only those to points that are not in the
        tree are read.
        """
        raise NotImplementedError


class ScipyRows(Rows):
    """Distances by a named metric of SciPy."""

    def __init__(self, metric, points, params=None):
        super().__init__(points)
        cdist = _optional.module("scipy.spatial.distance", f"metric={metric!r}").cdist
        self.metric = metric
        self.cdist = lambda a, b: cdist(a, b, metric, **(params or {}))

    def all(self, point):
        own, row = self.points[point : point + 1], np.zeros(self.n)
        with np.errstate(all="ignore"):  # the results are checked
            if point > 0:
                row[:point] = self.cdist(self.points[:point], own)[:, 0]
            if point + 1 < self.n:
                row[point + 1 :] = self.cdist(own, self.points[point + 1 :])[0]
        row[(row < 0) & (row > -_ROUNDING)] = 0
        wrong = ~(np.isfinite(row) & (row >= 0))
        if wrong.any():
            low, high = sorted((point, int(wrong.argmax())))
            raise ValueError(
                f"metric={self.metric!r} gives the distance {row[wrong][0]} for X[{low}] and "
                f"X[{high}]; remove one of these points, or choose another metric"
            )
        return row

    next = all


class BitRows(ScipyRows):
    """Distances of points of zeros and ones. The engine counts the bits for the tree."""

    def __init__(self, metric, points, params=None):
        super().__init__(metric, points, params)
        self.has_params = bool(params)
        others = (self.points != 0) & (self.points != 1)
        if others.any():
            row, column = np.argwhere(others)[0]
            raise ValueError(
                f"metric={metric!r} compares zeros and ones, but X[{row}, {column}] is "
                f"{self.points[row, column]}; pass a boolean array, such as X > 0"
            )
        self.points = self.points.astype(bool)

    def tree(self, min_samples, threads, alpha=1.0, weights=None):
        if self.has_params or alpha != 1:
            return super().tree(min_samples, threads, alpha, weights)
        empty = np.flatnonzero(~self.points.any(axis=1))
        if self.metric in _WITHOUT_EMPTY and len(empty) > 1:
            raise ValueError(
                f"metric={self.metric!r} has no distance of two rows of zeros, such as "
                f"X[{empty[0]}] and X[{empty[1]}]; remove one of them, or choose another metric"
            )
        columns = self.points.shape[1]
        words = np.zeros((self.n, -(-columns // 64)), "<u8")
        rows = np.packbits(self.points, axis=1, bitorder="little")
        words.view(np.uint8)[:, : rows.shape[1]] = rows
        basis = {
            "words": words.reshape(-1).astype(np.uint64, copy=False),
            "bits": columns,
            "metric": self.metric,
            "min_samples": min_samples,
            "weights": weights,
            "threads": threads,
        }
        return _kostra.tree_of_bits(basis)


class CallableRows(Rows):
    """Distances by a function of two points."""

    def __init__(self, metric, points, params=None):
        super().__init__(points)
        self.metric, self.params = metric, params or {}
        self.outside = np.ones(self.n, bool)

    def all(self, point):
        row = np.zeros(self.n)
        for other in range(self.n):
            if other != point:
                row[other] = self._distance(min(point, other), max(point, other))
        return row

    def next(self, point):
        self.outside[point] = False
        row = np.zeros(self.n)
        for other in np.flatnonzero(self.outside).tolist():
            low, high = min(point, other), max(point, other)
            row[other] = there = self._distance(low, high)
            back = self._distance(high, low)
            if there != back and not np.isclose(there, back, rtol=1e-7, atol=_ROUNDING):
                raise ValueError(
                    f"metric gives {there} for X[{low}] and X[{high}], but {back} in the other "
                    "order; pass a function that does not depend on the order"
                )
        return row

    def _distance(self, a, b):
        value = self.metric(self.points[a], self.points[b], **self.params)
        try:
            distance = float(value)
        except (TypeError, ValueError):
            raise TypeError(
                f"metric must return a number, but returned {value!r} for X[{a}] and X[{b}]"
            ) from None
        if not distance >= 0:
            raise ValueError(
                f"metric gives the distance {distance} for X[{a}] and X[{b}]; "
                "return a number of at least 0"
            )
        return distance


def refuse_wrong_columns(name, values, metric):
    """Refuses a table of points with a column that is no coordinate by its name or type, and for
    haversine distances one whose columns are called longitude and latitude, in this order.
    """
    columns = getattr(values, "column_names", getattr(values, "columns", None))
    if columns is None or metric == "precomputed":
        return
    columns = list(columns)  # texts in polars and PyArrow, any objects in pandas
    fits = [not isinstance(column, str) or _kostra.may_be_coordinate(column) for column in columns]
    if not all(fits):
        others = [column for column, may_be in zip(columns, fits) if may_be]
        others = repr(others) if len(others) <= 10 else "[...]"
        raise ValueError(
            f"is column {columns[fits.index(False)]!r} of {name} a coordinate? pass "
            f"{name}[{others}] if it is not, or numpy.asarray({name}) if all columns are "
            "coordinates"
        )
    for column, dtype in zip(columns, getattr(values, "dtypes", ())):
        # polars would make numbers of them.
        if str(dtype).lower().startswith(("date", "time", "duration")):
            raise TypeError(
                f"column {column!r} of {name} contains times; convert them to numbers in a unit "
                "that you choose"
            )
    columns = [str(column) for column in columns]
    degrees = _kostra.degrees_among(columns)
    if degrees and isinstance(metric, str) and METRICS.get(metric) in _OF_PLANE:
        latitude, longitude = degrees
        both = "" if len(columns) == 2 else f"{name}[{degrees}] and "
        _arrays.warn(
            f"the distances are in the unit of {latitude!r} and {longitude!r}; if these are "
            f"degrees, pass {both}metric='haversine' for distances in meters"
        )
    if metric != "haversine" or len(columns) != 2:
        return
    order = _kostra.order_of_axes(*columns)
    if order is not None:
        first, second = columns
        remedy = f"pass {name}[[{second!r}, {first!r}]]"
        if order == "same":
            remedy = "choose two others, or rename them"
        raise ValueError(
            f"the haversine metric needs the latitude, then the longitude, but the columns of "
            f"{name} are {first!r} and {second!r}; {remedy}"
        )


def centroid(points, weights, metric):
    """The weighted mean of points; on the sphere for haversine distances."""
    if not isinstance(metric, str) or not metric.startswith("haversine"):
        return np.average(points, weights=weights, axis=0)
    is_radians = metric == "haversine_radians"
    latitude, longitude = (points if is_radians else np.radians(points)).T
    around = np.cos(latitude)
    in_space = [around * np.cos(longitude), around * np.sin(longitude), np.sin(latitude)]
    x, y, z = np.average(in_space, weights=weights, axis=1)
    place = np.array([np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x)])
    return place if is_radians else np.degrees(place)


def medoid(points, weights, rows):
    """The point with the least sum of weighted distances to the others."""
    return points[int(np.argmin([rows.all(row) @ weights for row in range(len(points))]))]


def rows_of(points, metric, params=None):
    """The :class:`Rows` of any metric, also of the engine's."""
    found = resolve(metric, params)
    if callable(found):
        return found(points)
    points = mapped(points, linear_map(metric, params, points))
    if found.startswith("haversine"):
        return SphereRows(found, points)
    if found == "arccos":
        return ArccosRows("cosine", points)
    return ScipyRows({"manhattan": "cityblock"}.get(found, found), points)


class SphereRows(Rows):
    """Haversine distances."""

    def __init__(self, metric, points):
        super().__init__(points if metric == "haversine_radians" else np.radians(points))
        self.radius = 1.0 if metric == "haversine_radians" else _kostra.EARTH_RADIUS

    def all(self, point):
        from sklearn.metrics.pairwise import haversine_distances

        own = self.points[point : point + 1]
        return self.radius * haversine_distances(own, self.points)[0]

    next = all


class ArccosRows(ScipyRows):
    """The angles of vectors, divided by pi."""

    def all(self, point):
        return np.arccos(np.clip(1 - super().all(point), -1, 1)) / np.pi

    next = all


class MatrixRows(Rows):
    """The rows of a square matrix of distances."""

    def all(self, point):
        return self.points[point]

    next = all
