//! A drawing of a graph without coordinates: springs along edges, and repulsion between vertices.
//!
//! * Source: Fruchterman and Reingold 1991, with a pull to the center, so that components stay
//!   together. The start is a sunflower spiral, so the drawing is the same every time.
//! * Time O(n² + m) per step.

use kostra_core::Vertex;

/// The number of interactions that may be computed: well below a second in a browser.
const WORK: usize = 60_000_000;
/// The most steps; more change little.
const STEPS: usize = 400;
/// The pull to the center, as a share of the distance to it.
const GRAVITY: f64 = 0.06;

/// A place for each of `vertices` vertices.
pub fn layout(vertices: usize, ends: &[(Vertex, Vertex)]) -> Vec<[f64; 2]> {
    let golden = std::f64::consts::PI * (3.0 - 5_f64.sqrt());
    let mut places: Vec<[f64; 2]> = (0..vertices)
        .map(|vertex| {
            let (radius, angle) = ((vertex as f64 + 0.5).sqrt(), vertex as f64 * golden);
            [radius * angle.cos(), radius * angle.sin()]
        })
        .collect();
    let steps = (WORK / (vertices * vertices).max(1)).clamp(30, STEPS);
    let mut heat = (vertices as f64).sqrt();
    for _ in 0..steps {
        let mut forces = repulsion(&places);
        for &(u, v) in ends {
            let (u, v) = (u as usize, v as usize);
            let [dx, dy] = difference(places[u], places[v]);
            let length = dx.hypot(dy);
            for (vertex, sign) in [(u, -1.0), (v, 1.0)] {
                forces[vertex][0] += sign * dx * length;
                forces[vertex][1] += sign * dy * length;
            }
        }
        for (place, force) in places.iter_mut().zip(&forces) {
            let force = [0, 1].map(|axis| force[axis] - GRAVITY * place[axis]);
            let size = force[0].hypot(force[1]).max(1e-9);
            for axis in [0, 1] {
                place[axis] += force[axis] / size * size.min(heat);
            }
        }
        heat = (heat * 0.97).max(0.02);
    }
    places
}

fn difference(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn repulsion(places: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut forces = vec![[0.0; 2]; places.len()];
    for a in 0..places.len() {
        for b in a + 1..places.len() {
            let [dx, dy] = difference(places[a], places[b]);
            let square = (dx * dx + dy * dy).max(1e-6);
            let [fx, fy] = [dx / square, dy / square];
            forces[a] = [forces[a][0] + fx, forces[a][1] + fy];
            forces[b] = [forces[b][0] - fx, forces[b][1] - fy];
        }
    }
    forces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_are_closer_than_strangers() {
        let ring: Vec<(u32, u32)> = (0..30).map(|vertex| (vertex, (vertex + 1) % 30)).collect();
        let places = layout(30, &ring);
        let length = |(a, b): (u32, u32)| {
            let [dx, dy] = difference(places[a as usize], places[b as usize]);
            dx.hypot(dy)
        };
        let longest = ring.iter().copied().map(length).fold(0.0, f64::max);
        assert!(longest < length((0, 15)), "{longest}");
        assert!(places.iter().flatten().all(|at| at.is_finite()));
    }

    #[test]
    fn self_loops_and_vertices_at_one_place_do_no_harm() {
        assert!(layout(0, &[]).is_empty());
        assert!(layout(2, &[(0, 0), (0, 1), (0, 1)]).iter().flatten().all(|at| at.is_finite()));
    }
}
