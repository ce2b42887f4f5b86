"""The number of threads, and a system that refuses them."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, resource
import numpy as np, kostra

random = np.random.default_rng(1)
n, m = 100_000, 400_000
u, v, w = random.integers(0, n, m), random.integers(0, n, m), random.random(m)
expected = kostra.minimum_spanning_forest(u, v, w, n=n, threads=4)
os.setuid(65534)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
import threading
try:
    threading.Thread(target=int).start()
    print("threads are granted")
except RuntimeError:
    found = kostra.minimum_spanning_forest(u, v, w, n=n, threads=4)
    assert found == expected and len(found.labels()) == n
    assert len(kostra.bottleneck(found, u, v, threads=4)) == m
    print("solved")
"""


@pytest.mark.skipif(
    sys.platform != "linux" or os.getuid() != 0, reason="limits bind other users than root"
)
def test_a_forest_is_found_where_no_thread_is_granted():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    if done.stdout == "threads are granted\n":
        pytest.skip("the system does not refuse threads")
    assert done.stdout == "solved\n"


def threads_with(variables, call="kostra._kostra.default_threads()"):
    """What a call prints in a process with these variables."""
    clean = {name: value for name, value in os.environ.items() if "NUM_THREADS" not in name}
    done = subprocess.run(
        [sys.executable, "-c", f"import kostra; print({call})"],
        capture_output=True,
        text=True,
        env=clean | variables,
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_the_environment_gives_the_number_of_threads():
    granted = int(threads_with({}))
    assert granted <= (os.cpu_count() or 1)
    assert threads_with({"KOSTRA_NUM_THREADS": "3", "OMP_NUM_THREADS": "1"}) == "3"
    assert threads_with({"OMP_NUM_THREADS": "1"}) == "1"
    assert threads_with({"OMP_NUM_THREADS": "1,4", "KOSTRA_NUM_THREADS": ""}) == "1"
    # It is for other programs, too, so it limits threads and adds none.
    assert threads_with({"OMP_NUM_THREADS": "1000"}) == str(granted)
    assert threads_with({"OMP_NUM_THREADS": "nonsense"}) == str(granted)


def test_a_wrong_number_of_threads_in_the_environment_is_refused():
    solve = "len(kostra.minimum_spanning_forest([0], [1]))"
    for wrong in ("0", "all", "-1", "4097"):
        error = threads_with({"KOSTRA_NUM_THREADS": wrong}, solve)
        assert error == (
            f'ValueError: KOSTRA_NUM_THREADS is "{wrong}"; set it to a number of threads from 1 to '
            "4096, or unset it"
        )
    assert threads_with({"KOSTRA_NUM_THREADS": "2"}, solve) == "1"


def test_workers_of_joblib_use_their_share():
    joblib = pytest.importorskip("joblib")
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        found = joblib.Parallel(n_jobs=2)([joblib.delayed(_default_threads)()] * 2)
    assert found == [1, 1]


def _default_threads():
    import kostra

    return kostra._kostra.default_threads()
