//! A graph with places, and everything that the page shows of it.

use kostra_core::tree::{self, Bottleneck, MergeTree, NO_PARENT};
use kostra_core::{AnyGraph, EdgeId, EdgeList, Edges, Forest, Graph, Order, Vertex, verify};

use crate::json::{key, list, number, string};
use crate::steps::{self, COMPARED, PRIM, Steps};
use crate::{MAX_EDGES, MAX_VERTICES};

/// A river of a drawing, which changes nothing in the graph.
pub struct River {
    /// The points of its middle line.
    pub line: Vec<[f64; 2]>,
    /// Its width, in the units of the places.
    pub width: f64,
}

/// A drawn graph with its forest, and the steps of the solvers that found the forest.
pub struct Scene {
    places: Vec<[f64; 2]>,
    river: Option<River>,
    names: Vec<String>,
    graph: Graph<f64>,
    forest: Forest,
    /// The number of edges outside the forest that the verifier compared with their paths.
    compared: usize,
    solvers: Vec<Steps>,
    hierarchy: MergeTree,
}

impl Scene {
    /// Solves a graph by each solver of [`COMPARED`], and verifies the forest.
    ///
    /// # Errors
    /// A sentence, when the graph is too large to draw or the sum of its weights is not finite.
    pub fn new(
        places: Vec<[f64; 2]>,
        names: Vec<String>,
        ends: Vec<(Vertex, Vertex)>,
        weights: Vec<f64>,
    ) -> Result<Self, String> {
        check_size(places.len(), ends.len())?;
        // JSON has no infinite numbers, and no drawing shows them.
        if !weights.iter().map(|weight| weight.abs()).sum::<f64>().is_finite() {
            return Err("the weights are too large: their sum is not a finite number".to_owned());
        }
        let (u, v): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
        let list = EdgeList::new(places.len(), u, v, weights).map_err(|error| error.to_string())?;
        let graph = Graph::from(list);
        let any = AnyGraph::F64(graph.clone());
        let solvers =
            COMPARED.iter().map(|id| steps::run(id, &any)).collect::<Result<Vec<_>, _>>()?;
        let edges = graph.edge_list().edges(Order::Minimum);
        let ids = solvers[0].forest.clone();
        if let Some(other) = solvers.iter().find(|steps| steps.forest != ids) {
            return Err(format!("{} returned another forest than kruskal", other.info.id));
        }
        let certificate = verify(edges, &ids).map_err(|error| error.to_string())?;
        let forest = Forest::new(edges, ids);
        let hierarchy = MergeTree::new(edges, &forest).map_err(|error| error.to_string())?;
        let compared = certificate.compared;
        let river = None;
        Ok(Self { places, river, names, graph, forest, compared, solvers, hierarchy })
    }

    /// The steps of Prim's algorithm from another vertex, as a JSON object. The solver starts at
    /// vertex 0, so it gets a graph in which `start` has this number. Edge ids stay, so the forest
    /// stays, too.
    ///
    /// # Errors
    /// A sentence, when there is no such vertex.
    pub fn prim_from(&self, start: Vertex) -> Result<String, String> {
        if start as usize >= self.places.len() {
            return Err(format!("there is no vertex {start}"));
        }
        let moved = |&end: &Vertex| match end {
            0 => start,
            end if end == start => 0,
            end => end,
        };
        let edges = self.graph.edge_list();
        let [u, v] = [edges.u(), edges.v()].map(|ends| ends.iter().map(moved).collect());
        let graph = AnyGraph::from_edges(self.places.len(), u, v, edges.weights().to_vec());
        let steps = steps::run(PRIM, &graph.map_err(|error| error.to_string())?)?;
        let mut out = String::new();
        describe_steps(&mut out, &steps);
        Ok(out)
    }

    /// The scene with a river.
    #[must_use]
    pub fn beside(self, river: River) -> Self {
        Self { river: Some(river), ..self }
    }

    fn edges(&self) -> Edges<'_, u64> {
        self.graph.edge_list().edges(Order::Minimum)
    }

    fn weight(&self, edge: EdgeId) -> f64 {
        self.graph.edge_list().weights()[edge as usize]
    }

    /// Everything that the page draws before the reader asks for more, as a JSON object.
    ///
    /// # Errors
    /// A sentence, when the memory is refused.
    pub fn describe(&self) -> Result<String, String> {
        let (edges, mut out) = (self.edges(), String::from("{"));
        key(&mut out, "places");
        list(&mut out, &self.places, |out, place| list(out, place, number));
        if let Some(river) = &self.river {
            key(&mut out, "river");
            list(&mut out, &river.line, |out, place| list(out, place, number));
            key(&mut out, "riverWidth");
            number(&mut out, river.width);
        }
        key(&mut out, "names");
        list(&mut out, &self.names, |out, name| string(out, name));
        key(&mut out, "edges");
        list(&mut out, edges.ids(), |out, id| {
            let (u, v) = edges.ends(id);
            list(out, [f64::from(u), f64::from(v), self.weight(id)], number);
        });
        key(&mut out, "forest");
        list(&mut out, self.forest.ids(), number);
        for (name, value) in
            [("components", self.forest.components() as usize), ("compared", self.compared)]
        {
            key(&mut out, name);
            number(&mut out, value);
        }
        key(&mut out, "total");
        number(&mut out, self.forest.total());
        key(&mut out, "solvers");
        list(&mut out, &self.solvers, describe_steps);
        let merges = self.hierarchy.merges().map_err(|error| error.to_string())?;
        key(&mut out, "merges");
        list(&mut out, merges, |out, merge| {
            let [a, b] = merge.clusters;
            list(out, [u64::from(merge.edge), a, b, u64::from(merge.size)], number);
        });
        out.push('}');
        Ok(out)
    }

    /// The clusters of all vertices if edges up to the weight `threshold` join them, as a JSON
    /// object: the number of clusters, the number of merges, and the cluster of each vertex.
    ///
    /// # Errors
    /// A sentence, when the memory is refused.
    pub fn clusters(&self, threshold: f64) -> Result<String, String> {
        let order = self.hierarchy.edges();
        let merges = order.partition_point(|&edge| self.weight(edge) <= threshold);
        let labels = self.hierarchy.clusters(merges).map_err(|error| error.to_string())?;
        let count = labels.iter().max().map_or(0, |highest| highest + 1);
        let mut out = format!("{{\"count\":{count},\"merges\":{merges},\"labels\":");
        list(&mut out, labels, number);
        out.push('}');
        Ok(out)
    }

    /// Why an edge is in the forest or outside, as a JSON object: the forest's edges on the path
    /// between its ends, the heaviest of them (`null` if there is none), and a sentence.
    ///
    /// # Errors
    /// A sentence, when there is no such edge or the memory is refused.
    pub fn explain(&self, edge: EdgeId) -> Result<String, String> {
        if edge as usize >= self.edges().len() {
            return Err(format!("there is no edge {edge}"));
        }
        let kept = self.forest.ids().binary_search(&edge).is_ok();
        let (u, v) = self.edges().ends(edge);
        let path = if kept { vec![edge] } else { self.path(u, v)? };
        let heaviest = match self.hierarchy.bottleneck(u, v) {
            Bottleneck::Edge(heaviest) if !kept => Some(heaviest),
            _ => None,
        };
        let mut out = String::from("{");
        key(&mut out, "path");
        list(&mut out, &path, number);
        key(&mut out, "heaviest");
        out.push_str(&heaviest.map_or_else(|| "null".to_owned(), |id| id.to_string()));
        key(&mut out, "sentence");
        string(&mut out, &self.sentence(edge, path.len(), heaviest, kept));
        out.push('}');
        Ok(out)
    }

    fn sentence(&self, edge: EdgeId, path: usize, heaviest: Option<EdgeId>, kept: bool) -> String {
        let (name, weight) = (self.name(edge), self.weight(edge));
        if kept {
            return format!(
                "{name} (weight {weight}) is in the forest. Without it the forest falls into two \
                 parts, and it is the lightest edge between them (cut property)."
            );
        }
        let Some(heaviest) = heaviest else {
            return format!("{name} joins a vertex with itself. No forest contains a self-loop.");
        };
        let (other, below) = (self.name(heaviest), self.weight(heaviest));
        let edges = path + 1;
        let reason = if below < weight {
            format!(
                "It is the heaviest edge of this cycle: the path through the forest needs no edge \
                 heavier than {other} (weight {below})."
            )
        } else {
            format!(
                "No edge of this cycle is heavier, and {other} has the same weight. Ties go to the \
                 lower edge id: {heaviest} comes before {edge}."
            )
        };
        format!(
            "{name} (weight {weight}) closes a cycle of {edges} edges. {reason} So no edge of the \
             cycle is a better one to leave out (cycle property)."
        )
    }

    fn name(&self, edge: EdgeId) -> String {
        let (u, v) = self.edges().ends(edge);
        format!("Edge {} – {}", self.names[u as usize], self.names[v as usize])
    }

    /// The forest's edges from `u` to `v`, which are in one component.
    fn path(&self, u: Vertex, v: Vertex) -> Result<Vec<EdgeId>, String> {
        let edges = self.edges();
        let parents = tree::parents(edges, &self.forest, v).map_err(|error| error.to_string())?;
        let (mut path, mut at) = (Vec::new(), u);
        while parents[at as usize] != NO_PARENT {
            let next = parents[at as usize];
            path.extend(self.forest.ids().iter().copied().find(|&id| {
                let ends = edges.ends(id);
                ends == (at, next) || ends == (next, at)
            }));
            at = next;
        }
        Ok(path)
    }
}

fn describe_steps(out: &mut String, steps: &Steps) {
    out.push('{');
    let info = steps.info;
    for (name, text) in [("id", info.id), ("title", info.title), ("time", info.time)] {
        key(out, name);
        string(out, text);
    }
    key(out, "decisions");
    list(out, &steps.decisions, |out, &(edge, kept)| list(out, [edge, kept.into()], number));
    key(out, "rounds");
    list(out, &steps.rounds, number);
    out.push('}');
}

/// Refuses a graph that would be a blot on the page.
///
/// # Errors
/// A sentence that names the limit.
pub fn check_size(vertices: usize, edges: usize) -> Result<(), String> {
    for (found, limit, what) in [(vertices, MAX_VERTICES, "vertices"), (edges, MAX_EDGES, "edges")]
    {
        if found > limit {
            return Err(format!(
                "this page draws at most {limit} {what}, and the graph has {found}; \
                 the command `kostra solve` takes it"
            ));
        }
    }
    Ok(())
}
