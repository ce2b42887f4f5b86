//! Writes output files.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use kostra_io::{Output, write_atomically};

/// Writes a file as a whole or not at all. Creates its folder if there is none.
///
/// # Errors
/// If the folder cannot be created, or the file cannot be written.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> Result<()> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        write_atomically(&Output::Path(path.to_owned()), |file| file.write_all(bytes))?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
