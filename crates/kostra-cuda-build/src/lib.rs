//! Deflates the texts of a crate's kernels and their headers, without comments, and compiles the
//! kernels if an nvcc is found. Without an nvcc, the crate compiles them when they are first used.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The folder of the kernels.
const KERNELS: &str = "kernels";
/// The architectures that machine code is generated for: those of the A100, H100 and B200. One that
/// the compiler does not know is left out.
const ARCHITECTURES: [u32; 3] = [80, 90, 100];
/// The virtual architecture that drivers translate for later devices: the oldest of the above.
const VIRTUAL: u32 = 80;

/// Archives and compiles the kernels in the folder `kernels` of the crate whose build script calls
/// this. They may also include the headers in `headers`. The macro `kernel_files!` of `kostra-cuda`
/// reads what this writes.
///
/// # Panics
/// When the kernels cannot be read, or `KOSTRA_NVCC` names an nvcc that does not compile them.
pub fn kernels(headers: Option<&Path>) {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={KERNELS}");
    if let Some(headers) = headers {
        println!("cargo::rerun-if-changed={}", headers.display());
    }
    for variable in ["KOSTRA_NVCC", "CUDA_HOME", "CUDA_PATH", "PATH"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let texts = [files("cu"), files("cuh")].concat();
    archive(&texts, &out).expect("the kernels can be read and archived");
    let demanded = env::var_os("KOSTRA_NVCC").is_some_and(|path| !path.is_empty());
    let compiled = match nvcc() {
        None if demanded => panic!("KOSTRA_NVCC does not name an nvcc that can be run"),
        None => table_of_compiled(&[], &[]),
        Some(nvcc) => match embed(&nvcc, headers, &out) {
            Ok(table) => table,
            Err(message) if demanded => panic!("{message}"),
            Err(message) => {
                println!("cargo::warning=kernels will be compiled when they are used: {message}");
                table_of_compiled(&[], &[])
            }
        },
    };
    fs::write(out.join("kernels.rs"), table_of_texts(&texts) + &compiled)
        .expect("cargo's folder can be written");
}

/// The table of the files in `kernels/` and its folders: the name by which a kernel file includes
/// the file, and the text.
fn table_of_texts(names: &[String]) -> String {
    let mut rows = String::new();
    for name in names {
        rows += &format!(
            "    ({name:?}, include_str!(concat!(env!(\"OUT_DIR\"), \"/{KERNELS}/{name}\"))),\n"
        );
    }
    format!(
        "/// The files of `kernels/` and its folders: name, and text without comments. Only for use\n\
         /// when the crate is compiled.\nconst FILES: &[(&str, &str)] = &[\n{rows}];\n\
         /// The texts of all files, one after the other, deflated.\n\
         const DEFLATED: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/kernels.deflate\"));\n"
    )
}

/// Writes the texts of files without comments: each to a file of its own, and all of them, one
/// after the other, deflated.
fn archive(names: &[String], out: &Path) -> io::Result<()> {
    let archive = File::create(out.join("kernels.deflate"))?;
    let mut encoder = DeflateEncoder::new(archive, Compression::best());
    for name in names {
        let text = without_comments(&fs::read_to_string(Path::new(KERNELS).join(name))?);
        encoder.write_all(text.as_bytes())?;
        let copy = out.join(KERNELS).join(name);
        fs::create_dir_all(copy.parent().expect("the path has a folder"))?;
        fs::write(copy, text)?;
    }
    encoder.finish().map(drop)
}

/// A text without comments that end with the line, and without indentation: a third less in the
/// program. The lines keep their numbers, which a compiler's messages name. No string contains
/// `//`.
fn without_comments(text: &str) -> String {
    let code = |line: &str| line.split("//").next().unwrap_or_default().trim().to_owned() + "\n";
    text.lines().map(code).collect()
}

/// An nvcc that can be run.
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

/// Compiles every kernel file, and returns the table of the results.
fn embed(nvcc: &Path, headers: Option<&Path>, out: &Path) -> Result<String, String> {
    let known = run(Command::new(nvcc).arg("--list-gpu-arch"))?;
    let architectures: Vec<_> = ARCHITECTURES
        .into_iter()
        .filter(|number| known.contains(&format!("compute_{number}")))
        .collect();
    let mut names = Vec::new();
    for file in files("cu") {
        let Some(name) = file.strip_suffix(".cu").filter(|name| !name.contains('/')) else {
            continue;
        };
        let mut command = Command::new(nvcc);
        command
            .args(["-fatbin", "-std=c++17", "-O3", "--threads=0", "-I", KERNELS])
            .args(headers.into_iter().flat_map(|headers| [Path::new("-I"), headers]))
            .arg("-o")
            .arg(out.join(format!("{name}.fatbin")))
            .arg(Path::new(KERNELS).join(&file));
        for number in &architectures {
            command.arg(format!("-gencode=arch=compute_{number},code=sm_{number}"));
        }
        command.arg(format!("-gencode=arch=compute_{VIRTUAL},code=compute_{VIRTUAL}"));
        run(&mut command)?;
        names.push(name.to_owned());
    }
    Ok(table_of_compiled(&names, &architectures))
}

/// The files in `kernels/` and its folders whose names end with the extension, as paths relative to
/// `kernels/` with forward slashes, sorted.
fn files(extension: &str) -> Vec<String> {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files = Vec::new();
    for entry in entries(Path::new(KERNELS)) {
        let name = entry.file_name().to_string_lossy().into_owned();
        files.extend(
            entries(&entry.path()).map(|e| format!("{name}/{}", e.file_name().to_string_lossy())),
        );
        files.push(name);
    }
    files.retain(|name| Path::new(name).extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

/// Runs a command, and returns its standard output. On failure, the error has the command's own
/// message.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("nvcc does not start: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let words = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    Err(format!("nvcc says: {}", words.trim().replace('\n', "; ")))
}

/// The Rust text of the table of compiled kernel files, and of the architectures' names.
fn table_of_compiled(names: &[String], architectures: &[u32]) -> String {
    let mut rows = String::new();
    for name in names {
        rows += &format!(
            "    ({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.fatbin\"))),\n"
        );
    }
    let mut words: Vec<_> = architectures.iter().map(|number| format!("sm_{number}")).collect();
    words.push("later ones".to_owned());
    format!(
        "/// The kernel files that were compiled with the crate: the name and the fat binary.\n\
         const EMBEDDED: &[(&str, &[u8])] = &[\n{rows}];\n\
         /// The architectures that they were compiled for, as a list in words.\n\
         const ARCHITECTURES: &str = {:?};\n",
        words.join(", ")
    )
}
