//! Borůvka's algorithm with a copy of the graph on every rank. Each rank searches its own share of
//! the edges. In a round, an all-reduce gives every rank the lightest edge of every component, and
//! all ranks then do the same joins.
//!
//! A component's lightest edge is in the forest (cut property). Under the strict order of
//! `(key, id)`, the edges of a round close no cycle, except that two components may choose the same
//! edge, which is joined once.
//!
//! * Source: Shou & He 2024, section 3.4, Listing 8, with its names. Rank `j mod p` searches edge
//!   `j`.
//! * First, the slices of all ranks are gathered on every rank: 12 bytes per edge, 16 with 64-bit
//!   weights. According to the source, this copy of the graph is the reason why the solver does not
//!   scale. More than 2^30 edges or vertices are refused.
//! * At most log2 n + 1 rounds; the last one finds no edges. A round needs two all-reduces of 8
//!   bytes per remaining component, because no integer of MPI holds a key and an id. After the
//!   gathering, nothing else is sent. Time O((m/p + n) log n).
//! * Exact. One thread per rank, as in the source.
//!
//! Deviations from the source: the graph is gathered from the slices of all ranks; the source
//! broadcasts it. An edge is a candidate for the components of both of its ends; the listing uses
//! only `from`, so it needs every edge in both directions. Edges of equal weight are ordered by id;
//! otherwise components could choose a cycle. A component that no edge leaves gets no new index, so
//! the solver finds forests of disconnected graphs.

use kostra_core::{
    EdgeId, EdgeList, EdgeSet, Key, Order, Platform, Representation, Run, SolveError, SolverInfo,
    UnionFind, Vertex, Weight,
};
use kostra_mpi::{Communicator, DistributedAlgorithm, GraphSize, Slice};

/// Borůvka by all-reduce.
pub(crate) struct BoruvkaAllreduce;

/// The null edge.
const NONE: u64 = u64::MAX;

impl DistributedAlgorithm for BoruvkaAllreduce {
    const INFO: SolverInfo = SolverInfo {
        id: "mpi-boruvka-allreduce",
        title: "Borůvka by all-reduce, the graph on every rank",
        source: "Shou & He 2024, 3.4, Listing 8",
        platform: Platform::Mpi,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((m/p + n) log n)",
        scratch: "on every rank, 12 bytes per edge of the whole graph (16 with 64-bit weights), \
                  16 (24) per edge of its share, 40 per vertex",
        options: &[],
    };

    fn admit(&self, size: GraphSize) -> Result<(), SolveError> {
        size.admit_on_every_rank(Self::INFO.id)
    }

    fn solve<W: Weight>(
        &self,
        slice: &Slice<W>,
        order: Order,
        world: &Communicator,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let graph = world.phase(run, "gather the graph", |_| gather(slice, world));
        let mut rounds = Rounds::new(&graph, order, world.rank(), world.size());
        while !rounds.representatives.is_empty() {
            run.report.round(rounds.representatives.len(), rounds.share.len())?;
            let mut lightest = world.phase(run, "find minimum edges", |_| rounds.local_min_edges());
            world.phase(run, "all-reduce", |_| {
                world.reduce_min_pairs(&mut lightest.keys, &mut lightest.ids);
            });
            world.phase(run, "join", |_| rounds.join(&lightest.ids));
            world.phase(run, "contract", |_| rounds.contract(&lightest.ids));
            let all = graph.vertices() as usize;
            run.report.progress(all - rounds.representatives.len(), all)?;
        }
        run.report.finish_rounds();
        let mut forest = EdgeSet::new(slice.len());
        for id in rounds.mst {
            if let Some(local) = u64::from(id).checked_sub(slice.first())
                && local < slice.len() as u64
            {
                forest.insert(local as EdgeId);
            }
        }
        Ok(forest)
    }
}

/// The whole graph, from the slices of all ranks. Collective.
fn gather<W: Weight>(slice: &Slice<W>, world: &Communicator) -> EdgeList<W> {
    let (u, v): (Vec<_>, Vec<_>) = (0..slice.len() as EdgeId)
        .map(|edge| slice.ends(edge))
        .map(|(u, v)| (u as Vertex, v as Vertex)) // `admit` has checked that they fit
        .unzip();
    let u = world.all_gather(&u).into_items();
    let v = world.all_gather(&v).into_items();
    let weights = world.all_gather(slice.edges().weights()).into_items();
    EdgeList::new(slice.vertices() as usize, u, v, weights)
        .unwrap_or_else(|error| world.fail(error))
}

/// An edge of this rank's share, between indices of components.
#[derive(Clone, Copy)]
struct Edge<K> {
    from: u32,
    to: u32,
    key: K,
    id: EdgeId,
}

/// The lightest edge of each component, by the index of the component.
struct MinEdges {
    keys: Vec<u64>,
    ids: Vec<u64>,
}

/// The state that is kept from round to round. All but `share` is the same on every rank.
struct Rounds<'a, W: Weight> {
    graph: &'a EdgeList<W>,
    /// The edges of this rank's share that join two components.
    share: Vec<Edge<W::Key>>,
    sets: UnionFind,
    /// The index of each remaining component, at its representative in `sets`; undefined at other
    /// vertices.
    rep_idx: Vec<u32>,
    /// A member of each remaining component, by the index of the component.
    representatives: Vec<Vertex>,
    mst: Vec<EdgeId>,
}

impl<'a, W: Weight> Rounds<'a, W> {
    fn new(graph: &'a EdgeList<W>, order: Order, rank: usize, ranks: usize) -> Self {
        let edges = graph.edges(order);
        let share = edges.ids().skip(rank).step_by(ranks).map(|id| {
            let (from, to) = edges.ends(id);
            Edge { from, to, key: edges.key(id), id }
        });
        let vertices: Vec<_> = (0..graph.vertices()).collect();
        Self {
            graph,
            share: share.filter(|edge| edge.from != edge.to).collect(),
            sets: UnionFind::new(graph.vertices()),
            rep_idx: vertices.clone(),
            representatives: vertices,
            mst: Vec::new(),
        }
    }

    fn local_min_edges(&self) -> MinEdges {
        let components = self.representatives.len();
        let mut lightest =
            MinEdges { keys: vec![u64::MAX; components], ids: vec![NONE; components] };
        for edge in &self.share {
            let rank = (edge.key.to_u64(), u64::from(edge.id));
            for component in [edge.from as usize, edge.to as usize] {
                let (key, id) = (&mut lightest.keys[component], &mut lightest.ids[component]);
                if rank < (*key, *id) {
                    (*key, *id) = rank;
                }
            }
        }
        lightest
    }

    fn join(&mut self, global_min_edge: &[u64]) {
        for &id in global_min_edge.iter().filter(|&&id| id != NONE) {
            if self.sets.union(self.graph.u()[id as usize], self.graph.v()[id as usize]) {
                self.mst.push(id as EdgeId);
            }
        }
    }

    /// Gives the remaining components new indices, and drops edges inside a component. A component
    /// without edges is finished.
    fn contract(&mut self, global_min_edge: &[u64]) {
        const UNSEEN: u32 = u32::MAX;
        for &member in &self.representatives {
            self.rep_idx[self.sets.find(member) as usize] = UNSEEN;
        }
        let (mut representatives, mut new_index) =
            (Vec::new(), vec![UNSEEN; self.representatives.len()]);
        for (old, &member) in self.representatives.iter().enumerate() {
            if global_min_edge[old] != NONE {
                let representative = self.sets.find(member);
                let index = &mut self.rep_idx[representative as usize];
                if *index == UNSEEN {
                    *index = representatives.len() as u32;
                    representatives.push(representative);
                }
                new_index[old] = *index;
            }
        }
        self.representatives = representatives;
        for edge in &mut self.share {
            (edge.from, edge.to) = (new_index[edge.from as usize], new_index[edge.to as usize]);
        }
        self.share.retain(|edge| edge.from != edge.to);
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::verify;
    use kostra_testkit::multigraphs::Random;

    use super::*;

    /// The result of the all-reduce.
    fn lowest(all: Vec<MinEdges>) -> Vec<u64> {
        let components = all[0].ids.len();
        let lowest = |index: usize| all.iter().map(|own| (own.keys[index], own.ids[index])).min();
        (0..components).filter_map(|index| lowest(index).map(|(_, id)| id)).collect()
    }

    #[test]
    fn all_ranks_do_the_same_joins_and_find_the_forest() {
        for seed in 0..if cfg!(miri) { 3 } else { 200 } {
            let mut random = Random(seed);
            let n = random.below(40);
            let ends: Vec<_> =
                (0..random.below(2 * n + 1)).map(|_| (random.below(n), random.below(n))).collect();
            let weights: Vec<u64> =
                ends.iter().map(|_| u64::MAX - u64::from(random.below(4))).collect();
            let (u, v): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
            let graph = EdgeList::new(n as usize, u, v, weights).unwrap();
            for ranks in [1, 2, 5] {
                let mut all: Vec<_> = (0..ranks)
                    .map(|rank| Rounds::new(&graph, Order::Minimum, rank, ranks))
                    .collect();
                while !all[0].representatives.is_empty() {
                    let global_min_edge = lowest(all.iter().map(Rounds::local_min_edges).collect());
                    for rounds in &mut all {
                        rounds.join(&global_min_edge);
                        rounds.contract(&global_min_edge);
                    }
                }
                assert!(all.iter().all(|rounds| rounds.mst == all[0].mst), "seed {seed}");
                let mut forest = all[0].mst.clone();
                forest.sort_unstable();
                verify(graph.edges(Order::Minimum), &forest)
                    .unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
            }
        }
    }
}
