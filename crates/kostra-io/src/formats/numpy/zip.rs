//! The files of a ZIP archive, stored or deflated.

use std::collections::HashMap;
use std::io::Read;

use kostra_core::memory;

use super::array::At;

/// The first bytes of a file in the archive, of its entry in the directory, and of the end.
pub(crate) const FILE: &[u8] = b"PK\x03\x04";
const ENTRY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// The number of bytes of each, without names.
const FILE_BYTES: usize = 30;
const ENTRY_BYTES: usize = 46;
const END_BYTES: usize = 22;

const STORED: usize = 0;
const DEFLATED: usize = 8;

/// The most bytes that one deflated byte stands for.
const MOST_RATIO: usize = 1032;

/// A file in an archive.
#[derive(Debug)]
struct Entry<'a> {
    name: &'a [u8],
    /// How the file is compressed: [`STORED`], [`DEFLATED`], or a method that is not read.
    method: usize,
    is_encrypted: bool,
    checksum: u32,
    packed: usize,
    size: usize,
    /// The offset of the file.
    at: usize,
}

/// A number of two or four bytes.
fn word(bytes: &[u8], at: usize, size: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(size)?)?;
    Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte)))
}

/// The name of the first file of an archive.
pub(super) fn first_name(bytes: &[u8]) -> Option<&[u8]> {
    let length = word(bytes.strip_prefix(FILE).map(|_| bytes)?, 26, 2)?;
    bytes.get(FILE_BYTES..FILE_BYTES + length)
}

/// An archive in memory.
#[derive(Debug)]
pub(crate) struct Archive<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry<'a>>,
    /// The place of each entry by its name, of the first if several have it.
    by_name: HashMap<&'a [u8], usize>,
}

impl<'a> Archive<'a> {
    /// Reads the directory at the end of an archive.
    pub(crate) fn parse(bytes: &'a [u8]) -> At<Self> {
        let cut = || (bytes.len(), "the archive has no directory; it is cut short".to_owned());
        let end = memchr::memmem::rfind(bytes, END).ok_or_else(cut)?;
        if bytes.len() - end < END_BYTES {
            return Err(cut());
        }
        let count = word(bytes, end + 10, 2).ok_or_else(cut)?;
        let mut at = word(bytes, end + 16, 4).ok_or_else(cut)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let (entry, next) = Self::entry(bytes, at).ok_or_else(|| {
                (at, "the directory of the archive is damaged; save it again".to_owned())
            })?;
            entries.push(entry);
            at = next;
        }
        // Many files that share bytes would take memory out of proportion to the archive.
        let mut places: Vec<_> = entries.iter().map(|entry| (entry.at, entry.packed)).collect();
        places.sort_unstable();
        for (&(at, packed), &(next, _)) in places.iter().zip(places.iter().skip(1)) {
            if at.saturating_add(FILE_BYTES).saturating_add(packed) > next {
                return Err((next, "two files of the archive share bytes; save it again".into()));
            }
        }
        let mut by_name = HashMap::new();
        for (place, entry) in entries.iter().enumerate() {
            by_name.entry(entry.name).or_insert(place);
        }
        Ok(Self { bytes, entries, by_name })
    }

    /// The names of the files that are text.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.entries.iter().filter_map(|entry| str::from_utf8(entry.name).ok())
    }

    /// The name of the file, if the archive contains one file.
    #[cfg(feature = "image")]
    pub(crate) fn only_name(&self) -> Option<&'a str> {
        let mut files = self.entries.iter().filter(|entry| !entry.name.ends_with(b"/"));
        let name = files.next().filter(|_| files.next().is_none())?.name;
        str::from_utf8(name).ok()
    }

    /// The entry of the directory at a byte, and the byte of the next.
    fn entry(bytes: &'a [u8], at: usize) -> Option<(Entry<'a>, usize)> {
        let rest = bytes.get(at..)?;
        let field = |offset, size| word(rest, offset, size);
        let (name, extra, comment) = (field(28, 2)?, field(30, 2)?, field(32, 2)?);
        let entry = Entry {
            name: rest.get(ENTRY_BYTES..ENTRY_BYTES + name)?,
            method: field(10, 2)?,
            is_encrypted: field(8, 2)? & 1 != 0,
            checksum: field(16, 4)? as u32,
            packed: field(20, 4)?,
            size: field(24, 4)?,
            at: field(42, 4)?,
        };
        let next = at + ENTRY_BYTES + name + extra + comment;
        rest.starts_with(ENTRY).then_some((entry, next))
    }

    /// The content of the file with this name, and the offset of the file; none if there is no such
    /// file.
    pub(crate) fn file(&self, name: &str) -> At<Option<(Vec<u8>, usize)>> {
        let place = self.by_name.get(name.as_bytes());
        let Some(entry) = place.and_then(|&place| self.entries.get(place)) else {
            return Ok(None);
        };
        let fault = |sentence: &str| (entry.at, format!("{name}: {sentence}; save it again"));
        if entry.is_encrypted {
            let sentence = "a password encrypts the file; save it without one";
            return Err((entry.at, format!("{name}: {sentence}")));
        }
        if !matches!(entry.method, STORED | DEFLATED) {
            return Err(fault("the file is compressed by another method than deflate"));
        }
        let packed = self.packed(entry).ok_or_else(|| fault("the file is damaged"))?;
        let content = if entry.method == DEFLATED {
            if entry.size / MOST_RATIO > packed.len() {
                return Err(fault("the file claims an impossible size"));
            }
            let mut content = memory::with_capacity(entry.size).map_err(|refusal| {
                (entry.at, format!("{name} needs {} bytes of memory", refusal.bytes))
            })?;
            let mut decoder = flate2::read::DeflateDecoder::new(packed).take(entry.size as u64);
            decoder
                .read_to_end(&mut content)
                .map_err(|_| fault("the compressed stream is damaged"))?;
            content
        } else {
            packed.to_vec()
        };
        let mut checksum = flate2::Crc::new();
        checksum.update(&content);
        if checksum.sum() != entry.checksum || content.len() != entry.size {
            return Err(fault("the checksum is wrong, so the file is damaged"));
        }
        Ok(Some((content, entry.at)))
    }

    /// The stored bytes of a file.
    fn packed(&self, entry: &Entry<'_>) -> Option<&'a [u8]> {
        let file =
            self.bytes.get(entry.at..)?.strip_prefix(FILE).and(self.bytes.get(entry.at..))?;
        let start = FILE_BYTES + word(file, 26, 2)? + word(file, 28, 2)?;
        file.get(start..start.checked_add(entry.packed)?)
    }
}
