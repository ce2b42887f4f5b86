use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use kostra_core::{AnyGraph, Coordinates, EdgeList};

use super::chunks::{CHUNK, Plain, checksums, chunks, combine, combine_all};
use super::header::{Header, Places};
use super::mapped::Bytes;
use super::*;
use crate::testing::written;
use crate::{
    Format, Input, Loaded, Outgoing, Output, ReadError, ReadOptions, read_bytes, write_graph,
};

fn graph<W: kostra_core::Weight>(weights: [W; 4]) -> AnyGraph
where
    AnyGraph: From<EdgeList<W>>,
{
    AnyGraph::from_edges(5, vec![0, 1, 2, 2], vec![1, 2, 2, 1], weights.to_vec()).unwrap()
}

fn bytes_of(outgoing: Outgoing<'_>) -> Vec<u8> {
    written(writer, outgoing).unwrap()
}

fn sums(sections: &[&[u8]], threads: usize) -> Vec<u64> {
    combine_all(sections, &checksums(&chunks(sections), threads))
}

fn load(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let options = ReadOptions { format: Some(Format::KST), threads: 2, ..ReadOptions::default() };
    read_bytes("roads.kst", bytes, &options)
}

fn message(bytes: &[u8]) -> String {
    load(bytes).unwrap_err().to_string()
}

/// A small file with everything in it.
fn full() -> Vec<u8> {
    let names = ["Praha", "", "Brno", "Zlín", "x"].map(String::from);
    let coordinates = Coordinates::Geographic((0..5).map(|i| [f64::from(i), -0.5]).collect());
    bytes_of(Outgoing {
        coordinates: Some(&coordinates),
        names: Some(&names),
        ..Outgoing::from(&graph([4_i32, -3, 2, 1]))
    })
}

/// The same file with other numbers in its header, and a checksum that covers for it.
fn with_header(mut bytes: Vec<u8>, offset: usize, number: &[u8]) -> Vec<u8> {
    bytes[offset..offset + number.len()].copy_from_slice(number);
    let end = 64 + 32 * u32::get(&bytes[40..]).min(5) as usize;
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hasher.update(&bytes[..56]);
    hasher.update(&bytes[64..end]);
    bytes[56..64].copy_from_slice(&hasher.digest().to_le_bytes());
    bytes
}

#[test]
fn every_weight_type_comes_back_bit_by_bit_from_memory_and_from_a_map() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.kst");
    for graph in [
        graph([i32::MIN, -1, 0, i32::MAX]),
        graph([0_u32, 1, 2, u32::MAX]),
        graph([i64::MIN, -1, 0, i64::MAX]),
        graph([0_u64, 1, 2, u64::MAX]),
        graph([f32::NEG_INFINITY, -0.0, f32::from_bits(1), f32::INFINITY]),
        graph([f64::NEG_INFINITY, -0.0, f64::from_bits(1), f64::INFINITY]),
    ] {
        write_graph(&Output::Path(path.clone()), Format::KST, (&graph).into()).unwrap();
        let file = open_kst(&path).unwrap();
        assert_eq!(
            (file.vertices(), file.edges(), file.weight_type()),
            (5, 4, graph.weight_type())
        );
        assert!(!file.has_coordinates() && !file.has_names());
        let mapped = file.load(0).unwrap();
        let copied = load(&fs::read(&path).unwrap()).unwrap();
        for loaded in [mapped, copied] {
            assert_eq!(
                format!("{:?}", loaded.parsed.graph),
                format!("{graph:?}"),
                "the sign of zero included"
            );
            assert_eq!(
                (loaded.parsed.coordinates, loaded.parsed.names, loaded.format),
                (None, None, Format::KST)
            );
        }
    }
}

#[test]
fn coordinates_and_names_come_back() {
    let loaded = load(&full()).unwrap();
    assert_eq!(loaded.parsed.names.unwrap(), ["Praha", "", "Brno", "Zlín", "x"]);
    let coordinates = Coordinates::Geographic((0..5).map(|i| [f64::from(i), -0.5]).collect());
    assert_eq!(loaded.parsed.coordinates, Some(coordinates));
    let graph = graph([1_u32, 2, 3, 4]);
    let coordinates = Coordinates::Planar(vec![[0.5, 1.5]; 5]);
    let planar = bytes_of(Outgoing { coordinates: Some(&coordinates), ..Outgoing::from(&graph) });
    assert_eq!(load(&planar).unwrap().parsed.coordinates, Some(coordinates));
}

#[test]
fn graphs_without_edges_or_vertices_are_ordinary() {
    for vertices in [0, 3] {
        let graph = AnyGraph::from_edges(vertices, vec![], vec![], Vec::<f64>::new()).unwrap();
        let names = vec![String::from("name"); vertices];
        let bytes = bytes_of(Outgoing { names: Some(&names), ..Outgoing::from(&graph) });
        let loaded = load(&bytes).unwrap();
        assert_eq!(
            (loaded.parsed.graph.vertices() as usize, loaded.parsed.graph.edges()),
            (vertices, 0)
        );
        assert_eq!(loaded.parsed.names, Some(names));
    }
}

#[test]
fn a_graph_outlives_the_name_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.kst");
    write_graph(&Output::Path(path.clone()), Format::KST, (&graph([1_i64, 2, 3, 4])).into())
        .unwrap();
    let loaded = open_kst(&path).unwrap().load(1).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(loaded.parsed.graph.u(), [0, 1, 2, 2]);
    assert_eq!(loaded.parsed.graph.clone().v(), [1, 2, 2, 1]);
}

#[test]
fn no_flipped_bit_goes_unnoticed() {
    let bytes = full();
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            let error = load(&damaged).expect_err(&format!("byte {at} changed by {flip:#x}"));
            assert!(error.place.is_some(), "byte {at}: {error}");
        }
    }
}

#[test]
fn no_other_length_goes_unnoticed() {
    let bytes = full();
    for length in 1..bytes.len() {
        let error = load(&bytes[..length]).expect_err(&format!("{length} bytes"));
        assert!(error.place.is_some(), "{length} bytes: {error}");
    }
    assert_eq!(message(&[]), "roads.kst: the input is empty");
    let announced = bytes.len();
    let longer = [bytes.as_slice(), b"\0"].concat();
    assert_eq!(
        message(&longer),
        format!(
            "roads.kst: byte {announced}: the file goes on after the {announced} bytes that its header announces"
        )
    );
    assert_eq!(
        message(&bytes[..30]),
        "roads.kst: byte 30: the file ends in its header, after 30 bytes"
    );
    assert_eq!(message(&bytes[..5]), "roads.kst: byte 5: the file ends in its first bytes");
}

#[test]
fn faults_are_told_apart() {
    let bytes = full();
    assert_eq!(message(b"p sp 1 0\n"), "roads.kst: byte 0: this is not a .kst file");
    let unix: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != b'\r').collect();
    assert_eq!(
        message(&unix),
        "roads.kst: byte 7: the file was damaged, probably by a transfer in text mode; transfer it again in binary mode"
    );
    assert_eq!(
        message(&with_header(bytes.clone(), 12, &[2])),
        "roads.kst: byte 12: this is version 2 of the format, made by a newer Kostra; this one reads 1"
    );
    let mut damaged = bytes.clone();
    damaged[16] ^= 1;
    assert_eq!(
        message(&damaged),
        "roads.kst: byte 0: the header is damaged: its checksum is wrong"
    );
    let mut damaged = bytes.clone();
    damaged[384] ^= 1;
    assert_eq!(
        message(&damaged),
        "roads.kst: byte 384: the weights are damaged: the checksum of their section is wrong"
    );
    let mut damaged = bytes;
    damaged[300] ^= 1;
    assert_eq!(
        message(&damaged),
        "roads.kst: byte 300: the bytes between two sections are not zero"
    );
}

#[test]
fn headers_that_are_whole_but_wrong_are_refused() {
    for (offset, number, expected) in [
        (
            16,
            &u64::MAX.to_le_bytes()[..],
            "byte 16: 18446744073709551615 vertices are more than the 4294967295",
        ),
        (
            24,
            &((1_u64 << 48) + 1).to_le_bytes()[..],
            "byte 24: 281474976710657 edges are more than the 281474976710656",
        ),
        (24, &5_u64.to_le_bytes()[..], "byte 80: the header contradicts itself"),
        (32, &[6][..], "byte 32: there is no weight type 6"),
        (36, &[3][..], "byte 36: there is no kind of coordinates 3"),
        (40, &[6][..], "byte 40: 6 sections cannot be"),
        (40, &[0][..], "byte 40: 0 sections cannot be"),
        (44, &[1][..], "byte 44: the header contradicts itself"),
        (208, &u64::MAX.to_le_bytes()[..], "byte 48: the header contradicts itself"),
    ] {
        let message = message(&with_header(full(), offset, number));
        assert!(message.starts_with(&format!("roads.kst: {expected}")), "{message}");
    }
}

#[test]
fn contents_that_are_whole_but_no_graph_are_refused() {
    // The third edge, in the second ends.
    let refused = |offset: usize, section: usize, number: &[u8]| {
        let mut bytes = full();
        bytes[offset..offset + number.len()].copy_from_slice(number);
        let entry = 64 + 32 * section;
        let (start, length) = (u64::get(&bytes[entry + 8..]), u64::get(&bytes[entry + 16..]));
        let sum = sums(&[&bytes[start as usize..(start + length) as usize]], 1)[0];
        message(&with_header(bytes, entry + 24, &sum.to_le_bytes()))
    };
    assert_eq!(
        refused(320 + 8, 1, &[9]),
        "roads.kst: byte 328: edge 2 ends at vertex 9, but the graph has 5 vertices, numbered from 0"
    );
    let names = 528_usize.next_multiple_of(64);
    assert_eq!(
        refused(names, 4, &[1]),
        format!("roads.kst: byte {names}: name 0 has no place among the names")
    );
    assert!(refused(names + 8, 4, &[200]).contains("has no place among the names"));
    assert_eq!(
        refused(names + 48, 4, &[0xff]),
        format!("roads.kst: byte {}: the name of vertex 0 is not UTF-8", names + 48)
    );
}

#[test]
fn nan_is_refused_with_its_place() {
    let mut bytes = bytes_of((&graph([1.0_f64, 2.0, 3.0, 4.0])).into());
    let start = u64::get(&bytes[64 + 64 + 8..]) as usize;
    bytes[start + 8..start + 16].copy_from_slice(&f64::NAN.to_le_bytes());
    let sum = sums(&[&bytes[start..start + 32]], 1)[0];
    let message = message(&with_header(bytes, 64 + 64 + 24, &sum.to_le_bytes()));
    assert!(
        message.starts_with(&format!("roads.kst: byte {}: edge 1 has weight NaN", start + 8)),
        "{message}"
    );
}

#[test]
fn checksums_do_not_depend_on_threads() {
    let long: Vec<u8> = (0..CHUNK * 2 + 17).map(|i| ((i * i) >> 3) as u8).collect();
    let sections = [&long[..], &[], &long[5..CHUNK + 5]];
    let expected = sums(&sections, 1);
    assert_eq!(expected[1], combine(&[]));
    for threads in [2, 3, 16] {
        assert_eq!(sums(&sections, threads), expected);
    }
}

#[test]
fn more_edges_than_32_bit_ids_are_refused_in_memory_with_the_way_out() {
    let header = Header {
        vertices: 7,
        edges: 5_000_000_000,
        weight_type: kostra_core::WeightType::F32,
        places: Places::None,
        names: None,
    };
    let (sections, length) = header.layout();
    assert_eq!(length, 60_000_000_000 + 192);
    let error = read_bytes("x", &header.encode(&sections, length), &ReadOptions::default());
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("x: byte 24: 5000000000 edges are more than the 4294967295"));
    assert!(error.contains("`kostra solve --memory`"), "{error}");
}

#[test]
fn opening_takes_no_longer_for_a_hundred_million_edges() {
    let header = Header {
        vertices: 40_000_000,
        edges: 100_000_000,
        weight_type: kostra_core::WeightType::I32,
        places: Places::Planar,
        names: None,
    };
    let (sections, length) = header.layout();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), header.encode(&sections, length)).unwrap();
    file.as_file().set_len(length).unwrap(); // sparse: takes no disk
    let start = Instant::now();
    let opened = open_kst(file.path()).unwrap();
    let took = start.elapsed();
    assert_eq!((opened.vertices(), opened.edges()), (40_000_000, 100_000_000));
    assert!(took < Duration::from_millis(100), "{took:?}");
}

#[test]
fn what_is_no_file_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    assert!(open_kst(folder.path()).is_err());
    let missing = open_kst(Path::new("missing.kst")).unwrap_err().to_string();
    assert_eq!(missing, "missing.kst: No such file or directory (os error 2)");
}

#[test]
fn what_does_not_fit_the_graph_is_not_written() {
    let graph = graph([1_i32, 2, 3, 4]);
    let names = vec![String::new()];
    let reason = writer(Outgoing { names: Some(&names), ..Outgoing::from(&graph) }).err();
    assert_eq!(reason.unwrap(), "the number of names is 1, but the number of vertices is 5");
}

#[test]
fn a_stream_is_read_no_further_than_its_header_says() {
    /// Zeros without end, after some bytes.
    struct Endless<'a>(&'a [u8], u64);
    impl std::io::Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if !self.0.is_empty() {
                return self.0.read(buffer);
            }
            buffer.fill(0);
            self.1 += buffer.len() as u64;
            assert!(self.1 <= 1 << 10, "more is read than the header announces");
            Ok(buffer.len())
        }
    }
    let graph = AnyGraph::from_edges(3, vec![0, 1], vec![1, 2], vec![1, 2]).unwrap();
    let bytes = written(writer, &graph).unwrap();
    let message = |start: &[u8]| {
        Bytes::read(&mut Endless(start, 0)).unwrap_err().in_input("x.kst").to_string()
    };
    assert_eq!(
        message(&bytes),
        format!(
            "x.kst: byte {0}: the file goes on after the {0} bytes that its header announces",
            bytes.len()
        )
    );
    assert_eq!(message(b"no graph"), "x.kst: byte 0: this is not a .kst file");
}

#[test]
fn a_copy_stays_as_it_is_when_its_file_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.kst");
    let graph = AnyGraph::from_edges(3, vec![0, 1], vec![1, 2], vec![1, 2]).unwrap();
    let bytes = written(writer, &graph).unwrap();
    fs::write(&path, &bytes).unwrap();
    let options = ReadOptions { copy: true, ..ReadOptions::default() };
    let loaded = crate::read(&Input::Path(path.clone()), &options, &|_| {}).unwrap();
    fs::write(&path, vec![9; bytes.len()]).unwrap();
    fs::write(&path, b"").unwrap();
    assert_eq!((loaded.parsed.graph.u(), loaded.parsed.graph.v()), (&[0, 1][..], &[1, 2][..]));
}

#[test]
fn the_address_of_a_map_is_known_as_long_as_it_lasts() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let graph = AnyGraph::from_edges(3, vec![0, 1], vec![1, 2], vec![1, 2]).unwrap();
    fs::write(file.path(), written(writer, &graph).unwrap()).unwrap();
    let loaded = open_kst(file.path()).unwrap().load(1).unwrap();
    let address = loaded.parsed.graph.u().as_ptr() as usize;
    assert!(is_in_mapped_file(address));
    drop(loaded);
    assert!(!is_in_mapped_file(address));
}

#[test]
fn a_mapped_file_that_changes_is_found_and_not_written_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.kst");
    let graph = AnyGraph::from_edges(3, vec![0, 1], vec![1, 2], vec![1, 2]).unwrap();
    let bytes = written(writer, &graph).unwrap();
    let map = || {
        fs::write(&path, &bytes).unwrap();
        // Long ago, so that any change shows, however coarse the clock of the file system is.
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(SystemTime::UNIX_EPOCH)
            .unwrap();
        crate::read(&Input::Path(path.clone()), &ReadOptions::default(), &|_| {}).unwrap()
    };
    let output = |name| Output::Path(folder.path().join(name));
    let write = |loaded: &Loaded, name| {
        let outgoing =
            Outgoing { mapped: loaded.parsed.mapped.as_ref(), ..(&loaded.parsed.graph).into() };
        write_graph(&output(name), Format::DIMACS, outgoing)
    };

    let overwritten = map();
    overwritten.parsed.mapped.as_ref().unwrap().check().unwrap();
    write(&overwritten, "before.gr").unwrap();
    let mut in_place = File::options().write(true).open(&path).unwrap();
    in_place.write_all(&bytes).unwrap(); // of the same length
    let error = overwritten.parsed.mapped.as_ref().unwrap().check().unwrap_err();
    let sentence = "the file changed while it was in use; run again when nobody writes to it";
    assert_eq!(error.to_string(), sentence);
    assert!(write(&overwritten, "after.gr").unwrap_err().to_string().ends_with(sentence));
    assert!(!folder.path().join("after.gr").exists());

    let replaced = map();
    write_graph(&Output::Path(path.clone()), Format::KST, (&graph).into()).unwrap();
    replaced.parsed.mapped.unwrap().check().unwrap();

    let options = ReadOptions { copy: true, ..ReadOptions::default() };
    assert!(crate::read(&Input::Path(path), &options, &|_| {}).unwrap().parsed.mapped.is_none());
    assert!(load(&bytes).unwrap().parsed.mapped.is_none());
}
