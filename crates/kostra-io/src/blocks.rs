//! Text in blocks of whole lines, parsed by several threads and joined in order.
//!
//! Each thread takes the next block from the one stream, parses it while others take theirs, and hands it in; blocks
//! are joined in the order of the input, whoever is at it. So decompression, which no second thread can help with,
//! goes on all the time while the others parse; a block is parsed where it was read, in a warm cache; and one thread
//! alone pays for no hand-over. The result, down to the first error, is the same for any number of threads.
//!
//! Costs a block and its parsed form a thread, and one more for each block that waits for an earlier one: at most
//! [`WAITING`] a thread.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::compression::{Stream, fill};
use crate::fault::Fault;
use crate::source::from_io;
use crate::{Place, ReadErrorKind};

/// How many bytes a block has: few enough for the second-level cache, many enough for the locks not to matter.
pub(crate) const BLOCK: usize = 1 << 18;
/// The longest line that is read.
const LONGEST_LINE: usize = 1 << 26;
/// How many finished blocks a thread may be ahead of the slowest.
const WAITING: u64 = 4;

/// What turns blocks of lines into something that can be joined.
pub(crate) trait Parser: Sync {
    /// What one block is turned into. It is used again for later blocks; joining it should leave it empty.
    type Chunk: Default + Send;

    /// Parses whole lines, each with its newline, into an empty chunk. On a fault the chunk holds what came before.
    fn parse(&self, block: &[u8], chunk: &mut Self::Chunk) -> Result<(), BlockFault>;
}

/// A fault in a block.
#[derive(Debug)]
pub(crate) struct BlockFault {
    /// The byte in the block, if the fault has a place.
    pub(crate) offset: Option<usize>,
    pub(crate) kind: ReadErrorKind,
}

impl BlockFault {
    /// The content breaks its format's rules at this byte of the block.
    pub(crate) fn new(offset: usize, sentence: impl Into<String>) -> Self {
        Self { offset: Some(offset), kind: ReadErrorKind::Malformed(sentence.into()) }
    }
}

impl From<ReadErrorKind> for BlockFault {
    fn from(kind: ReadErrorKind) -> Self {
        Self { offset: None, kind }
    }
}

/// A text that is read once: first, as far as the reader likes, line by line; then in blocks.
pub(crate) struct Text<'a> {
    stream: Stream<'a>,
    block_size: usize,
    longest_line: usize,
    /// What has been read, and how much of it has been handed out.
    ahead: Vec<u8>,
    taken: usize,
    ended: bool,
    /// How many lines have been skipped.
    lines: u64,
}

impl<'a> Text<'a> {
    /// The text of a stream; a byte-order mark at its start is left out.
    pub(crate) fn new(stream: Stream<'a>) -> Result<Self, Fault> {
        Self::with_block_size(stream, BLOCK)
    }

    /// The same with blocks of another size, to test what happens at their ends.
    pub(crate) fn with_block_size(stream: Stream<'a>, block_size: usize) -> Result<Self, Fault> {
        if matches!(stream.head(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            return Err(ReadErrorKind::Malformed("this is UTF-16 text; save it as UTF-8".into()).into());
        }
        let longest_line = LONGEST_LINE;
        let mut text = Self {
            stream,
            block_size: block_size.max(1),
            longest_line,
            ahead: Vec::new(),
            taken: 0,
            ended: false,
            lines: 0,
        };
        const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
        if text.sample(BYTE_ORDER_MARK.len())?.starts_with(BYTE_ORDER_MARK) {
            text.taken = BYTE_ORDER_MARK.len();
        }
        Ok(text)
    }

    /// The next line without its end; `None` after the last. It stays the next until it is [skipped](Self::skip).
    pub(crate) fn line(&mut self) -> Result<Option<&[u8]>, Fault> {
        let mut bytes = self.block_size;
        loop {
            let sample = self.sample(bytes)?;
            let (length, have) = (memchr::memchr(b'\n', sample), sample.len());
            if length.is_none() && have > self.longest_line {
                return Err(Fault::at_line(self.line_number(), 1, too_long(self.longest_line)));
            }
            if length.is_some() || self.ended {
                let line = self.ahead.get(self.taken..).unwrap_or_default();
                let line = line.get(..length.unwrap_or(have)).unwrap_or_default();
                return Ok((have > 0).then_some(line.strip_suffix(b"\r").unwrap_or(line)));
            }
            bytes = have.saturating_mul(2);
        }
    }

    /// The number of the next line, counted from 1.
    pub(crate) fn line_number(&self) -> u64 {
        self.lines + 1
    }

    /// Leaves out the next line.
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
        if let Some(line) = self.line()? {
            let length = line.len();
            let rest = self.ahead.get(self.taken + length..).unwrap_or_default();
            let end = if rest.starts_with(b"\r\n") { 2 } else { usize::from(!rest.is_empty()) };
            self.taken += length + end;
            self.lines += 1;
        }
        Ok(())
    }

    /// The next bytes, at least so many unless the text ends before.
    pub(crate) fn sample(&mut self, bytes: usize) -> Result<&[u8], Fault> {
        while !self.ended && self.ahead.len() - self.taken < bytes {
            self.ahead.drain(..self.taken);
            self.taken = 0;
            let have = self.ahead.len();
            self.ahead.resize(have + self.block_size.max(bytes), 0);
            let space = self.ahead.get_mut(have..).unwrap_or_default();
            let count = fill(&mut self.stream, space).map_err(from_io)?;
            self.ended = count < space.len();
            self.ahead.truncate(have + count);
        }
        Ok(self.ahead.get(self.taken..).unwrap_or_default())
    }

    /// How many of `items` it is reasonable to make room for: see [`Stream::reasonable`].
    pub(crate) fn reasonable(&self, items: u64, bytes_each: u64) -> usize {
        self.stream.reasonable(items, bytes_each)
    }

    /// Takes the next whole lines, the last of which gets a newline even if it has none in the input.
    /// After the last line the block is empty.
    fn next_block(&mut self, block: &mut Block) -> Result<(), BlockFault> {
        block.length = 0;
        block.append(self.ahead.get(self.taken..).unwrap_or_default());
        self.ahead.clear();
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
            size *= 2;
        }
    }

    /// Parses the rest of the text on some threads and joins the chunks in order, on any of the threads but one at
    /// a time. Joining gets each chunk with the block that it came from. Returns how many lines the text has.
    pub(crate) fn parse<P: Parser>(
        self,
        threads: usize,
        parser: &P,
        join: impl FnMut(&mut P::Chunk, &[u8]) -> Result<(), BlockFault> + Send,
    ) -> Result<u64, Fault> {
        let blocks = (self.ahead.len() - self.taken) / self.block_size + 1;
        let threads = if self.ended { threads.min(blocks) } else { threads };
        let joiner = Joiner {
            next: 0,
            waiting: BTreeMap::new(),
            free: Vec::new(),
            lines: self.lines,
            join,
            fault: None,
        };
        let pipeline = Pipeline {
            reader: Mutex::new(Reader { text: self, tickets: 0, ended: false }),
            joiner: Mutex::new(joiner),
            joined: Condvar::new(),
            stopped: AtomicBool::new(false),
            most_waiting: WAITING * threads as u64,
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| pipeline.work(parser));
            }
            pipeline.work(parser);
        });
        let joiner = pipeline.joiner.into_inner().unwrap_or_else(PoisonError::into_inner);
        joiner.fault.map_or(Ok(joiner.lines), Err)
    }
}

fn too_long(longest_line: usize) -> String {
    format!("this line is longer than {longest_line} bytes, the most that Kostra reads")
}

/// A buffer that is never cleared, for clearing costs as much as reading; the first `length` bytes count.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    length: usize,
}

impl Block {
    fn lines(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
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

/// A block on its way through the pipeline.
struct Job<C> {
    block: Block,
    chunk: C,
    result: Result<(), BlockFault>,
}

struct Pipeline<'a, C, J> {
    reader: Mutex<Reader<'a>>,
    joiner: Mutex<Joiner<C, J>>,
    /// Told when a block has been joined or everything is to stop.
    joined: Condvar,
    stopped: AtomicBool,
    most_waiting: u64,
}

struct Reader<'a> {
    text: Text<'a>,
    tickets: u64,
    ended: bool,
}

struct Joiner<C, J> {
    next: u64,
    waiting: BTreeMap<u64, Job<C>>,
    free: Vec<Job<C>>,
    lines: u64,
    join: J,
    fault: Option<Fault>,
}

impl<C: Default + Send, J: FnMut(&mut C, &[u8]) -> Result<(), BlockFault>> Pipeline<'_, C, J> {
    fn work(&self, parser: &impl Parser<Chunk = C>) {
        let _guard = StopOnPanic(self);
        loop {
            let fresh = || Job { block: Block::default(), chunk: C::default(), result: Ok(()) };
            let mut job = lock(&self.joiner).free.pop().unwrap_or_else(fresh);
            let Some(ticket) = self.read(&mut job) else { break };
            if job.result.is_ok() {
                job.result = parser.parse(job.block.lines(), &mut job.chunk);
            }
            self.hand_in(ticket, job);
        }
    }

    /// Reads the next block and returns its place in the order; `None` after the last.
    fn read(&self, job: &mut Job<C>) -> Option<u64> {
        let reader = &mut *lock(&self.reader);
        if reader.ended || self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        job.result = reader.text.next_block(&mut job.block);
        reader.ended = job.result.is_err() || job.block.lines().is_empty();
        if job.result.is_ok() && reader.ended {
            return None;
        }
        reader.tickets += 1;
        Some(reader.tickets - 1)
    }

    fn hand_in(&self, ticket: u64, job: Job<C>) {
        let mut joiner = lock(&self.joiner);
        while ticket > joiner.next + self.most_waiting && !self.stopped.load(Ordering::Relaxed) {
            joiner = self.joined.wait(joiner).unwrap_or_else(PoisonError::into_inner);
        }
        joiner.waiting.insert(ticket, job);
        joiner.join_what_is_next();
        if joiner.fault.is_some() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        drop(joiner);
        self.joined.notify_all();
    }
}

impl<C, J: FnMut(&mut C, &[u8]) -> Result<(), BlockFault>> Joiner<C, J> {
    fn join_what_is_next(&mut self) {
        while self.fault.is_none() {
            let Some(mut job) = self.waiting.remove(&self.next) else { break };
            self.next += 1;
            let lines = job.block.lines();
            // What was parsed before a fault may hold an earlier one that only joining finds.
            let result = (self.join)(&mut job.chunk, lines).and(std::mem::replace(&mut job.result, Ok(())));
            if let Err(BlockFault { offset, kind }) = result {
                self.fault =
                    Some(Fault { place: offset.map(|offset| place(self.lines, lines, offset)), kind });
            }
            self.lines += memchr::memchr_iter(b'\n', lines).count() as u64;
            self.free.push(job);
        }
    }
}

/// The place of a byte of a block that `lines_before` lines precede.
fn place(lines_before: u64, block: &[u8], offset: usize) -> Place {
    let before = block.get(..offset).unwrap_or(block);
    let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let line = lines_before + memchr::memchr_iter(b'\n', before).count() as u64 + 1;
    Place::Line { line, column: (before.len() - start) as u64 + 1 }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the other threads end, and the panic come out, when a parser panics.
struct StopOnPanic<'p, 'a, C, J>(&'p Pipeline<'a, C, J>);

impl<C, J> Drop for StopOnPanic<'_, '_, C, J> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stopped.store(true, Ordering::Relaxed);
            self.0.joined.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::of_bytes;

    /// Copies lines; a line that starts with `!` is a fault at its second byte.
    struct Copy;

    impl Parser for Copy {
        type Chunk = Vec<u8>;

        fn parse(&self, block: &[u8], chunk: &mut Vec<u8>) -> Result<(), BlockFault> {
            let mut offset = 0;
            for line in block.split_inclusive(|&byte| byte == b'\n') {
                assert_eq!(line.last(), Some(&b'\n'));
                if line.starts_with(b"!") {
                    return Err(BlockFault::new(offset + 1, "an exclamation"));
                }
                chunk.extend_from_slice(line);
                offset += line.len();
            }
            Ok(())
        }
    }

    fn text(bytes: &[u8], block_size: usize) -> Text<'_> {
        Text::with_block_size(Stream::new(of_bytes(bytes)).unwrap(), block_size).unwrap()
    }

    fn copy(text: Text<'_>, threads: usize) -> Result<(Vec<u8>, u64), String> {
        let mut copied = Vec::new();
        let result = text.parse(threads, &Copy, |chunk, _| {
            copied.append(chunk);
            Ok(())
        });
        result.map(|lines| (copied, lines)).map_err(|fault| fault.of("x").to_string())
    }

    #[test]
    fn blocks_are_joined_in_order_whatever_their_size_and_the_number_of_threads() {
        let lines: String = (0..5_000).map(|line| format!("{line}{}\n", "x".repeat(line % 57))).collect();
        for block_size in [1, 16, 100, BLOCK] {
            for threads in [1, 2, 3, 8] {
                let (copied, count) = copy(text(lines.as_bytes(), block_size), threads).unwrap();
                assert!(copied == lines.as_bytes() && count == 5_000, "{block_size} {threads}");
            }
        }
    }

    #[test]
    fn the_first_fault_in_the_order_of_the_input_is_reported() {
        let mut lines = "some line\n".repeat(1_000);
        lines.push_str("!\n");
        lines.push_str(&"!again\n".repeat(1_000));
        for block_size in [1, 16, 100, BLOCK] {
            for threads in [1, 2, 3] {
                let error = copy(text(lines.as_bytes(), block_size), threads).unwrap_err();
                assert_eq!(error, "x: line 1001, column 2: an exclamation");
            }
        }
    }

    #[test]
    fn the_last_line_needs_no_newline_and_a_byte_order_mark_is_left_out() {
        for (input, output) in
            [("", ""), ("a", "a\n"), ("a\n\nb", "a\n\nb\n"), ("\u{feff}a\n", "a\n"), ("\n", "\n")]
        {
            for block_size in [1, 2, 16] {
                assert_eq!(copy(text(input.as_bytes(), block_size), 1).unwrap().0, output.as_bytes());
            }
        }
    }

    #[test]
    fn lines_of_a_header_come_one_by_one_and_the_rest_in_blocks() {
        for block_size in [1, 4, 16] {
            let mut text = text(b"one\r\n\ntwo\nthree\n!", block_size);
            for expected in ["one", "", "two"] {
                assert_eq!(text.line().unwrap(), Some(expected.as_bytes()));
                text.skip().unwrap();
            }
            assert_eq!(text.sample(3).unwrap().get(..3), Some(&b"thr"[..]));
            assert_eq!(text.line_number(), 4);
            assert_eq!(copy(text, 2).unwrap_err(), "x: line 5, column 2: an exclamation");
        }
        let mut text = text(b"one", 16);
        text.skip().unwrap();
        assert_eq!(text.line().unwrap(), None);
    }

    #[test]
    fn a_line_beyond_all_measure_is_an_error() {
        let lines = format!("short\n{}\n", "x".repeat(1_000));
        for block_size in [1, 16, 300] {
            let mut text = text(lines.as_bytes(), block_size);
            text.longest_line = 500;
            let error = copy(text, 2).unwrap_err();
            assert_eq!(
                error,
                "x: line 2, column 1: this line is longer than 500 bytes, the most that Kostra reads"
            );
        }
        let mut text = text(lines.as_bytes(), 16);
        text.longest_line = 500;
        text.skip().unwrap();
        assert!(text.line().is_err());
    }

    #[test]
    fn utf_16_is_an_error_that_says_so() {
        let Err(fault) = Text::new(Stream::new(of_bytes(b"\xff\xfe1\0 \0")).unwrap()) else {
            panic!("it is read")
        };
        assert_eq!(fault.of("x").to_string(), "x: this is UTF-16 text; save it as UTF-8");
    }
}
