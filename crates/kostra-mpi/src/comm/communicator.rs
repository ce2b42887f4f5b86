//! The ranks of the job, and how the job starts and ends.
//!
//! Only the thread that started MPI may speak to it (thread level *funneled*), so a
//! [`Communicator`] stays on its thread by its type; solvers have threads of their own inside a
//! rank.
//!
//! Errors come in two kinds. What all ranks know, or have [agreed on](Communicator::agree), is a
//! [`Refusal`], equal on every rank. What only one rank meets, such as memory that is not granted,
//! would leave the others waiting forever, so it [ends the job](Communicator::fail) at once, as
//! does a panic; errors inside MPI do so by its own rule. This is why nothing here that sends or
//! receives returns a `Result`.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::fs;
use std::io::Write;
use std::marker::PhantomData;
use std::panic;
use std::sync::OnceLock;
use std::time::Duration;

use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::topology::{Communicator as _, Process, SimpleCommunicator};
use mpi::traits::CommunicatorCollectives;
use xxhash_rust::xxh3::xxh3_64;

use crate::traffic::{Phase, Traffic};
use crate::{Reduction, Refusal, memory};

/// All ranks of the job. There is one in a process.
pub struct Communicator {
    pub(crate) world: SimpleCommunicator,
    rank: usize,
    size: usize,
    /// Those of them that share this one's memory and processors.
    pub(crate) machine: SimpleCommunicator,
    /// The lowest rank of them.
    first_on_machine: usize,
    /// The most bytes that go into one message.
    pub(crate) longest: usize,
    pub(crate) traffic: Cell<Traffic>,
    pub(crate) phases: RefCell<Vec<Phase>>,
    /// Ends MPI when it is dropped.
    _universe: Universe,
    _stays_on_its_thread: PhantomData<*const ()>,
}

/// The exit code of a job that one rank has ended: as for every command that could not do its work.
/// 1 means that the answer is no.
pub(crate) const FAILED: i32 = 2;
/// MPI counts with C's integers, so what is longer goes in pieces.
const LONGEST: usize = 1 << 30;

impl Communicator {
    /// Starts MPI, and from here on a panic of any rank ends the job. Collective; once in a
    /// process.
    ///
    /// # Errors
    /// When MPI has been started before, does not grant the thread level *funneled*, or when ranks
    /// run different programs. What then remains is [`Refusal::end`].
    pub fn start() -> Result<Self, Refusal> {
        let Some((universe, granted)) = mpi::initialize_with_threading(Threading::Funneled) else {
            return Err(Refusal::everywhere("MPI has been started already".to_owned(), true));
        };
        let world = universe.world();
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        if granted < Threading::Funneled {
            std::mem::forget(universe); // whose end belongs to `Refusal::end`
            let reason = "this MPI does not grant the thread level MPI_THREAD_FUNNELED; use one built with threads";
            return Err(Refusal::everywhere(reason.to_owned(), rank == 0));
        }
        let _ = RANK.set((rank, size));
        memory::watch();
        let machine = world.split_shared(0);
        let mut first_on_machine = world.rank();
        machine.all_reduce_into(&world.rank(), &mut first_on_machine, SystemOperation::min());
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
                before(info);
            }
            end_job(&info.to_string(), FAILED)
        }));
        let this = Self {
            world,
            rank,
            size,
            machine,
            first_on_machine: first_on_machine as usize,
            longest: LONGEST,
            traffic: Cell::default(),
            phases: RefCell::default(),
            _universe: universe,
            _stays_on_its_thread: PhantomData,
        };
        match this.agree_on("the program", &program()) {
            Ok(()) => Ok(this),
            Err(refusal) => {
                std::mem::forget(this);
                Err(refusal)
            }
        }
    }

    /// The same with so many bytes as the longest message of MPI, at least 1: what is longer goes
    /// in pieces. To be the same on every rank. Without it, 2^30.
    pub fn with_longest_message(mut self, bytes: usize) -> Self {
        self.longest = bytes.clamp(1, LONGEST);
        self
    }

    /// Which rank this is, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The lowest rank that shares this one's machine: ranks of one machine have the same.
    pub fn first_on_machine(&self) -> usize {
        self.first_on_machine
    }

    /// Whether all ranks share the memory of one machine.
    pub(crate) fn is_on_one_machine(&self) -> bool {
        self.machine.size() as usize == self.size
    }

    /// Ends the whole job, with one line on stderr that names this rank and the reason, and exit
    /// code 2. Not collective: for what only this rank has met.
    pub fn fail(&self, reason: impl Display) -> ! {
        end_job(&reason.to_string(), FAILED)
    }

    /// Makes a result that may differ from rank to rank the same everywhere: where any rank has an
    /// error, every rank gets that of the lowest such rank. Collective.
    ///
    /// # Errors
    /// When any rank has one.
    pub fn agree<T, E: Display>(&self, result: Result<T, E>) -> Result<T, Refusal> {
        let speaker = self
            .reduce_one(Reduction::Min, if result.is_err() { self.rank } else { self.size } as u64);
        let speaker = speaker as usize;
        if speaker < self.size {
            let reason = result.as_ref().err().map(ToString::to_string).unwrap_or_default();
            return Err(self.refusal_of(speaker, &reason));
        }
        match result {
            Ok(value) => Ok(value),
            Err(error) => Err(Refusal::of_rank(self.rank, error.to_string(), true)), // no rank has come so far
        }
    }

    /// Sees that all ranks say the same of something. Collective.
    ///
    /// # Errors
    /// When one does not; the refusal names the first that differs from rank 0.
    pub fn agree_on(&self, what: &str, value: &str) -> Result<(), Refusal> {
        let hash = xxh3_64(value.as_bytes());
        let root = self.broadcast_one(0, hash);
        let odd = if hash == root { self.size } else { self.rank };
        let odd = self.reduce_one(Reduction::Min, odd as u64) as usize;
        if odd == self.size {
            return Ok(());
        }
        let of_root = self.broadcast_vec(0, value.as_bytes().to_vec());
        let of_root = String::from_utf8_lossy(&of_root);
        let reason = format!("{what} is not the same as on rank 0: {value} here, {of_root} there");
        Err(self.refusal_of(odd, &reason))
    }

    /// The refusal for which one rank gives the reason.
    fn refusal_of(&self, speaker: usize, reason: &str) -> Refusal {
        let reason = self.broadcast_vec(speaker, reason.as_bytes().to_vec());
        let reason = String::from_utf8_lossy(&reason).into_owned();
        Refusal::of_rank(speaker, reason, speaker == self.rank)
    }

    pub(crate) fn process(&self, rank: usize) -> Process<'_> {
        self.world.process_at_rank(rank as i32)
    }
}

/// What this rank runs: the version, and a hash of the program's file where it can be read.
fn program() -> String {
    let file =
        std::env::current_exe().and_then(fs::read).map(|bytes| xxh3_64(&bytes)).unwrap_or_default();
    format!("kostra {} (program {file:016x})", env!("CARGO_PKG_VERSION"))
}

/// This rank and the number of ranks, for those who cannot ask the communicator.
static RANK: OnceLock<(usize, usize)> = OnceLock::new();
/// What this rank does before it ends the job.
static CLEAN_UP: OnceLock<fn()> = OnceLock::new();

/// Has `clean_up` called when this rank ends the job early, such as to remove unfinished files. It
/// may be called on any thread and must not panic. Only the first call in a process counts.
pub fn before_ending(clean_up: fn()) {
    let _ = CLEAN_UP.set(clean_up);
}

/// The MPI that this program is linked with, in its own words, on one line.
pub fn library() -> String {
    let words = mpi::environment::library_version().unwrap_or_default();
    let words = words.trim_end_matches('\0').split(',').next().unwrap_or_default();
    let (major, minor) = mpi::environment::version();
    format!("{}, MPI {major}.{minor}", words.lines().next().unwrap_or_default().trim())
}

/// Says why in one line and ends all ranks. MPI allows it to other threads than its own only at the
/// highest thread level; but a thread that panics may be one that its rank waits for, so there is
/// nothing better to do.
fn end_job(reason: &str, code: i32) -> ! {
    let (rank, size) = this_rank();
    let reason = reason.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    end_job_with(format!("error: rank {rank} of {size}: {reason}\n").as_bytes(), code)
}

/// The same with the whole line at hand.
pub(crate) fn end_job_with(line: &[u8], code: i32) -> ! {
    let _ = std::io::stderr().write_all(line); // in one piece, so that ranks do not mix
    if let Some(clean_up) = CLEAN_UP.get() {
        clean_up();
    }
    // MPICH's launcher forgets what it has not passed on yet when a job is aborted.
    std::thread::sleep(Duration::from_millis(200));
    SimpleCommunicator::world().abort(code)
}

/// This rank and the number of ranks; zeros before there are any.
pub(crate) fn this_rank() -> (usize, usize) {
    RANK.get().copied().unwrap_or_default()
}
