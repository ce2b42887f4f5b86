#![no_main]
use kostra_io::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kostra_fuzz::check(Some(Format::Gap), bytes));
