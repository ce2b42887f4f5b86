"""Recognizes arrays on devices and checks device names.

An array on a device is recognized by DLPack, or otherwise by ``__cuda_array_interface__``.
"""

import re

import numpy as np

# The DLPack device types of host memory: ordinary, and pinned by CUDA or ROCm.
_IN_MEMORY = {1, 3, 11}
# The DLPack device types of CUDA memory, ordinary and managed.
CUDA = {2, 13}
_NAMES = {2: "cuda", 10: "rocm", 13: "cuda", 8: "metal", 14: "oneapi"}


class DeviceError(RuntimeError):
    """A device does not exist or has failed, or an array is on the wrong device."""


def check(device):
    """Returns a valid device name; refuses any other value."""
    if isinstance(device, str) and re.fullmatch(r"auto|cpu|cuda(:\d{1,9})?", device):
        return device
    raise ValueError(f"device must be 'auto', 'cpu', 'cuda' or 'cuda:<number>', not {device!r}")


def check_any(device):
    """Returns a valid name of one or several devices; refuses any other value."""
    if not (isinstance(device, str) and re.fullmatch(r"cuda(:\d{1,9}(,\d{1,9})+)", device)):
        return check(device)
    numbers = [int(number) for number in device.partition(":")[2].split(",")]
    for place, number in enumerate(numbers):
        if number in numbers[:place]:
            raise ValueError(f"device {device!r} names device {number} twice; name each one once")
    return device


def place_of(values):
    """The DLPack type and the number of the device of an array; None for arrays in host memory and
    other values.

    The number is None if only the address of the array determines it.
    """
    if isinstance(values, (np.ndarray, list, tuple)) or values is None:
        return None
    try:
        kind, number = values.__dlpack_device__()
    except Exception:  # not an array, or an array that refuses the export
        return (2, None) if hasattr(values, "__cuda_array_interface__") else None
    return None if int(kind) in _IN_MEMORY else (int(kind), int(number))


def shape_of(values):
    """The shape of an array on a device."""
    if hasattr(values, "shape"):
        return tuple(values.shape)
    return tuple(values.__cuda_array_interface__["shape"])


def name_of(place):
    """The name of a device."""
    kind, number = place
    name = _NAMES.get(kind, f"(DLPack type {kind})")
    return name if number is None else f"{name}:{number}"


def refuse_if_on_device(name, values):
    """Raises :class:`DeviceError` if the argument ``name`` is an array on a device."""
    place = place_of(values)
    if place is not None:
        raise DeviceError(
            f"{name} is on device {name_of(place)}, but must be in host memory; "
            "copy it to the host first "
            "(minimum_spanning_forest takes graphs on CUDA devices; euclidean_mst, single_linkage, "
            "HDBSCAN and SingleLinkage take points)"
        )
