"""Trees that may be longer than the minimum, and the bound of their error."""

from typing import NamedTuple

from kostra import _arrays


class ErrorBound(NamedTuple):
    """How much longer a spanning tree may be than the minimum spanning tree.

    Examples
    --------
    >>> import kostra
    >>> kostra.ErrorBound(length=10.1, least=10.0, confidence=0.95, recall=0.99)
    <kostra.ErrorBound: error <= 1.00 % (95 %), recall 0.990>
    """

    length: float
    """The sum of the tree's distances, which the minimum is not above."""
    least: float
    """What the minimum is not below, with the probability ``confidence``."""
    confidence: float
    """The probability that ``least`` is a lower bound; 1 for an exact tree."""
    recall: float
    """The part of the nearest neighbors that the search found, of a sample of points."""

    @property
    def relative(self):
        """The most by which the tree is longer, relative to the minimum."""
        if self.length == self.least:
            return 0.0
        return self.length / self.least - 1 if self.least > 0 else float("inf")

    def __repr__(self):
        error = f"error <= {100 * self.relative:.2f} % ({100 * self.confidence:.0f} %)"
        return f"<kostra.ErrorBound: {error}, recall {self.recall:.3f}>"


def seed_of(approximate, seed):
    """The seed of an approximate tree; None if the tree is exact."""
    seed = _arrays.required("seed", seed, 0, 2**64 - 1)
    return seed if _arrays.flag("approximate", approximate) else None


def refuse(approximate, reason):
    """Refuses an argument that would have no effect."""
    if _arrays.flag("approximate", approximate):
        raise ValueError(f"{reason}; leave out approximate=True")
