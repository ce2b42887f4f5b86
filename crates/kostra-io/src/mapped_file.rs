//! A file that must not change while it is mapped into memory.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use crate::ReadErrorKind;

/// A file that is mapped into memory, with its length and modification time at that moment.
///
/// The file is kept open, so device and inode stay the same: a new file that is renamed over it
/// changes nothing.
#[derive(Clone, Debug)]
pub struct MappedFile(Arc<Original>);

#[derive(Debug)]
struct Original {
    file: File,
    length: u64,
    modified: SystemTime,
}

impl MappedFile {
    /// Records the length and modification time of a file that is about to be mapped.
    pub(crate) fn new(file: File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        let (length, modified) = (metadata.len(), metadata.modified()?);
        Ok(Self(Arc::new(Original { file, length, modified })))
    }

    /// The open file.
    pub(crate) fn file(&self) -> &File {
        &self.0.file
    }

    /// Checks that the file still has the length and modification time that it had when it was
    /// mapped. If it has not, results that were computed from its graph are not valid.
    ///
    /// # Errors
    /// [`ReadErrorKind::Changed`] if the file was written to; [`ReadErrorKind::Io`] if the system
    /// cannot tell.
    pub fn check(&self) -> Result<(), ReadErrorKind> {
        let Original { file, length, modified } = &*self.0;
        let metadata = file.metadata().map_err(ReadErrorKind::Io)?;
        let is_unchanged = metadata.len() == *length
            && metadata.modified().map_err(ReadErrorKind::Io)? == *modified;
        if is_unchanged { Ok(()) } else { Err(ReadErrorKind::Changed) }
    }
}
