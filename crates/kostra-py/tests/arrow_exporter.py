"""Tables exported by hand, by Arrow's C data interface: also such as no library would export."""

import ctypes

import numpy as np


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
FILL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_END = [("release", RELEASE), ("private_data", ctypes.c_void_p)]
Schema._fields_ = [
    *[(name, ctypes.c_char_p) for name in ("format", "name", "metadata")],
    *[(name, ctypes.c_int64) for name in ("flags", "n_children")],
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    *_END,
]
Array._fields_ = [
    *[
        (name, ctypes.c_int64)
        for name in ("length", "null_count", "offset", "n_buffers", "n_children")
    ],
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    *_END,
]
Stream._fields_ = [("get_schema", FILL), ("get_next", FILL), ("get_last_error", ERROR), *_END]

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Exporter:
    """Makes structs, remembers them, and counts how often each is given back."""

    def __init__(self):
        self.kept = []
        self.given_back = []

    def _struct(self, kind, children=(), dictionary=None, **fields):
        struct = kind(private_data=len(self.kept), **fields)
        if kind is not Stream:
            listed = (ctypes.POINTER(kind) * len(children))(
                *(ctypes.pointer(child) for child in children)
            )
            struct.children, struct.n_children = listed, len(children)
            if dictionary is not None:
                struct.dictionary = ctypes.pointer(dictionary)

        def release(address):
            given = kind.from_address(address)
            if kind is not Stream:
                parts = [given.children[index].contents for index in range(given.n_children)]
                for part in parts + ([given.dictionary.contents] if given.dictionary else []):
                    if part.release:
                        part.release(ctypes.addressof(part))
            self.given_back.append(given.private_data or 0)
            given.release = RELEASE()

        struct.release = RELEASE(release)
        self.kept.append((struct, struct.release, children, dictionary, fields))
        return struct

    def schema(self, format, name="", children=(), dictionary=None):
        return self._struct(
            Schema, children, dictionary, format=format.encode(), name=name.encode()
        )

    def array(self, length, buffers=(), children=(), dictionary=None, offset=0):
        """Buffers are bytes, arrays, or None."""
        held = [
            None if buffer is None else np.frombuffer(buffer, np.uint8).copy() for buffer in buffers
        ]
        self.kept.append((None, None, held, None, None))
        places = (ctypes.c_void_p * len(held))(
            *(None if buffer is None else buffer.ctypes.data for buffer in held)
        )
        return self._struct(
            Array,
            children,
            dictionary,
            length=length,
            null_count=0,
            offset=offset,
            n_buffers=len(held),
            buffers=places,
        )

    def capsules(self, schema, array):
        """What ``__arrow_c_array__`` returns."""
        return _new(ctypes.addressof(schema), b"arrow_schema", None), _new(
            ctypes.addressof(array), b"arrow_array", None
        )

    def stream(self, schema, arrays, code=0, reason=None):
        """What ``__arrow_c_stream__`` returns: it ends with an error if it has a code."""
        rest = iter(arrays)

        def fill(out, struct):
            ctypes.memmove(out, ctypes.addressof(struct), ctypes.sizeof(struct))

        def get_schema(_, out):
            fill(out, schema)
            return 0

        def get_next(_, out):
            array = next(rest, None)
            if array is not None:
                fill(out, array)
            elif code == 0:
                ctypes.memset(out, 0, ctypes.sizeof(Array))
            return 0 if array is not None else code

        text = ctypes.c_char_p(reason)
        stream = self._struct(
            Stream,
            get_schema=FILL(get_schema),
            get_next=FILL(get_next),
            get_last_error=ERROR(lambda _: ctypes.cast(text, ctypes.c_void_p).value),
        )
        self.kept.append((None, None, (text, schema, arrays), None, None))
        return _new(ctypes.addressof(stream), b"arrow_array_stream", None)

    def structs(self):
        """The numbers of all structs that have to be given back."""
        return [number for number, (struct, *_) in enumerate(self.kept) if struct is not None]


class Given:
    """A table that exports what it is given."""

    def __init__(self, exported):
        name = "__arrow_c_array__" if isinstance(exported, tuple) else "__arrow_c_stream__"
        setattr(self, name, lambda requested_schema=None: exported)
