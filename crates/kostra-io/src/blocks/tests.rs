//! What blocks of lines promise.

use std::sync::{Arc, Mutex};

use super::*;
use crate::compression::Stream;
use crate::held_memory::{AskMemory, HeldMemory};
use crate::source::from_bytes;

/// Copies lines; a line that starts with `!` is a fault at its second byte.
struct Copy;

impl Parser for Copy {
    type Chunk = Vec<u8>;

    fn parse(&self, block: &[u8], chunk: &mut Vec<u8>) -> Result<(), BlockFault> {
        let mut offset = 0;
        for line in block.split_inclusive(|&byte| byte == b'\n') {
            assert_eq!(line.last(), Some(&b'\n'));
            if line.starts_with(b"!") {
                return Err(BlockFault::new(offset + 1, "an exclamation"));
            }
            chunk.extend_from_slice(line);
            offset += line.len();
        }
        Ok(())
    }
}

fn text(bytes: &[u8], block_size: usize) -> Text<'_> {
    Text::with_block_size(Stream::new(from_bytes(bytes)).unwrap(), block_size).unwrap()
}

fn copy(text: Text<'_>, threads: usize) -> Result<(Vec<u8>, u64), String> {
    let mut copied = Vec::new();
    let result = text.parse(threads, &Copy, |chunk, _| {
        copied.append(chunk);
        Ok(())
    });
    result.map(|lines| (copied, lines)).map_err(|fault| fault.in_input("x").to_string())
}

#[test]
fn blocks_are_joined_in_order_whatever_their_size_and_the_number_of_threads() {
    let lines: String =
        (0..5_000).map(|line| format!("{line}{}\n", "x".repeat(line % 57))).collect();
    for block_size in [1, 16, 100, BLOCK_BYTES] {
        for threads in [1, 2, 3, 8] {
            let (copied, count) = copy(text(lines.as_bytes(), block_size), threads).unwrap();
            assert!(copied == lines.as_bytes() && count == 5_000, "{block_size} {threads}");
        }
    }
}

#[test]
fn the_first_fault_in_the_order_of_the_input_is_reported() {
    let mut lines = "some line\n".repeat(1_000);
    lines.push_str("!\n");
    lines.push_str(&"!again\n".repeat(1_000));
    for block_size in [1, 16, 100, BLOCK_BYTES] {
        for threads in [1, 2, 3] {
            let error = copy(text(lines.as_bytes(), block_size), threads).unwrap_err();
            assert_eq!(error, "x: line 1001, column 2: an exclamation");
        }
    }
}

#[test]
fn the_last_line_needs_no_newline_and_a_byte_order_mark_is_left_out() {
    for (input, output) in
        [("", ""), ("a", "a\n"), ("a\n\nb", "a\n\nb\n"), ("\u{feff}a\n", "a\n"), ("\n", "\n")]
    {
        for block_size in [1, 2, 16] {
            assert_eq!(copy(text(input.as_bytes(), block_size), 1).unwrap().0, output.as_bytes());
        }
    }
}

#[test]
fn lines_of_a_header_come_one_by_one_and_the_rest_in_blocks() {
    for block_size in [1, 4, 16] {
        let mut text = text(b"one\r\n\ntwo\nthree\n!", block_size);
        for expected in ["one", "", "two"] {
            assert_eq!(text.line().unwrap(), Some(expected.as_bytes()));
            text.skip().unwrap();
        }
        assert_eq!(text.sample(3).unwrap().get(..3), Some(&b"thr"[..]));
        assert_eq!(text.line_number(), 4);
        assert_eq!(copy(text, 2).unwrap_err(), "x: line 5, column 2: an exclamation");
    }
    let mut text = text(b"one", 16);
    text.skip().unwrap();
    assert_eq!(text.line().unwrap(), None);
}

#[test]
fn a_line_beyond_all_measure_is_an_error() {
    let lines = format!("short\n{}\n", "x".repeat(1_000));
    for block_size in [1, 16, 300] {
        let mut text = text(lines.as_bytes(), block_size);
        text.longest_line = 500;
        let error = copy(text, 2).unwrap_err();
        assert_eq!(
            error,
            "x: line 2, column 1: this line is longer than 500 bytes, the most that Kostra reads"
        );
    }
    let mut text = text(lines.as_bytes(), 16);
    text.longest_line = 500;
    text.skip().unwrap();
    assert!(text.line().is_err());
}

#[test]
fn a_line_for_which_there_is_no_memory_is_refused_with_the_limit_that_suffices() {
    for (at, lines) in [(1, "x".repeat(2_000_000)), (3, "\n\n".to_owned() + &"x".repeat(2_000_000))]
    {
        for end in ["", "\n", "\nrest"] {
            let asked = Arc::new(Mutex::new(Vec::new()));
            let seen = Arc::clone(&asked);
            let ask: AskMemory = Arc::new(move |bytes| {
                seen.lock().unwrap().push(bytes);
                Ok((bytes > 1 << 20).then_some(((bytes >> 20) + 1) << 20))
            });
            let content = lines.clone() + end;
            let mut stream = Stream::new(from_bytes(content.as_bytes())).unwrap();
            stream.memory = HeldMemory { ask: Some(ask) };
            let mut text = Text::new(stream).unwrap();
            let error = match at {
                1 => text.line().unwrap_err(),
                _ => text.parse(2, &Copy, |_, _| Ok(())).unwrap_err(),
            };
            assert_eq!(
                error.in_input("x").to_string(),
                format!(
                    "x: line {at}, column 1: this line of 2000000 bytes takes more memory; pass at \
                     least a limit of 5 MiB, or shorten it"
                )
            );
            let asked = asked.lock().unwrap();
            assert_eq!(asked.last(), Some(&(2 * (2_000_000 + BLOCK_BYTES as u64))));
            assert!(asked.len() < 12, "{asked:?}");
        }
    }
}

#[test]
fn utf_16_is_an_error_that_says_so() {
    let Err(fault) = Text::new(Stream::new(from_bytes(b"\xff\xfe1\0 \0")).unwrap()) else {
        panic!("it is read")
    };
    assert_eq!(fault.in_input("x").to_string(), "x: this is UTF-16 text; save it as UTF-8");
}
