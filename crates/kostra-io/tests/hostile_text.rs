//! Whatever the bytes, every reader answers with a graph or an error, the same on one thread and on
//! three; so does the reader that recognition picks.

use kostra_io::{
    ColumnChoice, ColumnOptions, Delimiter, FORMATS, Format, Header, MissingWeights, Nan,
    ReadOptions, Vertices, read_bytes,
};
use proptest::prelude::*;

/// Recognition, and each format.
fn formats() -> impl Iterator<Item = Option<Format>> {
    std::iter::once(None).chain(FORMATS.iter().copied().map(Some))
}

fn answer(bytes: &[u8], options: &ReadOptions) -> String {
    match read_bytes("x", bytes, options) {
        Ok(loaded) => {
            assert!(loaded.parsed.graph.edges() <= bytes.len(), "more edges than bytes");
            format!("{loaded:?}")
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(!sentence.chars().any(char::is_control), "{sentence:?}");
            sentence
        }
    }
}

/// Columns by name and position, with a header or without. No line has some of the columns.
fn choices() -> [ColumnOptions; 6] {
    let name = |name: &str| Some(ColumnChoice::NameOrPosition(name.into()));
    let at = ColumnChoice::Position;
    let weight = ColumnOptions { weight: name("weight"), ..ColumnOptions::default() };
    let positions =
        ColumnOptions { source: name("3"), target: name("1"), ..ColumnOptions::default() };
    [
        weight.clone(),
        positions.clone(),
        ColumnOptions { header: Header::Present, keep: vec![at(2), at(4)], ..positions },
        ColumnOptions { id: Some(at(1)), decimal_comma: true, ..ColumnOptions::default() },
        ColumnOptions {
            names: Some(vec!["u".into(), "v".into(), "weight".into()]),
            delimiter: Some(Delimiter::Byte(b';')),
            keep: vec![at(1)],
            ..ColumnOptions::default()
        },
        ColumnOptions { header: Header::Absent, ..weight },
    ]
}

fn assert_answers_agree_on_columns(bytes: &[u8]) {
    for columns in choices() {
        for (names, missing_weights) in [(false, None), (true, Some(MissingWeights::Unit))] {
            let (format, columns) = (Some(Format::EDGE_LIST), columns.clone());
            let vertices = Vertices::Occurring;
            let options = ReadOptions {
                format,
                names,
                vertices,
                missing_weights,
                columns,
                ..ReadOptions::default()
            };
            let options = |threads| ReadOptions { threads, ..options.clone() };
            assert_eq!(answer(bytes, &options(1)), answer(bytes, &options(3)));
        }
    }
}

fn assert_answers_agree(bytes: &[u8]) {
    for format in formats() {
        for names in [false, true] {
            let options = |threads| ReadOptions {
                format,
                names,
                threads,
                nan: Nan::Skip,
                ..ReadOptions::default()
            };
            assert_eq!(answer(bytes, &options(1)), answer(bytes, &options(3)));
        }
    }
}

const WORDS: [&str; 51] = [
    "p",
    "sp",
    "tw",
    "edge",
    "col",
    "a",
    "e",
    "c",
    "%%MatrixMarket",
    "matrix",
    "coordinate",
    "integer",
    "real",
    "pattern",
    "symmetric",
    "general",
    "0",
    "1",
    "2",
    "3",
    "4",
    "-1",
    "0.5",
    "1e9",
    "inf",
    "nan",
    "4294967295",
    "4294967296",
    "99999999999999999999",
    "9007199254740993",
    "9223372036854775808",
    "1,5",
    "from",
    "{}",
    "{'weight': 3}",
    "{",
    "}",
    "\"",
    "\"a b\"",
    ",",
    ";",
    "|",
    "\t",
    "#",
    "%",
    "//",
    "\r",
    "\u{feff}",
    "\0",
    "u",
    "weight",
];

const STARTS: [&str; 7] = [
    "",
    "p sp 4 3\n",
    "p tw 4 3\n",
    "p edge 4 3\n",
    "%%MatrixMarket matrix coordinate real general\n4 4 3\n",
    "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n",
    "# kostra edge list: 4 vertices, 3 edges\n",
];

/// Lines that are longer than the buffers of the readers and the head that recognition sees.
#[test]
fn long_lines_are_answered_in_a_sentence() {
    for unit in ["1", "1 ", " ", "a ", "x", "\"", "{", "1,", "%"] {
        let line = unit.repeat(70_000 / unit.len());
        for start in STARTS {
            let text = format!("{start}{line}\n");
            // A start is that of one format, which recognition picks.
            for format in formats().filter(|format| start.is_empty() || format.is_none()) {
                let options = ReadOptions { format, ..ReadOptions::default() };
                let error = read_bytes("x", text.as_bytes(), &options)
                    .map(|_| ())
                    .map_err(|error| error.to_string());
                assert!(
                    error.as_ref().err().is_none_or(|sentence| sentence.len() < 300),
                    "{error:?}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn bytes_are_answered(bytes: Vec<u8>) {
        assert_answers_agree(&bytes);
    }

    #[test]
    fn words_are_answered(
        start in 0..STARTS.len(),
        lines in prop::collection::vec(prop::collection::vec(0..WORDS.len(), 0..6), 0..8),
        separator in prop::sample::select(&[" ", ",", "\t", ""][..]),
    ) {
        let lines: Vec<String> = lines
            .iter()
            .map(|line| line.iter().map(|&word| WORDS[word]).collect::<Vec<_>>().join(separator))
            .collect();
        assert_answers_agree(format!("{}{}", STARTS[start], lines.join("\n")).as_bytes());
        assert_answers_agree_on_columns(lines.join("\n").as_bytes());
    }
}
