//! The errors of the solvers if there is no device.

use std::process::Command;

use kostra_core::{AnyGraph, Order, Platform, Run};

/// Runs each solver in a process that sees no device. The graph has a forest.
#[test]
#[ignore = "the other test starts it, in a process that sees no device"]
fn solvers_in_a_process_that_sees_no_device() {
    let graph = AnyGraph::from_edges(3, vec![0, 1, 2], vec![1, 2, 0], vec![1, 2, 3]).unwrap();
    for solver in kostra::solvers().filter(|solver| solver.info().platform == Platform::Cuda) {
        let id = solver.info().id;
        for device in [0, 1] {
            let solution = solver.solve(&graph, Order::Minimum, &mut Run::new().on_device(device));
            let error =
                solution.map(|solution| solution.forest.into_ids()).unwrap_err().to_string();
            assert!(error.starts_with("no CUDA device: ") && error.len() > 30, "{id}: {error}");
        }
    }
    let error = kostra_cuda::Device::count().unwrap_err().to_string();
    println!("{error}");
}

#[test]
fn every_solver_reports_that_there_is_no_device() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "solvers_in_a_process_that_sees_no_device", "--ignored", "--nocapture"]);
    let output = child.env("CUDA_VISIBLE_DEVICES", "").output().unwrap();
    let words = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && words.contains("1 passed"), "{words}");
    assert!(!words.contains("panicked"), "{words}");
}
