//! Pictures of graphs.

use crate::harness::{SMALL, Workplace};

/// The number of lines in the paths of a class.
fn lines(svg: &str, class: &str) -> usize {
    let start = format!("<path class=\"{class}\"");
    svg.lines().filter(|line| line.starts_with(&start)).map(|line| line.matches('M').count()).sum()
}

#[test]
fn an_svg_has_one_line_per_edge() {
    let place = Workplace::new();
    place.run("draw gen:road:n=500,seed=3 -o city.svg --bottlenecks 7").expect_success();
    let svg = place.read("city.svg");
    let graph = place.run("info gen:road:n=500,seed=3 --json").expect_success().json();
    let edges = usize::try_from(graph["edges"].as_u64().unwrap()).unwrap();
    assert_eq!(lines(&svg, "bottlenecks"), 7);
    assert_eq!(lines(&svg, "forest"), 499 - 7);
    assert_eq!(lines(&svg, "others"), edges - 499);
}

#[test]
fn a_layout_shows_components_and_vertices_alone() {
    let place = Workplace::new();
    let report = place.write("g.gr", SMALL).run("draw g.gr -o g.svg --bottlenecks 1");
    assert!(report.expect_success().stdout.contains("a layout"));
    let svg = place.read("g.svg");
    let found = ["others", "forest", "bottlenecks", "alone"].map(|class| lines(&svg, class));
    assert_eq!(found, [4, 2, 1, 1]);
    place.run("draw g.gr -o g.svg --bottlenecks 1 --forest-only").expect_success();
    let svg = place.read("g.svg");
    let found = ["others", "forest", "bottlenecks", "alone"].map(|class| lines(&svg, class));
    assert_eq!(found, [0, 2, 1, 1]);
}

#[test]
fn small_graphs_are_drawn_in_every_format() {
    let place = Workplace::new();
    for (name, graph) in [("none.gr", "p sp 0 0\n"), ("one.gr", "p sp 1 0\n"), ("g.gr", SMALL)] {
        place.write(name, graph);
        for format in ["svg", "png", "html"] {
            place.run(&format!("draw {name} -o picture.{format}")).expect_success();
            assert!(
                std::fs::metadata(place.path(&format!("picture.{format}"))).unwrap().len() > 60
            );
        }
    }
}

#[test]
fn a_page_holds_its_title_as_text() {
    let place = Workplace::new();
    place.write("<b>&.gr", SMALL).run("draw <b>&.gr -o page.html").expect_success();
    let page = place.read("page.html");
    assert!(page.contains("<title>&lt;b&gt;&amp;.gr</title>"));
    assert!(!page.contains("<b>") && !page.contains("http"));
}

#[test]
fn wrong_requests_are_refused_in_one_sentence() {
    let place = Workplace::new();
    place.write("g.gr", SMALL).write("cycle", "0\n1\n4\n").write("other", "0\n99\n");
    for (arguments, message) in [
        ("g.gr -o g.pdf", "g.pdf: no picture format has this extension; use .svg, .png or .html"),
        ("g.gr -o -", "-: no picture format has this extension; use .svg, .png or .html"),
        ("g.gr -o g.svg --size 99", "`--size` has no effect on this format"),
        ("g.gr cycle -o g.svg", "cycle: edge 4 closes a cycle"),
        ("g.gr other -o g.svg", "other: the forest has edge 99, and the graph has 7 edges"),
    ] {
        let refused = place.run(&format!("draw {arguments}"));
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.starts_with(&format!("kostra: {message}")), "{refused:?}");
        assert_eq!(refused.stderr.lines().count(), 1, "{refused:?}");
    }
    assert_eq!(place.files(), ["cycle", "g.gr", "other"]);
}

#[test]
fn a_forest_from_a_file_is_drawn() {
    let place = Workplace::new();
    place.run("solve gen:road:n=300 -o forest.txt").expect_success();
    place.run("draw gen:road:n=300 forest.txt -o one.svg").expect_success();
    place.run("draw gen:road:n=300 -o two.svg").expect_success();
    assert_eq!(place.read("one.svg"), place.read("two.svg"));
}
