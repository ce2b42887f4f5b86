//! Consecutive compressed streams, decompressed by several threads and joined in order.
//!
//! The reading thread divides the input into units of whole streams, at the [boundaries] that the
//! streams show, and queues them. Helper threads decompress the units. When a stream does not show
//! its end or cannot be decompressed, this stream and all that follow are decompressed in order on
//! the reading thread. So content and errors are those of the decoder in order. Threads are started
//! when the input has a second unit.
//!
//! Memory: at most [`QUEUED`] units per thread, each of at most [`MOST_COMPRESSED`] compressed and
//! [`MOST_CONTENT`] decompressed bytes; together, a limit of [`MOST_QUEUED`] compressed bytes holds
//! as long as one unit has less.
//!
//! [boundaries]: super::boundary

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use kostra_parallel::lock;

use super::Compression;
use super::boundary::{Boundary, MOST_COMPRESSED, MOST_CONTENT, boundary};
use super::in_order::in_order;

/// The most units that are queued or decompressed, per thread.
const QUEUED: usize = 2;
/// The most compressed bytes that are queued, unless one unit has more.
const MOST_QUEUED: usize = 64 << 20;
/// Small streams are joined to units of at least this size.
const UNIT: usize = if cfg!(test) { 100 } else { 256 << 10 };
/// The number of compressed bytes that are read at a time.
const READ: usize = if cfg!(test) { 1000 } else { 1 << 20 };

/// A unit that a helper decompresses.
struct Job {
    compressed: Vec<u8>,
    answer: Sender<Answer>,
}

/// The compressed bytes of a unit, and its content if it could be decompressed.
struct Answer {
    compressed: Vec<u8>,
    content: Option<Vec<u8>>,
}

/// The content of consecutive streams.
pub(super) struct Units<'a, R> {
    compression: Compression,
    threads: usize,
    /// `None` after `rest` has taken it.
    raw: Option<R>,
    /// Compressed bytes that are in no unit yet.
    pending: Vec<u8>,
    is_end: bool,
    helpers: Option<Helpers>,
    /// The answers to come, with the numbers of compressed bytes, in order.
    queue: VecDeque<(usize, Receiver<Answer>)>,
    content: Cursor<Vec<u8>>,
    /// The decoder in order, after a boundary that is not known.
    rest: Option<Box<dyn Read + Send + 'a>>,
}

impl<'a, R: BufRead + Send + 'a> Units<'a, R> {
    pub(super) fn new(compression: Compression, raw: R, threads: usize) -> Self {
        Self {
            compression,
            threads,
            raw: Some(raw),
            pending: Vec::new(),
            is_end: false,
            helpers: None,
            queue: VecDeque::new(),
            content: Cursor::default(),
            rest: None,
        }
    }

    /// Cuts the next unit off the input. `None` if there is no further unit: the input has ended,
    /// or the next stream does not show its end.
    fn next_unit(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut end = 0;
        while end < UNIT {
            let bytes = self.pending.get(end..).unwrap_or_default();
            if bytes.is_empty() && self.is_end {
                break;
            }
            match boundary(self.compression, bytes, self.is_end) {
                Boundary::At(length) => end += length,
                Boundary::Beyond if bytes.len() < MOST_COMPRESSED => self.read_more()?,
                Boundary::Beyond | Boundary::Unknown => break,
            }
        }
        if end == 0 {
            return Ok(None);
        }
        let rest = self.pending.split_off(end);
        Ok(Some(std::mem::replace(&mut self.pending, rest)))
    }

    fn read_more(&mut self) -> io::Result<()> {
        let Some(raw) = &mut self.raw else { return Ok(()) };
        self.is_end = raw.take(READ as u64).read_to_end(&mut self.pending)? < READ;
        Ok(())
    }

    /// Queues units, as many as may be queued.
    fn fill_queue(&mut self) -> io::Result<()> {
        let queued = |queue: &VecDeque<(usize, _)>| queue.iter().map(|unit| unit.0).sum::<usize>();
        while self.queue.len() < QUEUED * self.threads && queued(&self.queue) < MOST_QUEUED {
            let Some(compressed) = self.next_unit()? else { break };
            let is_only = self.helpers.is_none() && self.is_end && self.pending.is_empty();
            if is_only {
                self.pending = compressed;
                break;
            }
            let helpers =
                self.helpers.get_or_insert_with(|| Helpers::start(self.compression, self.threads));
            let (answer, receiver) = channel();
            self.queue.push_back((compressed.len(), receiver));
            helpers.decompress(Job { compressed, answer });
        }
        Ok(())
    }

    /// Decompresses all that follows in order: the unit, the queued ones, and the rest of the
    /// input.
    fn go_on_in_order(&mut self, unit: Vec<u8>) -> io::Result<()> {
        let mut compressed = unit;
        for (_, answer) in self.queue.drain(..) {
            if let Ok(answer) = answer.recv() {
                compressed.extend(answer.compressed);
            }
        }
        compressed.append(&mut self.pending);
        self.helpers = None;
        let Some(raw) = self.raw.take() else { return Ok(()) };
        let all = BufReader::with_capacity(READ, Cursor::new(compressed).chain(raw));
        self.rest = Some(in_order(self.compression, all, None)?);
        Ok(())
    }

    /// Makes the next content available. Returns false at the end of the input.
    fn advance(&mut self) -> io::Result<bool> {
        let filled = self.fill_queue();
        let Some((_, answer)) = self.queue.pop_front() else {
            // An error comes after the content of the units before it.
            filled?;
            if self.pending.is_empty() && self.is_end {
                return Ok(false);
            }
            self.go_on_in_order(Vec::new())?;
            return Ok(true);
        };
        let Answer { compressed, content } =
            answer.recv().map_err(|_| io::Error::other("a thread that decompresses has ended"))?;
        match content {
            Some(content) => self.content = Cursor::new(content),
            None => self.go_on_in_order(compressed)?,
        }
        Ok(true)
    }
}

impl<'a, R: BufRead + Send + 'a> Read for Units<'a, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(rest) = &mut self.rest {
                return rest.read(buffer);
            }
            let count = self.content.read(buffer)?;
            if count > 0 || !self.advance()? {
                return Ok(count);
            }
        }
    }
}

/// Threads that decompress units. Dropping them waits for them.
struct Helpers {
    jobs: Option<Sender<Job>>,
    /// The jobs that no thread has taken, for the reading thread if no thread could be started.
    waiting: Arc<Mutex<Receiver<Job>>>,
    threads: Vec<JoinHandle<()>>,
    compression: Compression,
}

impl Helpers {
    fn start(compression: Compression, threads: usize) -> Self {
        let (jobs, waiting) = channel::<Job>();
        let waiting = Arc::new(Mutex::new(waiting));
        let start = |index: usize| {
            let waiting = Arc::clone(&waiting);
            let work = move || {
                while let Some(job) = take(&waiting) {
                    answer(compression, job);
                }
            };
            thread::Builder::new().name(format!("kostra unpack {index}")).spawn(work).ok()
        };
        let threads = (1..=threads).map_while(start).collect();
        Self { jobs: Some(jobs), waiting, threads, compression }
    }

    fn decompress(&self, job: Job) {
        if self.threads.is_empty() {
            answer(self.compression, job);
        } else if let Some(jobs) = &self.jobs {
            // The receiver is part of `self`, so it exists.
            let _ = jobs.send(job);
        }
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        self.jobs = None;
        // Nobody waits for the answers to jobs that have not been taken.
        while take(&self.waiting).is_some() {}
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn take(waiting: &Mutex<Receiver<Job>>) -> Option<Job> {
    lock(waiting).recv().ok()
}

/// Decompresses a unit. A unit of unreasonable length is left to the decoder in order.
fn answer(compression: Compression, Job { compressed, answer }: Job) {
    let mut content = Vec::new();
    let read = in_order(compression, &compressed[..], None)
        .and_then(|decoder| decoder.take(MOST_CONTENT as u64 + 1).read_to_end(&mut content));
    let content = (read.is_ok() && content.len() <= MOST_CONTENT).then_some(content);
    // If the reading thread has stopped, nobody needs the content.
    let _ = answer.send(Answer { compressed, content });
}
