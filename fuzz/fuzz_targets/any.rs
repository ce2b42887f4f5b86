#![no_main]
//! Recognition of formats and compressions, and the readers that it chooses.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kostra_fuzz::check(None, bytes));
