"""Data frames and SQL: the functions where the tables are."""

import numpy as np
import pytest

import kostra


def roads(seed=3, n=40, m=150):
    random = np.random.default_rng(seed)
    u, v = random.integers(0, n, (2, m))
    columns = {"source": u * 10 - 70, "target": v * 10 - 70, "weight": random.integers(0, 30, m)}
    return columns | {"name": [f"road {row}" for row in range(m)]}


def edges_of(table, **options):
    graph = kostra.Graph.from_table(table, relabel=True)
    return graph.minimum_spanning_forest(**options).edge_ids.tolist()


@pytest.mark.parametrize("maximum", [False, True])
def test_frames_of_pandas_and_polars_return_their_own_rows(maximum):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    import kostra.pandas
    import kostra.polars

    table = roads()
    expected = edges_of(table, maximum=maximum)
    name = "maximum_spanning_forest" if maximum else "minimum_spanning_forest"
    frame = pandas.DataFrame(table, index=[f"row {row}" for row in range(150)])
    found = getattr(frame.kostra, name)()
    assert found.equals(frame.iloc[expected])
    frame = polars.DataFrame(table)
    assert getattr(frame.kostra, name)(threads=1).equals(frame[expected])


def test_columns_have_any_names():
    pandas = pytest.importorskip("pandas")
    import kostra.pandas

    frame = pandas.DataFrame(roads()).set_axis(["a", "b", "km", "name"], axis=1)
    found = frame.kostra.minimum_spanning_forest("a", "b", "km")
    assert found.index.tolist() == edges_of(roads())
    with pytest.raises(ValueError, match="table has no column 'source'"):
        frame.kostra.minimum_spanning_forest()


@pytest.fixture
def connection():
    duckdb = pytest.importorskip("duckdb")
    import kostra.duckdb

    connection = duckdb.connect()
    kostra.duckdb.register(connection)
    return connection


@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.parametrize("ends", ["INTEGER", "VARCHAR"])
def test_duckdb_finds_the_same_rows(connection, ends, maximum):
    frame = pytest.importorskip("pandas").DataFrame(roads())  # noqa: F841, found by name
    connection.execute(
        f"CREATE TABLE roads AS SELECT source::{ends} AS source, target::{ends} AS target, "
        "weight, name FROM frame"
    )
    name = "maximum_spanning_forest" if maximum else "minimum_spanning_forest"
    found = connection.sql(f"FROM {name}('roads')").df()
    expected = edges_of(roads(), maximum=maximum)
    assert found["edge"].tolist() == expected
    assert found["name"].tolist() == [f"road {row}" for row in expected]
    assert found["source"].tolist()[0] == (roads()["source"][expected[0]]).astype(
        str if ends == "VARCHAR" else int
    )
    total = connection.sql(f"SELECT sum(weight) FROM {name}('roads')").fetchall()[0][0]
    assert total == found["weight"].sum()


def test_duckdb_takes_views_and_empty_tables(connection):
    connection.execute("CREATE TABLE t AS FROM (VALUES (1, 2, 0.5), (2, 1, 0.25)) AS t(a, b, km)")
    connection.execute("CREATE VIEW roads AS SELECT a AS source, b AS target, km AS weight FROM t")
    assert connection.sql("SELECT edge FROM minimum_spanning_forest('roads')").fetchall() == [(1,)]
    connection.execute("DELETE FROM t")
    assert connection.sql("FROM minimum_spanning_forest('roads')").fetchall() == []


@pytest.mark.parametrize(
    "row, message",
    [
        ("(NULL, 2, 1.0)", "column 'source' is NULL in row 1"),
        ("(1, 2, NULL)", "column 'weight' is NULL in row 1"),
        ("(1, 2, 'nan'::DOUBLE)", "NaN"),
        ("(1, 2, 9007199254740993)", "weight is 9007199254740992 in row 1"),
    ],
)
def test_duckdb_refuses_rows_without_values(connection, row, message):
    connection.execute(
        "CREATE TABLE roads AS FROM (VALUES (1, 2, 1.0::DOUBLE)) AS t(source, target, weight)"
    )
    connection.execute(f"INSERT INTO roads VALUES {row}")
    with pytest.raises(Exception, match=message):
        connection.sql("FROM minimum_spanning_forest('roads')").fetchall()
