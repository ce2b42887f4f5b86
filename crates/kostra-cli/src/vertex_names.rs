//! Vertices as the user types them: by name, or by number if they have no names.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::str::FromStr;

use anyhow::{Context, anyhow, bail};
use kostra_core::Vertex;
use kostra_io::Input;

use crate::input::file;

/// Vertices in a list with commas, or those in a file.
#[derive(Clone)]
pub(crate) enum VertexChoice {
    Listed(Vec<String>),
    File(Input),
}

impl FromStr for VertexChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text.strip_prefix('@') {
            Some(path) => Self::File(file(OsStr::new(path))),
            None => Self::Listed(text.split(',').map(|name| name.trim().to_owned()).collect()),
        })
    }
}

impl VertexChoice {
    /// The file, if there is one.
    pub(crate) fn file(&self) -> Option<&Input> {
        match self {
            Self::File(input) => Some(input),
            Self::Listed(_) => None,
        }
    }

    /// The vertices in the order in which the user named them. `option` is named in messages.
    ///
    /// # Errors
    /// When the file cannot be read or is empty, or a name is not that of one vertex.
    pub(crate) fn vertices(
        &self,
        names: &VertexNames,
        vertices: u32,
        option: &'static str,
    ) -> anyhow::Result<Vec<Vertex>> {
        match self {
            Self::Listed(list) => {
                let all = list.iter().map(|name| names.vertex(name, vertices));
                all.collect::<Result<Vec<_>, _>>().context(option)
            }
            Self::File(file) => {
                let mut all = Vec::new();
                let reader = BufReader::new(kostra_io::open_text(file)?);
                for (number, line) in (1..).zip(reader.lines()) {
                    let place = || format!("{file}: line {number}");
                    let line = line.with_context(place)?;
                    if !line.trim().is_empty() {
                        all.push(names.vertex(line.trim(), vertices).with_context(place)?);
                    }
                }
                if all.is_empty() {
                    bail!("{file}: the file names no vertex; write one on each line");
                }
                Ok(all)
            }
        }
    }
}

/// The vertex with each name, unless several have it; none if vertices have no names.
pub(crate) struct VertexNames(Option<HashMap<String, Option<Vertex>>>);

impl VertexNames {
    pub(crate) fn new(names: Option<Vec<String>>) -> Self {
        Self(names.map(|names| {
            let mut named = HashMap::with_capacity(names.len());
            for (vertex, name) in (0..).zip(names) {
                named.entry(name).and_modify(|found| *found = None).or_insert(Some(vertex));
            }
            named
        }))
    }

    /// Whether vertices have names.
    pub(crate) fn are_present(&self) -> bool {
        self.0.is_some()
    }

    /// Adds the name of the next vertex, if vertices have names.
    ///
    /// # Errors
    /// When another vertex has the name.
    pub(crate) fn add(&mut self, name: &str, vertex: Vertex) -> anyhow::Result<()> {
        match self.0.as_mut().map(|named| named.entry(name.to_owned())) {
            Some(Entry::Occupied(_)) => bail!("there is a vertex with the name {name:?}"),
            Some(Entry::Vacant(free)) => {
                free.insert(Some(vertex));
            }
            None => {}
        }
        Ok(())
    }

    /// The vertex with this name or, in a graph without names, this number.
    ///
    /// # Errors
    /// When there is none, or several have the name.
    pub(crate) fn vertex(&self, text: &str, vertices: u32) -> anyhow::Result<Vertex> {
        let Some(named) = &self.0 else {
            let number =
                text.parse().map_err(|_| anyhow!("{text:?} is not the number of a vertex"))?;
            if number >= vertices {
                bail!("there is no vertex {number}; the {vertices} vertices are numbered from 0");
            }
            return Ok(number);
        };
        match named.get(text) {
            Some(Some(vertex)) => Ok(*vertex),
            Some(None) => bail!("several vertices have the name {text:?}"),
            None => bail!("no vertex has the name {text:?}"),
        }
    }
}
