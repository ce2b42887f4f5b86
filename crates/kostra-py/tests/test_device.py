"""Arrays on a CUDA device: the errors for wrong arrays, on any machine, and the results for others.

Without a device, tests that need one are skipped with a reason, or fail with
``KOSTRA_REQUIRE_DEVICE=1``. The tests use CuPy, PyTorch, JAX and Numba if they are installed.
"""

import ctypes
import gc
import os
from typing import NamedTuple

import numpy as np
import pytest

import kostra
from kostra import _kostra

# A triangle and a vertex apart; the forest is edges 1 and 2.
U, V, W = [0, 1, 2], [1, 2, 0], [1, 0, 0]
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
WEIGHTS = [*INTEGERS, "f2", "f4", "f8"]


def why_no_device():
    try:
        kostra.DeviceArray([1])
    except kostra.DeviceError as error:
        return str(error)
    return None


NO_DEVICE = why_no_device()


@pytest.fixture
def device():
    """Skips where there is no device."""
    if NO_DEVICE:
        assert not os.environ.get("KOSTRA_REQUIRE_DEVICE"), (
            f"KOSTRA_REQUIRE_DEVICE is set, but: {NO_DEVICE}"
        )
        pytest.skip(NO_DEVICE)


# ---- Made-up arrays ------------------------------------------------------------------------------


class Interface:
    """Carries ``__cuda_array_interface__``, by default that of three 32-bit integers somewhere."""

    def __init__(self, typestr="<i4", shape=(3,), address=0x1000, drop=(), **others):
        interface = {
            "shape": shape,
            "typestr": typestr,
            "data": (address, True),
            "version": 3,
            "strides": None,
        }
        self.__cuda_array_interface__ = {
            key: value for key, value in (interface | others).items() if key not in drop
        }


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


def _function(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_new_capsule = _function(
    "PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)
_capsule_name = _function("PyCapsule_GetName", ctypes.c_char_p, ctypes.py_object)
_capsule_content = _function(
    "PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p
)


class Layout(NamedTuple):
    """The memory of a DLPack tensor."""

    shape: tuple = (3,)
    strides: tuple | None = None
    device: tuple = (2, 0)
    address: int = 0x1000
    offset: int = 0


class Exporter:
    """Exports a DLPack capsule and counts calls of its deleter. By default, the capsule has three
    32-bit integers at an address of no meaning.
    """

    def __init__(self, dtype=(0, 32, 1), version=None, says=None, **layout):
        shape, strides, device, address, offset = Layout(**layout)
        numbers = lambda values: (
            None if values is None else (ctypes.c_int64 * max(len(values), 1))(*values)
        )
        self.shape, self.strides = numbers(shape), numbers(strides)
        tensor = _Tensor(address, *device, len(shape), *dtype, self.shape, self.strides, offset)
        self.deleted, self.asked, self.says = 0, [], says or device
        self.deleter = _Deleter(self.delete)
        if version is None:
            self.name, self.content = b"dltensor", _Managed(tensor, None, self.deleter)
        else:
            self.name, self.content = (
                b"dltensor_versioned",
                _Versioned(*version, None, self.deleter, 1, tensor),
            )
        self.capsule = _new_capsule(ctypes.addressof(self.content), self.name, None)

    def delete(self, content):
        assert content == ctypes.addressof(self.content)
        self.deleted += 1

    def __dlpack_device__(self):
        return self.says

    def __dlpack__(self, **options):
        self.asked.append(options)
        return self.capsule


class OldExporter(Exporter):
    """Knows the protocol as it was before version 1.0."""

    def __dlpack__(self, stream=None):
        self.asked.append(stream)
        return self.capsule


class Refusing(Exporter):
    def __dlpack__(self, **_):
        raise BufferError("detach() me first")


# ---- What is decided before the device is touched ------------------------------------------------

BAD_INTERFACES = [
    (Interface(drop=["version"]), ValueError, "u.__cuda_array_interface__ has no entry 'version'"),
    (
        Interface(version=1),
        ValueError,
        "u.__cuda_array_interface__ has version 1; 2 and 3 are supported",
    ),
    (Interface(drop=["typestr"]), ValueError, "u.__cuda_array_interface__ has no entry 'typestr'"),
    (Interface("nonsense"), TypeError, "u has entries of type 'nonsense', which are not integers"),
    (Interface("<f8"), TypeError, "u must be an array of integers, not of float64"),
    (Interface("|b1"), TypeError, "u must be an array of integers, not of bool"),
    (Interface("<c8"), TypeError, "u must be an array of integers, not of complex64"),
    (Interface(">i4"), TypeError, r"u is not in native byte order \(>i4\)"),
    (Interface(mask=Interface("|b1")), ValueError, "u has a mask"),
    (Interface(drop=["shape"]), ValueError, "u.__cuda_array_interface__ has no entry 'shape'"),
    (Interface(shape=None), ValueError, "u has the invalid shape None"),
    (Interface(shape=(-1,)), ValueError, r"u has the invalid shape \(-1,\)"),
    (Interface(shape=()), ValueError, "u must have one dimension, not 0"),
    (Interface(shape=(3, 1)), ValueError, "u must have one dimension, not 2"),
    (
        Interface(strides=(8,)),
        ValueError,
        "u is not contiguous: the stride of its entries of 4 bytes is 8 bytes; copy it",
    ),
    (
        Interface(strides=(-4,)),
        ValueError,
        "u is not contiguous: the stride of its entries of 4 bytes is -4 bytes",
    ),
    (Interface(drop=["data"]), ValueError, "u.__cuda_array_interface__ has no entry 'data'"),
    (Interface(data=None), ValueError, "u.__cuda_array_interface__ has no address"),
    (Interface(address=0), ValueError, "u has 3 entries, but its address is null"),
    (
        Interface(address=0x1002),
        ValueError,
        "the address of u is not a multiple of the size of its entries",
    ),
    (
        Interface(stream=0),
        ValueError,
        "u.__cuda_array_interface__ has the stream 0; a stream is None, 1, 2 or a handle",
    ),
    (Interface(stream=-1), ValueError, "has the stream -1"),
    (Interface(stream="default"), ValueError, "has the stream 'default'"),
    (Interface(stream=True), ValueError, "has the stream True"),
    (Interface(shape=(2,)), ValueError, "u and v must have the same length, but have 2, 3 entries"),
]


@pytest.mark.parametrize(("u", "error", "message"), BAD_INTERFACES)
def test_a_wrong_interface_is_refused_by_name_before_the_device_is_asked_for(u, error, message):
    with pytest.raises(error, match=f"^{message}" if message.startswith("u") else message):
        kostra.minimum_spanning_forest(u, Interface())


BAD_CAPSULES = [
    ({"dtype": (2, 32, 1)}, TypeError, "u must be an array of integers, not of float32"),
    ({"dtype": (6, 8, 1)}, TypeError, "u must be an array of integers, not of bool"),
    ({"dtype": (4, 16, 1)}, TypeError, "u has entries of type bfloat16, which are not integers"),
    ({"dtype": (5, 64, 1)}, TypeError, "u has entries of type complex64, which"),
    ({"dtype": (0, 32, 4)}, TypeError, "u has entries of type int32 by 4, which"),
    ({"dtype": (0, 4, 1)}, TypeError, "u has entries of type int4, which"),
    ({"dtype": (77, 32, 1)}, TypeError, "u has entries of type DLPack type 77 of 32, which"),
    ({"shape": ()}, ValueError, "u must have one dimension, not 0"),
    ({"shape": (1, 3)}, ValueError, "u must have one dimension, not 2"),
    (
        {"strides": (2,)},
        ValueError,
        "u is not contiguous: the stride of its entries of 4 bytes is 8 bytes",
    ),
    (
        {"strides": (0,)},
        ValueError,
        "u is not contiguous: the stride of its entries of 4 bytes is 0 bytes",
    ),
    ({"address": None}, ValueError, "u has 3 entries, but its address is null"),
    ({"offset": 2}, ValueError, "the address of u is not a multiple of the size of its entries"),
    (
        {"says": (2, 1)},
        ValueError,
        "u claims to be on device cuda:1, but its DLPack capsule is on cuda:0",
    ),
    ({"shape": (2,)}, ValueError, "u and v must have the same length, but have 2, 3 entries"),
    (
        {"version": (2, 0)},
        BufferError,
        "u cannot be imported through DLPack: the array has DLPack version 2",
    ),
]


@pytest.mark.parametrize("version", [None, (1, 1)])
@pytest.mark.parametrize(("change", "error", "message"), BAD_CAPSULES)
def test_a_wrong_capsule_is_refused_by_name_and_given_back_once(change, error, message, version):
    u, v = Exporter(**({"version": version} | change)), Exporter(version=version)
    with pytest.raises(error, match=f"^{message}") as raised:
        kostra.minimum_spanning_forest(u, v)
    # Also while the error is kept, with all that its traceback holds.
    assert u.deleted == 1 and v.deleted == len(v.asked)
    assert raised.value is not None and _capsule_name(u.capsule) == b"used_" + u.name


def test_capsules_are_asked_for_on_the_default_stream_and_in_the_newest_form_that_is_known():
    u, v, w = Exporter(version=(1, 0)), OldExporter(), Exporter(dtype=(2, 64, 1), device=(2, 1))
    with pytest.raises(
        kostra.DeviceError, match="^u is on device cuda:0, but w is on cuda:1; u, v and w must"
    ):
        kostra.minimum_spanning_forest(u, v, w)
    assert u.asked == w.asked == [{"stream": 1, "max_version": (1, 0)}] and v.asked == [1]
    assert (u.deleted, v.deleted, w.deleted) == (1, 1, 1)


def test_a_capsule_is_used_once():
    u = Exporter()
    with pytest.raises(
        TypeError,
        match="^v cannot be imported through DLPack: __dlpack__ must return a DLPack capsule that was not",
    ):
        kostra.minimum_spanning_forest(u, u)
    assert u.deleted == 1
    u.capsule = 5
    with pytest.raises(
        TypeError,
        match="^u cannot be imported through DLPack: __dlpack__ must return a DLPack capsule",
    ):
        kostra.minimum_spanning_forest(u, u)


def test_what_an_exporter_complains_of_is_passed_on_with_the_name():
    with pytest.raises(
        BufferError, match=r"^v cannot be imported through DLPack: detach\(\) me first$"
    ):
        kostra.minimum_spanning_forest(Exporter(), Refusing())


def test_weights_are_looked_at_too():
    ends = Interface(), Interface()
    for w, error, message in [
        (
            Interface("<c8"),
            TypeError,
            "w must be an array of integers or floats of up to 64 bits, not of complex64",
        ),
        (Interface("|b1"), TypeError, "w consists of booleans"),
        (
            Interface("<m8[s]"),
            TypeError,
            "w must be an array of integers or floats of up to 64 bits, not of timedelta64",
        ),
        (
            Interface("<f16"),
            TypeError,
            "w must be an array of integers or floats of up to 64 bits, not of ",
        ),
        (
            Exporter((4, 16, 1)),
            TypeError,
            "w has entries of type bfloat16, which are not integers or floats of up to 64 bits",
        ),
        (
            Interface("<f4", (4,)),
            ValueError,
            "u, v and w must have the same length, but have 3, 3, 4 entries",
        ),
    ]:
        with pytest.raises(error, match=f"^{message}"):
            kostra.minimum_spanning_forest(*ends, w)


def test_arrays_that_do_not_lie_together_are_refused():
    cuda, host = Interface(), np.zeros(3, np.int32)
    for columns, message in [
        (
            (cuda, host),
            "u is on device cuda, but v is in host memory; u, v and w must be on the same device",
        ),
        ((host, Exporter()), "v is on device cuda:0, but u is in host memory"),
        ((Exporter(), Exporter(), [1, 2, 3]), "u is on device cuda:0, but w is in host memory"),
        ((Exporter(), Exporter(device=(2, 3))), "u is on device cuda:0, but v is on cuda:3; u, v"),
        (
            (Exporter(device=(10, 0)), cuda),
            "u is on device rocm:0, but Kostra takes arrays on CUDA devices and in host memory",
        ),
        ((cuda, Exporter(device=(8, 2))), "v is on device metal:2, but Kostra"),
    ]:
        with pytest.raises(kostra.DeviceError, match=f"^{message}"):
            kostra.minimum_spanning_forest(*columns)


def test_other_arguments_are_checked_first():
    ends = Interface(), Interface()
    for options, error, message in [
        ({"n": -1}, ValueError, "n must be from 0"),
        ({"n": 1.5}, TypeError, "n must be an integer"),
        ({"nan": "ignore"}, ValueError, "nan must be 'error' or 'skip'"),
        ({"threads": 0}, ValueError, "threads must be from 1"),
        ({"device": "gpu"}, ValueError, "device must be 'auto', 'cpu', 'cuda'"),
        (
            {"device": "cpu"},
            kostra.DeviceError,
            "device is 'cpu', but u, v and w are on a CUDA device",
        ),
        (
            {"algorithm": "fast"},
            ValueError,
            "algorithm must be 'auto' or 'cuda-fast' for arrays on a device, not 'fast'",
        ),
        ({"algorithm": 1}, TypeError, "algorithm must be a text, not 1"),
    ]:
        with pytest.raises(error, match=f"^{message}"):
            kostra.minimum_spanning_forest(*ends, **options)
    with pytest.raises(
        kostra.DeviceError, match="^device is 'cuda:1', but u, v and w are on cuda:0"
    ):
        kostra.minimum_spanning_forest(Exporter(), Exporter(), device="cuda:1")


def test_what_wants_memory_says_so():
    for values in (Interface(), Exporter()):
        with pytest.raises(
            kostra.DeviceError,
            match="^u is on device cuda(:0)?, but must be in host memory; copy it",
        ):
            kostra.Graph(values, values)
    for bad, error in (([1j], TypeError), ([[1]], ValueError), (["a"], TypeError)):
        with pytest.raises(error, match="^values must "):
            kostra.DeviceArray(bad)
    for bad in ("auto", "cpu", "gpu"):
        with pytest.raises(ValueError, match="^device must be "):
            kostra.DeviceArray([1], bad)


@pytest.mark.skipif(
    NO_DEVICE is None, reason="there is a device, which must not follow made-up addresses"
)
def test_right_arrays_without_a_device_are_answered_with_the_reason():
    reason = f"^{NO_DEVICE[:40]}"
    assert NO_DEVICE.startswith("no CUDA device: ")
    for u, v, w in [
        (Interface(), Interface("<u8", strides=(8,), version=2, drop=["stream"]), None),
        (Interface(stream=1), Interface(stream=2), Interface("<f8", stream=0x7F00)),
        (
            Interface(shape=(0,), address=0),
            Interface(shape=(0,), address=0),
            Interface("|u1", (0,), address=0),
        ),
        (Interface(shape=(1,), strides=(64,)), Interface(shape=(1,)), Interface("<f2", (1,))),
        (
            Exporter(strides=(1,)),
            Exporter((1, 64, 1), version=(1, 3)),
            Exporter((2, 16, 1), device=(2, 0)),
        ),
        (Exporter((0, 64, 1), offset=8), Interface(), Exporter((1, 8, 1))),
        (Exporter(device=(13, 0)), Exporter(), None),
    ]:
        with pytest.raises(kostra.DeviceError, match=reason):
            kostra.minimum_spanning_forest(u, v, w, n=4, device="cuda")
        assert all(column.deleted == 1 for column in (u, v, w) if isinstance(column, Exporter))
    with pytest.raises(kostra.DeviceError, match=reason):
        kostra.DeviceArray([1], "cuda:7")


def made_up_points(typestr="<f4", shape=(3, 2), **others):
    return Interface(typestr, shape, **others)


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (made_up_points(shape=(3,)), ValueError, "X must have two dimensions, one row per point"),
        (made_up_points(shape=(0, 2)), ValueError, r"X has the shape \(0, 2\) and so no points"),
        (made_up_points(shape=(2, 0)), ValueError, r"X has the shape \(2, 0\) and so no columns"),
        (made_up_points("<i4"), TypeError, "X must be an array of float32 or float64, not of int"),
        (made_up_points("<f2"), TypeError, "X must be an array of float32 or float64, not of floa"),
        (made_up_points("<x4"), TypeError, "X has entries of type '<x4', which are not float32"),
        (made_up_points(strides=(4, 12)), ValueError, "the rows of X are not contiguous"),
        (made_up_points(strides=(4, 4)), ValueError, "the rows of X are not contiguous"),
        (made_up_points(strides=(-8, 4)), ValueError, "the rows of X are not contiguous"),
        (made_up_points(strides=(10, 4)), ValueError, "the rows of X are not contiguous"),
        (made_up_points(address=0), ValueError, "X has 3 entries, but its address is null"),
        (made_up_points(shape=(2**31, 1)), ValueError, "X has 2147483648 points, but a CUDA"),
        (Exporter((2, 32, 1), shape=(4, 3), strides=(1, 4)), ValueError, "the rows of X are not"),
        (Exporter((2, 32, 1), device=(10, 0)), kostra.DeviceError, "X is on device rocm:0, but"),
    ],
)
def test_a_wrong_array_of_points_is_refused_by_name(X, error, message):
    with pytest.raises(error, match=f"^{message}"):
        kostra.euclidean_mst(X)
    if isinstance(X, Exporter) and error is not kostra.DeviceError:
        assert X.deleted == 1


def test_other_arguments_for_points_are_checked_first():
    for options, error, message in [
        ({"metric": "hamming"}, ValueError, "metric must be one of"),
        ({"min_samples": 0}, ValueError, "min_samples must be from 1"),
        ({"min_samples": 4}, ValueError, "min_samples must be from 1 to 3, not 4"),
        ({"threads": 0}, ValueError, "threads must be from 1"),
    ]:
        X = Exporter((2, 32, 1), shape=(3, 2))
        with pytest.raises(error, match=f"^{message}"):
            kostra.euclidean_mst(X, **options)
        assert X.deleted == len(X.asked)


@pytest.mark.skipif(
    NO_DEVICE is None, reason="there is a device, which must not follow made-up addresses"
)
def test_right_points_without_a_device_are_answered_with_the_reason():
    reason = f"^{NO_DEVICE[:40]}"
    for X, options in [
        (made_up_points(), {}),
        (made_up_points("<f8", strides=(24, 8)), {"metric": "cosine"}),
        (made_up_points(shape=(1, 5), strides=(999, 4)), {"min_samples": 1}),
        (Exporter((2, 64, 1), shape=(4, 3)), {}),
        (Exporter((2, 32, 1), shape=(4, 3), strides=(6, 1)), {"min_samples": 4}),
    ]:
        with pytest.raises(kostra.DeviceError, match=reason):
            kostra.euclidean_mst(X, **options)
        assert not isinstance(X, Exporter) or X.deleted == 1


# ---- On a device ---------------------------------------------------------------------------------


def rows_there(values, way="interface"):
    """Points on the device; ``way`` may be a row stride in entries."""
    values = np.ascontiguousarray(values)
    n, d = values.shape
    stride = way if isinstance(way, int) else d
    wide = np.zeros((n, stride), values.dtype)
    wide[:, :d] = values
    flat = kostra.DeviceArray(wide.reshape(-1))
    size = values.itemsize
    return OnlyInterface(flat, shape=(n, d), strides=(stride * size, size))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("dimensions", [1, 2, 3, 16, 32])
def test_trees_of_points_are_those_of_the_processor(device, dtype, dimensions):
    X = np.random.default_rng(dimensions).random((2000, dimensions)).astype(dtype)
    for metric, min_samples in [("euclidean", None), ("euclidean", 5), ("cosine", None)]:
        expected = kostra.euclidean_mst(X, metric=metric, min_samples=min_samples)
        for way in ("interface", dimensions + 3):
            found = kostra.euclidean_mst(
                rows_there(X, way), metric=metric, min_samples=min_samples
            )
            assert isinstance(found, kostra.DevicePointTree)
            assert found.device == "cuda:0"
            assert len(found) == len(expected)
            assert (found.u.to_numpy() == expected.u).all()
            assert (found.v.to_numpy() == expected.v).all()
            assert (found.distances.to_numpy() == expected.distances).all()
            assert (found.edge_ids.to_numpy() == expected.edge_ids).all()
            host = found.to_host()
            assert isinstance(host, kostra.PointTree)
            assert (host.edges == expected.edges).all()
            assert found.total_weight == expected.total_weight
    assert (kostra.single_linkage(rows_there(X)) == kostra.single_linkage(X)).all()


def test_what_a_device_finds_in_points_is_said(device):
    X = np.ones((4, 3), np.float32)
    X[2, 1] = np.nan
    with pytest.raises(ValueError, match="row 2, column 1"):
        kostra.euclidean_mst(rows_there(X))
    X[2] = 0
    with pytest.raises(ValueError, match="row 2 has only zeros"):
        kostra.euclidean_mst(rows_there(X), metric="cosine")
    with pytest.raises(ValueError, match="euclidean and cosine, not manhattan; copy X to host"):
        kostra.euclidean_mst(rows_there(X), metric="manhattan")


def test_one_point_is_a_tree_without_edges(device):
    found = kostra.euclidean_mst(rows_there(np.zeros((1, 3))))
    assert (found.n, len(found), len(found.edge_ids)) == (1, 0, 0)
    assert len(found.to_host().edges) == 0


class OnlyInterface:
    """An array of ours as one that does not know DLPack."""

    def __init__(self, array, **others):
        self.array, self.others = array, others

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__ | self.others


def there(values, dtype, way):
    array = kostra.DeviceArray(np.asarray(values).astype(dtype))
    return (
        array
        if way == "dlpack"
        else OnlyInterface(array, **({"stream": 1} if way == "stream" else {"version": 2}))
    )


def random_graph(seed, n, m, top=20):
    random = np.random.default_rng(seed)
    return random.integers(0, n, m), random.integers(0, n, m), random.integers(0, top, m)


def same(found, expected):
    """Whether a forest on a device is the one in memory, in every respect."""
    assert isinstance(found, kostra.DeviceForest) and found.edge_ids.dtype == np.int64
    assert (found.n, len(found), found.n_components) == (
        expected.n,
        len(expected),
        expected.n_components,
    )
    for name in ("edge_ids", "u", "v", "weights"):
        ours, theirs = getattr(found, name).to_numpy(), getattr(expected, name)
        assert ours.dtype == theirs.dtype and ours.tolist() == theirs.tolist(), name
    host = found.to_host()
    assert (
        found.to_host() is host and found.total_weight == host.total_weight == expected.total_weight
    )
    assert (
        host.maximum == found.maximum == expected.maximum
        and host.algorithm == found.algorithm == "cuda-fast"
    )
    assert host.labels().tolist() == expected.labels().tolist()
    return True


@pytest.mark.parametrize("way", ["dlpack", "interface", "stream"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_ends_of_every_integer_type(device, dtype, way):
    u, v, w = random_graph(1, 100, 300)
    expected = kostra.minimum_spanning_forest(u.astype(dtype), v.astype(dtype), w)
    assert same(
        kostra.minimum_spanning_forest(
            there(u, dtype, way), there(v, dtype, way), there(w, "i8", way)
        ),
        expected,
    )


@pytest.mark.parametrize("way", ["dlpack", "interface"])
@pytest.mark.parametrize("dtype", WEIGHTS)
def test_weights_of_every_type_in_both_orders(device, dtype, way):
    u, v, w = random_graph(2, 100, 300)
    w = (w - 10 if dtype[0] in "if" else w).astype(dtype)
    for maximum in (False, True):
        expected = kostra.minimum_spanning_forest(u, v, w, 120, maximum=maximum)
        columns = there(u, "i8", way), there(v, "i8", way), there(w, dtype, way)
        assert same(kostra.minimum_spanning_forest(*columns, 120, maximum=maximum), expected)


def test_columns_may_come_by_different_ways(device):
    u, v, w = random_graph(3, 1000, 5000)
    columns = there(u, "i8", "dlpack"), there(v, "u4", "stream"), there(w, "f4", "interface")
    expected = kostra.minimum_spanning_forest(u, v.astype("u4"), w.astype("f4"))
    assert same(
        kostra.minimum_spanning_forest(*columns, device="cuda", algorithm="cuda-fast"), expected
    )


def test_without_weights_the_first_edges_that_connect_are_taken(device):
    u, v, _ = random_graph(4, 1000, 3000)
    expected = kostra.minimum_spanning_forest(u, v)
    assert same(
        kostra.minimum_spanning_forest(kostra.DeviceArray(u), kostra.DeviceArray(v)), expected
    )


def test_no_edges_and_no_vertices(device):
    none = kostra.DeviceArray(np.empty(0, np.int64))
    assert same(
        kostra.minimum_spanning_forest(none, none, none),
        kostra.minimum_spanning_forest(*3 * [np.empty(0, np.int64)]),
    )
    forest = kostra.minimum_spanning_forest(none, none, n=3)
    assert (len(forest), forest.n_components, forest.total_weight) == (0, 3, 0)
    nowhere = Interface("<i8", (0,), address=0)
    assert len(kostra.minimum_spanning_forest(nowhere, nowhere)) == 0


@pytest.mark.parametrize("n", [2, 33, 1000, 300_000])
@pytest.mark.parametrize("dtype", ["i4", "i8"])
def test_forests_of_all_sizes_are_those_of_the_processor(device, n, dtype):
    for factor in (0.5, 1, 4, 20):
        u, v, w = (column.astype(dtype) for column in random_graph(n, n, int(n * factor), 1000))
        expected = kostra.minimum_spanning_forest(u, v, w, n, device="cpu")
        found = kostra.minimum_spanning_forest(*map(kostra.DeviceArray, (u, v, w)), n)
        assert same(found, expected)


def test_what_takes_a_forest_takes_one_on_a_device(device):
    u, v, w = random_graph(11, 100, 2000, 1000)
    expected = kostra.minimum_spanning_forest(u, v, w, 100)
    found = kostra.minimum_spanning_forest(*map(kostra.DeviceArray, (u, v, w)), 100)
    assert len(found) == 99 and kostra.verify(kostra.Graph(u, v, w, 100), found) is None
    np.testing.assert_array_equal(kostra.single_linkage(found), kostra.single_linkage(expected))
    assert kostra.cut(found, k=5).tolist() == kostra.cut(expected, k=5).tolist()
    assert kostra.bottleneck(found, 0, 1) == kostra.bottleneck(expected, 0, 1)


BAD = [
    (([0, 1, -1], [1, 2, 0]), {}, r"u\[2\] is -1, but vertices are numbered from 0"),
    (([0, 2**40], [1, 0]), {}, r"u\[1\] is 1099511627776, but vertex ids have 32 bits"),
    (([0, 1], [1, -(2**40)]), {}, r"v\[1\] is -1099511627776, but vertices"),
    ((np.array([0, 1]), np.array([1, -7], np.int8)), {}, r"v\[1\] is -7, but vertices"),
    ((np.array([0, 1]), np.array([1, -7], np.int32)), {"n": 5}, r"v\[1\] is -7, but vertices"),
    (
        (np.array([0, 2**64 - 1], np.uint64), np.array([0, 1])),
        {},
        r"u\[1\] is 18446744073709551615, but vertex ids have 32 bits",
    ),
    (([0, 5], [1, 2]), {"n": 5}, r"u\[1\] is 5, but the graph has n = 5 vertices, numbered from 0"),
    (([0, 2], [1, 9]), {"n": 5}, r"v\[1\] is 9, but the graph has n = 5 vertices"),
    (([0], [1]), {"n": 0}, r"u\[0\] is 0, but the graph has n = 0 vertices"),
    (([0, 2**32 - 1], [1, 0]), {}, "n is too large: "),
    (([0, 0], [1, 1], [1, np.nan]), {}, r"w\[1\] is NaN; fix it, or pass nan='skip'"),
    (([0, 0], [1, 1], np.array([1, np.nan], np.float16)), {}, r"w\[1\] is NaN"),
    (([0, 0], [1, 1], np.array([-np.nan, 1], np.float32)), {}, r"w\[0\] is NaN"),
]


@pytest.mark.parametrize(("columns", "options", "message"), BAD)
def test_what_the_device_finds_is_said_with_argument_and_position(
    device, columns, options, message
):
    with pytest.raises(ValueError, match=f"^{message}"):
        kostra.minimum_spanning_forest(*map(kostra.DeviceArray, columns), **options)
    assert (
        len(kostra.minimum_spanning_forest(kostra.DeviceArray([0]), kostra.DeviceArray([1]))) == 1
    )


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_edges_that_weigh_nan_can_be_left_out(device, dtype):
    u, v, w = random_graph(5, 200, 1000)
    w = w.astype(dtype)
    w[::3] = np.nan
    w[1::30], w[2::30] = np.inf, -np.inf
    columns = [kostra.DeviceArray(column) for column in (u, v, w)]
    expected = kostra.minimum_spanning_forest(u, v, w, nan="skip")
    found = kostra.minimum_spanning_forest(*columns, nan="skip")
    assert found.edge_ids.to_numpy().tolist() == expected.edge_ids.tolist() and len(found) > 100
    # The caller's arrays are as they were.
    assert columns[0].to_numpy().tolist() == u.tolist()
    np.testing.assert_array_equal(columns[2].to_numpy(), w)


def test_an_address_that_is_no_devices_is_refused_and_the_device_goes_on(device):
    with pytest.raises(kostra.DeviceError, match="none has memory at the address 0x1000"):
        kostra.minimum_spanning_forest(Interface(), Interface())
    with pytest.raises(kostra.DeviceError, match="there is no device 999"):
        kostra.DeviceArray([1], "cuda:999")
    assert kostra.DeviceArray([1]).to_numpy().tolist() == [1]


@pytest.mark.parametrize("dtype", [*WEIGHTS, "b1"])
def test_an_array_comes_back_from_the_device(device, dtype):
    values = np.arange(-50, 50).astype(dtype)
    array = kostra.DeviceArray(values[::-1], "cuda:0")
    assert array.to_numpy().tolist() == values[::-1].tolist() and array.to_numpy().dtype == dtype
    assert (len(array), array.shape, array.device, array.dtype) == (100, (100,), "cuda:0", dtype)
    assert repr(array) == f"<kostra.DeviceArray on cuda:0: 100 of {array.dtype}>"
    interface = array.__cuda_array_interface__
    assert (
        interface["typestr"] == array.dtype.str
        and interface["shape"] == (100,)
        and interface["version"] == 3
    )


@pytest.mark.parametrize("versioned", [False, True])
def test_an_array_is_exported_as_dlpack_says(device, versioned):
    array = kostra.DeviceArray(np.arange(10, dtype=np.int64))
    options = {"max_version": (1, 1)} if versioned else {}
    name = b"dltensor_versioned" if versioned else b"dltensor"
    for stream in (None, -1, 0, 1, 2, 12345):
        capsule = array.__dlpack__(stream=stream, **options)
        assert _capsule_name(capsule) == name
        kind = _Versioned if versioned else _Managed
        tensor = kind.from_address(_capsule_content(capsule, name)).tensor
        assert (tensor.device_type, tensor.device_id) == array.__dlpack_device__() == (2, 0)
        assert (tensor.ndim, tensor.shape[0], tensor.strides[0], tensor.byte_offset) == (
            1,
            10,
            1,
            0,
        )
        assert (tensor.code, tensor.bits, tensor.lanes) == (0, 64, 1)
        assert tensor.data == array.__cuda_array_interface__["data"][0]
        assert _kostra.Borrowed.consume(capsule).address == tensor.data
    with pytest.raises(TypeError, match="^stream must be an integer or None"):
        array.__dlpack__(stream="1")
    with pytest.raises(BufferError, match="to_numpy"):
        array.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="copy"):
        array.__dlpack__(copy=True)


def test_what_is_exported_outlives_the_array(device):
    capsules = [kostra.DeviceArray(np.full(1000, i)).__dlpack__() for i in range(20)]
    gc.collect()
    others = [kostra.DeviceArray(np.full(1000, -1)) for _ in range(20)]

    class Again:
        def __init__(self, capsule):
            self.capsule = capsule

        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, **_):
            return self.capsule

    for i, j in zip(range(0, 20, 2), range(1, 20, 2)):
        forest = kostra.minimum_spanning_forest(Again(capsules[i]), Again(capsules[j]))
        assert (forest.u.to_numpy().tolist(), forest.v.to_numpy().tolist()) == ([i], [j])
    assert len(others) == 20


def test_device_memory_is_given_back(device):
    cupy = pytest.importorskip("cupy")
    u, v, w = random_graph(6, 100_000, 1_000_000)
    columns = [kostra.DeviceArray(column) for column in (u, v, w)]
    pool_used = []
    for _ in range(20):
        forest = kostra.minimum_spanning_forest(*columns)
        assert len(cupy.asarray(forest.edge_ids)) == len(forest)
        del forest
        gc.collect()
        pool_used.append(cupy.cuda.runtime.memGetInfo()[0])
    assert pool_used[-1] >= pool_used[5] - (16 << 20)


def test_cupy(device):
    cupy = pytest.importorskip("cupy")
    u, v, w = random_graph(7, 5000, 50_000)
    expected = kostra.minimum_spanning_forest(u, v, w.astype("f4"))
    columns = cupy.asarray(u), cupy.asarray(v), cupy.asarray(w, "f4")
    found = kostra.minimum_spanning_forest(*columns)
    assert same(found, expected)
    ids = cupy.asarray(found.edge_ids)
    assert ids.data.ptr == found.edge_ids.__cuda_array_interface__["data"][0]
    assert cupy.from_dlpack(found.edge_ids).data.ptr == ids.data.ptr
    assert (columns[2][ids] == cupy.asarray(found.weights)).all()
    with pytest.raises(
        ValueError, match="^u is not contiguous: the stride of its entries of 8 bytes is 16 bytes"
    ):
        kostra.minimum_spanning_forest(columns[0][::2], columns[1][::2])
    # What is still being written on a stream is waited for.
    for _ in range(10):
        with cupy.cuda.Stream(non_blocking=True):
            heavy = cupy.random.random((2000, 2000))
            for _ in range(5):
                heavy = heavy @ heavy / 1000
            late = cupy.zeros(len(u), "i8") + cupy.asarray(u)
            found = kostra.minimum_spanning_forest(
                late, columns[1], OnlyInterface(columns[2]).array
            )
        assert found.edge_ids.to_numpy().tolist() == expected.edge_ids.tolist()


def test_pytorch(device):
    torch = pytest.importorskip("torch")
    u, v, w = random_graph(8, 5000, 50_000)
    expected = kostra.minimum_spanning_forest(u, v, w.astype("f4"))
    columns = [torch.from_numpy(column).cuda() for column in (u, v, w.astype("f4"))]
    found = kostra.minimum_spanning_forest(*columns)
    assert same(found, expected)
    ids = torch.from_dlpack(found.edge_ids)
    assert (
        ids.dtype == torch.int64
        and ids.is_cuda
        and ids.data_ptr() == torch.as_tensor(found.edge_ids, device="cuda").data_ptr()
    )
    assert torch.equal(columns[2][ids], torch.from_dlpack(found.weights))
    del found
    gc.collect()
    assert ids.tolist() == expected.edge_ids.tolist()
    with pytest.raises(BufferError, match="^w cannot be imported through DLPack: .*grad"):
        kostra.minimum_spanning_forest(*columns[:2], columns[2].requires_grad_())
    half = columns[2].detach().bfloat16()
    with pytest.raises(TypeError, match="^w has entries of type bfloat16"):
        kostra.minimum_spanning_forest(*columns[:2], half)
    with torch.cuda.stream(torch.cuda.Stream()):
        late = columns[0] + torch.zeros(len(u), dtype=torch.int64, device="cuda")
        found = kostra.minimum_spanning_forest(late, *columns[1:2])
    assert len(found) == len(expected)
    assert torch.cuda.current_device() == 0


def test_jax(device):
    jax = pytest.importorskip("jax")
    u, v, w = random_graph(9, 500, 5000)
    expected = kostra.minimum_spanning_forest(u.astype("i4"), v.astype("i4"), w.astype("f4"))
    if not any(place.platform in ("gpu", "cuda") for place in jax.devices()):
        pytest.skip("JAX sees no device")
    columns = [
        jax.numpy.asarray(column) for column in (u.astype("i4"), v.astype("i4"), w.astype("f4"))
    ]
    found = kostra.minimum_spanning_forest(*columns)
    assert same(found, expected)
    assert jax.dlpack.from_dlpack(found.u).tolist() == expected.u.tolist()


def test_numba(device):
    cuda = pytest.importorskip("numba.cuda")
    if not cuda.is_available():
        pytest.skip("Numba sees no device")
    u, v, w = random_graph(10, 500, 5000)
    expected = kostra.minimum_spanning_forest(u, v, w)
    found = kostra.minimum_spanning_forest(*(cuda.to_device(column) for column in (u, v, w)))
    assert same(found, expected)
    assert cuda.as_cuda_array(found.edge_ids).copy_to_host().tolist() == expected.edge_ids.tolist()
