"""A namespace for data frames of Polars. Import this module to have it.

>>> import kostra.polars, polars
>>> roads = polars.DataFrame({"source": ["a", "b", "a"], "target": ["b", "c", "c"],
...                           "km": [4, 2, 3], "name": ["A1", "A2", "A3"]})
>>> roads.kostra.minimum_spanning_forest(weight="km").rows()
[('b', 'c', 2, 'A2'), ('a', 'c', 3, 'A3')]
"""

from kostra import _optional
from kostra._accessors import Accessor

__all__ = ["Frames"]

_polars = _optional.module("polars", "kostra.polars")


@_polars.api.register_dataframe_namespace("kostra")
class Frames(Accessor):
    """The namespace ``kostra``."""

    def _pick(self, edges):
        return self._frame[edges]
