//! Steiner trees: cheap trees that join given vertices of a graph, the terminals.
//!
//! | file | step |
//! |---|---|
//! | `mehlhorn` | the first tree, at most twice as heavy as an optimal one |
//! | `dual_ascent` | a lower bound on the weight of every tree |
//! | `shortest_paths` | a tree among the edges that the ascent has paid |
//! | `local_search`, `reconnect`, `insertion` | changes of a tree that make it cheaper |
//! | `rounds` | trees of changed costs, combined with the best ones |
//! | `costs`, `rows`, `tree` | weights as whole numbers, the graph, a tree that changes |

mod budget;
mod costs;
mod dual_ascent;
mod error;
mod insertion;
mod local_search;
mod mehlhorn;
mod reconnect;
mod rounds;
mod rows;
mod shortest_paths;
mod tree;

use std::time::Duration;

use kostra_core::{AnyGraph, EdgeId, Order, Run, Total, UnionFind, Vertex, with_graph};

use self::budget::Budget;
use self::costs::Costs;
use self::dual_ascent::dual_ascent;
pub use self::error::SteinerError;
use self::local_search::LocalSearch;
use self::mehlhorn::mehlhorn;
use self::rounds::Rounds;
use self::rows::{CostRows, Link};
use self::shortest_paths::shortest_paths;
use self::tree::{Terminals, Tree};

/// How long to look for a better tree.
#[derive(Clone, Copy, Debug)]
pub struct SteinerOptions {
    /// The most rounds after the local search, which also end when the tree is certainly optimal,
    /// and after a fixed number of steps. With 0, the answer is that of the local search.
    pub rounds: u32,
    /// Whether the first tree is improved at all. Without, the answer is Mehlhorn's.
    pub improve: bool,
    /// The search ends after this time, with the best tree so far. Without a limit, the tree
    /// depends on the input and on the number of rounds only.
    pub time_limit: Option<Duration>,
}

impl Default for SteinerOptions {
    fn default() -> Self {
        Self { rounds: 64, improve: true, time_limit: None }
    }
}

/// A tree that joins all terminals.
#[derive(Clone, Debug, PartialEq)]
pub struct SteinerTree {
    ids: Vec<EdgeId>,
    total: Total,
    lower_bound: Total,
    first_total: Total,
    start_total: Total,
    is_complete: bool,
}

impl SteinerTree {
    /// The ids of the edges, ascending. Every leaf is a terminal.
    pub fn ids(&self) -> &[EdgeId] {
        &self.ids
    }

    /// The ids of the edges, ascending.
    pub fn into_ids(self) -> Vec<EdgeId> {
        self.ids
    }

    /// The sum of the weights, exact for integers.
    pub fn total(&self) -> Total {
        self.total
    }

    /// A lower bound: no tree that joins the terminals has a lower total.
    pub fn lower_bound(&self) -> Total {
        self.lower_bound
    }

    /// How much heavier than an optimal tree this one can be, as a share of the lower bound: 0 if
    /// the tree is certainly optimal, infinite if the bound is 0 and the total is not.
    pub fn gap(&self) -> f64 {
        let (total, bound) = (self.total.to_f64(), self.lower_bound.to_f64());
        if total <= bound { 0.0 } else { (total - bound) / bound }
    }

    /// The total of the first tree, which is at most twice that of an optimal tree.
    pub fn first_total(&self) -> Total {
        self.first_total
    }

    /// The total of the tree from which the local search started: the first tree, or a tree of
    /// shortest paths that is lighter.
    pub fn start_total(&self) -> Total {
        self.start_total
    }

    /// Whether the search ended by itself, and not at the time limit or because it was cancelled.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

/// A cheap tree that joins all terminals, and a lower bound on the weight of every such tree.
///
/// The weights are costs, and must not be negative. A terminal may be named more than once. The
/// first tree is Mehlhorn's, which takes O((n + m) log n). Local search and rounds improve it. The
/// tree is the same for any number of threads and any order of the terminals.
///
/// A run that is cancelled after the first tree returns the best tree so far.
///
/// ```
/// use kostra_core::{AnyGraph, Run};
/// use kostra_variants::{SteinerOptions, steiner_tree};
///
/// // Three villages around a junction: by the junction is shorter than around.
/// let (u, v) = (vec![0, 1, 2, 0, 1, 2], vec![1, 2, 0, 3, 3, 3]);
/// let graph = AnyGraph::from_edges(4, u, v, vec![5, 5, 5, 3, 3, 3])?;
/// let tree = steiner_tree(&graph, &[0, 1, 2], &SteinerOptions::default(), &mut Run::new())?;
/// assert_eq!((tree.ids(), tree.total().to_string()), (&[3, 4, 5][..], "9".to_owned()));
/// assert_eq!(tree.gap(), 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is no terminal, a terminal is no vertex, a weight is negative or infinite, no tree
/// joins the terminals, or the run is cancelled before there is a tree.
pub fn steiner_tree(
    graph: &AnyGraph,
    terminals: &[Vertex],
    options: &SteinerOptions,
    run: &mut Run<'_>,
) -> Result<SteinerTree, SteinerError> {
    let vertices = graph.vertices();
    if let Some(&vertex) = terminals.iter().find(|&&terminal| terminal >= vertices) {
        return Err(SteinerError::NoVertex { vertex, vertices });
    }
    if terminals.is_empty() {
        return Err(SteinerError::NoTerminals);
    }
    let budget = Budget::new(options.time_limit);
    let costs = Costs::of(graph)?;
    let terminals = Terminals::new(terminals.to_vec(), vertices as usize);
    let problem = SteinerProblem {
        graph,
        rows: CostRows::new(graph, &costs.values, |_| true),
        costs,
        terminals,
        budget,
    };
    problem.solve(options, run)
}

/// A graph with costs and terminals, and the time that is left.
struct SteinerProblem<'a> {
    graph: &'a AnyGraph,
    costs: Costs,
    rows: CostRows,
    terminals: Terminals,
    budget: Budget,
}

/// A tree as ids of edges, with its cost. Ordered by cost, then by ids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FoundTree {
    cost: u64,
    ids: Vec<EdgeId>,
}

impl SteinerProblem<'_> {
    fn solve(
        self,
        options: &SteinerOptions,
        run: &mut Run<'_>,
    ) -> Result<SteinerTree, SteinerError> {
        let first =
            run.phase("first tree", |run| mehlhorn(&self.rows, &self.terminals.list, run))?;
        self.check_connected(&first)?;
        let first = FoundTree { cost: self.cost(&first), ids: first };
        let first_total = self.total(&first.ids);
        let mut best = first;
        let root = self.terminals.list[0];
        let ascent = run.phase("dual ascent", |run| {
            dual_ascent(&self.rows, &self.terminals, root, &mut self.budget.checks(run, (0, 1)))
        });
        let mut bound = ascent.bound;
        let mut start_total = first_total;
        if options.improve {
            let mut search = LocalSearch::new(self.rows.vertices());
            best = run.phase("local search", |run| {
                let paid = ascent.paid(&self.rows, self.graph.edges());
                let rows = CostRows::new(self.graph, &self.costs.values, |id| paid.contains(id));
                let stop = &mut self.budget.checks(run, (0, 1));
                if let Some(ids) = shortest_paths(&rows, &self.terminals, root, stop) {
                    best = best.min(FoundTree { cost: self.cost(&ids), ids });
                }
                start_total = self.total(&best.ids);
                self.improved(&self.rows, &mut search, &best, stop)
            });
        }
        if options.improve && options.rounds > 0 && bound < best.cost {
            (best, bound) = run.phase("rounds", |run| {
                Rounds::new(&self, best, &ascent).search(options.rounds, run)
            });
        }
        Ok(SteinerTree {
            total: self.total(&best.ids),
            ids: best.ids,
            lower_bound: self.costs.as_weight(bound),
            first_total,
            start_total,
            is_complete: !self.budget.is_over(),
        })
    }

    /// The cost of these edges.
    fn cost(&self, ids: &[EdgeId]) -> u64 {
        ids.iter().map(|&edge| self.costs.values[edge as usize]).sum()
    }

    /// The weight of these edges.
    fn total(&self, ids: &[EdgeId]) -> Total {
        with_graph!(self.graph, graph => {
            let edges = graph.edge_list().edges(Order::Minimum);
            let weights = ids.iter().map(|&edge| edges.weights()[edge as usize]);
            edges.encoding().total(weights)
        })
    }

    /// A tree of these edges.
    fn tree_of<'a>(&'a self, rows: &'a CostRows, ids: &[EdgeId]) -> Tree<'a> {
        let (u, v) = (self.graph.u(), self.graph.v());
        let links = ids.iter().map(|&edge| {
            let (from, to) = (u[edge as usize], v[edge as usize]);
            (from, Link { to, edge, cost: self.costs.values[edge as usize] })
        });
        Tree::new(rows, &self.terminals, links)
    }

    /// The tree after local search among the edges of these rows.
    fn improved(
        &self,
        rows: &CostRows,
        search: &mut LocalSearch,
        start: &FoundTree,
        stop: &mut dyn FnMut() -> bool,
    ) -> FoundTree {
        let mut tree = self.tree_of(rows, &start.ids);
        search.improve(&mut tree, stop);
        FoundTree { cost: tree.cost, ids: tree.edges() }
    }

    /// Refuses terminals in different components.
    fn check_connected(&self, ids: &[EdgeId]) -> Result<(), SteinerError> {
        let mut sets = UnionFind::new(self.graph.vertices());
        for &edge in ids {
            sets.union(self.graph.u()[edge as usize], self.graph.v()[edge as usize]);
        }
        let first = self.terminals.list[0];
        let others = self.terminals.list.iter().copied();
        let unreached: Vec<_> = others.filter(|&other| !sets.same(first, other)).collect();
        if unreached.is_empty() {
            return Ok(());
        }
        Err(SteinerError::Disconnected { first, unreached })
    }
}
