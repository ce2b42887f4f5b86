"""Imports columns and points on a CUDA device, through DLPack or ``__cuda_array_interface__``.

This module makes all checks that do not need a device, so that wrong arguments give the same errors
on every machine.
"""

import numpy as np

from kostra import _arrays, _device, _kostra

# The names of the DLPack type codes.
_NAMES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}
# The number of a device's default stream, in both protocols.
_DEFAULT_STREAM = 1


class Column:
    """A one-dimensional, contiguous array on a CUDA device."""

    __slots__ = ("address", "device", "dtype", "length", "name", "owner", "stream")

    def __init__(self, name, values, place):
        self.name = name
        try:
            if hasattr(values, "__dlpack__") and hasattr(values, "__dlpack_device__"):
                self._by_dlpack(values, place)
            else:
                self._by_interface(values)
            if self.address == 0 and self.length > 0:
                raise ValueError(f"{name} has {self.length} entries, but its address is null")
            if self.address % self.dtype.itemsize:
                raise ValueError(
                    f"the address of {name} is not a multiple of the size of its entries; copy it"
                )
        except BaseException:
            self.release()
            raise

    def release(self):
        """Releases the array, even if a traceback still refers to this object."""
        self.owner = None

    def place(self):
        """The address and the type, in the form that the compiled part takes."""
        return self.address, f"{self.dtype.kind}{self.dtype.itemsize}"

    def _by_dlpack(self, values, place):
        # The producer completes the array on the default stream. The solve waits for this stream.
        try:
            try:
                capsule = values.__dlpack__(stream=_DEFAULT_STREAM, max_version=(1, 0))
            except TypeError:  # a producer with a version before 1.0
                capsule = values.__dlpack__(stream=_DEFAULT_STREAM)
        except (BufferError, RuntimeError, ValueError) as error:
            raise type(error)(f"{self.name} cannot be imported through DLPack: {error}") from error
        try:
            self.owner = _kostra.Borrowed.consume(capsule)
        except (BufferError, TypeError) as error:
            raise type(error)(f"{self.name} cannot be imported through DLPack: {error}") from error
        if self.owner.device != place:
            raise ValueError(
                f"{self.name} claims to be on device {_device.name_of(place)}, "
                f"but its DLPack capsule is on {_device.name_of(self.owner.device)}"
            )
        elements = self.owner.elements
        if elements is None:
            code, bits, lanes = self.owner.dtype
            vector = f" by {lanes}" if lanes != 1 else ""
            kind = _NAMES.get(code, f"DLPack type {code} of ")
            raise TypeError(
                f"{self.name} has entries of type {kind}{bits}{vector}, "
                f"which {_no_numbers(self.name)}"
            )
        self.dtype = np.dtype(elements)
        self.device, self.stream = self.owner.device[1], _DEFAULT_STREAM
        strides = self.owner.strides
        self._shaped(self.owner.shape, strides and [step * self.dtype.itemsize for step in strides])
        self.address = self.owner.address

    def _by_interface(self, values):
        name, interface = self.name, values.__cuda_array_interface__
        self.owner, self.device = values, None

        def entry(key):
            try:
                return interface[key]
            except (KeyError, TypeError) as error:
                raise ValueError(f"{name}.__cuda_array_interface__ has no entry {key!r}") from error

        version = entry("version")
        if version not in (2, 3):
            raise ValueError(
                f"{name}.__cuda_array_interface__ has version {version!r}; 2 and 3 are supported"
            )
        try:
            self.dtype = np.dtype(entry("typestr"))
        except TypeError as error:
            raise TypeError(
                f"{name} has entries of type {interface['typestr']!r}, which {_no_numbers(name)}"
            ) from error
        if not self.dtype.isnative:
            raise TypeError(f"{name} is not in native byte order ({self.dtype.str}); convert it")
        if interface.get("mask") is not None:
            raise ValueError(f"{name} has a mask; remove masked entries instead")
        self._shaped(entry("shape"), interface.get("strides"))
        data = entry("data")
        try:
            address, _read_only = data
            self.address = int(address)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{name}.__cuda_array_interface__ has no address in its entry 'data'"
            ) from error
        # Arrays of version 2 have no stream. Most producers use the default stream.
        stream = interface.get("stream")
        if stream is not None and (
            isinstance(stream, bool) or not isinstance(stream, int) or stream <= 0
        ):
            raise ValueError(
                f"{name}.__cuda_array_interface__ has the stream {stream!r}; "
                "a stream is None, 1, 2 or a handle"
            )
        self.stream = _DEFAULT_STREAM if stream is None else stream

    def _shaped(self, shape, strides):
        if not isinstance(shape, (tuple, list)) or not all(
            isinstance(length, int) and length >= 0 for length in shape
        ):
            raise ValueError(f"{self.name} has the invalid shape {shape!r}")
        self._measure(shape, strides)

    def _measure(self, shape, strides):
        """Takes the shape and the strides in bytes, which may be None."""
        if len(shape) != 1:
            raise ValueError(f"{self.name} must have one dimension, not {len(shape)}")
        self.length = shape[0]
        if strides is not None and self.length > 1 and tuple(strides) != (self.dtype.itemsize,):
            raise ValueError(
                f"{self.name} is not contiguous: "
                f"the stride of its entries of {self.dtype.itemsize} bytes is {strides[0]} bytes; "
                "copy it with contiguous() in PyTorch or "
                "ascontiguousarray() in CuPy"
            )


class Points(Column):
    """A two-dimensional array of points on a CUDA device: one row per point.

    A row is contiguous. Rows may be apart, as those of a slice of columns.
    """

    __slots__ = ("dimensions", "stride")

    def _measure(self, shape, strides):
        if len(shape) != 2:
            raise ValueError(
                f"{self.name} must have two dimensions, one row per point, but has {len(shape)}"
            )
        if 0 in shape:
            what = "points" if shape[0] == 0 else "columns"
            raise ValueError(f"{self.name} has the shape {tuple(shape)} and so no {what}")
        self.length, self.dimensions = shape
        size = self.dtype.itemsize
        row, column = strides or (self.dimensions * size, size)
        if self.length == 1:
            row = self.dimensions * size
        if (column != size and self.dimensions > 1) or row % size or row < self.dimensions * size:
            raise ValueError(
                f"the rows of {self.name} are not contiguous: its strides are {row} and {column} "
                f"bytes, and its entries have {size}; copy it with contiguous() in PyTorch or "
                "ascontiguousarray() in CuPy"
            )
        self.stride = row // size


def points(name, values):
    """An array of points on a device.

    Raises a ValueError, TypeError or DeviceError that names the argument.
    """
    place = _device.place_of(values)
    _refuse_other_devices(name, place)
    array = Points(name, values, place)
    try:
        if array.dtype not in (np.float32, np.float64):
            raise TypeError(
                f"{name} must be an array of float32 or float64, not of {array.dtype}; convert it"
            )
        if array.length > 2**31 - 1:
            raise ValueError(
                f"{name} has {array.length} points, but a CUDA device takes at most {2**31 - 1}"
            )
    except BaseException:
        array.release()
        raise
    return array


def _refuse_other_devices(name, place):
    if place[0] not in _device.CUDA:
        raise _device.DeviceError(
            f"{name} is on device {_device.name_of(place)}, "
            "but Kostra takes arrays on CUDA devices and in host memory; "
            "copy it to the host first"
        )


def _no_numbers(name):
    """The end of an error about the element type of an argument."""
    if name == "X":
        return "are not float32 or float64; convert it"
    if name == "w":
        return "are not integers or floats of up to 64 bits that NumPy supports; convert it"
    return "are not integers; convert it"


def columns(u, v, w):
    """The columns of a graph on a device, by name.

    Raises a ValueError, TypeError or DeviceError that names the wrong argument.
    """
    given = {"u": u, "v": v} | ({} if w is None else {"w": w})
    places = {name: _device.place_of(values) for name, values in given.items()}
    on_device = next(name for name, place in places.items() if place is not None)
    for name, place in places.items():
        if place is None:
            raise _device.DeviceError(
                f"{on_device} is on device {_device.name_of(places[on_device])}, "
                f"but {name} is in host memory; u, v and w must be on the same device"
            )
        _refuse_other_devices(name, place)
    found = {}
    try:
        for name, values in given.items():
            found[name] = Column(name, values, places[name])
        _check(found)
    except BaseException:
        release(found)
        raise
    return found


def release(found):
    """Releases all columns."""
    for column in found.values():
        column.release()


def _check(found):
    """Checks the types and lengths of the columns."""
    for name, column in found.items():
        if name != "w" and column.dtype.kind not in "iu":
            raise TypeError(f"{name} must be an array of integers, not of {column.dtype}")
        if column.dtype.kind not in "iufb" or column.dtype.itemsize > 8:
            raise TypeError(
                f"{name} must be an array of integers or floats of up to 64 bits, "
                f"not of {column.dtype}"
            )
        _arrays.refuse_mask(name, column.dtype)
    lengths = [column.length for column in found.values()]
    if len(set(lengths)) > 1:
        names = "u, v and w" if "w" in found else "u and v"
        raise ValueError(
            f"{names} must have the same length, but have {', '.join(map(str, lengths))} entries"
        )
    if lengths[0] > 2**32 - 1:
        raise ValueError(
            f"u, v and w are too long: {lengths[0]} edges are more than 32-bit edge ids allow"
        )


def common_device(found):
    """The number of the device of all columns. Asks the driver if a column does not give it."""
    numbers = {}
    for name, column in found.items():
        number = column.device
        if number is None and column.address:
            number = _kostra.device_of(column.address)
        if number is not None:
            numbers[name] = number
    first = next(iter(numbers), None)
    for name, number in numbers.items():
        if number != numbers[first]:
            raise _device.DeviceError(
                f"{first} is on device cuda:{numbers[first]}, but {name} is on cuda:{number}; "
                "u, v and w must be on the same device"
            )
    return numbers.get(first, 0)
