//! The memory that reading holds in addition to blocks of edges, where a limit applies.
//!
//! A long line, a large page and a long description are held as a whole. Their readers ask before
//! they hold them, and refuse them with the limit that would suffice.

use std::io;
use std::sync::Arc;

use crate::ReadErrorKind;
use crate::message::{Message, Remedy, RemedyValue, message};
use crate::source::from_io;

/// Asks whether reading may hold this number of bytes in addition to blocks, instead of those that
/// it asked for before. Returns none if it may, and else the least limit that suffices, in bytes.
/// An error stops the reading.
pub type AskMemory = Arc<dyn Fn(u64) -> io::Result<Option<u64>> + Send + Sync>;

/// The columns of a line for which reading does not ask.
const USUAL_COLUMNS: u64 = 1 << 10;
/// The memory of a column while the columns of an edge list are chosen, by measurement: its text in
/// several rows, its name, and what both mean.
const BYTES_PER_COLUMN: u64 = 512;

/// The memory that reading holds. By default it is not limited.
#[derive(Clone, Default)]
pub(crate) struct HeldMemory {
    pub(crate) ask: Option<AskMemory>,
}

impl HeldMemory {
    pub(crate) fn is_limited(&self) -> bool {
        self.ask.is_some()
    }

    /// Asks for `bytes` bytes. Returns the least limit that suffices if the present one does not.
    pub(crate) fn missing(&self, bytes: u64) -> Result<Option<u64>, ReadErrorKind> {
        let Some(ask) = &self.ask else { return Ok(None) };
        ask(bytes).map_err(from_io)
    }

    /// Holds `bytes` bytes.
    ///
    /// # Errors
    /// When the limit does not suffice: a sentence that says `what` needs them, and after the limit
    /// that suffices, what else helps.
    pub(crate) fn hold(
        &self,
        bytes: u64,
        (what, remedy): (&str, &str),
    ) -> Result<(), ReadErrorKind> {
        match self.missing(bytes)? {
            None => Ok(()),
            Some(least) => Err(ReadErrorKind::malformed(too_small(least, what, remedy))),
        }
    }

    /// Holds what choosing among the columns of these lines takes.
    pub(crate) fn hold_columns(&self, lines: &[u8]) -> Result<(), ReadErrorKind> {
        if !self.is_limited() {
            return Ok(());
        }
        let separates = |byte: &u8| matches!(byte, b' ' | b'\t' | b',' | b';' | b'|');
        let columns = |line: &[u8]| line.iter().filter(|byte| separates(byte)).count() as u64 + 1;
        let most = lines.split(|&byte| byte == b'\n').map(columns).max().unwrap_or_default();
        if most <= USUAL_COLUMNS {
            return Ok(());
        }
        let what = format!("a line of {most} columns");
        let remedy = "leave out columns";
        self.hold(lines.len() as u64 + most * BYTES_PER_COLUMN, (&what, remedy))
    }
}

/// The sentence that `what` needs a limit of `least` bytes, or else the remedy.
pub(crate) fn too_small(least: u64, what: &str, remedy: &str) -> Message {
    let limit = Remedy::Option { option: "memory", value: RemedyValue::Bytes(least) };
    message![format!("{what} takes more memory; pass at least "), limit, format!(", or {remedy}")]
}
