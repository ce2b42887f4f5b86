//! Inputs that are held in memory as a whole, because their parts refer to each other.

use std::io::Read;

use kostra_core::memory::{self, OutOfMemory};

use crate::compression::Stream;
use crate::fault::Fault;
use crate::head::BYTE_ORDER_MARK;
use crate::message::Message;
use crate::source::from_io;
use crate::{Place, ReadErrorKind};

/// The number of bytes that are read at a time.
const READ_BYTES: usize = 1 << 16;

/// All bytes of a stream.
pub(crate) fn bytes(stream: &mut Stream<'_>) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    loop {
        memory::reserve(&mut bytes, READ_BYTES)?;
        let limit = (bytes.capacity() - bytes.len()) as u64;
        let count = stream.by_ref().take(limit).read_to_end(&mut bytes).map_err(from_io)?;
        if count == 0 {
            return Ok(bytes);
        }
    }
}

/// Asks for the memory of what is built from a text: `bytes` bytes, by measurement, for each sign
/// that separates its values. The parts are small and many, and none of them can be refused.
pub(crate) fn ask_for_values(text: &[u8], bytes: usize) -> Result<(), OutOfMemory> {
    let separates = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b',' | b';' | b'|' | b':');
    memory::ask_first(text.iter().filter(separates).count().saturating_mul(bytes))
}

/// A text, with the places of its bytes.
#[derive(Debug)]
pub(crate) struct WholeText(String);

impl WholeText {
    /// All of a stream, without the byte-order mark.
    pub(crate) fn read(stream: &mut Stream<'_>) -> Result<Self, Fault> {
        let mut bytes = bytes(stream)?;
        if bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        String::from_utf8(bytes).map(Self).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let place = place_in(error.as_bytes(), valid);
            let kind = ReadErrorKind::malformed("this is not UTF-8 text; save it as UTF-8");
            Fault { place: Some(place), kind }
        })
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// The line and the column of a byte.
    pub(crate) fn place(&self, offset: usize) -> Place {
        place_in(self.0.as_bytes(), offset)
    }

    /// The content breaks the rules of its format at a byte.
    pub(crate) fn malformed(&self, offset: usize, sentence: impl Into<Message>) -> Fault {
        self.fault(offset, ReadErrorKind::malformed(sentence))
    }

    /// A fault at a byte.
    pub(crate) fn fault(&self, offset: usize, kind: ReadErrorKind) -> Fault {
        Fault { place: Some(self.place(offset)), kind }
    }
}

/// The places of bytes in ascending order. All together take one pass over the text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AscendingPlaces {
    /// The byte up to which lines are counted.
    counted: usize,
    /// The line ends before it.
    lines: u64,
    /// The byte where its line starts.
    start: usize,
}

impl AscendingPlaces {
    /// The place of a byte, which is not before the last one.
    pub(crate) fn place(&mut self, text: &WholeText, offset: usize) -> Place {
        let skipped = text.0.as_bytes().get(self.counted..offset).unwrap_or_default();
        self.lines += memchr::memchr_iter(b'\n', skipped).count() as u64;
        if let Some(at) = memchr::memrchr(b'\n', skipped) {
            self.start = self.counted + at + 1;
        }
        self.counted = self.counted.max(offset);
        Place::Line { line: self.lines + 1, column: (offset.saturating_sub(self.start)) as u64 + 1 }
    }
}

fn place_in(text: &[u8], offset: usize) -> Place {
    let before = text.get(..offset).unwrap_or(text);
    let line = memchr::memchr_iter(b'\n', before).count() as u64 + 1;
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    Place::Line { line, column: (before.len() - start) as u64 + 1 }
}
