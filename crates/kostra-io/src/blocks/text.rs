//! A text that is read as lines up to the end of its header, then as blocks of whole lines.

use crate::compression::{Stream, fill};
use crate::fault::{BlockFault, Fault};
use crate::head::{BYTE_ORDER_MARK, is_utf_16};
use crate::held_memory::{HeldMemory, too_small};
use crate::source::from_io;
use crate::{Place, ReadErrorKind};

/// The number of bytes of a block: it fits into the second-level cache, and is large enough that
/// locks cost little.
pub(crate) const BLOCK_BYTES: usize = 1 << 18;
/// The longest line that is read: a METIS row of some ten million neighbors fits.
const LONGEST_LINE: usize = 1 << 26;

/// The longest line for which no memory is asked. A block that ends with such a line has twice the
/// bytes of other blocks.
const USUAL_LINE: usize = BLOCK_BYTES;
/// The most bytes of a block that is kept for later lines if memory is limited.
pub(super) const USUAL_BLOCK: usize = 2 * BLOCK_BYTES;
/// The memory of a longer line per byte: its block, and the copy while the block grows.
const BYTES_PER_BYTE: u64 = 2;

/// A text that is read once: first line by line, then in blocks.
pub(crate) struct Text<'a> {
    stream: Stream<'a>,
    block_size: usize,
    pub(super) longest_line: usize,
    /// The bytes that have been read, and how many of them have been returned.
    ahead: Vec<u8>,
    taken: usize,
    ended: bool,
    /// The number of lines that have been skipped, and the number of their bytes.
    lines: u64,
    consumed: u64,
    pub(super) memory: HeldMemory,
    /// The longest line that the memory holds.
    held_line: usize,
}

impl<'a> Text<'a> {
    /// The text of a stream, without a byte-order mark.
    pub(crate) fn new(stream: Stream<'a>) -> Result<Self, Fault> {
        Self::with_block_size(stream, BLOCK_BYTES)
    }

    /// The text of a stream with blocks of another size, for tests.
    pub(crate) fn with_block_size(stream: Stream<'a>, block_size: usize) -> Result<Self, Fault> {
        if is_utf_16(stream.head()) {
            return Err(ReadErrorKind::utf_16().into());
        }
        let mut text = Self {
            memory: stream.memory.clone(),
            held_line: USUAL_LINE,
            stream,
            block_size: block_size.max(1),
            longest_line: LONGEST_LINE,
            ahead: Vec::new(),
            taken: 0,
            ended: false,
            lines: 0,
            consumed: 0,
        };
        if text.sample(BYTE_ORDER_MARK.len())?.starts_with(BYTE_ORDER_MARK) {
            text.taken = BYTE_ORDER_MARK.len();
            text.consumed = BYTE_ORDER_MARK.len() as u64;
        }
        Ok(text)
    }

    /// The rest of a text, from the start of a line that follows `lines` lines.
    pub(crate) fn continued(stream: Stream<'a>, lines: u64) -> Self {
        Self {
            memory: stream.memory.clone(),
            held_line: USUAL_LINE,
            stream,
            block_size: BLOCK_BYTES,
            longest_line: LONGEST_LINE,
            ahead: Vec::new(),
            taken: 0,
            ended: false,
            lines,
            consumed: 0,
        }
    }

    /// The number of bytes before the next line.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// The next line without its end; `None` after the last. It stays the next until it is
    /// [skipped](Self::skip).
    pub(crate) fn line(&mut self) -> Result<Option<&[u8]>, Fault> {
        let mut searched = 0;
        loop {
            let sample = self.sample(self.block_size.max(searched + 1))?;
            let have = sample.len();
            let fresh = sample.get(searched..).unwrap_or_default();
            let length = memchr::memchr(b'\n', fresh).map(|at| searched + at);
            if length.is_none() && have > self.longest_line {
                return Err(Fault::at_line(self.line_number(), 1, too_long(self.longest_line)));
            }
            if length.is_some() || self.ended {
                let line = self.ahead.get(self.taken..).unwrap_or_default();
                let line = line.get(..length.unwrap_or(have)).unwrap_or_default();
                return Ok((have > 0).then_some(line.strip_suffix(b"\r").unwrap_or(line)));
            }
            self.hold_line(have)
                .map_err(|kind| Fault { place: Some(self.place_of_line()), kind })?;
            searched = have;
        }
    }

    /// The start of the next line.
    fn place_of_line(&self) -> Place {
        Place::Line { line: self.line_number(), column: 1 }
    }

    /// Asks for the memory of a line that has `have` bytes and goes on.
    fn hold_line(&mut self, have: usize) -> Result<(), ReadErrorKind> {
        if !self.memory.is_limited() || have < self.held_line {
            return Ok(());
        }
        let mut least = None;
        // Large steps first, because the receiver makes room at each.
        for step in [have / 2, have / 8, 0] {
            let next = (have + step).min(self.longest_line) + self.block_size;
            least = self.memory.missing(memory_of_line(next))?;
            if least.is_none() {
                self.held_line = next;
                return Ok(());
            }
        }
        let length = have + self.skip_rest_of_line(self.longest_line.saturating_sub(have))?;
        if length > self.longest_line {
            return Err(ReadErrorKind::malformed(too_long(self.longest_line)));
        }
        let all = self.memory.missing(memory_of_line(length + self.block_size))?;
        let least = all.or(least).unwrap_or_default();
        let what = format!("this line of {length} bytes");
        Err(ReadErrorKind::malformed(too_small(least, &what, "shorten it")))
    }

    /// Reads the rest of a line, or more than `most` bytes of it. Returns the number of bytes.
    fn skip_rest_of_line(&mut self, most: usize) -> Result<usize, ReadErrorKind> {
        let (mut buffer, mut length) = (vec![0; BLOCK_BYTES], 0);
        while length <= most {
            let count = fill(&mut self.stream, &mut buffer).map_err(from_io)?;
            let bytes = buffer.get(..count).unwrap_or_default();
            if let Some(end) = memchr::memchr(b'\n', bytes) {
                return Ok(length + end);
            }
            length += count;
            if count < buffer.len() {
                break;
            }
        }
        Ok(length)
    }

    /// Asks for the memory of the first `bytes` bytes. Returns the least limit that suffices if the
    /// present one does not.
    pub(crate) fn missing_for(&self, bytes: usize) -> Result<Option<u64>, ReadErrorKind> {
        if bytes <= USUAL_LINE { Ok(None) } else { self.memory.missing(memory_of_line(bytes)) }
    }

    /// The memory that reading this text holds.
    pub(crate) fn memory(&self) -> &HeldMemory {
        &self.memory
    }

    /// The number of the next line, counted from 1.
    pub(crate) fn line_number(&self) -> u64 {
        self.lines + 1
    }

    /// Skips the next line.
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
        if let Some(line) = self.line()? {
            let length = line.len();
            let rest = self.ahead.get(self.taken + length..).unwrap_or_default();
            let end = if rest.starts_with(b"\r\n") { 2 } else { usize::from(!rest.is_empty()) };
            self.taken += length + end;
            self.consumed += (length + end) as u64;
            self.lines += 1;
        }
        Ok(())
    }

    /// The next bytes, at least `bytes` of them unless the text ends before.
    pub(crate) fn sample(&mut self, bytes: usize) -> Result<&[u8], Fault> {
        while !self.ended && self.ahead.len() - self.taken < bytes {
            self.ahead.drain(..self.taken);
            self.taken = 0;
            let have = self.ahead.len();
            self.ahead.resize(bytes.max(have + self.block_size), 0);
            let space = self.ahead.get_mut(have..).unwrap_or_default();
            let count = fill(&mut self.stream, space).map_err(from_io)?;
            self.ended = count < space.len();
            self.ahead.truncate(have + count);
        }
        Ok(self.ahead.get(self.taken..).unwrap_or_default())
    }

    /// The number of `items` to reserve memory for: see [`Stream::reasonable`].
    pub(crate) fn reasonable(&self, items: u64, bytes_each: u64) -> usize {
        self.stream.reasonable(items, bytes_each)
    }

    /// The most blocks that are left, as far as that is known.
    pub(super) fn most_blocks(&self) -> usize {
        if self.ended { (self.ahead.len() - self.taken) / self.block_size + 1 } else { usize::MAX }
    }

    /// Reads the next whole lines. The last line of a text gets a newline if it has none. After it
    /// the block is empty.
    pub(super) fn next_block(&mut self, block: &mut Block) -> Result<(), BlockFault> {
        block.length = 0;
        block.append(self.ahead.get(self.taken..).unwrap_or_default());
        self.ahead.clear();
        if self.memory.is_limited() {
            self.ahead.shrink_to(USUAL_BLOCK);
        }
        self.taken = 0;
        let mut size = self.block_size.max(block.length + 1);
        let mut searched = 0;
        loop {
            if !self.ended {
                block.make_room(size);
                let space = block.bytes.get_mut(block.length..size).unwrap_or_default();
                let count = fill(&mut self.stream, space).map_err(from_io)?;
                self.ended = count < space.len();
                block.length += count;
            }
            let fresh = block.lines().get(searched..).unwrap_or_default();
            if let Some(newline) = memchr::memrchr(b'\n', fresh) {
                let end = searched + newline + 1;
                self.ahead.extend_from_slice(block.lines().get(end..).unwrap_or_default());
                block.length = end;
                return Ok(());
            }
            searched = block.length;
            if searched > self.longest_line {
                return Err(BlockFault::new(0, too_long(self.longest_line)));
            }
            if self.ended {
                if searched > 0 {
                    block.append(b"\n");
                }
                return Ok(());
            }
            self.hold_line(searched).map_err(|kind| BlockFault { offset: Some(0), kind })?;
            size = if self.memory.is_limited() { size + self.block_size } else { size * 2 };
        }
    }
}

/// The memory of a line of this number of bytes.
fn memory_of_line(bytes: usize) -> u64 {
    bytes as u64 * BYTES_PER_BYTE
}

fn too_long(longest_line: usize) -> String {
    format!("this line is longer than {longest_line} bytes, the most that Kostra reads")
}

/// A buffer whose first `length` bytes are valid. It is never cleared, which would cost a pass over
/// it.
#[derive(Default)]
pub(super) struct Block {
    bytes: Vec<u8>,
    length: usize,
}

impl Block {
    pub(super) fn lines(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Whether the block has grown for a long line.
    pub(super) fn is_long(&self) -> bool {
        self.bytes.len() > USUAL_BLOCK
    }

    /// Returns the memory of a block that has grown for a long line.
    pub(super) fn shrink(&mut self) {
        if self.is_long() {
            *self = Self::default();
        }
    }

    fn make_room(&mut self, size: usize) {
        if self.bytes.len() < size {
            self.bytes.resize(size, 0);
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        self.make_room(self.length + bytes.len());
        if let Some(space) = self.bytes.get_mut(self.length..self.length + bytes.len()) {
            space.copy_from_slice(bytes);
            self.length += bytes.len();
        }
    }
}
