"""What NetworkX asks of the backend when NetworkX is imported: a package of its own, which imports nothing."""

_FUNCTIONS = (
    "boruvka_mst_edges",
    "kruskal_mst_edges",
    "maximum_spanning_edges",
    "maximum_spanning_tree",
    "minimum_spanning_edges",
    "minimum_spanning_tree",
    "partition_spanning_tree",
    "prim_mst_edges",
)


def info():
    """The backend's name, package and functions, as NetworkX asks for them."""
    note = "Among equal weights the edge that G.edges lists first wins, whatever the algorithm."
    return {
        "backend_name": "kostra",
        "project": "kostra",
        "package": "kostra",
        "short_summary": "Minimum spanning forests, fast and always the same.",
        "functions": {name: {"additional_docs": note} for name in _FUNCTIONS},
    }
