"""The class :class:`DynamicPoints`."""

import numpy as np

from kostra import _arrays, _kostra, _metrics
from kostra._distances import samples
from kostra._dynamic import ids_of
from kostra._points import PointTree, _flat, points


class DynamicPoints:
    """Points that come and go, and their minimum spanning tree.

    After each update, the tree is the one that :func:`euclidean_mst` returns for the present points
    in the order of their ids, bit by bit. So ``kostra.cluster.HDBSCAN().fit(points.tree())`` and
    ``kostra.single_linkage(points.tree())`` give what they give for the tree of a new fit.

    Parameters
    ----------
    X : array of n by d
        The first points, as for :func:`euclidean_mst`. Their ids are 0 to n - 1.
    metric : str
        How distances are measured, as for :func:`euclidean_mst`: a metric of coordinates, from
        ``"euclidean"`` to ``"arccos"``.
    min_samples : int, optional
        As for :func:`euclidean_mst`.
    threads : int, optional
        The number of threads of all updates; by default, all of the machine's.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong. An update that is refused changes nothing.

    Notes
    -----
    Adding a few points to many takes a fraction of the time of a new tree, because the new tree is
    within the old tree and the edges at new points. Removing a few keeps the edges between the
    others. With ``min_samples`` of at least 2, the core distances of near points change too, so
    about ``min_samples`` times as many points are searched. These updates compute the whole tree
    again, and ``recomputed`` says so: adding more than an eighth of the points, removing more than
    a quarter, changing the core distances of more than a quarter, removing from many points with
    the same coordinates (with ``min_samples`` of at least 2 also adding to them), and all updates
    with more than 16 columns. The first points after a removal need half the time of a new tree. An
    update that Ctrl-C interrupts is cancelled, unless it is nearly done: ``n`` says whether it
    counts.

    Examples
    --------
    >>> import kostra
    >>> points = kostra.DynamicPoints([[0.0], [1.0], [5.0], [9.0], [14.0], [20.0], [27.0]])
    >>> points.add([[4.0]])
    array([7])
    >>> points.recomputed, points.tree().total_weight
    (False, 27.0)
    >>> points.remove([0, 6])
    >>> points.recomputed, points.ids
    (False, array([1, 2, 3, 4, 5, 7]))
    """

    __slots__ = ("_inner", "metric", "min_samples", "threads")

    def __init__(self, X, *, metric="euclidean", min_samples=None, threads=None):
        self.metric = _metrics.resolve(metric, None)
        if callable(self.metric):
            raise ValueError(
                f"metric={metric!r} compares all pairs, so points that come and go do not have it; "
                "pass a metric of coordinates, such as 'euclidean'"
            )
        self.threads = _arrays.threads(threads)
        coordinates = points("X", X, self.metric)
        self.min_samples = samples(min_samples, len(coordinates))
        self._inner = _kostra.DynamicPoints(
            {
                "coordinates": _flat(coordinates, self.metric),
                "dimensions": coordinates.shape[1],
                "metric": self.metric,
                "min_samples": self.min_samples,
                "alpha": 1.0,
                "weights": None,
                "threads": self.threads,
            }
        )

    def add(self, X):
        """Adds points.

        Parameters
        ----------
        X : array of m by d
            The points, with the columns of the first ones.

        Returns
        -------
        array of int64
            Their ids. Ids ascend and are never used again.
        """
        coordinates = points("X", X, self.metric)
        first, end = self._inner.add(
            _flat(coordinates, self.metric), coordinates.shape[1], self.threads
        )
        return np.arange(first, end, dtype=np.int64)

    def remove(self, ids):
        """Removes points.

        Parameters
        ----------
        ids : int, or array of integers
            The ids of present points, each once.
        """
        self._inner.remove(ids_of("ids", ids, "a point"), self.threads)

    def tree(self):
        """The spanning tree of the present points. Takes O(n) time.

        Returns
        -------
        PointTree
            Its points are positions in ``ids`` and rows of ``points``.
        """
        coordinates = self.points if self._inner.dimensions == 2 else None
        return PointTree._of(self._inner.tree(), coordinates, self.metric)

    @property
    def n(self):
        """The number of present points."""
        return self._inner.n

    @property
    def ids(self):
        """The ids of the present points, ascending: an array of int64."""
        return self._inner.ids().astype(np.int64)

    @property
    def points(self):
        """The present points in the order of ``ids``: a copy, an array of n by d float64."""
        return self._inner.rows().reshape(-1, self._inner.dimensions)

    @property
    def recomputed(self):
        """Whether the last update computed the whole tree again."""
        return self._inner.was_recomputed

    def __repr__(self):
        counted = _arrays.counted(self.n, "point", "points")
        return f"<kostra.DynamicPoints: {counted}, {self.metric}>"
