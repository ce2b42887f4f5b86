//! Points and their distances.

use std::collections::HashSet;

use kostra_core::{Coordinates, Vertex, memory};

use super::{size, starts_with_keyword};
use crate::columns::TextNumber;
use crate::fault::Fault;
use crate::number::show;
use crate::numbered_graph::NumberedGraph;
use crate::rows::{Row, TextRows};
use crate::{Nan, ReadErrorKind};

/// The nodes with their ids and coordinates.
#[derive(Default)]
pub(super) struct Points<'t> {
    ids: Vec<&'t str>,
    at: Vec<[f64; 3]>,
}

impl<'t> Points<'t> {
    /// Reads lines `id x y` or `id x y z`.
    pub(super) fn read(nodes: usize, rows: &mut TextRows<'t>) -> Result<Self, Fault> {
        let mut points = Self::default();
        let mut seen = HashSet::new();
        for found in 0..nodes {
            let Some(mut row) = rows.next().filter(|row| !starts_with_keyword(row)) else {
                let sentence = format!(
                    "DIMENSION is {nodes}, but only {found} nodes have coordinates; copy the file \
                     again, or correct the number"
                );
                return Err(Fault::whole(sentence));
            };
            let id = row.word().unwrap_or_default();
            if !seen.insert(id) {
                let id = show(id.as_bytes());
                return Err(row.at_word(format!("the node {id} occurs twice; remove one line")));
            }
            let [x, y] = [coordinate(&mut row)?, coordinate(&mut row)?];
            let z = if row.rest().is_empty() { 0.0 } else { coordinate(&mut row)? };
            row.end("the coordinates")?;
            memory::push(&mut points.ids, id)?;
            memory::push(&mut points.at, [x, y, z])?;
        }
        Ok(points)
    }

    pub(super) fn len(&self) -> usize {
        self.at.len()
    }

    /// The ids, unless they count from 1 or 0.
    pub(super) fn names(&self) -> Option<Vec<String>> {
        let counts =
            |first: usize| self.ids.iter().enumerate().all(|(at, id)| id.parse() == Ok(at + first));
        if counts(1) || counts(0) {
            return None;
        }
        Some(self.ids.iter().map(|&id| id.to_owned()).collect())
    }
}

fn coordinate(row: &mut Row<'_>) -> Result<f64, Fault> {
    let number = row.weight(Nan::Error)?;
    let float = number.exact_float().unwrap_or_else(|integer| integer as f64);
    if float.is_finite() {
        return Ok(float);
    }
    Err(row.at_word("a coordinate must be finite; correct it"))
}

/// The functions of distances, by the names of `EDGE_WEIGHT_TYPE`.
const DISTANCES: [(&str, Distance); 9] = [
    ("EUC_2D", Distance(euclidean)),
    ("EUC_3D", Distance(euclidean)),
    ("CEIL_2D", Distance(|p, q| length(p, q).ceil())),
    ("MAN_2D", Distance(|p, q| round(differences(p, q).iter().sum()))),
    ("MAN_3D", Distance(|p, q| round(differences(p, q).iter().sum()))),
    ("MAX_2D", Distance(maximum)),
    ("MAX_3D", Distance(maximum)),
    ("ATT", Distance(pseudo_euclidean)),
    ("GEO", Distance(geographic)),
];

/// A function of distances.
#[derive(Clone, Copy)]
pub(super) struct Distance(fn([f64; 3], [f64; 3]) -> f64);

impl Distance {
    /// The function with a name.
    ///
    /// # Errors
    /// One sentence, if there is none.
    pub(super) fn new(name: &str) -> Result<Self, String> {
        if let Some((_, distance)) = DISTANCES.iter().find(|(known, _)| *known == name) {
            return Ok(*distance);
        }
        let known: Vec<_> = DISTANCES.iter().map(|(name, _)| *name).collect();
        let known = known.join(", ");
        Err(match name {
            "" => {
                format!("there is no line 'EDGE_WEIGHT_TYPE : TYPE'; add it, with one of {known}")
            }
            "EXPLICIT" => {
                "the distances are explicit, but there is no EDGE_WEIGHT_SECTION; add it".into()
            }
            name => format!(
                "the distances are of the type {}, but Kostra knows {known} and EXPLICIT; write \
                 the distances as EXPLICIT",
                show(name.as_bytes())
            ),
        })
    }

    /// Adds an edge between each two points.
    pub(super) fn add_edges(
        self,
        points: &Points<'_>,
        graph: &mut NumberedGraph,
    ) -> Result<(), Fault> {
        /// Floats beyond this do not hold all integers.
        const LARGEST: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
        let edges = size::check(points.len())?;
        graph.edges.expect_weights();
        graph.edges.reserve(edges)?;
        for (u, &p) in points.at.iter().enumerate() {
            for (v, &q) in points.at.iter().enumerate().skip(u + 1) {
                let distance = self.0(p, q);
                if distance > LARGEST {
                    let sentence = format!(
                        "the distance between the nodes {} and {} is too large to be rounded to an \
                         integer; scale the coordinates",
                        u + 1,
                        v + 1
                    );
                    return Err(Fault::whole(sentence));
                }
                let weight = TextNumber::Integer(distance as i64);
                graph.edges.push([u as Vertex, v as Vertex], Some(weight));
            }
            graph.edges.join()?;
        }
        Ok(())
    }
}

/// The places of points, whose distances are of the type `name`.
pub(super) fn places(
    points: &Points<'_>,
    name: &str,
) -> Result<Option<Coordinates>, ReadErrorKind> {
    let planar = points.at.iter().map(|&[x, y, _]| [x, y]);
    if name != "GEO" {
        let is_flat = name.ends_with("_2D") || name == "ATT";
        return Ok(is_flat.then_some(Coordinates::Planar(memory::collected(planar)?)));
    }
    let degrees = planar.map(|[latitude, longitude]| [degrees(longitude), degrees(latitude)]);
    let places = memory::collected(degrees)?;
    let on_earth = places.iter().all(|[x, y]| x.abs() <= 180.0 && y.abs() <= 90.0);
    Ok(on_earth.then_some(Coordinates::Geographic(places)))
}

/// The nearest integer; a half is rounded up.
fn round(distance: f64) -> f64 {
    (distance + 0.5).floor()
}

fn differences(p: [f64; 3], q: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| (p[axis] - q[axis]).abs())
}

fn length(p: [f64; 3], q: [f64; 3]) -> f64 {
    differences(p, q).iter().map(|difference| difference * difference).sum::<f64>().sqrt()
}

fn euclidean(p: [f64; 3], q: [f64; 3]) -> f64 {
    round(length(p, q))
}

fn maximum(p: [f64; 3], q: [f64; 3]) -> f64 {
    differences(p, q).into_iter().map(round).fold(0.0, f64::max)
}

/// A tenth of the squared length, whose root is rounded up.
fn pseudo_euclidean(p: [f64; 3], q: [f64; 3]) -> f64 {
    let squares = differences(p, q).iter().map(|difference| difference * difference).sum::<f64>();
    (squares / 10.0).sqrt().ceil()
}

/// The decimal degrees of `DDD.MM`: degrees and minutes.
fn degrees(value: f64) -> f64 {
    value.trunc() + (value - value.trunc()) * 5.0 / 3.0
}

/// The distance in kilometers on the sphere of TSPLIB. Its constants are part of the format: others
/// give other integers.
fn geographic(p: [f64; 3], q: [f64; 3]) -> f64 {
    #[expect(clippy::approx_constant, reason = "the format rounds it so")]
    const PI: f64 = 3.141592;
    const RADIUS: f64 = 6378.388;
    let radians = |value| PI * degrees(value) / 180.0;
    let [latitude, longitude] = [radians(p[0]), radians(p[1])];
    let [other_latitude, other_longitude] = [radians(q[0]), radians(q[1])];
    let q1 = (longitude - other_longitude).cos();
    let q2 = (latitude - other_latitude).cos();
    let q3 = (latitude + other_latitude).cos();
    let cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);
    (RADIUS * cosine.clamp(-1.0, 1.0).acos() + 1.0).floor()
}
