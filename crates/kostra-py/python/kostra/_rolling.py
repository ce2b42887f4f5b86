"""The function :func:`rolling_mst`."""

import numpy as np

from kostra import _arrays, _kostra, _optional
from kostra._points import PointTree

_DISTANCES = ("correlation", "absolute_correlation")


class RollingTrees:
    """One minimum spanning tree per window of a table, as :func:`rolling_mst` returns it.

    Attributes
    ----------
    starts : array of k int64
        The row of the table where each window starts.
    window : int
        The number of rows of a window.
    edges : array of k by n - 1 by 2 int32
        The two series of each edge, the lower one first. The edges of a tree ascend by (distance,
        lower series, higher series).
    distances : array of k by n - 1 float64
        The distances of the edges.
    totals : array of k float64
        The sum of the distances of each tree.
    degrees : array of k by n int32
        The number of edges of each series.
    survival : array of k float64
        The share of the edges of each tree that are in the tree of the window before, too; NaN for
        the first window.
    columns : list or None
        The names of the series, if the table has names.
    labels : list or None
        The label of the last row of each window, if the table is a data frame.
    """

    def __init__(self, found, starts, window, columns, index):
        series = len(found.degrees) // len(starts)
        self.starts = starts
        self.window = window
        self.edges = found.ends.astype(np.int32).reshape(len(starts), series - 1, 2)
        self.distances = found.distances.reshape(len(starts), series - 1)
        self.totals = self.distances.sum(axis=1)
        self.degrees = found.degrees.astype(np.int32).reshape(len(starts), series)
        self.survival = np.full(len(starts), np.nan)
        if series > 1:
            self.survival[1:] = found.survivors[1:] / (series - 1)
        self.columns = columns
        self.labels = None if index is None else _arrays.listed(index[starts + window - 1])

    def __len__(self):
        return len(self.starts)

    def tree(self, k):
        """The tree of a window, for :func:`cut`, pictures and files.

        Parameters
        ----------
        k : int
            The number of the window; negative numbers count from the end.

        Returns
        -------
        PointTree
            Its ``nodes`` are the names of the series.
        """
        k = range(len(self))[k]
        series = self.degrees.shape[1]
        u, v = np.ascontiguousarray(self.edges[k].T)
        columns = _arrays.Columns(u, v, self.distances[k], series)
        graph = _arrays.graph(columns, "error", copy=True, threads=1)
        ids = np.arange(series - 1, dtype=np.uint32)
        tree = PointTree._of(_kostra.Forest.whole_of(graph, ids, False, "points"))
        tree.nodes = self.columns
        return tree

    def to_pandas(self):
        """A data frame with a row per window: ``total``, ``survival``, and ``hub``, the series with
        the most edges, of several the first.
        """
        pandas = _optional.module("pandas", "to_pandas")
        hubs = self.degrees.argmax(axis=1)
        hubs = hubs if self.columns is None else [self.columns[hub] for hub in hubs]
        columns = {"total": self.totals, "survival": self.survival, "hub": hubs}
        return pandas.DataFrame(columns, self.starts if self.labels is None else self.labels)

    def __repr__(self):
        series = self.degrees.shape[1]
        return f"<kostra.RollingTrees: {len(self)} windows of {self.window}, {series} series>"


def rolling_mst(X, window, step=1, *, distance="correlation", threads=None):
    """The minimum spanning tree of the correlations between series, for each window of a table.

    The correlations are updated from window to window, not computed again. So the time per window
    does not depend on ``window`` if ``step`` is small.

    Parameters
    ----------
    X : array of t by n, or data frame
        One row per time and one column per series, such as the returns of stocks. Prices usually
        have to be converted to returns first.
    window : int
        The number of rows of a window, at least 2.
    step : int
        The number of rows between the starts of two windows.
    distance : {"correlation", "absolute_correlation"}
        ``sqrt(2 * (1 - r))`` for the correlation r (Mantegna 1999), or ``sqrt(2 * (1 - abs(r)))``.
    threads : int, optional
        The number of threads; by default, all of the machine's. The result does not depend on it.

    Returns
    -------
    RollingTrees
        One tree per window, ``(t - window) // step + 1`` windows.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong, a value is missing, or a series is constant in a window, so that it
        has no correlation. The message names the row and the column.
    KeyboardInterrupt
        If Ctrl-C is pressed.

    Notes
    -----
    Takes O(n^2) time per window and row that enters or leaves it, and 8 n^2 bytes per thread.
    Correlations have an error below 1e-10. Pairs of series are ordered by distance, then by the
    lower and the higher series.

    Examples
    --------
    >>> import kostra, numpy
    >>> returns = numpy.random.default_rng(0).normal(size=(300, 20))
    >>> trees = kostra.rolling_mst(returns, window=250)
    >>> trees
    <kostra.RollingTrees: 51 windows of 250, 20 series>
    >>> trees.edges.shape, trees.degrees.shape, bool((trees.survival[1:] > 0.5).all())
    ((51, 19, 2), (51, 20), True)
    """
    names, index = getattr(X, "columns", None), getattr(X, "index", None)
    if not hasattr(index, "equals"):
        index = None  # not a data frame of pandas
    if hasattr(X, "to_numpy") and names is not None:
        names, X = list(names), X.to_numpy()
    else:
        names = None
    table = _arrays.numbers("X", X)
    if table.ndim != 2:
        raise ValueError(f"X must have two dimensions, times and series, not {table.ndim}")
    times, series = table.shape
    if series == 0:
        raise ValueError("X has no series; pass one column per series")
    if table.dtype not in (np.float32, np.float64):
        table = table.astype(np.float64)
    window = _arrays.required("window", window, 2, max(times, 2))
    step = _arrays.required("step", step, 1, max(times, 1))
    windows = {
        "series": series,
        "length": window,
        "step": step,
        "is_absolute": _arrays.choice("distance", distance, _DISTANCES) == _DISTANCES[1],
    }
    rows = np.ascontiguousarray(table).reshape(-1)
    found = _kostra.RollingTrees(rows, windows, _arrays.threads(threads))
    starts = np.arange(0, times - window + 1, step)
    return RollingTrees(found, starts, window, names, index)
