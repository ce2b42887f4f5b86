#![no_main]
//! The readers of points: tables as text, arrays of NumPy, `.npz` archives and GeoJSON.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kostra_fuzz::check_points(bytes));
