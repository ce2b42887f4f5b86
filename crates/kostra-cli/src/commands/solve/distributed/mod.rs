//! `kostra solve` on the ranks of an MPI job: each rank solves its slice of the graph, and rank 0
//! reports.
//!
//! An error ends the job with exit code 2 and one line of one rank, whether all ranks know of the
//! error or one rank meets it while the others work. Exit code 1 means that `--verify` refuted the
//! forest.

mod agree;
mod gather;
mod isolated;
mod load;
mod placement;
mod same_arguments;
mod same_file;

use std::time::{Duration, Instant};

use kostra::DeviceChoice;
use kostra_core::Run;
use kostra_cuda as cuda;
use kostra_io::Vertices;
use kostra_mpi::{
    Communicator, DistributedSolution, DistributedSolver, PhaseTraffic, Reduction, Refusal,
};

use super::arguments::Arguments;
use super::outcome::{ForestFacts, GraphFacts, Outcome, RanOn, RankPhase, Times};
use super::plan::Plan;
use super::report;
use crate::algorithm::ChosenAlgorithm;
use crate::command::Answer;
use crate::input::doubt_about_order;
use crate::output;
use crate::progress::Stage;
use crate::trace::{Trace, Watcher};
use crate::verdict::Proof;
use agree::agree;
use gather::Judgment;
use load::Input;

/// How long another rank waits for rank 0 to report an error in the arguments.
const PATIENCE: Duration = Duration::from_secs(3);

/// Lets rank 0 report an error in the arguments. MPI is not started yet, and the first process that
/// ends takes the job along. If the job goes on, rank 0 has other arguments, and this rank reports.
pub(crate) fn let_rank_0_report() {
    let ranks = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];
    let rank = ranks.iter().find_map(|name| std::env::var(name).ok());
    if rank.is_some_and(|rank| rank != "0") {
        std::thread::sleep(PATIENCE);
    }
}

/// Solves on all ranks of the job, or on one rank if there is no job. If no rank has an algorithm
/// for MPI, `run_here` solves in this process alone.
///
/// # Errors
/// As `run_here`. An error of a distributed solve ends the job instead.
pub(super) fn run(
    arguments: Arguments,
    run_here: impl FnOnce(Arguments) -> anyhow::Result<Answer>,
) -> anyhow::Result<Answer> {
    let algorithm = ChosenAlgorithm::find(&arguments.algorithm);
    let is_distributed = matches!(algorithm, Ok(ChosenAlgorithm::Distributed(_)));
    if !is_distributed && !is_one_of_several() {
        return run_here(arguments);
    }
    // A rank with another algorithm takes part until all ranks know of the difference. Otherwise
    // the ranks that solve together would wait for it.
    kostra_mpi::before_ending(kostra_io::abandon_unfinished);
    let world = Communicator::start().unwrap_or_else(|refusal| refusal.end());
    let solves_here = algorithm.is_ok() && !is_distributed;
    if world.reduce_one(Reduction::Max, (!solves_here).into()) == 0 {
        return run_here(arguments);
    }
    same_arguments::agree(&world).unwrap_or_else(|refusal| refusal.end());
    Ok(run_together(arguments, &world).unwrap_or_else(|refusal| refusal.end()))
}

/// Whether a launcher started this process as one of several ranks. A process that a script of the
/// launcher starts does not count: MPI starts once per rank, and the script may run more commands.
fn is_one_of_several() -> bool {
    const LAUNCHERS: [&str; 8] = [
        "mpirun",
        "mpiexec",
        "orterun",
        "orted",
        "prterun",
        "prted",
        "mpiexec.hydra",
        "hydra_pmi_proxy",
    ];
    let size =
        ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"].iter().find_map(|name| std::env::var(name).ok());
    let parent =
        std::fs::read_to_string(format!("/proc/{}/comm", std::os::unix::process::parent_id()));
    size.is_some_and(|size| size != "1")
        && parent.is_ok_and(|parent| LAUNCHERS.contains(&parent.trim_end_matches('\n')))
}

/// A solution, and what the run reported on rank 0.
struct Solved {
    solution: DistributedSolution,
    trace: Option<Trace>,
}

fn run_together(arguments: Arguments, world: &Communicator) -> Result<Answer, Refusal> {
    let (plan, solver) = agree(world, resolve(arguments))?;
    let threads = plan.input.threads.asked.unwrap_or_else(|| world.share_of_processors());
    let start = Instant::now();
    let device = agree(world, open_device(&plan, world))?;
    let open = device.map(|_| start.elapsed());
    let mut input = load::load(&plan.input, threads, world)?;
    if world.rank() == 0 {
        output::warn(doubt_about_order(input.similarity.as_deref(), plan.order).as_slice());
    }
    let edges = world.reduce_one(Reduction::Sum, input.slice.len() as u64);
    let Solved { solution, trace } =
        solve(&plan, solver, &mut input, Means { threads, device }, world)?;

    let mut times = Times { open, load: input.load, solve: solution.solve, ..Times::default() };
    let start = Instant::now();
    let mut judgment = Judgment::default();
    if plan.verify {
        judgment = gather::verify(&input.slice, plan.order, &solution.forest, edges, world)?;
        times.verify = Some(start.elapsed());
    }
    let start = Instant::now();
    if let (Some(destination), false) = (&plan.output, judgment.is_wrong) {
        gather::write(destination, &input.slice, &solution.forest, world)?;
        times.write = Some(start.elapsed());
    }

    let answer = if judgment.is_wrong { Answer::No } else { Answer::Yes };
    let outcome = Outcome {
        graph: GraphFacts {
            vertices: input.slice.vertices(),
            edges,
            weight_type: input.slice.weight_type(),
            format: input.format,
            compression: input.compression,
        },
        forest: ForestFacts {
            edges: solution.forest.edges(),
            components: solution.forest.components(),
            total: solution.forest.total(),
        },
        constrained: None,
        algorithm: solver.info(),
        place: RanOn::Ranks {
            count: world.size(),
            has_devices: device.is_some(),
            phases: solution.phases.iter().map(rank_phase).collect(),
        },
        threads,
        verified: judgment
            .verified
            .map(|verdict| verdict.map(Proof::Canonical).map_err(|fault| fault.to_string())),
        times,
        notes: input.notes,
        trace,
    };
    let printed = if world.rank() == 0 { report::print(&plan, &outcome) } else { Ok(()) };
    agree(world, printed)?;
    Ok(answer)
}

/// Opens the device of this rank before the graph is read, and returns its number. The ranks of a
/// machine take turns on the named devices, or on all of the machine.
fn open_device(plan: &Plan, world: &Communicator) -> anyhow::Result<Option<usize>> {
    let DeviceChoice::Cuda(named) = &plan.device else { return Ok(None) };
    let rank_on_machine = world.rank() - world.first_on_machine();
    let ordinal = if named.is_empty() {
        rank_on_machine % cuda::Device::count()?.max(1)
    } else {
        named[rank_on_machine % named.len()]
    };
    cuda::Device::open(ordinal)?;
    Ok(Some(ordinal))
}

fn resolve(arguments: Arguments) -> anyhow::Result<(Plan, &'static dyn DistributedSolver)> {
    let mut plan = Plan::resolve(arguments)?;
    if plan.input.options.vertices == Vertices::Occurring {
        // Ranks that read parts do not know which ids occur, and all inputs follow the same rule.
        plan.input.options.vertices = Vertices::UpToHighest;
    }
    match plan.algorithm {
        ChosenAlgorithm::Distributed(solver) => Ok((plan, solver)),
        ChosenAlgorithm::Auto | ChosenAlgorithm::Local(_) => {
            anyhow::bail!("the ranks of this job have different algorithms")
        }
    }
}

/// What a rank solves with.
#[derive(Clone, Copy)]
struct Means {
    threads: usize,
    device: Option<usize>,
}

fn solve(
    plan: &Plan,
    solver: &'static dyn DistributedSolver,
    input: &mut Input,
    Means { threads, device }: Means,
    world: &Communicator,
) -> Result<Solved, Refusal> {
    let file = plan.partition.as_ref();
    let placement = file.map(|file| placement::read(file, input, world)).transpose()?;
    let stage = Stage::start("solving");
    let mut watcher = Watcher::new(&stage, plan.trace && world.rank() == 0);
    let mut run = Run::new().observed_by(&mut watcher).on_threads(threads);
    if let Some(device) = device {
        run = run.on_device(device);
    }
    for (name, value) in &plan.settings {
        run =
            agree(world, run.with_option(solver.info(), name, value.clone()).map_err(Into::into))?;
    }
    let (slice, order) = (&input.slice, plan.order);
    let solution = match &placement {
        Some(placement) => solver.solve_placed(slice, placement, order, world, &mut run)?,
        None => solver.solve(slice, order, world, &mut run)?,
    };
    drop(run);
    let (trace, _) = watcher.finish();
    Ok(Solved { solution, trace })
}

fn rank_phase(phase: &PhaseTraffic) -> RankPhase {
    RankPhase {
        name: phase.name,
        seconds: phase.elapsed.as_secs_f64(),
        messages: phase.traffic.messages,
        bytes: phase.traffic.bytes,
        seconds_of_communication: phase.traffic.time.as_secs_f64(),
    }
}
