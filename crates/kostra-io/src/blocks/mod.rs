//! Text in blocks of whole lines, parsed by several threads and joined in order.
//!
//! Each thread takes the next block from the one stream, parses it while others take theirs, and hands it in; blocks
//! are joined in the order of the input, whoever is at it. So decompression, which no second thread can help with,
//! goes on all the time while the others parse; a block is parsed where it was read, in a warm cache; and one thread
//! alone pays for no hand-over. The result, down to the first error, is the same for any number of threads.
//!
//! Costs a block and its parsed form a thread, and one more for each block that waits for an earlier one: at most
//! [`WAITING`] a thread.

#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::fault::Fault;
use crate::{Place, ReadErrorKind};
use text::Block;
pub(crate) use text::Text;

/// How many bytes a block has: few enough for the second-level cache, many enough for the locks not to matter.
pub(crate) const BLOCK: usize = 1 << 18;
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

impl Text<'_> {
    /// Parses the rest of the text on some threads and joins the chunks in order, on any of the threads but one at
    /// a time. Joining gets each chunk with the block that it came from. Returns how many lines the text has.
    pub(crate) fn parse<P: Parser>(
        self,
        threads: usize,
        parser: &P,
        join: impl FnMut(&mut P::Chunk, &[u8]) -> Result<(), BlockFault> + Send,
    ) -> Result<u64, Fault> {
        let threads = threads.min(self.most_blocks()).max(1);
        let joiner = Joiner {
            next: 0,
            waiting: BTreeMap::new(),
            free: Vec::new(),
            lines: self.line_number() - 1,
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
