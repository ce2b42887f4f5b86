//! Reading past the system's cache.
//!
//! A file that is larger than the memory is read once, so its pages are of no use in the cache. To
//! put them there takes the processor more time than anything else that a solve of the file does.

use std::fs::File;

/// The unit of the offsets and lengths of direct reads, and of the addresses that they write to.
/// Some devices accept smaller ones.
pub(super) const PAGE: usize = 4 << 10;

/// The number of places of a file that are looked up in the cache.
#[cfg(target_os = "linux")]
const SAMPLE: u64 = 16;

/// Lets reads of a file of `length` bytes bypass the cache, if the cache does not contain most of
/// the file; whether they do. Reads must then be of whole pages.
#[cfg(target_os = "linux")]
pub(super) fn start(file: &File, length: u64) -> bool {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    let places = (0..SAMPLE).map(|at| length / SAMPLE * at);
    let cached = places.filter(|&place| is_cached(file, place)).count() as u64;
    2 * cached < SAMPLE
        && fcntl_getfl(file).and_then(|flags| fcntl_setfl(file, flags | OFlags::DIRECT)).is_ok()
}

/// Whether the byte at a place is in the cache.
#[cfg(target_os = "linux")]
fn is_cached(file: &File, place: u64) -> bool {
    use rustix::io::{ReadWriteFlags, preadv2};
    let mut byte = [0];
    let mut into = [std::io::IoSliceMut::new(&mut byte)];
    preadv2(file, &mut into, place, ReadWriteFlags::NOWAIT).is_ok()
}

/// Lets reads go through the cache again.
#[cfg(target_os = "linux")]
pub(super) fn stop(file: &File) -> std::io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    Ok(fcntl_setfl(file, fcntl_getfl(file)? - OFlags::DIRECT)?)
}

/// Other systems have other means.
#[cfg(not(target_os = "linux"))]
pub(super) fn start(_file: &File, _length: u64) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub(super) fn stop(_file: &File) -> std::io::Result<()> {
    Ok(())
}
