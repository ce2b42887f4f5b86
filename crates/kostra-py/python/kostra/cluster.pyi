from collections.abc import Callable
from typing import Any, Literal, Self, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from kostra import Forest

__all__ = [
    "HDBSCAN",
    "FelzenszwalbSegmentation",
    "SingleLinkage",
    "all_points_membership_vectors",
    "approximate_predict",
    "approximate_predict_scores",
    "membership_vector",
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
    max_cluster_size: int | None
    cluster_selection_method: str
    allow_single_cluster: bool
    ties: str
    store_centers: str | None
    prediction_data: bool
    nonfinite: str
    n_jobs: int | None
    centroids_: npt.NDArray[np.float64]
    medoids_: npt.NDArray[np.float64]
    probabilities_: npt.NDArray[np.float64]
    outlier_scores_: npt.NDArray[np.float64]
    spanning_tree_: Forest
    def __init__(
        self,
        min_cluster_size: int = 5,
        *,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int | None = None,
        metric: _Metric = "euclidean",
        cluster_selection_method: Literal["eom", "leaf"] = "eom",
        allow_single_cluster: bool = False,
        ties: Literal["together", "scikit-learn"] = "together",
        store_centers: Literal["centroid", "medoid", "both"] | None = None,
        prediction_data: bool = False,
        nonfinite: Literal["refuse", "label"] = "refuse",
        threads: int | None = None,
        n_jobs: int | None = None,
    ) -> None: ...
    @property
    def condensed_tree_(self) -> npt.NDArray[Any]: ...
    def predict(self, X: Any) -> npt.NDArray[np.int32]: ...
    def generate_prediction_data(self) -> Self: ...
    @property
    def exemplars_(self) -> list[npt.NDArray[np.floating[Any]]]: ...

_Labels: TypeAlias = npt.NDArray[np.int32]
_Floats: TypeAlias = npt.NDArray[np.float64]

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
