#![no_main]
//! Recognition of formats and compressions, and whatever they lead to.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kostra_fuzz::check(None, bytes));
