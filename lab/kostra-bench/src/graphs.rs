//! The graphs of the suites, and graphs from generator specs and files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use kostra_core::AnyGraph;
use kostra_gen as generate;
use kostra_io::{Input, Loaded, MissingWeights, ReadOptions};

use crate::sweep;

/// A graph of a benchmark, with the name that tables show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GraphOrigin {
    /// The short name.
    pub(crate) name: String,
    /// `gen:` and a generator spec, or the path of a file.
    pub(crate) source: String,
    /// The graph in whose place this graph is generated.
    pub(crate) stand_in_for: Option<String>,
    /// The weights of a file without weights.
    pub(crate) missing_weights: Option<MissingWeights>,
}

/// The five graphs for comparing solvers: local with low degrees, the same in several components,
/// uniformly random, skewed, and dense. Weights are uniform in 1 to 2^24 - 1. A real road network
/// is added if its file exists.
const FOUNDATION: &[(&str, &str)] = &[
    ("grid", "gen:grid:side=2048"),
    ("road", "gen:grid:side=2048,keep=0.6"),
    ("uniform", "gen:gnm:n=4000000,m=16000000"),
    ("rmat", "gen:rmat:scale=20"),
    ("dense", "gen:dense:n=8000,m=28800000"),
    ("ny", "../shared/data/road/USA-road-d.NY.gr.gz"),
];

/// The graphs of the foundation suite, and one graph of 100 million edges.
const THREADS: &[(&str, &str)] = &[
    FOUNDATION[0],
    FOUNDATION[1],
    FOUNDATION[2],
    FOUNDATION[3],
    FOUNDATION[4],
    FOUNDATION[5],
    ("uniform-100M", "gen:gnm:n=10M,m=100M"),
];

/// Graphs of 29 to 100 million edges, large enough for sixteen cores.
const SIXTEEN: &[(&str, &str)] = &[
    ("grid", "gen:grid:side=5000"),
    ("uniform", "gen:gnm:n=10M,m=100M"),
    ("rmat", "gen:rmat:scale=22,edgefactor=24"),
    ("dense", "gen:dense:n=8000,m=28800000"),
];

/// For devices: seven random graphs as large as the inputs of Shou & He (same number of vertices,
/// number of edges within 0.1 %; without `dense/small.txt`, which has 17,847 edges), and four
/// larger shapes.
const GPU: &[(&str, &str)] = &[
    ("dense-medium", "gen:dense:n=1000,m=449835"),
    ("dense-large", "gen:dense:n=5000,m=11245984"),
    ("dense-extreme", "gen:dense:n=8000,m=28794681"),
    ("sparse-small", "gen:gnm:n=100000,m=149959"),
    ("sparse-medium", "gen:gnm:n=1000000,m=1501216"),
    ("sparse-large", "gen:gnm:n=10000000,m=15000570"),
    ("sparse-extreme", "gen:gnm:n=20000000,m=29998464"),
    ("grid", "gen:grid:side=4096"),
    ("road", "gen:grid:side=4900,keep=0.6"),
    ("uniform", "gen:gnm:n=4000000,m=64000000"),
    ("rmat", "gen:rmat:scale=22"),
];

/// Small graphs of the same shapes, to test that all contestants run and agree.
const SMOKE: &[(&str, &str)] = &[
    ("grid", "gen:grid:side=40"),
    ("road", "gen:grid:side=40,keep=0.6"),
    ("uniform", "gen:gnm:n=2000,m=8000"),
    ("rmat", "gen:rmat:scale=10"),
    ("dense", "gen:dense:n=100,m=4000"),
];

const SUITES: &[(&str, &[(&str, &str)])] = &[
    ("foundation", FOUNDATION),
    ("threads", THREADS),
    ("sixteen", SIXTEEN),
    ("gpu", GPU),
    ("smoke", SMOKE),
];

/// The graphs of `suite`, or only the graphs in `chosen` if it is not empty. An entry of `chosen`
/// can also be a spec or a file.
///
/// # Errors
/// If the suite does not exist, or does not have a chosen graph.
pub(crate) fn choose(suite: &str, chosen: &[String]) -> Result<Vec<GraphOrigin>> {
    let Some((_, graphs)) = SUITES.iter().find(|(name, _)| *name == suite) else {
        let names: Vec<_> = SUITES.iter().map(|(name, _)| *name).collect();
        bail!("there is no suite '{suite}'; there are: {}", names.join(", "));
    };
    let source = |name: &str, source: &str| GraphOrigin {
        name: name.to_owned(),
        source: source.to_owned(),
        stand_in_for: None,
        missing_weights: None,
    };
    if chosen.is_empty() {
        return Ok(graphs.iter().map(|(name, text)| source(name, text)).collect());
    }
    let choice = |name: &String| match graphs.iter().find(|(other, _)| other == name) {
        Some((name, text)) => Ok(vec![source(name, text)]),
        None if name.starts_with("gen:") => {
            Ok(sweep::specs(name).iter().map(|spec| source(spec, spec)).collect())
        }
        None if Path::new(name).exists() => Ok(vec![source(name, name)]),
        None => {
            let names: Vec<_> = graphs.iter().map(|(name, _)| *name).collect();
            bail!(
                "the suite {suite} has no graph '{name}' (it has: {}), and it is neither a file nor gen:SPEC",
                names.join(", ")
            )
        }
    };
    Ok(chosen.iter().map(choice).collect::<Result<Vec<_>>>()?.concat())
}

impl GraphOrigin {
    /// The file of a suite's graph, if it is missing. The suite then skips this graph.
    pub(crate) fn missing_file(&self) -> Option<PathBuf> {
        let path = self.path()?;
        (!path.exists()).then_some(path)
    }

    /// Generates or reads the graph.
    pub(crate) fn load(&self) -> Result<AnyGraph> {
        match self.path() {
            Some(path) => Ok(read_with(&path, 0, self.missing_weights)?.parsed.graph),
            None => {
                let spec = self.source.trim_start_matches("gen:");
                let made =
                    generate::generate(spec).with_context(|| format!("cannot generate {spec}"))?;
                Ok(made.graph)
            }
        }
    }

    /// The path of a file. Paths in a suite are relative to the workspace root. `KOSTRA_DATA` is a
    /// folder in place of `../shared/data`.
    fn path(&self) -> Option<PathBuf> {
        let mut path = (!self.source.starts_with("gen:")).then(|| PathBuf::from(&self.source))?;
        if let (Some(folder), Ok(name)) =
            (std::env::var_os("KOSTRA_DATA"), path.strip_prefix("../shared/data"))
        {
            path = Path::new(&folder).join(name);
        }
        if path.exists() { Some(path) } else { Some(crate::machine::workspace().join(path)) }
    }
}

/// Reads a file with `threads` threads; 0 means all.
pub(crate) fn read(path: &Path, threads: usize) -> Result<Loaded> {
    read_with(path, threads, None)
}

fn read_with(
    path: &Path,
    threads: usize,
    missing_weights: Option<MissingWeights>,
) -> Result<Loaded> {
    let options = ReadOptions { threads, missing_weights, ..ReadOptions::default() };
    kostra_io::read(&Input::Path(path.to_owned()), &options, &|_| {})
        .context("cannot read the graph")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_are_chosen_by_name_or_spec() {
        let names = |suite, chosen: &[&str]| -> Result<Vec<String>> {
            let chosen: Vec<_> = chosen.iter().map(|&name| name.to_owned()).collect();
            Ok(choose(suite, &chosen)?.into_iter().map(|graph| graph.name).collect())
        };
        assert_eq!(
            names("foundation", &[]).unwrap(),
            ["grid", "road", "uniform", "rmat", "dense", "ny"]
        );
        assert_eq!(names("smoke", &["rmat", "gen:path:n=5"]).unwrap(), ["rmat", "gen:path:n=5"]);
        assert_eq!(names("smoke", &["gen:path:n=5/6"]).unwrap(), ["gen:path:n=5", "gen:path:n=6"]);
        assert!(names("smoke", &["no-such-graph"]).is_err());
        assert!(names("no-such-suite", &[]).is_err());
    }
}
