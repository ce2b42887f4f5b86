//! Where the vertices lie, for the graphs that know it.

/// The places of a graph's vertices, by vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum Coordinates {
    /// `[x, y]` in a plane, in the unit of the weights.
    Planar(Vec<[f64; 2]>),
    /// `[longitude, latitude]` in degrees on the earth.
    Geographic(Vec<[f64; 2]>),
}

impl Coordinates {
    /// The bare pairs.
    pub fn points(&self) -> &[[f64; 2]] {
        match self {
            Self::Planar(points) | Self::Geographic(points) => points,
        }
    }
}
