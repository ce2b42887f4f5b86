"""Arrays and forests on CUDA devices."""

from typing import NamedTuple

import numpy as np

from kostra import _arrays, _device, _foreign, _graph, _ids, _kostra, _points
from kostra._forest import Forest


class DeviceArray:
    """A one-dimensional array on a CUDA device, which other libraries use without a copy.

    It supports DLPack and ``__cuda_array_interface__``, and so ``cupy.asarray(array)``,
    ``torch.from_dlpack(array)`` and ``jax.dlpack.from_dlpack(array)``. They do not copy the array,
    and keep it alive. ``to_numpy()`` copies it to host memory.

    Parameters
    ----------
    values : array of integers or floats
        One dimension, in host memory. The array is copied to the device.
    device : {"cuda", "cuda:<number>"}
        The device.

    Attributes
    ----------
    dtype : numpy.dtype
        The type of the entries.
    """

    __slots__ = ("_memory", "dtype")

    def __init__(self, values, device="cuda"):
        values = _arrays.vector("values", values)
        if values.dtype.kind not in "iufb" or values.dtype.itemsize > 8:
            raise TypeError(
                f"values must be integers or floats of up to 64 bits, not {values.dtype}"
            )
        if _device.check(device) in ("auto", "cpu"):
            raise ValueError(f"device must be 'cuda' or 'cuda:<number>', not {device!r}")
        self._memory = _kostra.DeviceMemory.copy_of(values.view(np.uint8), _ordinal(device), None)
        self.dtype = values.dtype

    @classmethod
    def _of(cls, memory, dtype):
        array = cls.__new__(cls)
        array._memory, array.dtype = memory, np.dtype(dtype)
        return array

    @property
    def shape(self):
        """The shape: a tuple with the length."""
        return (len(self),)

    @property
    def device(self):
        """The name of the device of the array, such as ``"cuda:0"``."""
        return f"cuda:{self._memory.ordinal}"

    def __len__(self):
        return self._memory.len // self.dtype.itemsize

    def __repr__(self):
        return f"<kostra.DeviceArray on {self.device}: {len(self)} of {self.dtype}>"

    def to_numpy(self):
        """A copy in host memory.

        Returns
        -------
        numpy.ndarray
        """
        return self._memory.bytes().view(self.dtype)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._memory.address() if len(self) else 0, False),
            "strides": None,
            "stream": None,  # the array is complete, so consumers need not wait
            "version": 3,
        }

    def __dlpack_device__(self):
        return (2, self._memory.ordinal)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        # The array is complete, so every stream may read it.
        if stream is not None and not isinstance(stream, int):
            raise TypeError(f"stream must be an integer or None, not {stream!r}")
        if dl_device is not None and tuple(map(int, dl_device)) != self.__dlpack_device__():
            raise BufferError(f"the array is on {self.device}; to_numpy() copies it to host memory")
        if copy:
            raise BufferError("the array is exported without a copy; copy the imported array")
        elements = f"{self.dtype.kind}{self.dtype.itemsize}"
        versioned = max_version is not None and max_version[0] >= 1
        return self._memory.dlpack(len(self), elements, versioned)


class DeviceForest:
    """A minimum (or maximum) spanning forest whose arrays are on a CUDA device.

    :func:`minimum_spanning_forest` returns it for arrays on a device. The forest has its own
    arrays, with one entry per edge of the forest, in ascending order of the edge ids. It does not
    keep the arrays of the graph. :meth:`to_host` returns a :class:`Forest` with the other
    operations, such as labels. :func:`single_linkage`, :func:`cut`, :func:`bottleneck` and
    :func:`verify` call :meth:`to_host` themselves, and so does :meth:`write`.

    Attributes
    ----------
    n : int
        The number of vertices, isolated vertices included.
    u, v : DeviceArray
        The ends of the edges, ``u[edge_ids]`` and ``v[edge_ids]``, in the types of the input.
    maximum : bool
        Whether this is a maximum spanning forest.
    """

    __slots__ = ("_host", "_ids", "_weights", "maximum", "n", "u", "v")

    def __init__(self, solved, dtypes, maximum):
        ids, (u, v), weights, n = solved
        self._host = None
        self.n = n
        self._ids = None if ids is None else DeviceArray._of(ids, np.int64)
        self.u = DeviceArray._of(u, dtypes["u"])
        self.v = DeviceArray._of(v, dtypes["v"])
        self._weights = None if weights is None else DeviceArray._of(weights, dtypes["w"])
        self.maximum = maximum

    @property
    def edge_ids(self):
        """The positions of the forest's edges in the input, ascending: a DeviceArray of int64."""
        return self._ids

    @property
    def weights(self):
        """The weights, ``w[edge_ids]``: a DeviceArray in the type of the input.

        Without input weights, all are 1.
        """
        if self._weights is None:
            self._weights = DeviceArray(np.ones(len(self), np.int32), self.device)
        return self._weights

    @property
    def n_components(self):
        """The number of components. Every isolated vertex is a component."""
        return self.n - len(self)

    @property
    def total_weight(self):
        """The sum of the weights; see :attr:`Forest.total_weight`.

        The first use copies the forest to host memory, as :meth:`to_host`.
        """
        return self.to_host().total_weight

    @property
    def algorithm(self):
        """The name of the algorithm that computed the forest."""
        return "cuda-fast"

    @property
    def device(self):
        """The name of the device of the arrays, such as ``"cuda:0"``."""
        return self.u.device

    def __len__(self):
        return len(self.u)

    def __repr__(self):
        return f"<kostra.DeviceForest on {self.device}: {_arrays.counts(self)}>"

    def to_host(self):
        """The forest in host memory. The first call copies it, in O(n) time.

        Returns
        -------
        Forest
        """
        if self._host is None:
            weights = None if self._weights is None else self._weights.to_numpy()
            tree = _graph.Graph(self.u.to_numpy(), self.v.to_numpy(), weights, self.n, copy=False)
            ids = self.edge_ids.to_numpy().astype(np.uint32)
            inner = _kostra.Forest.whole_of(tree._inner, ids, self.maximum, self.algorithm)
            self._host = Forest(inner, tree._end_types, tree._weight_type)
        return self._host

    def write(self, path, *, format=None, keep=True):
        """Writes the forest to a file. The first use copies it to host memory, as :meth:`to_host`.

        Parameters
        ----------
        path, format, keep
            As for :meth:`Forest.write`.
        """
        self.to_host().write(path, format=format, keep=keep)


class DevicePointTree(DeviceForest):
    """The spanning tree of points whose arrays are on a CUDA device.

    :func:`euclidean_mst` returns it for points on a device. It is a :class:`DeviceForest` whose
    edges are in ascending order of (distance, lower index, higher index). ``u`` has the lower and
    ``v`` the higher index of each edge. ``weights`` are the distances, and ``edge_ids`` are the
    positions in this order. :meth:`to_host` returns a :class:`PointTree`.
    """

    __slots__ = ()

    def __init__(self, solved, n):
        ends, distances = solved
        types = {"u": np.int32, "v": np.int32, "w": np.float64}
        super().__init__((None, ends, distances, n), types, maximum=False)

    @property
    def edge_ids(self):
        """The positions of the edges in their order: a DeviceArray of int64."""
        if self._ids is None:
            self._ids = DeviceArray(np.arange(len(self)), self.device)
        return self._ids

    @property
    def distances(self):
        """The distance between the two points of each edge: a DeviceArray of float64."""
        return self.weights

    @property
    def algorithm(self):
        """The name of the algorithm that computed the tree."""
        return "cuda-points"

    def to_host(self):
        """The forest in host memory. The first call copies it, in O(n) time.

        Returns
        -------
        PointTree
        """
        if self._host is None:
            ends = [self.u._memory, self.v._memory]
            inner = _kostra.tree_from_device(self.n, ends, self.distances._memory)
            self._host = _points.PointTree._of(inner)
        return self._host


def euclidean_mst(X, metric, min_samples, threads):
    """The tree of points on a device. ``metric`` is one of the engine's names."""
    _arrays.threads(threads)  # the device uses none, but a wrong argument is an error
    return _with_points(
        X,
        lambda problem, n: DevicePointTree(_kostra.tree_on_device(problem), n),
        metric,
        min_samples,
    )


def rows_on_host(X):
    """A NumPy copy of points on a device."""

    def copy(problem, n):
        coordinates = _kostra.points_on_host(problem).view(problem["points"][1])
        shape, size = (n, problem["dimensions"]), coordinates.itemsize
        strides = (problem["stride"] * size, size)
        return np.lib.stride_tricks.as_strided(coordinates, shape, strides)

    return _with_points(X, copy)


def _with_points(X, compute, metric="euclidean", min_samples=1):
    """What ``compute`` returns for points on a device and their number."""
    array = _foreign.points("X", X)
    try:
        ordinal = array.device
        if ordinal is None:
            ordinal = _kostra.device_of(array.address)
        problem = {
            "ordinal": ordinal,
            "points": array.place(),
            "len": array.length,
            "dimensions": array.dimensions,
            "stride": array.stride,
            "metric": metric,
            "min_samples": _points.samples(min_samples, array.length),
            "streams": [array.stream],
            "owners": [array.owner],
        }
        return compute(problem, array.length)
    finally:
        array.release()


class Options(NamedTuple):
    """The arguments of :func:`kostra.minimum_spanning_forest` for arrays on a device, apart from
    the arrays.
    """

    n: object
    maximum: object
    nan: object
    threads: object
    device: object
    algorithm: object


def minimum_spanning_forest(u, v, w, options):
    """Computes the forest of a graph with at least one column on a device."""
    # The solve uses no threads, but a wrong argument is an error.
    _arrays.threads(options.threads)
    skip_nan = _arrays.choice("nan", options.nan, ("error", "skip")) == "skip"
    n = _arrays.whole("n", options.n, 0, _ids.MAX_VERTICES)
    algorithm = _arrays.text("algorithm", options.algorithm)
    if algorithm not in ("auto", "cuda-fast"):
        raise ValueError(
            f"algorithm must be 'auto' or 'cuda-fast' for arrays on a device, not {algorithm!r}"
        )
    wanted = _device.check(options.device)
    found = _foreign.columns(u, v, w)
    try:
        return _solve(found, n, _arrays.flag("maximum", options.maximum), skip_nan, wanted)
    finally:
        _foreign.release(found)


def _solve(found, n, maximum, skip_nan, wanted):
    if wanted == "cpu":
        raise _device.DeviceError(
            "device is 'cpu', but u, v and w are on a CUDA device; copy them to the host first"
        )
    ordinal = _foreign.common_device(found)
    if ":" in wanted and ordinal != _ordinal(wanted):
        raise _device.DeviceError(f"device is {wanted!r}, but u, v and w are on cuda:{ordinal}")
    problem = {
        "ordinal": ordinal,
        "len": found["u"].length,
        "u": found["u"].place(),
        "v": found["v"].place(),
        "w": found["w"].place() if "w" in found else None,
        "n": n,
        "maximum": maximum,
        "skip_nan": skip_nan,
        "streams": sorted({column.stream for column in found.values()}),
        "owners": [column.owner for column in found.values()],
    }
    solved = _kostra.solve_on_device(problem)
    return DeviceForest(solved, {name: column.dtype for name, column in found.items()}, maximum)


def _ordinal(device):
    """The number in the name of a CUDA device."""
    return int(device.partition(":")[2] or 0)
