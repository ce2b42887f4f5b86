#![no_main]
//! The reader and the writer of the format whose id is in `KOSTRA_FUZZ_FORMAT`.

use std::sync::LazyLock;

use kostra_io::Format;

static FORMAT: LazyLock<Format> = LazyLock::new(|| {
    let id = std::env::var("KOSTRA_FUZZ_FORMAT").expect("KOSTRA_FUZZ_FORMAT is the id of a format");
    id.parse().expect("KOSTRA_FUZZ_FORMAT is the id of a format")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kostra_fuzz::check(Some(*FORMAT), bytes));
