//! Real graphs in the folder of `--data`, by the names of their collections: the 9th DIMACS
//! challenge, such as `USA-road-d.NY`, SNAP, such as `web-Google`, and Geofabrik's extracts of
//! OpenStreetMap, such as `portugal-latest`.

use std::path::{Path, PathBuf};

/// The endings of files that have weights.
const WEIGHTED: [&str; 6] = ["gr.gz", "gr", "gr.xz", "gr.zst", "kst", "osm.pbf"];
/// The endings of SNAP's edge lists, which have no weights.
const SNAP: [&str; 4] = ["txt.gz", "txt", "txt.xz", "txt.zst"];

/// The file of a real graph.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RealFile {
    pub(super) path: PathBuf,
    /// Whether it is an edge list of SNAP. Each edge then gets a weight by a hash of its ends.
    pub(super) is_snap: bool,
}

/// The file of a real graph in a folder, plain or compressed; none if it is missing. A file with
/// weights goes first.
pub(super) fn file_of(folder: &Path, name: &str) -> Option<RealFile> {
    let weighted = WEIGHTED.iter().map(|ending| (ending, false));
    let mut all = weighted.chain(SNAP.iter().map(|ending| (ending, true)));
    all.find_map(|(ending, is_snap)| {
        let path = folder.join(format!("{name}.{ending}"));
        path.is_file().then_some(RealFile { path, is_snap })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_graphs_are_found_by_the_names_of_their_collections() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name| std::fs::write(folder.path().join(name), "# empty\n").unwrap();
        let found = |name| {
            let found = file_of(folder.path(), name)?;
            Some((found.path.file_name()?.to_str()?.to_owned(), found.is_snap))
        };
        write("USA-road-d.NY.gr");
        write("web-Google.txt.gz");
        assert_eq!(found("USA-road-d.NY"), Some(("USA-road-d.NY.gr".to_owned(), false)));
        assert_eq!(found("web-Google"), Some(("web-Google.txt.gz".to_owned(), true)));
        assert_eq!(found("USA-road-d.FLA"), None);
        write("web-Google.kst");
        assert_eq!(found("web-Google"), Some(("web-Google.kst".to_owned(), false)));
    }
}
