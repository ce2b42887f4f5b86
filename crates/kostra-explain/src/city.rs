//! A city: the junctions of a road network of `kostra-gen`, drawn together into quarters on both
//! sides of a river, with streets between near junctions.
//!
//! The generator spaces junctions evenly, so its roads have similar lengths and form no clusters.
//! Each quarter pulls the junctions near its center together. The pull is weaker than 1 and fades
//! smoothly. Then the river pushes junctions out of its bed, and those on the banks a little less
//! far. The streets are the Gabriel graph of the junctions, which has more cycles than the
//! generator's roads, and no crossings. Few of the streets across the river have a bridge.

use kostra_core::random::RandomStream;
use kostra_core::{Coordinates, UnionFind, Vertex};

use crate::points::gabriel;
use crate::scene::{River, Scene};

/// The width of the city, as a multiple of the generator's.
const STRETCH: f64 = 1.35;
/// The pull of a quarter at its center: the share of the way to the center.
const PULL: f64 = 0.66;
/// The radius of a quarter, as a share of the side of the city.
const RADIUS: f64 = 0.15;
/// The number of quarters along each axis.
const QUARTERS: [u64; 2] = [3, 2];
/// The width of the river, and the width of the strip that it pushes junctions out of or away in,
/// as shares of the city's height.
const WIDTHS: [f64; 2] = [0.075, 0.34];
/// How far the river swings to each side of the middle, as a share of the city's height.
const SWING: f64 = 0.09;
/// The number of streets across the river for each bridge.
const STREETS_PER_BRIDGE: usize = 3;
/// The number of points of the river's line.
const BENDS: u32 = 60;
/// The number of units of the generator, decimeters, in a unit of the page, a meter.
const DECIMETERS: f64 = 10.0;

/// A city with `vertices` junctions.
///
/// # Errors
/// A sentence, when the generator refuses the number of vertices.
pub fn city(vertices: u32, seed: u32) -> Result<Scene, String> {
    let made = kostra_gen::generate(&format!("road:n={vertices},seed={seed}"))
        .map_err(|error| error.to_string())?;
    let mut places: Vec<[f64; 2]> =
        made.coordinates.iter().flat_map(Coordinates::points).copied().collect();
    places.iter_mut().for_each(|place| place[0] *= STRETCH);
    let side =
        [0, 1].map(|axis| places.iter().map(|place| place[axis]).fold(f64::MIN_POSITIVE, f64::max));
    pull_together(&mut places, side, seed);
    let river = river(side, seed);
    push_out(&mut places, side, seed);
    let ends = with_few_bridges(gabriel(&places), &places, |along| middle(along, side, seed));
    let weights = ends.iter().map(|&(u, v)| {
        // To a decimeter, so that the page shows the weights that the solvers compare.
        let [a, b] = [places[u as usize], places[v as usize]];
        ((a[0] - b[0]).hypot(a[1] - b[1])).round().max(1.0) / DECIMETERS
    });
    let weights = weights.collect();
    let names = (0..places.len()).map(|vertex| vertex.to_string()).collect();
    Ok(Scene::new(places, names, ends, weights)?.beside(river))
}

/// The middle of the river at a place along the city.
fn middle(along: f64, side: [f64; 2], seed: u32) -> f64 {
    let phase = RandomStream::new(seed.into()).unit(2 * QUARTERS[0] * QUARTERS[1]);
    let turn = std::f64::consts::TAU * (0.8 * along / side[0] + phase);
    side[1] * (0.5 + SWING * turn.sin())
}

fn river(side: [f64; 2], seed: u32) -> River {
    // It flows in and out beyond the city.
    let along = |bend: u32| side[0] * (1.4 * f64::from(bend) / f64::from(BENDS) - 0.2);
    let line = (0..=BENDS).map(|bend| [along(bend), middle(along(bend), side, seed)]);
    River { line: line.collect(), width: WIDTHS[0] * side[1] }
}

/// The streets, with one bridge for [`STREETS_PER_BRIDGE`] streets across the river, and the
/// bridges without which the city would fall apart.
fn with_few_bridges(
    streets: Vec<(Vertex, Vertex)>,
    places: &[[f64; 2]],
    middle: impl Fn(f64) -> f64,
) -> Vec<(Vertex, Vertex)> {
    let north: Vec<bool> = places.iter().map(|place| place[1] < middle(place[0])).collect();
    let (mut across, mut kept): (Vec<_>, Vec<_>) =
        streets.into_iter().partition(|&(u, v)| north[u as usize] != north[v as usize]);
    let along = |&(u, v): &(Vertex, Vertex)| places[u as usize][0] + places[v as usize][0];
    across.sort_by(|a, b| along(a).total_cmp(&along(b)));
    kept.extend(across.iter().skip(1).step_by(STREETS_PER_BRIDGE));
    let mut components = UnionFind::new(places.len() as u32);
    for &(u, v) in &kept {
        components.union(u, v);
    }
    across.retain(|&(u, v)| components.union(u, v));
    kept.append(&mut across);
    kept
}

fn push_out(places: &mut [[f64; 2]], side: [f64; 2], seed: u32) {
    // The streets on the bank keep a distance, too.
    let [bank, reach] = [0.65 * WIDTHS[0] * side[1], 0.5 * WIDTHS[1] * side[1]];
    for place in places {
        let middle = middle(place[0], side, seed);
        let away = place[1] - middle;
        if away.abs() < reach {
            let distance = bank + away.abs() * (reach - bank) / reach;
            place[1] = middle + distance.copysign(away);
        }
    }
}

fn pull_together(places: &mut [[f64; 2]], side: [f64; 2], seed: u32) {
    let random = RandomStream::new(seed.into());
    let centers: Vec<[f64; 2]> = (0..QUARTERS[0] * QUARTERS[1])
        .map(|quarter| {
            let lattice = [quarter % QUARTERS[0], quarter / QUARTERS[0]];
            [0, 1].map(|axis| {
                let shift = 0.3 + 0.4 * random.unit(2 * quarter + axis as u64);
                (lattice[axis] as f64 + shift) / QUARTERS[axis] as f64 * side[axis]
            })
        })
        .collect();
    for place in places {
        let mut moved = *place;
        for center in &centers {
            let away = [0, 1].map(|axis| (place[axis] - center[axis]) / (RADIUS * side[axis]));
            let share = PULL * (-0.5 * (away[0] * away[0] + away[1] * away[1])).exp();
            for axis in [0, 1] {
                moved[axis] -= share * (place[axis] - center[axis]);
            }
        }
        *place = moved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_junction_is_in_the_river() {
        let side = [1350.0, 1000.0];
        let mut places: Vec<[f64; 2]> =
            (0..1000).map(|i| [f64::from(i), f64::from(i * 7 % 1000)]).collect();
        push_out(&mut places, side, 4);
        for [x, y] in places {
            assert!((y - middle(x, side, 4)).abs() > 0.5 * WIDTHS[0] * side[1], "{x}, {y}");
        }
    }

    #[test]
    fn a_city_is_in_one_piece_and_depends_on_its_seed() {
        for seed in 0..20 {
            let city = city(80, seed).unwrap().describe().unwrap();
            assert!(city.contains("\"components\":1,"), "seed {seed}: {city}");
        }
        let (one, again, other) = (city(150, 1), city(150, 1), city(150, 2));
        let [one, again, other] = [one, again, other].map(|city| city.unwrap().describe().unwrap());
        assert_eq!(one, again);
        assert_ne!(one, other);
    }
}
