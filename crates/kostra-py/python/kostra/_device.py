"""Where arrays are stored, and which device works on them.

An array on a device is recognized by the protocols that libraries share: DLPack, or else ``__cuda_array_interface__``.
"""

import re

import numpy as np

# The device types of DLPack whose memory the processor reads: its own, and what CUDA and ROCm pin for it.
_IN_MEMORY = {1, 3, 11}
# Those of CUDA's own memory, ordinary and managed.
CUDA = {2, 13}
_NAMES = {2: "cuda", 10: "rocm", 13: "cuda", 8: "metal", 14: "oneapi"}


class DeviceError(RuntimeError):
    """There is no such device, or it has failed, or an array lies on one where it has to be in memory."""


def check(device):
    """Refuses a name that is no device's, and returns one that is."""
    if isinstance(device, str) and re.fullmatch(r"auto|cpu|cuda(:\d{1,9})?", device):
        return device
    raise ValueError(f"device must be 'auto', 'cpu', 'cuda' or 'cuda:<number>', not {device!r}")


def place_of(values):
    """The type and number of the device that an array lies on, or None if it lies in memory or is no array.

    The number is None where only the address can tell.
    """
    if isinstance(values, (np.ndarray, list, tuple)) or values is None:
        return None
    try:
        kind, number = values.__dlpack_device__()
    except Exception:  # a list, a table, or an array that does not export itself
        return (2, None) if hasattr(values, "__cuda_array_interface__") else None
    return None if int(kind) in _IN_MEMORY else (int(kind), int(number))


def name_of(place):
    """The name of a device."""
    kind, number = place
    name = _NAMES.get(kind, f"(DLPack type {kind})")
    return name if number is None else f"{name}:{number}"


def refuse_if_on_device(name, values):
    """Raises :class:`DeviceError` where the values of an argument do not lie in memory."""
    place = place_of(values)
    if place is not None:
        raise DeviceError(
            f"{name} lies on device {name_of(place)}, and has to be in memory; copy it to the host first "
            "(minimum_spanning_forest takes arrays on CUDA devices as they lie)"
        )
