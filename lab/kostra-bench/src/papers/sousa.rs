//! The evaluation of Sousa 2014, chapter 5.
//!
//! The text gives the numbers of Table 5.3. The other figures are pictures, which the text
//! describes.

use super::family::PaperGraph;
use super::{Experiment, Measure, Paper, Published, Threads, UNPUBLISHED};
use crate::contestant::Timed;

pub(super) const PAPER: Paper = Paper {
    id: "sousa",
    title: "Sousa 2014, Parallel minimum spanning tree solvers (chapter 5)",
    hardware: "two Intel Xeon E5-2670 v2 (2 x 10 cores with 2 hardware threads, 2.5 GHz, 25 MB L3 \
               per chip), 64 GB; NVIDIA K20m (2496 cores, 5 GB), with the transfer to the device; \
               lowest of 5 times whose three lowest are within 5 % (section 5.1)",
    runs: 5,
    timed: Timed::WithUpload,
    experiments: &[
        FIGURE_5_1, TABLE_5_3, FIGURE_5_2, FIGURE_5_3, FIGURE_5_4, FIGURE_5_5, FIGURE_5_6,
        FIGURE_5_7, FIGURE_5_8, KERNELS,
    ],
};

/// The road networks of Table 5.2: name, file, vertices.
const ROADS: &[(&str, &str, u64)] = &[
    ("NY", "USA-road-d.NY", 264_346),
    ("BAY", "USA-road-d.BAY", 321_270),
    ("COL", "USA-road-d.COL", 435_666),
    ("FLA", "USA-road-d.FLA", 1_070_376),
    ("NW", "USA-road-d.NW", 1_207_945),
    ("NE", "USA-road-d.NE", 1_524_453),
    ("CAL", "USA-road-d.CAL", 1_890_815),
    ("LKS", "USA-road-d.LKS", 2_758_119),
    ("E", "USA-road-d.E", 3_598_623),
    ("W", "USA-road-d.W", 6_262_104),
    ("PT", "portugal-latest", 9_196_206),
    ("CTR", "USA-road-d.CTR", 14_081_816),
    ("USA", "USA-road-d.USA", 23_947_347),
];

fn all_roads() -> Vec<PaperGraph> {
    ROADS.iter().map(|&(name, file, vertices)| PaperGraph::road(name, file, vertices)).collect()
}

fn roads(names: &[&str]) -> Vec<PaperGraph> {
    all_roads().into_iter().filter(|graph| names.contains(&graph.name.as_str())).collect()
}

/// The numbers of threads of the paper's sweeps.
const SWEEP: Threads = Threads::Sweep(&[1, 2, 4, 6, 8, 10, 20, 40]);

const FIGURE_5_1: Experiment = Experiment {
    id: "figure-5.1",
    title: "Figure 5.1: sequential solvers on all road networks",
    says: &[
        "prim_seq (a pairing heap) is clearly fastest, and Boost's Kruskal is slower than all others.",
        "boost-kruskal is a peer program; see lab/README.md.",
    ],
    graphs: all_roads,
    contestants: &[
        "prim-pairing",
        "kruskal",
        "boruvka",
        "prim-binary",
        "filter-kruskal",
        "boost-kruskal",
        "petgraph",
    ],
    measures: &[Measure::Time, Measure::KBest, Measure::SpeedUpOver("prim-pairing")],
    threads: Threads::Sweep(&[1]),
    published: UNPUBLISHED,
};

const FIGURE_5_2: Experiment = Experiment {
    id: "figure-5.2",
    title: "Figure 5.2: the parallel solvers on the full USA, by the number of threads",
    says: &[
        "Of the solvers after Prim, only prim_bmv is faster than prim_seq, and not by much.",
        "prim_bmv (here prim-boundary) does not find a minimum spanning tree.",
        "GenBoruvka has good speed-ups on threads, and a good time on the GPU.",
    ],
    graphs: || roads(&["USA"]),
    contestants: &[
        "prim-pairing",
        "prim-collide",
        "prim-union",
        "prim-boundary",
        "boruvka-contract",
        "cuda-boruvka-contract",
        "fast",
    ],
    measures: &[Measure::Time, Measure::KBest, Measure::SpeedUpOver("prim-pairing")],
    threads: SWEEP,
    published: UNPUBLISHED,
};

const FIGURE_5_3: Experiment = Experiment {
    id: "figure-5.3",
    title: "Figure 5.3: phases of prim_union on the full USA",
    says: &[
        "The last stage limits the solver.",
        "The paper takes partitions from METIS beforehand. Here the solver makes a quick cut.",
    ],
    graphs: || roads(&["USA"]),
    contestants: &["prim-union", "prim-binary", "fast"],
    measures: &[Measure::Phases],
    threads: SWEEP,
    published: UNPUBLISHED,
};

const FIGURE_5_4: Experiment = Experiment {
    id: "figure-5.4",
    title: "Figure 5.4: vertices per thread of tm_mst_pt between collisions, on 2 threads",
    says: &[
        "The load is far from even: in the third collision one thread processes over 50 % of the \
         vertices, and the other one barely 10 %.",
        "The paper's shares are of all vertices of the graph, here of those of the round.",
    ],
    graphs: || roads(&["USA"]),
    contestants: &["prim-collide", "fast"],
    measures: &[Measure::Shares("vertices between collisions"), Measure::Counter("collisions")],
    threads: Threads::Sweep(&[2]),
    published: UNPUBLISHED,
};

const TABLE_5_3: Experiment = Experiment {
    id: "table-5.3",
    title: "Table 5.3: speed-up and efficiency of GenBoruvka on three road networks",
    says: &[
        "GenBoruvka GPU is 7.32 (NE), 16.21 (PT) and 15.85 (USA) times as fast as GenBoruvka OMP on \
         one thread.",
        "Schedules are guided, of vertices.",
    ],
    graphs: || roads(&["NE", "PT", "USA"]),
    contestants: &["boruvka-contract", "cuda-boruvka-contract", "fast"],
    measures: &[Measure::Time, Measure::KBest, Measure::SelfSpeedUp, Measure::Efficiency],
    threads: SWEEP,
    published: Published {
        columns: &[(Measure::SelfSpeedUp, "OMP"), (Measure::Efficiency, "OMP")],
        sweep: &[
            ("NE", "threads=2", &[Some(1.47), Some(74.0)]),
            ("NE", "threads=4", &[Some(2.67), Some(67.0)]),
            ("NE", "threads=6", &[Some(3.56), Some(59.0)]),
            ("NE", "threads=8", &[Some(4.28), Some(54.0)]),
            ("NE", "threads=10", &[Some(4.88), Some(49.0)]),
            ("NE", "threads=20", &[Some(5.56), Some(28.0)]),
            ("NE", "threads=40", &[Some(2.13), Some(5.0)]),
            ("PT", "threads=2", &[Some(1.73), Some(86.0)]),
            ("PT", "threads=4", &[Some(3.18), Some(79.0)]),
            ("PT", "threads=6", &[Some(4.42), Some(74.0)]),
            ("PT", "threads=8", &[Some(5.51), Some(69.0)]),
            ("PT", "threads=10", &[Some(6.40), Some(64.0)]),
            ("PT", "threads=20", &[Some(8.75), Some(44.0)]),
            ("PT", "threads=40", &[Some(6.56), Some(16.0)]),
            ("USA", "threads=2", &[Some(1.80), Some(90.0)]),
            ("USA", "threads=4", &[Some(3.47), Some(87.0)]),
            ("USA", "threads=6", &[Some(4.67), Some(78.0)]),
            ("USA", "threads=8", &[Some(6.06), Some(76.0)]),
            ("USA", "threads=10", &[Some(7.01), Some(70.0)]),
            ("USA", "threads=20", &[Some(9.79), Some(49.0)]),
            ("USA", "threads=40", &[Some(10.26), Some(26.0)]),
        ],
        ..UNPUBLISHED
    },
};

const FIGURE_5_5: Experiment = Experiment {
    id: "figure-5.5",
    title: "Figure 5.5: load imbalance of GenBoruvka in each iteration, by the number of threads",
    says: &[
        "The imbalance grows with the number of threads. Above 5 % it costs time.",
        "There are 11 iterations. The first 7 take over 80 % of the time.",
    ],
    graphs: || roads(&["USA"]),
    contestants: &["boruvka-contract:least-share=1/64", "fast"],
    measures: &[Measure::Counter("load imbalance in percent")],
    threads: Threads::Sweep(&[2, 4, 6, 8, 10, 20, 40]),
    published: UNPUBLISHED,
};

const FIGURE_5_6: Experiment = Experiment {
    id: "figure-5.6",
    title: "Figure 5.6: misses of the L3 cache in each iteration of GenBoruvka",
    says: &[
        "On one thread the miss rate falls from iteration 4 on, and is low after iteration 7.",
        "On several threads it stays high.",
    ],
    graphs: || roads(&["USA"]),
    contestants: &["boruvka-contract", "fast"],
    measures: &[Measure::CacheMissRate],
    threads: SWEEP,
    published: UNPUBLISHED,
};

const FIGURE_5_7: Experiment = Experiment {
    id: "figure-5.7",
    title: "Figure 5.7: GenBoruvka on ranks and threads, on the full USA",
    says: &["One rank is faster than several ranks, because of the communication."],
    graphs: || roads(&["USA"]),
    contestants: &[
        "mpi-boruvka-contract:ranks=1/2/4/8/16:threads=1/2/4/10/20",
        "mpi-merge:ranks=1/2/4/8/16",
        "kruskal",
    ],
    measures: &[
        Measure::Time,
        Measure::KBest,
        Measure::SelfSpeedUp,
        Measure::OverRanks,
        Measure::PhasesByRound,
    ],
    threads: Threads::All,
    published: UNPUBLISHED,
};

const FIGURE_5_8: Experiment = Experiment {
    id: "figure-5.8",
    title: "Figures 5.8 to 5.11: GenBoruvka beside other programs, on 1 and on 10 threads",
    says: &[
        "On 10 threads, GenBoruvka OMP is 1.35 to 12.71 times as fast as the others, and GenBoruvka \
         GPU 1.34 to 26.43 times.",
        "The others are Cong2005, Galois, Nasre2013 and Harish2009, which are no peers here.",
    ],
    graphs: all_roads,
    contestants: &[
        "boruvka-contract",
        "cuda-boruvka-contract",
        "pma",
        "fast",
        "uminho",
        "gbbs-boruvka",
        "pbbs-filter-kruskal",
    ],
    measures: &[Measure::Time, Measure::KBest, Measure::SpeedUpOver("boruvka-contract")],
    threads: Threads::Sweep(&[1, 10]),
    published: UNPUBLISHED,
};

const KERNELS: Experiment = Experiment {
    id: "kernels",
    title: "The time of each kernel of the contracting algorithm (section 4.4.1)",
    says: &["The paper gives no time of a single kernel."],
    graphs: || roads(&["NE", "USA"]),
    contestants: &["boruvka-contract", "cuda-boruvka-contract"],
    measures: &[Measure::Phases, Measure::PhasesByRound],
    threads: Threads::All,
    published: UNPUBLISHED,
};
