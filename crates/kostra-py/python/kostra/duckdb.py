"""Spanning forests in SQL, for DuckDB.

>>> import duckdb, kostra.duckdb
>>> connection = duckdb.connect()
>>> kostra.duckdb.register(connection)
>>> _ = connection.sql("CREATE TABLE roads AS FROM (VALUES ('a', 'b', 4), ('b', 'c', 2), "
...                    "('a', 'c', 3)) AS t(source, target, weight)")
>>> connection.sql("FROM minimum_spanning_forest('roads')").fetchall()
[('b', 'c', 2, 1), ('a', 'c', 3, 2)]
"""

import numpy as np

from kostra import _optional
from kostra._solve import minimum_spanning_forest

__all__ = ["register"]

#: The rows of a table whose numbers are in the forest of all rows. The function of Python takes
#: three lists, and returns numbers. `row_number` follows the order of the table.
_MACRO = """
CREATE OR REPLACE TEMP MACRO {name}(edges) AS TABLE
WITH numbered AS (SELECT *, row_number() OVER () - 1 AS edge FROM query_table(edges)),
     found AS (SELECT unnest(kostra_spanning_forest(
         list(source::VARCHAR ORDER BY edge), list(target::VARCHAR ORDER BY edge),
         list(weight::DOUBLE ORDER BY edge), {maximum})) AS edge FROM numbered)
SELECT numbered.* FROM numbered SEMI JOIN found USING (edge) ORDER BY edge
"""


def register(connection):
    """Adds two table macros to a connection: ``minimum_spanning_forest('table')`` and
    ``maximum_spanning_forest('table')``.

    The table, or the view, has the columns ``source``, ``target`` and ``weight``; further columns
    are allowed. Its ends have any type. The result has the rows of the forest's edges, all columns,
    and the column ``edge`` with the position of the row in the table. Rows of equal weight are
    preferred in the order of the table.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        DuckDB 1.1 or later.

    Raises
    ------
    duckdb.Error
        If the connection has a function of this name. A query fails if an end or a weight is NULL,
        or a weight is NaN or has an absolute value of 2**53 or more.
    ImportError
        If DuckDB is not installed.
    """
    duckdb = _optional.module("duckdb", "kostra.duckdb")
    texts, floats = duckdb.list_type("VARCHAR"), duckdb.list_type("DOUBLE")
    connection.create_function(
        "kostra_spanning_forest",
        _edges,
        [texts, texts, floats, duckdb.sqltype("BOOLEAN")],
        duckdb.list_type("BIGINT"),
        null_handling="special",
    )
    for name, maximum in (("minimum_spanning_forest", False), ("maximum_spanning_forest", True)):
        connection.execute(_MACRO.format(name=name, maximum=str(maximum).lower()))


def _edges(source, target, weight, maximum):
    """The edges of the forest, by position."""
    if source is None:
        return []  # a table without rows
    columns = {"source": source, "target": target, "weight": weight}
    for name, values in columns.items():
        if None in values:
            raise ValueError(f"column {name!r} is NULL in row {values.index(None)}; remove such rows")
    weights = np.array(weight)
    wide = np.isfinite(weights) & (np.abs(weights) >= 2.0**53)
    if wide.any():
        raise ValueError(
            f"weight is {weights[wide.argmax()]:.0f} in row {int(wide.argmax())}, which a DOUBLE may "
            "round; use smaller numbers"
        )
    names = sorted({*source, *target})
    numbers = {name: number for number, name in enumerate(names)}
    u, v = ([numbers[name] for name in ends] for ends in (source, target))
    forest = minimum_spanning_forest(
        np.array(u, np.int32), np.array(v, np.int32), weights, len(names), maximum=maximum
    )
    return forest.edge_ids.tolist()
