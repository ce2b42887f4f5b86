"""Arguments as the compiled half takes them: one-dimensional, contiguous, in the machine's byte order."""

import operator

import numpy as np

from kostra import _device


def vector(name, values):
    """An argument as a vector, copied only where its layout asks for it."""
    _device.refuse_if_on_device(name, values)
    array = exact(name, values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {array.ndim}")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name}[{int(np.ma.getmaskarray(values).argmax())}] is masked; leave masked edges out")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return np.require(array, requirements=("C_CONTIGUOUS", "ALIGNED"))


def exact(name, values):
    """Values as an array, unless that rounds some of them."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} is no array: {error}") from error
    except OverflowError as error:
        raise ValueError(f"{name} holds an integer beyond what a float can hold; pass integers only") from error
    place = rounded(values, array) if array.ndim == 1 else None
    if place is not None:
        raise ValueError(f"{name}[{place}] is {values[place]}, which a float would round; pass integers only, or floats only")
    return array


def rounded(values, array):
    """The first place of a sequence whose integer NumPy has rounded, because a float is beside it; None without one."""
    if array.dtype.kind != "f" or hasattr(values, "__array__"):
        return None
    for place in np.flatnonzero(np.abs(array) >= 2.0**53).tolist():
        value = np.asarray(values[place]).item()
        if isinstance(value, int) and value != array[place].item():
            return place
    return None


def ends(name, values):
    """An argument that holds vertices."""
    array = vector(name, values)
    if array.size == 0 and array.dtype.kind == "f":  # what NumPy makes of an empty list
        array = array.astype(np.int32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be an array of integers, not of {array.dtype}")
    return array


def weights(name, values):
    """An argument that holds weights, in a type that the engine knows, and the type that they came in."""
    array = vector(name, values)
    if array.dtype.kind not in "iufb" or array.dtype.itemsize > 8:
        raise TypeError(f"{name} must be an array of integers or floats of up to 64 bits, not of {array.dtype}")
    dtype = array.dtype
    return (array.astype(np.float32) if dtype == np.float16 else array), dtype


def same(a, b):
    """Whether two arrays hold the same numbers, exactly, whatever their types."""
    if a.dtype == b.dtype or a.shape != b.shape:
        return np.array_equal(a, b)
    return a.tolist() == b.tolist()  # Python compares integers with floats exactly


def typed(array, dtype):
    """A read-only array of the engine's in the type of the input, copied only where that is another width."""
    if array.dtype != dtype:
        same_bits = array.dtype.kind in "iu" and dtype.kind in "iu" and array.dtype.itemsize == dtype.itemsize
        array = array.view(dtype) if same_bits else array.astype(dtype)
        array.flags.writeable = False
    return array


def whole(name, value, low, high):
    """An argument that is a whole number in a range, or None."""
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {number}")
    return number


def vertex(name, value, n):
    """An argument that is one of ``n`` vertices."""
    if value is None:
        raise TypeError(f"{name} must be a vertex, not None")
    return whole(name, value, 0, n - 1)


def threads(value):
    """An argument that is a number of threads; None stands for all."""
    return whole("threads", value, 1, 4096)


def choice(name, value, choices):
    """An argument that is one of some words."""
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}, not {value!r}")
    return value
