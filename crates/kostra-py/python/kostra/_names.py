"""Converts vertices in arguments to numbers. A vertex is given by number or by name.

For a forest with ``nodes``, an integer is a number, and any other value is a name. An integer is
ambiguous if some vertex has a numeric name that differs from its number. A tuple is ambiguous if it
is a name and could also be several vertices. Ambiguous values are refused unless ``names`` is
given. Without ``nodes``, every value is a number.
"""

import numbers
import operator

import numpy as np

from kostra import _arrays


class Names:
    """The map from names to vertices."""

    __slots__ = ("_numbers", "are_numbers", "nodes")

    def __init__(self, nodes):
        self.nodes = nodes
        self._numbers = {}
        #: Whether some vertex has a numeric name that differs from its number.
        self.are_numbers = False
        self._number(0)

    def extend(self, names):
        """Adds the names of further vertices."""
        first = len(self.nodes)
        self.nodes += names
        self._number(first)

    def _number(self, first):
        for number in range(first, len(self.nodes)):
            name = self.nodes[number]
            self._numbers.setdefault(name, number)
            if isinstance(name, numbers.Number) and name != number:
                self.are_numbers = True

    def __contains__(self, name):
        try:
            return name in self._numbers
        except TypeError:  # unhashable values are not names
            return False

    def number(self, argument, name):
        """The vertex with the name ``name``. ``argument`` is the name of the argument in errors."""
        if name not in self:
            raise ValueError(f"{argument} is {_arrays.shown(name)}, which is not in forest.nodes")
        if len(self._numbers) < len(self.nodes) and self.nodes.count(name) > 1:
            raise ValueError(
                f"{argument} is {_arrays.shown(name)}, the name of several vertices; "
                "pass a number with names=False"
            )
        return self._numbers[name]


def vertex(argument, value, forest, names):
    """The number of one vertex."""
    if _are_names(argument, value, _is_integer(value), forest, names):
        return forest._names().number(argument, value)
    return _arrays.vertex(argument, value, forest.n)


def vertices(argument, values, forest, names):
    """Vertices as an array of numbers, and whether ``values`` was a single vertex."""
    if _is_one(argument, values, forest, names):
        value = values.item() if isinstance(values, np.ndarray) else values
        return np.array([vertex(argument, value, forest, names)], np.uint32), True
    if hasattr(values, "__len__") and len(values) == 0:
        return np.empty(0, np.uint32), False
    if _are_names(argument, values, _are_integers(values), forest, names):
        is_array = hasattr(values, "__array__")
        items = _arrays.listed(np.asarray(values)) if is_array else list(values)
        found = [
            forest._names().number(f"{argument}[{place}]", item) for place, item in enumerate(items)
        ]
        return np.array(found, np.uint32), False
    array = _arrays.ends(argument, values)
    outside = (array < 0) | (array >= forest.n)
    if outside.any():
        place = int(outside.argmax())
        raise ValueError(
            f"{argument}[{place}] is {array[place]}, "
            f"but the forest has {forest.n} vertices, numbered from 0"
        )
    return array.astype(np.uint32), False


def pairs(s, t, forest, names):
    """Pairs of vertices as two arrays of numbers of one length, and whether both arguments were
    single vertices. A single vertex is paired with every element of an array.
    """
    (s, one_s), (t, one_t) = (
        vertices(argument, values, forest, names) for argument, values in (("s", s), ("t", t))
    )
    if len(s) != len(t) and 1 not in (len(s), len(t)):
        raise ValueError(
            "s and t must have the same length, or one of them must be a single vertex, "
            f"but their lengths are {len(s)} and {len(t)}"
        )
    s, t = (np.ascontiguousarray(values) for values in np.broadcast_arrays(s, t))
    return s, t, one_s and one_t


def _are_names(argument, value, integers, forest, names):
    """Whether a value consists of names. ``integers`` is whether it consists of integers."""
    if names is not None:
        if _arrays.flag("names", names) and forest.nodes is None:
            raise ValueError(
                "the vertices of forest have no names (forest.nodes is None); pass numbers"
            )
        return names
    if forest.nodes is None or not integers:
        return forest.nodes is not None
    if forest._names().are_numbers:
        raise ValueError(
            f"{argument} could be a number or a name, because forest.nodes contains numbers; "
            "pass names=True or names=False"
        )
    return False


def _is_one(argument, values, forest, names):
    if (
        isinstance(values, tuple)
        and forest.nodes is not None
        and names is not False
        and values in forest._names()
    ):
        if names is None and (
            _are_integers(values) or all(item in forest._names() for item in values)
        ):
            raise ValueError(
                f"{argument} is {_arrays.shown(values)}, which could be one vertex by name or several; "
                "pass names=True for one vertex, or a list for several vertices"
            )
        return True
    try:
        return np.ndim(values) == 0
    except ValueError:  # names of different lengths
        return False


def _is_integer(value):
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def _are_integers(values):
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        return False
    if isinstance(values, np.ndarray) and values.ndim != 1:
        return True  # refused later by _arrays.ends
    return array.ndim == 1 and array.dtype.kind in "iu"
