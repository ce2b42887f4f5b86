//! The reasons why an update is refused, or a log cannot be used.

use std::io;
use std::path::PathBuf;

use kostra_core::{EdgeId, GraphError, OutOfMemory};
use thiserror::Error;

/// The most vertices of a [`DynamicForest`](crate::DynamicForest): its vertices and both directions
/// of the edges of its forest share 32-bit numbers.
pub const MAX_VERTICES: usize = u32::MAX as usize / 3;

/// The reason why an update is refused. The forest is as it was before.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum UpdateError {
    /// The new edges are not edges of the graph. Edges are counted from 0 within the batch.
    #[error(transparent)]
    Edges(#[from] GraphError),
    /// More vertices than the forest can have.
    #[error("{vertices} vertices are more than the {MAX_VERTICES} that a dynamic forest may have")]
    TooManyVertices {
        /// The requested number of vertices.
        vertices: usize,
    },
    /// A vertex that the graph does not have.
    #[error("the graph has no vertex {vertex}; its {vertices} vertices are numbered from 0")]
    NoVertex {
        /// The vertex.
        vertex: u32,
        /// The number of vertices.
        vertices: u32,
    },
    /// An edge that was never inserted, or was deleted.
    #[error("edge {edge} is not present; it was deleted or never inserted")]
    NotPresent {
        /// The id of the edge.
        edge: EdgeId,
    },
    /// A batch names an edge twice.
    #[error("the batch names edge {edge} twice")]
    Repeated {
        /// The id of the edge.
        edge: EdgeId,
    },
    /// The numbers of edges and of new weights differ.
    #[error("{edges} edges have {weights} new weights")]
    WeightsMismatch {
        /// The number of edges.
        edges: usize,
        /// The number of weights.
        weights: usize,
    },
    /// The system refuses memory.
    #[error("the system does not grant {} bytes of memory", .0.bytes)]
    OutOfMemory(#[from] OutOfMemory),
    /// A new weight is not a number.
    #[error("the new weight of edge {edge} is NaN (not a number)")]
    NanWeight {
        /// The id of the edge.
        edge: EdgeId,
    },
}

/// The reason why a log cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// The system refused an operation on the file.
    #[error("{}: {error}", path.display())]
    File {
        /// The log.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The path leads to a folder, a pipe or a device.
    #[error("{}: this is a folder, a pipe or a device; a log is a regular file", path.display())]
    NoFile {
        /// What should be the log.
        path: PathBuf,
    },
    /// The file is no log, of another version or from a machine with another byte order.
    #[error("{}: this is not a log of updates of this version of kostra", path.display())]
    Other {
        /// The file.
        path: PathBuf,
    },
    /// Bytes before the last frame have changed.
    #[error("{}: the log is damaged at byte {offset}; updates from there on are lost", path.display())]
    Damaged {
        /// The log.
        path: PathBuf,
        /// Where the damaged frame starts.
        offset: u64,
    },
    /// Another process has opened the log.
    #[error("{}: another process uses this log", path.display())]
    InUse {
        /// The log.
        path: PathBuf,
    },
    /// An earlier commit failed, so the file no longer has all updates of the forest.
    #[error("{}: an earlier update is not in the log; open the log again", path.display())]
    Behind {
        /// The log.
        path: PathBuf,
    },
    /// The logged forest could not be built.
    #[error("{}: {error}", path.display())]
    Update {
        /// The log.
        path: PathBuf,
        /// Why an update is refused.
        error: UpdateError,
    },
}
