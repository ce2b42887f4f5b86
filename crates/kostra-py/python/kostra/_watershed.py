"""The functions :func:`watershed` and :func:`watershed_hierarchy`."""

import numpy as np

from kostra import _arrays, _device, _kostra
from kostra._forest import Forest
from kostra._graph import Graph
from kostra._grid import channels_last, dimensions_of


def watershed(data, markers, connectivity=None, *, relief=None, channels=None, threads=None):
    """The regions that grow from markers along the minimum spanning forest: a watershed.

    The forest is that of the graph in which all marked vertices are one vertex. Each of its trees
    contains one marker, and is a region. Edges are ordered by (weight, edge id), so the regions are
    unique.

    Parameters
    ----------
    data : array of two or three dimensions, or Graph
        An image or a volume, whose neighbors are joined by edges as in :func:`grid`; or a graph.
    markers : array of integers
        The label of each pixel or vertex: at least 1 for markers, and 0 for the others. Pixels with
        one label are one marker, also if they are apart.
    connectivity : {4, 8, 6, 26}, optional
        As for :func:`grid`.
    relief : {"differences", "heights"}
        What is flooded, for an array: ``"differences"`` if it is an image, and ``"heights"`` if its
        values are heights, such as those of a terrain, a gradient or a map of boundaries. Then an
        edge weighs the higher one of its two values. It must be given for an array.
    channels : {"first", "last"}, optional
        As for :func:`grid`.
    threads : int, optional
        The number of threads; by default, all of the machine's.

    Returns
    -------
    array of int32
        The label of the region of each pixel, in the shape of the image; or that of each vertex. 0
        for a vertex that no marker reaches.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong, or nothing is marked.
    KeyboardInterrupt
        If Ctrl-C is pressed, for a graph.

    References
    ----------
    Cousty, Bertrand, Najman and Couprie, "Watershed cuts: minimum spanning forests and the drop of
    water principle", 2009.

    Examples
    --------
    >>> import kostra, numpy
    >>> heights = numpy.array([[0, 3, 1, 1], [1, 4, 2, 0]])
    >>> markers = numpy.array([[5, 0, 0, 0], [0, 0, 0, 7]])
    >>> kostra.watershed(heights, markers, relief="heights")
    array([[5, 5, 7, 7],
           [5, 5, 7, 7]], dtype=int32)
    """
    _device.refuse_if_on_device("data", data)
    threads = _arrays.threads(threads)
    if isinstance(data, Graph):
        if connectivity is not None or relief is not None or channels is not None:
            raise ValueError("connectivity, relief and channels apply to images; leave them out")
        labels = _labels(markers, (data.n,))
        return _kostra.watershed_of_edges(data._inner, labels, threads).view(np.int32)
    if relief is None:
        raise ValueError(
            "are the values of data an image or heights? pass relief='differences' or 'heights'"
        )
    _arrays.choice("relief", relief, ("differences", "heights"))
    array = _arrays.numbers("data", data)
    dimensions = dimensions_of(array, connectivity)
    if array.ndim not in (dimensions, dimensions + (relief == "differences")):
        raise ValueError(
            f"connectivity={connectivity or 4} and relief={relief!r} need an array of {dimensions} "
            f"dimensions, but data has the shape {array.shape}"
        )
    array = channels_last(array, dimensions, channels)
    shape, values = array.shape[:dimensions], int(np.prod(array.shape[dimensions:]))
    labels = _labels(markers, shape)
    is_single = array.dtype.itemsize <= (4 if array.dtype.kind == "f" else 2)
    cells = np.ascontiguousarray(array, np.float32 if is_single else np.float64).reshape(-1)
    full = [1] * (3 - dimensions) + list(shape)
    terrain = (cells, values, full, connectivity in (8, 26), relief == "heights")
    regions = _kostra.watershed_of_cells(terrain, labels, threads)
    return regions.view(np.int32).reshape(shape)


def _labels(markers, shape):
    markers = np.asarray(markers)
    if markers.dtype.kind not in "iub":
        raise TypeError(f"markers must be integers, not {markers.dtype}")
    if markers.shape != tuple(shape):
        raise ValueError(f"markers must have the shape {tuple(shape)}, not {markers.shape}")
    if markers.size and not (0 <= markers.min() and markers.max() <= np.iinfo(np.int32).max):
        raise ValueError("markers must be labels from 0 (no marker) to 2^31 - 1")
    return np.ascontiguousarray(markers, np.uint32).reshape(-1)


def watershed_hierarchy(forest, by="volume", *, areas=None):
    """The hierarchy of the watersheds of a graph: in which order the regions of its minima merge.

    It is the same forest with other weights. An edge, at which two regions meet, weighs what the
    less important of the two has of an attribute. :func:`cut` finds the most important regions, and
    :func:`single_linkage` the hierarchy.

    Parameters
    ----------
    forest : Forest
        The minimum spanning forest of a graph, such as that of :func:`grid`.
    by : {"volume", "area", "dynamics", "altitude"}
        What makes a region important when it meets another one at an edge: the area of its
        vertices; its volume, the water that it holds up to the edge; its dynamics, how far the edge
        is above the lowest weight in the region; or its altitude, the weight of the edge itself.
    areas : array of numbers, optional
        The area of each vertex; by default 1.

    Returns
    -------
    Forest
        The edges of ``forest`` with their weights in the hierarchy, numbered from 0.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong.

    References
    ----------
    Cousty and Najman, "Incremental algorithm for hierarchical minimum spanning forests and saliency
    of watershed cuts", 2011.

    Examples
    --------
    >>> import kostra, numpy
    >>> heights = numpy.array([[0, 0, 5, 1, 3, 2, 2]])
    >>> graph = kostra.grid(heights, weight=numpy.maximum)
    >>> regions = kostra.watershed_hierarchy(graph.minimum_spanning_forest(), "dynamics")
    >>> regions.weights
    array([0., 5., 0., 1., 0., 0.])
    >>> kostra.cut(regions, k=2)
    array([0, 0, 1, 1, 1, 1, 1], dtype=int32)
    """
    if not isinstance(forest, Forest):
        raise TypeError(
            "forest must be a minimum spanning forest, such as graph.minimum_spanning_forest(), "
            f"not {type(forest).__name__}"
        )
    _arrays.choice("by", by, ("volume", "area", "dynamics", "altitude"))
    areas = np.empty(0) if areas is None else _arrays.numbers("areas", areas)
    if areas.size and areas.shape != (forest.n,):
        raise ValueError(
            f"areas must have one number for each of {forest.n} vertices, not the shape "
            f"{areas.shape}"
        )
    own = Graph(forest.u, forest.v, forest.weights, forest.n)
    areas = np.ascontiguousarray(areas, np.float64)
    weights = _kostra.hierarchy_weights(own._inner, by, areas)
    graph = Graph(forest.u, forest.v, weights, forest.n, copy=False)
    return graph.minimum_spanning_forest()
