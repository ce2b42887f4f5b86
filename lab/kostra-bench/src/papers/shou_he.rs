//! The evaluation of Shou & He 2024, sections 3.2, 3.3 and 4.
//!
//! The text gives the tables of phases (Figures 1 to 4 and section 3.2), the times of section 4.3
//! and the times on ranks of section 4.5. The speed-ups of threads are pictures.

use super::family::{Family, PaperGraph};
use super::{Experiment, Measure, Paper, Published, PublishedPhases, Threads, UNPUBLISHED};
use crate::contestant::Timed;

pub(super) const PAPER: Paper = Paper {
    id: "shou-he",
    title: "Shou & He 2024, Parallel minimum spanning tree",
    hardware: "AMD EPYC 9R14, 64 cores with 128 hardware threads (AWS m7a.32xlarge); NVIDIA Tesla \
               V100 (AWS p3.2xlarge); computation times without initialization",
    runs: 3,
    timed: Timed::OnDevice,
    experiments: &[FIGURES_1_TO_4, TABLE_4_3, GPU_STEPS, THREADS, RANKS],
};

/// The eight inputs of section 4.1. The paper made them with a random script of its own.
fn inputs() -> Vec<PaperGraph> {
    let all = [
        ("dense/small", Family::Dense, 200, 17_847),
        ("dense/medium", Family::Dense, 1000, 449_576),
        ("dense/large", Family::Dense, 5000, 11_245_624),
        ("dense/extreme", Family::Dense, 8000, 28_793_554),
        ("sparse/small", Family::Uniform, 100_000, 149_960),
        ("sparse/medium", Family::Uniform, 1_000_000, 1_501_216),
        ("sparse/large", Family::Uniform, 10_000_000, 15_000_571),
        ("sparse/extreme", Family::Uniform, 20_000_000, 29_998_467),
    ];
    let graph = |(name, family, vertices, edges)| {
        PaperGraph::new(String::from(name), family, vertices, edges)
    };
    all.map(graph).into()
}

/// The two inputs on which the paper times phases.
fn large_inputs() -> Vec<PaperGraph> {
    let is_large = |graph: &PaperGraph| graph.name.ends_with("/large");
    inputs().into_iter().filter(is_large).collect()
}

const FIGURES_1_TO_4: Experiment = Experiment {
    id: "figures-1-4",
    title: "Figures 1 to 4 (sections 3.3 and 4.4): phases on threads, and each optimization",
    says: &[
        "Figures 1 and 2 are the first version: a sequential filter, and a sequential list of the \
         forest. Figures 3 and 4 are the final approach, with optimizations 1a and 1b.",
        "Figures 3 and 4 are given with the share of the total time, which leaves 15 % (dense) and \
         10 % (sparse) for the rest.",
        "The number of threads of the four figures is not given.",
        "Section 3.3: optimizations 2 (one loop for three) and 3 (no path compression) did not help.",
    ],
    graphs: large_inputs,
    contestants: &[
        // The first version, and what optimizations 1a and 1b add to it.
        "boruvka-edge:parallel-filter=0:forest-list=1",
        "boruvka-edge:parallel-filter=1:forest-list=1/2",
        // The final approach with optimization 2, and without path compression.
        "boruvka-edge:parallel-filter=1:forest-list=2:merged-loop=1",
        "boruvka-edge:parallel-filter=1:forest-list=2:path-compression=0",
        "kruskal",
    ],
    measures: &[Measure::Time, Measure::Phases, Measure::PhasesByRound],
    threads: Threads::All,
    published: Published {
        phases: &[
            PublishedPhases {
                graph: "sparse/large",
                heading: "Figure 1, first version",
                rows: &[("lightest", 719.2), ("join", 1262.6), ("map", 4409.2), ("filter", 621.7)],
            },
            PublishedPhases {
                graph: "dense/large",
                heading: "Figure 2, first version",
                rows: &[("lightest", 88.5), ("join", 96.5), ("map", 536.5), ("filter", 726.0)],
            },
            PublishedPhases {
                graph: "dense/large",
                heading: "Figure 3, final approach",
                rows: &[("lightest", 91.2), ("join", 92.9), ("map", 535.4), ("filter", 376.3)],
            },
            PublishedPhases {
                graph: "sparse/large",
                heading: "Figure 4, final approach",
                rows: &[("lightest", 708.5), ("join", 1283.1), ("map", 4399.0), ("filter", 344.1)],
            },
        ],
        ..UNPUBLISHED
    },
};

const TABLE_4_3: Experiment = Experiment {
    id: "table-4.3",
    title: "Tables of sections 4.2 and 4.3: all paradigms beside Kruskal's algorithm",
    says: &[
        "The CUDA version is almost 50 times as fast as Kruskal's algorithm on large graphs, and \
         about 7 times as fast as cuGraph.",
        "The paper's inputs come from a random script. Here each input is a random graph with the \
         same numbers of vertices and edges.",
    ],
    graphs: inputs,
    contestants: &[
        "kruskal",
        "boruvka-edge:forest-list=2",
        "cuda-boruvka-edge",
        "cuda-fast",
        "fast",
        "mpi-ghs:ranks=all",
        "mpi-boruvka-allreduce:ranks=all",
    ],
    measures: &[Measure::Time, Measure::SpeedUpOver("kruskal")],
    threads: Threads::All,
    published: Published {
        columns: &[
            (Measure::Time, "Kruskal"),
            (Measure::Time, "V100"),
            (Measure::Time, "cuGraph, V100"),
            (Measure::SpeedUpOver("kruskal"), "V100"),
        ],
        rows: &[
            ("dense/small", &[Some(1.16), Some(0.25), Some(14.67), Some(4.64)]),
            ("dense/medium", &[Some(38.44), Some(1.98), Some(155.72), Some(19.4)]),
            ("dense/large", &[Some(1230.63), Some(24.82), Some(86.91), Some(49.6)]),
            ("dense/extreme", &[Some(3347.27), Some(82.16), Some(169.71), Some(40.7)]),
            ("sparse/small", &[Some(16.73), Some(0.44), Some(30.60), Some(38.0)]),
            ("sparse/medium", &[Some(217.51), Some(4.66), Some(100.51), Some(46.7)]),
            ("sparse/large", &[Some(4504.30), Some(105.92), Some(704.70), Some(42.5)]),
            ("sparse/extreme", &[Some(9599.33), Some(229.34), Some(1315.63), Some(41.9)]),
        ],
        ..UNPUBLISHED
    },
};

const GPU_STEPS: Experiment = Experiment {
    id: "gpu-steps",
    title: "Tables of sections 3.2 and 4.3: steps on a GPU, and each optimization",
    says: &[
        "Section 3.2, dense/large: 32.71 times as fast as Kruskal's algorithm with Listing 5, 45.36 \
         with the worklist (optimization 2), 48.87 without path compression (optimization 3).",
        "Section 3.2, sparse/large: 44.64 times as fast with Listing 5.",
        "Section 3.2: blocks of 512 and of 1024 threads (optimization 1) take about the same time.",
        "Here steps are timed by the device's clock.",
    ],
    graphs: large_inputs,
    contestants: &[
        "cuda-boruvka-edge:worklist=0:path-compression=1:block-size=1024/512",
        "cuda-boruvka-edge:worklist=1:path-compression=1/0:block-size=512",
        "kruskal",
    ],
    measures: &[Measure::Time, Measure::SpeedUpOver("kruskal"), Measure::Phases],
    threads: Threads::All,
    published: Published {
        phases: &[
            PublishedPhases {
                graph: "dense/large",
                heading: "3.2, Listing 5",
                rows: &[
                    ("lightest", 23.3905),
                    ("join", 1.4795),
                    ("map", 14.4738),
                    ("filter", 4.8850),
                    ("other", 0.0544),
                    ("total", 44.2832),
                ],
            },
            PublishedPhases {
                graph: "sparse/large",
                heading: "3.2, Listing 5",
                rows: &[
                    ("lightest", 31.5371),
                    ("join", 24.9202),
                    ("map", 38.0717),
                    ("filter", 10.2718),
                    ("other", 0.0522),
                    ("total", 104.8529),
                ],
            },
            PublishedPhases {
                graph: "dense/large",
                heading: "4.3, final approach",
                rows: &[
                    ("map, filter, lightest", 18.7526),
                    ("join", 1.5076),
                    ("reset", 8.5958),
                    ("other", 0.1330),
                    ("total", 28.9889),
                ],
            },
            PublishedPhases {
                graph: "sparse/large",
                heading: "4.3, final approach",
                rows: &[
                    ("map, filter, lightest", 55.0012),
                    ("join", 22.3842),
                    ("reset", 28.8300),
                    ("other", 0.1818),
                    ("total", 106.3972),
                ],
            },
        ],
        ..UNPUBLISHED
    },
};

const THREADS: Experiment = Experiment {
    id: "threads",
    title: "Section 4.4: speed-up by the number of threads",
    says: &[
        "The speed-up is below linear on sparse/large and sparse/extreme. On the other graphs, more \
         threads are slower than one.",
    ],
    graphs: inputs,
    contestants: &["boruvka-edge:forest-list=2", "fast"],
    measures: &[Measure::Time, Measure::SelfSpeedUp, Measure::Efficiency],
    threads: Threads::Sweep(&[1, 2, 4, 8, 16, 32, 64, 128]),
    published: UNPUBLISHED,
};

const RANKS: Experiment = Experiment {
    id: "ranks",
    title: "Section 4.5: GHS by the number of ranks",
    says: &[
        "Self speed-ups are linear and more on large graphs up to 32 ranks.",
        "The last two graphs are not measured, because they take too long on few ranks.",
        "Vertex j is on rank j mod p, as with interleave=1 here.",
        "Section 3.4: Borůvka's algorithm by all-reduce is slow and does not scale.",
    ],
    graphs: inputs,
    contestants: &[
        "mpi-ghs:interleave=1:ranks=1/2/4/8/16/32/64/128",
        "mpi-boruvka-allreduce:ranks=1/2/4/8/16/32/64/128",
        "kruskal",
    ],
    measures: &[Measure::Time, Measure::SelfSpeedUp, Measure::OverRanks],
    threads: Threads::All,
    published: Published {
        columns: &[(Measure::Time, "GHS"), (Measure::SelfSpeedUp, "GHS")],
        sweep: RANK_ROWS,
        ..UNPUBLISHED
    },
};

/// A row of the tables of section 4.5: the computation time in milliseconds, and the time on one
/// rank divided by it.
macro_rules! on_ranks {
    ($graph:literal, $($ranks:literal $time:literal $speed_up:literal),*) => {
        [$(($graph, $ranks, &[Some($time), Some($speed_up)])),*]
    };
}

/// A row of a sweep.
type Row = (&'static str, &'static str, &'static [Option<f64>]);

const RANK_ROWS: &[Row] = {
    const ROWS: [[Row; 8]; 6] = [
        on_ranks!("dense/small", "ranks=1" 41.55 1.0, "ranks=2" 15.23 2.73, "ranks=4" 15.00 2.77,
            "ranks=8" 13.44 3.09, "ranks=16" 12.60 3.30, "ranks=32" 11.89 3.50,
            "ranks=64" 11.96 3.47, "ranks=128" 12.45 3.34),
        on_ranks!("dense/medium", "ranks=1" 932.22 1.0, "ranks=2" 248.61 3.75,
            "ranks=4" 128.30 7.27, "ranks=8" 67.91 13.73, "ranks=16" 42.22 22.08,
            "ranks=32" 26.84 34.74, "ranks=64" 25.05 37.22, "ranks=128" 22.69 41.09),
        on_ranks!("dense/large", "ranks=1" 16015.74 1.0, "ranks=2" 11281.63 1.42,
            "ranks=4" 6845.77 2.34, "ranks=8" 2435.09 6.58, "ranks=16" 978.88 16.36,
            "ranks=32" 231.19 69.28, "ranks=64" 541.27 29.59, "ranks=128" 463.84 34.53),
        on_ranks!("dense/extreme", "ranks=1" 54156.79 1.0, "ranks=2" 44791.86 1.21,
            "ranks=4" 21926.18 2.47, "ranks=8" 8561.96 6.33, "ranks=16" 3372.07 16.06,
            "ranks=32" 1648.91 32.84, "ranks=64" 2646.19 20.47, "ranks=128" 2107.44 25.70),
        on_ranks!("sparse/small", "ranks=1" 3261.34 1.0, "ranks=2" 1778.35 1.83,
            "ranks=4" 1319.63 2.47, "ranks=8" 341.30 9.56, "ranks=16" 109.49 29.79,
            "ranks=32" 51.85 62.90, "ranks=64" 52.45 62.18, "ranks=128" 159.31 20.47),
        on_ranks!("sparse/medium", "ranks=1" 56439.84 1.0, "ranks=2" 321373.78 0.18,
            "ranks=4" 133069.91 0.42, "ranks=8" 52392.57 1.08, "ranks=16" 6053.84 9.32,
            "ranks=32" 1313.87 42.96, "ranks=64" 1460.33 38.65, "ranks=128" 922.89 61.16),
    ];
    ROWS.as_flattened()
};
