"""The steps of algorithms, beside those that the command prints."""

import json
import subprocess
import sys

import numpy as np
import pytest

import kostra

ALGORITHMS = ["kruskal", "boruvka", "prim-binary", "prim-dense", "prim-pairing"]


def of_command(path, algorithm, *options):
    command = [sys.executable, "-m", "kostra", "solve", str(path), "--trace", "--json"]
    command += ["--names", "--algorithm", algorithm, *options]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["trace"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("maximum", [False, True])
def test_steps_are_those_of_the_command(tmp_path, algorithm, maximum):
    rng = np.random.default_rng(7)
    rows = [(f"v{a}", f"v{b}", w) for a, b, w in rng.integers(0, 12, (40, 3)).tolist()]
    path = tmp_path / "graph.csv"
    path.write_text("source,target,weight\n" + "".join("%s,%s,%d\n" % row for row in rows))
    expected = of_command(path, algorithm, *["--maximum"] * maximum)
    graph = kostra.Graph.read(path, names=True)
    steps = kostra.trace(graph, algorithm=algorithm, maximum=maximum)
    keys = ("edge", "round", "u", "v", "components")
    for kind in ("chosen", "rejected"):
        found = [step for step in steps if step["step"] == kind]
        wanted = expected.get(kind, [])
        assert [[step[key] for key in keys] for step in found] == [
            [step[key] for key in keys] for step in wanted
        ]
        assert [step["reason"] for step in found] == [step.get("reason") for step in wanted]
    assert [step["u"] for step in steps if step["step"] == "start"] == expected.get("starts", [])
    chosen = sorted(step["edge"] for step in steps if step["step"] == "chosen")
    assert chosen == graph.minimum_spanning_forest(maximum=maximum).edge_ids.tolist()
    assert all(step["weight"] == rows[step["edge"]][2] for step in steps if step["edge"] is not None)


def test_an_algorithm_without_steps_is_refused():
    graph = kostra.Graph([0, 1], [1, 2], [1.0, 2.0])
    with pytest.raises(ValueError, match="fast does not report its steps; pass 'kruskal'"):
        kostra.trace(graph, algorithm="fast")
    with pytest.raises(ValueError, match="kruskall"):
        kostra.trace(graph, algorithm="kruskall")
    assert kostra.trace(kostra.Graph([], [], n=0)) == []
