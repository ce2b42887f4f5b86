"""A replacement for SciPy's ``minimum_spanning_tree``.

Only the import changes::

    from kostra.scipy import minimum_spanning_tree
"""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import csgraph_from_dense, csgraph_from_masked

from kostra import _arrays, _kostra
from kostra._solve import minimum_spanning_forest

__all__ = ["minimum_spanning_tree"]


def minimum_spanning_tree(csgraph, overwrite=False, *, explicit_zeros=True, threads=None):
    """A minimum spanning tree of an undirected graph, or a forest if it is not connected.

    The parameters and the result are those of ``scipy.sparse.csgraph.minimum_spanning_tree``. The
    result is an n-by-n ``csr_array``, or for a matrix a ``csr_matrix``, of floats. It has one entry
    per edge of the tree, at the position of the edge in the input. If an edge is stored at two
    positions, ``(i, j)`` and ``(j, i)``, the smaller weight is used; for equal weights, the entry
    in the earlier row. The result shares no memory with the input.

    There are four differences:

    * Stored zeros of a sparse input are edges, and are stored in the result. With
      ``explicit_zeros=False``, the result omits zeros, as SciPy does.
    * Duplicate entries are parallel edges, not summed: the smaller weight is used. The exception is
      the COO format, for which SciPy sums duplicates in the conversion to CSR.
    * A stored NaN, and a NaN in a masked array that is not masked, raises a ValueError.
    * So does a zero in a block of a matrix in BSR format, which may be an edge or fill the block.

    Parameters
    ----------
    csgraph : sparse array or matrix, or dense array, n by n
        The weights. Zeros, infinities and NaN of a dense array are not edges. Every entry of a
        masked array that is not masked is an edge, zeros and infinities included.
    overwrite : bool
        Ignored; accepted for compatibility. The input is never changed.
    explicit_zeros : bool
        Whether the result stores zeros.
    threads : int, optional
        The number of threads; by default, all of the machine's.

    Returns
    -------
    csr_array or csr_matrix, n by n
        The weights of the forest's edges, as float64.

    Raises
    ------
    ValueError
        If ``csgraph`` is not square, or a weight is NaN.

    Notes
    -----
    Code for SciPy's result may ignore stored zeros, because ``nonzero()`` omits them. An example is
    scikit-learn's ``HDBSCAN`` with ``metric="precomputed"`` and a sparse matrix of coinciding
    points. With this function instead of SciPy's, it raises a ValueError. With
    ``explicit_zeros=False``, as with SciPy's function, it returns labels for only some of the
    points. To get a label for every point with either function, store the smallest positive
    distance instead of zero::

        distances.data[distances.data == 0] = numpy.finfo(distances.dtype).tiny

    Examples
    --------
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
        entries = _arrays.counted(entries, "entry", "entries")
        raise ValueError(f"csgraph.indptr ends at {starts[-1]}, but csgraph has {entries}")
    rows = _kostra.rows_of_entries(starts, _arrays.threads(threads))
    # The arrays may be longer than the number of entries.
    columns, weights = graph.indices[: len(rows)], graph.data[: len(rows)]
    if weights.dtype == np.longdouble:
        weights = weights.astype(np.float64)
    elif weights.dtype == np.bool_:
        weights = weights.view(np.uint8)
    forest = _forest(rows, columns, weights, n, threads)
    kept, data = forest.edge_ids, forest.weights
    if not _arrays.flag("explicit_zeros", explicit_zeros):
        kept, data = kept[data != 0], data[data != 0]
    # The caller may write to the result. So the arrays are copies, in the types of SciPy's results.
    data = np.array(data, np.float64)
    indices = columns[kept].astype(np.int32, copy=False)
    # The ids ascend, so the entries are already ordered by rows.
    indptr = np.array(_kostra.starts_of_rows(rows[kept], n), np.int32)
    is_matrix = sparse.isspmatrix(csgraph) or isinstance(csgraph, np.matrix)
    return (sparse.csr_matrix if is_matrix else sparse.csr_array)(
        (data, indices, indptr), shape=graph.shape
    )


def _as_csr(csgraph):
    """The graph in CSR format. In a masked array, exactly the entries that are not masked are
    edges.
    """
    if sparse.issparse(csgraph):
        _arrays.refuse_blocks("csgraph", csgraph)
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
            f"csgraph[{row}, {column}] is NaN; "
            "remove the entry if there is no edge, or store its weight"
        ) from error
