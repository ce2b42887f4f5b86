//! Arrays of edges that the threads of a team fill from waves of blocks.

use std::ops::Range;

use kostra_core::memory;
use kostra_parallel::{Team, for_each_item};

use crate::SpecError;
use crate::allocation::zeros;
use crate::source::EdgeEnds;

/// The edges of a graph or of a part of it, in order.
///
/// If a bound of the number of edges is known, the arrays are allocated once, and the system backs
/// only what is written.
pub(crate) struct EdgeArrays {
    ends: EdgeEnds,
    length: usize,
}

impl EdgeArrays {
    /// Arrays with memory for `room` edges, if that is known.
    pub(crate) fn new(room: Option<u64>) -> Result<Self, SpecError> {
        let room = room.unwrap_or_default() as usize;
        Ok(Self { ends: EdgeEnds { u: zeros(room)?, v: zeros(room)? }, length: 0 })
    }

    /// Adds the edges of a wave with ids in `ids`. The wave starts with id `next`, which moves on.
    pub(crate) fn add(
        &mut self,
        team: &Team<'_>,
        wave: &[EdgeEnds],
        next: &mut u64,
        ids: &Range<u64>,
    ) -> Result<(), SpecError> {
        let kept = wave.iter().map(|ends| {
            let start = *next;
            *next += ends.len() as u64;
            let within = |id: u64| (id.clamp(start, *next) - start) as usize;
            (ends, within(ids.start)..within(ids.end))
        });
        let kept: Vec<_> = kept.collect();
        let more: usize = kept.iter().map(|(_, range)| range.len()).sum();
        let end = self.length + more;
        let EdgeEnds { u, v } = &mut self.ends;
        for array in [&mut *u, &mut *v] {
            let refused = |_| SpecError::OutOfMemory { bytes: 4 * end as u128 };
            memory::reserve(array, end.saturating_sub(array.len())).map_err(refused)?;
            array.resize(array.len().max(end), 0);
        }
        let (mut u, mut v) = (&mut u[self.length..end], &mut v[self.length..end]);
        let items = kept.into_iter().map(|(ends, range)| {
            let to_u = u.split_off_mut(..range.len()).unwrap_or_default();
            let to_v = v.split_off_mut(..range.len()).unwrap_or_default();
            (to_u, to_v, &ends.u[range.clone()], &ends.v[range])
        });
        for_each_item(team, items, |(to_u, to_v, from_u, from_v)| {
            to_u.copy_from_slice(from_u);
            to_v.copy_from_slice(from_v);
        });
        self.length = end;
        Ok(())
    }

    /// The edges, without unused memory.
    pub(crate) fn finish(mut self) -> EdgeEnds {
        for array in [&mut self.ends.u, &mut self.ends.v] {
            array.truncate(self.length);
            array.shrink_to_fit();
        }
        self.ends
    }
}
