//! Kinds of random points, for examples that measure.

use kostra_core::random::RandomStream;

/// Coordinates of a kind. Each part has other points.
///
/// * `uniform`: between 0 and 1.
/// * `clustered`: around 100 centers with a standard deviation of 0.01; `tight`: of 0.0001.
/// * `embeddings`: the spectrum of texts' embeddings. The deviation of column `k` is
///   `1 / sqrt(k + 1)`, all points have a common offset of 1 in column 0, and the deviation of a
///   point from one of 100 centers is half that of the centers.
pub(crate) fn coordinates(n: usize, d: usize, kind: &str, part: u64) -> Vec<f64> {
    let centers = RandomStream::new(1).split(1);
    let random = RandomStream::new(part);
    let (clusters, noise) = (random.split(2), random.split(3));
    // The sum of twelve uniform numbers has nearly a normal distribution of variance 1.
    let normal = |of: RandomStream, i: u64| (0..12).map(|k| of.unit(12 * i + k)).sum::<f64>() - 6.0;
    let coordinate = |i: usize| {
        let column = i % d;
        let center = clusters.below((i / d) as u64, 100) * d as u64 + column as u64;
        match kind {
            "uniform" => random.unit(i as u64),
            "tight" => centers.unit(center) + 0.0001 * normal(noise, i as u64),
            "embeddings" => {
                let deviation = 1.0 / ((column + 1) as f64).sqrt();
                let of_center = normal(centers, center);
                let offset = if column == 0 { 1.0 } else { 0.0 };
                offset + deviation * (of_center + 0.5 * normal(noise, i as u64))
            }
            _ => centers.unit(center) + 0.01 * normal(noise, i as u64),
        }
    };
    (0..n * d).map(coordinate).collect()
}
