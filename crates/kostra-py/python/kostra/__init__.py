"""Minimum spanning forests: fast, deterministic and verifiable.

>>> import kostra
>>> forest = kostra.minimum_spanning_forest([0, 1, 2, 0], [1, 2, 0, 3], [4.0, 1.0, 2.0, 0.0])
>>> forest.edge_ids
array([1, 2, 3])
>>> forest.total_weight
3.0

Edges are ordered by weight, then by position in the input. So the minimum spanning forest is
unique, and every algorithm returns the same edges on any number of threads. Graphs may be
disconnected and may have isolated vertices, parallel edges and self-loops. Weights may be zero,
equal, negative and infinite.

* :func:`minimum_spanning_forest` takes arrays and returns a :class:`Forest`.
* :class:`Graph` stores a graph. It converts the graphs of other libraries and reads files.
* :func:`single_linkage`, :func:`cut` and :func:`bottleneck` compute clusters and
  bottlenecks of a forest.
* :func:`newick` writes a linkage matrix as a dendrogram for programs of phylogenetics.
* Graphs in arrays on a CUDA device, from CuPy, PyTorch, JAX or Numba, are solved on the device.
  The result is a :class:`DeviceForest`.
* :func:`euclidean_mst` takes points, and so does :func:`neighbors_mst`, which prefers the edges
  of nearest neighbors. :func:`nearest_neighbors` finds these. :func:`single_linkage` and the
  estimators in :mod:`kostra.cluster`, such as ``HDBSCAN``, find clusters of points.
* :func:`grid` makes the graph of an image or a volume, and :func:`segment` divides it.
* :func:`alternatives` tells whether a forest is unique and finds the edges of all minimum forests,
  their number, and the best forests in order. :func:`constrained_forest` takes edges that a forest
  contains or avoids, vertices that are connected, and a number of trees.
* :func:`watershed` grows regions of an image or a graph from markers.
* :func:`persistence` finds when the components of an image, a graph or points start and end.
* :func:`arborescence` finds the minimum spanning arborescence or forest of a directed graph.
* :func:`steiner_tree` joins some vertices of a graph by a cheap tree.
* :func:`partition` divides the vertices of a graph into parts with few edges between them.
* :class:`DynamicForest` keeps the forest of a graph that changes, and :class:`DynamicPoints` the
  tree of points that come and go. :func:`rolling_mst` computes the tree of correlations for each
  window of a table.
* :func:`trace` lists the steps of an algorithm, for teaching.
* :func:`verify` checks a forest independently of the algorithms.
* :mod:`kostra.scipy` replaces SciPy's ``minimum_spanning_tree``, and :mod:`kostra.hdbscan` the
  package hdbscan. In NetworkX, pass ``backend="kostra"``.
"""

from kostra._alternatives import Alternatives, alternatives, constrained_forest
from kostra._approximate import ErrorBound
from kostra._arborescence import Arborescence, arborescence
from kostra._device import DeviceError
from kostra._device_forest import DeviceArray, DeviceForest, DevicePointTree
from kostra._distances import SamplesError
from kostra._dynamic import DynamicForest
from kostra._dynamic_points import DynamicPoints
from kostra._forest import Forest
from kostra._graph import Graph
from kostra._grid import grid, segment
from kostra._kostra import __version__, solvers
from kostra._partition import Partition, partition
from kostra._persistence import Persistence, persistence
from kostra._points import PointTree, euclidean_mst, nearest_neighbors, neighbors_mst
from kostra._rolling import RollingTrees, rolling_mst
from kostra._solve import minimum_spanning_forest
from kostra._steiner import SteinerTree, steiner_tree
from kostra._trace import trace
from kostra._tree import bottleneck, cut, newick, single_linkage
from kostra._verify import verify
from kostra._watershed import watershed, watershed_hierarchy

__all__ = [
    "Alternatives",
    "Arborescence",
    "DeviceArray",
    "DeviceError",
    "DeviceForest",
    "DevicePointTree",
    "DynamicForest",
    "DynamicPoints",
    "ErrorBound",
    "Forest",
    "Graph",
    "Partition",
    "Persistence",
    "PointTree",
    "RollingTrees",
    "SamplesError",
    "SteinerTree",
    "__version__",
    "alternatives",
    "arborescence",
    "bottleneck",
    "constrained_forest",
    "cut",
    "euclidean_mst",
    "grid",
    "minimum_spanning_forest",
    "nearest_neighbors",
    "neighbors_mst",
    "newick",
    "partition",
    "persistence",
    "rolling_mst",
    "segment",
    "single_linkage",
    "solvers",
    "steiner_tree",
    "trace",
    "verify",
    "watershed",
    "watershed_hierarchy",
]


#: The modules that need other packages.
_LATER = ("cluster", "distributed", "duckdb", "hdbscan", "nx", "pandas", "polars", "scipy")


def __getattr__(name):
    """Imports the modules that need other packages at their first use."""
    if name in _LATER:
        import importlib

        return importlib.import_module(f"kostra.{name}")
    raise AttributeError(f"module 'kostra' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_LATER})
