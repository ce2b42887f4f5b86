"""Where arrays lie, and where they are to be worked on.

Graphs in memory can be solved on a CUDA device. Arrays that lie on one are not taken yet: such an array is told from
one in memory by the protocols that libraries share, ``__cuda_array_interface__`` and DLPack, and is answered with one
sentence instead of a hidden copy.
"""

import re

import numpy as np

# The device types of DLPack whose memory the processor reads: its own, and what CUDA and ROCm pin for it.
_IN_MEMORY = {1, 3, 11}
_NAMES = {2: "cuda", 10: "rocm", 13: "cuda", 8: "metal", 14: "oneapi"}


class DeviceError(RuntimeError):
    """There is no such device, or it has failed, or it holds an array that has to be in memory."""


def check(device):
    """Refuses a name that is no device's, and returns one that is."""
    if isinstance(device, str) and re.fullmatch(r"auto|cpu|cuda(:\d{1,9})?", device):
        return device
    raise ValueError(f"device must be 'auto', 'cpu', 'cuda' or 'cuda:<number>', not {device!r}")


def refuse_if_on_device(name, values):
    """Raises :class:`DeviceError` where the values of an argument do not lie in memory."""
    if isinstance(values, (np.ndarray, list, tuple)):
        return
    where = _device_of(values)
    if where is not None:
        raise DeviceError(
            f"{name} lies on device {where}, and Kostra takes arrays in memory only; copy it to the host first"
        )


def _device_of(values):
    """The name of the device that an array lies on, or None if it lies in memory or is no array."""
    try:
        kind, number = values.__dlpack_device__()
    except Exception:  # a list, a table, or an array that does not export itself
        return "cuda" if hasattr(values, "__cuda_array_interface__") else None
    if int(kind) in _IN_MEMORY:
        return None
    return f"{_NAMES.get(int(kind), f'(DLPack type {int(kind)})')}:{number}"
