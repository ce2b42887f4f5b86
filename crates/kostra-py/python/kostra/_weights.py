"""Rows that count as several points each: the argument ``sample_weight``."""

import numpy as np

from kostra import _arrays

#: The largest sum of weights.
_MOST = 2**32 - 2


def checked(sample_weight, n):
    """The weights of ``n`` rows as integers."""
    weights = _arrays.numbers("sample_weight", sample_weight)
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n} rows, but its shape is "
            f"{weights.shape}"
        )
    weights = weights.astype(np.float64)
    wrong = ~(weights >= 0)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"sample_weight[{row}] is {weights[row]}; pass how many points the row counts as, a "
            "number of at least 0"
        )
    broken = weights != np.floor(weights)
    if broken.any():
        row = int(broken.argmax())
        raise ValueError(
            f"sample_weight[{row}] is {weights[row]}, but a row counts as a whole number of points; "
            "multiply all weights, min_cluster_size and min_samples by one number, and round"
        )
    if weights.sum() > _MOST:
        raise ValueError(
            f"the sum of sample_weight is {weights.sum():.0f}, above the limit of {_MOST}; divide "
            "all weights, min_cluster_size and min_samples by one number, and round"
        )
    if not weights.any():
        raise ValueError("all weights in sample_weight are zero; pass a weight above 0")
    return weights.astype(np.uint32)


def total(weights, n):
    """The number of points that ``n`` rows count as."""
    return n if weights is None else int(weights.sum())


def nth(distances, samples, weights):
    """The least distance within which rows count as ``samples`` points."""
    if weights is None:
        return np.partition(distances, samples - 1)[samples - 1]
    order = np.argsort(distances, kind="stable")
    counts = np.cumsum(weights[order], dtype=np.int64)
    return distances[order[np.searchsorted(counts, samples)]]


def core_of_entries(rows, columns, distances, samples, weights):
    """The core distances of points by the entries of their rows; infinite without enough entries."""
    order = np.lexsort((distances, rows))
    rows, distances = rows[order], distances[order]
    counts = np.cumsum(weights[columns[order]], dtype=np.int64)
    starts = np.searchsorted(rows, np.arange(len(weights) + 1))
    before = np.concatenate([[0], counts])[starts]
    places = np.searchsorted(counts, before[:-1] + samples)
    cores = np.full(len(weights), np.inf)
    enough = places < starts[1:]
    cores[enough] = distances[places[enough]]
    return cores
