//! `kostra solve` with an algorithm for clusters: every rank of the MPI job runs this, on its slice of the graph, and
//! rank 0 alone reports.
//!
//! What is wrong for all ranks, or has been found by one where all can be told, ends the job with one line of one rank
//! and exit code 2; what one rank meets while the others work ends it with code 1.

mod collect;
mod isolated;
mod load;
mod report;

use std::time::{Duration, Instant};

use kostra::io::Output;
use kostra::{Order, Run};
use kostra_mpi::{Communicator, DistributedSolver, Refusal, solvers};

use crate::args::{Device, ForestFormat, Nan, SolveArgs};
use crate::input::Request;
use crate::progress::Stage;
use crate::trace::Watcher;
use crate::{Answer, failure, output};
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
        let output = args.output.map(|path| {
            let format = args.output_format.unwrap_or_else(|| ForestFormat::by_extension(&path));
            (output::of_path(&path), format)
        });
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

/// Whether this process is one of a job's whose first one says what is wrong with the arguments, before MPI is there to
/// be asked. It waits for that, since whoever ends first ends the job.
pub(crate) fn is_not_to_speak() -> bool {
    let ranks = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];
    let rank = ranks.iter().find_map(|name| std::env::var(name).ok());
    let is_other = rank.is_some_and(|rank| rank != "0");
    if is_other {
        std::thread::sleep(Duration::from_millis(500));
    }
    is_other
}

/// Solves on all ranks of the job; without `mpirun`, on one.
///
/// # Errors
/// None: what is wrong ends the job.
pub(crate) fn run(args: SolveArgs) -> anyhow::Result<Answer> {
    let world = Communicator::start().unwrap_or_else(|refusal| refusal.end());
    Ok(solve(args, &world).unwrap_or_else(|refusal| refusal.end()))
}

fn solve(args: SolveArgs, world: &Communicator) -> Result<Answer, Refusal> {
    let plan = agree(world, Plan::resolve(args))?;
    let threads = plan.threads.unwrap_or_else(|| world.share_of_processors());
    let input = load::load(&plan.input, threads, world)?;
    let edges = world.reduce_one(kostra_mpi::Reduction::Sum, input.slice.len() as u64);

    let stage = Stage::start("solving");
    let mut watcher = Watcher::new(&stage, plan.trace && world.rank() == 0);
    let mut run = Run::new().observed_by(&mut watcher).on_threads(threads);
    for (name, value) in &plan.settings {
        run = agree(world, run.with_option(plan.solver.info(), name, *value).map_err(Into::into))?;
    }
    let solution = plan.solver.solve(&input.slice, plan.order, world, &mut run)?;
    drop(run);
    let trace = watcher.finish();
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
    let outcome = Outcome { edges, input, threads, solution, trace, verdict, verify, written, write };
    let reported = if world.rank() == 0 { report::report(&plan, &outcome, world.size()) } else { Ok(()) };
    agree(world, reported)?;
    Ok(answer)
}

/// [`Communicator::agree`], with errors in their full length.
fn agree<T>(world: &Communicator, result: anyhow::Result<T>) -> Result<T, Refusal> {
    world.agree(result.map_err(|error| failure::sentence(&error)))
}

/// The same of an error that can be no other.
fn agree_on<T, E: Into<anyhow::Error>>(world: &Communicator, result: Result<T, E>) -> Result<T, Refusal> {
    agree(world, result.map_err(Into::into))
}
