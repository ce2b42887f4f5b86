"""Drawings of the trees of a fitted HDBSCAN, by matplotlib."""

import numpy as np

from kostra import _arrays, _optional

#: How much higher than the largest finite density an infinite one is drawn.
_ABOVE_FINITE = 1.1
#: The distance of two neighboring leaves of a dendrogram, as in SciPy.
_LEAF_WIDTH = 10.0


def _pyplot(axis):
    """The module pyplot, and the axes to draw in."""
    pyplot = _optional.module("matplotlib.pyplot", "plot")
    return pyplot, pyplot.gca() if axis is None else axis


def _clean(axes, sides):
    axes.set_xticks([])
    for side in sides:
        axes.spines[side].set_visible(False)


def icicles(rows, separation, log_size, most):
    """The data for ``CondensedTree.plot``."""
    if most < 1:
        raise ValueError(f"max_rectangle_per_icicle must be at least 1, but is {most}")
    n = int(rows["parent"].min())
    densities = rows["lambda_val"].copy()
    finite = densities[np.isfinite(densities)]
    densities[np.isinf(densities)] = _ABOVE_FINITE * finite.max(initial=1.0)
    order = np.lexsort([densities, rows["parent"]])
    parents = rows["parent"][order]
    clusters = range(n, int(parents.max()) + 1)
    bounds = np.searchsorted(parents, [*clusters, clusters.stop])
    inside = {cluster: order[a:b] for cluster, a, b in zip(clusters, bounds, bounds[1:])}
    width = np.log if log_size else np.asarray
    births = dict(zip(rows["child"].tolist(), densities.tolist())) | {n: 0.0}
    centers = _centers(rows, inside, separation * width(n))
    data = {name: [] for name in ("bar_centers", "bar_tops", "bar_bottoms", "bar_widths")}
    data |= {"line_xs": [], "line_ys": [], "cluster_bounds": {}}
    for cluster in clusters:
        own, center = inside[cluster], centers[cluster]
        size, death = rows["child_size"][own].sum(), densities[own].max()
        half, birth = width(size) / 2, births[cluster]
        data["cluster_bounds"][cluster] = [center - half, center + half, birth, death]
        edges, sizes = _steps(densities[own], rows["child_size"][own], birth, most)
        data["bar_centers"] += [center] * len(sizes)
        data["bar_bottoms"] += edges[:-1]
        data["bar_tops"] += np.diff(edges).tolist()
        data["bar_widths"] += width(sizes).tolist()
        for child in rows["child"][own[rows["child_size"][own] > 1]].tolist():
            side = np.sign(centers[child] - center)
            half = width(rows["child_size"][own[rows["child"][own] == child]][0]) / 2
            data["line_xs"].append([center, centers[child] + side * half])
            data["line_ys"].append([births[child], births[child]])
    return data


def _centers(rows, inside, separation):
    """The place of each cluster: leaves in the order of a walk, others above their children."""
    below = {
        cluster: rows["child"][own[rows["child_size"][own] > 1]].tolist()
        for cluster, own in inside.items()
    }
    stack, centers = [min(inside)], {}
    while stack:
        cluster = stack.pop()
        stack += sorted(below[cluster], reverse=True)
        if not below[cluster]:
            centers[cluster] = len(centers) * separation
    # A child has a higher number than its parent.
    for cluster in sorted(inside, reverse=True):
        if below[cluster]:
            centers[cluster] = np.mean([centers[child] for child in below[cluster]])
    return centers


def _steps(densities, sizes, birth, most):
    """The densities at which rectangles of a cluster begin and the last one ends, and the numbers of
    points at their beginnings. ``densities`` are in ascending order.
    """
    values, counts = np.unique(densities, return_counts=True)
    death, size = values[-1], sizes.sum()
    left = size - np.cumsum(sizes)[np.cumsum(counts) - 1]  # above each density
    step = (size - sizes[densities == death].sum()) / most
    edges, widths = [birth], [size]
    for density, rest in zip(values[:-1].tolist(), left.tolist()):
        if size - rest > step:
            size = rest
            edges.append(density)
            widths.append(size)
    return [*edges, death], np.array(widths, float)


def draw_icicles(data, axis, colors, marks):
    """Draws the data of :func:`icicles`."""
    pyplot, axes = _pyplot(axis)
    cmap, unit = colors
    widths = data["bar_widths"]
    scale = pyplot.cm.ScalarMappable(pyplot.Normalize(0, max(widths)), None)
    if cmap != "none":
        scale.set_cmap(cmap)
        scale.set_array(widths)
    axes.bar(
        data["bar_centers"],
        data["bar_tops"],
        bottom=data["bar_bottoms"],
        width=widths,
        color="black" if cmap == "none" else scale.to_rgba(widths),
        align="center",
        linewidth=0,
    )
    for xs, ys in zip(data["line_xs"], data["line_ys"]):
        axes.plot(xs, ys, color="black", linewidth=1)
    if marks is not None:
        _mark(axes, data, *marks)
    if unit is not None and cmap != "none":
        axes.figure.colorbar(scale, ax=axes).ax.set_ylabel(unit)
    _clean(axes, ("right", "top", "bottom"))
    axes.invert_yaxis()
    axes.set_ylabel("$\\lambda$ value")
    return axes


def _mark(axes, data, clusters, with_labels):
    """Draws an ellipse around each of some clusters."""
    from matplotlib.patches import Ellipse

    bottoms = np.array(data["bar_bottoms"])
    least = np.ptp(np.append(bottoms, bottoms + data["bar_tops"])) / 10  # to be visible
    for label, (cluster, color) in enumerate(clusters):
        left, right, bottom, top = data["cluster_bounds"][cluster]
        center, width = ((left + right) / 2, (bottom + top) / 2), right - left
        height = max(top - bottom, least)
        style = {"facecolor": "none", "edgecolor": color, "linewidth": 2}
        axes.add_patch(Ellipse(center, 2 * width, 1.2 * height, **style))
        if with_labels:
            place = center[0] - width, center[1] + 0.65 * height
            axes.annotate(str(label), center, place, ha="left", va="bottom")


def dendrogram(linkage, truncate_mode, p):
    """The data for ``SingleLinkageTree.plot``. No recursion, which the depth of a chain exceeds."""
    modes = (None, "none", "lastp", "level", "mtica")
    if truncate_mode not in modes:
        raise ValueError(f"truncate_mode must be one of {modes}, not {truncate_mode!r}")
    p, n = _arrays.required("p", p, 0, 2**32 - 1), len(linkage) + 1
    parts = linkage[:, :2].astype(np.int64).tolist()
    if truncate_mode == "lastp":
        whole = lambda node, level: n <= node < 2 * n - (p or n)  # noqa: E731
    elif truncate_mode in ("level", "mtica") and p > 0:
        whole = lambda node, level: node > n and level > p  # noqa: E731
    else:
        whole = lambda node, level: False  # noqa: E731
    leaves, order, stack = [], [], [(2 * n - 2, 0, False)]
    while stack:
        node, level, is_done = stack.pop()
        if is_done:
            order.append(node)
        elif node < n or whole(node, level):
            leaves.append(node)
        else:
            left, right = parts[node - n]
            stack += [(node, level, True), (right, level + 1, False), (left, level + 1, False)]
    places = {leaf: (at + 0.5) * _LEAF_WIDTH for at, leaf in enumerate(leaves)}
    heights = dict.fromkeys(leaves, 0.0)
    data = {"icoord": [], "dcoord": [], "leaves": leaves, "sizes": []}
    sizes = linkage[:, 3].tolist()
    for node in order:
        left, right = parts[node - n]
        height = float(linkage[node - n, 2])
        a, b = places[left], places[right]
        data["icoord"].append([a, a, b, b])
        data["dcoord"].append([heights[left], height, height, heights[right]])
        data["sizes"].append([1.0 if part < n else sizes[part - n] for part in (left, right)])
        places[node], heights[node] = (a + b) / 2, height
    return data


def draw_dendrogram(data, axis, colors, vary_line_width):
    """Draws the data of :func:`dendrogram`."""
    pyplot, axes = _pyplot(axis)
    from matplotlib.collections import LineCollection

    cmap, colorbar = colors
    lines = np.stack([data["icoord"], data["dcoord"]], axis=-1)  # of merges by 4 points by 2
    sizes = np.array(data["sizes"]) if vary_line_width else np.ones((len(lines), 2))
    halves = np.concatenate([lines[:, :2], lines[:, 2:]])
    sizes = sizes.T.reshape(-1)
    style = {"colors": "k"} if cmap == "none" else {"cmap": cmap, "array": np.log2(sizes)}
    branches = LineCollection(halves, linewidths=np.log2(1 + sizes), **style)
    axes.add_collection(branches)
    axes.add_collection(LineCollection(lines[:, 1:3], colors="k", linewidths=1.0))
    axes.autoscale_view()
    if colorbar and cmap != "none":
        axes.figure.colorbar(branches, ax=axes).ax.set_ylabel("log(Number of points)")
    _clean(axes, ("right", "top", "bottom"))
    axes.set_ylabel("distance")
    return axes


def draw_edges(edges, points, axis, style):
    """Draws the edges of a tree between points."""
    _, axes = _pyplot(axis)
    from matplotlib.collections import LineCollection

    nodes, lines, (width, is_varied), colorbar = style
    places, distances = _plane(np.asarray(points, np.float64)), edges[:, 2]
    if is_varied and len(distances):
        least = distances[distances > 0].min(initial=distances.max() or 1.0)
        width = width * (np.log(distances.max() / np.maximum(distances, least)) + 1)
    drawn = LineCollection(places[edges[:, :2].astype(np.int64)], linewidths=width, **lines)
    drawn.set_array(distances)
    axes.add_collection(drawn)
    axes.scatter(*places.T, **nodes)
    if colorbar:
        axes.figure.colorbar(drawn, ax=axes).ax.set_ylabel("Mutual reachability distance")
    _clean(axes, ())
    axes.set_yticks([])
    return axes


def draw_graph(graph, places, colors, styles):
    """Draws the edges of a graph, a pair of their ends and the rows of its points, and all points."""
    _, axes = _pyplot(None)
    from matplotlib.collections import LineCollection

    (ends, rows), (color, least, most), (nodes, lines) = graph, colors, styles
    places = _plane(places)
    drawn = LineCollection(np.stack([places[end] for end in ends], axis=1), **lines)
    if isinstance(color, np.ndarray):
        drawn.set_array(color)
        drawn.set_clim(least, most)
    else:
        drawn.set_color(color)
    axes.add_collection(drawn)
    others = np.setdiff1d(np.arange(len(places)), rows)
    shape = {name: nodes[name] for name in ("s", "marker", "alpha", "linewidth")}
    axes.scatter(*places[others].T, color="silver", **shape)
    axes.scatter(*places[rows].T, **nodes)
    axes.set_axis_off()
    return axes


def _plane(points):
    """Points of two columns: these, or the two principal components of more columns."""
    if points.shape[1] == 1:
        return np.column_stack([points, np.zeros(len(points))])
    if points.shape[1] == 2:
        return points
    centered = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=False)
    return centered @ axes[:2].T
