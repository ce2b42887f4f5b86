//! Text in blocks of whole lines, parsed by several threads and joined in order.
//!
//! One thread leads: it reads and decompresses block after block, and leaves the parsing to the
//! others; when their queue is full, it parses a block itself. So decompression goes on all the
//! time where it is the slowest part, all threads parse where it is not, and one thread alone
//! passes no blocks to others. Threads join blocks in the order of the input. The result, down to
//! the first error, is the same for any number of threads.
//!
//! Memory: a block and its parsed form for each thread, and one more for each block that waits to
//! be parsed, at most [`QUEUED`] for each thread but the first, or for an earlier one to be joined,
//! at most [`WAITING`] a thread.

#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::Place;
use crate::fault::{BlockFault, Fault};
use text::Block;
pub(crate) use text::{BLOCK_BYTES, Text};

/// How many blocks wait for a thread to parse them.
const QUEUED: usize = 2;
/// How many finished blocks a thread may be ahead of the slowest.
const WAITING: u64 = 4;

/// What turns blocks of lines into something that can be joined.
pub(crate) trait Parser: Sync {
    /// What one block is turned into. It is used again for later blocks; joining it should leave it
    /// empty.
    type Chunk: Default + Send;

    /// Parses whole lines, each with its newline, into an empty chunk. On a fault the chunk holds
    /// what came before.
    fn parse(&self, block: &[u8], chunk: &mut Self::Chunk) -> Result<(), BlockFault>;
}

impl Text<'_> {
    /// Parses the rest of the text on some threads and joins the chunks in order, on any of the
    /// threads but one at a time. Joining gets each chunk with the block that it came from. Returns
    /// how many lines the text has.
    pub(crate) fn parse<P: Parser>(
        self,
        threads: usize,
        parser: &P,
        join: impl FnMut(&mut P::Chunk, &[u8]) -> Result<(), BlockFault> + Send,
    ) -> Result<u64, Fault> {
        let threads = threads.min(self.most_blocks()).max(1);
        let lines = self.line_number() - 1;
        let joiner = Joiner { next: 0, waiting: BTreeMap::new(), lines, join, fault: None };
        let pipeline = Pipeline {
            joiner: Mutex::new(joiner),
            joined: Condvar::new(),
            free: Mutex::new(Vec::new()),
            stopped: AtomicBool::new(false),
            most_waiting: WAITING * threads as u64,
        };
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel(QUEUED * (threads - 1));
            // Shared by the helpers alone: when the last has ended, nothing can be sent any more.
            let receiver = Arc::new(Mutex::new(receiver));
            for _ in 1..threads {
                let (pipeline, receiver) = (&pipeline, Arc::clone(&receiver));
                let help = move || pipeline.help(parser, &receiver);
                if thread::Builder::new().spawn_scoped(scope, help).is_err() {
                    break; // those that there are do its work
                }
            }
            drop(receiver);
            pipeline.lead(self, parser, &sender);
        });
        let joiner = pipeline.joiner.into_inner().unwrap_or_else(PoisonError::into_inner);
        joiner.fault.map_or(Ok(joiner.lines), Err)
    }
}

/// A block on its way through the pipeline.
struct Job<C> {
    /// Its place in the order of the input.
    ticket: u64,
    block: Block,
    chunk: C,
    result: Result<(), BlockFault>,
}

struct Pipeline<C, J> {
    joiner: Mutex<Joiner<C, J>>,
    /// Told when a block has been joined or everything is to stop.
    joined: Condvar,
    /// Jobs to use again.
    free: Mutex<Vec<Job<C>>>,
    stopped: AtomicBool,
    most_waiting: u64,
}

struct Joiner<C, J> {
    next: u64,
    waiting: BTreeMap<u64, Job<C>>,
    lines: u64,
    join: J,
    fault: Option<Fault>,
}

impl<C: Default + Send, J: FnMut(&mut C, &[u8]) -> Result<(), BlockFault>> Pipeline<C, J> {
    /// Reads all blocks, and parses those for which no helper has room.
    fn lead(
        &self,
        mut text: Text<'_>,
        parser: &impl Parser<Chunk = C>,
        helpers: &SyncSender<Job<C>>,
    ) {
        let _guard = StopOnPanic(self);
        for ticket in 0.. {
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            let fresh =
                || Job { ticket, block: Block::default(), chunk: C::default(), result: Ok(()) };
            let mut job = lock(&self.free).pop().unwrap_or_else(fresh);
            job.ticket = ticket;
            job.result = text.next_block(&mut job.block);
            let is_last = job.result.is_err() || job.block.lines().is_empty();
            if is_last && job.result.is_ok() {
                break;
            }
            if let Err(TrySendError::Full(job) | TrySendError::Disconnected(job)) =
                helpers.try_send(job)
            {
                self.parse(job, parser);
            }
            if is_last {
                break;
            }
        }
    }

    /// Parses blocks until there are no more.
    fn help(&self, parser: &impl Parser<Chunk = C>, blocks: &Mutex<Receiver<Job<C>>>) {
        let _guard = StopOnPanic(self);
        loop {
            let Ok(job) = lock(blocks).recv() else { break };
            self.parse(job, parser);
        }
    }

    fn parse(&self, mut job: Job<C>, parser: &impl Parser<Chunk = C>) {
        if job.result.is_ok() {
            job.result = parser.parse(job.block.lines(), &mut job.chunk);
        }
        self.hand_in(job);
    }

    /// Waits until not too many later blocks wait for earlier ones, and joins what can be joined.
    /// It is a later one that waits, and the earlier ones are with other threads or first in their
    /// queue, so some thread goes on.
    fn hand_in(&self, job: Job<C>) {
        let mut joiner = lock(&self.joiner);
        while job.ticket > joiner.next + self.most_waiting && !self.stopped.load(Ordering::Relaxed)
        {
            joiner = self.joined.wait(joiner).unwrap_or_else(PoisonError::into_inner);
        }
        joiner.waiting.insert(job.ticket, job);
        joiner.join_what_is_next(&self.free);
        if joiner.fault.is_some() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        drop(joiner);
        self.joined.notify_all();
    }
}

impl<C, J: FnMut(&mut C, &[u8]) -> Result<(), BlockFault>> Joiner<C, J> {
    fn join_what_is_next(&mut self, free: &Mutex<Vec<Job<C>>>) {
        while self.fault.is_none() {
            let Some(mut job) = self.waiting.remove(&self.next) else { break };
            self.next += 1;
            let lines = job.block.lines();
            // What was parsed before a fault may hold an earlier one that only joining finds.
            let result =
                (self.join)(&mut job.chunk, lines).and(std::mem::replace(&mut job.result, Ok(())));
            if let Err(BlockFault { offset, kind }) = result {
                self.fault = Some(Fault {
                    place: offset.map(|offset| place(self.lines, lines, offset)),
                    kind,
                });
            }
            self.lines += memchr::memchr_iter(b'\n', lines).count() as u64;
            lock(free).push(job);
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
struct StopOnPanic<'p, C, J>(&'p Pipeline<C, J>);

impl<C, J> Drop for StopOnPanic<'_, C, J> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stopped.store(true, Ordering::Relaxed);
            self.0.joined.notify_all();
        }
    }
}
