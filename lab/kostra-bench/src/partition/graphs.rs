//! The graphs of the suite, by class.

use anyhow::{Context, Result};

use crate::graphs::GraphOrigin;

/// A graph with its class. Averages are per class, because partitioners differ by class.
pub(crate) struct ClassedGraph {
    pub(crate) class: String,
    pub(crate) source: GraphOrigin,
}

/// Real graphs and generated ones. Files that are missing are skipped.
const SUITE: &[(&str, &str)] = &[
    ("mesh", "../shared/data/mesh/4elt.graph"),
    ("mesh", "../shared/data/mesh/copter2.graph.xz"),
    ("mesh", "../shared/data/mesh/wave.graph.bz2"),
    ("mesh", "../shared/data/mesh/wing.graph.gz"),
    ("road", "../shared/data/road/rome99.gr"),
    ("road", "../shared/data/road/california.cedge.gz"),
    ("road", "../shared/data/road/osm-rome.gr.xz"),
    ("road", "../shared/data/road/usroads-greatcircle-m.gr.xz"),
    ("road", "../shared/data/road/USA-road-d.NY.gr.gz"),
    ("road", "../shared/data/road/USA-road.BAY.unweighted.gr.xz"),
    ("road", "../shared/data/road/USA-road.COL.unweighted.gr.xz"),
    ("matrix", "../shared/data/matrix/ak2010.mtx.gz"),
    ("matrix", "../shared/data/matrix/delaunay_n16.mtx.gz"),
    ("matrix", "../shared/data/matrix/luxembourg_osm.mtx.gz"),
    ("social", "../shared/data/social/PGPgiantcompo.graph"),
    ("social", "../shared/data/social/Email-Enron.txt.gz"),
    ("social", "../shared/data/social/ca-AstroPh.edgelist.gz"),
    ("generated", "gen:grid:side=1000"),
    ("generated", "gen:road:n=1000000"),
    ("generated", "gen:rmat:scale=17"),
    ("generated", "gen:gnm:n=500000,m=2000000"),
];

/// Small graphs of the same shapes.
const SMOKE: &[(&str, &str)] =
    &[("mesh", "gen:grid:side=30"), ("road", "gen:road:n=1000"), ("generated", "gen:rmat:scale=9")];

/// The graphs that are named as `CLASS=GRAPH`, or all of the suite.
pub(super) fn choose(named: &[String], smoke: bool) -> Result<Vec<ClassedGraph>> {
    let classed = |class: &str, source: &str| {
        let file = source.rsplit('/').next().filter(|_| !source.starts_with("gen:"));
        let name = file.unwrap_or(source).to_owned();
        let source = source.to_owned();
        let source = GraphOrigin { name, source, stand_in_for: None, missing_weights: None };
        ClassedGraph { class: class.to_owned(), source }
    };
    if named.is_empty() {
        let suite = if smoke { SMOKE } else { SUITE };
        return Ok(suite.iter().map(|(class, source)| classed(class, source)).collect());
    }
    let parse = |text: &String| {
        let (class, source) = text
            .split_once('=')
            .filter(|(class, _)| !class.contains(':'))
            .with_context(|| format!("'{text}' has no class; write for example road={text}"))?;
        Ok(classed(class, source))
    };
    named.iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_have_the_class_before_the_equals_sign() {
        let graphs = choose(&["road=gen:road:n=5".to_owned()], false).unwrap();
        assert_eq!((&*graphs[0].class, &*graphs[0].source.source), ("road", "gen:road:n=5"));
        assert!(choose(&["gen:road:n=5".to_owned()], false).is_err());
    }
}
