"""Columns on a CUDA device, as other libraries hand them out: by DLPack, or by ``__cuda_array_interface__``.

Everything is looked at that can be told without the device: whoever hands in a wrong array is told so on any machine.
"""

import numpy as np

from kostra import _device, _kostra

# The codes of DLPack's element types that NumPy has a letter for.
_LETTERS = {0: "i", 1: "u", 2: "f", 6: "b"}
_OTHERS = {4: "bfloat", 5: "complex"}
# The default stream of a device, in both protocols.
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
                raise ValueError(f"{name} does not begin at a multiple of its entries' size; copy it")
        except BaseException:
            self.release()
            raise

    def release(self):
        """Gives the array back to its owner, however long this object is kept, in a traceback say."""
        self.owner = None

    def place(self):
        """The address and the type, as the compiled half takes them."""
        return self.address, f"{self.dtype.kind}{self.dtype.itemsize}"

    def _by_dlpack(self, values, place):
        # Whoever exports makes the array complete on the default stream, and that is waited for before it is read.
        try:
            try:
                capsule = values.__dlpack__(stream=_DEFAULT_STREAM, max_version=(1, 0))
            except TypeError:  # from before version 1.0
                capsule = values.__dlpack__(stream=_DEFAULT_STREAM)
        except (BufferError, RuntimeError, ValueError) as error:
            raise type(error)(f"{self.name} cannot be had through DLPack: {error}") from error
        try:
            self.owner = _kostra.Borrowed.consume(capsule)
        except (BufferError, TypeError) as error:
            raise type(error)(f"{self.name} cannot be had through DLPack: {error}") from error
        if self.owner.device != place:
            raise ValueError(
                f"{self.name} says that it lies on device {_device.name_of(place)}, and its DLPack capsule that it "
                f"lies on {_device.name_of(self.owner.device)}"
            )
        code, bits, lanes = self.owner.dtype
        letter = _LETTERS.get(code)
        if letter is None or lanes != 1 or bits not in (8, 16, 32, 64) or (letter == "f" and bits == 8):
            vector = f" by {lanes}" if lanes != 1 else ""
            kind = _OTHERS.get(code) or {0: "int", 1: "uint", 2: "float", 6: "bool"}.get(code, f"DLPack type {code} of ")
            raise TypeError(f"{self.name} has entries of type {kind}{bits}{vector}, which {_no_numbers(self.name)}")
        self.dtype = np.dtype(f"{letter}{bits // 8}")
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
            raise ValueError(f"{name}.__cuda_array_interface__ is of version {version!r}; 2 and 3 are understood")
        try:
            self.dtype = np.dtype(entry("typestr"))
        except TypeError as error:
            raise TypeError(f"{name} has entries of type {interface['typestr']!r}, which {_no_numbers(name)}") from error
        if not self.dtype.isnative:
            raise TypeError(f"{name} is in the byte order of other machines ({self.dtype.str}); convert it")
        if interface.get("mask") is not None:
            raise ValueError(f"{name} has a mask; leave masked edges out instead")
        self._shaped(entry("shape"), interface.get("strides"))
        data = entry("data")
        try:
            address, _read_only = data
            self.address = int(address)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}.__cuda_array_interface__ has no address in its entry 'data'") from error
        # Arrays of version 2 name no stream, and most of those who make them work on the default one.
        stream = interface.get("stream")
        if stream is not None and (isinstance(stream, bool) or not isinstance(stream, int) or stream <= 0):
            raise ValueError(
                f"{name}.__cuda_array_interface__ names the stream {stream!r}; a stream is None, 1, 2 or a handle"
            )
        self.stream = _DEFAULT_STREAM if stream is None else stream

    def _shaped(self, shape, strides):
        if not isinstance(shape, (tuple, list)) or not all(isinstance(length, int) and length >= 0 for length in shape):
            raise ValueError(f"{self.name} has the shape {shape!r}, which is none")
        if len(shape) != 1:
            raise ValueError(f"{self.name} must have one dimension, not {len(shape)}")
        self.length = shape[0]
        if strides is not None and self.length > 1 and tuple(strides) != (self.dtype.itemsize,):
            raise ValueError(
                f"{self.name} is not contiguous: its entries of {self.dtype.itemsize} bytes are {strides[0]} bytes "
                "apart; copy it, by contiguous() in PyTorch or ascontiguousarray() in CuPy"
            )


def _no_numbers(name):
    if name == "w":
        return "are no integers or floats of up to 64 bits that NumPy has; convert it"
    return "are no integers; convert it"


def columns(u, v, w):
    """The columns of a graph on a device, by name, and the number of the device.

    Anything wrong with one of them is a ValueError, TypeError or DeviceError that names it.
    """
    given = {"u": u, "v": v} | ({} if w is None else {"w": w})
    places = {name: _device.place_of(values) for name, values in given.items()}
    there = next(name for name, place in places.items() if place is not None)
    for name, place in places.items():
        if place is None:
            raise _device.DeviceError(
                f"{there} lies on device {_device.name_of(places[there])}, and {name} in memory; all of u, v and w "
                "have to be in one place"
            )
        if place[0] not in _device.CUDA:
            raise _device.DeviceError(
                f"{name} lies on device {_device.name_of(place)}, and Kostra takes arrays on CUDA devices and in "
                "memory; copy it to the host first"
            )
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
    """Gives all columns back to their owners."""
    for column in found.values():
        column.release()


def _check(found):
    """Whether columns are those of a graph, as far as that can be told here."""
    for name, column in found.items():
        if name != "w" and column.dtype.kind not in "iu":
            raise TypeError(f"{name} must be an array of integers, not of {column.dtype}")
        if column.dtype.kind not in "iufb" or column.dtype.itemsize > 8:
            raise TypeError(f"{name} must be an array of integers or floats of up to 64 bits, not of {column.dtype}")
    lengths = [column.length for column in found.values()]
    if len(set(lengths)) > 1:
        names = "u, v and w" if "w" in found else "u and v"
        raise ValueError(f"{names} must be equally long, but have {', '.join(map(str, lengths))} entries")
    if lengths[0] > 2**32 - 1:
        raise ValueError(f"u, v and w are too long: {lengths[0]} edges are more than 32-bit ids can name")


def common_device(found):
    """The number of the device that all columns lie on; asks the driver where a column does not say."""
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
                f"{first} lies on device cuda:{numbers[first]}, and {name} on cuda:{number}; all of u, v and w have "
                "to be in one place"
            )
    return numbers.get(first, 0)
