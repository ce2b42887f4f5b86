"""Graphs of dense matrices, and the graph of any object."""

import io
import os

import numpy as np

from kostra import _arrays, _convert, _kostra
from kostra._values import Vertices


class Matrices(Vertices):
    """The constructor of :class:`kostra.Graph` from a matrix."""

    __slots__ = ()

    @classmethod
    def from_matrix(cls, matrix, *, zeros=None, negatives=None, nan="error", threads=None):
        """The graph of a symmetric matrix of weights or distances.

        Each pair of vertices is one edge, row by row. NaN, infinite and masked entries are no
        edges. The two entries of a pair are the same if they differ by rounding; then the smaller
        one counts.

        Parameters
        ----------
        matrix : array or table of n by n, or sparse matrix
            A table of pandas has the same labels on rows and columns, which are the ``nodes``. A
            sparse matrix is read as by :meth:`from_scipy`.
        zeros : {"edge", "none"}, optional
            What zeros off the diagonal are: weights, such as distances of identical things, or no
            edges. By default, they raise a ValueError, unless they cannot be distances.
        negatives : {"edge", "none"}, optional
            What negative entries are. By default, they are weights, and raise a ValueError if all
            are one number that often means "no edge", such as -1.
        nan, threads
            For sparse matrices, as for :meth:`from_scipy`.

        Returns
        -------
        Graph

        Raises
        ------
        ValueError, TypeError
            If the matrix is not square or not symmetric, or zeros or negative entries are in
            question.

        Examples
        --------
        >>> import kostra
        >>> graph = kostra.Graph.from_matrix([[0, 3, 5], [3, 0, 4], [5, 4, 0]])
        >>> graph.minimum_spanning_forest().total_weight
        7
        """
        meanings = {"zeros": zeros, "negatives": negatives}
        for name, meaning in meanings.items():
            if meaning is not None:
                _arrays.choice(name, meaning, ("edge", "none"))
        if hasattr(matrix, "tocoo"):
            given = next((name for name, meaning in meanings.items() if meaning is not None), None)
            if given is not None:
                raise ValueError(f"each stored entry of a sparse matrix is an edge; omit {given}")
            return cls.from_scipy(matrix, nan=nan, threads=threads)
        names = labels(matrix)
        file = io.BytesIO()
        np.save(file, _values(matrix))
        loaded = _kostra.read_matrix(file.getvalue(), zeros, negatives)
        for message in loaded["warnings"]:
            _arrays.warn(message)
        graph = cls._loaded(loaded)
        graph._nodes = names
        return graph


def labels(matrix):
    """The labels of a table, if they are more than its positions."""
    rows, columns = getattr(matrix, "index", None), getattr(matrix, "columns", None)
    if not hasattr(rows, "equals") or columns is None:
        return None
    labels = _arrays.listed(columns)
    if len(rows) != len(columns):
        raise ValueError(f"matrix must be square, but its shape is {matrix.shape}")
    if labels == list(range(len(labels))):
        return None
    rows = _arrays.listed(rows)
    if rows != labels and rows != list(range(len(labels))):
        raise ValueError(
            "the rows and the columns of matrix have different labels; give both the same, in one "
            "order"
        )
    return labels


def _values(matrix):
    """The entries as an array that a file can hold. Masked entries are NaN."""
    array = matrix if isinstance(matrix, np.ma.MaskedArray) else _arrays.exact("matrix", matrix)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"matrix must be square, but its shape is {array.shape}")
    _arrays.refuse_complex("matrix", array.dtype)
    if array.dtype.kind not in "iufb" or array.dtype.itemsize > 8:
        raise TypeError(
            "matrix must consist of integers or floats of up to 64 bits, not of "
            f"{array.dtype}; convert it, as with numpy.asarray(matrix, float)"
        )
    if np.ma.is_masked(array):
        return _arrays.numbers("matrix", array.filled(0)).astype(np.float64) + np.where(
            np.ma.getmaskarray(array), np.nan, 0.0
        )
    array = np.asarray(array)
    return array.astype(np.float32) if array.dtype == np.float16 else array


def graph_of(x, cls, nan, threads):
    """The graph of the only argument of ``minimum_spanning_forest``: a graph, a matrix, a table, or
    a graph of another library.
    """
    if isinstance(x, cls):
        return x
    if isinstance(x, (str, os.PathLike)):
        raise TypeError(f"u is {x!r}; pass kostra.Graph.read({x!r}) for the graph of a file")
    if hasattr(x, "tocoo"):
        return cls.from_scipy(x, nan=nan, threads=threads)
    for method, build in (
        ("is_multigraph", cls.from_networkx),
        ("get_edgelist", cls.from_igraph),
        ("weighted_edge_list", cls.from_rustworkx),
        ("upperNodeIdBound", cls.from_networkit),
    ):
        if hasattr(x, method):
            return build(x, nan=nan, threads=threads)
    columns = getattr(x, "columns", None)
    is_matrix = columns is not None and hasattr(getattr(x, "index", None), "equals")
    is_matrix = is_matrix and len(columns) == len(x) and "source" not in list(columns)
    is_table = isinstance(x, dict) or columns is not None or _convert.arrow_exporter(x) is not None
    if is_table and not is_matrix:
        build = cls.from_table
        if hasattr(x, "geom_type"):
            build = cls.from_geopandas
            if {"source", "target"} <= {*columns}:
                raise ValueError(
                    "are the ends the columns 'source' and 'target', or the ends of the lines? pass "
                    "the result of kostra.Graph.from_table or kostra.Graph.from_geopandas"
                )
        try:
            return build(x, nan=nan, threads=threads)
        except ValueError as error:
            # `minimum_spanning_forest` has no arguments for columns.
            where = f"kostra.Graph.{build.__name__}"
            message = str(error)
            raise ValueError(
                message if where in message else f"{message}, to {where}"
            ) from error
    shape = np.shape(x)
    if len(shape) == 2 and shape[1] in (2, 3):
        if shape[0] == shape[1]:
            raise ValueError(
                "is x a matrix, or are its rows edges? pass kostra.Graph.from_matrix(x) or "
                "kostra.Graph.from_edges(x)"
            )
        return cls.from_edges(x, nan=nan, threads=threads)
    if len(shape) != 2:
        raise TypeError(
            "the only argument must be a Graph, a matrix, a table or a graph of another library, "
            f"not {type(x).__name__}; or pass the ends of the edges as u and v"
        )
    return cls.from_matrix(x, threads=threads)
