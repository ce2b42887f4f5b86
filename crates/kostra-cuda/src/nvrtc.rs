//! NVRTC, CUDA's compiler library, which is loaded when it is first needed.
//!
//! The compiled code is kept in the user's cache folder. The file's name contains a hash of the
//! kernel file and of all headers, the compute capability and NVRTC's version. So a kernel file is
//! normally compiled once.

#![allow(unsafe_code, reason = "a foreign library is opened and called")]

use std::env;
use std::ffi::{CString, OsString, c_char, c_int, c_void};
use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;
use xxhash_rust::xxh3::Xxh3;

use crate::error::DeviceError;
use crate::source::InProgram;

/// The version of the NVRTC that was loaded, major and minor.
pub(crate) fn version() -> Result<(u32, u32), DeviceError> {
    Nvrtc::get()?.version()
}

/// Loads a file of kernels for a compute capability, from the cache or else newly compiled.
pub(crate) fn compiled<T>(
    source: InProgram,
    capability: (u32, u32),
    load: impl Fn(&[u8]) -> Result<T, DeviceError>,
) -> Result<T, DeviceError> {
    compiled_in(cache_folder(), source, capability, load)
}

/// The same with a given cache folder, or without one.
pub(crate) fn compiled_in<T>(
    folder: Option<PathBuf>,
    source: InProgram,
    capability: (u32, u32),
    load: impl Fn(&[u8]) -> Result<T, DeviceError>,
) -> Result<T, DeviceError> {
    let nvrtc = Nvrtc::get()?;
    let path = folder.map(|folder| {
        let (major, minor) = nvrtc.version().unwrap_or_default();
        let (name, hash, (x, y)) = (source.name, hash(source), capability);
        folder.join(format!("{name}-{hash:032x}-sm_{x}{y}-nvrtc{major}.{minor}.cubin"))
    });
    // If the cached file does not load, it may be damaged, and the text is compiled again.
    let kept = path.as_ref().and_then(|path| kept(path));
    if let Some(module) = kept.and_then(|cubin| load(&cubin).ok()) {
        return Ok(module);
    }
    let cubin = nvrtc.compile(source, capability)?;
    if let Some(path) = path {
        keep(&path, &cubin);
    }
    load(&cubin)
}

/// A hash of everything that NVRTC compiles.
fn hash(source: InProgram) -> u128 {
    let mut hasher = Xxh3::new();
    for (name, text) in source.headers().chain([("", source.text())]) {
        hasher.update(name.as_bytes());
        hasher.update(&text.len().to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.digest128()
}

/// `$XDG_CACHE_HOME/kostra` or `$HOME/.cache/kostra`; on Windows, `%LOCALAPPDATA%\kostra`. Relative
/// paths are ignored, as the XDG specification says: the working folder may belong to anybody.
fn cache_folder() -> Option<PathBuf> {
    folder_named_by(|name| env::var_os(name))
}

fn folder_named_by(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        set("LOCALAPPDATA")?
    } else {
        set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?
    };
    Some(folder.join("kostra"))
}

/// The code in a file, unless another user could have written the file or put it there. Code of
/// somebody else would run in this process's device memory.
fn kept(path: &Path) -> Option<Vec<u8>> {
    if !is_ours(&std::fs::metadata(path.parent()?).ok()?) {
        return None;
    }
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    let mut file = options.read(true).open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let mut content = Vec::new();
    let is_whole = metadata.is_file() && is_ours(&metadata);
    (is_whole && file.read_to_end(&mut content).is_ok()).then_some(content)
}

/// Whether only this user and root can write to a file or a folder.
#[cfg(unix)]
fn is_ours(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    [user, 0].contains(&metadata.uid()) && metadata.mode() & 0o022 == 0
}

/// Lets only this user write to its folder, which an older version or another umask left open.
#[cfg(unix)]
fn close(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = std::fs::metadata(folder)?.permissions();
    permissions.set_mode(permissions.mode() & !0o022);
    std::fs::set_permissions(folder, permissions)
}

#[cfg(not(unix))]
fn is_ours(_: &Metadata) -> bool {
    true
}

#[cfg(not(unix))]
fn close(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Writes the file completely or not at all. Errors are ignored: without the file, the next process
/// compiles again.
fn keep(path: &Path, cubin: &[u8]) {
    let Some(folder) = path.parent() else { return };
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let _ = builder.recursive(true).create(folder).and_then(|()| {
        close(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(cubin)?;
        file.persist(path)?;
        Ok(())
    });
}

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Bytes = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;

/// The library, and its functions that Kostra calls.
struct Nvrtc {
    create: Create,
    compile: Compile,
    cubin_size: Size,
    cubin: Bytes,
    log_size: Size,
    log: Bytes,
    destroy: Destroy,
    version: Version,
    _libraries: (Library, Vec<Library>),
}

impl Nvrtc {
    /// The library. It is searched for once in a process; the outcome, a failure too, is kept.
    fn get() -> Result<&'static Self, DeviceError> {
        static NVRTC: OnceLock<Result<Nvrtc, DeviceError>> = OnceLock::new();
        NVRTC.get_or_init(|| Self::open(candidates())).as_ref().map_err(Clone::clone)
    }

    fn open(names: impl IntoIterator<Item = PathBuf>) -> Result<Self, DeviceError> {
        let no_compiler = |reason: String| DeviceError::NoCompiler { reason };
        let opened = names.into_iter().find_map(|name| {
            // SAFETY: loading NVRTC runs only its own initialization; a file of another name is the
            // user's choice.
            let library = unsafe { Library::new(&name) }.ok()?;
            Some((library, builtins_beside(&name)))
        });
        let (library, builtins) =
            opened.ok_or_else(|| no_compiler("there is no libnvrtc".to_owned()))?;
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the types above are those in NVRTC's manual.
                *unsafe { library.get($name) }
                    .map_err(|_| no_compiler(format!("libnvrtc lacks {}", $name)))?
            };
        }
        Ok(Self {
            create: function!("nvrtcCreateProgram"),
            compile: function!("nvrtcCompileProgram"),
            cubin_size: function!("nvrtcGetCUBINSize"),
            cubin: function!("nvrtcGetCUBIN"),
            log_size: function!("nvrtcGetProgramLogSize"),
            log: function!("nvrtcGetProgramLog"),
            destroy: function!("nvrtcDestroyProgram"),
            version: function!("nvrtcVersion"),
            _libraries: (library, builtins),
        })
    }

    fn version(&self) -> Result<(u32, u32), DeviceError> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the pointers are to local integers.
        match unsafe { (self.version)(&raw mut major, &raw mut minor) } {
            0 => Ok((
                u32::try_from(major).unwrap_or_default(),
                u32::try_from(minor).unwrap_or_default(),
            )),
            code => Err(DeviceError::NoCompiler {
                reason: format!("libnvrtc answers with error {code}"),
            }),
        }
    }

    /// Compiles a file to a cubin for one compute capability.
    fn compile(
        &self,
        source: InProgram,
        (major, minor): (u32, u32),
    ) -> Result<Vec<u8>, DeviceError> {
        let name = source.name;
        let failed = |log: String| DeviceError::Compile { name, log };
        let c_string = |text: &str| CString::new(text).map_err(|error| failed(error.to_string()));
        let (text, file) = (c_string(source.text())?, c_string(&format!("{name}.cu"))?);
        let headers = CStrings::new(source.headers().map(|(_, text)| c_string(text)))?;
        let names = CStrings::new(source.headers().map(|(name, _)| c_string(name)))?;
        let architecture = format!("--gpu-architecture=sm_{major}{minor}");
        let options =
            CStrings::new([c_string(&architecture), c_string("--std=c++17")].into_iter())?;

        let mut program = std::ptr::null_mut();
        // SAFETY: the strings end with a zero byte and outlive the call; each header has a name.
        let created = unsafe {
            (self.create)(
                &raw mut program,
                text.as_ptr(),
                file.as_ptr(),
                headers.len(),
                headers.as_ptr(),
                names.as_ptr(),
            )
        };
        if created != 0 {
            return Err(failed(format!("error {created}")));
        }
        // SAFETY: the program was created above; the options end with a zero byte and outlive the
        // call.
        let code = unsafe { (self.compile)(program, options.len(), options.as_ptr()) };
        let output = if code == 0 {
            self.output(program, self.cubin_size, self.cubin)
        } else {
            self.output(program, self.log_size, self.log)
        };
        // SAFETY: the program exists and is not used any more.
        unsafe { (self.destroy)(&raw mut program) };
        match (code, output) {
            (0, Some(cubin)) if !cubin.is_empty() => Ok(cubin),
            (0, _) => Err(failed("there is no code in the result".to_owned())),
            (_, Some(log)) => {
                Err(failed(String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_owned()))
            }
            (code, None) => Err(failed(format!("error {code}"))),
        }
    }

    /// The output of a program, from the function that gives its size and the one that gives its
    /// bytes.
    fn output(&self, program: Program, size: Size, bytes: Bytes) -> Option<Vec<u8>> {
        let mut len = 0;
        // SAFETY: the program exists, and the pointer is to a local integer.
        if unsafe { size(program, &raw mut len) } != 0 {
            return None;
        }
        let mut output = vec![0_u8; len];
        // SAFETY: the buffer has the size that the library gave.
        (unsafe { bytes(program, output.as_mut_ptr().cast()) } == 0).then_some(output)
    }
}

/// Strings as NVRTC takes them: a number, and an array of pointers.
struct CStrings {
    pointers: Vec<*const c_char>,
    _strings: Vec<CString>,
}

impl CStrings {
    fn new<E>(strings: impl Iterator<Item = Result<CString, E>>) -> Result<Self, E> {
        let strings = strings.collect::<Result<Vec<_>, E>>()?;
        let pointers = strings.iter().map(|string| string.as_ptr()).collect();
        Ok(Self { pointers, _strings: strings })
    }

    fn len(&self) -> c_int {
        self.pointers.len() as c_int
    }

    fn as_ptr(&self) -> *const *const c_char {
        self.pointers.as_ptr()
    }
}

/// Loads the builtins library from NVRTC's folder. NVRTC opens it to compile, but only by its name,
/// so the system might not find it if NVRTC was loaded by a path.
fn builtins_beside(nvrtc: &Path) -> Vec<Library> {
    let folder = nvrtc.parent().filter(|folder| !folder.as_os_str().is_empty());
    let files =
        folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let builtins =
        files.filter(|file| file.file_name().to_string_lossy().starts_with("libnvrtc-builtins.so"));
    // SAFETY: as for NVRTC, which it is a part of.
    builtins.filter_map(|file| unsafe { Library::new(file.path()) }.ok()).collect()
}

/// Where NVRTC may be, in this order: the file that `KOSTRA_NVRTC` names, a bare library name, a
/// toolkit's folder, the Python environment that `VIRTUAL_ENV` names.
fn candidates() -> Vec<PathBuf> {
    let names = if cfg!(windows) {
        ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64.dll"]
    } else {
        ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]
    };
    let mut folders = Vec::new();
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        if let Some(home) = env::var_os(variable).filter(|home| !home.is_empty()) {
            let home = PathBuf::from(home);
            folders.extend(["lib64", "lib", "bin"].map(|folder| home.join(folder)));
        }
    }
    folders.push("/usr/local/cuda/lib64".into());
    if let Some(environment) = env::var_os("VIRTUAL_ENV") {
        let versions = std::fs::read_dir(PathBuf::from(environment).join("lib"))
            .into_iter()
            .flatten()
            .flatten();
        for version in versions {
            let packages = version.path().join("site-packages/nvidia");
            folders.extend(["cu13/lib", "cuda_nvrtc/lib"].map(|folder| packages.join(folder)));
        }
    }
    let bare = names.iter().map(PathBuf::from);
    let there = folders.iter().flat_map(|folder| names.map(|name| folder.join(name)));
    env::var_os("KOSTRA_NVRTC").map(PathBuf::from).into_iter().chain(bare).chain(there).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Files, Source};
    use crate::testing::{self, has_nvrtc};

    const KERNEL: Source = Source::given(
        "test",
        "#include \"common.cuh\"\nKERNEL nothing(u32* word) { lower(word, 1u); }",
    );

    #[test]
    fn an_error_says_what_to_install_if_nvrtc_is_missing() {
        let error = Nvrtc::open([PathBuf::from("/nowhere/libnvrtc.so")]).err().unwrap().to_string();
        assert!(error.contains("pip install nvidia-cuda-nvrtc"), "{error}");
    }

    #[test]
    fn every_kernel_file_compiles_with_the_headers_of_this_crate() {
        // They differ from another file only in a constant or a type, and take most of the time.
        let twins =
            ["fast_rows_64", "fast_edges_32", "points_2", "points_4", "points_8", "points_16"];
        testing::check_compilation::<Files>(Path::new(env!("CARGO_MANIFEST_DIR")), &twins);
    }

    #[test]
    fn a_kept_file_has_another_name_if_its_text_has_changed() {
        const SCAN: Source = Source::file("scan.cu");
        let text = SCAN.inflated();
        let changed = text.replacen("32", "64", 1);
        assert_ne!(changed, text);
        assert_eq!(hash(Source::given("scan", text).in_program()), hash(SCAN.in_program()));
        assert_ne!(
            hash(Source::given("scan", changed.leak()).in_program()),
            hash(SCAN.in_program())
        );
    }

    #[test]
    fn compiled_code_is_kept_and_damaged_code_is_compiled_again() {
        if !has_nvrtc() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("made/on/demand");
        let compile =
            || {
                compiled_in(Some(place.clone()), KERNEL.in_program(), (8, 0), |cubin| {
                    Ok(cubin.to_vec())
                })
                .unwrap()
            };
        let fresh = compile();
        let kept: Vec<_> =
            std::fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(kept.len(), 1, "{kept:?}");
        assert_eq!(std::fs::read(&kept[0]).unwrap(), fresh);
        std::fs::write(&kept[0], "kept").unwrap();
        assert_eq!(compile(), b"kept");
        let refuse_damaged = |cubin: &[u8]| match cubin {
            b"kept" => Err(DeviceError::Compile { name: "test", log: String::new() }),
            cubin => Ok(cubin.to_vec()),
        };
        assert_eq!(
            compiled_in(Some(place.clone()), KERNEL.in_program(), (8, 0), refuse_damaged).unwrap(),
            fresh
        );
        assert_eq!(std::fs::read(&kept[0]).unwrap(), fresh);
    }

    #[test]
    #[cfg(unix)]
    fn code_that_another_user_could_have_written_is_not_kept_code() {
        use std::os::unix::fs::{PermissionsExt, chown, symlink};
        let outer = tempfile::tempdir().unwrap();
        let path = outer.path().join("kostra/kernel.cubin");
        let folder = path.parent().unwrap();
        let set = |path: &Path, mode| {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        };
        keep(&path, b"code");
        assert_eq!(kept(&path).unwrap(), b"code");
        for (place, mode, own) in [(folder, 0o770, 0o700), (folder, 0o707, 0o700)]
            .into_iter()
            .chain([(&*path, 0o620, 0o600), (&*path, 0o606, 0o600)])
        {
            set(place, mode);
            assert_eq!(kept(&path), None, "{} with {mode:o}", place.display());
            set(place, own);
            assert!(kept(&path).is_some());
        }
        set(folder, 0o777);
        keep(&path, b"again");
        assert_eq!(kept(&path).unwrap(), b"again");
        let link = folder.join("link");
        symlink(&path, &link).unwrap();
        assert_eq!(kept(&link), None);
        // Only root can give files away.
        if chown(&path, Some(4321), None).is_ok() {
            assert_eq!(kept(&path), None);
            chown(&path, Some(0), None).unwrap();
            chown(folder, Some(4321), None).unwrap();
            assert_eq!(kept(&path), None);
        }
    }

    #[test]
    #[cfg(unix)]
    fn relative_cache_folders_are_ignored() {
        let folder = |xdg: Option<&str>, home: Option<&str>| {
            let value = |name: &str| if name == "HOME" { home } else { xdg };
            folder_named_by(|name| value(name).map(OsString::from))
        };
        assert_eq!(folder(Some("/a"), Some("/b")), Some("/a/kostra".into()));
        for xdg in [None, Some(""), Some("a"), Some("./a")] {
            assert_eq!(folder(xdg, Some("/b")), Some("/b/.cache/kostra".into()), "{xdg:?}");
            assert_eq!(folder(xdg, Some("b")), None);
        }
    }

    #[test]
    fn kernels_are_compiled_even_if_the_code_cannot_be_kept() {
        if has_nvrtc() {
            let nowhere = Some(PathBuf::from("/dev/null/kostra"));
            assert!(
                compiled_in(nowhere, KERNEL.in_program(), (9, 0), |cubin| Ok(cubin.len())).is_ok()
            );
        }
    }

    #[test]
    fn an_error_names_the_file_and_line_of_a_fault_in_a_kernel() {
        if has_nvrtc() {
            let text = "#include \"common.cuh\"\nKERNEL nothing() {\n    no_such_thing();\n}";
            let source = Source::given("faulty", text);
            let error =
                compiled_in(None, source.in_program(), (8, 0), |_| Ok(())).unwrap_err().to_string();
            assert!(error.contains("faulty.cu(3)") && error.contains("no_such_thing"), "{error}");
        }
    }
}
