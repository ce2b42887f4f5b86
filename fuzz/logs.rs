//! What the fuzz target of logs asserts.

use std::fs;
use std::path::Path;

use kostra_core::{EdgeId, UnionFind, Weight};
use kostra_dynamic::{AnyDynamicForest, DynamicForest, UpdateLog, with_dynamic_forest};
use xxhash_rust::xxh3::Xxh3;

/// A forged log may ask for any number of vertices. Larger numbers only take memory.
const MOST_VERTICES: u32 = 1 << 16;
/// The update that adds vertices.
const ADD_VERTICES: u32 = 5;

/// Checks that any bytes behind a correct header, in frames with correct checksums, give an error
/// with a message or a forest. The forest is that of its present edges, and a compacted log gives
/// it again. The first byte chooses the type of weights and the order, the second one the number of
/// vertices, and the third one the number of frames. The same bytes alone are no log.
pub fn check_log(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder for logs");
    let path = folder.path().join("log");
    check_file(&path, bytes);
    let [choice, vertices, frames, updates @ ..] = bytes else { return };
    let asks = |eight: &[u8]| {
        let number = |at: usize| {
            u32::from_ne_bytes([eight[at], eight[at + 1], eight[at + 2], eight[at + 3]])
        };
        number(0) == ADD_VERTICES && number(4) > MOST_VERTICES
    };
    if updates.windows(8).any(asks) {
        return;
    }
    let header = [1, u32::from(choice % 6), u32::from(*choice >= 128), u32::from(*vertices)];
    let mut log = b"\x8bKOSLOG\n".to_vec();
    log.extend(header.iter().flat_map(|number| number.to_ne_bytes()));
    log.extend(checksum(0, &log));
    let size = updates.len().div_ceil(1 + usize::from(frames % 8)).max(1);
    for updates in updates.chunks(size) {
        let (offset, bytes) = (log.len() as u64, updates.len() as u64);
        let head = [offset.to_ne_bytes(), bytes.to_ne_bytes()].concat();
        log.extend(&head);
        log.extend(checksum(0, &head));
        log.extend(updates);
        log.extend(checksum(offset, updates));
    }
    check_file(&path, &log);
}

fn checksum(offset: u64, bytes: &[u8]) -> [u8; 8] {
    let mut hash = Xxh3::new();
    hash.update(&offset.to_ne_bytes());
    hash.update(bytes);
    hash.digest().to_ne_bytes()
}

fn check_file(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("a log can be written");
    let mut opened = match UpdateLog::open(path) {
        Ok(opened) => opened,
        Err(error) => return assert!(!error.to_string().is_empty(), "an error without words"),
    };
    let found = facts(&opened.forest);
    opened.log.compact(&opened.forest, opened.names.as_deref()).expect("a log can be compacted");
    drop(opened.log);
    let again = UpdateLog::open(path).expect("what Kostra writes, it reads");
    assert_eq!(facts(&again.forest), found);
    assert_eq!((again.names, again.dropped), (opened.names, 0));
}

/// The number of vertices, and the present edges as text.
fn facts(forest: &AnyDynamicForest) -> (u32, Vec<String>) {
    with_dynamic_forest!(forest, forest => {
        check_forest(forest);
        let edge = |id| format!("{id} {:?}", forest.edge(id));
        (forest.vertices(), forest.present_ids().into_iter().map(edge).collect())
    })
}

/// Checks the forest by Kruskal's algorithm on the present edges.
pub(crate) fn check_forest<W: Weight>(forest: &DynamicForest<W>) {
    let edge = |id: EdgeId| forest.edge(id).expect("a present edge");
    let mut ids = forest.present_ids();
    let is_maximum = forest.order() == kostra_core::Order::Maximum;
    ids.sort_by(|&a, &b| {
        let order = edge(a).2.partial_cmp(&edge(b).2).expect("weights are numbers");
        if is_maximum { order.reverse() } else { order }
    });
    let mut trees = UnionFind::try_new(forest.vertices()).expect("there is memory");
    ids.retain(|&id| trees.union(edge(id).0, edge(id).1));
    ids.sort_unstable();
    assert_eq!(forest.ids(), ids);
}
