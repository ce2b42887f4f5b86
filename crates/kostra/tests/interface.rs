//! The promises of the library's own interface, beyond the examples in its documentation.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kostra::{
    BuildError, Forest, Graph, GraphError, Number, Order, Platform, Solve, SolverInfo, Violation,
    WeightType, maximum_spanning_forest, minimum_spanning_forest, solvers, verify, verify_ids,
};

#[test]
fn tuples_arrays_and_slices_give_one_graph() {
    let tuples = [(0, 1, 7_u64), (1, 2, u64::MAX), (2, 2, 0)];
    let (u, v, weights) = ([0, 1, 2], [1, 2, 2], [7, u64::MAX, 0]);
    let graphs = [
        Graph::from_edges(tuples),
        Graph::from_edges(tuples.iter()),
        Graph::from_edges(tuples.iter().filter(|_| true)),
        Graph::with_vertices(3, tuples.to_vec()),
        Graph::from_slices(3, &u, &v, &weights),
        Graph::from_arrays(3, u.into(), v.into(), weights.into()),
    ];
    for graph in graphs {
        let graph = graph.unwrap();
        assert_eq!((graph.vertex_count(), graph.edge_count()), (3, 3));
        assert_eq!(graph.weight_type(), WeightType::U64);
        assert_eq!(graph.weights(), Some(&weights[..]));
        assert_eq!(graph.weights::<f64>(), None);
        let edges: Vec<_> = graph.edges().collect();
        assert_eq!(edges[1], (1, 1, 2, Number::U64(u64::MAX)), "no weight is rounded");
        assert_eq!((graph.edge(1), graph.edge(3)), (Some(edges[1]), None));
    }
}

#[test]
fn a_graph_without_edges_has_a_forest() {
    let none: [(u32, u32, f32); 0] = [];
    let graph = Graph::from_edges(none).unwrap();
    assert_eq!((graph.vertex_count(), minimum_spanning_forest(&graph).component_count()), (0, 0));
    let graph = Graph::with_vertices(4, none).unwrap();
    let forest = minimum_spanning_forest(&graph);
    assert_eq!((forest.component_count(), forest.edges().len()), (4, 0));
    assert_eq!(forest.labels().unwrap().as_slice(), [0, 1, 2, 3]);
}

#[test]
fn weights_of_one_type_have_an_order() {
    assert!(Number::I32(5) > Number::I32(2) && Number::F64(f64::NAN) != Number::F64(f64::NAN));
    assert_eq!(Number::I32(5).partial_cmp(&Number::F64(2.5)), None);
    assert!(Number::I32(5).to_f64() > Number::F64(2.5).to_f64());
}

#[cfg(feature = "io")]
#[test]
fn a_file_has_each_note_once() {
    let path = std::env::temp_dir().join(format!("kostra-notes-{}.csv", std::process::id()));
    std::fs::write(&path, "source,target,weight\n10,20,1.5\n20,30,2.5\n").unwrap();
    let file = kostra::Reader::new().read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(file.graph.vertex_count(), 31);
    assert_eq!(file.notes.len(), 1, "{:?}", file.notes);
}

#[cfg(feature = "io")]
#[test]
fn a_forest_is_written_with_the_columns_that_its_file_keeps() {
    use kostra::io::{ColumnChoice, ColumnOptions, ReadOptions};

    let folder = std::env::temp_dir().join(format!("kostra-kept-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [roads, output] = ["roads.csv", "forest.csv"].map(|name| folder.join(name));
    std::fs::write(&roads, "from,to,km,road\nPrague,Brno,205,D1\nBrno,Prague,9,E65\n").unwrap();
    let keep = vec![ColumnChoice::Name("road".into())];
    let weight = Some(ColumnChoice::Name("km".into()));
    let columns = ColumnOptions { keep, weight, ..ColumnOptions::default() };
    let options = ReadOptions { columns, names: true, ..ReadOptions::default() };
    let file = kostra::Reader::from(options).read(&roads).unwrap();
    let forest = minimum_spanning_forest(&file.graph);
    forest.write_with(&output, &file).unwrap();
    let written = std::fs::read_to_string(&output).unwrap();
    let ids = Forest::read_ids(&output, &file).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(written, "edge,u,v,weight,road\n1,Brno,Prague,9,E65\n");
    assert_eq!(ids, [1]);
}

#[test]
fn arrays_that_are_no_graph_are_refused() {
    let fault = |graph: Result<Graph, BuildError>| match graph.unwrap_err() {
        BuildError::Graph(fault) => fault,
        other => panic!("{other}"),
    };
    assert_eq!(
        fault(Graph::with_vertices(2, [(0, 1, 1), (1, 2, 1)])),
        GraphError::EndpointOutOfRange { edge: 1, vertex: 2, vertices: 2 }
    );
    assert_eq!(fault(Graph::from_edges([(0, 1, f64::NAN)])), GraphError::NanWeight { edge: 0 });
    assert_eq!(
        fault(Graph::from_edges([(0, u32::MAX, 1)])),
        GraphError::TooManyVertices { vertices: 1 << 32 }
    );
    assert_eq!(
        fault(Graph::from_slices(2, &[0], &[1, 0], &[1])),
        GraphError::LengthMismatch { u: 1, v: 2, weights: 1 }
    );
}

#[test]
fn a_forest_knows_its_order_and_its_graph() {
    let edges = [(0, 1, 4.0), (1, 2, 1.0), (2, 0, 2.0), (0, 3, 3.0)];
    let graph = Graph::from_edges(edges).unwrap();
    for (forest, ids) in
        [(minimum_spanning_forest(&graph), [1, 2, 3]), (maximum_spanning_forest(&graph), [0, 2, 3])]
    {
        assert_eq!(forest.ids(), ids);
        assert!(verify(&graph, &forest).is_ok());
        let found: Vec<_> =
            forest.edges().map(|(id, u, v, weight)| (id, (u, v, weight.to_f64()))).collect();
        assert_eq!(found, ids.map(|id| (id, edges[id as usize])));
        let total: f64 = found.iter().map(|(_, (_, _, weight))| weight).sum();
        assert_eq!(forest.total().to_f64(), total);
        let again = Forest::from_ids(forest.graph(), ids.to_vec(), forest.order()).unwrap();
        assert_eq!(again, forest);
    }
    let heavy = Forest::from_ids(&graph, vec![0, 1, 3], Order::Minimum).unwrap_err();
    assert!(heavy.to_string().contains("edge 2"), "{heavy}");
    let unknown = verify_ids(&graph, &[9], Order::Minimum).unwrap_err();
    assert_eq!(unknown, Violation::UnknownEdge { edge: 9, edges: 4 }.into());
}

#[test]
fn solve_runs_every_solver_and_suggests_ids() {
    let graph = Graph::from_edges([(0, 1, 1), (1, 2, 2), (2, 0, 3)]).unwrap();
    let is_here = |info: &SolverInfo| info.exact && info.platform != Platform::Cuda;
    for solver in solvers().filter(|solver| is_here(solver.info())) {
        let forest = Solve::new().algorithm(solver.info().id).unwrap().threads(2).run(&graph);
        assert_eq!(forest.unwrap().ids(), [0, 1], "{}", solver.info().id);
    }
    let unknown = Solve::new().algorithm("kruskall").err().unwrap();
    assert!(unknown.to_string().contains("did you mean"), "{unknown}");
}

#[cfg(feature = "petgraph")]
#[test]
fn a_graph_of_petgraph_keeps_its_indices() {
    let mut roads = petgraph::Graph::<&str, i64>::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| roads.add_node(name));
    roads.extend_with_edges([(a, b, 5), (b, c, -1), (a, c, 4)]);
    roads.add_node("isolated");
    let forest = minimum_spanning_forest(&Graph::try_from(&roads).unwrap());
    assert_eq!((forest.ids(), forest.component_count()), (&[1, 2][..], 2));
}

#[cfg(feature = "io")]
#[test]
fn errors_name_the_methods_of_the_reader() {
    let path = std::env::temp_dir().join(format!("kostra-terms-{}.csv", std::process::id()));
    let refusal = |text: &str| {
        std::fs::write(&path, text).unwrap();
        kostra::Reader::new().read(&path).unwrap_err().to_string()
    };
    let open = refusal("source,target,km,minutes\n1,2,5,7\n");
    let comma = refusal("source;target;weight\n1;2;5,7\n");
    std::fs::remove_file(&path).unwrap();
    let remedy = "pass `weight(\"km\")`, or `missing_weights(MissingWeights::Unit)`";
    assert!(open.ends_with(remedy), "{open}");
    assert!(comma.contains("`decimal_comma: true`"), "{comma}");
    assert!(!open.contains("--") && !comma.contains("--"), "{open}\n{comma}");
}
