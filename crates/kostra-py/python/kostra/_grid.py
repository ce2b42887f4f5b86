"""Graphs of the pixels of an image or the voxels of a volume, and their segments."""

import numpy as np

from kostra import _arrays, _device, _kostra
from kostra._graph import UNDIRECTED, Graph

#: By connectivity, the number of dimensions of the grid.
DIMENSIONS = {4: 2, 8: 2, 6: 3, 26: 3}

#: The most channels of a picture: three colors, and transparency.
COLORS = 4


def grid(array, connectivity=None, weight="difference", *, channels=None, threads=None):
    """The graph of the pixels of an image, or of the voxels of a volume.

    Every cell is a vertex. Vertices are numbered as in ``array.reshape(-1)``, so results per vertex
    have the shape of the image after ``.reshape(array.shape)``. Edges are ordered by their lower,
    then by their higher vertex.

    Parameters
    ----------
    array : array of integers or floats, or image of Pillow without a palette
        With connectivity 4 or 8, an image: height by width, or height by width by channels. With
        connectivity 6 or 26, a volume: depth by height by width, or the same by channels.
    connectivity : {4, 8, 6, 26}, optional
        The number of neighbors of a cell: those at its sides (4), or also at its corners (8); in
        three dimensions those at its faces (6), or also at its edges and corners (26). By default,
        4 for an array of two dimensions. It must be given for an array of three dimensions, because
        that may be an image with channels or a volume.
    weight : "difference" or callable
        The weights. By default, the absolute difference of the values of two cells, and for several
        channels the Euclidean distance: ``float32`` if ``array`` has floats or integers of up to 32
        or 16 bits, and ``float64`` otherwise. A callable gets two arrays with the values of the
        ends of all edges, and returns an array with the weights. Integers of up to 32 bits become
        ``int64``, so that differences of unsigned integers are not wrapped around.
        ``numpy.maximum`` gives for heights of a terrain the height at which water passes.
    channels : {"first", "last"}, optional
        Which dimension of an array with channels counts them. By default, the last one. It must be
        given if that has more than four values, and more than the first one: then ``array`` may be
        channels one after the other, as in PyTorch.
    threads : int, optional
        The number of threads for checking the weights of a callable. Refused without one.

    Returns
    -------
    Graph

    Raises
    ------
    ValueError, TypeError
        If ``array`` does not have as many dimensions as ``connectivity`` needs, a value is NaN, or
        the callable does not return one weight per edge.

    Examples
    --------
    >>> import kostra, numpy
    >>> image = numpy.array([[10, 11, 90], [10, 12, 91]], numpy.uint8)
    >>> graph = kostra.grid(image)
    >>> graph
    <kostra.Graph: 6 vertices, 7 edges, float32 weights>
    >>> kostra.cut(graph.minimum_spanning_forest(), k=2).reshape(image.shape)
    array([[0, 0, 1],
           [0, 0, 1]], dtype=int32)
    >>> kostra.grid(image, weight=numpy.maximum).weights
    array([11, 10, 90, 12, 91, 12, 91])
    """
    _device.refuse_if_on_device("array", array)
    if getattr(array, "mode", None) in ("P", "PA"):
        raise ValueError(
            "array is an image of Pillow with a palette, and positions in a palette have no "
            'differences; pass array.convert("RGB")'
        )
    array = _arrays.numbers("array", array)
    dimensions = dimensions_of(array, connectivity)
    connectivity = 4 if connectivity is None else connectivity
    if array.ndim not in (dimensions, dimensions + 1):
        raise ValueError(
            f"connectivity={connectivity} needs an array of {dimensions} dimensions, "
            f"or {dimensions + 1} with channels, but array has the shape {array.shape}"
        )
    array = channels_last(array, dimensions, channels)
    shape, channels = array.shape[:dimensions], array.shape[dimensions:]
    shape = (1,) * (3 - dimensions) + shape
    corners = connectivity in (8, 26)
    if callable(weight):
        u, v = _kostra.grid_ends(list(shape), corners)
        cells = array.reshape(-1, *channels)
        if array.dtype.kind in "iu" and array.dtype.itemsize <= 4:
            cells = cells.astype(np.int64)
        weights = np.asarray(weight(cells[u], cells[v]))
        if weights.shape != u.shape:
            raise ValueError(
                f"weight must return an array of {len(u)} weights, one per edge, "
                f"but returned the shape {weights.shape}"
            )
        return Graph(u, v, weights, len(cells), copy=False, threads=threads)
    if not isinstance(weight, str) or weight != "difference":
        raise ValueError(f"weight must be 'difference' or a callable, not {weight!r}")
    if threads is not None:
        raise ValueError("threads has an effect only if weight is a callable; leave threads out")
    is_single = array.dtype.itemsize <= (4 if array.dtype.kind == "f" else 2)
    values = np.ascontiguousarray(array, np.float32 if is_single else np.float64).reshape(-1)
    inner = _kostra.grid_graph(values, list(shape), channels[0] if channels else 1, corners)
    return Graph._loaded({"graph": inner, "undirected": UNDIRECTED})


def dimensions_of(array, connectivity):
    """The number of dimensions of a grid with this connectivity; 2 without one."""
    if connectivity is None and array.ndim >= 3:
        raise ValueError(
            f"is array, of the shape {array.shape}, an image with channels or a volume? pass "
            "connectivity=4 or 8 for an image, or connectivity=6 or 26 for a volume"
        )
    connectivity = 4 if connectivity is None else connectivity
    is_integer = isinstance(connectivity, (int, np.integer))
    dimensions = DIMENSIONS.get(connectivity) if is_integer else None
    if dimensions is None:
        raise ValueError(f"connectivity must be 4, 8, 6 or 26, not {connectivity!r}")
    return dimensions


def channels_last(array, dimensions, channels):
    """An array whose channels, if it has any, are counted by the last dimension."""
    has_channels = array.ndim > dimensions
    if channels is not None:
        _arrays.choice("channels", channels, ("first", "last"))
        if not has_channels:
            raise ValueError(
                f"array has the shape {array.shape} and so no channels; leave channels out"
            )
    elif has_channels and array.shape[-1] > max(COLORS, array.shape[0]):
        raise ValueError(
            f"does the first or the last dimension of array, of the shape {array.shape}, count the "
            "channels? pass channels='first' or channels='last'"
        )
    return np.moveaxis(array, 0, -1) if channels == "first" else array


def segment(graph, *, scale, min_size=1):
    """The segments of a graph by the criterion of Felzenszwalb and Huttenlocher.

    Edges are visited in the order of (weight, edge id). An edge merges two segments if its weight
    is at most the largest weight inside each of them, plus ``scale`` divided by their number of
    vertices. Then an edge merges two segments if one of them has fewer than ``min_size`` vertices.

    Parameters
    ----------
    graph : Graph
        Such as the result of :func:`grid`. Weights are differences: larger is less similar.
    scale : float
        How strongly small segments are merged: larger values give larger segments. Its unit is that
        of the weights.
    min_size : int
        The least number of vertices of a segment in a connected graph.

    Returns
    -------
    array of int32
        The segment of each vertex. Segments are numbered from 0 in the order of their lowest
        vertices.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong.
    KeyboardInterrupt
        If Ctrl-C is pressed during the call.

    Notes
    -----
    Takes O(m log m) time. The paper smooths images first, for example with
    ``scipy.ndimage.gaussian_filter(image, 0.8)``.

    References
    ----------
    Felzenszwalb and Huttenlocher, "Efficient graph-based image segmentation", 2004.

    Examples
    --------
    >>> import kostra
    >>> image = [[10, 11, 90, 91], [10, 12, 90, 50]]
    >>> kostra.segment(kostra.grid(image), scale=5).reshape(2, 4)
    array([[0, 0, 1, 1],
           [0, 0, 1, 2]], dtype=int32)
    >>> kostra.segment(kostra.grid(image), scale=5, min_size=2).reshape(2, 4)
    array([[0, 0, 1, 1],
           [0, 0, 1, 1]], dtype=int32)
    """
    if not isinstance(graph, Graph):
        raise TypeError(
            f"graph must be a kostra.Graph, such as kostra.grid(image), not {type(graph).__name__}"
        )
    min_size = _arrays.required("min_size", min_size, 0, 2**32 - 1)
    labels, _ = _kostra.segments(graph._inner, number("scale", scale), min_size)
    return labels.view(np.int32)


def number(name, value):
    """An argument that is a float of at least 0."""
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {_arrays.shown(value)}") from None
    if not value >= 0:
        raise ValueError(f"{name} must be at least 0, not {value}")
    return value
