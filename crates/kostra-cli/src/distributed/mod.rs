//! `kostra solve` with an algorithm for clusters: every rank of the MPI job runs this, on its slice
//! of the graph, and rank 0 alone reports.
//!
//! Every error ends the job with exit code 2 and one line of one rank, whether all ranks know of it
//! or one rank meets it while the others work. Exit code 1 means that `--verify` found the forest
//! wrong.

mod arguments;
mod collect;
mod isolated;
mod load;
mod report;
mod same_file;

use std::time::{Duration, Instant};

use kostra::io::Output;
use kostra::{Order, Run};
use kostra_mpi::{Communicator, DistributedSolver, Reduction, Refusal, solvers};

use crate::args::{Device, ForestFormat, Nan, SolveArgs};
use crate::input::Request;
use crate::progress::Stage;
use crate::trace::Watcher;
use crate::{Answer, failure, forest_file, solve};
use collect::Verdict;
use report::Outcome;

/// What the arguments mean.
struct Plan {
    input: Request,
    /// How many threads each rank uses, if the user says.
    threads: Option<usize>,
    solver: &'static dyn DistributedSolver,
    settings: Vec<(String, u64)>,
    order: Order,
    verify: bool,
    trace: bool,
    output: Option<(Output, ForestFormat)>,
    json: bool,
}

impl Plan {
    fn resolve(args: SolveArgs) -> anyhow::Result<Self> {
        let id = &args.algorithm;
        let ids = || solvers().map(|solver| solver.info().id).collect::<Vec<_>>().join(", ");
        let solver = solvers().find(|solver| solver.info().id == id).ok_or_else(|| {
            anyhow::anyhow!("there is no algorithm '{id}' for clusters; there are: {}", ids())
        })?;
        if let Some(Device::Cuda(_)) = args.device {
            anyhow::bail!("{id} runs on the processor only, not on a CUDA device");
        }
        for (name, value) in &args.set {
            Run::new().with_option(solver.info(), name, *value)?;
        }
        let output =
            args.output.map(|path| forest_file::output(&path, args.output_format)).transpose()?;
        Ok(Self {
            threads: (args.input.threads > 0).then_some(args.input.threads.into()),
            input: Request::resolve(args.input, Nan::Error),
            solver,
            settings: args.set,
            order: if args.maximum { Order::Maximum } else { Order::Minimum },
            verify: args.verify,
            trace: args.trace,
            output,
            json: args.json,
        })
    }
}

/// Lets rank 0 say what is wrong with the arguments, before MPI is there to be asked: the first
/// process that ends takes the job along. If the job goes on, rank 0 has other arguments, and this
/// rank has to say it.
pub(crate) fn let_rank_0_speak() {
    let ranks = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];
    let rank = ranks.iter().find_map(|name| std::env::var(name).ok());
    if rank.is_some_and(|rank| rank != "0") {
        std::thread::sleep(Duration::from_secs(3));
    }
}

/// Solves on all ranks of the job, or on one if there is no job; with an algorithm for one machine,
/// in this process alone.
///
/// # Errors
/// With an algorithm for one machine, as [`solve::run`]. In a job, what is wrong ends the job.
pub(crate) fn run(args: SolveArgs) -> anyhow::Result<Answer> {
    let is_distributed = solve::is_distributed(&args);
    if !is_distributed && !is_one_of_several() {
        return solve::run(args);
    }
    // A rank with another algorithm would leave those waiting that solve together, so it takes part
    // until that is clear.
    kostra_mpi::before_ending(kostra::io::abandon_unfinished);
    let world = Communicator::start().unwrap_or_else(|refusal| refusal.end());
    if world.reduce_one(Reduction::Max, is_distributed.into()) == 0 {
        return solve::run(args);
    }
    arguments::agree(&world).unwrap_or_else(|refusal| refusal.end());
    Ok(solve_together(args, &world).unwrap_or_else(|refusal| refusal.end()))
}

/// Whether a launcher has started this process as one of several ranks. A process of a script that
/// it has started is not one: MPI starts once in a rank, and the script may have other commands.
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

fn solve_together(args: SolveArgs, world: &Communicator) -> Result<Answer, Refusal> {
    let plan = agree(world, Plan::resolve(args))?;
    let threads = plan.threads.unwrap_or_else(|| world.share_of_processors());
    let input = load::load(&plan.input, threads, world)?;
    let edges = world.reduce_one(Reduction::Sum, input.slice.len() as u64);

    let stage = Stage::start("solving");
    let mut watcher = Watcher::new(&stage, plan.trace && world.rank() == 0);
    let mut run = Run::new().observed_by(&mut watcher).on_threads(threads);
    for (name, value) in &plan.settings {
        run = agree(world, run.with_option(plan.solver.info(), name, *value).map_err(Into::into))?;
    }
    let solution = plan.solver.solve(&input.slice, plan.order, world, &mut run)?;
    drop(run);
    let (trace, _) = watcher.finish();
    drop(stage);

    let start = Instant::now();
    let verdict = if plan.verify {
        collect::verify(&input.slice, plan.order, &solution.forest, edges, world)?
    } else {
        Verdict::default()
    };
    let verify = if plan.verify { start.elapsed() } else { Duration::ZERO };

    let start = Instant::now();
    let written = plan.output.is_some() && !verdict.is_wrong;
    if let (Some((output, format)), true) = (&plan.output, written) {
        collect::write(output, *format, &input.slice, &solution.forest, world)?;
    }
    let write = if written { start.elapsed() } else { Duration::ZERO };

    let answer = if verdict.is_wrong { Answer::No } else { Answer::Yes };
    let outcome =
        Outcome { edges, input, threads, solution, trace, verdict, verify, written, write };
    let reported =
        if world.rank() == 0 { report::report(&plan, &outcome, world.size()) } else { Ok(()) };
    agree(world, reported)?;
    Ok(answer)
}

/// [`Communicator::agree`], with errors in their full length.
fn agree<T>(world: &Communicator, result: anyhow::Result<T>) -> Result<T, Refusal> {
    world.agree(result.map_err(|error| failure::sentence(&error)))
}

/// The same of an error that can be no other.
fn agree_on<T, E: Into<anyhow::Error>>(
    world: &Communicator,
    result: Result<T, E>,
) -> Result<T, Refusal> {
    agree(world, result.map_err(Into::into))
}
