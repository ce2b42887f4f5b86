from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypedDict, overload

import geopandas
import igraph
import matplotlib.axes
import networkit
import networkx
import numpy as np
import numpy.typing as npt
import pandas
import rustworkx
from scipy.sparse import csr_array, sparray, spmatrix

from kostra import cluster as cluster
from kostra import nx as nx
from kostra import scipy as scipy

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

__version__: str

class DeviceError(RuntimeError): ...

class DeviceArray:
    dtype: np.dtype[Any]
    def __init__(self, values: npt.ArrayLike, device: str = "cuda") -> None: ...
    @property
    def shape(self) -> tuple[int]: ...
    @property
    def device(self) -> str: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def to_numpy(self) -> npt.NDArray[Any]: ...

class DeviceForest:
    u: DeviceArray
    v: DeviceArray
    n: int
    maximum: bool
    @property
    def edge_ids(self) -> DeviceArray: ...
    @property
    def weights(self) -> DeviceArray: ...
    @property
    def total_weight(self) -> int | float: ...
    @property
    def n_components(self) -> int: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def device(self) -> str: ...
    def __len__(self) -> int: ...
    def to_host(self) -> Forest: ...
    def write(
        self, path: str | PathLike[str], *, format: str | None = None, keep: bool = True
    ) -> None: ...

class DevicePointTree(DeviceForest):
    @property
    def distances(self) -> DeviceArray: ...
    def to_host(self) -> PointTree: ...

class Forest:
    @property
    def nodes(self) -> list[Any] | None: ...
    @nodes.setter
    def nodes(self, nodes: Iterable[Any] | None) -> None: ...
    @property
    def coordinates(self) -> npt.NDArray[np.float64] | None: ...
    @coordinates.setter
    def coordinates(self, places: npt.ArrayLike | None) -> None: ...
    geographic: bool
    @property
    def n(self) -> int: ...
    @property
    def edge_ids(self) -> npt.NDArray[np.int64]: ...
    @property
    def u(self) -> npt.NDArray[np.integer[Any]]: ...
    @property
    def v(self) -> npt.NDArray[np.integer[Any]]: ...
    @property
    def weights(self) -> npt.NDArray[Any]: ...
    @property
    def total_weight(self) -> int | float: ...
    @property
    def n_components(self) -> int: ...
    @property
    def kept(self) -> dict[str, Any]: ...
    @property
    def maximum(self) -> bool: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def fallback(self) -> str | None: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]
    def labels(self) -> npt.NDArray[np.int32]: ...
    def parents(
        self, root: Hashable = ..., *, names: bool | None = None
    ) -> npt.NDArray[np.int64]: ...
    def __iter__(self) -> Iterator[tuple[Any, Any, int | float]]: ...
    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def to_numpy(self, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]: ...
    def to_scipy(self, *, symmetric: bool = False) -> csr_array: ...
    def to_networkx(self, *, weight: str = "weight") -> networkx.Graph: ...
    def to_igraph(self, *, weight: str = "weight") -> igraph.Graph: ...
    def to_rustworkx(self, *, weight: str = "weight") -> rustworkx.PyGraph: ...
    def to_networkit(self) -> networkit.Graph: ...
    def to_pandas(self, *, weight: str = "weight") -> pandas.DataFrame: ...
    def to_geopandas(
        self, *, weight: str = "weight", crs: Any = None
    ) -> geopandas.GeoDataFrame: ...
    def write(
        self, path: str | PathLike[str], *, format: str | None = None, keep: bool = True
    ) -> None: ...
    def plot(
        self,
        positions: npt.ArrayLike | Mapping[Any, Any] | None = None,
        *,
        ax: matplotlib.axes.Axes | None = None,
        **style: Any,
    ) -> matplotlib.axes.Axes: ...
    def _repr_html_(self) -> str: ...
    def _repr_svg_(self) -> str | None: ...

class SamplesError(ValueError): ...

class ErrorBound(NamedTuple):
    length: float
    least: float
    confidence: float
    recall: float
    @property
    def relative(self) -> float: ...

class PointTree(Forest):
    @property
    def error(self) -> ErrorBound | None: ...
    @property
    def edges(self) -> npt.NDArray[np.int32]: ...
    @property
    def distances(self) -> npt.NDArray[np.float64]: ...

class Graph:
    @property
    def nodes(self) -> list[Any] | None: ...
    @nodes.setter
    def nodes(self, nodes: Iterable[Any] | None) -> None: ...
    @property
    def coordinates(self) -> npt.NDArray[np.float64] | None: ...
    @coordinates.setter
    def coordinates(self, places: npt.ArrayLike | None) -> None: ...
    geographic: bool
    notes: list[str]
    def __init__(
        self,
        u: npt.ArrayLike,
        v: npt.ArrayLike,
        w: npt.ArrayLike | None = None,
        n: int | None = None,
        *,
        nan: Literal["error", "skip"] = "error",
        relabel: bool = False,
        copy: bool = True,
        threads: int | None = None,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]
    @property
    def n(self) -> int: ...
    @property
    def m(self) -> int: ...
    @property
    def u(self) -> npt.NDArray[np.integer[Any]]: ...
    @property
    def v(self) -> npt.NDArray[np.integer[Any]]: ...
    @property
    def weights(self) -> npt.NDArray[Any]: ...
    @property
    def kept(self) -> dict[str, Any]: ...
    @classmethod
    def from_scipy(
        cls, matrix: _Sparse, *, nan: Literal["error", "skip"] = "error", threads: int | None = None
    ) -> Graph: ...
    @classmethod
    def from_networkx(
        cls,
        graph: networkx.Graph,
        *,
        weight: Hashable | None = "weight",
        nan: Literal["error", "skip"] = "error",
        threads: int | None = None,
    ) -> Graph: ...
    @classmethod
    def from_igraph(
        cls,
        graph: igraph.Graph,
        *,
        weight: str | None = "weight",
        nan: Literal["error", "skip"] = "error",
        threads: int | None = None,
    ) -> Graph: ...
    @classmethod
    def from_rustworkx(
        cls,
        graph: rustworkx.PyGraph,
        *,
        weight_fn: Callable[[Any], int | float] | None = None,
        nan: Literal["error", "skip"] = "error",
        threads: int | None = None,
    ) -> Graph: ...
    @classmethod
    def from_networkit(
        cls,
        graph: networkit.Graph,
        *,
        nan: Literal["error", "skip"] = "error",
        threads: int | None = None,
    ) -> Graph: ...
    @classmethod
    def from_edges(
        cls,
        edges: npt.ArrayLike,
        n: int | None = None,
        *,
        nan: Literal["error", "skip"] = "error",
        relabel: bool = False,
        threads: int | None = None,
    ) -> Graph: ...
    @classmethod
    def from_table(
        cls,
        table: Any,
        source: str = "source",
        target: str = "target",
        weight: Hashable | None = ...,
        *,
        id: Hashable | None = None,
        keep: Literal["all"] | Sequence[Hashable] | None = None,
        nan: Literal["error", "skip"] = "error",
        relabel: bool = False,
        threads: int | None = None,
        vertices: int | None = None,
    ) -> Graph: ...
    @classmethod
    def from_geopandas(
        cls,
        frame: geopandas.GeoDataFrame,
        weight: Hashable | None = ...,
        *,
        id: Hashable | None = None,
        keep: Literal["all"] | Sequence[Hashable] | None = None,
        nan: Literal["error", "skip"] = "error",
        threads: int | None = None,
    ) -> Graph: ...
    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        format: str | None = None,
        weights: Literal["unit", "hash", "distance"] | None = None,
        nan: Literal["error", "skip"] = "error",
        names: bool = False,
        threads: int | None = None,
        source: str | int | None = None,
        target: str | int | None = None,
        weight: str | int | None = None,
        id: str | int | None = None,
        keep: Literal["all"] | Sequence[str | int] | None = None,
        header: bool | None = None,
        columns: Sequence[str] | None = None,
        delimiter: str | None = None,
        decimal_comma: bool = False,
        thousands: bool = False,
        vertices: int | None = None,
        array: Literal["matrix", "edges"] | None = None,
        zeros: Literal["edge", "none"] | None = None,
        negatives: Literal["edge", "none"] | None = None,
        sheet: str | None = None,
        links: Literal["id", "position"] | None = None,
        highway: Sequence[str] | None = None,
        bbox: tuple[float, float, float, float] | None = None,
    ) -> Graph: ...
    @classmethod
    def from_matrix(
        cls,
        matrix: npt.ArrayLike | pandas.DataFrame | _Sparse,
        *,
        zeros: Literal["edge", "none"] | None = None,
        negatives: Literal["edge", "none"] | None = None,
        nan: Literal["error", "skip"] = "error",
        threads: int | None = None,
    ) -> Graph: ...
    @classmethod
    def generate(cls, spec: str) -> Graph: ...
    def write(
        self, path: str | PathLike[str], *, format: str | None = None, keep: bool = True
    ) -> None: ...
    def minimum_spanning_forest(
        self,
        *,
        maximum: bool = False,
        threads: int | None = None,
        device: str = "auto",
        algorithm: str = "auto",
        parts: Partition | npt.ArrayLike | None = None,
        ties: npt.ArrayLike | Sequence[npt.ArrayLike] | None = None,
    ) -> Forest: ...

class Partition:
    parts: npt.NDArray[np.uint32]
    k: int
    edge_cut: int
    balance: float
    boundary_vertices: int
    communication_volume: int
    nodes: list[Any] | None
    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

class Arborescence:
    edge_ids: npt.NDArray[np.int64]
    roots: npt.NDArray[np.int64]
    total_weight: float
    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

class SteinerTree:
    edge_ids: npt.NDArray[np.int64]
    total_weight: float
    lower_bound: float
    gap: float
    complete: bool
    first_weight: float
    start_weight: float
    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

class Persistence:
    births: npt.NDArray[np.float64]
    deaths: npt.NDArray[np.float64]
    vertices: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    elders: npt.NDArray[np.int64]
    tree_values: npt.NDArray[np.float64]
    tree_places: npt.NDArray[np.int64]
    tree_parents: npt.NDArray[np.int64]
    @property
    def pairs(self) -> npt.NDArray[np.float64]: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

class DynamicForest:
    nodes: list[Any] | None
    def __init__(
        self,
        graph: Any,
        *,
        dtype: npt.DTypeLike | None = None,
        maximum: bool = False,
        log: str | PathLike[str] | None = None,
    ) -> None: ...
    @classmethod
    def open(cls, path: str | PathLike[str]) -> DynamicForest: ...
    def compact(self) -> None: ...
    def add_vertices(self, vertices: int | str | Iterable[Any]) -> npt.NDArray[np.int64]: ...
    def insert(self, u: Any, v: Any, w: npt.ArrayLike | None = None) -> npt.NDArray[np.int64]: ...
    def delete(self, ids: npt.ArrayLike) -> None: ...
    def expire(self, before: int) -> int: ...
    def reweight(self, ids: npt.ArrayLike, w: npt.ArrayLike) -> None: ...
    @property
    def n(self) -> int: ...
    @property
    def m(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def maximum(self) -> bool: ...
    @property
    def edge_ids(self) -> npt.NDArray[np.int64]: ...
    @property
    def present_ids(self) -> npt.NDArray[np.int64]: ...
    @property
    def entered(self) -> npt.NDArray[np.int64]: ...
    @property
    def left(self) -> npt.NDArray[np.int64]: ...
    @property
    def total_weight(self) -> int | float: ...
    @property
    def n_components(self) -> int: ...
    def edges(
        self, ids: npt.ArrayLike | None = None
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]: ...
    def forest(self) -> Forest: ...
    def connected(self, s: Any, t: Any) -> bool | npt.NDArray[np.bool_]: ...
    def bottleneck(self, s: Any, t: Any) -> float | npt.NDArray[np.float64]: ...
    def component_size(self, vertices: Any) -> int | npt.NDArray[np.int64]: ...

class DynamicPoints:
    metric: str
    min_samples: int
    threads: int | None
    def __init__(
        self,
        X: npt.ArrayLike,
        *,
        metric: str = "euclidean",
        min_samples: int | None = None,
        threads: int | None = None,
    ) -> None: ...
    def add(self, X: npt.ArrayLike) -> npt.NDArray[np.int64]: ...
    def remove(self, ids: npt.ArrayLike) -> None: ...
    def tree(self) -> PointTree: ...
    @property
    def n(self) -> int: ...
    @property
    def ids(self) -> npt.NDArray[np.int64]: ...
    @property
    def points(self) -> npt.NDArray[np.float64]: ...
    @property
    def recomputed(self) -> bool: ...

class RollingTrees:
    starts: npt.NDArray[np.int64]
    window: int
    edges: npt.NDArray[np.int32]
    distances: npt.NDArray[np.float64]
    totals: npt.NDArray[np.float64]
    degrees: npt.NDArray[np.int32]
    survival: npt.NDArray[np.float64]
    columns: list[Any] | None
    labels: list[Any] | None
    def __len__(self) -> int: ...
    def tree(self, k: int) -> PointTree: ...
    def to_pandas(self) -> pandas.DataFrame: ...

class _Solver(TypedDict):
    name: str
    title: str
    source: str
    platform: str
    exact: bool

_Distance: TypeAlias = Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64]], float]

#: Tables of pandas, and those that export Arrow's C stream interface.
class _ArrowTable(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

_Sparse: TypeAlias = sparray | spmatrix
_GraphLike: TypeAlias = (
    Graph
    | npt.ArrayLike
    | _Sparse
    | pandas.DataFrame
    | _ArrowTable
    | Mapping[str, npt.ArrayLike]
    | networkx.Graph
    | igraph.Graph
    | rustworkx.PyGraph
    | networkit.Graph
)

class _OnDevice(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

@overload
def minimum_spanning_forest(
    u: _OnDevice,
    v: _OnDevice,
    w: _OnDevice | None = None,
    n: int | None = None,
    *,
    maximum: bool = False,
    nan: Literal["error", "skip"] = "error",
    relabel: bool = False,
    threads: int | None = None,
    device: str = "auto",
    algorithm: str = "auto",
    parts: None = None,
    ties: None = None,
) -> DeviceForest: ...
@overload
def minimum_spanning_forest(
    u: _GraphLike,
    v: npt.ArrayLike | None = None,
    w: npt.ArrayLike | None = None,
    n: int | None = None,
    *,
    maximum: bool = False,
    nan: Literal["error", "skip"] = "error",
    relabel: bool = False,
    threads: int | None = None,
    device: str = "auto",
    algorithm: str = "auto",
    parts: Partition | npt.ArrayLike | None = None,
    ties: npt.ArrayLike | Sequence[npt.ArrayLike] | None = None,
) -> Forest: ...
def trace(
    graph: _GraphLike, *, algorithm: str = "kruskal", maximum: bool = False
) -> list[dict[str, Any]]: ...
def solvers() -> list[_Solver]: ...
class Alternatives:
    forest: Forest
    @property
    def unique(self) -> bool: ...
    @property
    def in_every(self) -> npt.NDArray[np.bool_]: ...
    @property
    def in_some(self) -> npt.NDArray[np.bool_]: ...
    @property
    def network(self) -> npt.NDArray[np.int64]: ...
    @property
    def rivals(self) -> npt.NDArray[np.int64]: ...
    def count(self) -> int: ...
    def best(self, k: int | None = None) -> Iterator[Forest]: ...

def alternatives(
    u: _GraphLike,
    v: npt.ArrayLike | None = None,
    w: npt.ArrayLike | None = None,
    n: int | None = None,
    *,
    maximum: bool = False,
    threads: int | None = None,
) -> Alternatives: ...
def constrained_forest(
    u: _GraphLike,
    v: npt.ArrayLike | None = None,
    w: npt.ArrayLike | None = None,
    n: int | None = None,
    *,
    include: npt.ArrayLike = (),
    exclude: npt.ArrayLike = (),
    links: Sequence[Iterable[Hashable]] = (),
    trees: int | None = None,
    most_trees: int | None = None,
    maximum: bool = False,
    threads: int | None = None,
) -> Forest: ...
def arborescence(graph: Any, roots: Any = None, *, maximum: bool = False) -> Arborescence: ...
def steiner_tree(
    graph: _GraphLike | str | PathLike[str],
    terminals: Iterable[Hashable],
    *,
    rounds: int = 64,
    time_limit: float | None = None,
    threads: int | None = None,
) -> SteinerTree: ...
def partition(
    graph: _GraphLike | str | PathLike[str],
    k: int,
    *,
    imbalance: float = 0.03,
    preset: Literal["fast", "eco"] = "fast",
    seed: int = 0,
    threads: int | None = None,
    edge_weights: Literal["graph"] | npt.ArrayLike | None = None,
    vertex_weights: npt.ArrayLike | None = None,
) -> Partition: ...
def rolling_mst(
    X: npt.ArrayLike | pandas.DataFrame,
    window: int,
    step: int = 1,
    *,
    distance: Literal["correlation", "absolute_correlation"] = "correlation",
    threads: int | None = None,
) -> RollingTrees: ...
def verify(graph: Graph, forest: Forest | DeviceForest | npt.ArrayLike) -> None: ...
@overload
def euclidean_mst(
    X: _OnDevice,
    *,
    metric: str = "euclidean",
    metric_params: dict[str, Any] | None = None,
    min_samples: int | None = None,
    threads: int | None = None,
) -> DevicePointTree: ...
@overload
def euclidean_mst(
    X: npt.ArrayLike,
    *,
    metric: str | _Distance = "euclidean",
    metric_params: dict[str, Any] | None = None,
    min_samples: int | None = None,
    approximate: bool = False,
    seed: int = 0,
    threads: int | None = None,
) -> PointTree: ...
def nearest_neighbors(
    X: npt.ArrayLike,
    n_neighbors: int,
    *,
    metric: str = "euclidean",
    threads: int | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...
def neighbors_mst(
    X: npt.ArrayLike,
    n_neighbors: int,
    *,
    metric: str = "euclidean",
    threads: int | None = None,
) -> PointTree: ...
def grid(
    array: npt.ArrayLike,
    connectivity: Literal[4, 8, 6, 26] | None = None,
    weight: Literal["difference"]
    | Callable[[npt.NDArray[Any], npt.NDArray[Any]], npt.ArrayLike] = "difference",
    *,
    channels: Literal["first", "last"] | None = None,
    threads: int | None = None,
) -> Graph: ...
def segment(graph: Graph, *, scale: float, min_size: int = 1) -> npt.NDArray[np.int32]: ...
def persistence(
    data: npt.ArrayLike | Graph | PointTree,
    connectivity: Literal[4, 8, 6, 26] | None = None,
    *,
    heights: npt.ArrayLike | None = None,
    edges: Literal["weights", "ends"] = "weights",
    superlevel: bool = False,
    min_persistence: float = 0.0,
    threads: int | None = None,
) -> Persistence: ...
def watershed(
    data: npt.ArrayLike | Graph,
    markers: npt.ArrayLike,
    connectivity: Literal[4, 8, 6, 26] | None = None,
    *,
    relief: Literal["differences", "heights"] | None = None,
    channels: Literal["first", "last"] | None = None,
    threads: int | None = None,
) -> npt.NDArray[np.int32]: ...
def watershed_hierarchy(
    forest: Forest,
    by: Literal["volume", "area", "dynamics", "altitude"] = "volume",
    *,
    areas: npt.ArrayLike | None = None,
) -> Forest: ...
def single_linkage(
    X: Any,
    *,
    join: float | None = None,
    metric: str | _Distance = "euclidean",
    min_samples: int | None = None,
    approximate: bool = False,
    seed: int = 0,
    threads: int | None = None,
) -> npt.NDArray[np.float64]: ...
def newick(linkage: npt.ArrayLike, names: Iterable[Any] | None = None) -> str: ...
def cut(
    forest: Forest | DeviceForest, *, k: int | None = None, height: float | None = None
) -> npt.NDArray[np.int32]: ...
@overload
def bottleneck(
    forest: Forest | DeviceForest,
    s: int | str,
    t: int | str,
    *,
    threads: int | None = None,
    names: bool | None = None,
) -> float: ...
@overload
def bottleneck(
    forest: Forest | DeviceForest,
    s: list[Any] | npt.NDArray[Any],
    t: Hashable | Sequence[Hashable] | npt.NDArray[Any],
    *,
    threads: int | None = None,
    names: bool | None = None,
) -> npt.NDArray[np.float64]: ...
@overload
def bottleneck(
    forest: Forest | DeviceForest,
    s: Hashable | Sequence[Hashable] | npt.NDArray[Any],
    t: list[Any] | npt.NDArray[Any],
    *,
    threads: int | None = None,
    names: bool | None = None,
) -> npt.NDArray[np.float64]: ...
@overload
def bottleneck(
    forest: Forest | DeviceForest,
    s: Hashable | Sequence[Hashable] | npt.NDArray[Any],
    t: Hashable | Sequence[Hashable] | npt.NDArray[Any],
    *,
    threads: int | None = None,
    names: bool | None = None,
) -> float | npt.NDArray[np.float64]: ...
