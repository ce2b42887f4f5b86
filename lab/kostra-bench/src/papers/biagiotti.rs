//! The evaluation of Biagiotti, section "Performance analysis".
//!
//! All its figures are pictures. The text gives ranges of speed-ups.

use super::family::PaperGraph;
use super::{Experiment, Measure, Paper, Threads, UNPUBLISHED};
use crate::contestant::Timed;

pub(super) const PAPER: Paper = Paper {
    id: "biagiotti",
    title: "Biagiotti, Efficient solution for MST computation on sparse graphs",
    hardware: "two virtual cores of an Intel Xeon (2.2 GHz); NVIDIA T4 (2560 cores, 16 GB, 300 GB/s) \
               (section \"Performance analysis\")",
    runs: 5,
    timed: Timed::OnDevice,
    experiments: &[SPEED_UPS, BLOCK_SIZES, OCCUPANCY],
};

/// The road networks of the table "Benchmark dimensions".
fn roads() -> Vec<PaperGraph> {
    vec![
        PaperGraph::road("New York", "USA-road-d.NY", 264_346),
        PaperGraph::road("San Francisco", "USA-road-d.BAY", 321_270),
        PaperGraph::road("Colorado", "USA-road-d.COL", 435_666),
        PaperGraph::road("Florida", "USA-road-d.FLA", 1_070_376),
        PaperGraph::road("California", "USA-road-d.CAL", 1_890_815),
        PaperGraph::road("Great Lakes", "USA-road-d.LKS", 2_758_119),
        eastern_usa(),
    ]
}

fn eastern_usa() -> PaperGraph {
    PaperGraph::road("Eastern USA", "USA-road-d.E", 3_598_623)
}

const SPEED_UPS: Experiment = Experiment {
    id: "speed-ups",
    title: "Figure 1: Prim with a heap, GPU-u and GPU-e on seven road networks",
    says: &[
        "GPU-e is about 59 to 128 times as fast as Prim's algorithm on the same machine.",
        "It is about 5 to 8 times as fast as the CPU version of Sousa, Mariano & Proença.",
        "The figure does not say whether the times include transfers. Here they do not.",
    ],
    graphs: roads,
    contestants: &[
        "prim-binary",
        "cuda-boruvka-contract",
        "cuda-boruvka-contract-edge",
        "boruvka-contract",
        "kruskal",
        "cuda-fast",
        "fast",
    ],
    measures: &[
        Measure::Time,
        Measure::SpeedUpOver("prim-binary"),
        Measure::SpeedUpOver("boruvka-contract"),
    ],
    threads: Threads::All,
    published: UNPUBLISHED,
};

const BLOCK_SIZES: Experiment = Experiment {
    id: "block-sizes",
    title: "Figure 2: GPU-u and GPU-e by the number of threads per block, on the eastern USA",
    says: &[
        "Five runs each. Small blocks are slower with GPU-u, and less steady with GPU-e.",
        "GPU-e is slightly faster than GPU-u.",
    ],
    graphs: || vec![eastern_usa()],
    contestants: &[
        "cuda-boruvka-contract:block-size=32/64/128/256/512/1024",
        "cuda-boruvka-contract-edge:block-size=32/64/128/256/512/1024",
        "kruskal",
    ],
    measures: &[Measure::Time, Measure::Deviation],
    threads: Threads::All,
    published: UNPUBLISHED,
};

const OCCUPANCY: Experiment = Experiment {
    id: "occupancy",
    title: "Figure 3: occupancy of the kernels of GPU-u and GPU-e in each iteration",
    says: &[
        "The occupancy falls from iteration to iteration. With one thread per edge (GPU-e), the \
         kernels that count and insert new edges have a higher one than in GPU-u.",
        "The paper measures achieved occupancy with ncu. Here it is measured if ncu is there. The \
         theoretical occupancy comes from the kernel's resources and the number of its threads.",
    ],
    graphs: || vec![eastern_usa()],
    contestants: &["cuda-boruvka-contract", "cuda-boruvka-contract-edge", "kruskal"],
    measures: &[Measure::Occupancy, Measure::AchievedOccupancy, Measure::Phases],
    threads: Threads::All,
    published: UNPUBLISHED,
};
