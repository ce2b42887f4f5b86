"""Python answers the requests of ``testdata/requests/``, as Rust, C and the command do."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import kostra

FILE = Path(__file__).parents[3] / "testdata" / "requests" / "solve.toml"
REQUESTS = tomllib.loads(FILE.read_text())
ANSWERS = {"name", "ids", "solver", "refused", "without-device"}


def answer(request):
    u, v, w = np.array(REQUESTS["edges"]).T
    arguments = {key: value for key, value in request.items() if key not in ANSWERS}
    return kostra.minimum_spanning_forest(u, v, w, REQUESTS["vertices"], **arguments)


@pytest.mark.parametrize(
    "request_", [pytest.param(item, id=item["name"]) for item in REQUESTS["request"]]
)
def test_python_answers_as_all_faces_do(request_):
    if "options" in request_:
        pytest.skip("Python has no options of algorithms")
    if "refused" in request_:
        with pytest.raises(ValueError) as refusal:
            answer(request_)
        assert request_["refused"] in str(refusal.value)
        return
    try:
        forest = answer(request_)
    except kostra.DeviceError as error:
        assert request_.get("without-device", "needs no device") in str(error)
        return
    assert forest.edge_ids.tolist() == request_["ids"]
    assert (forest.algorithm, forest.fallback) == (request_["solver"], None)
