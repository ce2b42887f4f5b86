//! Reverse-delete: take the edges in descending order, and delete each whose ends stay connected
//! without it.
//!
//! If they do, the edge is the last in order on a cycle of the remaining edges, so it is not in the
//! forest (cycle property). If they do not, the edge is the lightest across the cut that it
//! bridges, because all other edges across the cut are heavier and have been deleted (cut
//! property). Connectivity is decided by a search from both ends in turn, which suits small graphs
//! only.
//!
//! * Source: Sousa 2014, section 3.1.2, construction A' (after Kruskal 1956).
//! * Deviations: disjoint sets count the components beforehand, so that no search is made once no
//!   cycle is left. Ties go to the higher edge id first, and graphs may be disconnected.
//! * Time O(m (n + m)); scratch 24 bytes per edge (32 with 64-bit weights) and 12 per vertex.
//! * Input: edge list. Exact. One thread. Refuses graphs for which m (n + m) is above
//!   [`MOST_STEPS`].

use kostra_core::{
    Algorithm, EdgeId, EdgeSet, Edges, Key, OutOfMemory, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, UnionFind, Vertex, memory,
};

use super::Pace;

/// The most steps: a graph is refused if m (n + m), a bound on the steps of all searches, is
/// higher.
const MOST_STEPS: u128 = 10_000_000_000;

/// The reverse-delete algorithm.
pub(crate) struct ReverseDelete;

impl Algorithm for ReverseDelete {
    const INFO: SolverInfo = SolverInfo {
        id: "reverse-delete",
        title: "Reverse-delete, for small graphs",
        source: "Sousa 2014, 3.1.2, construction A'",
        platform: Platform::Sequential,
        representation: Representation::EdgeList,
        exact: true,
        time: "O(m (n + m))",
        scratch: "24 bytes per edge (32 with 64-bit weights), 12 per vertex",
        options: &[],
    };

    fn admit(&self, vertices: u32, edges: usize) -> Result<(), SolveError> {
        let steps = edges as u128 * (u128::from(vertices) + edges as u128);
        if steps <= MOST_STEPS {
            return Ok(());
        }
        Err(SolveError::Unsuitable {
            solver: Self::INFO.id,
            cost: format!(
                "up to {steps:.1e} steps (a search of {vertices} vertices for each of {edges} edges)"
            ),
            advice: "kruskal finds the same forest in O(m log m)",
        })
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        let ranks = run.phase("sort", |_| {
            let mut ranks = memory::with_capacity(edges.len())?;
            ranks.extend(proper_edges(edges).map(|id| edges.rank(id)));
            ranks.sort_unstable();
            Ok::<_, OutOfMemory>(ranks)
        })?;
        let mut forest = EdgeSet::try_new(edges.len())?;
        run.phase("delete", |run| {
            // The number of edges left to delete. At 0, the remaining edges are the forest, and no
            // further search is needed.
            let mut surplus = ranks.len() - forest_size(edges)?;
            let mut search = Search::new(edges, ranks.len())?;
            for rank in ranks.into_iter().rev() {
                let id = K::rank_id(rank);
                if surplus > 0 && search.connected_without(id, run)? {
                    search.remaining.delete(edges, id);
                    surplus -= 1;
                } else {
                    forest.insert(id);
                }
            }
            Ok(forest)
        })
    }
}

/// The edges except self-loops.
fn proper_edges<K: Key>(edges: Edges<'_, K>) -> impl Iterator<Item = EdgeId> {
    edges.ids().filter(move |&id| edges.ends(id).0 != edges.ends(id).1)
}

/// The number of forest edges: the number of vertices minus the number of components.
fn forest_size<K: Key>(edges: Edges<'_, K>) -> Result<usize, OutOfMemory> {
    let mut components = UnionFind::try_new(edges.vertices())?;
    for id in edges.ids() {
        let (u, v) = edges.ends(id);
        components.union(u, v);
    }
    Ok((edges.vertices() - components.sets()) as usize)
}

/// No link. There are two links per edge, and the bound on m keeps them far below this value.
const NONE: u32 = u32::MAX;

/// The edges not deleted, as a linked list of arcs at each vertex: arc `2 id` leaves the first end
/// of edge `id`, arc `2 id + 1` the second.
struct Remaining {
    /// The first arc of each vertex.
    first: Vec<u32>,
    /// The arc after each, and the arc before it.
    links: Vec<[u32; 2]>,
}

impl Remaining {
    fn new<K: Key>(edges: Edges<'_, K>) -> Result<Self, OutOfMemory> {
        let mut lists = Self {
            first: memory::filled(edges.vertices() as usize, NONE)?,
            links: memory::filled(2 * edges.len(), [NONE; 2])?,
        };
        for id in proper_edges(edges) {
            let (u, v) = edges.ends(id);
            for (arc, vertex) in [(2 * id, u), (2 * id + 1, v)] {
                let next = std::mem::replace(&mut lists.first[vertex as usize], arc);
                lists.links[arc as usize] = [next, NONE];
                if next != NONE {
                    lists.links[next as usize][1] = arc;
                }
            }
        }
        Ok(lists)
    }

    fn next(&self, arc: u32) -> u32 {
        self.links[arc as usize][0]
    }

    fn delete<K: Key>(&mut self, edges: Edges<'_, K>, id: EdgeId) {
        let (u, v) = edges.ends(id);
        for (arc, vertex) in [(2 * id, u), (2 * id + 1, v)] {
            let [next, previous] = self.links[arc as usize];
            if next != NONE {
                self.links[next as usize][1] = previous;
            }
            if previous != NONE {
                self.links[previous as usize][0] = next;
            } else {
                self.first[vertex as usize] = next;
            }
        }
    }
}

/// One side of a search: a queue of the vertices found, and the next arc of the one in front.
#[derive(Default)]
struct Side {
    found: Vec<Vertex>,
    front: usize,
    arc: u32,
}

impl Side {
    fn start(&mut self, vertex: Vertex, remaining: &Remaining) -> Result<(), OutOfMemory> {
        self.found.clear();
        memory::push(&mut self.found, vertex)?;
        (self.front, self.arc) = (0, remaining.first[vertex as usize]);
        Ok(())
    }

    /// The next arc, or none when all reachable vertices have been visited.
    fn next_arc(&mut self, remaining: &Remaining) -> Option<u32> {
        while self.arc == NONE {
            self.front += 1;
            self.arc = remaining.first[*self.found.get(self.front)? as usize];
        }
        let next = remaining.next(self.arc);
        Some(std::mem::replace(&mut self.arc, next))
    }
}

/// Searches for a path between the ends of an edge, breadth first from both ends in turn, one arc
/// at a time, so that the cost is that of the smaller side when there is no path.
struct Search<'a, K: Key> {
    edges: Edges<'a, K>,
    remaining: Remaining,
    sides: [Side; 2],
    /// The search, counted from 1, and the side that last found each vertex, as `2 search + side`.
    found_by: Vec<u32>,
    searches: u32,
    most_searches: u32,
    pace: Pace,
}

impl<'a, K: Key> Search<'a, K> {
    fn new(edges: Edges<'a, K>, most_searches: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            edges,
            remaining: Remaining::new(edges)?,
            sides: Default::default(),
            found_by: memory::zeros(edges.vertices() as usize)?,
            searches: 0,
            most_searches: most_searches as u32,
            pace: Pace::new(),
        })
    }

    /// Whether the ends of an edge are connected by the other edges that remain.
    fn connected_without(&mut self, id: EdgeId, run: &mut Run<'_>) -> Result<bool, SolveError> {
        self.searches += 1;
        let (u, v) = self.edges.ends(id);
        let marks = [2 * self.searches, 2 * self.searches + 1];
        for ((side, vertex), mark) in self.sides.iter_mut().zip([u, v]).zip(marks) {
            side.start(vertex, &self.remaining)?;
            self.found_by[vertex as usize] = mark;
        }
        loop {
            for (side, (mine, others)) in
                self.sides.iter_mut().zip([(marks[0], marks[1]), (marks[1], marks[0])])
            {
                self.pace.step(run, self.searches, self.most_searches)?;
                let Some(arc) = side.next_arc(&self.remaining) else { return Ok(false) };
                if arc / 2 == id {
                    continue;
                }
                let (u, v) = self.edges.ends(arc / 2);
                let to = if arc % 2 == 0 { v } else { u };
                let found_by = &mut self.found_by[to as usize];
                if *found_by == others {
                    return Ok(true);
                }
                if *found_by != mine {
                    *found_by = mine;
                    memory::push(&mut side.found, to)?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{AnyGraph, Order, Solver};

    use super::*;
    use crate::testing::forest_ids;

    #[test]
    fn a_refusal_says_what_to_use_instead() {
        let graph =
            AnyGraph::from_edges(2, vec![0; 400_000], vec![1; 400_000], vec![1_i64; 400_000])
                .unwrap();
        let refusal =
            Solver::solve(&ReverseDelete, &graph, Order::Minimum, &mut Run::new()).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "reverse-delete would take up to 1.6e11 steps (a search of 2 vertices for each of 400000 edges) \
             on this graph; kruskal finds the same forest in O(m log m)"
        );
        assert!(ReverseDelete.admit(u32::MAX, u32::MAX as usize).is_err());
        assert!(ReverseDelete.admit(u32::MAX, 0).is_ok());
    }

    #[test]
    fn a_bridge_between_cycles_is_kept_and_every_cycle_loses_its_last_edge() {
        // Two squares with equal weights, joined by the heaviest edge of all.
        let (u, v) = (vec![0, 1, 2, 3, 3, 4, 5, 6, 7], vec![1, 2, 3, 0, 4, 5, 6, 7, 4]);
        let graph = AnyGraph::from_edges(8, u, v, vec![1, 1, 1, 1, 9, 2, 2, 2, 2]).unwrap();
        let ids = forest_ids(&ReverseDelete, &graph, Order::Minimum, Run::new());
        assert_eq!(ids, [0, 1, 2, 4, 5, 6, 7]);
    }

    #[test]
    fn a_deleted_edge_is_in_no_list() {
        let graph: kostra_core::Graph<i32> =
            kostra_core::EdgeList::new(3, vec![0, 0, 1, 0], vec![1, 1, 2, 0], vec![0; 4])
                .unwrap()
                .into();
        let edges = graph.edge_list().edges(Order::Minimum);
        let mut remaining = Remaining::new(edges).unwrap();
        let arcs = |remaining: &Remaining, vertex: usize| {
            let mut arcs = vec![remaining.first[vertex]];
            while arcs[arcs.len() - 1] != NONE {
                arcs.push(remaining.next(arcs[arcs.len() - 1]));
            }
            arcs
        };
        assert_eq!(arcs(&remaining, 1), [4, 3, 1, NONE]);
        remaining.delete(edges, 1);
        assert_eq!((arcs(&remaining, 0), arcs(&remaining, 1)), (vec![0, NONE], vec![4, 1, NONE]));
        remaining.delete(edges, 2);
        remaining.delete(edges, 0);
        assert_eq!((arcs(&remaining, 1), arcs(&remaining, 2)), (vec![NONE], vec![NONE]));
    }
}
