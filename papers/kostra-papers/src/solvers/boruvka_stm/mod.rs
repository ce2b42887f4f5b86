//! Borůvka's algorithm with transactions: every component chooses its lightest outgoing edge, and
//! merges with the component at the other end in a transaction of a software transactional memory.
//!
//! Components are trees of parents in the cells of the memory. A round has these steps:
//!
//! * *Discover*: each vertex finds its lightest edge, and suggests it to the root of its component,
//!   which keeps the lightest suggestion. A vertex without edges is deactivated.
//! * *Merge*: each root with an edge starts a transaction. It finds the root of the other
//!   component, and links its own root under it. The vertices on the path to the other root point
//!   to that root, too.
//! * *Flatten*: each vertex points to its grandparent, until all point to roots.
//! * *Prune*: edges inside a component are removed from the rows.
//!
//! A component's lightest edge is in the forest (cut property), and under the strict order of ranks
//! all of them together close no cycle, except that two components may choose the same edge. Then
//! the second transaction finds its own root at the end of the path, and is withdrawn. A
//! transaction holds both roots, so two components never link to each other at once.
//!
//! Progress. A transaction has at most [`PATIENCE`](kostra_parallel::PATIENCE) conflicts; see
//! `kostra_papers::shared::TransactionalMemory`. A transaction with more than L vertices aborts,
//! and runs in the next *pass* of the merge step, after the trees have been flattened. In a flat
//! tree, the parent of the neighbor is the other root, and the transaction has two vertices. So it
//! is too long only if the other component has been linked in the same pass. Hence of two
//! successive components on a chain of choices at least one is linked in a pass, and a round with c
//! components takes at most log2 c + 2 passes.
//!
//! * Source: Manoochehri 2017, sections 3.1.1 to 3.1.3, Algorithms 3.1 to 3.4. The multi-core
//!   program that section 3.2 compares with is Kang & Bader's; this is the source's own algorithm
//!   on threads.
//! * Time O(m log n) work to discover and prune, O(n log^3 n) at worst to merge and flatten; at
//!   most log2 n rounds. Scratch 2 bits per edge, 41 bytes per vertex (37 with 64-bit weights), and
//!   12 L per thread.
//! * Input: CSR. Exact. Threads.
//! * Reports in each round the passes and the transactions that started, committed and aborted,
//!   and those that aborted because of L. The abort rate of Table 3.2 is aborted / started.
//!
//! With the option `transactions=0`, each root is hooked under the other root by one store, without
//! transactions. If two roots have chosen the same edge, the one with the lower number stays. Only
//! its own thread writes a root's parent, so there is no race, and nothing waits.
//!
//! Deviations from the source:
//!
//! * A thread handles whole vertices. Warp segmentation shares rows among the lanes of a GPU.
//! * The own root is linked under the other. In Figure 3.3 the other root is linked under the own,
//!   and the other component's transaction ends without a merge. Then each leaf of a star makes the
//!   path from the center longer, and with a low L only one leaf merges in a pass.
//! * The search starts at the neighbor's parent, which is read before the transaction. The source
//!   includes the neighbor, so that no merge with a component of two vertices fits into L = 2.
//! * A transaction above L waits for the next pass. The source restarts it at once, until others
//!   have shortened it. The last transaction of a round has no others.
//! * The trees are flattened before the rows are pruned, so one pass prunes. The source does both
//!   at once, and repeats until nothing changes.
//! * An edge is removed by a bit beside its row. The source sets its weight to the maximum, which
//!   is an allowed weight here.

mod arcs;
mod rounds;

use kostra_core::{
    Algorithm, EdgeSet, Key, OptionValues, Platform, Problem, Representation, Run, SolveError,
    SolverInfo, SolverOption,
};
use kostra_parallel::{SharedEdgeSet, with_observed_team};

use crate::shared::{LightestEdges, TransactionalMemory, Worklist};
use arcs::LiveArcs;
use rounds::{Lists, Merging, Rounds};

/// Borůvka's algorithm with transactions.
pub(crate) struct BoruvkaStm;

/// The source calls it L and gives no value. A transaction seldom has more than four vertices.
const LONGEST: SolverOption = SolverOption {
    name: "longest-transaction",
    about: "most vertices of a transaction (L)",
    default: 32,
    values: OptionValues::Number {
        lowest: TransactionalMemory::LOWEST_LIMIT as u64,
        highest: TransactionalMemory::MAX_LIMIT as u64,
    },
};

const TRANSACTIONS: SolverOption = SolverOption {
    name: "transactions",
    about: "whether components merge in transactions, or by a lock-free hook",
    default: 1,
    values: OptionValues::Switch,
};

impl Algorithm for BoruvkaStm {
    const INFO: SolverInfo = SolverInfo {
        id: "boruvka-stm",
        title: "Borůvka with transactions",
        source: "Manoochehri 2017, 3.1, Algorithms 3.1 to 3.4",
        platform: Platform::Threads,
        representation: Representation::Csr,
        exact: true,
        time: "O(m log n + n log^3 n) work",
        scratch: "2 bits per edge, 41 bytes per vertex (37 with 64-bit weights), 12 L per thread",
        options: &[LONGEST, TRANSACTIONS],
    };

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let graph = problem.csr(run)?;
        let n = graph.vertices() as usize;
        let arcs = graph.rows().neighbors().len();
        let sizes = [
            TransactionalMemory::words(n),
            LightestEdges::<K>::words(n),
            Worklist::words(n),
            Worklist::words(n),
            LiveArcs::words(arcs),
            LiveArcs::words(n),
        ];
        let bytes = 8 * sizes.iter().sum::<usize>();
        let mut workspace = run.request.take_workspace();
        let mut memory = workspace
            .words(bytes)
            .ok_or(SolveError::OutOfMemory { solver: Self::INFO.id, bytes })?;
        let [cells, slots, pending, postponed, live, active] = sizes.map(|size| {
            let (piece, rest) = std::mem::take(&mut memory).split_at_mut(size);
            memory = rest;
            piece
        });
        let longest = run.request.option(&LONGEST) as usize;
        let mut cells = TransactionalMemory::in_words(cells, longest)
            .expect("the option has the range of the limit");
        let forest = SharedEdgeSet::new(graph.edges())?;
        with_observed_team(run, run.request.threads(), |team, run| {
            let (cells, participants) = cells.participants(team.threads());
            let merging = if run.request.option(&TRANSACTIONS) == 1 {
                Merging::in_transactions(participants)
            } else {
                Merging::Hooks
            };
            let lists = Lists {
                pending: Worklist::in_words(pending, n, 0),
                postponed: Worklist::in_words(postponed, n, 0),
            };
            let rounds = Rounds {
                team,
                rows: graph.rows(),
                edges: problem.edges(),
                cells,
                lightest: LightestEdges::in_words(problem.edges(), slots),
                live: LiveArcs::in_words(live),
                active: LiveArcs::in_words(active),
                merging,
                forest: &forest,
            };
            rounds.run(lists, run)
        })?;
        run.phase("free memory", |_| drop(workspace));
        Ok(forest.into_edge_set())
    }
}

#[cfg(test)]
mod tests;
