"""The description of the backend, which NetworkX reads at its import. Imports nothing."""

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
    """The backend's name, package and functions, in the form that NetworkX requires."""
    note = "Equal weights are ordered by position in G.edges, for every algorithm."
    threads = {
        "threads : int, optional": "The number of threads; by default, all of the machine's."
    }
    return {
        "backend_name": "kostra",
        "project": "kostra",
        "package": "kostra",
        "short_summary": "Fast, deterministic minimum spanning forests.",
        "functions": {
            name: {"additional_docs": note, "additional_parameters": threads} for name in _FUNCTIONS
        },
    }
