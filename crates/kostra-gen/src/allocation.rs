//! The memory of generated graphs: every array has a size that depends on the spec, so refused
//! memory is an error.

use bytemuck::Zeroable;
use kostra_core::{MAX_EDGES, MAX_VERTICES, memory};

use crate::SpecError;

/// Refuses a graph that is too large for 32-bit ids, or that needs more than the system's memory,
/// `bytes` in total.
///
/// Reserves the total in one request and does not touch it. The system could grant separate
/// requests one by one, and kill the process when it uses them.
pub(crate) fn check_size(vertices: u128, edges: u128, bytes: u128) -> Result<(), SpecError> {
    check_vertices(vertices)?;
    if edges > MAX_EDGES as u128 {
        return Err(SpecError::TooManyEdges { edges });
    }
    let refused = SpecError::OutOfMemory { bytes };
    let Ok(bytes) = usize::try_from(bytes) else { return Err(refused) };
    // Opaque to the optimizer, which would otherwise remove the unused allocation.
    let all = memory::with_capacity::<u8>(bytes).map_err(|_| refused)?;
    std::hint::black_box(all);
    Ok(())
}

/// Refuses more vertices than 32-bit ids can name.
pub(crate) fn check_vertices(vertices: u128) -> Result<(), SpecError> {
    if vertices > MAX_VERTICES as u128 {
        return Err(SpecError::TooManyVertices { vertices });
    }
    Ok(())
}

/// An empty array with capacity for exactly `length` values.
pub(crate) fn array<T>(length: usize) -> Result<Vec<T>, SpecError> {
    let bytes = length as u128 * size_of::<T>() as u128;
    memory::with_capacity(length).map_err(|_| SpecError::OutOfMemory { bytes })
}

/// An array of `length` zeros, whose pages are untouched.
pub(crate) fn zeros<T: Zeroable>(length: usize) -> Result<Vec<T>, SpecError> {
    let bytes = length as u128 * size_of::<T>() as u128;
    memory::zeros(length).map_err(|_| SpecError::OutOfMemory { bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_memory_is_an_error() {
        // More than processors can address, than an array can have, and than `usize` can represent.
        for bytes in [1 << 56, 1 << 63, u128::MAX] {
            assert_eq!(check_size(1, 1, bytes), Err(SpecError::OutOfMemory { bytes }));
        }
        assert_eq!(check_size(1, 1, 20), Ok(()));
        assert_eq!(array::<u64>(1 << 60), Err(SpecError::OutOfMemory { bytes: 1 << 63 }));
    }
}
