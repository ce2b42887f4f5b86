//! Labels of nodes, which are their names if all differ.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use kostra_core::memory;

use crate::ReadErrorKind;
use crate::interface::Parsed;

/// Calls the vertices by their labels if each vertex has another one, and adds a note if some share
/// a label or have none. The keys are the names of the vertices so far, or their numbers from 0.
pub(crate) fn call_by_labels<K: Borrow<str> + Eq + Hash>(
    parsed: &mut Parsed,
    mut labels: HashMap<K, String>,
) -> Result<(), ReadErrorKind> {
    let vertices = parsed.graph.vertices() as usize;
    let distinct: HashSet<&String> = labels.values().collect();
    if distinct.len() == vertices && vertices > 0 {
        let mut label = |id: &str| labels.remove(id).unwrap_or_default();
        parsed.names = Some(match parsed.names.take() {
            Some(ids) => memory::collected(ids.iter().map(|id| label(id)))?,
            None => memory::collected((0..vertices).map(|vertex| label(&vertex.to_string())))?,
        });
    } else if !labels.is_empty() {
        let ids =
            if parsed.names.is_some() { "the ids are the names" } else { "they have numbers" };
        let note = format!("some nodes share a label or have none; {ids}");
        parsed.notes.push(note.into());
    }
    Ok(())
}
