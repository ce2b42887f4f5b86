"""The function :func:`persistence`."""

import numpy as np

from kostra import _arrays, _device, _kostra
from kostra._forest import Forest
from kostra._graph import Graph
from kostra._grid import dimensions_of, number
from kostra._values import Value


class Persistence(Value):
    """The components of a filtration, as :func:`persistence` returns them.

    Components that end come first, in the order in which they end; the others are in the order of
    their vertices. Two results are equal if all their attributes are equal. They can be copied and
    pickled, but are not hashable. The arrays are read-only.

    Attributes
    ----------
    births, deaths : array of float64
        The values at which each component starts and ends; infinity if it does not end, or with
        ``superlevel`` negative infinity.
    vertices : array of int64
        The vertex with which each component starts: the one that enters first, and of several the
        one with the lowest number. For an image, the position in ``array.reshape(-1)``.
    ends : array of int64
        The edge at which each component ends, or for an image the later one of its two cells; -1 if
        it does not end.
    elders : array of int64
        The vertex of the older component that each component meets there, or -1.
    tree_values, tree_places, tree_parents : array of float64, of int64, of int64
        The join tree, or with ``superlevel`` the split tree. Its leaves are the components, in
        order; the other nodes are where they meet. A node has a value, a place (of ``vertices`` or
        ``ends``) and a parent, -1 for a root.
    """

    __slots__ = (
        "births",
        "deaths",
        "elders",
        "ends",
        "tree_parents",
        "tree_places",
        "tree_values",
        "vertices",
    )

    def __init__(self, arrays):
        for name in Persistence.__slots__:
            setattr(self, name, arrays[name])
            arrays[name].flags.writeable = False

    def _parts(self):
        return tuple(getattr(self, name) for name in Persistence.__slots__)

    def __reduce__(self):
        return type(self), ({name: getattr(self, name) for name in Persistence.__slots__},)

    @property
    def pairs(self):
        """The persistence diagram: an array of the births and the deaths, with two columns."""
        return np.column_stack([self.births, self.deaths])

    def __len__(self):
        return len(self.births)

    def __repr__(self):
        components = _arrays.counted(len(self), "component", "components")
        lasting = int(np.isinf(self.deaths).sum())
        return f"<kostra.Persistence: {components}, {lasting} without an end>"


def persistence(
    data,
    connectivity=None,
    *,
    heights=None,
    edges="weights",
    superlevel=False,
    min_persistence=0.0,
    threads=None,
):
    """When the components of an image, a graph or points start and end: 0-dimensional persistence.

    Things enter from the lowest value to the highest. A component starts when a cell, a vertex or a
    point enters. When two components meet, the younger one ends (the elder rule). Components that
    end where they start are left out.

    Parameters
    ----------
    data : array of two or three dimensions, Graph, or tree of points
        An image or a volume: a cell enters at its value, and a pair of neighbors with the later one
        of the two. A graph: see ``heights`` and ``edges``. A spanning tree of points, as
        :func:`euclidean_mst` returns it: points enter at 0, and pairs at their distances.
    connectivity : {4, 8, 6, 26}, optional
        As for :func:`grid`: the number of neighbors of a cell. It must be given for an array of
        three dimensions, to tell that it is a volume.
    heights : array of numbers, optional
        The value at which each vertex of a graph enters; by default, 0 for all.
    edges : {"weights", "ends"}
        Whether the edges of a graph enter at their weights, or with the later one of their ends.
    superlevel : bool
        Things enter from the highest value to the lowest.
    min_persistence : float
        Leave out components that do not last longer than this.
    threads : int, optional
        The number of threads; by default, all of the machine's.

    Returns
    -------
    Persistence
        Its attribute ``pairs`` is the persistence diagram.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong, a value is NaN, or an edge would enter before its ends.
    KeyboardInterrupt
        If Ctrl-C is pressed.

    Notes
    -----
    With connectivity 8 or 26, the diagram of an image is that of the cubical complex whose cells of
    the highest dimension have the values. With 4 or 6, it is that of the complex whose vertices
    have them.

    Examples
    --------
    >>> import kostra, numpy
    >>> image = numpy.array([[1, 5, 0], [4, 5, 3], [4, 4, 3]])
    >>> found = kostra.persistence(image)
    >>> found
    <kostra.Persistence: 2 components, 1 without an end>
    >>> found.pairs
    array([[ 1.,  4.],
           [ 0., inf]])
    >>> kostra.persistence(kostra.euclidean_mst([[0.0], [1.0], [5.0]])).deaths
    array([ 1.,  4., inf])
    """
    _device.refuse_if_on_device("data", data)
    least = number("min_persistence", min_persistence)
    wish = (_arrays.flag("superlevel", superlevel), least, _arrays.threads(threads))
    _arrays.choice("edges", edges, ("weights", "ends"))
    if isinstance(data, Forest):
        data = Graph(data.u, data.v, data.weights, data.n)
    if isinstance(data, Graph):
        if connectivity is not None:
            raise ValueError("connectivity applies to images; leave it out")
        if heights is not None:
            heights = _heights(heights, data.n)
        elif edges == "ends":
            raise ValueError("edges='ends' needs heights, the values of the vertices")
        return Persistence(
            _kostra.persistence_of_edges(data._inner, heights, edges == "ends", wish)
        )
    if heights is not None or edges != "weights":
        raise ValueError("heights and edges apply to graphs; leave them out")
    array = _arrays.numbers("data", data)
    dimensions = dimensions_of(array, connectivity)
    if array.ndim != dimensions:
        raise ValueError(
            f"data has the shape {array.shape}, and a cell must have one value; pass one channel, "
            "or connectivity=6 or 26 for a volume"
        )
    is_single = array.dtype.itemsize <= (4 if array.dtype.kind == "f" else 2)
    values = np.ascontiguousarray(array, np.float32 if is_single else np.float64).reshape(-1)
    shape = [1] * (3 - dimensions) + list(array.shape)
    return Persistence(_kostra.persistence_of_cells(values, shape, connectivity in (8, 26), wish))


def _heights(heights, n):
    heights = _arrays.numbers("heights", heights)
    if heights.shape != (n,):
        raise ValueError(
            f"heights must have one value for each of {n} vertices, not the shape {heights.shape}"
        )
    return np.ascontiguousarray(heights, np.float64)
