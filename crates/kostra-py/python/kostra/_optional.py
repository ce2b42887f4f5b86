"""Imports of packages that Kostra does not depend on."""

import importlib


def module(name, user, package=None):
    """The module ``name`` for ``user``, a function or a module of Kostra. Without it, the error
    says which package to install.
    """
    root = name.partition(".")[0]
    try:
        importlib.import_module(root)
        return importlib.import_module(name)
    except ImportError as error:
        if not name.startswith(str(error.name)):
            raise  # the package is there, and lacks another one
        package = package or root
        raise ImportError(f"{user} needs {package}; run `pip install {package}`") from error
