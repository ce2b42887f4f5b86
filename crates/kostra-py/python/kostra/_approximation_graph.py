"""The graphs in which branches of clusters are found, with the methods of the package hdbscan."""

import numpy as np

from kostra import _optional


_EDGE = [
    ("parent", np.int64),
    ("child", np.int64),
    ("centrality", np.float64),
    ("mutual_reachability", np.float64),
    ("component", np.int64),
]


class ApproximationGraph:
    """The points of clusters, and the near pairs among them.

    Parameters
    ----------
    points, edges : structured arrays
        Those of :meth:`to_numpy`.
    data : array of n by d
        The coordinates of all rows.
    """

    def __init__(self, points, edges, data):
        self._points, self._edges, self._data = points, edges, data

    @classmethod
    def _of(cls, columns, edges, data):
        """The graph of columns of points by name, and the columns of the edges of each cluster."""
        points = np.empty(len(columns["id"]), [(name, own.dtype) for name, own in columns.items()])
        for name, values in columns.items():
            points[name] = values
        found = np.empty(sum(len(own[0]) for own in edges), _EDGE)
        for place, (name, _) in enumerate(_EDGE):
            found[name] = np.concatenate([*(own[place] for own in edges), np.empty(0)])
        return cls(points, found, data)

    def __repr__(self):
        sizes = f"{len(self._points)} points, {len(self._edges)} edges"
        return f"<kostra.hdbscan.ApproximationGraph: {sizes}>"

    @property
    def point_mask(self):
        """Which rows are in clusters, an array of n bool."""
        mask = np.zeros(len(self._data), bool)
        mask[self._points["id"]] = True
        return mask

    def to_numpy(self):
        """The points and edges.

        Returns
        -------
        points : structured array
            ``id``, the row of the point, ``label``, ``probability``, ``centrality``,
            ``cluster_label``, ``cluster_probability``, ``branch_label`` and ``branch_probability``.
        edges : structured array
            ``parent`` and ``child``, the two rows, the lower one first, ``centrality``, the larger
            one of both, ``mutual_reachability``, their distance, and ``component``, the cluster.
        """
        return self._points.copy(), self._edges.copy()

    def to_pandas(self):
        """The arrays of :meth:`to_numpy` as data frames.

        Returns
        -------
        points, edges : pandas.DataFrame
        """
        pandas = _optional.module("pandas", "to_pandas")
        return pandas.DataFrame(self._points), pandas.DataFrame(self._edges)

    def to_networkx(self, feature_names=None):
        """The graph with the columns of :meth:`to_numpy` as attributes.

        Parameters
        ----------
        feature_names : list of d names, optional
            The names of coordinates as attributes of nodes; by default, ``feature_0`` and so on.

        Returns
        -------
        networkx.Graph
            ``weight`` of an edge is 1 / (1 + ``mutual_reachability``).
        """
        graph = _optional.module("networkx", "to_networkx").Graph()
        features = self._features(feature_names)
        columns = {name: self._points[name] for name in self._points.dtype.names[1:]}
        columns |= {name: values[self._points["id"]] for name, values in features.items()}
        nodes = zip(*(values.tolist() for values in columns.values()))
        for row, values in zip(self._points["id"].tolist(), nodes):
            graph.add_node(row, **dict(zip(columns, values)))
        for parent, child, centrality, distance, component in self._edges.tolist():
            graph.add_edge(
                parent,
                child,
                weight=1 / (1 + distance),
                mutual_reachability=distance,
                centrality=centrality,
                component=component,
            )
        return graph

    def _features(self, names):
        if names is None:
            names = [f"feature_{column}" for column in range(self._data.shape[1])]
        return dict(zip(names, self._data.T))

    def plot(
        self,
        positions=None,
        feature_names=None,
        node_color="label",
        node_vmin=None,
        node_vmax=None,
        node_cmap="viridis",
        node_alpha=1,
        node_size=1,
        node_marker="o",
        edge_color="k",
        edge_vmin=None,
        edge_vmax=None,
        edge_cmap="viridis",
        edge_alpha=1,
        edge_width=1,
    ):
        """Draws the graph in the current axes, by matplotlib.

        Parameters
        ----------
        positions : array of n by 2, optional
            The place of each row. By default, the coordinates, or their two principal components.
            The package needs Graphviz instead.
        feature_names : list of d names, optional
            As for :meth:`to_networkx`.
        node_color : str, array of n numbers, or color
            A column of points in :meth:`to_numpy`, the name of a feature, or a number for each row.
        edge_color : str, array of numbers, or color
            A column of edges in :meth:`to_numpy`, or a number for each edge.
        node_vmin, node_vmax, edge_vmin, edge_vmax : float, optional
            The numbers with the first and the last color.
        node_cmap, edge_cmap : str or matplotlib colormap
            The colors of numbers.
        node_alpha, edge_alpha, node_size, edge_width, node_marker : float, float, float, float, str
            Opacities, sizes, and the shape of points.

        Returns
        -------
        matplotlib axes
        """
        from kostra._hierarchy_plots import draw_graph

        features, rows = self._features(feature_names), self._points["id"]
        if isinstance(node_color, str):
            if node_color.endswith("label") and node_color in self._points.dtype.names:
                node_color, node_cmap = self._points[node_color] % 10, "tab10"
                node_vmin, node_vmax = 0, 9
            elif node_color in self._points.dtype.names:
                node_color = self._points[node_color]
            elif node_color in features:
                node_color = features[node_color][rows]
        elif np.shape(node_color)[:1] == self._data.shape[:1]:
            node_color = np.asarray(node_color)[rows]
        if isinstance(edge_color, str) and edge_color in self._edges.dtype.names:
            edge_color = self._edges[edge_color]
        nodes = {"c": node_color, "vmin": node_vmin, "vmax": node_vmax, "cmap": node_cmap}
        nodes |= {"alpha": node_alpha, "s": node_size, "marker": node_marker, "linewidth": 0}
        style = {"alpha": edge_alpha, "linewidths": edge_width, "cmap": edge_cmap, "zorder": 0}
        places = self._data if positions is None else np.asarray(positions, np.float64)
        if len(places) != len(self._data):
            raise ValueError(f"positions must have {len(self._data)} rows, but has {len(places)}")
        ends = self._edges["parent"], self._edges["child"]
        return draw_graph((ends, rows), places, (edge_color, edge_vmin, edge_vmax), (nodes, style))
