//! What the tests of this crate and of `kostra-papers-cuda` share: the device, answers to compare
//! with, and checks of a crate's kernel files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use kostra_core::{EdgeId, Edges, Key, UnionFind};

use crate::device::Device;
use crate::nvrtc;
use crate::source::{KernelFiles, KernelSource};

/// The first device. If there is none, prints that the test is skipped.
pub fn device() -> Option<Arc<Device>> {
    match Device::open(0) {
        Ok(device) => Some(device),
        Err(error) => {
            let required =
                std::env::var_os("KOSTRA_REQUIRE_DEVICE").is_some_and(|value| !value.is_empty());
            assert!(!required, "KOSTRA_REQUIRE_DEVICE is set, but: {error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// A generator of random numbers below a bound. Equal seeds give equal numbers.
pub fn random(seed: u64) -> impl FnMut(u32) -> u32 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((state >> 33) % u64::from(below)) as u32
    }
}

/// The forest by Kruskal's algorithm, ascending.
pub fn kruskal<K: Key>(edges: Edges<'_, K>) -> Vec<EdgeId> {
    let mut ids: Vec<EdgeId> = edges.ids().collect();
    ids.sort_unstable_by_key(|&id| edges.rank(id));
    let mut components = UnionFind::new(edges.vertices());
    ids.retain(|&id| {
        let (u, v) = edges.ends(id);
        components.union(u, v)
    });
    ids.sort_unstable();
    ids
}

/// Whether NVRTC can be loaded. If not, prints why, and panics if `KOSTRA_NVRTC` is set.
pub(crate) fn has_nvrtc() -> bool {
    let version = nvrtc::version();
    if let Err(error) = &version {
        assert!(std::env::var_os("KOSTRA_NVRTC").is_none(), "KOSTRA_NVRTC is set, but: {error}");
        println!("skipped: {error}");
    }
    version.is_ok()
}

/// Checks that NVRTC compiles each kernel file of the crate in `folder`, except those that
/// `left_out` names.
pub fn check_compilation<F: KernelFiles>(folder: &Path, left_out: &[&str]) {
    if !has_nvrtc() {
        return;
    }
    for (path, text) in files(folder) {
        let Some(name) = path.strip_suffix(".cu") else { continue };
        if left_out.contains(&name) {
            continue;
        }
        let name: &'static str = name.to_owned().leak();
        let source = KernelSource::<F>::given(name, text.leak()).in_program();
        // scripts/kernels compiles for other devices.
        let cubin = nvrtc::compiled_in(None, source, (8, 0), |cubin| Ok(cubin.len()));
        assert!(cubin.as_ref().is_ok_and(|len| *len > 1000), "{name}: {cubin:?}");
    }
}

/// Checks that the program has the texts of the kernel files of the crate in `folder`, without
/// comments, and only deflated.
pub fn check_archive<F: KernelFiles>(folder: &Path) {
    let files = files(folder);
    for line in files.values().flat_map(|text| text.lines()) {
        // What begins a comment in a string would end it.
        assert!(line.matches('"').count() % 2 == 0, "{line}");
        assert!(!line.contains("//") && line.trim() == line, "{line}");
    }
    let archived = F::archive().files();
    let archived: BTreeMap<_, _> =
        archived.map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    assert!(archived == files, "{:?}", archived.keys());
    // A text that is looked at in a running program by `KernelSource::text` would not be deflated.
    let program = std::env::current_exe().and_then(std::fs::read).expect("a program can be read");
    assert!(files.values().all(|text| text.starts_with('\n')));
    for start in (0..program.len()).filter(|&start| program[start] == b'\n') {
        let found = files.iter().find(|(_, text)| program[start..].starts_with(text.as_bytes()));
        assert!(found.is_none(), "{found:?}");
    }
}

/// The texts of the files in the folder `kernels` of a crate and in its folders, by name, without
/// comments.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let kernels = folder.join("kernels");
    let mut folders = vec![kernels.clone()];
    let mut files = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&kernels).expect("the path is in the folder");
                let text = std::fs::read_to_string(&path).expect("kernels are text");
                let code = |line: &str| {
                    line.split("//").next().unwrap_or_default().trim().to_owned() + "\n"
                };
                let name = name.to_string_lossy().replace('\\', "/");
                files.insert(name, text.lines().map(code).collect());
            }
        }
    }
    files
}
