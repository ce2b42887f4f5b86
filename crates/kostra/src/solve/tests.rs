//! The promises about solvers that fail. They need no device: the failing solvers are made up.

use kostra_core::{Algorithm, EdgeSet, Key, Problem, Representation, Workspace};

use super::*;
use crate::testing::with_device_solver;

/// A solver for a device that always fails.
struct Failing(SolveError);

impl Algorithm for Failing {
    const INFO: SolverInfo = SolverInfo {
        id: "failing",
        title: "Fails",
        source: "this test",
        platform: Platform::Cuda,
        representation: Representation::EdgeList,
        exact: true,
        time: "O(1)",
        scratch: "none",
        options: &[],
    };

    fn solve<K: Key>(&self, _: Problem<'_, K>, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
        run.report.round(3, 3)?;
        Err(self.0.clone())
    }
}

#[derive(Default)]
struct Log {
    failures: Vec<SolveError>,
    cancels: bool,
}

impl Observer for Log {
    fn solver_failed(&mut self, error: &SolveError) {
        self.failures.push(error.clone());
    }

    fn cancelled(&self) -> bool {
        self.cancels
    }
}

fn triangle() -> AnyGraph {
    AnyGraph::from_edges(3, vec![0, 1, 2], vec![1, 2, 0], vec![1, 2, 3]).unwrap()
}

fn failing(error: &SolveError) -> &'static dyn Solver {
    Box::leak(Box::new(Failing(error.clone())))
}

fn failures() -> [SolveError; 5] {
    [
        SolveError::Unsuitable {
            solver: "failing",
            cost: "10^12 steps".into(),
            advice: "take fast",
        },
        SolveError::OutOfMemory { solver: "failing", bytes: 1 << 50 },
        SolveError::DeviceMemory { bytes: 1 << 40, free: 1 << 30 },
        SolveError::NoDevice { device: "CUDA device", reason: "no driver".into() },
        SolveError::Device { what: "an illegal address was used".into() },
    ]
}

#[test]
fn the_processor_takes_over_after_every_failure_of_a_free_choice_and_the_reason_is_kept() {
    let graph = triangle();
    for error in failures() {
        let (mut log, mut workspace) = (Log::default(), Workspace::default());
        let solve = Solve::new().observer(&mut log).workspace(&mut workspace);
        let solved = with_device_solver(failing(&error), || solve.run_any(&graph)).unwrap();
        assert_eq!(solved.forest.ids(), [0, 1]);
        assert_eq!(solved.solver.id, auto_on_processor(&graph).info().id);
        assert_eq!(log.failures, std::slice::from_ref(&error));
        let fallback = solved.fallback.unwrap();
        assert_eq!(
            fallback.to_string(),
            format!("failing failed ({error}); solved on the processor instead")
        );
        assert_eq!(fallback, Fallback { solver: &Failing::INFO, error });
    }
}

#[test]
fn nothing_takes_over_if_the_caller_cancelled_or_chose() {
    let graph = triangle();
    let mut log = Log { cancels: true, ..Log::default() };
    let cancelled = Solve::new().observer(&mut log);
    let [unsuitable, ..] = failures();
    let result = with_device_solver(failing(&unsuitable), || cancelled.run_any(&graph));
    assert_eq!(result.unwrap_err(), SolveError::Cancelled);
    assert!(log.failures.is_empty());
    for error in failures() {
        let result = Solve::new().solver(failing(&error)).run_any(&graph);
        assert_eq!(result.unwrap_err(), error);
    }
}

#[test]
fn a_free_choice_has_a_fallback_only_on_a_device() {
    let (graph, cancelled) = (triangle(), SolveError::Cancelled);
    let choose = |solve: Solve<'_>| {
        with_device_solver(failing(&cancelled), || solve.choose(&graph)).map(|choice| {
            (choice.solver.info().platform, choice.fallback.map(|solver| solver.info().platform))
        })
    };
    let kruskal = Some(Platform::Sequential);
    assert_eq!(choose(Solve::new()), Ok((Platform::Cuda, kruskal)));
    let chosen = Solve::new().algorithm("kruskal").unwrap();
    assert_eq!(choose(chosen), Ok((Platform::Sequential, None)));
    let processor = Solve::new().device(DeviceChoice::Processor);
    assert_eq!(choose(processor), Ok((Platform::Sequential, None)));
    match choose(Solve::new().device(DeviceChoice::Cuda(vec![0]))) {
        Ok(chosen) => assert_eq!(chosen, (Platform::Cuda, None)),
        Err(error) => assert_eq!(error, RequestError::NoDeviceSolver.into()),
    }
}

#[test]
fn requests_that_contradict_themselves_are_refused() {
    let graph = triangle();
    let error = SolveError::Cancelled;
    let on = |device| Solve::new().solver(failing(&error)).device(device).check();
    let named = |id| Solve::new().algorithm(id).unwrap();
    let devices = || DeviceChoice::Cuda(vec![0, 1]);
    let solver = "failing";
    assert_eq!(on(DeviceChoice::Processor), Err(RequestError::DeviceOnly { solver }));
    assert_eq!(on(devices()), Err(RequestError::OneDevice { solver, devices: 2 }));
    assert_eq!(on(DeviceChoice::Cuda(Vec::new())), Ok(()));
    let solver = "kruskal";
    let refused = named(solver).device(DeviceChoice::Cuda(Vec::new())).run_any(&graph);
    assert_eq!(refused.unwrap_err(), RequestError::ProcessorOnly { solver }.into());
    let refused = Solve::new().threads(MOST_THREADS + 1).run_any(&graph).unwrap_err();
    let (threads, most) = (MOST_THREADS + 1, MOST_THREADS);
    assert_eq!(refused, RequestError::TooManyThreads { threads, most }.into());
    let refused = named(solver).option("no", 1).run_any(&graph).unwrap_err();
    assert!(matches!(refused, SolveError::Request(RequestError::Option(_))), "{refused}");
    let parts = VertexParts::new(&[0, 1, 1], 2).unwrap();
    for solve in [named(AUTO), named(solver)] {
        let refused = solve.parts(parts).run_any(&graph).unwrap_err();
        assert!(matches!(refused, SolveError::Parts(PartsError::NotUsed { .. })), "{refused}");
    }
    #[cfg(feature = "papers")]
    let solved = named("prim-union").parts(parts).option("parts", 2).run_any(&graph).unwrap();
    #[cfg(feature = "papers")]
    assert_eq!(solved.forest.ids(), [0, 1]);
}
