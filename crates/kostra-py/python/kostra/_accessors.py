"""What the accessors of data frames have in common."""

from kostra._graph import Graph


class Accessor:
    """Spanning forests of a data frame with a row per edge."""

    def __init__(self, frame):
        self._frame = frame

    def minimum_spanning_forest(self, *columns, threads=None, **options):
        """The rows of the minimum spanning forest, in their order, with all columns.

        Parameters
        ----------
        columns, options
            As for :meth:`kostra.Graph.from_table`: ``source``, ``target``, ``weight``, and so on.
            Integers are ids. Only those that occur are vertices.
        threads : int, optional
            The number of threads; by default, all of the machine's.
        """
        return self._rows(columns, options, maximum=False, threads=threads)

    def maximum_spanning_forest(self, *columns, threads=None, **options):
        """As :meth:`minimum_spanning_forest`, with the greatest weight."""
        return self._rows(columns, options, maximum=True, threads=threads)

    def _rows(self, columns, options, **solve):
        if "vertices" not in options:
            options = {"relabel": True} | options
        graph = Graph.from_table(self._frame, *columns, threads=solve["threads"], **options)
        return self._pick(graph.minimum_spanning_forest(**solve).edge_ids)

    def _pick(self, edges):
        raise NotImplementedError
