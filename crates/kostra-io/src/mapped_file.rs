//! A file that must not change while it is mapped into memory.

use std::fs::File;
use std::io;
use std::sync::Arc;

use crate::ReadErrorKind;
use crate::file_version::FileInUse;

/// A file that is mapped into memory, with its version at that moment.
///
/// The file is kept open: a new file that is renamed over it changes nothing.
#[derive(Clone, Debug)]
pub struct MappedFile(Arc<FileInUse>);

impl MappedFile {
    /// Records the version of a file that is about to be mapped.
    pub(crate) fn new(file: File) -> io::Result<Self> {
        Ok(Self(Arc::new(FileInUse::open(file)?)))
    }

    /// Checks that nobody has written to the file since it was mapped. If somebody has, results
    /// that were computed from its graph are not valid.
    ///
    /// # Errors
    /// [`ReadErrorKind::Changed`] if the file was written to; [`ReadErrorKind::Io`] if the system
    /// cannot tell.
    pub fn check(&self) -> Result<(), ReadErrorKind> {
        self.0.check()
    }
}
