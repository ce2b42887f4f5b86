//! The coordinates of vertices, for graphs that have them.

/// The mean radius of the Earth in meters, by which all distances on the Earth are scaled:
/// (2a + b) / 3 of the ellipsoid GRS 80 (Moritz 2000). Divide such a distance by it to get radians.
pub const EARTH_RADIUS: f64 = 6_371_008.771_4;

/// The coordinates of a graph's vertices, indexed by vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum Coordinates {
    /// `[x, y]` in the plane, in the unit of the weights.
    Planar(Vec<[f64; 2]>),
    /// `[longitude, latitude]` in degrees on the earth.
    Geographic(Vec<[f64; 2]>),
}

impl Coordinates {
    /// The pairs, without their meaning.
    pub fn points(&self) -> &[[f64; 2]] {
        match self {
            Self::Planar(points) | Self::Geographic(points) => points,
        }
    }
}
