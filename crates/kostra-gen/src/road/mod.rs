//! Road networks: planar and connected, with dead ends, chains of vertices of degree 2, and few
//! junctions with more than four roads. Weights are lengths.
//!
//! # How close it is
//! The constants are fitted to the mean of three networks of the 9th DIMACS implementation
//! challenge. The table shows the shares of vertices by degree, and the total variation distance to
//! this generator (half the sum of the differences):
//!
//! | network | vertices | mean degree | 1 | 2 | 3 | 4 | 5 and more | distance |
//! |---|--:|--:|--:|--:|--:|--:|--:|--:|
//! | this generator | 1,000,000 | 2.54 | .193 | .230 | .425 | .149 | .003 | |
//! | USA-road-d.NY | 264,346 | 2.76 | .156 | .153 | .471 | .216 | .005 | .115 |
//! | USA-road-d.BAY | 321,270 | 2.47 | .228 | .203 | .439 | .128 | .002 | .049 |
//! | USA-road-d.COL | 435,666 | 2.39 | .190 | .337 | .366 | .107 | .001 | .107 |
//! | the mean of the three | | 2.54 | .191 | .231 | .425 | .150 | .003 | .002 |
//!
//! The real networks differ as much from each other: the distance of NY and COL is .22. Vertices
//! are numbered along the rows of the lattice. So most neighbors have close ids, and the others
//! differ by about one row, as in those files.
//!
//! [`plan`] describes the layout. O(n) time. Edges ascend by their higher end, which is the second
//! one.

mod plan;

use kostra_core::{AnyGraph, Coordinates, WeightType};
use kostra_parallel::{Team, for_each_item, lock};
use plan::RoadPlan;

use crate::allocation::{self, zeros};
use crate::parameters::{Parameters, SEED};
use crate::recipe::{ENDS, InMemory, without_writing};
use crate::share::Share;
use crate::source::{BLOCK_EDGES, EdgeEnds, SourceRun, in_waves};
use crate::target::EdgeArrays;
use crate::weights::WeightKind;
use crate::{Generated, GeneratorInfo, Made, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "road",
    summary: "a planar road network in one piece, with coordinates, lengths as weights",
    parameters: &[
        ParameterInfo { name: "n", default: "1M", meaning: "vertices" },
        ParameterInfo {
            name: "weights",
            default: "length",
            meaning: "length (decimeters), or u24, small, equal, index, i32, i64, u64, f32 or f64",
        },
        SEED,
    ],
    example: "road:n=10000,seed=7",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let weights = parameters.weights_or("length")?;
    let seed = parameters.seed()?;
    let road = Road { plan: RoadPlan::new(vertices as u32, seed), weights, seed };
    // Refused by its least size, a tree, before its edges are counted.
    road.check_size(vertices.saturating_sub(1), Share::WHOLE)?;
    Ok(Made::InMemory(Box::new(road)))
}

/// A point in the plane, in decimeters.
type Site = [f64; 2];

/// A network, and the kind of its weights; none for lengths.
struct Road {
    plan: RoadPlan,
    weights: Option<WeightKind>,
    seed: u64,
}

impl Road {
    /// Refuses a network of which a part would be too large.
    fn check_size(&self, edges: u64, share: Share<'_>) -> Result<(), SpecError> {
        // Lengths take as much memory as other 32-bit weights.
        let edge_bytes = (ENDS + self.weights.unwrap_or(WeightKind::U24).bytes()) as u128;
        let place_bytes = (size_of::<Site>() * self.plan.vertices as usize) as u128;
        let bytes = place_bytes + share.amount_of(edge_bytes * u128::from(edges));
        allocation::check_size(self.plan.vertices.into(), edges.into(), bytes)
    }
}

impl InMemory for Road {
    fn header(&self) -> (u32, WeightType) {
        (self.plan.vertices, self.weights.map_or(WeightType::U32, WeightKind::weight_type))
    }

    fn edges(&self, run: &SourceRun<'_>) -> u64 {
        self.plan.blocks(run.team).edges
    }

    fn generate(&self, run: &SourceRun<'_>, share: Share<'_>) -> Result<Generated, SpecError> {
        let plan = &self.plan;
        let blocks = plan.blocks(run.team);
        self.check_size(blocks.edges, share)?;
        let mut places: Vec<Site> = zeros(plan.vertices as usize)?;
        let ids = share.ids(blocks.edges);
        let mut arrays = EdgeArrays::new(Some(ids.end - ids.start))?;
        let mut next = 0;
        let divided = blocks.divide(&mut places);
        let fill = |block: usize, (): &mut (), ends: &mut EdgeEnds| {
            let places = lock(&divided[block]).take();
            plan.lay_out(blocks.blocks[block], places.unwrap_or_default(), ends);
        };
        run.meter.expect(blocks.blocks.len() as u64);
        let result = in_waves(run, 0..blocks.blocks.len(), fill, &mut |wave| {
            run.meter.advance(wave.len() as u64);
            Ok(arrays.add(run.team, wave, &mut next, &ids)?)
        });
        without_writing(result)?;
        let (ends, first, vertices) = (arrays.finish(), ids.start, plan.vertices as usize);
        let graph = match self.weights {
            Some(weights) => weights.graph(run.team, self.seed, vertices, (first, ends))?,
            None => {
                let lengths = lengths(run.team, &ends, &places)?;
                AnyGraph::from_edges(vertices, ends.u, ends.v, lengths)?
            }
        };
        let coordinates = Some(Coordinates::Planar(places));
        Ok(Generated { graph, coordinates, first })
    }
}

/// The lengths of edges.
fn lengths(team: &Team<'_>, ends: &EdgeEnds, places: &[Site]) -> Result<Vec<u32>, SpecError> {
    let mut lengths = zeros(ends.len())?;
    let block = BLOCK_EDGES as usize;
    let items = lengths.chunks_mut(block).zip(ends.u.chunks(block).zip(ends.v.chunks(block)));
    for_each_item(team, items, |(lengths, (u, v))| {
        for ((to, &u), &v) in lengths.iter_mut().zip(u).zip(v) {
            *to = length(places[u as usize], places[v as usize]);
        }
    });
    Ok(lengths)
}

/// The distance between two points in whole units, at least one.
fn length([x, y]: Site, [to_x, to_y]: Site) -> u32 {
    let (dx, dy) = (to_x - x, to_y - y);
    ((dx * dx + dy * dy).sqrt().round() as u32).max(1)
}
