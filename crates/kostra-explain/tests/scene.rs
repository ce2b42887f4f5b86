//! What the page shows of a graph: decisions, cycles and clusters.

use kostra_explain::city::city;
use kostra_explain::scene::Scene;
use kostra_explain::steps::{COMPARED, run};

/// Two triangles with a bridge, a self-loop and a tie.
fn scene() -> Scene {
    let ends = vec![(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (0, 0)];
    let weights = vec![1.0, 2.0, 3.0, 9.0, 4.0, 4.0, 4.0, 1.0];
    let names = ["A", "B", "C", "D", "E", "F"].map(str::to_owned).into();
    Scene::new(vec![[0.0, 0.0]; 6], names, ends, weights).expect("the graph is small")
}

#[test]
fn a_rejected_edge_shows_the_cycle_and_its_heaviest_edge() {
    let answer = scene().explain(2).unwrap();
    assert!(answer.starts_with(r#"{"path":[1,0],"heaviest":1,"#), "{answer}");
    assert!(answer.contains("closes a cycle of 3 edges"), "{answer}");
    assert!(answer.contains("no edge heavier than Edge B – C (weight 2)"), "{answer}");
}

#[test]
fn ties_self_loops_and_kept_edges_have_their_own_reasons() {
    let (tie, scene) = (scene().explain(6).unwrap(), scene());
    assert!(tie.contains("Ties go to the lower edge id: 5 comes before 6."), "{tie}");
    let own = scene.explain(7).unwrap();
    assert!(own.contains(r#""heaviest":null"#) && own.contains("self-loop"), "{own}");
    assert!(scene.explain(3).unwrap().contains("cut property"));
    assert_eq!(scene.explain(8).unwrap_err(), "there is no edge 8");
}

#[test]
fn a_threshold_includes_edges_of_its_own_weight() {
    let scene = scene();
    assert_eq!(scene.clusters(0.5).unwrap(), r#"{"count":6,"merges":0,"labels":[0,1,2,3,4,5]}"#);
    assert_eq!(scene.clusters(4.0).unwrap(), r#"{"count":2,"merges":4,"labels":[0,0,0,1,1,1]}"#);
    assert_eq!(scene.clusters(9.0).unwrap(), r#"{"count":1,"merges":5,"labels":[0,0,0,0,0,0]}"#);
}

#[test]
fn an_empty_graph_is_drawn_without_marks() {
    let described = Scene::new(vec![], vec![], vec![], vec![]).unwrap().describe().unwrap();
    assert!(described.starts_with(r#"{"places":[],"names":[],"edges":[],"#), "{described}");
}

#[test]
fn prim_starts_at_the_chosen_vertex_and_finds_one_forest() {
    let scene = scene();
    // From E, both edges of weight 4 are lightest, and 4 (D-E) has the lower id.
    let steps = scene.prim_from(4).unwrap();
    assert!(steps.contains(r#""decisions":[[4,1],"#), "{steps}");
    let kept = |steps: &str| {
        let mut kept: Vec<_> = (0..8).filter(|id| steps.contains(&format!("[{id},1]"))).collect();
        kept.sort_unstable();
        kept
    };
    for start in 0..6 {
        assert_eq!(kept(&scene.prim_from(start).unwrap()), [0, 1, 3, 4, 5], "{start}");
    }
    assert_eq!(scene.prim_from(6).unwrap_err(), "there is no vertex 6");
}

#[test]
fn every_compared_solver_exists() {
    let graph = kostra_gen::generate("cycle:n=5").unwrap().graph;
    for id in COMPARED {
        let steps = run(id, &graph).unwrap();
        assert_eq!(steps.decisions.iter().filter(|(_, kept)| *kept).count(), 4, "{id}");
    }
    assert!(run("fast", &graph).is_err(), "fast needs threads");
    assert!(city(200, 3).is_ok());
}
