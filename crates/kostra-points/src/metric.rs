//! How the distance between two points is measured.

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
}

impl Metric {
    /// All metrics.
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
        }
    }

    /// The metric of a [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// The metric.
    pub metric: Metric,
    /// 1 for the metric itself. From 2, the mutual reachability distance. At most the number of
    /// points.
    pub min_samples: usize,
}

impl Distance {
    /// The mutual reachability distance over a metric.
    pub fn mutual_reachability(metric: Metric, min_samples: usize) -> Self {
        Self { metric, min_samples }
    }
}

impl From<Metric> for Distance {
    fn from(metric: Metric) -> Self {
        Self { metric, min_samples: 1 }
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
        for metric in Metric::ALL {
            assert_eq!(Metric::from_name(metric.name()), Some(metric));
        }
        assert_eq!(Metric::from_name("minkowski"), None);
    }
}
