"""Shows a forest: as a table of pandas, as a plot of matplotlib, and as a table in notebooks."""

import html

import numpy as np


def frame(forest, weight):
    """The data frame for ``Forest.to_pandas``."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas needs pandas; run `pip install pandas`") from error
    if weight in ("source", "target"):
        raise ValueError(f"weight is {weight!r}, which is the name of another column")
    ends = {"source": forest.u, "target": forest.v}
    if forest.nodes is not None:
        nodes = forest.nodes
        ends = {
            name: pandas.Index([nodes[vertex] for vertex in column.tolist()], tupleize_cols=False)
            for name, column in ends.items()
        }
    index = pandas.Index(forest.edge_ids, name="edge")
    return pandas.DataFrame(ends | {weight: forest.weights}, index=index)


def plot(forest, positions, ax, style):
    """Draws a forest for ``Forest.plot``."""
    try:
        from matplotlib import collections, pyplot
    except ImportError as error:
        raise ImportError("plot needs matplotlib; run `pip install matplotlib`") from error
    positions = np.asarray(positions, np.float64)
    if positions.shape != (forest.n, 2):
        raise ValueError(
            f"positions must have the shape ({forest.n}, 2), one row per vertex, "
            f"but have the shape {positions.shape}"
        )
    if ax is None:
        ax = pyplot.gca()
    lines = np.stack([positions[forest.u], positions[forest.v]], axis=1)
    if not {"array", "color", "colors", "edgecolor", "edgecolors", "ec"} & style.keys():
        # The ten colors of matplotlib's default cycle repeat.
        style = {"colors": [f"C{label}" for label in forest.labels()[forest.u] % 10]} | style
    ax.add_collection(collections.LineCollection(lines, **style))
    ax.autoscale_view()
    return ax


def table(forest):
    """The figures of a forest as HTML."""
    figures = {
        "vertices": f"{forest.n:,}",
        "edges": f"{len(forest):,}",
        "components": f"{forest.n_components:,}",
        "total weight": f"{forest.total_weight:,}",
        "algorithm": forest.algorithm,
    }
    rows = "".join(
        f"<tr><th>{name}</th><td>{html.escape(figure)}</td></tr>"
        for name, figure in figures.items()
    )
    kind = "Maximum" if forest.maximum else "Minimum"
    return f"<table><caption>{kind} spanning forest</caption>{rows}</table>"
