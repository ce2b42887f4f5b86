"""Memory that the system refuses is an exception, and the interpreter lives on."""

import subprocess
import sys

import pytest

LIMITED = """
import resource
import numpy as np
import kostra
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
try:
    {code}
except {error} as error:
    print("refused:", error)
"""


def run(code, error):
    pytest.importorskip("resource")
    script = LIMITED.format(code=code, error=error)
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("refused: "), result.stdout
    return result.stdout


def test_a_graph_that_does_not_fit_is_a_memory_error():
    said = run("kostra.minimum_spanning_forest([0], [1], [1.0], n=4294967295)", "MemoryError")
    assert "bytes of memory" in said


def test_a_corrupt_indptr_is_a_value_error():
    pytest.importorskip("scipy")
    said = run(
        "import scipy.sparse as sp, kostra.scipy as ks\n"
        "    a = sp.csr_matrix(np.ones((3, 3)))\n"
        "    a.indptr = np.array([0, 3, 6, 2**31 - 2], dtype=np.int32)\n"
        "    ks.minimum_spanning_tree(a)",
        "ValueError",
    )
    assert "indptr" in said
