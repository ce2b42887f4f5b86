"""Where arrays lie, and where they are to be worked on.

There is no GPU engine in this build. An array on a device is told from one in memory by the protocols that libraries
share, ``__cuda_array_interface__`` and DLPack, and is answered with one sentence instead of a hidden copy.
"""

import re

import numpy as np

# The device types of DLPack whose memory the processor reads: its own, and what CUDA and ROCm pin for it.
_IN_MEMORY = {1, 3, 11}
_NAMES = {2: "cuda", 10: "rocm", 13: "cuda", 8: "metal", 14: "oneapi"}


class DeviceError(RuntimeError):
    """There is no such device, or this build of Kostra cannot use it."""


def check(device):
    """Refuses a device that there is none of, and a name that is none."""
    if device in ("auto", "cpu"):
        return
    if isinstance(device, str) and re.fullmatch(r"cuda(:\d+)?", device):
        raise DeviceError(
            f"device {device!r}: no device: this build of Kostra has no GPU engine; pass device='auto' or 'cpu'"
        )
    raise ValueError(f"device must be 'auto', 'cpu', 'cuda' or 'cuda:<number>', not {device!r}")


def refuse_if_on_device(name, values):
    """Raises :class:`DeviceError` where the values of an argument do not lie in memory."""
    if isinstance(values, (np.ndarray, list, tuple)):
        return
    where = _device_of(values)
    if where is not None:
        raise DeviceError(
            f"{name} lies on device {where}, but no device: this build of Kostra has no GPU engine; "
            "copy it to the host first"
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
