"""Forests of tables on the cluster of Dask, next to ``fast`` on the whole table."""

import os
import pathlib

import numpy as np
import pytest

import kostra

dask = pytest.importorskip("dask")
dataframe = pytest.importorskip("dask.dataframe")
pandas = pytest.importorskip("pandas")
distributed = pytest.importorskip("kostra.distributed")

M = 4_000


def table(seed, make=lambda numbers: numbers):
    random = np.random.default_rng(seed)
    u, v = random.integers(0, 600, (2, M))
    weights = random.integers(0, 50, M)
    return pandas.DataFrame({"from": make(u), "to": make(v), "km": weights, "lanes": 2})


def expected(frame, **options):
    graph = kostra.Graph.from_table(frame, "from", "to", "km", relabel=True)
    return graph.minimum_spanning_forest(**options).edge_ids.tolist()


VERTICES = {
    "numbers": lambda numbers: numbers * 1000 - 5,
    "texts": lambda numbers: [f"town {number}" for number in numbers],
    "tuples": lambda numbers: [(number // 7, number % 7) for number in numbers],
}


@pytest.mark.parametrize("vertices", VERTICES)
@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_the_edges_are_those_of_the_whole_table(vertices, maximum, partitions):
    frame = table(partitions, VERTICES[vertices])
    with dask.config.set({"dataframe.convert-string": False}):
        parts = dataframe.from_pandas(frame, npartitions=partitions, sort=False)
        found = distributed.minimum_spanning_forest(parts, "from", "to", "km", maximum=maximum)
        found = found.compute(scheduler="synchronous")
    numbers = table(partitions)
    assert found.index.tolist() == expected(numbers, maximum=maximum)
    assert found.index.name == "edge" and list(found.columns) == ["from", "to", "km"]
    rows = frame.iloc[found.index]
    assert all(found[name].tolist() == rows[name].tolist() for name in found.columns)


def test_partitions_may_be_empty_and_of_any_sizes():
    frame = table(9)
    bounds = [0, 0, 3, 3, 1000, M, M]
    parts = [dask.delayed(frame.iloc[low:high]) for low, high in zip(bounds, bounds[1:])]
    whole = dataframe.from_delayed(parts, meta=frame.iloc[:0])
    found = distributed.minimum_spanning_forest(whole, "from", "to", "km")
    assert found.compute(scheduler="threads").index.tolist() == expected(frame)


def test_what_is_no_table_or_has_no_values_is_refused():
    frame = table(1)
    with pytest.raises(TypeError, match="must be a dask.dataframe.DataFrame, not DataFrame"):
        distributed.minimum_spanning_forest(frame)
    parts = dataframe.from_pandas(frame, npartitions=2)
    with pytest.raises(ValueError, match="table has no column 'source'"):
        distributed.minimum_spanning_forest(parts)
    with pytest.raises(ValueError, match="three different columns"):
        distributed.minimum_spanning_forest(parts, "from", "from", "km")
    frame["km"] = frame["km"].astype(float)
    frame.loc[7, "km"] = np.nan
    parts = dataframe.from_pandas(frame, npartitions=2)
    with pytest.raises(ValueError, match="NaN"):
        distributed.minimum_spanning_forest(parts, "from", "to", "km").compute()
    frame = table(1).astype({"to": "Int64"})
    frame.loc[7, "to"] = pandas.NA
    parts = dataframe.from_pandas(frame, npartitions=2)
    with pytest.raises(ValueError, match="column 'to' has no value in row 7 of a partition"):
        distributed.minimum_spanning_forest(parts, "from", "to", "km").compute()


def _die_once(rows, folder):
    """Ends the worker's process at the first visit of a partition."""
    mark = pathlib.Path(folder, f"visited {rows.index[0]}") if len(rows) else None
    if mark is not None and not mark.exists():
        mark.touch()
        if rows.index[0] == 0:
            os._exit(3)
    return rows


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_nothing(tmp_path):
    cluster = pytest.importorskip("distributed")
    frame = table(4)
    parts = dataframe.from_pandas(frame, npartitions=8, sort=False)
    parts = parts.map_partitions(_die_once, str(tmp_path), meta=parts._meta)
    found = distributed.minimum_spanning_forest(parts, "from", "to", "km")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with cluster.LocalCluster(**options) as workers, cluster.Client(workers):
        assert found.compute().index.tolist() == expected(frame)
    assert (tmp_path / "visited 0").exists()
