//! The evaluation of Manoochehri 2017, section 3.2, and the partitioner of chapter 4.
//!
//! The text gives the numbers of Table 3.2 and four figures in edges per second. Figures 3.4 and
//! 3.5 are pictures. Chapter 4 is a design without measurements.

use super::family::{Family, PaperGraph};
use super::{Experiment, Measure, Paper, Published, Threads, UNPUBLISHED};
use crate::contestant::Timed;

pub(super) const PAPER: Paper = Paper {
    id: "manoochehri",
    title: "Manoochehri 2017, Transactional-memory-based minimum spanning forest (chapter 3), and a \
            partitioner (chapter 4)",
    hardware: "Intel Core i7-6700 (16 GB), serial: Boost, parallel: an STM on its threads; NVIDIA \
               Tesla K40 (2880 cores, 288 GB/s, 12 GB) (section 3.2)",
    runs: 3,
    timed: Timed::OnDevice,
    experiments: &[FIGURE_3_4, TABLE_3_2, FIGURE_3_5, RMAT20, LENGTH, CHAPTER_4],
};

/// The unit of the paper's sizes.
const MILLION: u64 = 1_000_000;

/// The contestants of the experiments that compare solvers.
const SOLVERS: &[&str] = &[
    "kruskal",
    "boruvka-stm:transactions=1/0",
    "cuda-boruvka-stm:transactions=1/0",
    "cuda-boruvka-contract",
    "cuda-boruvka-edge",
    "cuda-fast",
    "fast",
    "ecl-mst",
];

/// A random graph with sizes in hundred thousands.
fn random(name: &str, family: Family, vertices: u64, edges: u64) -> PaperGraph {
    const UNIT: u64 = 100_000;
    PaperGraph::new(name.to_owned(), family, vertices * UNIT, edges * UNIT)
}

const TABLE_3_2: Experiment = Experiment {
    id: "table-3.2",
    title: "Table 3.2 (page 38): road networks and sparse random graphs",
    says: &[
        "The road networks have these edges in both directions.",
        "The STM on the processor gave no result on the random graphs.",
        "The larger the graph, the lower the abort rate.",
        "Section 3.2: 4.30 million edges per second on the full USA (both directions).",
    ],
    graphs: || {
        vec![
            PaperGraph::road("USA", "USA-road-d.USA", 23_947_347),
            PaperGraph::road("W", "USA-road-d.W", 6_262_104),
            PaperGraph::road("E", "USA-road-d.E", 3_598_623),
            PaperGraph::road("FLA", "USA-road-d.FLA", 1_070_376),
            PaperGraph::road("NY", "USA-road-d.NY", 264_346),
            random("RND1", Family::Uniform, 62, 150),
            random("R-MAT1", Family::Rmat, 62, 150),
            random("RND2", Family::Uniform, 62, 76),
            random("R-MAT2", Family::Rmat, 62, 76),
        ]
    },
    contestants: SOLVERS,
    measures: &[Measure::Time, Measure::AbortRate, Measure::EdgeRate],
    threads: Threads::All,
    published: Published {
        columns: &[
            (Measure::Time, "parallel STM"),
            (Measure::Time, "serial"),
            (Measure::Time, "K40"),
            (Measure::AbortRate, "K40"),
        ],
        rows: &[
            ("USA", &[Some(36064.0), Some(60546.0), Some(13407.0), Some(0.38)]),
            ("W", &[Some(7980.0), Some(14568.0), Some(3451.0), Some(0.38)]),
            ("E", &[Some(4157.0), Some(6581.0), Some(1959.0), Some(0.37)]),
            ("FLA", &[Some(1082.0), Some(1346.0), Some(736.0), Some(0.72)]),
            ("NY", &[Some(301.0), Some(278.0), Some(217.0), Some(0.77)]),
            ("RND1", &[None, Some(47220.0), Some(8133.0), Some(0.01)]),
            ("R-MAT1", &[None, Some(46678.0), Some(6786.0), Some(0.03)]),
            ("RND2", &[None, Some(19360.0), Some(5538.0), Some(0.01)]),
            ("R-MAT2", &[None, Some(19141.0), Some(4791.0), Some(0.03)]),
        ],
        ..UNPUBLISHED
    },
};

const FIGURE_3_4: Experiment = Experiment {
    id: "figure-3.4",
    title: "Figure 3.4 (page 39): random graphs of 3M vertices, by the number of edges",
    says: &[
        "Section 3.2: at 75M edges the K40 is 21 times as fast as the fastest sequential algorithm.",
    ],
    graphs: || {
        let graph = |edges| {
            let name = format!("random, {edges}M edges");
            PaperGraph::new(name, Family::Uniform, 3 * MILLION, edges * MILLION)
        };
        [15, 30, 45, 60, 75].map(graph).into()
    },
    contestants: SOLVERS,
    measures: &[Measure::Time, Measure::AbortRate],
    threads: Threads::All,
    published: UNPUBLISHED,
};

const FIGURE_3_5: Experiment = Experiment {
    id: "figure-3.5",
    title: "Figure 3.5 (page 39): graphs of 30M edges, by the number of vertices",
    says: &[
        "Section 3.2: more vertices take more time, but far less than the sequential algorithm.",
        "Section 3.2: 3.30 million edges per second on the R-MAT graph of 3M vertices.",
    ],
    graphs: || {
        let families = [(Family::Uniform, "random"), (Family::Rmat, "R-MAT")];
        let graphs = families.into_iter().flat_map(|(family, name)| {
            // An R-MAT graph has 2^22 or 2^23 vertices.
            let sizes: &[u64] = if family == Family::Rmat { &[4, 8] } else { &[3, 5, 7, 10] };
            sizes.iter().map(move |&vertices| {
                let name = format!("{name}, {vertices}M vertices");
                PaperGraph::new(name, family, vertices * MILLION, 30 * MILLION)
            })
        });
        graphs.collect()
    },
    contestants: SOLVERS,
    measures: &[Measure::Time, Measure::AbortRate, Measure::EdgeRate],
    threads: Threads::All,
    published: UNPUBLISHED,
};

const RMAT20: Experiment = Experiment {
    id: "rmat20",
    title: "Section 3.2: an R-MAT graph of 1M vertices and 8.3M edges",
    says: &["3.6 million edges per second, and 0.31 million by Nasre et al. on a C2070."],
    graphs: || vec![random("RMAT20", Family::Rmat, 10, 83)],
    contestants: SOLVERS,
    measures: &[Measure::Time, Measure::AbortRate, Measure::EdgeRate],
    threads: Threads::All,
    published: UNPUBLISHED,
};

const LENGTH: Experiment = Experiment {
    id: "length",
    title: "The greatest number of vertices in a transaction (not in the paper)",
    says: &["Section 3.1.2 has a bound L, but the paper does not give its value."],
    graphs: || {
        vec![
            PaperGraph::road("FLA", "USA-road-d.FLA", 1_070_376),
            random("random, 8M edges", Family::Uniform, 10, 80),
        ]
    },
    contestants: &[
        "cuda-boruvka-stm:longest-transaction=2/4/8/16/32",
        "boruvka-stm:longest-transaction=2/4/8/16/32",
        "fast",
    ],
    measures: &[Measure::Time, Measure::AbortRate],
    threads: Threads::All,
    published: UNPUBLISHED,
};

const CHAPTER_4: Experiment = Experiment {
    id: "chapter-4",
    title: "Chapter 4: the multilevel partitioner, on threads and on a GPU",
    says: &[
        "Chapter 4 designs a partitioner for GPUs with transactions for matching and refinement. It \
         reports no implementation and no measurement, so there is no figure of the paper here.",
        "Here, kostra-cuda-A-B matches pairs by A and refines by B.",
    ],
    graphs: || {
        vec![
            PaperGraph::road("E", "USA-road-d.E", 3_598_623),
            PaperGraph::road("NY", "USA-road-d.NY", 264_346),
            random("random, 8M edges", Family::Uniform, 10, 80),
            random("R-MAT, 8.3M edges", Family::Rmat, 10, 83),
        ]
    },
    contestants: &[],
    measures: &[Measure::Partitions],
    threads: Threads::All,
    published: UNPUBLISHED,
};
