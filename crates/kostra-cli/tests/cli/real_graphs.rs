//! Real graphs with known answers.

use kostra_testkit::real;

use crate::harness::Workplace;

#[test]
fn the_roads_of_new_york_have_the_known_forest() {
    let Some(path) = real::file("road/USA-road-d.NY.gr.gz") else { return };
    let workplace = Workplace::new();
    let report =
        workplace.run(&format!("solve {} --verify", path.display())).expect_success().stdout;
    for words in [
        "264,345 edges",
        "total weight 261,159,288",
        "one component",
        "verified",
        "load",
        "build",
        "solve",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
}

#[test]
fn real_graphs_have_their_known_forests() {
    let known = [
        ("road/rome99.gr", 3352, 1_186_386, 1),
        ("road/osm-rome.gr.xz", 234_322, 8_868_502, 174),
        ("road/usroads-greatcircle-m.gr.xz", 129_108, 363_838_633, 56),
    ];
    let workplace = Workplace::new();
    for (name, edges, weight, components) in known {
        let Some(path) = real::file(name) else { continue };
        let command = format!("solve {} --verify --json -o forest.edges.gz", path.display());
        let record = workplace.run(&command).expect_success().json();
        assert_eq!(record["forest_edges"], edges, "{name}");
        assert_eq!(record["total_weight"], weight, "{name}");
        assert_eq!(record["components"], components, "{name}");
        workplace.run(&format!("verify {} forest.edges.gz", path.display())).expect_success();
    }
}

#[test]
fn a_height_tile_in_an_archive_is_divided_into_segments() {
    let Some(path) = real::file("height/N41E001.hgt.zip") else { return };
    let workplace = Workplace::new();
    let command = format!("segment {} --scale 300 --min-size 300 --json", path.display());
    let record = workplace.run(&command).expect_success().json();
    assert_eq!(record["shape"], serde_json::json!([1201, 1201]));
    assert_eq!((&record["unknown"], &record["segments"]), (&134.into(), &1891.into()));
}
