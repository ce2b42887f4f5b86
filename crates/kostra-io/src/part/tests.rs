use std::path::PathBuf;

use kostra_core::AnyGraph;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::testing::listed_edges;
use crate::{FORMATS, Nan, read, write_graph};

/// All parts of a file, or the error of the first one that has an error; none if it cannot be read
/// in parts.
fn parts(path: &Path, options: &ReadOptions, count: usize) -> Result<Option<Vec<Part>>, String> {
    let mut readers = Vec::new();
    for part in 0..count {
        match PartReader::open(path, options, part, count).map_err(|error| error.to_string())? {
            Some(reader) => readers.push(reader),
            None => return Ok(None),
        }
    }
    let surveys: Vec<_> = readers.iter_mut().map(|reader| reader.survey().unwrap()).collect();
    let surveys: Vec<&[u64]> = surveys.iter().map(Vec::as_slice).collect();
    let parts: Result<Vec<_>, _> =
        readers.into_iter().map(|reader| reader.finish(&surveys)).collect();
    parts.map(Some).map_err(|error| error.to_string())
}

/// Sees that the parts of a file are the file, or that the first fault in them has the words that
/// it has in the whole.
fn check(path: &Path, options: &ReadOptions) {
    let whole =
        read(&Input::Path(path.to_path_buf()), options, &|_| {}).map_err(|error| error.to_string());
    for count in [1, 2, 3, 4, 7, 40] {
        match (&whole, parts(path, options, count)) {
            (Ok(whole), Ok(Some(parts))) => {
                let mut all = Vec::new();
                for part in &parts {
                    assert_eq!(part.first, all.len() as u64, "{count} parts");
                    assert_eq!(part.graph.vertices(), whole.parsed.graph.vertices());
                    assert_eq!(part.graph.weight_type(), whole.parsed.graph.weight_type());
                    assert_eq!(part.format, whole.format);
                    all.extend(listed_edges(&part.graph));
                }
                assert_eq!(all, listed_edges(&whole.parsed.graph), "{count} parts");
                let said =
                    |note: &crate::Message| parts.iter().any(|part| part.notes.contains(note));
                let mut notes =
                    whole.parsed.notes.iter().filter(|note| !whole.parsed.warnings.contains(note));
                assert!(options.nan == Nan::Skip || notes.all(said));
                if options.nan != Nan::Skip {
                    // Edges that are skipped are no longer in the graph.
                    assert_eq!(
                        warning(&parts),
                        whole.parsed.warnings.first().cloned(),
                        "{count} parts"
                    );
                }
            }
            (Err(expected), Err(error)) => assert_eq!(&error, expected, "{count} parts"),
            (expected, parts) => panic!("{count} parts: {parts:?} instead of {expected:?}"),
        }
    }
}

/// What is to be said of vertices at which no edge of any part ends.
fn warning(parts: &[Part]) -> Option<crate::Message> {
    let first = parts.first()?;
    assert!(parts.iter().all(|part| part.lowest_id == first.lowest_id));
    let (lowest, vertices) = (first.lowest_id?, u64::from(first.graph.vertices()));
    let ends = parts.iter().flat_map(|part| part.graph.u().iter().chain(part.graph.v()));
    let present = ends.collect::<std::collections::HashSet<_>>().len() as u64;
    crate::isolated_vertices(vertices - present, lowest..vertices)
}

fn file(content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

fn check_text(content: &str, options: &ReadOptions) {
    let (_folder, path) = file(content);
    check(&path, options);
}

fn options_for(format: Format) -> ReadOptions {
    ReadOptions { format: Some(format), threads: 2, ..ReadOptions::default() }
}

#[test]
fn the_parts_of_a_file_are_the_file_in_every_format_that_is_read_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let (u, v) = (vec![0, 1, 2, 2, 5, 4, 4, 0, 3], vec![1, 0, 2, 1, 5, 5, 5, 6, 0]);
    let graph = AnyGraph::from_edges(9, u, v, vec![5, -6, 7, 8, 9, 1, 1, 4, 3]).unwrap();
    for &format in FORMATS.iter().filter(|format| format.is_read_in_parts()) {
        let path = folder.path().join(format.id());
        let written = write_graph(&crate::Output::Path(path.clone()), format, (&graph).into());
        if format.is_writable() {
            written.unwrap();
            check(&path, &options_for(format));
        }
    }
}

#[test]
fn the_parts_of_a_text_are_the_text() {
    for text in [
        "c road\np sp 4 3\na 1 2 5\nc between\n\na 2 3 -7\na 4 1 9000000000\n",
        "p sp 4 3\na 1 2 5\na 2 3 0.5\na 4 1 7",
        "p sp 4 3\na 1 2 5\na 2 3 18446744073709551615\na 4 1 9000000000\n",
        "p sp 4 3\na 1 2 0.5\na 2 3 9223372036854775808\na 4 1 9000000000\n",
        "p edge 4 3\ne 1 2\ne 2 3\ne 3 4\n",
        "p col 4 2\nn 1 3\ne 1 2 4\ne 2 3 5\n",
        "p sp 4 0\n",
        "p tw 3 1\n1 2\n",
    ] {
        check_text(text, &options_for(Format::DIMACS));
    }
    for text in [
        "0 1\n1 2\n",
        "# a comment\n\u{20}1\t2 0.5\n2 3 7\n# more\n3 4 1\n",
        "4 3\n0 1\n1 2\n3 3\n", // counts that might be an edge
        "4 3\n0 1 5\n1 2 6\n3 3 7\n",
        "9 1\n\n\n7 8\n",
        "source,target,weight\n5,6,1\r\n6,7,2\r\n",
        "101 102 5\n102 103 6\n103 103 7\n",
        "# kostra edge list: 9 vertices, 2 edges, vertices count from 0\n0 1 3\n4 5 6",
        "7 7",
    ] {
        check_text(text, &options_for(Format::EDGE_LIST));
    }
    check_text(
        "0 1 NaN\n1 2 3\n2 3 nan\n",
        &ReadOptions { nan: Nan::Skip, ..options_for(Format::EDGE_LIST) },
    );
}

#[test]
fn a_fault_in_a_part_has_its_place_in_the_file() {
    for text in [
        "p sp 4 3\na 1 2 5\na 2 3 7\na 4 9 9\n",
        "p sp 4 3\na 1 2 5\nc\nc\nx 2 3 7\na 4 9 9\n",
        "p sp 4 2\na 1 2 5\na 2 3 7\na 4 1 9\n", // one too many
        "p sp 4 5\na 1 2 5\na 2 3 7\na 4 1 9\n", // two too few
        "p col 4 4\ne 1 2\ne 2 3\ne 3 4\ne 4 1 7\n",
        "p sp 4 3\na 1 2 9007199254740993\na 2 3 7\na 4 1 0.5\n",
        "p sp 4 3\na 1 2 0.5\na 2 3 7\na 4 1 9007199254740993\n",
        "p sp 4 2\na 1 2 0.5\na 2 3 nan\n",
        "p sp 4 3\na 1 2 -5\na 2 3 0.5\na 4 1 9223372036854775808\n",
        "p sp 4 3\na 1 2 18446744073709551615\na 2 3 7\na 4 1 -7\n",
        "p sp 4 2\na 1 2 18446744073709551615\na 2 3 7\na 4 1 -7\n", // one too many comes first
        "hello\n",
    ] {
        check_text(text, &options_for(Format::DIMACS));
    }
    for text in [
        "0 1\n1 2\n2 3\n3 4 5\n5 6\n",
        "0 1\n1 2\n2 x\n3 4\n5 y\n",
        "4 9\n0 1 5\n1 2 6\n3 3 7\n",
        "0 1\n1 2\n2 3000000\n",
        "# kostra edge list: 9 vertices, 2 edges, vertices count from 0\n0 1 3\n4 5 6\n5 6 7\n",
        "# kostra edge list: 2 vertices, 2 edges, vertices count from 0\n0 1 3\n4 5 6\n",
        "0 1 9007199254740993\n\n1 2 3\n# c\n2 0 0.5\n",
        "id,from,to,km,lanes\n7,0,1,2,2\n8,1,2,2,2\n",
        "0 1 x\n1 2 y\n",
        "0 1 {}\n1 2 {}\n2 3 {'weight': 3}\n",
    ] {
        check_text(text, &options_for(Format::EDGE_LIST));
    }
}

#[test]
fn the_parts_of_a_text_have_the_columns_that_the_options_say() {
    let mut options = options_for(Format::EDGE_LIST);
    options.columns.weight = Some(crate::ColumnChoice::Name("km".into()));
    check_text("id,from,to,km,lanes\n7,0,1,2,2\n8,1,2,5,2\n9,2,0,4,2\n", &options);
    check_text("id,from,to,km,lanes\n7,0,1,2,2\n8,1,2,,2\n9,2,0,4,2\n", &options);
    check_text("id,from,to,length,lanes\n7,0,1,2,2\n", &options);
    let unit = ReadOptions {
        missing_weights: Some(crate::MissingWeights::Unit),
        ..options_for(Format::EDGE_LIST)
    };
    check_text("0 1 x\n1 2 y\n2 0 z\n", &unit);
    check_text("0 1 5\n1 2 6\n2 0 7\n", &unit);
    let (_folder, path) = file("p sp 3 1\na 1 2 5\n");
    options.format = None;
    let error = PartReader::open(&path, &options, 0, 2).unwrap_err().to_string();
    assert!(error.ends_with("`weight` applies to edge lists only, not to DIMACS (pass `format(\"edges\".parse()?)` if the input is an edge list)"), "{error}");
}

#[test]
fn the_parts_of_a_mapped_file_are_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.kst");
    let (n, m) = (50_000_u32, 1_200_000_u32);
    let ends = |factor: u64| {
        (0..u64::from(m)).map(|i| (i * factor % u64::from(n)) as u32).collect::<Vec<_>>()
    };
    let weights: Vec<f64> = (0..m).map(|i| f64::from(i % 1000) / 8.0).collect();
    let graph = AnyGraph::from_edges(n as usize, ends(7919), ends(104_729), weights).unwrap();
    write_graph(&crate::Output::Path(path.clone()), Format::KST, (&graph).into()).unwrap();
    check(&path, &ReadOptions::default());

    let mut bytes = std::fs::read(&path).unwrap();
    let end = bytes.len() - 3;
    bytes[end] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    check(&path, &ReadOptions::default());
    bytes.truncate(end);
    std::fs::write(&path, &bytes).unwrap();
    check(&path, &ReadOptions::default());
}

#[test]
fn the_parts_of_rows_are_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.egr");
    let (u, v) = (vec![0, 1, 2, 2, 5, 4, 4, 0, 3], vec![1, 0, 2, 1, 5, 5, 5, 6, 0]);
    let graph = AnyGraph::from_edges(9, u, v, vec![5, -6, 7, 8, 9, 1, 1, 4, 3]).unwrap();
    write_graph(&crate::Output::Path(path.clone()), Format::ECL, (&graph).into()).unwrap();
    let options = options_for(Format::ECL);
    check(&path, &options);
    let whole = std::fs::read(&path).unwrap();
    for at in 8..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 3;
        std::fs::write(&path, &damaged).unwrap();
        check(&path, &options);
    }
    let entries = i32::from_le_bytes(whole[4..8].try_into().unwrap()) as usize;
    std::fs::write(&path, &whole[..whole.len() - 4 * entries]).unwrap();
    check(&path, &options); // without weights
}

#[test]
fn what_cannot_be_read_in_parts_is_left_to_others() {
    let options = ReadOptions::default();
    for content in ["%%MatrixMarket matrix coordinate real general\n1 1 0\n", "# no edges\n", ""] {
        let (_folder, path) = file(content);
        assert!(PartReader::open(&path, &options, 0, 2).unwrap().is_none(), "{content}");
    }
    let (_folder, path) = file(b"\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51");
    assert!(
        PartReader::open(&path, &options_for(Format::DIMACS), 0, 2).unwrap().is_none(),
        "compressed"
    );
    let (_folder, path) = file("a b\n");
    let names = ReadOptions { names: true, ..ReadOptions::default() };
    assert!(PartReader::open(&path, &names, 0, 2).unwrap().is_none());
}

/// Whether part `part` of `count` depends on a byte in which two files differ.
fn depends_on(reader: &PartReader, at: usize) -> bool {
    reader.dependencies().iter().any(|range| range.contains(&(at as u64)))
}

/// Changes each byte of a file in turn, for one part only: that part depends on the byte, or is the
/// same without it.
fn check_dependencies(content: &[u8], options: &ReadOptions, step: usize) {
    const COUNT: usize = 3;
    let (_folder, path) = file(content);
    let surveyed = |path: &Path, part| {
        let mut reader = PartReader::open(path, options, part, COUNT).ok()??;
        let survey = reader.survey().ok()?;
        Some((reader, survey))
    };
    let whole: Vec<_> = (0..COUNT).map(|part| surveyed(&path, part).unwrap()).collect();
    for at in (0..content.len()).step_by(step) {
        let mut other = content.to_vec();
        other[at] ^= 3;
        let (_folder, other) = file(&other);
        for (part, (reader, survey)) in whole.iter().enumerate() {
            let is_same = surveyed(&other, part).is_some_and(|(changed, found)| {
                found == *survey && changed.dependencies() == reader.dependencies()
            });
            assert!(is_same || depends_on(reader, at), "byte {at}, part {part}");
        }
    }
    let every = (0..content.len()).all(|at| whole.iter().any(|(reader, _)| depends_on(reader, at)));
    assert!(every || options.format == Some(Format::KST), "each byte is in some part");
}

#[test]
fn a_part_does_not_change_with_bytes_that_it_does_not_depend_on() {
    let text = (0..4000).map(|i| format!("{} {} {}\n", i % 70, i % 90, i * 7)).collect::<String>();
    check_dependencies(text.as_bytes(), &options_for(Format::EDGE_LIST), 997);
    let arcs = (0..4000)
        .map(|i| format!("a {} {} {}\n", 1 + i % 70, 1 + i % 90, i * 7))
        .collect::<String>();
    check_dependencies(
        format!("p sp 90 4000\n{arcs}").as_bytes(),
        &options_for(Format::DIMACS),
        997,
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.egr");
    let ends = |factor: u32| (0..3000).map(|i: u32| i * factor % 1009).collect::<Vec<_>>();
    let weights: Vec<i32> = (0..3000).collect();
    let graph = AnyGraph::from_edges(1009, ends(7), ends(31), weights).unwrap();
    write_graph(&crate::Output::Path(path.clone()), Format::ECL, (&graph).into()).unwrap();
    check_dependencies(&std::fs::read(&path).unwrap(), &options_for(Format::ECL), 499);
}

#[test]
fn a_part_of_a_mapped_file_is_refused_where_it_differs_from_the_copy_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("graph.kst"), folder.path().join("copy.kst"));
    let m = 3_000_000_u32;
    let ends = |factor: u32| (0..m).map(|i| i.wrapping_mul(factor) % 1000).collect::<Vec<_>>();
    let graph = AnyGraph::from_edges(1000, ends(7919), ends(104_729), ends(3)).unwrap();
    write_graph(&crate::Output::Path(path.clone()), Format::KST, (&graph).into()).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    // An end in the last third of the first array, which the first of three parts checks for all,
    // and the third part uses.
    let at = 192 + 4 * (m as usize - 200_000);
    bytes[at] ^= 1;
    std::fs::write(&copy, &bytes).unwrap();
    let options = ReadOptions::default();
    let mut readers: Vec<_> = [&path, &path, &copy]
        .into_iter()
        .enumerate()
        .map(|(part, path)| PartReader::open(path, &options, part, 3).unwrap().unwrap())
        .collect();
    let surveys: Vec<_> = readers.iter_mut().map(|reader| reader.survey().unwrap()).collect();
    let surveys: Vec<&[u64]> = surveys.iter().map(Vec::as_slice).collect();
    let last = readers.pop().unwrap();
    assert!(readers.into_iter().all(|reader| reader.finish(&surveys).is_ok()));
    let error = last.finish(&surveys).unwrap_err().to_string();
    assert!(error.contains("differs here from the copy that another part is read from"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_lines_give_the_same_in_parts(
        lines in prop::collection::vec((0_u32..30, 0_u32..30, 0_usize..12), 0..60),
        dimacs: bool,
    ) {
        let mut text = if dimacs { format!("c\np sp 30 {}\n", lines.len()) } else { String::new() };
        for (u, v, kind) in lines {
            let weight = ["1", "7", "-3", "9223372036854775809", "9007199254740993", "8000000000", "0.25", "2", "3", "4", "6", "x"][kind];
            // A fault is rare, so that whole files are not.
            let weight = if kind == 11 && (u, v) > (2, 0) { "9" } else { weight };
            text += &if dimacs { format!("a {} {} {weight}\n", u + 1, v + 1) } else { format!("{u} {v} {weight}\n") };
        }
        let format = if dimacs { Format::DIMACS } else { Format::EDGE_LIST };
        // An edge list without lines has nothing to be read in parts.
        if !text.is_empty() {
            check_text(&text, &options_for(format));
        }
    }
}
