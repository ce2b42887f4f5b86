//! The evaluation of Nobari, Cao, Karras & Bressan 2012, section 6.
//!
//! The text gives the numbers of Table 1 only. The other figures are pictures, which the text
//! describes. The paper compares with the code of Vineet et al. 2009, a contracting Borůvka on a
//! GPU. `cuda-boruvka-contract` has its place here.

use super::family::{Family, PaperGraph};
use super::{Experiment, Measure, Paper, Published, Threads, UNPUBLISHED};
use crate::contestant::Timed;

pub(super) const PAPER: Paper = Paper {
    id: "nobari",
    title: "Nobari, Cao, Karras & Bressan 2012, Scalable parallel minimum spanning forest computation",
    hardware: "Intel Xeon 5420 (2.4 GHz, 8 GB); one Tesla card of an NVIDIA Tesla S1070, CUDA 3.1; \
               transfers are not timed (section 6)",
    runs: 3,
    timed: Timed::OnDevice,
    experiments: &[FIGURE_5, FIGURE_7A, FIGURE_7B, FIGURE_8, FIGURE_4A, FIGURE_4B, TABLE_1],
};

/// The vertices of most of the paper's random graphs.
const MILLION: u64 = 1_000_000;

/// The mean degrees of the sweeps, from 2 to 60 as in the paper's pictures.
const DEGREES: [u64; 6] = [2, 6, 10, 20, 40, 60];

const FAMILIES: [(Family, &str); 4] = [
    (Family::Uniform, "ER"),
    (Family::Rmat, "R-MAT"),
    (Family::Ssca2, "SSCA#2"),
    (Family::WattsStrogatz, "WS"),
];

/// A family's graphs of a million vertices over all degrees.
fn degrees((family, name): (Family, &'static str)) -> impl Iterator<Item = PaperGraph> {
    DEGREES.into_iter().map(move |degree| {
        let name = format!("{name}, degree {degree}");
        PaperGraph::new(name, family, MILLION, MILLION * degree / 2)
    })
}

/// Values of gamma in the sweeps, from 2 to 1000 as in section 6.2.
macro_rules! over_gamma {
    ($solver:literal) => {
        concat!($solver, ":gamma=2/4/6/8/10/14/20/32/50/100/200/500/1000")
    };
}

const FIGURE_4A: Experiment = Experiment {
    id: "figure-4a",
    title: "Figure 4(a): HybridPMA on Erdős-Rényi graphs of 1M vertices, by degree and gamma",
    says: &[
        "Section 6.2: for low degrees gamma = 5 or 6 is best, for high degrees 200.",
        "Section 6.2: gamma = 2 and gamma = 1000 are slow on every graph.",
    ],
    graphs: || degrees(FAMILIES[0]).collect(),
    contestants: &[over_gamma!("cuda-pma-hybrid"), "cuda-fast", "fast"],
    measures: &[Measure::Time],
    threads: Threads::All,
    published: UNPUBLISHED,
};

const FIGURE_4B: Experiment = Experiment {
    id: "figure-4b",
    title: "Figure 4(b): HybridPMA with and without removal of parallel edges",
    says: &["Section 6.3: removal is faster, and the more so the denser the graph."],
    graphs: || degrees(FAMILIES[0]).collect(),
    contestants: &[
        "cuda-pma-hybrid:remove-parallel-edges=0/1",
        "pma:remove-parallel-edges=0/1",
        "fast",
    ],
    measures: &[Measure::Time],
    threads: Threads::All,
    published: UNPUBLISHED,
};

const FIGURE_5: Experiment = Experiment {
    id: "figure-5",
    title: "Figure 5: time by mean degree on four families of 1M vertices",
    says: &[
        "Section 6.5: PMA is faster than Vineet's Borůvka on all four families, and the more so \
         the denser the graph.",
    ],
    graphs: || FAMILIES.into_iter().flat_map(degrees).collect(),
    contestants: &[
        "cuda-boruvka-contract",
        "cuda-pma-min",
        "cuda-pma-sort",
        "cuda-pma-hybrid",
        "cuda-boruvka-edge",
        "cuda-fast",
        "pma",
        "fast",
        "kruskal",
        "ecl-mst",
    ],
    measures: &[Measure::Time],
    threads: Threads::All,
    published: UNPUBLISHED,
};

const FIGURE_7A: Experiment = Experiment {
    id: "figure-7a",
    title: "Figure 7(a): MinPMA and SortPMA by gamma on the roads of Florida",
    says: &["Section 6.2: both are fastest at gamma = 8, and MinPMA is faster than SortPMA."],
    graphs: || vec![florida()],
    contestants: &[
        over_gamma!("cuda-pma-min"),
        over_gamma!("cuda-pma-sort"),
        over_gamma!("cuda-pma-hybrid"),
        over_gamma!("pma:variant=0/1"),
        "fast",
    ],
    measures: &[Measure::Time],
    threads: Threads::All,
    published: UNPUBLISHED,
};

const FIGURE_7B: Experiment = Experiment {
    id: "figure-7b",
    title: "Figure 7(b): MinPMA and SortPMA by gamma on a dense R-MAT graph (10K vertices, 11M edges)",
    says: &[
        "Section 6.2: SortPMA is fastest from gamma = 14 on and stays there; MinPMA slows down as \
         gamma grows.",
    ],
    // 16.4 million draws leave 10.8 million edges after repeats are merged.
    graphs: || vec![PaperGraph::new("R-MAT, dense".to_owned(), Family::Rmat, 1 << 14, 1000 << 14)],
    contestants: FIGURE_7A.contestants,
    measures: &[Measure::Time],
    threads: Threads::All,
    published: UNPUBLISHED,
};

const FIGURE_8: Experiment = Experiment {
    id: "figure-8",
    title: "Figure 8: vertices unified in an iteration",
    says: &[
        "Section 6.4: PMA unifies far more than Bader and Cong's algorithm, above all in dense \
         graphs, and more with gamma = 100 than with 10.",
        "Section 6.4: Vineet's Borůvka unifies less than PMA, at times less than Bader and Cong.",
    ],
    graphs: || {
        let random = |name: &str, family, edges| {
            PaperGraph::new(name.to_owned(), family, MILLION, edges * MILLION)
        };
        vec![
            florida(),
            random("ER, 30M edges", Family::Uniform, 30),
            random("R-MAT, 10M edges", Family::Rmat, 10),
            random("SSCA#2, 8M edges", Family::Ssca2, 8),
        ]
    },
    contestants: &[
        "cuda-boruvka-contract",
        "cuda-pma-hybrid:gamma=10/100",
        "pma:gamma=10/100",
        "boruvka",
    ],
    measures: &[Measure::Reduction, Measure::ReductionAlone],
    threads: Threads::All,
    published: UNPUBLISHED,
};

/// A road network that two figures share.
fn florida() -> PaperGraph {
    PaperGraph::road("Florida", "USA-road-d.FLA", 1_070_376)
}

const TABLE_1: Experiment = Experiment {
    id: "table-1",
    title: "Table 1 (section 6.5): real networks",
    says: &[
        "Edges of the paper are counted in both directions. The Arxiv graph is given 7.9M edges; \
         the file of this name has 0.4M (0.8M in both directions).",
        "Section 6.5: PMA is faster than Vineet's Borůvka on every graph, by up to twice; HybridPMA \
         is faster than MinPMA and SortPMA.",
    ],
    graphs: real_networks,
    contestants: &[
        "prim-binary",
        "kruskal",
        "boruvka",
        "cuda-boruvka-contract",
        "cuda-pma-min",
        "cuda-pma-sort",
        "cuda-pma-hybrid",
        "cuda-boruvka-edge",
        "cuda-fast",
        "pma",
        "fast",
        "ecl-mst",
    ],
    measures: &[Measure::Time],
    threads: Threads::All,
    published: Published {
        columns: &[
            (Measure::Time, "Prim"),
            (Measure::Time, "Kruskal"),
            (Measure::Time, "Borůvka"),
            (Measure::Time, "Vineet"),
            (Measure::Time, "MinPMA"),
            (Measure::Time, "SortPMA"),
            (Measure::Time, "HybridPMA"),
        ],
        rows: TABLE_1_ROWS,
        ..UNPUBLISHED
    },
};

/// The graphs of Table 1. A stand-in of a network that is no road network is an R-MAT graph.
fn real_networks() -> Vec<PaperGraph> {
    let road = PaperGraph::road;
    let other = |name: &str, real, vertices, edges| {
        let graph = PaperGraph::new(name.to_owned(), Family::Rmat, vertices, edges);
        PaperGraph { real: Some(real), ..graph }
    };
    vec![
        road("New York", "USA-road-d.NY", 264_346),
        road("San Francisco", "USA-road-d.BAY", 321_270),
        road("Colorado", "USA-road-d.COL", 435_666),
        florida(),
        road("Northwest USA", "USA-road-d.NW", 1_207_945),
        road("Northeast USA", "USA-road-d.NE", 1_524_453),
        road("California", "USA-road-d.CAL", 1_890_815),
        road("Great Lakes", "USA-road-d.LKS", 2_758_119),
        road("USA-East", "USA-road-d.E", 3_598_623),
        road("USA-West", "USA-road-d.W", 6_262_104),
        road("USA-Central", "USA-road-d.CTR", 14_081_816),
        road("USA-Full", "USA-road-d.USA", 23_947_347),
        other("Arxiv Astro Physics", "ca-AstroPh", 18_772, 396_160),
        road("Penn Road network", "roadNet-PA", 1_090_920),
        other("Amazon co-purchasing", "amazon0601", 410_236, 3_356_824),
        other("Google graph", "web-Google", 875_713, 5_105_039),
        other("Internet topology", "as-skitter", 1_696_415, 11_095_298),
        other("US Patents Citation", "cit-Patents", 3_774_768, 16_518_948),
    ]
}

/// A row of Table 1 in which every solver has a time.
macro_rules! times {
    ($($time:literal)*) => { &[$(Some($time as f64)),*] };
}

/// Milliseconds, in the order of the columns of [`TABLE_1`]. Sequential Prim and Kruskal, and
/// Vineet's code, ran out of memory on the largest graphs.
const TABLE_1_ROWS: &[(&str, &[Option<f64>])] = &[
    ("New York", times!(183 216 541 29 18 27 18)),
    ("San Francisco", times!(207 255 477 30 19 27 19)),
    ("Colorado", times!(290 359 592 38 25 37 24)),
    ("Florida", times!(780 987 2139 79 51 81 50)),
    ("Northwest USA", times!(835 1111 1576 83 59 86 58)),
    ("Northeast USA", times!(1120 1571 2811 112 81 118 80)),
    ("California", times!(1451 2003 3246 137 103 144 102)),
    ("Great Lakes", times!(2076 3004 4832 193 158 213 157)),
    ("USA-East", times!(2752 3944 6964 242 195 267 193)),
    ("USA-West", times!(4852 7158 12052 430 346 469 343)),
    ("USA-Central", &[None, None, Some(52306.0), None, Some(912.0), Some(1170.0), Some(900.0)]),
    ("USA-Full", &[None, None, Some(46890.0), None, Some(1378.0), Some(1909.0), Some(1361.0)]),
    ("Arxiv Astro Physics", times!(93 347 354 39 32 30 30)),
    ("Penn Road network", times!(1603 5522 3315 180 108 169 106)),
    ("Amazon co-purchasing", times!(1457 5923 24047 274 175 218 164)),
    ("Google graph", times!(2616 9730 59671 334 240 268 231)),
    ("Internet topology", times!(7000 24629 1408810 934 839 799 797)),
    (
        "US Patents Citation",
        &[None, None, Some(97175.0), Some(2434.0), Some(1482.0), Some(1494.0), Some(1221.0)],
    ),
];
