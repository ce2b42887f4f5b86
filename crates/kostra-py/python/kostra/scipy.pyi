import numpy.typing as npt
from scipy.sparse import csr_array, csr_matrix, sparray, spmatrix

__all__ = ["minimum_spanning_tree"]

def minimum_spanning_tree(
    csgraph: npt.ArrayLike | sparray | spmatrix,
    overwrite: bool = False,
    *,
    maximum: bool = False,
    explicit_zeros: bool = False,
    threads: int | None = None,
) -> csr_array | csr_matrix: ...
