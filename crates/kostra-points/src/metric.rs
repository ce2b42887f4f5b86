//! How the distance between two points is measured.

/// The largest number by which distances are divided. Its square fits beside those of distances.
pub(crate) const LARGEST_ALPHA: f64 = (1_u64 << 30) as f64;

/// The distance between two points. [`Prepared`](crate::Prepared) defines the exact arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Metric {
    /// The square root of the sum of squared differences.
    #[default]
    Euclidean,
    /// The sum of absolute differences.
    Manhattan,
    /// The largest absolute difference.
    Chebyshev,
    /// The length of the arc between two points of the Earth's surface in **meters**, where the
    /// Earth is a sphere of radius [`EARTH_RADIUS`](crate::EARTH_RADIUS). A point is (latitude, longitude) in
    /// **degrees**: a latitude from -90 to 90, a longitude from -180 to 360.
    Haversine,
    /// 1 minus the cosine of the angle between two vectors, from 0 to 2.
    Cosine,
    /// As [`Haversine`](Self::Haversine), on the unit sphere: points and distances in **radians**.
    HaversineRadians,
    /// The angle between two vectors divided by pi, from 0 to 1.
    Arccos,
}

impl Metric {
    /// The metrics that differ in more than their unit. [`HaversineRadians`](Self::HaversineRadians)
    /// and [`Arccos`](Self::Arccos) compare points as [`Haversine`](Self::Haversine) and
    /// [`Cosine`](Self::Cosine) do.
    pub const ALL: [Self; 5] =
        [Self::Euclidean, Self::Manhattan, Self::Chebyshev, Self::Haversine, Self::Cosine];

    /// The name by which commands and scikit-learn know the metric.
    pub fn name(self) -> &'static str {
        match self {
            Self::Euclidean => "euclidean",
            Self::Manhattan => "manhattan",
            Self::Chebyshev => "chebyshev",
            Self::Haversine => "haversine",
            Self::Cosine => "cosine",
            Self::HaversineRadians => "haversine_radians",
            Self::Arccos => "arccos",
        }
    }

    /// The metric that compares points in the same way.
    pub fn without_unit(self) -> Self {
        match self {
            Self::HaversineRadians => Self::Haversine,
            Self::Arccos => Self::Cosine,
            other => other,
        }
    }

    /// Whether distances can be divided: all but angles, because core distances may then be above
    /// the largest angle.
    pub fn scales(self) -> bool {
        !matches!(self, Self::Haversine | Self::HaversineRadians | Self::Arccos)
    }

    /// The metric of a [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        let other_units = [Self::HaversineRadians, Self::Arccos];
        Self::ALL.into_iter().chain(other_units).find(|metric| metric.name() == name)
    }
}

/// A metric, or the mutual reachability distance over it.
///
/// The core distance of a point is its distance to the `min_samples`-th nearest point, where the
/// point itself is the first. The mutual reachability distance of `u` and `v` is the largest of the
/// core distance of `u`, the core distance of `v`, and the distance of `u` and `v` (Campello,
/// Moulavi & Sander 2013).
///
/// scikit-learn's `HDBSCAN` counts in this way as well. The package `hdbscan` does not count the
/// point itself: its `min_samples = k` is `min_samples = k + 1` here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The metric.
    pub metric: Metric,
    /// 1 for the metric itself. From 2, the mutual reachability distance. At most the number of
    /// points.
    pub min_samples: usize,
    /// Distances of two points, but not core distances, are divided by this number, as in robust
    /// single linkage (Chaudhuri & Dasgupta 2010). From 2^-30 to 2^30; not 1 only for metrics that
    /// [scale](Metric::scales).
    pub alpha: f64,
}

impl Distance {
    /// The mutual reachability distance over a metric.
    pub fn mutual_reachability(metric: Metric, min_samples: usize) -> Self {
        Self { metric, min_samples, alpha: 1.0 }
    }

    /// A compared core distance, multiplied by what distances are divided by.
    pub(crate) fn scaled_core(self, compared: f64) -> f64 {
        match self.metric {
            Metric::Euclidean => compared * self.alpha * self.alpha,
            _ => compared * self.alpha,
        }
    }

    /// The same, with distances that are divided by `alpha`.
    pub fn divided_by(self, alpha: f64) -> Self {
        Self { alpha, ..self }
    }
}

impl From<Metric> for Distance {
    fn from(metric: Metric) -> Self {
        Self::mutual_reachability(metric, 1)
    }
}

impl Default for Distance {
    fn default() -> Self {
        Metric::default().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_its_own_name() {
        for metric in Metric::ALL.into_iter().chain([Metric::HaversineRadians, Metric::Arccos]) {
            assert_eq!(Metric::from_name(metric.name()), Some(metric));
            assert!(Metric::ALL.contains(&metric.without_unit()));
        }
        assert_eq!(Metric::from_name("minkowski"), None);
    }
}
