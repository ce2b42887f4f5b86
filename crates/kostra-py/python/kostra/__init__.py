"""Minimum spanning forests: fast, always the same one, and with proof that it is right.

>>> import kostra
>>> forest = kostra.minimum_spanning_forest([0, 1, 2, 0], [1, 2, 0, 3], [4.0, 1.0, 2.0, 0.0])
>>> forest.edge_ids
array([1, 2, 3])
>>> forest.total_weight
3.0

Edges are ordered by weight, then by their position in the input, so that there is exactly one minimum spanning
forest: every algorithm, on any number of threads, returns the same edges. Disconnected graphs, isolated vertices,
parallel edges, self-loops, zero, equal, negative and infinite weights are ordinary.

* :func:`minimum_spanning_forest` takes arrays and returns a :class:`Forest`.
* :class:`Graph` holds a graph for more than one question, and is made from what other libraries hold, and from files.
* :func:`single_linkage`, :func:`cut` and :func:`bottleneck` compute clusters and bottlenecks of a forest.
* Arrays on a CUDA device, of CuPy, PyTorch, JAX or Numba, are solved there, and give a :class:`DeviceForest`.
* :func:`verify` proves a forest right without trusting any algorithm.
* :mod:`kostra.scipy` has SciPy's ``minimum_spanning_tree``; with NetworkX, say ``backend="kostra"``.
"""

from kostra._device import DeviceError
from kostra._device_forest import DeviceArray, DeviceForest
from kostra._forest import Forest
from kostra._graph import Graph, minimum_spanning_forest
from kostra._kostra import __version__, solvers
from kostra._tree import bottleneck, cut, single_linkage
from kostra._verify import verify

__all__ = [
    "DeviceArray",
    "DeviceError",
    "DeviceForest",
    "Forest",
    "Graph",
    "__version__",
    "bottleneck",
    "cut",
    "minimum_spanning_forest",
    "single_linkage",
    "solvers",
    "verify",
]


def __getattr__(name):
    """The modules that need SciPy or NetworkX: imported at their first use."""
    if name in ("nx", "scipy"):
        import importlib

        return importlib.import_module(f"kostra.{name}")
    raise AttributeError(f"module 'kostra' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), "nx", "scipy"})
