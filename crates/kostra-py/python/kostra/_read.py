"""Reads graphs from files, for :meth:`kostra.Graph.read`."""

import os

import numpy as np

from kostra import _arrays, _ids, _kostra

#: If more ids than this do not occur per vertex, a message proposes no graph of all ids.
_MOST_IDS_PER_VERTEX = 100
_COLUMNS = ("source", "target", "weight", "id")


def read(cls, path, options):
    """The graph of a file. ``options`` are the keyword arguments of :meth:`kostra.Graph.read`."""
    _check(options)
    path = os.fsdecode(os.fspath(path))
    keeps_all = isinstance(options["keep"], str)
    arguments = options | {
        "skip_nan": options["nan"] == "skip",
        "threads": _arrays.threads(options["threads"]),
        "vertices": _arrays.whole("vertices", options["vertices"], 0, _ids.MAX_VERTICES),
        "keep": [] if keeps_all else options["keep"] or [],
        "keep_all": keeps_all,
        "highway": options["highway"] or [],
    }
    loaded = _kostra.read(path, arguments)
    kept = [] if loaded["kept"] is None else loaded["kept"].names
    twice = next((name for place, name in enumerate(kept) if name in kept[:place]), None)
    if twice is not None:
        raise ValueError(
            f"{path}: two kept columns are called {twice!r}; name all columns with columns, or "
            "keep one of them"
        )
    if loaded["names_are_ids"]:
        loaded["names"] = [int(name) for name in loaded["names"]]
        loaded["warnings"].append(_on_ids(loaded["names"]))
        loaded["notes"].append(loaded["warnings"][-1])
    for message in loaded["warnings"]:
        _arrays.warn(message)
    return cls._loaded(loaded)


def _on_ids(ids):
    """The warning that vertices are not the numbers in the file."""
    message = (
        f"the vertices are the {len(ids)} ids that occur in the file, and nodes lists them: "
        f"vertex 0 is the id {ids[0]}"
    )
    highest = max(ids)
    if highest < _MOST_IDS_PER_VERTEX * len(ids):
        message += f"; pass vertices={highest + 1} for the ids from 0 to {highest}"
    return message


def _check(options):
    """Refuses options with wrong types or values."""
    for name, value in options.items():
        texts = value if isinstance(value, (list, tuple)) else [value]
        _arrays.check_unicode(name, [text for text in texts if isinstance(text, str)])
    if options["weights"] is not None:
        _arrays.choice("weights", options["weights"], ("unit", "hash", "distance"))
    for name in _COLUMNS:
        if options[name] is not None:
            _check_column(name, options[name])
    keep = options["keep"]
    if not (isinstance(keep, (list, tuple, type(None))) or keep == "all"):
        raise TypeError(f'keep must be "all" or a list of columns, not {keep!r}')
    for column in [] if keep == "all" else keep or []:
        _check_column("each column of keep", column)
    header = options["header"]
    if header is not None and not isinstance(header, bool):
        raise TypeError(f"header must be True, False or None, not {header!r}")
    _arrays.choice("nan", options["nan"], ("error", "skip"))
    for name in ("columns", "highway"):
        texts = options[name]
        if texts is None:
            continue
        if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) for text in texts):
            raise TypeError(f"{name} must be a list of texts, not {texts!r}")
        if not texts:
            raise ValueError(f"{name} must name at least one value, or be omitted")
    delimiter = options["delimiter"]
    if delimiter is not None and not isinstance(delimiter, str):
        raise TypeError(f"delimiter must be a text such as ';', not {delimiter!r}")
    bbox = options["bbox"]
    if bbox is not None and (np.shape(bbox) != (4,) or np.asarray(bbox).dtype.kind not in "iuf"):
        raise ValueError(f"bbox must be west, south, east and north, not {bbox!r}")
    if options["array"] is not None:
        _arrays.choice("array", options["array"], ("matrix", "edges"))
    for name in ("zeros", "negatives"):
        if options[name] is not None:
            _arrays.choice(name, options[name], ("edge", "none"))
    if options["sheet"] is not None and not isinstance(options["sheet"], str):
        raise TypeError(f"sheet must be the name of a sheet, not {options['sheet']!r}")
    if options["links"] is not None:
        _arrays.choice("links", options["links"], ("id", "position"))
    if options["names"] and options["vertices"] is not None:
        raise ValueError("vertices needs vertices that are numbers; omit it or names=True")


def _check_column(name, column):
    if isinstance(column, bool) or not isinstance(column, (str, int)):
        shown = _arrays.shown(column)
        raise TypeError(f"{name} must be the name or the position of a column, not {shown}")
    if isinstance(column, int) and column < 1:
        raise ValueError(f"{name} must be a position of at least 1, not {_arrays.shown(column)}")
    if isinstance(column, int):
        _arrays.required(name, column, 1, _ids.MAX_VERTICES)
