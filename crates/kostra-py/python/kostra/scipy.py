"""SciPy's ``minimum_spanning_tree``, by Kostra.

Change the import, and nothing else::

    from kostra.scipy import minimum_spanning_tree
"""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import csgraph_from_dense, csgraph_from_masked

from kostra import _arrays, _kostra
from kostra._graph import minimum_spanning_forest

__all__ = ["minimum_spanning_tree"]


def minimum_spanning_tree(csgraph, overwrite=False, *, explicit_zeros=True, threads=None):
    """A minimum spanning tree of an undirected graph, or forest where it is not connected.

    Takes what ``scipy.sparse.csgraph.minimum_spanning_tree`` takes and returns what it returns: a ``csr_array``, or for
    a matrix a ``csr_matrix``, of floats with an entry for each edge of the tree, where the input has it. If an edge is stored
    both as ``(i, j)`` and ``(j, i)``, the lesser counts; if they are equal, the one in the earlier row. The result
    shares no memory with the input.

    Three things differ:

    * Zeros that a sparse input stores are edges, and are stored in the result. With ``explicit_zeros=False`` zeros of
      the tree are left out of the result, as SciPy does.
    * Entries that are stored twice are parallel edges, of which the lesser counts; they are not summed. The exception
      is COO: SciPy sums them when it converts the input to CSR.
    * A stored NaN, and one that is not masked, is a ValueError, not an edge.

    Parameters
    ----------
    csgraph : sparse array or matrix, or dense array, n by n
        Zeros, infinities and NaN of a dense array are no edges. Of a masked array, every entry that is not masked is
        an edge, zeros and infinities included.
    overwrite : bool
        Accepted because SciPy has it; the input is never changed.
    explicit_zeros : bool
        Whether zeros are kept in the result.
    threads : int, optional
        How many threads to use; by default, all that the machine has.

    Notes
    -----
    Code that was written for SciPy's result may take a stored zero for no edge, because ``nonzero()`` leaves it out.
    scikit-learn's ``HDBSCAN`` does, with ``metric="precomputed"`` and a sparse matrix, where points coincide: with this
    function in place of SciPy's it raises a ValueError, and with ``explicit_zeros=False``, as with SciPy's own, it
    returns labels for fewer points than there are. Store the least positive distance instead of zero, and every point
    keeps its label, with either function::

        distances.data[distances.data == 0] = numpy.finfo(distances.dtype).tiny

    >>> from scipy.sparse import csr_array
    >>> from kostra.scipy import minimum_spanning_tree
    >>> graph = csr_array([[0, 8, 0, 3], [0, 0, 2, 5], [0, 0, 0, 6], [0, 0, 0, 0]])
    >>> minimum_spanning_tree(graph).toarray().astype(int)
    array([[0, 0, 0, 3],
           [0, 0, 2, 5],
           [0, 0, 0, 0],
           [0, 0, 0, 0]])
    """
    graph = _as_csr(csgraph)
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError(f"csgraph must be square, but its shape is {graph.shape}")
    n = graph.shape[0]
    starts = np.ascontiguousarray(graph.indptr)
    entries = min(len(graph.indices), len(graph.data))
    if len(starts) and starts[-1] > entries:
        raise ValueError(f"csgraph.indptr ends at {starts[-1]}, but csgraph has {entries} entries")
    rows = _kostra.rows_of_entries(starts, _arrays.threads(threads))
    columns, weights = graph.indices[: len(rows)], graph.data[: len(rows)]  # there may be room for more
    if weights.dtype == np.longdouble:
        weights = weights.astype(np.float64)
    forest = _forest(rows, columns, weights, n, threads)
    kept, data = forest.edge_ids, forest.weights
    if not explicit_zeros:
        kept, data = kept[data != 0], data[data != 0]
    # What is returned is the caller's alone, to write to: copies, in the types of SciPy's results.
    data = np.array(data, np.float64)
    indices = columns[kept].astype(np.int32, copy=False)
    # The ids ascend, so the entries are in the order of rows already.
    indptr = np.array(_kostra.starts_of_rows(rows[kept], n), np.int32)
    is_matrix = sparse.isspmatrix(csgraph) or isinstance(csgraph, np.matrix)
    return (sparse.csr_matrix if is_matrix else sparse.csr_array)((data, indices, indptr), shape=graph.shape)


def _as_csr(csgraph):
    """The graph in CSR form. A masked entry is no edge, and every other entry of a masked array is one."""
    if sparse.issparse(csgraph):
        return csgraph.tocsr()
    if isinstance(csgraph, np.ma.MaskedArray):
        return csgraph_from_masked(np.ma.array(csgraph, mask=np.ma.getmaskarray(csgraph)))
    return csgraph_from_dense(csgraph)


def _forest(rows, columns, weights, n, threads):
    try:
        return minimum_spanning_forest(rows, columns, weights, n, threads=threads)
    except ValueError as error:
        nan = np.flatnonzero(np.isnan(weights)) if weights.dtype.kind == "f" else ()
        if len(nan) == 0:
            raise
        row, column = rows[nan[0]], columns[nan[0]]
        raise ValueError(
            f"csgraph[{row}, {column}] is NaN; remove the entry if there is no edge, or store its weight"
        ) from error
