"""Points in columns of tables: vectors, and geometries."""

import numpy as np


def coordinates(name, values, metric):
    """Points as an array, if ``values`` are geometries of GeoPandas or a column of vectors, such as
    embeddings; other values as they are.
    """
    if isinstance(metric, str) and metric == "precomputed":
        return values
    if any(base.__module__.partition(".")[0] == "geopandas" for base in type(values).__mro__):
        return _positions(name, values.geometry, metric)
    column = _only_column(values)
    if column is None:
        return values
    array = np.asarray(column)
    if array.ndim == 2:  # a column of arrays of one length
        return array
    is_vector = [isinstance(value, (list, tuple, np.ndarray)) for value in array[:1]]
    return _stacked(name, array) if array.dtype.kind == "O" and all(is_vector) else values


def dense(name, values):
    """Sparse features, such as weights of words, as an array; other values as they are. A square
    matrix may contain distances, so it is refused.
    """
    if not hasattr(values, "tocoo"):
        return values
    rows, columns = values.shape
    if rows == columns:
        raise TypeError(
            f"does the square sparse matrix {name} contain distances? pass metric='precomputed' if "
            f"so, or {name}.toarray() for points"
        )
    return values.toarray()


def with_zeros(values):
    """Sparse rows as an array; other values as they are."""
    return values.toarray() if hasattr(values, "tocoo") else values


def rows_of_sparse(name, values):
    """A sparse matrix of features in compressed rows whose columns ascend, without zeros."""
    if values.shape[0] == values.shape[1]:
        dense(name, values)  # refuses it
    rows = values.tocsr(copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def sparse(name, values):
    """:func:`rows_of_sparse`; refuses NaN and infinite values."""
    rows = rows_of_sparse(name, values)
    wrong = ~np.isfinite(rows.data)
    if wrong.any():
        place = int(wrong.argmax())
        row = int(np.searchsorted(rows.indptr, place, side="right")) - 1
        value = "NaN" if np.isnan(rows.data[place]) else rows.data[place]
        raise ValueError(
            f"row {row}, column {rows.indices[place]} (counted from 0) is {value}; remove the point "
            "or replace the coordinate"
        )
    return rows


def missing_and_finite(values):
    """Which rows of an array or of compressed rows contain NaN, and which only finite values."""
    if not hasattr(values, "tocoo"):
        values = np.asarray(values, np.float64)
        return np.isnan(values).any(axis=1), np.isfinite(values).all(axis=1)
    is_missing, is_finite = np.zeros(values.shape[0], bool), np.ones(values.shape[0], bool)
    rows = np.repeat(np.arange(len(is_missing)), np.diff(values.indptr))
    is_missing[rows[np.isnan(values.data)]] = True
    is_finite[rows[~np.isfinite(values.data)]] = False
    return is_missing, is_finite


def ranks(rows):
    """The place of each row of compressed rows without stored zeros in the order of the rows with
    their zeros. Of two rows, the first one has the lower value in the first column that differs.
    """
    starts = rows.indptr.tolist()
    # Where one row has a value and the other one has none, the sign and the column decide.
    signs = np.sign(rows.data)
    columns = np.where(signs < 0, rows.indices, -rows.indices.astype(np.int64))
    entries = list(zip(signs.tolist(), columns.tolist(), rows.data.tolist()))
    end = [(0.0, 0, 0.0)]
    keys = [entries[a:b] + end for a, b in zip(starts[:-1], starts[1:])]
    found = np.empty(len(keys), np.int64)
    found[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return found


def _only_column(values):
    """The column that ``values`` are or contain; None for other arrays and tables."""
    names = getattr(values, "column_names", getattr(values, "columns", None))
    if names is not None:
        return values[names[0]] if len(names) == 1 else None
    if isinstance(values, np.ndarray):
        return values if values.ndim == 1 and values.dtype.kind == "O" and len(values) else None
    is_column = type(values).__module__.partition(".")[0] in ("pandas", "polars", "pyarrow")
    return values if is_column and hasattr(values, "__array__") and len(values) else None


def _stacked(name, vectors):
    """Vectors of one length as the rows of an array."""
    rows = [None if value is None else np.asarray(value) for value in vectors]
    for place, row in enumerate(rows):
        if row is None or row.ndim != 1 or row.dtype.kind == "O":
            raise ValueError(
                f"row {place} of {name} is no vector of numbers, or a value of it is missing; "
                f"remove the row, and pass numpy.stack({name}) if all vectors have one length"
            )
        if len(row) != len(rows[0]):
            raise ValueError(
                f"row 0 of {name} has {len(rows[0])} coordinates, and row {place} has {len(row)}; "
                "pass vectors of one length"
            )
    return np.stack(rows)


def _positions(name, points, metric):
    """The coordinates of geometries that are points. For haversine distances, the latitude comes
    first.
    """
    absent = np.asarray(points.isna() | points.is_empty)
    if absent.any():
        raise ValueError(f"row {int(absent.argmax())} of {name} has no point; remove the row")
    others = np.asarray(points.geom_type != "Point")
    if others.any():
        place = int(others.argmax())
        raise TypeError(
            f"row {place} of {name} is a {points.geom_type.iloc[place]}, not a point; pass points, "
            f"such as {name}.representative_point()"
        )
    has_degrees = points.crs is not None and points.crs.is_geographic
    is_haversine = isinstance(metric, str) and metric == "haversine"
    if has_degrees and not is_haversine:
        raise ValueError(
            f"the coordinates of {name} are longitudes and latitudes; pass metric='haversine' for "
            f"distances in meters, or {name}.to_crs({name}.estimate_utm_crs()) for distances in a "
            "plane"
        )
    if is_haversine and not has_degrees and points.crs is not None:
        raise ValueError(
            f"metric='haversine' needs longitudes and latitudes, but the coordinates of {name} are "
            f"those of {points.crs.name!r}; pass {name}.to_crs(4326), or metric='euclidean'"
        )
    axes = [points.y, points.x] if is_haversine else [points.x, points.y]
    return np.column_stack(axes)
