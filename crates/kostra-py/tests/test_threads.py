"""The system refuses threads, as it does for a user who has too many processes."""

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
