"""Reads graphs from files, for :meth:`kostra.Graph.read`."""

import os

from kostra import _arrays, _convert, _kostra

_COLUMNS = ("source", "target", "weight")


def read(cls, path, options):
    """The graph of a file. ``options`` are the keyword arguments of :meth:`kostra.Graph.read`."""
    _check(options)
    path = os.fsdecode(os.fspath(path))
    kind = options["format"] or os.path.splitext(path)[1][1:].lower()
    nan, threads = options["nan"], options["threads"]
    if kind == "npz":
        _refuse(path, kind, options, ("weights", "header", *_COLUMNS, "names"))
        return cls._of(_convert.npz(path), nan, threads)
    arguments = options | {"skip_nan": nan == "skip", "threads": _arrays.threads(threads)}
    loaded, messages = _kostra.read(path, arguments)
    for message in messages:
        _arrays.warn(message)
    return cls._loaded(loaded)


def _check(options):
    """Refuses options with wrong types or values."""
    if options["weights"] is not None:
        _arrays.choice("weights", options["weights"], ("unit", "hash", "distance"))
    for name in _COLUMNS:
        column = options[name]
        if column is not None and (isinstance(column, bool) or not isinstance(column, (str, int))):
            raise TypeError(f"{name} must be the name or the position of a column, not {column!r}")
        if isinstance(column, int) and column < 1:
            raise ValueError(f"{name} must be a position of at least 1, not {column}")
    header = options["header"]
    if header is not None and not isinstance(header, bool):
        raise TypeError(f"header must be True, False or None, not {header!r}")
    _arrays.choice("nan", options["nan"], ("error", "skip"))


def _refuse(path, kind, options, names):
    """Refuses options that do not apply to files of a kind."""
    for name in names:
        if options[name] is not None and not (name == "names" and not options[name]):
            raise ValueError(f"{name} does not apply to {path}, which is read as {kind}; remove it")
