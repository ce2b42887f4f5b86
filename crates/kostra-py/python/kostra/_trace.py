"""The steps of an algorithm."""

from kostra import _arrays, _kostra, _matrix
from kostra._graph import Graph


def trace(graph, *, algorithm="kruskal", maximum=False):
    """The steps of an algorithm: the edges in the order in which it chooses or rejects them.

    Parameters
    ----------
    graph : Graph
        Or a matrix, a table or a graph of another library, as :func:`minimum_spanning_forest` takes
        it.
    algorithm : str
        ``"kruskal"``, ``"boruvka"``, ``"prim-binary"``, ``"prim-dense"`` or ``"prim-pairing"``.
    maximum : bool
        Whether to compute a maximum spanning forest.

    Returns
    -------
    list of dict
        Each step has the keys ``step``, ``edge``, ``u``, ``v``, ``weight``, ``round``,
        ``components`` and ``reason``. ``step`` is ``"chosen"``, ``"rejected"``, or ``"start"`` where
        a tree starts to grow from ``u``. ``components`` is the number of trees after the step, and
        ``reason`` says why an edge is rejected. Values that a step does not have are None. The ends
        are those in ``graph.nodes``, if there are any.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong, or the algorithm reports no steps.

    Examples
    --------
    >>> import kostra
    >>> graph = kostra.Graph([0, 1, 1], [1, 0, 2], [5, 6, 7])
    >>> for step in kostra.trace(graph):
    ...     print(step["step"], step["u"], step["v"], step["components"], step["reason"])
    chosen 0 1 2 None
    rejected 1 0 2 its ends are joined already
    chosen 1 2 1 None
    """
    graph = _matrix.graph_of(graph, Graph, "error", None)
    algorithm = _arrays.text("algorithm", algorithm)
    steps = _kostra.trace(graph._inner, algorithm, _arrays.flag("maximum", maximum))
    if not steps and graph.m > 0:
        raise ValueError(
            f"{algorithm} does not report its steps; pass 'kruskal', 'boruvka', 'prim-binary', "
            "'prim-dense' or 'prim-pairing'"
        )
    names = range(graph.n) if graph.nodes is None else graph.nodes
    u, v, weights = graph.u, graph.v, graph.weights
    records, components = [], graph.n
    for kind, number, round in steps:
        if kind == "start":
            found = {"edge": None, "u": names[number], "v": None, "weight": None}
            reason = None
        else:
            first, second = int(u[number]), int(v[number])
            found = {"edge": number, "u": names[first], "v": names[second]}
            found["weight"] = weights[number].item()
            is_loop = first == second
            reason = "it is a loop" if is_loop else "its ends are joined already"
        components -= kind == "chosen"
        reason = reason if kind == "rejected" else None
        records.append(
            {"step": kind} | found | {"round": round, "components": components, "reason": reason}
        )
    return records
