//! Faults of a content, to which the public readers add the name of the input.

use kostra_core::GraphError;

use crate::message::Message;
use crate::{Place, ReadError, ReadErrorKind};

/// A fault and its place.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) place: Option<Place>,
    pub(crate) kind: ReadErrorKind,
}

impl Fault {
    /// The content breaks the rules of its format at byte `offset` of a binary file.
    pub(crate) fn at_byte(offset: u64, sentence: impl Into<Message>) -> Self {
        Self { place: Some(Place::Byte(offset)), kind: ReadErrorKind::malformed(sentence) }
    }

    /// The content breaks the rules of its format at a place in a text.
    pub(crate) fn at_line(line: u64, column: u64, sentence: impl Into<Message>) -> Self {
        Self { place: Some(Place::Line { line, column }), kind: ReadErrorKind::malformed(sentence) }
    }

    /// The header on line `line` of a text announces more edges than there are edge ids.
    pub(crate) fn too_many_edges(line: u64, edges: u64) -> Self {
        let kind = GraphError::TooManyEdges { edges }.into();
        Self { place: Some(Place::Line { line, column: 1 }), kind }
    }

    /// The content as a whole breaks the rules of its format.
    pub(crate) fn whole(sentence: impl Into<Message>) -> Self {
        Self { place: None, kind: ReadErrorKind::malformed(sentence) }
    }

    /// The fault as an error in `input`.
    pub(crate) fn in_input(self, input: impl Into<String>) -> ReadError {
        ReadError { input: input.into(), place: self.place, kind: self.kind }
    }
}

impl<E: Into<ReadErrorKind>> From<E> for Fault {
    fn from(kind: E) -> Self {
        Self { place: None, kind: kind.into() }
    }
}

/// A fault in a block of a text.
#[derive(Debug)]
pub(crate) struct BlockFault {
    /// The byte in the block, if the fault has a place.
    pub(crate) offset: Option<usize>,
    pub(crate) kind: ReadErrorKind,
}

impl BlockFault {
    /// The content breaks the rules of its format at byte `offset` of the block.
    pub(crate) fn new(offset: usize, sentence: impl Into<Message>) -> Self {
        Self { offset: Some(offset), kind: ReadErrorKind::malformed(sentence) }
    }
}

impl From<ReadErrorKind> for BlockFault {
    fn from(kind: ReadErrorKind) -> Self {
        Self { offset: None, kind }
    }
}

/// A fault in a line of a text.
#[derive(Debug)]
pub(crate) struct LineFault {
    /// The byte in the line.
    pub(crate) offset: usize,
    pub(crate) sentence: Message,
}

impl LineFault {
    /// The fault in the block that has the line at byte `start`.
    pub(crate) fn in_block(self, start: usize) -> BlockFault {
        BlockFault::new(start + self.offset, self.sentence)
    }
}

impl<S: Into<Message>> From<(usize, S)> for LineFault {
    fn from((offset, sentence): (usize, S)) -> Self {
        Self { offset, sentence: sentence.into() }
    }
}
