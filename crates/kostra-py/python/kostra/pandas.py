"""An accessor for data frames of pandas. Import this module to have it.

>>> import kostra.pandas, pandas
>>> roads = pandas.DataFrame({"source": ["a", "b", "a"], "target": ["b", "c", "c"],
...                           "km": [4, 2, 3], "name": ["A1", "A2", "A3"]})
>>> roads.kostra.minimum_spanning_forest(weight="km")
  source target  km name
1      b      c   2   A2
2      a      c   3   A3
"""

from kostra import _optional
from kostra._accessors import Accessor

__all__ = ["Frames"]

_pandas = _optional.module("pandas", "kostra.pandas")


@_pandas.api.extensions.register_dataframe_accessor("kostra")
class Frames(Accessor):
    """The accessor ``kostra``. The rows of a forest keep their labels."""

    def _pick(self, edges):
        return self._frame.iloc[edges]
