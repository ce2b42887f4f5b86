from typing import Any

__all__ = ["minimum_spanning_tree"]

def minimum_spanning_tree(
    csgraph: Any,
    overwrite: bool = False,
    *,
    explicit_zeros: bool = True,
    threads: int | None = None,
) -> Any: ...
