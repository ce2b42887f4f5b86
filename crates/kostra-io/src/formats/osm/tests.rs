//! Files are made here by a small encoder, so that every field can be wrong.

use std::io::Write;

use super::*;
use kostra_core::AnyGraph;

use crate::{ColumnOptions, Format, Loaded, RoadOptions, read_bytes};

fn varint(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn number(field: u64, value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    varint(field << 3, &mut bytes);
    varint(value, &mut bytes);
    bytes
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    varint(field << 3 | 2, &mut bytes);
    varint(value.len() as u64, &mut bytes);
    bytes.extend_from_slice(value);
    bytes
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

fn packed(field: u64, values: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut row = Vec::new();
    values.into_iter().for_each(|value| varint(value, &mut row));
    bytes(field, &row)
}

fn deltas(field: u64, values: impl IntoIterator<Item = i64>) -> Vec<u8> {
    let mut last = 0;
    packed(
        field,
        values
            .into_iter()
            .map(|value| zigzag(value.wrapping_sub(std::mem::replace(&mut last, value)))),
    )
}

fn blob_of(kind: &str, blob: &[u8]) -> Vec<u8> {
    let header = [bytes(1, kind.as_bytes()), number(3, blob.len() as u64)].concat();
    [&(header.len() as u32).to_be_bytes()[..], &header, blob].concat()
}

fn zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    [number(2, content.len() as u64), bytes(3, &encoder.finish().unwrap())].concat()
}

fn header() -> Vec<u8> {
    blob_of("OSMHeader", &zlib(&[bytes(4, b"OsmSchema-V0.6"), bytes(4, b"DenseNodes")].concat()))
}

/// A way with tags, which are pairs of indices into [`STRINGS`].
fn way(tags: &[(u64, u64)], nodes: &[i64]) -> Vec<u8> {
    let way = [
        number(1, 77),
        packed(2, tags.iter().map(|tag| tag.0)),
        packed(3, tags.iter().map(|tag| tag.1)),
        deltas(8, nodes.iter().copied()),
    ];
    bytes(3, &way.concat())
}

const STRINGS: [&str; 7] = ["", "highway", "residential", "proposed", "area", "yes", "building"];
const ROAD: &[(u64, u64)] = &[(1, 2)];

fn block(group: &[u8]) -> Vec<u8> {
    let table: Vec<u8> = STRINGS.iter().flat_map(|string| bytes(1, string.as_bytes())).collect();
    [bytes(1, &table), bytes(2, group)].concat()
}

/// Node `id` lies at longitude `id / 10`, latitude 0.
fn dense(ids: &[i64]) -> Vec<u8> {
    let longitudes = ids.iter().map(|id| id * 1_000_000);
    bytes(
        2,
        &[deltas(1, ids.iter().copied()), deltas(8, ids.iter().map(|_| 0)), deltas(9, longitudes)]
            .concat(),
    )
}

fn file(groups: &[Vec<u8>]) -> Vec<u8> {
    let blobs = groups.iter().flat_map(|group| blob_of("OSMData", &zlib(&block(group))));
    header().into_iter().chain(blobs).collect()
}

fn load(bytes: &[u8]) -> Result<Loaded, String> {
    let options =
        ReadOptions { format: Some(Format::OSM_PBF), threads: 2, ..ReadOptions::default() };
    read_bytes("x.osm.pbf", bytes, &options).map_err(|error| error.to_string())
}

fn points(loaded: &Loaded) -> &[[f64; 2]] {
    loaded.parsed.coordinates.as_ref().unwrap().points()
}

#[test]
fn roads_become_edges_as_long_as_the_great_circle() {
    let ways = [
        way(&[(6, 5)], &[1, 2]),
        way(ROAD, &[30, 10, 20]),
        way(&[(1, 3)], &[1, 2]),
        way(&[(1, 2), (4, 5)], &[1, 2]),
        way(&[(6, 5), (1, 2)], &[20, 40]),
    ];
    let loaded = load(&file(&[dense(&[1, 2, 10, 20, 30, 40]), ways.concat()])).unwrap();
    assert_eq!(
        (loaded.parsed.graph.u(), loaded.parsed.graph.v()),
        (&[0, 1, 2][..], &[1, 2, 3][..])
    );
    assert_eq!(points(&loaded), [[3.0, 0.0], [1.0, 0.0], [2.0, 0.0], [4.0, 0.0]]);
    let AnyGraph::F64(graph) = &loaded.parsed.graph else { panic!("{:?}", loaded.parsed.graph) };
    let degree = 1.0_f64.to_radians() * kostra_core::EARTH_RADIUS;
    for (weight, degrees) in graph.edge_list().weights().iter().zip([2.0, 1.0, 2.0]) {
        assert!((weight - degrees * degree).abs() < 1e-6);
    }
    assert!(loaded.parsed.notes.is_empty());
}

#[test]
fn roads_may_leave_the_extract() {
    let loaded = load(&file(&[dense(&[1, 2, 5]), way(ROAD, &[1, 2, 3, 4, 5, 1])])).unwrap();
    assert_eq!((loaded.parsed.graph.u(), loaded.parsed.graph.v()), (&[0, 2][..], &[1, 0][..]));
    assert_eq!(
        loaded.parsed.notes,
        ["3 edges are left out, because the extract lacks one of their ends"]
    );
    let loaded = load(&header()).unwrap();
    assert_eq!(
        (loaded.parsed.graph.vertices(), loaded.parsed.notes),
        (0, vec!["the extract has no roads".into()])
    );
}

#[test]
fn nodes_come_in_either_form_and_scale() {
    let node = |id: i64, latitude: i64, longitude: i64| {
        bytes(
            1,
            &[number(1, zigzag(id)), number(8, zigzag(latitude)), number(9, zigzag(longitude))]
                .concat(),
        )
    };
    let group = [node(-5, 1, 2), node(7, -3, 4), way(ROAD, &[-5, 7])].concat();
    let scaled = [
        block(&group),
        number(17, 1_000_000_000),
        number(19, 500_000_000),
        number(20, (-1_i64) as u64),
    ];
    let loaded = load(&[header(), blob_of("OSMData", &zlib(&scaled.concat()))].concat()).unwrap();
    assert_eq!(points(&loaded), [[1.999_999_999, 1.5], [3.999_999_999, -2.5]]);
}

#[test]
fn blobs_may_be_raw_or_zstd_and_unknown_ones_are_passed_over() {
    let group = block(&[dense(&[1, 2]), way(ROAD, &[1, 2])].concat());
    let packed = zstd::encode_all(&group[..], 1).unwrap();
    for blob in [bytes(1, &group), bytes(7, &packed)] {
        let bytes = [header(), blob_of("Thumbnail", b"?"), blob_of("OSMData", &blob)].concat();
        assert_eq!(load(&bytes).unwrap().parsed.graph.edges(), 1);
    }
    let lz4 = [header(), blob_of("OSMData", &bytes(6, &packed))].concat();
    assert!(
        load(&lz4)
            .unwrap_err()
            .contains("this block is compressed with lz4, which Kostra does not read; rewrite it")
    );
}

#[test]
fn files_that_cannot_be_are_named() {
    assert_eq!(
        load(&blob_of("OSMData", &zlib(b""))).unwrap_err(),
        "x.osm.pbf: byte 15: the first block is no OSMHeader: this is no OpenStreetMap file"
    );
    let history = blob_of("OSMHeader", &bytes(1, &bytes(4, b"HistoricalInformation")));
    assert_eq!(
        load(&history).unwrap_err(),
        "x.osm.pbf: byte 17: the file requires 'HistoricalInformation' of its reader, which Kostra does not have"
    );
    assert_eq!(
        load(b"p sp 1 0\n").unwrap_err(),
        "x.osm.pbf: byte 0: a header of 1881174896 bytes is announced, where 65536 are the most"
    );
    let huge = [bytes(1, b"OSMHeader"), number(3, 1 << 40)].concat();
    let huge = [&(huge.len() as u32).to_be_bytes()[..], &huge].concat();
    assert_eq!(
        load(&huge).unwrap_err(),
        "x.osm.pbf: byte 4: a block of 1099511627776 bytes is announced, where 33554432 are the most"
    );
    let damaged = |content: &[u8]| {
        load(&[header(), blob_of("OSMData", &zlib(content))].concat()).unwrap_err()
    };
    for content in [
        block(&way(&[(1, 99)], &[1, 2])),
        block(&way(ROAD, &[i64::MAX - 1, -9])),
        block(&bytes(2, &[deltas(1, [1, 2]), deltas(8, [0, 0]), deltas(9, [0])].concat())),
        block(&bytes(2, &[deltas(1, [1]), deltas(8, [900_000_001]), deltas(9, [0])].concat())),
        [block(&dense(&[1])), number(17, i64::MAX as u64)].concat(),
        vec![0x0b],
    ] {
        let message = damaged(&content);
        assert!(message.ends_with("this block is damaged"), "{message}");
    }
    let bomb = damaged(&vec![0; (32 << 20) + 1]);
    assert!(
        bomb.ends_with("this block is longer than 33554432 bytes, which are the most"),
        "{bomb}"
    );
}

#[test]
fn no_truncation_goes_unnoticed() {
    let whole = file(&[dense(&[1, 2]), way(ROAD, &[1, 2])]);
    let mut ends = vec![header().len()];
    ends.push(ends[0] + blob_of("OSMData", &zlib(&block(&dense(&[1, 2])))).len());
    for length in 1..whole.len() {
        let result = load(&whole[..length]);
        assert_eq!(result.is_ok(), ends.contains(&length), "{length}");
        if let Err(message) = result {
            assert_eq!(message, format!("x.osm.pbf: byte {length}: the file ends within a block"));
        }
    }
}

/// Damage is found, or makes another file that is whole; nothing panics.
#[test]
fn damage_never_panics() {
    let groups = [dense(&[1, 2, 3]), [dense(&[5]), way(ROAD, &[1, 2, 3, 5])].concat()];
    let raw = groups.iter().flat_map(|group| blob_of("OSMData", &bytes(1, &block(group))));
    let whole: Vec<u8> = header().into_iter().chain(raw).collect();
    assert_eq!(load(&whole).unwrap().parsed.graph.edges(), 3);
    for at in 0..whole.len() {
        for flip in [0x01, 0x02, 0x08, 0x40, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= flip;
            let _ = load(&damaged);
        }
    }
}

#[test]
fn a_block_that_expands_without_bounds_is_refused() {
    // Two million nodes, each one byte from the last: some kilobytes, as the file stores them.
    let nodes: Vec<i64> = (1..2_000_000).collect();
    let sentence = "expands to more nodes or tags than any real extract has";
    for group in [way(ROAD, &nodes), [way(ROAD, &[1, 2]), dense(&nodes)].concat()] {
        let bomb = file(&[group]);
        assert!(bomb.len() < 100_000, "{}", bomb.len());
        let error = load(&bomb).unwrap_err();
        assert!(error.starts_with("x.osm.pbf: byte ") && error.contains(sentence), "{error}");
    }
    // Many blocks, each small enough by itself.
    let some = way(ROAD, &nodes[..400_000]);
    let error = load(&file(&[some.clone(), some.clone(), some.clone(), some.clone()])).unwrap_err();
    assert!(error.contains(sentence), "{error}");
    assert!(load(&file(&[some.clone(), some])).is_ok());
}

fn load_with(bytes: &[u8], options: ReadOptions) -> Result<Loaded, String> {
    let options = ReadOptions { format: Some(Format::OSM_PBF), threads: 2, ..options };
    read_bytes("x.osm.pbf", bytes, &options).map_err(|error| error.to_string())
}

#[test]
fn roads_are_chosen_by_their_value_and_a_box() {
    let ways = [way(ROAD, &[1, 2, 3, 4]), way(&[(1, 5)], &[3, 4])];
    let bytes = file(&[dense(&[1, 2, 3, 4]), ways.concat()]);
    let highway = |value: &str| RoadOptions { highway: vec![value.into()], bbox: None };
    let edges = |roads| {
        let loaded = load_with(&bytes, ReadOptions { roads, ..ReadOptions::default() }).unwrap();
        let notes: String = loaded.parsed.notes.iter().map(ToString::to_string).collect();
        (loaded.parsed.graph.edges(), notes)
    };
    assert_eq!(edges(RoadOptions::default()), (4, String::new()));
    assert_eq!(edges(highway("yes")), (1, String::new()));
    let none = "`highway`: no road of the extract has the value 'rail'".into();
    assert_eq!(edges(highway("rail")), (0, none));
    let misspelt = RoadOptions { highway: vec!["yes".into(), "residental".into()], bbox: None };
    let loaded = load_with(&bytes, ReadOptions { roads: misspelt, ..ReadOptions::default() });
    let said = "`highway`: no road of the extract has the value 'residental'";
    assert_eq!(loaded.unwrap().parsed.warnings, [said]);
    // Nodes 2 and 3.
    let bbox = "0.15,-1,0.3,1".parse().map(Some).unwrap();
    let note = "3 edges are left out, because the box or the extract lacks one of their ends";
    assert_eq!(edges(RoadOptions { bbox, highway: vec![] }), (1, note.into()));
    let swapped = RoadOptions { bbox: "-1,0.15,1,0.3".parse().ok(), highway: vec![] };
    let loaded = load_with(&bytes, ReadOptions { roads: swapped, ..ReadOptions::default() });
    let said = "`bbox`: no road of the extract is in the box; its order is west,south,east,north";
    assert_eq!(loaded.unwrap().parsed.warnings, [said]);
    let across: BoundingBox = "179,-1,-179,1".parse().unwrap();
    assert!(across.contains([179.5, 0.0]) && across.contains([-180.0, 1.0]));
    assert!(!across.contains([0.0, 0.0]) && !across.contains([180.0, 2.0]));
    for text in ["1,2,3", "a,b,c,d", "0,1,0,-1", "0,0,181,1", "nan,0,1,1"] {
        assert!(text.parse::<BoundingBox>().is_err(), "{text}");
    }
}

#[test]
fn ids_and_tags_are_kept_on_request() {
    let bytes = file(&[dense(&[10, 20, 30]), way(&[(6, 5), (1, 2)], &[30, 10, 20])]);
    let choice = |name: &str| ColumnChoice::NameOrPosition(name.into());
    let columns = ColumnOptions {
        id: Some(choice("way")),
        keep: vec![choice("building"), choice("nam")],
        ..ColumnOptions::default()
    };
    let options = ReadOptions { names: true, columns, ..ReadOptions::default() };
    let loaded = load_with(&bytes, options.clone()).unwrap();
    assert_eq!(loaded.parsed.names.unwrap(), ["30", "10", "20"]);
    let kept = loaded.parsed.kept.unwrap();
    assert_eq!(kept.names(), ["way", "building", "nam"]);
    for edge in 0..2 {
        assert_eq!(kept.row(edge).collect::<Vec<_>>(), ["77", "yes", ""]);
    }
    assert_eq!(loaded.parsed.warnings, ["no road has the tag 'nam'"]);
    let source = ColumnOptions { source: Some(choice("a")), ..options.columns };
    let error = load_with(&bytes, ReadOptions { columns: source, ..options }).unwrap_err();
    assert!(error.contains("`source` applies to edge lists only"), "{error}");
    let roads = RoadOptions { highway: vec!["yes".into()], bbox: None };
    let options = ReadOptions { roads, ..ReadOptions::default() };
    let error = read_bytes("x", b"0 1\n", &options).unwrap_err().to_string();
    assert!(error.contains("`highway` applies to OpenStreetMap files"), "{error}");
}
