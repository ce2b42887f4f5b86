#![no_main]
//! The log of `kostra watch`.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kostra_fuzz::check_log(bytes));
