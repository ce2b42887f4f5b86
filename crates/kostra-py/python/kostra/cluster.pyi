from collections.abc import Callable
from typing import Any, Literal, Self, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from kostra import Forest

__all__ = [
    "HDBSCAN",
    "CondensedTree",
    "FelzenszwalbSegmentation",
    "MinimumSpanningTree",
    "PLSCAN",
    "SingleLinkage",
    "SingleLinkageTree",
    "all_points_membership_vectors",
    "approximate_predict",
    "approximate_predict_scores",
    "membership_vector",
    "validity_index",
]

_Metric: TypeAlias = str | Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64]], float]

class _Estimator:
    n_features_in_: int
    labels_: npt.NDArray[np.int32]
    threads: int | None
    metric: _Metric
    def fit(self, X: Any, y: Any = None) -> Self: ...
    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> npt.NDArray[np.int32]: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...

class HDBSCAN(_Estimator):
    min_cluster_size: int
    min_samples: int | None
    cluster_selection_epsilon: float
    cluster_selection_epsilon_max: float | None
    cluster_selection_persistence: float
    max_cluster_size: int | None
    metric_params: dict[str, Any] | None
    alpha: float
    connectivity: Any
    algorithm: str
    leaf_size: int
    copy: bool
    cluster_selection_method: str
    allow_single_cluster: bool
    ties: str
    store_centers: str | None
    prediction_data: bool
    nonfinite: str
    approximate: bool
    seed: int
    n_jobs: int | None
    centroids_: npt.NDArray[np.float64]
    medoids_: npt.NDArray[np.float64]
    probabilities_: npt.NDArray[np.float64]
    outlier_scores_: npt.NDArray[np.float64]
    spanning_tree_: Forest
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        must_link: npt.ArrayLike | None = None,
        cannot_link: npt.ArrayLike | None = None,
    ) -> Self: ...
    def labels_of_sizes(self, min_cluster_sizes: npt.ArrayLike) -> npt.NDArray[np.int32]: ...
    def __init__(
        self,
        min_cluster_size: int = 5,
        *,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        cluster_selection_epsilon_max: float | None = None,
        cluster_selection_persistence: float = 0.0,
        max_cluster_size: int | None = None,
        metric: _Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        connectivity: Any = None,
        algorithm: Literal["auto", "brute", "kd_tree", "ball_tree"] = "auto",
        leaf_size: int = 40,
        copy: bool = False,
        cluster_selection_method: Literal["eom", "leaf"] = "eom",
        allow_single_cluster: bool = False,
        ties: Literal["together", "scikit-learn"] = "together",
        store_centers: Literal["centroid", "medoid", "both"] | None = None,
        prediction_data: bool = False,
        nonfinite: Literal["refuse", "label"] = "refuse",
        approximate: bool = False,
        seed: int = 0,
        threads: int | None = None,
        n_jobs: int | None = None,
    ) -> None: ...
    @property
    def condensed_tree_(self) -> CondensedTree: ...
    @property
    def single_linkage_tree_(self) -> SingleLinkageTree: ...
    @property
    def minimum_spanning_tree_(self) -> MinimumSpanningTree: ...
    @property
    def cluster_persistence_(self) -> npt.NDArray[np.float64]: ...
    @property
    def relative_validity_(self) -> float: ...
    def dbscan_clustering(
        self, cut_distance: float, min_cluster_size: int = 5
    ) -> npt.NDArray[np.int64]: ...
    def weighted_cluster_centroid(self, cluster_id: int) -> npt.NDArray[np.float64]: ...
    def weighted_cluster_medoid(self, cluster_id: int) -> npt.NDArray[np.float64]: ...
    def predict(self, X: Any) -> npt.NDArray[np.int32]: ...
    def transform(self, X: Any) -> Any: ...
    def set_output(self, *, transform: str | None = None) -> Self: ...
    def generate_prediction_data(self) -> Self: ...
    @property
    def exemplars_(self) -> list[npt.NDArray[np.floating[Any]]]: ...

class PLSCAN(HDBSCAN):
    min_cluster_size_: int
    persistence_trace_: npt.NDArray[Any]
    def __init__(
        self,
        min_samples: int = 5,
        *,
        min_cluster_size: int | None = None,
        metric: _Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        store_centers: Literal["centroid", "medoid", "both"] | None = None,
        prediction_data: bool = False,
        nonfinite: Literal["refuse", "label"] = "refuse",
        threads: int | None = None,
        n_jobs: int | None = None,
    ) -> None: ...

class CondensedTree:
    def __init__(self, rows: npt.NDArray[Any], selected: npt.NDArray[np.int64]) -> None: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]: ...
    def to_numpy(self) -> npt.NDArray[Any]: ...
    def to_pandas(self) -> Any: ...
    def to_networkx(self) -> Any: ...
    def get_plot_data(
        self,
        leaf_separation: float = 1,
        log_size: bool = False,
        max_rectangle_per_icicle: int = 20,
    ) -> dict[str, Any]: ...
    def plot(
        self,
        leaf_separation: float = 1,
        cmap: Any = "viridis",
        select_clusters: bool = False,
        label_clusters: bool = False,
        selection_palette: Any = None,
        axis: Any = None,
        colorbar: bool = True,
        log_size: bool = False,
        max_rectangles_per_icicle: int = 20,
    ) -> Any: ...

class SingleLinkageTree:
    def __init__(
        self,
        linkage: npt.NDArray[np.float64],
        copies: tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64]] | None = None,
    ) -> None: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]: ...
    def to_numpy(self) -> npt.NDArray[np.float64]: ...
    def to_pandas(self) -> Any: ...
    def to_networkx(self) -> Any: ...
    def get_clusters(
        self, cut_distance: float, min_cluster_size: int = 5
    ) -> npt.NDArray[np.int64]: ...
    def get_plot_data(
        self,
        truncate_mode: Literal["none", "lastp", "level", "mtica"] | None = None,
        p: int = 0,
    ) -> dict[str, Any]: ...
    def plot(
        self,
        axis: Any = None,
        truncate_mode: Literal["none", "lastp", "level", "mtica"] | None = None,
        p: int = 0,
        vary_line_width: bool = True,
        cmap: Any = "viridis",
        colorbar: bool = True,
    ) -> Any: ...

class MinimumSpanningTree:
    def __init__(self, edges: npt.NDArray[np.float64], data: npt.NDArray[Any] | None) -> None: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]: ...
    def to_numpy(self) -> npt.NDArray[np.float64]: ...
    def to_pandas(self) -> Any: ...
    def to_networkx(self) -> Any: ...
    def plot(
        self,
        axis: Any = None,
        node_size: float = 40,
        node_color: Any = "k",
        node_alpha: float = 0.8,
        edge_alpha: float = 0.5,
        edge_cmap: Any = "viridis_r",
        edge_linewidth: float = 2,
        vary_line_width: bool = True,
        colorbar: bool = True,
    ) -> Any: ...

_Labels: TypeAlias = npt.NDArray[np.int32]
_Floats: TypeAlias = npt.NDArray[np.float64]

def validity_index(
    X: Any,
    labels: Any,
    metric: _Metric = "euclidean",
    d: int | None = None,
    per_cluster_scores: bool = False,
    mst_raw_dist: bool = False,
    verbose: bool = False,
    **kwd_args: Any,
) -> Any: ...
@overload
def approximate_predict(
    clusterer: HDBSCAN, points_to_predict: Any, return_connecting_points: Literal[False] = False
) -> tuple[_Labels, _Floats]: ...
@overload
def approximate_predict(
    clusterer: HDBSCAN, points_to_predict: Any, return_connecting_points: bool = False
) -> tuple[_Labels, _Floats] | tuple[_Labels, _Floats, npt.NDArray[np.int64]]: ...
def approximate_predict_scores(clusterer: HDBSCAN, points_to_predict: Any) -> _Floats: ...
@overload
def membership_vector(
    clusterer: HDBSCAN, points_to_predict: Any, *, largest: None = None
) -> _Floats: ...
@overload
def membership_vector(
    clusterer: HDBSCAN, points_to_predict: Any, *, largest: int | None = None
) -> _Floats | tuple[_Labels, _Floats]: ...
@overload
def all_points_membership_vectors(
    clusterer: HDBSCAN, *, largest: None = None
) -> _Floats: ...
@overload
def all_points_membership_vectors(
    clusterer: HDBSCAN, *, largest: int | None = None
) -> _Floats | tuple[_Labels, _Floats]: ...

class SingleLinkage(_Estimator):
    n_clusters: int | None
    distance_threshold: float | None
    min_samples: int | None
    connectivity: Any
    n_clusters_: int
    linkage_: npt.NDArray[np.float64]
    spanning_tree_: Forest
    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        distance_threshold: float | None = None,
        min_samples: int | None = None,
        metric: _Metric = "euclidean",
        connectivity: Any = None,
        threads: int | None = None,
    ) -> None: ...

class FelzenszwalbSegmentation(_Estimator):
    scale: float
    min_size: int
    n_neighbors: int
    n_segments_: int
    def __init__(
        self,
        scale: float = 1.0,
        *,
        min_size: int = 20,
        n_neighbors: int = 10,
        metric: _Metric = "euclidean",
        threads: int | None = None,
    ) -> None: ...
