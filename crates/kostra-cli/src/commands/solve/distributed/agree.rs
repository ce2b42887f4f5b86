//! Errors of one rank that all ranks learn of.

use kostra_mpi::{Communicator, Refusal};

use crate::failure;

/// [`Communicator::agree`] with the whole chain of causes as the reason. Collective.
///
/// # Errors
/// When `result` is an error on any rank.
pub(super) fn agree<T>(world: &Communicator, result: anyhow::Result<T>) -> Result<T, Refusal> {
    world.agree(result.map_err(|error| failure::sentence(&error)))
}

/// [`agree`] for errors of other types.
///
/// # Errors
/// When `result` is an error on any rank.
pub(super) fn agree_on<T, E: Into<anyhow::Error>>(
    world: &Communicator,
    result: Result<T, E>,
) -> Result<T, Refusal> {
    agree(world, result.map_err(Into::into))
}
