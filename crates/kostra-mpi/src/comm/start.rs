//! Starting the job.

use std::cell::{Cell, RefCell};
use std::fs;
use std::panic;
use std::rc::Rc;

use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::{Communicator as _, SimpleCommunicator};
use xxhash_rust::xxh3::xxh3_64;

use super::communicator::{Communicator, Job, LONGEST_MESSAGE, Levels};
use super::ending::{EXIT_FAILED, end_job, set_this_rank};
use super::machines::Groups;
use super::memory;
use super::refusal::Refusal;

impl Communicator {
    /// Starts MPI. From then on, a panic of any rank ends the job. Collective; once in a process.
    ///
    /// # Errors
    /// When MPI has already been started, when it does not grant the thread level *funneled*, or
    /// when ranks run different programs. The caller then ends the process by [`Refusal::end`].
    pub fn start() -> Result<Self, Refusal> {
        let Some((universe, granted)) = mpi::initialize_with_threading(Threading::Funneled) else {
            return Err(Refusal::everywhere("MPI has already been started".to_owned(), true));
        };
        let world = universe.world();
        if granted < Threading::Funneled {
            std::mem::forget(universe); // `Refusal::end` finalizes MPI
            let reason = "this MPI does not grant the thread level MPI_THREAD_FUNNELED; use one built with threads";
            return Err(Refusal::everywhere(reason.to_owned(), world.rank() == 0));
        }
        memory::report_aborts();
        let groups = match Groups::new(&world) {
            Ok(groups) => groups,
            Err(refusal) => {
                std::mem::forget(universe); // `Refusal::end` finalizes MPI
                return Err(refusal);
            }
        };
        let this = Self::of_groups(groups, universe);
        set_this_rank(this.rank, this.size);
        end_job_on_panic();
        match this.agree_on("the program", &program()) {
            Ok(()) => Ok(this),
            Err(refusal) => {
                std::mem::forget(this); // `Refusal::end` finalizes MPI
                Err(refusal)
            }
        }
    }

    /// The communicator of all ranks, with its levels.
    fn of_groups(groups: Groups, universe: Universe) -> Self {
        let Groups { all, machine, leaders, machine_of } = groups;
        let job = Rc::new(Job {
            longest_message: Cell::new(LONGEST_MESSAGE),
            traffic: Cell::default(),
            counts_waiting: Cell::default(),
            phases: RefCell::default(),
            _universe: universe,
        });
        let group = |ranks: SimpleCommunicator, machine_of, levels| Self {
            rank: ranks.rank() as usize,
            size: ranks.size() as usize,
            ranks,
            machine_of,
            levels,
            job: job.clone(),
        };
        let of_machine = vec![0; machine.size() as usize];
        let levels = Levels {
            machine: group(machine, of_machine, None),
            leaders: leaders.map(|leaders| {
                let of_leaders = (0..leaders.size() as u32).collect();
                group(leaders, of_leaders, None)
            }),
        };
        group(all, machine_of, Some(Box::new(levels)))
    }
}

fn end_job_on_panic() {
    let print_backtrace = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            print_backtrace(info);
        }
        end_job(&info.to_string(), EXIT_FAILED)
    }));
}

/// The program of this rank: its version, and a hash of its file if the file can be read.
fn program() -> String {
    let file =
        std::env::current_exe().and_then(fs::read).map(|bytes| xxh3_64(&bytes)).unwrap_or_default();
    format!("kostra {} (program {file:016x})", env!("CARGO_PKG_VERSION"))
}

/// The name and version of the MPI library that this program is linked with, on one line.
pub fn library() -> String {
    let name = mpi::environment::library_version().unwrap_or_default();
    let name = name.trim_end_matches('\0').split(',').next().unwrap_or_default();
    let (major, minor) = mpi::environment::version();
    format!("{}, MPI {major}.{minor}", name.lines().next().unwrap_or_default().trim())
}
