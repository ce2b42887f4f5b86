//! End-to-end tests. Each runs the built binary as a user would.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod bad_input;
#[cfg(unix)]
mod cases;
mod describe;
mod draw;
mod external;
#[cfg(target_os = "linux")]
#[path = "../../../kostra-cuda/tests/fake/mod.rs"]
mod fake;
#[cfg(target_os = "linux")]
mod fake_device;
#[cfg(unix)]
mod guide;
mod harness;
mod interrupt;
mod memory;
mod real_graphs;
mod requests;
mod solve;
mod streams;
mod verify;
mod watch;
