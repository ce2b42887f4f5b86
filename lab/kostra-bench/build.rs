//! Passes the compiler version, the flags and the versions of the peer crates to the program.
//! Asking for them at run time could name another compiler or version.

use std::env;
use std::fs;
use std::process::Command;

fn main() {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    println!("cargo::rustc-env=KOSTRA_RUSTC={}", version.unwrap_or_else(|_| "unknown".to_owned()));
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\u{1f}', " ");
    println!("cargo::rustc-env=KOSTRA_RUSTFLAGS={flags}");
    let lock = fs::read_to_string("../../Cargo.lock").unwrap_or_default();
    for name in ["pathfinding", "petgraph"] {
        println!(
            "cargo::rustc-env=KOSTRA_PEER_{}={}",
            name.to_uppercase(),
            locked_version(&lock, name)
        );
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
}

fn locked_version<'a>(lock: &'a str, name: &str) -> &'a str {
    let version = lock.split_once(&format!("name = \"{name}\"\nversion = \""));
    version.and_then(|(_, rest)| rest.split('"').next()).unwrap_or("unknown")
}
