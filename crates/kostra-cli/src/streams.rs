//! Standard output and standard error that are closed when the program starts.
//!
//! Before `main`, Rust opens `/dev/null` in place of closed streams, so that output is lost without
//! an error. This module opens `/dev/null` before Rust does, for reading only. Printing to the
//! stream is then an error.
#![allow(
    unsafe_code,
    reason = "only a section of the program's file makes code run before Rust starts"
)]

use std::fs::File;
use std::os::fd::{AsRawFd, IntoRawFd};

use rustix::io::fcntl_getfd;
use rustix::stdio;

// SAFETY: the section holds the addresses of functions of this type. The system calls them before
// `main`, one after the other, on the only thread. The function makes only system calls, so it
// needs nothing that Rust sets up before `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = occupy_closed_streams;

extern "C" fn occupy_closed_streams() {
    let stdout_is_closed = fcntl_getfd(stdio::stdout()).is_err();
    let stderr_is_closed = fcntl_getfd(stdio::stderr()).is_err();
    if !stdout_is_closed && !stderr_is_closed {
        return;
    }
    let Ok(null) = File::open("/dev/null") else { return };
    if stdout_is_closed {
        let _ = stdio::dup2_stdout(&null);
    }
    if stderr_is_closed {
        let _ = stdio::dup2_stderr(&null);
    }
    if null.as_raw_fd() <= stdio::raw_stderr() {
        let _ = null.into_raw_fd(); // the file is itself a standard stream and must stay open
    }
}
