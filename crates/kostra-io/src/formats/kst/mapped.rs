//! The bytes of a file: mapped, or read into memory.
#![allow(unsafe_code, reason = "a memory map has no safe form")]

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};

use kostra_core::memory;
use memmap2::Mmap;

use super::header::{Header, LONGEST, check_edges_in_memory, check_length};
use crate::compression::fill;
use crate::fault::Fault;
use crate::source::from_io;
use crate::{MappedFile, ReadErrorKind};

/// The whole file, aligned for every type of number.
#[derive(Debug)]
pub(super) enum Bytes {
    Mapped(Map),
    Owned { words: Vec<u64>, length: usize },
}

impl Bytes {
    /// Maps a file.
    pub(super) fn map(file: File) -> io::Result<Self> {
        Map::new(file).map(Self::Mapped)
    }

    /// The file, if it is mapped.
    pub(super) fn mapped_file(&self) -> Option<&MappedFile> {
        match self {
            Self::Mapped(map) => Some(&map.file),
            Self::Owned { .. } => None,
        }
    }

    /// Reads a file, but no more than its header announces. The header is checked before the rest
    /// is read.
    pub(super) fn read(from: &mut impl Read) -> Result<Self, Fault> {
        let mut head = [0; LONGEST];
        let have = fill(from, &mut head).map_err(from_io)?;
        let head = head.get(..have).unwrap_or_default();
        if head.is_empty() {
            return Err(ReadErrorKind::Empty.into());
        }
        let (header, _, announced) = Header::decode(head)?;
        check_edges_in_memory(&header)?;
        let length = usize::try_from(announced)
            .map_err(|_| ReadErrorKind::OutOfMemory { bytes: announced })?;
        // Cleared by the system and not touched: a header that lies takes no more than its file
        // has.
        let mut words: Vec<u64> = memory::zeros(length.div_ceil(size_of::<u64>()))?;
        let bytes = bytemuck::cast_slice_mut(&mut words).get_mut(..length).unwrap_or_default();
        let (first, rest) = bytes.split_at_mut(have.min(length));
        first.copy_from_slice(head.get(..first.len()).unwrap_or_default());
        let have = have + fill(from, rest).map_err(from_io)?;
        check_length(have as u64, announced)?;
        if fill(from, &mut [0]).map_err(from_io)? > 0 {
            let sentence =
                format!("the file goes on after the {length} bytes that its header announces");
            return Err(Fault::at_byte(announced, sentence));
        }
        Ok(Self::Owned { words, length })
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => &map.map,
            Self::Owned { words, length } => {
                bytemuck::cast_slice(words.as_slice()).get(..*length).unwrap_or_default()
            }
        }
    }
}

/// The most maps that [`is_in_mapped_file`] can find at a time. Further maps work, but are not
/// found.
const KNOWN: usize = 64;

/// The start and end of each map; zeros in unused entries.
static MAPS: [[AtomicUsize; 2]; KNOWN] =
    [const { [AtomicUsize::new(0), AtomicUsize::new(0)] }; KNOWN];

/// Whether an address is in a `.kst` file that is mapped into memory. Safe in signal handlers.
///
/// Reading a mapped file that has become shorter raises SIGBUS. A program that handles the signal
/// can find out by this function that the file is the cause.
pub fn is_in_mapped_file(address: usize) -> bool {
    MAPS.iter().any(|[start, end]| {
        (start.load(Ordering::Relaxed)..end.load(Ordering::Relaxed)).contains(&address)
    })
}

/// A map that [`is_in_mapped_file`] finds.
#[derive(Debug)]
pub(super) struct Map {
    map: Mmap,
    file: MappedFile,
    slot: Option<&'static [AtomicUsize; 2]>,
}

impl Map {
    fn new(file: File) -> io::Result<Self> {
        let in_use = MappedFile::new(file.try_clone()?)?;
        // SAFETY: the map is read-only. The system cannot guarantee that the file does not change;
        // `open_kst` requires it of the caller. Bytes are checked before they are used. Bytes that
        // change later can give a wrong graph, but no invalid value, because every section consists
        // of plain numbers.
        let map = unsafe { Mmap::map(&file) }?;
        let start = map.as_ptr() as usize;
        let is_taken = |[first, _]: &&[AtomicUsize; 2]| {
            first.compare_exchange(0, start, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        let slot = MAPS.iter().find(is_taken);
        if let Some([_, end]) = slot {
            end.store(start + map.len(), Ordering::Relaxed);
        }
        Ok(Self { map, file: in_use, slot })
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // Before the memory is given back, so that nothing else is ever taken for the file.
        if let Some([start, end]) = self.slot {
            end.store(0, Ordering::Relaxed);
            start.store(0, Ordering::Relaxed);
        }
    }
}
