//! The `kostra` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    kostra_cli::run(std::env::args_os()).into()
}
