//! `cuda-multi` on several devices of the fake driver `fake/driver.c`: who is asked for what, and
//! what a fault of one device is reported as. The kernels do nothing, so forests are empty.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod fake;

use std::path::Path;
use std::process::Command;

use kostra_core::{AnyGraph, Order, Run, Solver};

fn multi() -> &'static dyn Solver {
    kostra_cuda::FOR_SEVERAL
}

#[test]
#[ignore = "the other tests start it, in a process with the fake driver"]
fn a_solve_beside_the_fake_driver() {
    let list = |name| {
        let text = std::env::var(name).unwrap();
        text.split(',').map(|number| number.parse::<usize>().unwrap()).collect::<Vec<_>>()
    };
    let (devices, shares) = (list("KOSTRA_TEST_DEVICES"), list("KOSTRA_TEST_SHARES")[0] as u64);
    let edges = list("KOSTRA_TEST_EDGES")[0] as u32;
    let (u, v) = ((0..edges).collect::<Vec<_>>(), (1..=edges).collect::<Vec<_>>());
    let graph = AnyGraph::from_edges(edges as usize + 1, u, v, vec![1.0; edges as usize]).unwrap();
    let run = Run::new().on_devices(&devices).on_threads(2);
    let mut run = run.with_option(multi().info(), "shares", shares).unwrap();
    match multi().solve(&graph, Order::Minimum, &mut run) {
        Ok(solution) => println!("answer: {} edges", solution.forest.ids().len()),
        Err(error) => println!("answer: {error}"),
    }
}

/// The answer of a solve, and the calls of the driver. `None` if there is no C compiler.
fn solve(devices: &str, shares: u32, settings: &[(&str, &str)]) -> Option<(String, String)> {
    solve_edges(devices, shares, 9, settings)
}

fn solve_edges(
    devices: &str,
    shares: u32,
    edges: u32,
    settings: &[(&str, &str)],
) -> Option<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    if !fake::make_libraries(folder.path()) {
        return None;
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "a_solve_beside_the_fake_driver", "--ignored", "--nocapture"]);
    fake::use_libraries(&mut child, folder.path())
        .env("KOSTRA_FAKE_DEVICES", "3")
        .env("KOSTRA_TEST_DEVICES", devices)
        .env("KOSTRA_TEST_SHARES", shares.to_string())
        .env("KOSTRA_TEST_EDGES", edges.to_string())
        .envs(settings.iter().copied());
    let output = child.output().unwrap();
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, rest) = words.split_once("answer: ").unwrap_or_else(|| {
        panic!("{words}{}", String::from_utf8_lossy(&output.stderr));
    });
    let answer = rest.lines().next().unwrap().to_owned();
    Some((answer, read(&folder.path().join("log"))))
}

fn read(log: &Path) -> String {
    std::fs::read_to_string(log).unwrap_or_default()
}

/// The number of solves that the devices were given.
fn solves(log: &str) -> usize {
    log.lines().filter(|line| line.starts_with("launch edges_")).count()
}

#[test]
fn every_share_with_edges_is_solved_once_on_any_number_of_devices() {
    for (devices, shares) in [("0", 2), ("0", 8), ("0,1", 0), ("0,1", 3), ("2,0,1", 0), ("1,0", 64)]
    {
        let Some((answer, log)) = solve(devices, shares, &[]) else { return };
        assert_eq!(answer, "0 edges", "{devices}, {shares} shares");
        let device_count = devices.split(',').count();
        let shares = if shares == 0 { device_count } else { shares as usize };
        // Forests are empty here, so nothing is left to merge, and the last share of a single
        // device is marked.
        assert_eq!(solves(&log), shares.min(9), "{devices}, {shares} shares: {log}");
    }
}

#[test]
fn one_share_on_two_devices_and_a_graph_of_one_edge_are_solved() {
    for (shares, edges) in [(1, 9), (0, 1), (3, 1), (64, 2)] {
        let Some((answer, _)) = solve_edges("0,1", shares, edges, &[]) else { return };
        assert_eq!(answer, "0 edges", "{shares} shares of {edges} edges");
    }
}

#[test]
fn one_device_with_one_share_is_solved_as_by_cuda_fast() {
    let Some((answer, log)) = solve("1", 1, &[]) else { return };
    assert_eq!((answer.as_str(), solves(&log)), ("0 edges", 1));
    assert!(!log.contains("take_members") && !log.contains("mark_members"), "{log}");
}

#[test]
fn devices_get_access_to_their_neighbors_memory_only_where_it_is_permitted() {
    let Some((_, log)) = solve("0,1", 0, &[]) else { return };
    assert!(log.contains("0 asks for the memory of 1\ngive access"), "{log}");
    let Some((answer, log)) = solve("0,1", 0, &[("KOSTRA_FAKE_PEERS", "0")]) else { return };
    assert!(log.contains("0 asks for the memory of 1") && !log.contains("give access"), "{log}");
    assert_eq!(answer, "0 edges", "copies go through host memory");
}

#[test]
fn a_device_that_is_named_twice_or_absent_is_refused_with_the_reason() {
    let Some((answer, _)) = solve("0,1,0", 0, &[]) else { return };
    assert_eq!(answer, "no CUDA device: device 0 is named twice; name each device once");
    let Some((answer, _)) = solve("0,3", 0, &[]) else { return };
    let absent = "no CUDA device: there is no device 3; the devices are numbered from 0 to 2";
    assert_eq!(answer, absent);
}

#[test]
fn the_error_of_a_fault_names_the_device() {
    for (fault, expected) in [
        ("allocate:1", "cuda:1: this graph needs "),
        ("launch:1", "cuda:1: the CUDA device failed while finding the boundary: "),
        ("launch:0", "cuda:0: the CUDA device failed while finding the boundary: "),
    ] {
        let Some((answer, _)) = solve("0,1", 2, &[("KOSTRA_FAKE_FAULT", fault)]) else { return };
        assert!(answer.starts_with(expected), "{fault}: {answer}");
    }
}

#[test]
fn other_solvers_refuse_several_devices() {
    let graph = AnyGraph::from_edges(2, vec![0], vec![1], vec![1]).unwrap();
    for solver in kostra_cuda::solvers().filter(|solver| !solver.uses_devices()) {
        let mut run = Run::new().on_devices(&[0, 1]);
        let error = solver.solve(&graph, Order::Minimum, &mut run).unwrap_err().to_string();
        assert!(error.contains("runs on one device, and 2 are named"), "{error}");
    }
}
