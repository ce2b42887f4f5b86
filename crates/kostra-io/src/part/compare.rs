//! Hashes of ranges of a file, which two processes compare to find out whether their files are
//! equal there.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::{ReadError, ReadErrorKind};
use kostra_core::shown;

/// The most bytes that one hash covers: enough for sequential reads, and few enough to locate a
/// difference.
const PIECE: u64 = 1 << 20;

/// Divides ranges into pieces of at most 1 MiB.
pub fn pieces(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let cut = |range: &Range<u64>| {
        let end = range.end;
        range.clone().step_by(PIECE as usize).map(move |start| start..end.min(start + PIECE))
    };
    ranges.iter().flat_map(cut).collect()
}

/// The XXH3 hash (64 bits) of each range of a file. The part of a range beyond the end of the file
/// is ignored.
///
/// # Errors
/// When the file cannot be opened or read.
pub fn hash_ranges(
    path: &Path,
    ranges: impl IntoIterator<Item = Range<u64>>,
) -> Result<Vec<u64>, ReadError> {
    let hashes = || -> io::Result<Vec<u64>> {
        let mut file = File::open(path)?;
        let mut bytes = Vec::new();
        let hash = |range: Range<u64>| {
            bytes.clear();
            file.seek(SeekFrom::Start(range.start))?;
            file.by_ref().take(range.end.saturating_sub(range.start)).read_to_end(&mut bytes)?;
            Ok(xxh3_64(&bytes))
        };
        ranges.into_iter().map(hash).collect()
    };
    hashes().map_err(|cause| ReadError {
        input: shown(path),
        place: None,
        kind: ReadErrorKind::Io(cause),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_ranges_in_order() {
        let ranges = [0..3, 7..7, 10..10 + 2 * PIECE + 5];
        let found = pieces(&ranges);
        assert_eq!(
            found,
            [0..3, 10..10 + PIECE, 10 + PIECE..10 + 2 * PIECE, 10 + 2 * PIECE..15 + 2 * PIECE]
        );
    }

    #[test]
    fn hashes_differ_where_a_byte_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut bytes = vec![b'x'; 3000];
        let hashes = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            hash_ranges(&path, [0..1000, 1000..2000, 2000..9000]).unwrap()
        };
        let before = hashes(&bytes);
        bytes[1999] = b'y';
        let after = hashes(&bytes);
        assert!(before[0] == after[0] && before[1] != after[1] && before[2] == after[2]);
        assert!(hash_ranges(&folder.path().join("missing"), []).is_err());
    }
}
