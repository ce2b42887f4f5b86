"""The trees of a fitted HDBSCAN, with the methods that the package hdbscan has."""

import numpy as np

from kostra import _arrays, _optional
from kostra._grid import number


class CondensedTree:
    """The hierarchy without the clusters of fewer than ``min_cluster_size`` points.

    Points are numbered from 0 to n - 1, and clusters from n. Cluster n contains all points. A
    cluster may have more than two children, because merges at one distance are one node.
    ``numpy.asarray(tree)`` is :meth:`to_numpy`.

    Parameters
    ----------
    rows : structured array
        The rows of :meth:`to_numpy`.
    selected : array of int
        The clusters of the labels, in their order.
    """

    def __init__(self, rows, selected):
        self._raw_tree, self._selected = rows, selected

    def __array__(self, dtype=None, copy=None):
        return np.array(self._raw_tree, dtype=dtype)

    def __repr__(self):
        clusters = np.count_nonzero(self._raw_tree["child_size"] > 1) + 1
        return f"<kostra.cluster.CondensedTree: {clusters} clusters>"

    def _select_clusters(self):
        return self._selected.tolist()

    def to_numpy(self):
        """A structured array with a row for each point and each cluster but the largest.

        Returns
        -------
        structured array
            ``parent`` is the cluster that the row's ``child`` leaves, at the density
            ``lambda_val``, 1 / distance. ``child_size`` is the number of its points. Rows of points
            come first.
        """
        return self._raw_tree.copy()

    def to_pandas(self):
        """The rows of :meth:`to_numpy` as a data frame.

        Returns
        -------
        pandas.DataFrame
        """
        return _optional.module("pandas", "to_pandas").DataFrame(self._raw_tree)

    def to_networkx(self):
        """The tree as a graph with an edge from each parent to each child.

        Returns
        -------
        networkx.DiGraph
            ``weight`` of an edge is its ``lambda_val``, and ``size`` of a node its ``child_size``.
        """
        networkx = _optional.module("networkx", "to_networkx")
        graph, rows = networkx.DiGraph(), self._raw_tree
        ends = rows["parent"].tolist(), rows["child"].tolist(), rows["lambda_val"].tolist()
        graph.add_weighted_edges_from(zip(*ends))
        sizes = dict(zip(ends[1], rows["child_size"].tolist()))
        networkx.set_node_attributes(graph, sizes, "size")
        return graph

    def get_plot_data(self, leaf_separation=1, log_size=False, max_rectangle_per_icicle=20):
        """The rectangles and lines of :meth:`plot`.

        Parameters
        ----------
        leaf_separation : float
            The distance of two neighboring leaves, in units of the number of points.
        log_size : bool
            Whether widths are logarithms of numbers of points.
        max_rectangle_per_icicle : int
            The most rectangles of a cluster.

        Returns
        -------
        dict
            Lists ``bar_centers``, ``bar_tops`` (heights), ``bar_bottoms``, ``bar_widths``,
            ``line_xs`` and ``line_ys``, and ``cluster_bounds``: [left, right, bottom, top] of each
            cluster. Infinite densities are drawn above the largest finite one.
        """
        from kostra._hierarchy_plots import icicles

        return icicles(self._raw_tree, leaf_separation, log_size, max_rectangle_per_icicle)

    def plot(
        self,
        leaf_separation=1,
        cmap="viridis",
        select_clusters=False,
        label_clusters=False,
        selection_palette=None,
        axis=None,
        colorbar=True,
        log_size=False,
        max_rectangles_per_icicle=20,
    ):
        """Draws each cluster as an icicle whose width is the number of points at a density.

        Parameters
        ----------
        leaf_separation, log_size : float, bool
            As for :meth:`get_plot_data`.
        cmap : str or matplotlib colormap
            The colors of widths, or ``"none"`` for black.
        select_clusters : bool
            Whether to mark the clusters of the labels.
        label_clusters : bool
            Whether to write the labels of marked clusters.
        selection_palette : list of colors, optional
            The colors of marks, if there are enough.
        axis : matplotlib axes, optional
            Where to draw; by default, the current axes.
        colorbar : bool
            Whether to add a color bar.
        max_rectangles_per_icicle : int
            As ``max_rectangle_per_icicle`` of :meth:`get_plot_data`.

        Returns
        -------
        matplotlib axes
        """
        from kostra._hierarchy_plots import draw_icicles

        data = self.get_plot_data(leaf_separation, log_size, max_rectangles_per_icicle)
        marks = None
        if select_clusters:
            colors = selection_palette
            if colors is None or len(colors) < len(self._selected):
                colors = ["r"] * len(self._selected)
            marks = list(zip(self._select_clusters(), colors)), label_clusters
        unit = "log(Number of points)" if log_size else "Number of points"
        return draw_icicles(data, axis, (cmap, unit if colorbar else None), marks)


class SingleLinkageTree:
    """The hierarchy of single linkage, by the distances of the spanning tree.

    ``numpy.asarray(tree)`` is :meth:`to_numpy`.

    Parameters
    ----------
    linkage : array of n - 1 by 4
        A linkage matrix of SciPy.
    copies : pair of arrays, optional
        How many points each row of the fit counts as, and its core distance.
    """

    def __init__(self, linkage, copies=None):
        self._linkage, self._copies = linkage, copies

    def __array__(self, dtype=None, copy=None):
        return np.array(self._linkage, dtype=dtype)

    def __repr__(self):
        return f"<kostra.cluster.SingleLinkageTree: {len(self._linkage) + 1} points>"

    def to_numpy(self):
        """The linkage matrix of SciPy.

        Returns
        -------
        array of n - 1 by 4
        """
        return self._linkage.copy()

    def to_pandas(self):
        """The merges as a data frame.

        Returns
        -------
        pandas.DataFrame
            The columns ``parent``, ``left_child``, ``right_child``, ``distance`` and ``size``.
            Clusters are numbered from n in the order of the merges.
        """
        left, right, distance, size = self._linkage.T
        n = len(self._linkage) + 1
        columns = {
            "parent": np.arange(n, 2 * n - 1),
            "left_child": left,
            "right_child": right,
            "distance": distance,
            "size": size,
        }
        return _optional.module("pandas", "to_pandas").DataFrame(columns)

    def to_networkx(self):
        """The merges as a graph with an edge from each cluster to each of its parts.

        Returns
        -------
        networkx.DiGraph
            ``weight`` of an edge is the distance of the merge, and ``size`` of a cluster the number
            of its points.
        """
        networkx = _optional.module("networkx", "to_networkx")
        graph, n = networkx.DiGraph(), len(self._linkage) + 1
        sizes = {}
        for parent, (left, right, distance, size) in enumerate(self._linkage.tolist(), n):
            graph.add_edge(parent, int(left), weight=distance)
            graph.add_edge(parent, int(right), weight=distance)
            sizes[parent] = size
        networkx.set_node_attributes(graph, sizes, "size")
        return graph

    def get_clusters(self, cut_distance, min_cluster_size=5):
        """The clusters at a distance, and noise: DBSCAN without border points.

        Parameters
        ----------
        cut_distance : float
            Clusters whose distance is below this one are merged.
        min_cluster_size : int
            The points of smaller clusters are noise.

        Returns
        -------
        array of int64
            The cluster of each point, in the order of their lowest points; -1 for noise.
        """
        from scipy.cluster.hierarchy import fcluster

        distance = number("cut_distance", cut_distance)
        least = _arrays.required("min_cluster_size", min_cluster_size, 1, 2**32 - 1)
        found = np.ones(1, int)
        if len(self._linkage):
            below = np.nextafter(distance, -np.inf)  # SciPy also merges at the distance itself
            found = fcluster(self._linkage, below, "distance")
        _, first, inverse, sizes = np.unique(
            found, return_index=True, return_inverse=True, return_counts=True
        )
        if self._copies is not None:
            weights, cores = self._copies
            # The copies of a row are apart below its core distance.
            alone = (sizes == 1) & (cores[first] >= distance)
            sizes = np.where(alone, 1, np.bincount(inverse, weights))
        labels, order = np.full(len(first), -1), np.argsort(first)
        order = order[sizes[order] >= least]
        labels[order] = np.arange(len(order))
        return labels[inverse]

    def get_plot_data(self, truncate_mode=None, p=0):
        """The lines of :meth:`plot`, also of chains that are too deep for SciPy's ``dendrogram``.

        Parameters
        ----------
        truncate_mode : {None, "none", "lastp", "level", "mtica"}, optional
            Whether to draw all merges, the last ``p - 1``, or ``p`` levels.
        p : int
            The parameter of ``truncate_mode``; 0 for all merges.

        Returns
        -------
        dict
            ``icoord``, ``dcoord`` and ``leaves``, as ``scipy.cluster.hierarchy.dendrogram`` returns
            them, and ``sizes``, the numbers of points of both parts of each merge.
        """
        from kostra._hierarchy_plots import dendrogram

        return dendrogram(self._linkage, truncate_mode, p)

    def plot(
        self, axis=None, truncate_mode=None, p=0, vary_line_width=True, cmap="viridis",
        colorbar=True,
    ):
        """Draws a dendrogram.

        Parameters
        ----------
        axis : matplotlib axes, optional
            Where to draw; by default, the current axes.
        truncate_mode, p : str, int
            As for :meth:`get_plot_data`.
        vary_line_width : bool
            Whether lines are wider for larger clusters.
        cmap : str or matplotlib colormap
            The colors of the logarithms of the numbers of points, or ``"none"`` for black.
        colorbar : bool
            Whether to add a color bar.

        Returns
        -------
        matplotlib axes
        """
        from kostra._hierarchy_plots import draw_dendrogram

        data = self.get_plot_data(truncate_mode, p)
        return draw_dendrogram(data, axis, (cmap, colorbar), vary_line_width)


class MinimumSpanningTree:
    """The spanning tree with the coordinates of its points.

    ``numpy.asarray(tree)`` is :meth:`to_numpy`. The attribute ``spanning_tree_`` of the estimator
    is the same tree as a :class:`kostra.Forest`.

    Parameters
    ----------
    edges : array of n - 1 by 3
        The two points and the distance of each edge.
    data : array of n by d, optional
        The coordinates.
    """

    def __init__(self, edges, data):
        self._mst, self._data = edges, data

    def __array__(self, dtype=None, copy=None):
        return np.array(self._mst, dtype=dtype)

    def __repr__(self):
        return f"<kostra.cluster.MinimumSpanningTree: {len(self._mst)} edges>"

    def to_numpy(self):
        """The two points and the distance of each edge.

        Returns
        -------
        array of n - 1 by 3
        """
        return self._mst.copy()

    def to_pandas(self):
        """The edges as a data frame.

        Returns
        -------
        pandas.DataFrame
            The columns ``from``, ``to`` and ``distance``.
        """
        source, target, distance = self._mst.T
        columns = {"from": source.astype(int), "to": target.astype(int), "distance": distance}
        return _optional.module("pandas", "to_pandas").DataFrame(columns)

    def to_networkx(self):
        """The tree as a graph.

        Returns
        -------
        networkx.Graph
            ``weight`` of an edge is its distance, and ``data`` of a node the tuple of its
            coordinates, if they are known.
        """
        networkx = _optional.module("networkx", "to_networkx")
        graph, (source, target, distance) = networkx.Graph(), self._mst.T
        ends = source.astype(int).tolist(), target.astype(int).tolist()
        graph.add_weighted_edges_from(zip(*ends, distance.tolist()))
        if self._data is not None:
            rows = dict(enumerate(map(tuple, self._data.tolist())))
            networkx.set_node_attributes(graph, rows, "data")
        return graph

    def plot(
        self,
        axis=None,
        node_size=40,
        node_color="k",
        node_alpha=0.8,
        edge_alpha=0.5,
        edge_cmap="viridis_r",
        edge_linewidth=2,
        vary_line_width=True,
        colorbar=True,
    ):
        """Draws the tree in the plane. Points of more than two columns are projected to their two
        principal components.

        Parameters
        ----------
        axis : matplotlib axes, optional
            Where to draw; by default, the current axes.
        node_size, node_color, node_alpha : float, color, float
            The points' size, color and opacity.
        edge_alpha : float
            The opacity of edges.
        edge_cmap : str or matplotlib colormap
            The colors of distances.
        edge_linewidth : float
            The width of the longest edge.
        vary_line_width : bool
            Whether shorter edges are wider.
        colorbar : bool
            Whether to add a color bar.

        Returns
        -------
        matplotlib axes
        """
        from kostra._hierarchy_plots import draw_edges

        if self._data is None:
            raise ValueError(
                "the tree has no coordinates, because the model was not fitted to points in host "
                "memory; draw spanning_tree_.plot(positions)"
            )
        nodes = {"s": node_size, "c": node_color, "alpha": node_alpha}
        edges = {"cmap": edge_cmap, "alpha": edge_alpha}
        widths = edge_linewidth, vary_line_width
        return draw_edges(self._mst, self._data, axis, (nodes, edges, widths, colorbar))
