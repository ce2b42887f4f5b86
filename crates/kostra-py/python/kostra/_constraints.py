"""Pairs of rows that must be, or cannot be, in one cluster."""

import numpy as np

from kostra import _arrays


def checked(name, pairs, n):
    """The argument ``must_link`` or ``cannot_link`` for ``n`` rows: an array of m by 2."""
    if pairs is None:
        return np.empty((0, 2), np.int64)
    pairs = _arrays.numbers(name, pairs)
    if pairs.size == 0:
        return np.empty((0, 2), np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must be pairs of row numbers, an array of integers with two columns, but is "
            f"{pairs.dtype} of the shape {pairs.shape}"
        )
    _arrays.refuse_outside(name, pairs, (n, "rows"))
    return pairs.astype(np.int64)


def among(pairs, rows, n):
    """The pairs with both ends in ``rows``, as positions in ``rows``."""
    pairs = _arrays.positions(rows, n)[pairs]
    return pairs[(pairs >= 0).all(axis=1)]
