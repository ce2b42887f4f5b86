//! No reader returns what it read from a file that was written to meanwhile.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test, in helpers too")]

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Once;

use kostra_core::AnyGraph;
use kostra_io::{
    EdgeBlock, FORMATS, Input, Outgoing, PartReader, PointOptions, Progress, ReadError,
    ReadErrorKind, ReadOptions, StreamFacts, TakeBlocks, open_text, read, read_image, read_points,
    stream_edges, write_bytes,
};

/// Writes the first byte of a file again, in place.
fn overwrite(path: &Path) {
    let mut file = fs::File::options().read(true).write(true).open(path).unwrap();
    let mut first = [0];
    file.read_exact(&mut first).unwrap();
    io::Seek::rewind(&mut file).unwrap();
    file.write_all(&first).unwrap();
}

/// What a reader returns if the file is overwritten after its first read.
fn overwritten<T>(
    path: &Path,
    reader: impl FnOnce(&Input, &(dyn Fn(Progress) + Sync)) -> Result<T, ReadError>,
) -> Option<ReadErrorKind> {
    let once = Once::new();
    let hook = |_: Progress| once.call_once(|| overwrite(path));
    reader(&Input::Path(path.to_path_buf()), &hook).err().map(|error| error.kind)
}

#[track_caller]
fn assert_changed(what: &str, found: Option<ReadErrorKind>) {
    assert!(matches!(found, Some(ReadErrorKind::Changed)), "{what}: {found:?}");
}

struct Ignored;

impl TakeBlocks for Ignored {
    fn begin(&mut self, _: StreamFacts) -> io::Result<()> {
        Ok(())
    }

    fn take(&mut self, _: EdgeBlock) -> io::Result<()> {
        Ok(())
    }
}

fn graph() -> AnyGraph {
    AnyGraph::from_edges(4, vec![0, 0, 1, 2], vec![1, 2, 3, 3], vec![1, 2, 3, 4]).unwrap()
}

#[test]
fn a_graph_a_table_or_an_image_from_a_file_that_changes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    let options = ReadOptions::default();
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let written = FORMATS.iter().filter(|format| format.is_writable()).map(|&format| {
        (format.to_string(), write_bytes(format, Outgoing::from(&graph())).unwrap())
    });
    let seeds = fs::read_dir(seeds).unwrap().map(|entry| {
        let seed = entry.unwrap().path();
        (seed.display().to_string(), fs::read(seed).unwrap())
    });
    for (name, bytes) in written.chain(seeds) {
        fs::write(&path, &bytes).unwrap();
        let found = overwritten(&path, |input, hook| read(input, &options, hook));
        assert_changed(&name, found);
        let found =
            overwritten(&path, |input, hook| stream_edges(input, &options, 2, hook, &mut Ignored));
        assert_changed(&format!("{name} in blocks"), found);
        let points = PointOptions::default();
        let found = overwritten(&path, |input, hook| read_points(input, &points, hook));
        assert_changed(&format!("{name} as points"), found);
        assert_changed(
            &format!("{name} as an image"),
            overwritten(&path, |input, hook| read_image(input, &|_| Ok(()), hook)),
        );
    }
}

#[test]
fn a_part_of_a_file_that_changes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    let options = ReadOptions::default();
    let parts = FORMATS.iter().filter(|format| format.is_read_in_parts() && format.is_writable());
    for &format in parts {
        let bytes = write_bytes(format, Outgoing::from(&graph())).unwrap();
        let open = |part| {
            fs::write(&path, &bytes).unwrap();
            PartReader::open(&path, &options, part, 2).unwrap().unwrap()
        };
        let surveys = [0, 1].map(|part| open(part).survey().unwrap());
        let surveys = [&surveys[0][..], &surveys[1][..]];
        for part in [0, 1] {
            let mut reader = open(part);
            overwrite(&path);
            let found = reader.survey().err().map(|error| error.kind);
            assert_changed(&format!("{format}, part {part}, before the survey"), found);
            let mut reader = open(part);
            reader.survey().unwrap();
            // Another file of the same path and content.
            fs::rename(&path, folder.path().join("old")).unwrap();
            fs::write(&path, &bytes).unwrap();
            let found = reader.finish(&surveys).err().map(|error| error.kind);
            assert_changed(&format!("{format}, part {part}, after the survey"), found);
            let mut reader = open(part);
            reader.survey().unwrap();
            assert!(reader.finish(&surveys).is_ok(), "{format}, part {part}, unchanged");
        }
    }
}

#[test]
fn the_end_of_a_text_that_changes_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ids");
    fs::write(&path, "1\n2\n").unwrap();
    let open = || open_text(&Input::Path(path.clone())).unwrap();
    let mut text = String::new();
    assert!(open().read_to_string(&mut text).is_ok());
    let mut reader = open();
    overwrite(&path);
    let error = reader.read_to_string(&mut text).unwrap_err();
    assert!(error.to_string().contains("the file changed"), "{error}");
}
