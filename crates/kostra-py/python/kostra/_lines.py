"""Graphs of the lines in a table of GeoPandas, and whole lines in output."""

import json

import numpy as np

from kostra import _kept, _kostra
from kostra._arrays import Columns
from kostra._matrix import Matrices


class Lines(Matrices):
    """The constructor of :class:`kostra.Graph` from lines on a map."""

    __slots__ = ()

    @classmethod
    def from_geopandas(cls, frame, weight=..., *, id=None, keep=None, nan="error", threads=None):
        """The graph of a ``geopandas.GeoDataFrame`` of lines. Every row is an edge.

        The vertices are the first and the last positions of the lines, in order of appearance.
        Equal positions are one vertex. Lines that cross are not joined there. The positions are the
        ``coordinates``. :meth:`Forest.write` and :meth:`Forest.to_geopandas` return whole lines.

        Parameters
        ----------
        frame : geopandas.GeoDataFrame
        weight : str, optional
            The column with the weights. The name of the column of lines, such as ``"geometry"``,
            stands for their lengths: in meters for longitudes and latitudes, and else in the unit
            of the coordinates. With None, all edges have weight 1. By default, the lengths, if no
            other column contains numbers.
        id, keep
            As for :meth:`from_table`. The edge ids are positions of rows, so that
            ``frame.iloc[forest.edge_ids]`` are the rows of the forest.
        nan : {"error", "skip"}
            What to do with an edge of weight NaN, as for :func:`minimum_spanning_forest`.
        threads : int, optional
            The number of threads; by default, all of the machine's.

        Returns
        -------
        Graph

        Raises
        ------
        ValueError, TypeError
            If a row is no line, a column is missing, or the weight is in question.

        Examples
        --------
        >>> import geopandas, kostra
        >>> roads = geopandas.GeoDataFrame(
        ...     {"km": [2.5, 4.0]},
        ...     geometry=geopandas.GeoSeries.from_wkt(
        ...         ["LINESTRING (14 50, 15 50, 15 49)", "LINESTRING (15 49, 16 49)"], crs=4326
        ...     ),
        ... )
        >>> kostra.Graph.from_geopandas(roads, weight="km")
        <kostra.Graph: 3 vertices, 2 edges, float64 weights>
        """
        lines = _lines_of(frame)
        shape = lines.name
        kept = _kept.names(id, keep, (weight, shape), list(frame.columns))
        _kept.check_table(frame, kept)
        chosen = _weight(frame, weight, {shape, id})
        is_on_earth = lines.crs is not None and lines.crs.is_geographic
        positions = [np.asarray(line.coords) for line in lines]
        if chosen == shape:
            weights = _lengths(positions, is_on_earth)
        else:
            weights = None if chosen is None else frame[chosen].to_numpy()
        ends = [line[place, :2] for line in positions for place in (0, -1)]
        u, v, places = _vertices(np.array(ends).reshape(-1, 2))
        names = ("u", "v", "the length" if chosen == shape else str(chosen))
        columns = Columns(u, v, weights, len(places), names=names)
        graph = cls._of(columns, nan, threads, weight=chosen)
        graph._kept = _kept.of_table(frame, kept, graph.m)
        graph._coordinates, graph.geographic = places, is_on_earth
        graph._lines = [json.dumps(line.tolist()) for line in positions]
        return graph


def is_frame(x):
    """Whether ``x`` is a table of GeoPandas."""
    return any(base.__module__.partition(".")[0] == "geopandas" for base in type(x).__mro__)


def _lines_of(frame):
    """The column of lines."""
    if not is_frame(frame) or not hasattr(frame, "columns"):
        raise TypeError(f"frame must be a geopandas.GeoDataFrame, not {type(frame).__name__}")
    lines = frame.geometry
    for wrong, what in (
        (lines.isna() | lines.is_empty, "has no line; remove it"),
        (lines.geom_type == "MultiLineString", "has several lines; call explode() first"),
        (lines.geom_type != "LineString", "is no line; pass lines, or points to euclidean_mst"),
    ):
        rows = np.flatnonzero(np.asarray(wrong))
        if len(rows):
            raise ValueError(f"row {rows[0]} of frame {what}")
    return lines


def _weight(frame, weight, others):
    """The name of the weight column, which is that of the lines for their lengths."""
    if weight is not ...:
        if weight is not None and weight not in frame.columns:
            raise ValueError(
                f"frame has no column {weight!r}; columns: {', '.join(map(repr, frame.columns))}"
            )
        return weight
    shape = frame.geometry.name
    numbers = [
        name
        for name in frame.columns
        if name not in others and getattr(frame[name].dtype, "kind", "O") in "iuf"
    ]
    if not numbers:
        return shape
    raise ValueError(
        f"is the weight a column or the length of the line? numbers are in "
        f"{', '.join(map(repr, numbers))}; pass weight={numbers[0]!r} to "
        f"kostra.Graph.from_geopandas, or weight={shape!r} for the lengths"
    )


def _lengths(positions, is_on_earth):
    """The length of each line: in meters on a spherical earth, or in the plane."""
    return np.array([_length(line[:, :2], is_on_earth) for line in positions], float)


def _length(line, is_on_earth):
    steps = np.diff(line, axis=0)
    if not is_on_earth:
        return np.hypot(*steps.T).sum()
    half, latitudes = np.radians(steps) / 2, np.radians(line[:, 1])
    chord = np.sin(half[:, 1]) ** 2
    chord += np.cos(latitudes[:-1]) * np.cos(latitudes[1:]) * np.sin(half[:, 0]) ** 2
    return (2 * _kostra.EARTH_RADIUS * np.arcsin(np.sqrt(chord).clip(max=1))).sum()


def _vertices(ends):
    """The ends of the edges as numbers in order of appearance, and the places of the vertices.
    ``ends`` contains the first and the last position of each line in turn.
    """
    # -0.0 becomes 0.0.
    found = np.unique(ends + 0.0, axis=0, return_index=True, return_inverse=True)
    places, first, numbers = found
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    numbers = rank[numbers.reshape(-1)].astype(np.int32)
    return numbers[0::2].copy(), numbers[1::2].copy(), places[order]


def shapes(forest):
    """The lines of the edges of a forest, whole if they are known."""
    import shapely

    if forest._lines is not None:
        return [shapely.LineString(json.loads(line)) for line in forest._lines]
    places = forest.coordinates
    return shapely.linestrings(np.stack([places[forest.u], places[forest.v]], axis=1))
