"""The function :func:`minimum_spanning_forest`."""

from kostra import _device, _device_forest, _matrix
from kostra._graph import Graph


def minimum_spanning_forest(
    u,
    v=None,
    w=None,
    n=None,
    *,
    maximum=False,
    nan="error",
    relabel=False,
    threads=None,
    device="auto",
    algorithm="auto",
    parts=None,
    ties=None,
):
    """The minimum spanning forest of a graph.

    Edge ``i`` connects ``u[i]`` and ``v[i]`` and has weight ``w[i]``. Edges are ordered by weight,
    then by ``i``.

    Parameters
    ----------
    u, v : arrays of integers
        The ends of the edges, one-dimensional arrays of length m. Vertices are numbered from 0.
        ``int32`` and ``uint32`` are used without a copy; other types are converted. A forest
        contains no self-loop, and at most the first of parallel edges in the order of edges.
        Without ``v``, ``u`` is a :class:`Graph`, an array of m by 2 or m by 3, a matrix, a table or
        a graph of another library, and its forest is that of :meth:`Graph.from_edges`,
        :meth:`Graph.from_matrix`, :meth:`Graph.from_table` and so on.
    w : array of integers or floats, optional
        The weights, of length m. ``float64 float32 int64 int32 uint64 uint32`` are used without a
        copy; smaller types are converted without rounding. By default, all weights are 1, and edges
        are ordered by position. Masked entries in ``u``, ``v`` or ``w`` raise a ValueError, and
        booleans a TypeError.
    n : int, optional
        The number of vertices. By default, it is the highest vertex in ``u`` and ``v`` plus one,
        and a UserWarning gives the number of vertices without edges, if there are any.
    maximum : bool
        Whether to compute a maximum spanning forest instead.
    nan : {"error", "skip"}
        What to do with an edge of weight NaN: raise a ValueError that names the edge, or skip the
        edge. The other edges keep their ids. A :class:`Graph` stores a skipped edge as a self-loop
        of weight 0.
    relabel : bool
        Whether to number only the vertices that occur, in ascending order of their ids. The
        forest's ``nodes`` lists these ids. Use it for ids with gaps, negative ids, and ids of more
        than 32 bits. It excludes ``n`` and arrays on a device.
    threads : int, optional
        The number of threads; by default, all of the machine's. The result does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:<number>", "cuda:<number>,<number>"}
        The device of the solve. By default, the first CUDA device is used if there is one and the
        graph is large enough to justify the transfer. Otherwise the processor is used. Several
        CUDA devices, such as ``"cuda:0,1"``, divide the edges by ``cuda-multi``. They take arrays
        in host memory only.
    algorithm : str
        The name of an algorithm in :func:`solvers`. By default, the algorithm that is expected to
        be fastest.
    parts : array of integers or Partition, optional
        The part of each vertex, for an algorithm that works on the parts of a graph, such as
        ``prim-union``. By default, such an algorithm divides the vertices itself. Other algorithms
        raise a ValueError, and so do arrays on a device.
    ties : array or list of arrays, optional
        Further keys, of length m, that order edges of the same weight: by the first key, then by
        the next, and at last by the position of the edge. A maximum forest prefers greater keys.
        For example, ``ties=year`` prefers older edges among those of the same weight.

    Returns
    -------
    Forest
        For arrays on a CUDA device, a :class:`DeviceForest`.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong. The message names the argument and the position of the wrong entry.
    DeviceError
        If the device of the arrays or the device ``device`` cannot be used.
    KeyboardInterrupt
        If Ctrl-C is pressed during the solve.

    Notes
    -----
    Arrays on a CUDA device, such as those of CuPy, PyTorch, JAX and Numba, are solved on the
    device, and the forest's arrays are on the device. Only the length of the result is copied to
    the host. ``u``, ``v`` and ``w`` must be on the same device. Ends of 32 bits and weights of the
    types above are used without a copy; other types are converted on the device.

    Other Python threads run during the solve. They must not write to the arrays. The algorithm
    ``fast`` takes expected O(m + n log n) time for random weights and O((n + m) log n) for any
    weights, 12 bytes of scratch memory per edge and 24 per vertex. Scratch memory of up to 128 MiB
    is kept for the next call.

    Examples
    --------
    >>> import kostra
    >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [0.5, 0.0, 0.5])
    >>> forest.edge_ids
    array([0, 1])
    >>> kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [0.5, 0.0, 0.5], maximum=True).edge_ids
    array([0, 2])
    """
    if v is None:
        if w is not None or n is not None or relabel is not False:
            raise TypeError("w, n and relabel need the ends of the edges as u and v; pass v")
        graph = _matrix.graph_of(u, Graph, nan, threads)
        return graph.minimum_spanning_forest(
            maximum=maximum,
            threads=threads,
            device=device,
            algorithm=algorithm,
            parts=parts,
            ties=ties,
        )
    if any(_device.place_of(values) is not None for values in (u, v, w)):
        if relabel:
            raise ValueError(
                "relabel=True needs arrays in host memory; copy u, v and w to the host first"
            )
        for name, values in (("parts", parts), ("ties", ties)):
            if values is not None:
                raise ValueError(
                    f"{name} need arrays in host memory; copy u, v and w to the host first"
                )
        options = _device_forest.Options(n, maximum, nan, threads, device, algorithm)
        return _device_forest.minimum_spanning_forest(u, v, w, options)
    graph = Graph(u, v, w, n, nan=nan, relabel=relabel, copy=False, threads=threads)
    return graph.minimum_spanning_forest(
        maximum=maximum,
        threads=threads,
        device=device,
        algorithm=algorithm,
        parts=parts,
        ties=ties,
    )
