//! Numbers for the names of vertices.

use std::collections::HashMap;

use kostra_core::memory::{self, OutOfMemory};
use kostra_core::{GraphError, MAX_VERTICES, Vertex};

use crate::ReadErrorKind;

/// The numbers of the names, in order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    numbers: HashMap<Box<str>, Vertex>,
}

impl Numbering {
    /// The number of a name; a new name gets the next number.
    ///
    /// # Errors
    /// When there are too many names, or the system does not grant the memory.
    pub(crate) fn number(&mut self, name: &str) -> Result<Vertex, ReadErrorKind> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        let number = self.numbers.len();
        if number >= MAX_VERTICES {
            return Err(GraphError::TooManyVertices { vertices: number as u64 + 1 }.into());
        }
        let bytes = (number + 1) * size_of::<(Box<str>, Vertex)>();
        self.numbers
            .try_reserve(1)
            .map_err(|_| ReadErrorKind::OutOfMemory { bytes: bytes as u64 })?;
        self.numbers.insert(name.into(), number as Vertex);
        Ok(number as Vertex)
    }

    /// The names by number.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub(crate) fn into_names(self) -> Result<Vec<String>, OutOfMemory> {
        let mut names = memory::filled(self.numbers.len(), String::new())?;
        for (name, number) in self.numbers {
            if let Some(place) = names.get_mut(number as usize) {
                *place = name.into();
            }
        }
        Ok(names)
    }
}
