"""A replacement for SciPy's ``minimum_spanning_tree``.

Only the import changes::

    from kostra.scipy import minimum_spanning_tree
"""

import numpy as np

from kostra import _arrays, _kostra, _optional
from kostra._solve import minimum_spanning_forest

__all__ = ["minimum_spanning_tree"]

scipy = _optional.module("scipy", "kostra.scipy")
sparse = _optional.module("scipy.sparse", "kostra.scipy")
_csgraph = _optional.module("scipy.sparse.csgraph", "kostra.scipy")
#: SciPy before 1.15 returns a ``csr_matrix`` for every input.
_ALWAYS_MATRIX = tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 15)

#: The types of columns and of weights that the engine takes as they are.
_INDICES = frozenset(map(np.dtype, ("i4", "i8")))
_WEIGHTS = frozenset(map(np.dtype, "i4 u4 i8 u8 f4 f8".split()))


def minimum_spanning_tree(
    csgraph, overwrite=False, *, maximum=False, explicit_zeros=False, threads=None
):
    """A minimum spanning tree of an undirected graph, or a forest if it is not connected.

    The parameters and the result are those of ``scipy.sparse.csgraph.minimum_spanning_tree``. The
    result is an n-by-n ``csr_array`` of floats, or a ``csr_matrix`` where SciPy's function returns
    one: for a matrix, and in SciPy 1.14 and earlier for every input. It has one entry
    per edge of the tree, at the position of the edge in the input. If an edge is stored at two
    positions, ``(i, j)`` and ``(j, i)``, the smaller weight is used; for equal weights, the entry
    in the earlier row. The result shares no memory with the input.

    There are three differences:

    * Duplicate entries are parallel edges, not summed: the smaller weight is used. The exception is
      the COO format, for which SciPy sums duplicates in the conversion to CSR.
    * A stored NaN, and a NaN in a masked array that is not masked, raises a ValueError.
    * So does a zero in a block of a matrix in BSR format, which may be an edge or fill the block.

    An edge of weight zero keeps heavier edges out of the tree, but the result does not store it, as
    in SciPy. So the result has fewer entries than the tree has edges, and
    ``scipy.sparse.csgraph.connected_components`` finds more components in it. Pass
    ``explicit_zeros=True`` to store all edges.

    Parameters
    ----------
    csgraph : sparse array or matrix, or dense array, n by n
        The weights. Zeros, infinities and NaN of a dense array are not edges. Every entry of a
        masked array that is not masked is an edge, zeros and infinities included.
    overwrite : bool
        Ignored; accepted for compatibility. The input is never changed.
    maximum : bool
        Whether to compute a maximum spanning forest. Of an edge that is stored at two positions,
        the greater weight is used.
    explicit_zeros : bool
        Whether the result stores edges of weight zero.
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
    Programs for SciPy's result often assume that it has no stored zeros, because ``nonzero()``
    omits them, and ``data`` does not. Stored zeros raise a ValueError in scikit-learn's ``HDBSCAN``
    and change the clusters of astroML. Without them, as with SciPy's function, scikit-learn's
    ``HDBSCAN`` with ``metric="precomputed"`` and a sparse matrix of coinciding points returns
    labels for only some of the points. To get a label for every point with either function, store
    the smallest positive distance instead of zero::

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
    maximum = _arrays.flag("maximum", maximum)
    kept = _forest(rows, columns, weights, n, {"maximum": maximum, "threads": threads})
    data = weights[kept]
    if not _arrays.flag("explicit_zeros", explicit_zeros):
        kept, data = kept[data != 0], data[data != 0]
    # The arrays are copies, in the types of SciPy's results, because the caller may write to them.
    data = data.astype(np.float64, copy=False)
    indices = columns[kept].astype(np.int32, copy=False)
    # The ids ascend, so the entries are already ordered by rows.
    indptr = np.array(_kostra.starts_of_rows(rows[kept], n), np.int32)
    return _result_type(csgraph)((data, indices, indptr), shape=graph.shape)


def _result_type(csgraph):
    """The type of the result of SciPy's function."""
    is_matrix = sparse.isspmatrix(csgraph) or isinstance(csgraph, np.matrix)
    return sparse.csr_matrix if is_matrix or _ALWAYS_MATRIX else sparse.csr_array


def _as_csr(csgraph):
    """The graph in CSR format. In a masked array, exactly the entries that are not masked are
    edges.
    """
    if sparse.issparse(csgraph):
        _arrays.refuse_blocks("csgraph", csgraph)
        _arrays.refuse_complex("csgraph", csgraph.dtype)
        return csgraph.tocsr()
    if isinstance(csgraph, np.ma.MaskedArray):
        return _csgraph.csgraph_from_masked(np.ma.array(csgraph, mask=np.ma.getmaskarray(csgraph)))
    _arrays.refuse_complex("csgraph", np.asarray(csgraph).dtype)
    return _csgraph.csgraph_from_dense(csgraph)


def _forest(rows, columns, weights, n, options):
    """The positions of the forest's entries, ascending."""
    try:
        if columns.dtype not in _INDICES or weights.dtype not in _WEIGHTS:
            return minimum_spanning_forest(rows, columns, weights, n, **options).edge_ids
        # The engine takes these types. Of small graphs, further checks take longer than the solve.
        edges = _arrays.Columns(*map(np.ascontiguousarray, (rows, columns, weights)), n)
        graph = _arrays.graph(edges, nan="error", copy=False, threads=options["threads"])
        return graph.solve(options | {"device": "auto", "algorithm": "auto", "parts": None}).ids()
    except ValueError as error:
        nan = np.flatnonzero(np.isnan(weights)) if weights.dtype.kind == "f" else ()
        if len(nan) == 0:
            raise
        row, column = rows[nan[0]], columns[nan[0]]
        raise ValueError(
            f"csgraph[{row}, {column}] is NaN; "
            "remove the entry if there is no edge, or store its weight"
        ) from error
