"""Ids of vertices that leave gaps: a warning about them, and new numbers for them."""

import sys
import warnings

import numpy as np

from kostra import _arrays


def relabelled(u, v, names=("u", "v")):
    """Ends with the vertices that occur numbered from 0, in the order of their ids, and the ids by number."""
    u, v = _arrays.ends(names[0], u), _arrays.ends(names[1], v)
    if len(u) != len(v):
        raise ValueError(f"{names[0]} and {names[1]} must be equally long, but have {len(u)}, {len(v)} entries")
    if np.result_type(u, v).kind == "f":  # NumPy's type for int64 beside uint64
        u, v = _same_integers(u, v, names)
    ids, numbers = np.unique(np.concatenate([u, v]), return_inverse=True)
    numbers = numbers.astype(np.int32 if len(ids) <= 1 << 31 else np.uint32)
    return numbers[: len(u)], numbers[len(u) :], ids.tolist()


def _same_integers(u, v, names):
    signed, unsigned = (u, v) if u.dtype.kind == "i" else (v, u)
    if not len(signed) or signed.min() >= 0:
        return u.astype(np.uint64), v.astype(np.uint64)
    if not len(unsigned) or unsigned.max() < 1 << 63:
        return u.astype(np.int64), v.astype(np.int64)
    raise ValueError(f"{names[0]} and {names[1]} hold negative ids and ids of 2**63 and more, which no integer type has both")


def warn_of_isolated(u, v, n):
    """Warns if some vertices are in no edge. Called only where the caller has given no number of vertices."""
    if n > 4 * len(u):
        isolated = n - len(np.unique(np.concatenate([u, v])))
    else:
        seen = np.zeros(n, np.bool_)
        seen[u] = seen[v] = True
        isolated = n - int(np.count_nonzero(seen))
    if isolated:
        message = (
            f"{isolated} of the {n} vertices {'has' if isolated == 1 else 'have'} no edge, since vertices are numbered from 0 to the highest id; pass "
            f"relabel=True to number only the vertices that occur, or n={n} if all of them are meant"
        )
        warnings.warn(message, UserWarning, stacklevel=_callers_level())


def _callers_level():
    """The stack level of the code that called the package."""
    frame, level = sys._getframe(2), 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "kostra":
        frame, level = frame.f_back, level + 1
    return level
