#![no_main]
//! The updates that `kostra watch` reads.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kostra_fuzz::check_updates(bytes));
