//! Text in blocks of whole lines, parsed by several threads and joined in order.
//!
//! One thread leads: it reads and decompresses the blocks and puts them into a queue, from which
//! the other threads take and parse them. When the queue is full, the leader parses a block itself.
//! So decompression never pauses if it is the bottleneck, and otherwise all threads parse. Parsed
//! blocks are joined in the order of the input. The result, including the first error, is the same
//! for any number of threads.
//!
//! Memory: one block and its parsed form per thread, per queued block (at most [`QUEUED`] per
//! thread except the leader), and per parsed block that waits for an earlier one (at most
//! [`WAITING`] per thread). If memory is limited, there is only one block at a time that has grown
//! for a long line: the leader parses it and waits until it is joined.

#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use kostra_parallel::{into_item, lock, with_team};

use crate::Place;
use crate::fault::{BlockFault, Fault};
use text::Block;
pub(crate) use text::{BLOCK_BYTES, Text};

/// The most blocks in the queue, per thread except the leader: enough that a thread need not wait
/// while the leader reads one block.
const QUEUED: usize = 2;
/// The most parsed blocks that wait for an earlier block, per thread. This bounds memory if one
/// block takes long.
const WAITING: u64 = 4;

/// Parses blocks of lines into chunks that can be joined.
pub(crate) trait Parser: Sync {
    /// A parsed block. It is reused for later blocks, so joining must leave it empty.
    type Chunk: Default + Send;

    /// Parses whole lines, each with its newline, into an empty chunk. After a fault the chunk
    /// contains what precedes the fault.
    fn parse(&self, block: &[u8], chunk: &mut Self::Chunk) -> Result<(), BlockFault>;
}

impl Text<'_> {
    /// Parses the rest of the text on up to `threads` threads. Calls `join` with each chunk and its
    /// block in order, from any thread but one at a time. Returns the number of lines of the text.
    pub(crate) fn parse<P: Parser>(
        self,
        threads: usize,
        parser: &P,
        join: impl FnMut(&mut P::Chunk, &[u8]) -> Result<(), BlockFault> + Send,
    ) -> Result<u64, Fault> {
        let threads = threads.min(self.most_blocks()).max(1);
        let (lines, is_limited) = (self.line_number() - 1, self.memory.is_limited());
        let waiting = BTreeMap::new();
        let joiner = Joiner { next: 0, waiting, lines, is_limited, join, fault: None };
        let pipeline = Pipeline {
            joiner: Mutex::new(joiner),
            joined: Condvar::new(),
            free: Mutex::new(Vec::new()),
            stopped: AtomicBool::new(false),
            most_waiting: WAITING * threads as u64,
        };
        with_team(threads, |team| {
            let (sender, receiver) = sync_channel(QUEUED * (team.threads() - 1));
            let receiver = Mutex::new(receiver);
            let leader = Mutex::new(Some((self, sender)));
            team.on_all(|thread| {
                let leader = if thread == 0 { lock(&leader).take() } else { None };
                match leader {
                    Some((text, sender)) => pipeline.lead(text, parser, &sender),
                    None => pipeline.help(parser, &receiver),
                }
            });
        });
        let joiner = into_item(pipeline.joiner);
        joiner.fault.map_or(Ok(joiner.lines), Err)
    }
}

/// A block in the pipeline.
struct Job<C> {
    /// The position of the block in the input.
    ticket: u64,
    block: Block,
    chunk: C,
    result: Result<(), BlockFault>,
}

struct Pipeline<C, J> {
    joiner: Mutex<Joiner<C, J>>,
    /// Notified when a block has been joined or all threads must stop.
    joined: Condvar,
    /// Jobs to reuse.
    free: Mutex<Vec<Job<C>>>,
    stopped: AtomicBool,
    most_waiting: u64,
}

struct Joiner<C, J> {
    next: u64,
    waiting: BTreeMap<u64, Job<C>>,
    lines: u64,
    /// Whether long blocks are not kept for later lines.
    is_limited: bool,
    join: J,
    fault: Option<Fault>,
}

impl<C: Default + Send, J: FnMut(&mut C, &[u8]) -> Result<(), BlockFault>> Pipeline<C, J> {
    /// Reads all blocks, and parses those that do not fit into the queue.
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
            if text.memory.is_limited() && job.block.is_long() {
                self.parse(job, parser);
                self.wait_for(ticket);
            } else if let Err(TrySendError::Full(job) | TrySendError::Disconnected(job)) =
                helpers.try_send(job)
            {
                self.parse(job, parser);
            }
            if is_last {
                break;
            }
        }
    }

    /// Waits until a block has been joined.
    fn wait_for(&self, ticket: u64) {
        let mut joiner = lock(&self.joiner);
        while joiner.next <= ticket && !self.stopped.load(Ordering::Relaxed) {
            joiner = self.joined.wait(joiner).unwrap_or_else(PoisonError::into_inner);
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

    /// Hands in a parsed block and joins all blocks that are next in order. Waits first if too many
    /// later blocks wait for earlier ones. The earlier blocks are with other threads or first in
    /// the queue, so some thread proceeds.
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
            // Joining may find an earlier fault in what was parsed before this one.
            let result =
                (self.join)(&mut job.chunk, lines).and(std::mem::replace(&mut job.result, Ok(())));
            if let Err(BlockFault { offset, kind }) = result {
                self.fault = Some(Fault {
                    place: offset.map(|offset| place(self.lines, lines, offset)),
                    kind,
                });
            }
            self.lines += memchr::memchr_iter(b'\n', lines).count() as u64;
            if self.is_limited {
                job.block.shrink();
            }
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

/// Stops the other threads when a parser panics, so that the panic is propagated.
struct StopOnPanic<'p, C, J>(&'p Pipeline<C, J>);

impl<C, J> Drop for StopOnPanic<'_, C, J> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stopped.store(true, Ordering::Relaxed);
            self.0.joined.notify_all();
        }
    }
}
