"""Minimum spanning forests of tables that one machine does not hold, on the cluster of Dask.

The forest of a union of edges is the forest of the parts' forests. So each partition of a table
becomes its forest, and neighboring forests are merged pairwise. Dask schedules the tasks, repeats
those of a lost worker and spills. A worker holds a partition, or two forests of fewer edges than
vertices.
"""

from typing import NamedTuple

import numpy as np

from kostra import _arrays, _convert, _optional
from kostra._solve import minimum_spanning_forest as _forest_of_arrays

__all__ = ["minimum_spanning_forest"]


class _Columns(NamedTuple):
    """The columns of a table, and which forest is wanted."""

    source: object
    target: object
    weight: object
    maximum: bool


class _Part(NamedTuple):
    """The forest of consecutive rows of the table."""

    #: The edges, in the order of the table. The index ``edge`` counts from the first of the rows.
    frame: object
    #: The number of rows.
    length: int


def minimum_spanning_forest(
    frame, source="source", target="target", weight="weight", *, maximum=False
):
    """The minimum spanning forest of a table of Dask. Every row is an edge.

    Edges are ordered by weight, then by their position in the table: partition by partition, row by
    row. So the result has the same edges as :func:`kostra.minimum_spanning_forest` for the whole
    table, and depends neither on the partitions nor on the workers.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    source, target : str
        The columns with the ends, of any hashable values, such as texts.
    weight : str
        The column with the weights.
    maximum : bool
        Whether to compute a maximum spanning forest instead.

    Returns
    -------
    dask.dataframe.DataFrame
        One partition with a row per edge of the forest: the three columns, and the index ``edge``
        with the position of the edge in the table. Dask computes it when it is needed.

    Raises
    ------
    ValueError, TypeError
        If ``frame`` is not a table of Dask or lacks a column. While Dask computes the result: if an
        end is missing, or a weight is NaN or not a number.
    ImportError
        If Dask is not installed.

    Examples
    --------
    >>> import dask.dataframe, kostra.distributed, pandas
    >>> roads = pandas.DataFrame({"source": [0, 1, 2], "target": [1, 2, 0], "weight": [7, 6, 5]})
    >>> table = dask.dataframe.from_pandas(roads, npartitions=2)
    >>> kostra.distributed.minimum_spanning_forest(table).compute().reset_index()
       edge  source  target  weight
    0     1       1       2       6
    1     2       2       0       5
    """
    dask = _optional.module("dask", "kostra.distributed", "dask[dataframe]")
    dataframe = _optional.module("dask.dataframe", "kostra.distributed", "dask[dataframe]")
    if not isinstance(frame, dataframe.DataFrame):
        raise TypeError(f"frame must be a dask.dataframe.DataFrame, not {type(frame).__name__}")
    columns = _Columns(source, target, weight, _arrays.flag("maximum", maximum))
    for column in columns[:3]:
        _convert.column_of(frame, column)
    if len(set(columns[:3])) < 3:
        raise ValueError("source, target and weight must be three different columns")
    make, merge = dask.delayed(_part, pure=True), dask.delayed(_merged, pure=True)
    rows = frame[list(columns[:3])]
    level = [make(part, columns) for part in rows.to_delayed()]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2])
        rest = level[len(level) // 2 * 2 :]
        level = [merge(left, right, columns) for left, right in pairs] + rest
    meta = rows._meta.set_index(_edges(0))
    return dataframe.from_delayed([level[0].frame], meta=meta, verify_meta=False)


def _edges(numbers):
    """An index of edge ids: some numbers, or as many as a number says."""
    pandas = _optional.module("pandas", "kostra.distributed")
    numbers = np.arange(numbers, dtype=np.int64) if np.ndim(numbers) == 0 else numbers
    return pandas.Index(numbers, dtype=np.int64, name="edge")


def _part(rows, columns):
    """The forest of one partition."""
    return _Part(_forest(rows.set_index(_edges(len(rows))), columns), len(rows))


def _merged(left, right, columns):
    """The forest of two neighboring parts."""
    pandas = _optional.module("pandas", "kostra.distributed")
    moved = right.frame.set_index(_edges(right.frame.index.to_numpy() + left.length))
    rows = pandas.concat([left.frame, moved])
    return _Part(_forest(rows, columns), left.length + right.length)


def _forest(rows, columns):
    """The rows of the forest, in their order."""
    pandas = _optional.module("pandas", "kostra.distributed")
    m = len(rows)
    ends = pandas.concat([rows[columns.source], rows[columns.target]], ignore_index=True)
    numbers, names = pandas.factorize(ends)
    if (numbers < 0).any():
        place = int((numbers < 0).argmax())
        name = columns.source if place < m else columns.target
        raise ValueError(f"column {name!r} has no value in row {place % m} of a partition")
    weights = _convert._column(rows, columns.weight)
    forest = _forest_of_arrays(
        numbers[:m], numbers[m:], weights, len(names), maximum=columns.maximum, device="cpu"
    )
    return rows.iloc[forest.edge_ids]
