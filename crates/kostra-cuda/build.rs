//! Compiles the kernels where nvcc is at hand, and says so to the crate; where it is not, the crate
//! compiles them when they are used.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The architectures that code is made for, where the compiler knows them.
const ARCHITECTURES: [u32; 3] = [80, 90, 100];
/// The virtual architecture that drivers translate to whatever comes after.
const VIRTUAL: u32 = 80;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=kernels");
    for variable in ["KOSTRA_NVCC", "CUDA_HOME", "CUDA_PATH", "PATH"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let demanded = env::var_os("KOSTRA_NVCC").is_some_and(|path| !path.is_empty());
    let table = match nvcc() {
        None if demanded => panic!("KOSTRA_NVCC names no nvcc that can be run"),
        None => table(&[], &[]),
        Some(nvcc) => match embed(&nvcc, &out) {
            Ok(table) => table,
            Err(message) if demanded => panic!("{message}"),
            Err(message) => {
                println!("cargo::warning=kernels will be compiled when they are used: {message}");
                table(&[], &[])
            }
        },
    };
    fs::write(out.join("embedded.rs"), table).expect("cargo's folder can be written");
}

/// An nvcc that runs.
fn nvcc() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let candidates = match set("KOSTRA_NVCC") {
        Some(path) => vec![path],
        None => {
            let homes = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(set);
            let homes = homes.chain([PathBuf::from("/usr/local/cuda")]);
            let mut candidates: Vec<_> = homes.map(|home| home.join("bin").join("nvcc")).collect();
            candidates.push("nvcc".into());
            candidates
        }
    };
    candidates
        .into_iter()
        .find(|path| Command::new(path).arg("--version").output().is_ok_and(|o| o.status.success()))
}

/// Compiles every file of kernels, and writes the table of them.
fn embed(nvcc: &Path, out: &Path) -> Result<String, String> {
    let known = run(Command::new(nvcc).arg("--list-gpu-arch"))?;
    let architectures: Vec<_> = ARCHITECTURES
        .into_iter()
        .filter(|number| known.contains(&format!("compute_{number}")))
        .collect();
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let common = read(Path::new("kernels/common.cuh"))?;
    let mut files: Vec<_> = fs::read_dir("kernels")
        .map_err(|error| error.to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
        .collect();
    files.sort();
    let mut names = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (source, fatbin) = (out.join(format!("{name}.cu")), out.join(format!("{name}.fatbin")));
        let text = format!("{common}\n#line 1 \"{name}.cu\"\n{}", read(&file)?);
        fs::write(&source, text).map_err(|error| error.to_string())?;
        let mut command = Command::new(nvcc);
        command
            .args(["-fatbin", "-std=c++17", "-O3", "--threads=0"])
            .arg("-o")
            .arg(&fatbin)
            .arg(&source);
        for number in &architectures {
            command.arg(format!("-gencode=arch=compute_{number},code=sm_{number}"));
        }
        command.arg(format!("-gencode=arch=compute_{VIRTUAL},code=compute_{VIRTUAL}"));
        run(&mut command)?;
        names.push(name);
    }
    Ok(table(&names, &architectures))
}

/// What a command prints, or what it complains of.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("nvcc does not start: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let words = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    Err(format!("nvcc says: {}", words.trim().replace('\n', "; ")))
}

fn table(names: &[String], architectures: &[u32]) -> String {
    let mut rows = String::new();
    for name in names {
        rows += &format!(
            "    ({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.fatbin\"))),\n"
        );
    }
    let mut words: Vec<_> = architectures.iter().map(|number| format!("sm_{number}")).collect();
    words.push("later ones".to_owned());
    format!(
        "/// Every file of kernels that was compiled with the crate, by name.\n\
         const EMBEDDED: &[(&str, &[u8])] = &[\n{rows}];\n\
         /// The architectures that they were compiled for.\n\
         const ARCHITECTURES: &str = {:?};\n",
        words.join(", ")
    )
}
