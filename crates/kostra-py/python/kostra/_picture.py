"""Shows a forest: as tables, as plots, in notebooks, and in files."""

import html
import os
from collections.abc import Mapping

import numpy as np

from kostra import _arrays, _kostra, _lines, _optional, _values

#: The most vertices whose names ``Forest.plot`` shows.
MOST_NAMED = 50
#: The most edges of a drawing in a notebook.
MOST_DRAWN = 5000


def frame(forest, weight):
    """The data frame for ``Forest.to_pandas``."""
    pandas = _optional.module("pandas", "to_pandas")
    if weight in ("source", "target"):
        raise ValueError(f"weight is {weight!r}, which is the name of another column")
    ends = {"source": forest.u, "target": forest.v}
    if forest.nodes is not None:
        nodes = forest.nodes
        ends = {
            name: pandas.Index([nodes[vertex] for vertex in column.tolist()], tupleize_cols=False)
            for name, column in ends.items()
        }
    columns, kept = ends | {weight: forest.weights}, forest.kept
    for name in kept:
        if name in columns or name == "edge":
            raise ValueError(
                f"two columns would be called {name!r}; rename the kept column, or pass another "
                "name for the weights as weight"
            )
    index = pandas.Index(forest.edge_ids, name="edge")
    return pandas.DataFrame(columns | kept, index=index)


def plot(forest, positions, ax, style):
    """Draws a forest for ``Forest.plot``."""
    collections = _optional.module("matplotlib.collections", "plot")
    pyplot = _optional.module("matplotlib.pyplot", "plot")
    positions = _positions(forest, positions)
    if ax is None:
        ax = pyplot.gca()
    lines = np.stack([positions[forest.u], positions[forest.v]], axis=1)
    if not {"array", "color", "colors", "edgecolor", "edgecolors", "ec"} & style.keys():
        # The ten colors of matplotlib's default cycle repeat.
        style = {"colors": [f"C{label}" for label in forest.labels()[forest.u] % 10]} | style
    ax.add_collection(collections.LineCollection(lines, **style))
    ax.autoscale_view()
    if forest.nodes is not None and forest.n <= MOST_NAMED:
        for node, place in zip(forest.nodes, positions, strict=True):
            near = {"xytext": (3, 3), "textcoords": "offset points"}
            ax.annotate(str(node), place, **near, fontsize="small")
    return ax


def _positions(forest, positions):
    """The positions for ``Forest.plot``, an array of n by 2."""
    if positions is None:
        positions = forest.coordinates
    if positions is None:
        raise ValueError(
            "the vertices have no coordinates; pass positions, or set forest.coordinates"
        )
    if isinstance(positions, Mapping):
        nodes = range(forest.n) if forest.nodes is None else forest.nodes
        missing = [node for node in nodes if node not in positions]
        if missing:
            raise ValueError(f"positions has no position of the node {missing[0]!r}")
        positions = [positions[node] for node in nodes]
    return _values.positions("positions", positions, forest.n)


def geoframe(forest, weight, crs):
    """The data frame for ``Forest.to_geopandas``."""
    geopandas = _optional.module("geopandas", "to_geopandas")
    if forest.coordinates is None:
        raise ValueError("the vertices have no coordinates; set forest.coordinates")
    shapes = _lines.shapes(forest)
    if crs is None and forest.geographic:
        crs = "EPSG:4326"
    table = frame(forest, weight)
    if "geometry" in table.columns:
        raise ValueError("two columns would be called 'geometry'; rename the other one")
    return geopandas.GeoDataFrame(table, geometry=shapes, crs=crs)


def write(forest, path, format, keep):
    """Writes a forest for ``Forest.write``, or a graph for ``Graph.write``."""
    keep = _arrays.flag("keep", keep)
    path = os.fsdecode(os.fspath(path))
    stem, extension = os.path.splitext(path.lower())
    if extension in (".gz", ".zst", ".xz", ".bz2"):
        extension = os.path.splitext(stem)[1]
    kind = extension[1:] if format is None else _arrays.text("format", format)
    is_graph = isinstance(forest._inner, _kostra.Graph)
    if kind in ("svg", "png", "html") and not is_graph:
        return _kostra.write_bytes(path, draw(forest, kind))
    details = _details(forest)
    names = details["names"]
    if names is not None and len(set(names)) < len(names):
        raise ValueError("two nodes have the same text, which a file cannot distinguish")
    if keep and forest._kept is not None:
        details["kept"] = forest._kept.texts()
    write = _kostra.write_graph if is_graph else _kostra.write_forest
    if write(forest._inner, path, format, details):
        _arrays.warn(
            f"a .{kind} file has numbers in place of the nodes; .csv, .kst and .graphml keep them"
        )


def draw(forest, format):
    """A picture of a forest: the bytes of an SVG, PNG or HTML file."""
    return _kostra.draw_forest(forest._inner, _details(forest), format)


def _details(forest):
    """What is drawn or written with a forest, apart from the columns that it keeps."""
    names = None
    if forest.nodes is not None:
        names = _arrays.texts("nodes", forest.nodes)
        _arrays.check_unicode("nodes", names)
    return {
        "names": names,
        "text_names": any(isinstance(node, str) for node in forest.nodes or ()),
        "coordinates": forest.coordinates,
        "geographic": _arrays.flag("geographic", forest.geographic),
        "lines": forest._lines,
        "kept": None,
    }


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
