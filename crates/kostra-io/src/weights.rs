//! Building a graph from columns: generates missing weights, and skips edges with NaN. The readers
//! of `.kst` and OpenStreetMap files, which always have weights, build graphs themselves.

use kostra_core::{
    AnyGraph, Coordinates, EARTH_RADIUS, EdgeId, EdgeList, GraphError, Vertex, Weight, memory,
    random,
};

use crate::columns::{Columns, Weights};
use crate::message::Message;
use crate::options::WeightRules;
use crate::{MissingWeights, Nan, ReadErrorKind};

/// What a reader knows about a graph: its vertices and edges, before weights are generated and
/// checked.
#[derive(Debug)]
pub(crate) struct RawGraph {
    vertices: usize,
    columns: Columns,
    weighted: bool,
    coordinates: Option<Coordinates>,
}

impl RawGraph {
    /// A graph without coordinates; `weighted` says whether the input has weights.
    pub(crate) fn new(vertices: usize, columns: Columns, weighted: bool) -> Self {
        Self { vertices, columns, weighted, coordinates: None }
    }

    /// The graph with the coordinates of its vertices.
    pub(crate) fn with_coordinates(self, coordinates: Coordinates) -> Self {
        Self { coordinates: Some(coordinates), ..self }
    }

    /// Builds the graph. If the input has no weights, generates those that the rules ask for.
    /// Adds what the user should know to `notes`.
    pub(crate) fn build(
        self,
        rules: impl Into<WeightRules>,
        notes: &mut Vec<Message>,
    ) -> Result<AnyGraph, ReadErrorKind> {
        let Self { vertices, columns, weighted, coordinates } = self;
        let rules = rules.into();
        refuse_others(weighted && columns.len() > 0, rules)?;
        let Columns { u, v, weights, base, .. } = columns;
        let ends = Ends { vertices, base, u, v };
        if weighted {
            return match weights {
                Weights::I32(weights) => ends.with(weights, rules, notes),
                Weights::I64(weights) => ends.with(weights, rules, notes),
                Weights::U64(weights) => ends.with(weights, rules, notes),
                Weights::F64(weights) => ends.with(weights, rules, notes),
            };
        }
        drop(weights);
        match rules.missing.unwrap_or(MissingWeights::Unit) {
            MissingWeights::Unit => {
                notes.push("the input has no weights; each edge weighs 1".into());
                let weights = ends.weights(|_, _| 1_i32)?;
                ends.with(weights, rules, notes)
            }
            MissingWeights::Hash => {
                notes.push(
                    "the input has no weights; each edge weighs a hash of its ends, in 1..2^24"
                        .into(),
                );
                let weights = ends.weights(hash)?;
                ends.with(weights, rules, notes)
            }
            MissingWeights::Distance => {
                let Some(coordinates) = coordinates else {
                    let sentence = "the input has no coordinates, so distances cannot be weights; use unit or hash weights";
                    return Err(ReadErrorKind::malformed(sentence));
                };
                notes.push(
                    "the input has no weights; each edge weighs the distance of its ends".into(),
                );
                let weights = ends.weights(|u, v| distance(&coordinates, u, v))?;
                ends.with(weights, rules, notes)
            }
        }
    }
}

/// Refuses to generate weights for an input that has weights.
pub(crate) fn refuse_others(
    weighted: bool,
    rules: impl Into<WeightRules>,
) -> Result<(), ReadErrorKind> {
    if weighted && rules.into().missing.is_some() {
        return Err(ReadErrorKind::HasWeights);
    }
    Ok(())
}

/// Edges without weights. In the input, `base` edges precede them.
struct Ends {
    vertices: usize,
    base: u64,
    u: Vec<Vertex>,
    v: Vec<Vertex>,
}

impl Ends {
    /// Generates the weight of each edge from its ends.
    fn weights<W>(&self, weight: impl Fn(Vertex, Vertex) -> W) -> Result<Vec<W>, ReadErrorKind> {
        let weights = self.u.iter().zip(&self.v).map(|(&u, &v)| weight(u, v));
        Ok(memory::collected(weights)?)
    }

    /// The graph of these edges with these weights.
    fn with<W: Weight>(
        self,
        weights: Vec<W>,
        rules: WeightRules,
        notes: &mut Vec<Message>,
    ) -> Result<AnyGraph, ReadErrorKind>
    where
        AnyGraph: From<EdgeList<W>>,
    {
        let Self { vertices, base, u, v } = self;
        if rules.nan == Nan::Error {
            let graph = AnyGraph::from_edges(vertices, u, v, weights);
            return Ok(graph.map_err(|error| with_ids_of_input(error, base))?);
        }
        let (edges, skipped) = EdgeList::new_skipping_nan(vertices, u, v, weights)
            .map_err(|error| with_ids_of_input(error, base))?;
        match skipped[..] {
            [] => {}
            [edge] => {
                let edge = base + u64::from(edge);
                notes.push(format!("edge {edge} weighs NaN; it is in no forest").into());
            }
            [first, ..] => {
                notes.push(
                    format!(
                        "{} edges weigh NaN, the first is edge {}; they are in no forest",
                        skipped.len(),
                        base + u64::from(first)
                    )
                    .into(),
                );
            }
        }
        Ok(edges.into())
    }
}

/// An error about these edges, with the edge ids of the whole input, where `base` edges precede
/// them.
fn with_ids_of_input(mut error: GraphError, base: u64) -> GraphError {
    if let GraphError::EndpointOutOfRange { edge, .. } | GraphError::NanWeight { edge } = &mut error
    {
        *edge = EdgeId::try_from(base + u64::from(*edge)).unwrap_or(EdgeId::MAX);
    }
    error
}

/// A hash of two vertices in either order, from 1 to `2^24 - 1`: the finalizer of SplitMix64
/// (Steele, Lea & Flood 2014), scaled to the range by its upper bits.
fn hash(u: Vertex, v: Vertex) -> u32 {
    let ends = u64::from(u.min(v)) << 32 | u64::from(u.max(v));
    let bits = random::mix(ends.wrapping_add(random::STEP));
    const VALUES: u64 = (1 << 24) - 1;
    (((bits >> 32) * VALUES) >> 32) as u32 + 1
}

/// The distance between two vertices: Euclidean in the plane, or the great-circle distance on the
/// earth in meters. NaN if a vertex has no coordinates.
pub(crate) fn distance(coordinates: &Coordinates, u: Vertex, v: Vertex) -> f64 {
    let points = coordinates.points();
    let (Some(&[x, y]), Some(&[p, q])) = (points.get(u as usize), points.get(v as usize)) else {
        return f64::NAN;
    };
    match coordinates {
        Coordinates::Planar(_) => (p - x).hypot(q - y),
        Coordinates::Geographic(_) => great_circle([x, y], [p, q]),
    }
}

/// The great-circle distance in meters between two points `[longitude, latitude]` in degrees, on a
/// spherical earth. The haversine formula is also accurate for points close to each other.
pub(crate) fn great_circle([x, y]: [f64; 2], [p, q]: [f64; 2]) -> f64 {
    let haversine = |degrees: f64| (degrees.to_radians() / 2.0).sin().powi(2);
    let chord = haversine(q - y) + y.to_radians().cos() * q.to_radians().cos() * haversine(p - x);
    2.0 * EARTH_RADIUS * chord.sqrt().min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadOptions;

    fn unweighted(
        missing_weights: MissingWeights,
        coordinates: Option<Coordinates>,
    ) -> Result<(AnyGraph, String), String> {
        let mut columns = Columns::default();
        columns.push_ends(0, 1);
        columns.push_ends(1, 0);
        let options =
            ReadOptions { missing_weights: Some(missing_weights), ..ReadOptions::default() };
        let mut notes = Vec::new();
        RawGraph { coordinates, ..RawGraph::new(2, columns, false) }
            .build(&options, &mut notes)
            .map(|graph| (graph, notes.iter().map(ToString::to_string).collect::<String>()))
            .map_err(|kind| kind.to_string())
    }

    #[test]
    fn missing_weights_are_made_up_as_asked_and_said() {
        let (graph, note) = unweighted(MissingWeights::Unit, None).unwrap();
        assert_eq!(note, "the input has no weights; each edge weighs 1");
        assert!(matches!(&graph, AnyGraph::I32(graph) if graph.edge_list().weights() == [1, 1]));

        let (graph, note) = unweighted(MissingWeights::Hash, None).unwrap();
        assert_eq!(
            note,
            "the input has no weights; each edge weighs a hash of its ends, in 1..2^24"
        );
        let AnyGraph::U32(graph) = &graph else { panic!("{graph:?}") };
        assert_eq!(graph.edge_list().weights()[0], graph.edge_list().weights()[1]);

        let places = Coordinates::Planar(vec![[0.0, 0.0], [3.0, 4.0]]);
        let (graph, note) = unweighted(MissingWeights::Distance, Some(places)).unwrap();
        assert_eq!(note, "the input has no weights; each edge weighs the distance of its ends");
        assert!(
            matches!(&graph, AnyGraph::F64(graph) if graph.edge_list().weights() == [5.0, 5.0])
        );

        let error = unweighted(MissingWeights::Distance, None).unwrap_err();
        assert_eq!(
            error,
            "the input has no coordinates, so distances cannot be weights; use unit or hash weights"
        );
    }

    #[test]
    fn hashes_are_in_their_range_and_spread_over_it() {
        let hashes: Vec<_> = (0..100_000).map(|v| hash(7, v)).collect();
        assert!(hashes.iter().all(|hash| (1..1 << 24).contains(hash)));
        let mean = hashes.iter().map(|&hash| f64::from(hash)).sum::<f64>() / 100_000.0;
        assert!((mean / f64::from(1 << 23) - 1.0).abs() < 0.01, "{mean}");
        assert_eq!(hash(7, 9), 4_890_659, "the same on every run and machine");
    }

    #[test]
    fn great_circles_are_as_long_as_the_earth_says() {
        let quarter = std::f64::consts::FRAC_PI_2 * EARTH_RADIUS;
        assert!((great_circle([0.0, 0.0], [90.0, 0.0]) - quarter).abs() < 1e-6);
        assert!((great_circle([10.0, 0.0], [123.0, 90.0]) - quarter).abs() < 1e-6);
        assert!((great_circle([0.0, 0.0], [180.0, 0.0]) - 2.0 * quarter).abs() < 1e-6);
        assert!(
            (great_circle([12.5, 41.9], [12.5, 41.900_001]) - 0.111_195).abs() < 1e-5,
            "a decimeter"
        );
    }

    #[test]
    fn nan_is_skipped_on_request_and_said() {
        let nan = |options: &ReadOptions| {
            let mut notes = Vec::new();
            let (u, v, weights) = (vec![0, 0, 1], vec![1, 1, 0], vec![f64::NAN, 1.0, f64::NAN]);
            Ends { vertices: 2, base: 0, u, v }
                .with(weights, options.into(), &mut notes)
                .map(|_| notes)
                .map_err(|kind| kind.to_string())
        };
        let note = "2 edges weigh NaN, the first is edge 0; they are in no forest";
        assert_eq!(
            nan(&ReadOptions { nan: Nan::Skip, ..ReadOptions::default() }),
            Ok(vec![note.into()])
        );
        assert!(nan(&ReadOptions::default()).unwrap_err().starts_with("edge 0 has weight NaN"));
    }
}
