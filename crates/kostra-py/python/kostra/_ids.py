"""Gaps in the vertex ids: warns about vertices without edges, and relabels vertices."""

import numpy as np

from kostra import _arrays

MAX_VERTICES = 2**32 - 1


def relabeled(u, v, names=("u", "v")):
    """Numbers the vertices that occur from 0, in ascending order of their ids. Returns the new ends
    and a list of the ids.
    """
    u, v = _arrays.ends(names[0], u), _arrays.ends(names[1], v)
    if len(u) != len(v):
        raise ValueError(
            f"{names[0]} and {names[1]} must have the same length, "
            f"but have {len(u)}, {len(v)} entries"
        )
    if np.result_type(u, v).kind == "f":  # NumPy's type for int64 beside uint64
        u, v = _same_integers(u, v, names)
    ids, numbers = np.unique(np.concatenate([u, v]), return_inverse=True)
    numbers = numbers.astype(np.int32 if len(ids) <= 1 << 31 else np.uint32)
    return numbers[: len(u)], numbers[len(u) :], ids.tolist()


def _same_integers(u, v, names):
    """Converts int64 and uint64 ends to the same type."""
    signed, unsigned = (u, v) if u.dtype.kind == "i" else (v, u)
    if not len(signed) or signed.min() >= 0:
        return u.astype(np.uint64), v.astype(np.uint64)
    if not len(unsigned) or unsigned.max() < 1 << 63:
        return u.astype(np.int64), v.astype(np.int64)
    raise ValueError(
        f"{names[0]} and {names[1]} contain negative ids and ids of 2**63 or more, "
        "but no integer type has both"
    )


class Gaps:
    """The warning about vertices without edges, for a graph whose ``n`` was not given."""

    __slots__ = ("remedy", "skips_nan")

    def __init__(self, skips_nan):
        #: Whether edges of weight NaN were skipped.
        self.skips_nan = skips_nan
        #: The end of the warning; ``{n}`` is replaced by the number of vertices.
        self.remedy = (
            "pass relabel=True to number only the vertices that occur, "
            "or n={n} to accept all vertices"
        )

    def warn(self, u, v, n):
        """Warns if some vertices have no edge."""
        if n > 4 * len(u):
            isolated = n - len(np.unique(np.concatenate([u, v])))
        else:
            seen = np.zeros(n, np.bool_)
            seen[u] = seen[v] = True
            isolated = n - int(np.count_nonzero(seen))
        if not isolated:
            return
        reason = "vertices are numbered from 0 to the highest id"
        if self.skips_nan:
            reason = f"edges of weight NaN are skipped and {reason}"
        message = (
            f"{isolated} of the {n} vertices {'has' if isolated == 1 else 'have'} no edge, "
            f"because {reason}; {self.remedy.format(n=n)}"
        )
        _arrays.warn(message)
