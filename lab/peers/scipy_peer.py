"""scipy.sparse.csgraph.minimum_spanning_tree, on compressed sparse rows of float64 weights.

Weights are integers from 1 to 2^32 - 1, which float64 represents exactly. SciPy would ignore an
explicit zero.
"""

import numpy as np
import scipy
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from peer import serve, without_parallel_edges


def build(n, u, v, w):
    rows = to_rows(n, u, v, w)
    # The conversion from coordinates to rows adds up the weights of parallel edges.
    return rows if rows.nnz == len(w) else to_rows(n, *without_parallel_edges(n, u, v, w))


def to_rows(n, u, v, w):
    # Each edge once, above the diagonal, so that edges (u, v) and (v, u) count as parallel.
    ends = (np.minimum(u, v).astype(np.int32), np.maximum(u, v).astype(np.int32))
    return coo_array((w.astype(np.float64), ends), shape=(n, n)).tocsr()


def answer(_, forest):
    return forest.nnz, forest.data.astype(np.int64).sum()


serve(f"SciPy {scipy.__version__}", build, minimum_spanning_tree, answer)
