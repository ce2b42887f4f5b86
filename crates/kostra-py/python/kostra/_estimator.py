"""What the estimators of :mod:`kostra.cluster` have in common."""

import numpy as np

from kostra import _approximate, _arrays, _connectivity, _device, _metrics, _points, _tables
from kostra._forest import Forest, in_memory

try:
    from sklearn.base import BaseEstimator, ClusterMixin
    from sklearn.utils.validation import validate_data
except ImportError as error:
    raise ImportError(
        "kostra.cluster needs scikit-learn 1.6 or later; run `pip install -U scikit-learn`"
    ) from error


class Estimator(ClusterMixin, BaseEstimator):
    """What the estimators have in common: the forms of ``X``."""

    #: Which points may be joined; None for all.
    connectivity = None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.sparse = True
        return tags

    def _validated(self, X, is_new=False):
        """``X`` after scikit-learn's checks. Trees and pairs of arrays are returned as they are. New
        points must have the columns of those of the fit.
        """
        X = in_memory(X)
        if isinstance(X, Forest):
            return X
        _device.refuse_if_on_device("X", X)
        X = _tables.coordinates("X", X, self.metric)
        is_sparse = hasattr(X, "tocoo") and self._takes_sparse_rows()
        if is_sparse:
            X = _tables.sparse("X", X)
        elif self.metric != "precomputed":
            X = _tables.dense("X", X)
        is_pair = isinstance(X, (tuple, list)) and len(X) == 2 and np.ndim(X[0]) == 2
        if self.metric == "precomputed" and (is_pair or np.ndim(X) == 1 and not hasattr(X, "tocoo")):
            return X
        if not hasattr(X, "tocoo"):
            self._refuse_inexact(X)
        else:
            _arrays.refuse_blocks("X", X)
            if X.dtype.kind in "iu":
                _arrays.numbers("X.data", X.tocoo().data)
        sparse = ["csr"] if is_sparse else False
        sparse = ["csr", "csc", "coo"] if self.metric == "precomputed" else sparse
        return validate_data(
            self,
            X,
            accept_sparse=sparse,
            dtype=[np.float64, np.float32],
            reset=not is_new,
            ensure_min_samples=1 if is_new else 2,
            # The trees of distances refuse NaN, and accept infinite distances.
            ensure_all_finite=self.metric != "precomputed",
        )

    def _refuse_inexact(self, X):
        """Refuses values that scikit-learn's checks would change, and columns that are wrong."""
        _metrics.refuse_wrong_columns("X", X, self.metric)
        array = np.asarray(X)
        if array.dtype.kind in "US" or array.dtype.kind == "O" and any(
            isinstance(value, str) for value in array.flat
        ):
            raise TypeError("X contains texts; convert them to numbers, as with X.astype(float)")
        if array.dtype.kind in "mM":
            raise TypeError("X contains times; convert them to numbers in a unit that you choose")
        if array.dtype.kind in "iuf":
            _arrays.numbers("X", X)
        if array.dtype.kind == "f" and array.ndim == 2 and self.metric != "precomputed":
            _points.refuse_infinite(array)

    def _thread_count(self):
        return self.threads

    def _takes_sparse_rows(self):
        """Whether the rows of a sparse matrix of features stay sparse."""
        return False

    def _approximation(self):
        """Whether the tree may be approximate, as arguments for it."""
        return {"approximate": False, "seed": 0}

    def _tree(self, X, min_samples, metric_params=None, alpha=1.0):
        return self._tree_and_cores(X, min_samples, metric_params, alpha, None)[0]

    def _tree_and_cores(self, X, min_samples, metric_params, alpha, weights):
        """The tree of points, of rows that count as several points with ``weights``. Then also the
        core distance of each row.
        """
        options = {"metric": self.metric, "metric_params": metric_params}
        options |= {"min_samples": min_samples, "threads": self._thread_count()}
        options |= self._approximation()
        if self.connectivity is not None:
            return self._connected_tree(X, alpha, weights, options)
        if self.metric != "precomputed" and _device.place_of(X) is not None:
            if alpha != 1:
                raise ValueError(f"alpha={alpha} needs points in host memory")
            # scikit-learn checks arrays in host memory only. The device checks these.
            tree = _points.tree(X, **options)
            self.n_features_in_ = _device.shape_of(X)[1]
            return tree, None
        X = self._validated(X)
        if isinstance(X, Forest):
            options |= {"min_samples": None, "metric_params": None, "approximate": False}
            self.n_features_in_ = X.n
        is_sparse = hasattr(X, "tocoo") and self.metric != "precomputed"
        if alpha == 1 and weights is None and not is_sparse:
            return _points.tree(X, **options), None
        _approximate.refuse(
            options.pop("approximate"), "trees of sparse rows, with weights or alpha are exact"
        )
        del options["seed"]
        if alpha != 1:
            return _points.scaled_tree(X, alpha, weights, **options)
        if is_sparse:
            return _points.features_tree(X, weights, alpha, **options)
        return _points.counted_tree(X, weights, **options)

    def _connected_tree(self, X, alpha, weights, options):
        is_on_device = _device.place_of(X) is not None
        X = in_memory(X)
        _connectivity.refuse(X, self.metric, options.pop("approximate"), is_on_device)
        del options["seed"]
        X = self._validated(X)
        pairs = _connectivity.pairs(self.connectivity, X, getattr(self, "_among", None))
        return _connectivity.tree(X, pairs, alpha, weights, **options)
