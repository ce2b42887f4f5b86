//! The threads of the host as a member.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use kostra_core::{EdgeSet, Key, SolveError, Vertex};
use kostra_parallel::{
    Schedule, SharedEdgeSet, Team, atomic_u32, atomic_u64, exclusive_prefix_sum, lock, with_team,
};

use super::member::{Destinations, Listed, Member, NONE, NewRows, OwnRows};

/// The schedule of the source.
const SCHEDULE: Schedule = Schedule::Guided(64);

/// Threads with the rows of their vertices.
pub(super) struct ThreadsMember<K: Key> {
    threads: usize,
    rows: OwnRows<K>,
    /// The id of the minimum edge of each own vertex, or `NONE`.
    minimum_id: Vec<u32>,
    /// The edges of the contracted graph that stay here.
    own: Listed<K>,
    forest: SharedEdgeSet,
}

impl<K: Key> ThreadsMember<K> {
    /// A member without rows, for a graph with this number of edges.
    pub(super) fn new(threads: usize, edges: usize) -> Result<Self, SolveError> {
        let rows = OwnRows { first_edge: vec![0], ..OwnRows::default() };
        let (minimum_id, own) = (Vec::new(), Listed::default());
        Ok(Self { threads, rows, minimum_id, own, forest: SharedEdgeSet::new(edges)? })
    }

    fn count(&self) -> usize {
        self.rows.first_edge.len() - 1
    }

    fn row(&self, own: usize) -> Range<usize> {
        self.rows.first_edge[own] as usize..self.rows.first_edge[own + 1] as usize
    }

    /// Computes a value for each own vertex.
    fn for_own(&self, value: impl Fn(usize) -> u32 + Sync) -> Vec<u32> {
        let mut values = vec![0; self.count()];
        let shared = atomic_u32(&mut values);
        with_team(self.threads, |team| {
            team.for_each(shared.len(), SCHEDULE, |own| shared[own].store(value(own), Relaxed));
        });
        values
    }

    /// The entries of an own vertex that lead to another color.
    fn new_edges<'a>(
        &'a self,
        own: usize,
        color: &'a [Vertex],
    ) -> impl Iterator<Item = usize> + 'a {
        let my_color = color[self.rows.begin as usize + own];
        self.row(own).filter(move |&entry| color[self.rows.neighbors[entry] as usize] != my_color)
    }

    /// The edges of some own vertices, for each member.
    fn list(
        &self,
        vertices: Range<usize>,
        (color, new_vertex): (&[Vertex], &[u32]),
        starts: &[Vertex],
    ) -> Vec<Listed<K>> {
        let mut lists = vec![Listed::default(); starts.len() - 1];
        for own in vertices {
            let from = new_vertex[color[self.rows.begin as usize + own] as usize];
            let mut edges = self.new_edges(own, color).peekable();
            if edges.peek().is_none() {
                continue; // a vertex that is done has no number
            }
            // The last member whose first vertex is not after this one.
            let list = &mut lists[starts.partition_point(|&start| start <= from) - 1];
            for entry in edges {
                let to = new_vertex[color[self.rows.neighbors[entry] as usize] as usize];
                list.from.push(from);
                list.to.push(to);
                list.keys.push(self.rows.keys[entry]);
                list.ids.push(self.rows.ids[entry]);
            }
        }
        lists
    }
}

impl<K: Key> Member<K> for ThreadsMember<K> {
    fn take_rows(&mut self, rows: OwnRows<K>) -> Result<(), SolveError> {
        self.rows = rows;
        Ok(())
    }

    fn find_minimum_edges(&mut self) -> Result<Vec<Vertex>, SolveError> {
        let rows = &self.rows;
        let rank = |&entry: &usize| (rows.keys[entry], rows.ids[entry]);
        let minimum = |own| self.row(own).min_by_key(rank);
        let entries = self.for_own(|own| minimum(own).map_or(NONE, |entry| entry as u32));
        let pick = |array: &[u32], entry: u32| {
            if entry == NONE { NONE } else { array[entry as usize] }
        };
        let minimum_id = entries.iter().map(|&entry| pick(&rows.ids, entry)).collect();
        let successor = entries.iter().map(|&entry| pick(&rows.neighbors, entry)).collect();
        self.minimum_id = minimum_id;
        Ok(successor)
    }

    fn remove_mirrored_edges(&mut self, successor: &[Vertex]) -> Result<Vec<Vertex>, SolveError> {
        Ok(self.for_own(|own| {
            let vertex = self.rows.begin + own as Vertex;
            let other = successor[vertex as usize];
            if other == NONE || (vertex < other && successor[other as usize] == vertex) {
                return vertex;
            }
            self.forest.insert(self.minimum_id[own]);
            other
        }))
    }

    fn propagate_colors(&mut self, color: &[Vertex]) -> Result<(Vec<Vertex>, bool), SolveError> {
        let changed = AtomicBool::new(false);
        let colors = self.for_own(|own| {
            let now = color[self.rows.begin as usize + own];
            let next = color[now as usize];
            if next != now {
                changed.store(true, Relaxed);
            }
            next
        });
        Ok((colors, changed.into_inner()))
    }

    fn create_new_vertex_ids(&mut self, color: &[Vertex]) -> Result<(Vec<u32>, u32), SolveError> {
        let mut flags = self.for_own(|own| {
            let vertex = self.rows.begin + own as Vertex;
            u32::from(color[vertex as usize] == vertex && !self.row(own).is_empty())
        });
        let roots =
            with_team(self.threads, |team| exclusive_prefix_sum(team, atomic_u32(&mut flags)));
        Ok((flags, roots))
    }

    fn count_new_edges(
        &mut self,
        color: &[Vertex],
        (new_vertex, new_vertices): (&[u32], usize),
    ) -> Result<Vec<u32>, SolveError> {
        let mut degrees = vec![0; new_vertices];
        let outdegree = atomic_u32(&mut degrees);
        with_team(self.threads, |team| {
            team.for_each(self.count(), SCHEDULE, |own| {
                let edges = self.new_edges(own, color).count() as u32;
                if edges > 0 {
                    let my_color = color[self.rows.begin as usize + own];
                    let vertex = new_vertex[my_color as usize] as usize;
                    outdegree[vertex].fetch_add(edges, Relaxed);
                }
            });
        });
        Ok(degrees)
    }

    fn list_new_edges(
        &mut self,
        color: &[Vertex],
        new_vertex: &[u32],
        destinations: &Destinations<'_>,
    ) -> Result<Vec<Listed<K>>, SolveError> {
        let starts = destinations.starts;
        let parts: Vec<_> = (0..self.threads).map(|_| Mutex::new(Vec::new())).collect();
        let list = |team: &Team<'_>| {
            team.in_parts(self.count(), |part, range| {
                *lock(&parts[part]) = self.list(range, (color, new_vertex), starts);
            });
        };
        with_team(self.threads, list);
        let mut lists = vec![Listed::default(); starts.len() - 1];
        for part in parts {
            for (list, more) in lists.iter_mut().zip(lock(&part).iter()) {
                list.append(more);
            }
        }
        self.own = std::mem::take(&mut lists[destinations.own]);
        Ok(lists)
    }

    fn insert_new_edges(&mut self, rows: NewRows<'_, K>) -> Result<(), SolveError> {
        let NewRows { begin, first_edge, listed } = rows;
        let entries = first_edge.last().copied().unwrap_or_default() as usize;
        let (mut neighbors, mut ids) = (vec![0; entries], vec![0; entries]);
        let (mut keys, mut next_edge) = (vec![0; entries], first_edge.to_vec());
        {
            let (neighbors, ids) = (atomic_u32(&mut neighbors), atomic_u32(&mut ids));
            let (keys, next_edge) = (atomic_u64(&mut keys), atomic_u32(&mut next_edge));
            with_team(self.threads, |team| {
                for list in [&self.own, &listed] {
                    team.for_each(list.from.len(), SCHEDULE, |edge| {
                        let row = (list.from[edge] - begin) as usize;
                        let place = next_edge[row].fetch_add(1, Relaxed) as usize;
                        neighbors[place].store(list.to[edge], Relaxed);
                        ids[place].store(list.ids[edge], Relaxed);
                        keys[place].store(list.keys[edge].to_u64(), Relaxed);
                    });
                }
            });
        }
        let keys = keys.into_iter().map(K::from_u64).collect();
        self.rows = OwnRows { begin, first_edge: first_edge.to_vec(), neighbors, keys, ids };
        self.own = Listed::default();
        Ok(())
    }

    fn forest(self: Box<Self>) -> Result<EdgeSet, SolveError> {
        Ok(self.forest.into_edge_set())
    }
}
