//! A spanning tree that points ask for their edges: new ones, and those whose edges became shorter.
//!
//! The points stand in a line in which every subtree of the dendrogram is an interval: when two
//! clusters merge, the second one comes behind the first one. Between two neighbors in the line is
//! the *joint*, the edge by which their clusters merge. So the worst edge on the path between two
//! points of the tree is the worst joint between their places, and the worst edge among many points
//! is that between the first and the last place. A search tree keeps these places for each of its
//! boxes.

use std::cell::Cell;

use kostra_core::{OutOfMemory, UnionFind, memory};
use kostra_parallel::Team;

use super::range_maximum::RangeMaximum;
use super::reach::{Reach, spans_below};
use crate::canonical::{larger, smaller};
use crate::index::reordered;
use crate::kd_tree::{Bounds, Searchable, SpannedTree, ValueSpan, Visitor, searchable};
use crate::pair::Pair;

/// Points, their spanning tree, and a search tree.
pub(super) struct Base {
    /// The edges of the spanning tree, in the canonical order.
    pub(super) pairs: Vec<Pair>,
    /// The place of each point in the line.
    pub(super) places: Vec<u32>,
    /// The point at each place.
    pub(super) points: Vec<u32>,
    /// The position in `pairs` of the joint behind each place but the last.
    joints: RangeMaximum,
    /// The [heights](height_of) of the joints. They decide most comparisons.
    heights: RangeMaximum,
    /// The compared distance of the last edge; 0 without edges.
    largest: f64,
    /// The complement of the point at each place: its maximum is that of the lowest point.
    lowest: RangeMaximum,
    /// The points, numbered by their places. The spans are places.
    index: SpannedTree,
    /// The same points. The spans are their core distances; none for a metric itself.
    pub(super) by_core: Option<SpannedTree>,
}

/// A compared distance rounded to 32 bits, whose bits ascend with it: integers, because the maximum
/// of many is found several at a time.
#[inline]
fn height_of(compared: f64) -> u32 {
    (compared as f32).to_bits()
}

/// No point follows in the line.
const END: u32 = u32::MAX;

impl Base {
    /// The base of at least one point, of up to [`MAX_TREE_DIMENSIONS`](crate::MAX_TREE_DIMENSIONS)
    /// dimensions, with these edges in the canonical order. O(n log n).
    pub(super) fn new(
        Reach { prepared, cores, .. }: Reach<'_>,
        pairs: Vec<Pair>,
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        let (points, joints) = line(prepared.len(), &pairs)?;
        let mut places = memory::zeros(points.len())?;
        (0..).zip(&points).for_each(|(place, &point)| places[point as usize] = place);
        let height = |&joint: &u32| height_of(pairs[joint as usize].compared);
        let heights = RangeMaximum::new(memory::collected(joints.iter().map(height))?)?;
        let lowest = memory::collected(points.iter().map(|point| !point))?;
        let span = |place| {
            let place = f64::from(place);
            ValueSpan { floor: place, ceiling: place + 1.0 }
        };
        let places_of = memory::collected((0..prepared.len()).map(span))?;
        let index = searchable(&prepared.selected(points.iter().copied())?, &places_of, team)?;
        let by_core = if cores.is_empty() {
            None
        } else {
            Some(index.with_spans(&spans_below(&reordered(cores, &points)?)?)?)
        };
        let (joints, lowest) = (RangeMaximum::new(joints)?, RangeMaximum::new(lowest)?);
        let largest = pairs.last().map_or(0.0, |pair| pair.compared);
        Ok(Self { pairs, places, points, joints, heights, largest, lowest, index, by_core })
    }

    /// The position in `pairs` of the worst edge between two different places.
    pub(super) fn worst_between(&self, first: u32, last: u32) -> u32 {
        self.joints.of(first as usize, last as usize)
    }

    /// The height up to which joints join all points of an interval, if that needs no worse edge
    /// than that of a changed point, which may be one of them. `edge` has this compared distance,
    /// or a bound of it, and finds the edge.
    #[inline]
    fn height_below(
        &self,
        [first, last]: [u32; 2],
        compared: f64,
        edge: impl Fn() -> Pair,
    ) -> Option<u32> {
        if compared > self.largest {
            return Some(height_of(self.largest));
        }
        let height = self.heights.of(first as usize, last as usize);
        let is_joined = if height == height_of(compared) && first < last {
            !edge().is_before(&self.pairs[self.worst_between(first, last) as usize])
        } else {
            // Rounding is monotone.
            height < height_of(compared) || first == last
        };
        is_joined.then_some(height)
    }

    /// Those edges between a changed point and the base that may be in the tree, apart from edges
    /// of the base's tree that did not become shorter.
    pub(super) fn star(&self, reach: Reach<'_>, point: u32, star: &mut Vec<Pair>) {
        let own = self.places.get(point as usize);
        let joined = Cell::new((NO_PLACES, 0));
        let edges = own.map(|&place| StarEdge { pair: FIRST, place }).into_iter().collect();
        let (core, limit) = (reach.core(point), reach.limit(point));
        let mut search = Star { base: self, reach, point, core, limit, edges, joined };
        self.index.search(reach.prepared.row(point), &mut search);
        star.extend(search.edges[usize::from(own.is_some())..].iter().map(|edge| edge.pair));
    }
}

/// The points in the order of the line, and the joint behind each but the last.
fn line(len: u32, pairs: &[Pair]) -> Result<(Vec<u32>, Vec<u32>), OutOfMemory> {
    let n = len as usize;
    // The point behind each one, and the joint.
    let mut next = memory::filled(n, (END, 0))?;
    let mut clusters = UnionFind::try_new(len)?;
    // The first and the last point of each cluster's interval.
    let mut ends = memory::collected((0..len).map(|point| [point; 2]))?;
    for (joint, pair) in (0..).zip(pairs) {
        let roots = [pair.low, pair.high].map(|end| clusters.find(end));
        let [left, right] = roots.map(|root| ends[root as usize]);
        next[left[1] as usize] = (right[0], joint);
        clusters.union(roots[0], roots[1]);
        ends[clusters.find(roots[0]) as usize] = [left[0], right[1]];
    }
    let mut points = memory::with_capacity(n)?;
    let mut joints = memory::with_capacity(n - 1)?;
    let mut point = ends[clusters.find(0) as usize][0];
    loop {
        points.push(point);
        let (behind, joint) = next[point as usize];
        if behind == END {
            return Ok((points, joints));
        }
        joints.push(joint);
        point = behind;
    }
}

/// An edge of a new point.
struct StarEdge {
    pair: Pair,
    /// The place of the other end.
    place: u32,
}

/// Before all edges: it joins a point of the base with itself.
const FIRST: Pair = Pair { compared: 0.0, low: 0, high: 0 };

/// The edges of a point among those that were found so far.
///
/// By the cycle property, an edge to a point `p` is not in the tree if a better edge leads to a
/// point that is joined to `p` by better edges. Such a better edge need not be in the tree itself:
/// the edge that excludes it excludes the edge to `p` too. So points may be visited in any order.
///
/// A point of the base has edges that became shorter since the base was made, and so may others.
/// The longer edges of the base's tree still close these cycles, as parallel edges.
struct Star<'a> {
    base: &'a Base,
    reach: Reach<'a>,
    point: u32,
    /// The core distance of the point.
    core: f64,
    /// Only shorter edges count.
    limit: f64,
    /// The first edge is before the other ones.
    edges: Vec<StarEdge>,
    /// An interval with the place of the first edge, and the height up to which joints
    /// join its points. Most boxes are in it, so they need no maximum.
    joined: Cell<([u32; 2], u32)>,
}

/// An interval without places.
const NO_PLACES: [u32; 2] = [u32::MAX, 0];

fn covering(one: [u32; 2], other: [u32; 2]) -> [u32; 2] {
    [one[0].min(other[0]), one[1].max(other[1])]
}

impl StarEdge {
    /// Whether the edge is before another one of the new point, or before all edges for which
    /// `compared` and `other` are bounds.
    #[inline]
    fn is_before(&self, compared: f64, other: impl Fn() -> Pair) -> bool {
        self.pair.compared < compared
            || self.pair.compared == compared && self.pair.is_before(&other())
    }
}

impl Star<'_> {
    /// Whether the edges exclude all edges to the points of an interval that are not shorter than
    /// `compared`.
    #[inline]
    fn exclude(&self, interval: [u32; 2], compared: f64) -> bool {
        if compared >= self.limit {
            return true;
        }
        let (base, [first, last], rounded) = (self.base, interval, height_of(compared));
        let (joined, height) = self.joined.get();
        let is_in = joined[0] <= first && last <= joined[1] && height < rounded;
        if is_in && self.edges[0].pair.compared < compared {
            return true;
        }
        // Most other intervals that are not excluded are not joined by themselves.
        if compared <= base.largest && base.heights.of(first as usize, last as usize) > rounded {
            return false;
        }
        // No edge to these points is before this one.
        let best = || {
            let lowest = !base.lowest.of(first as usize, last as usize + 1);
            Pair::new(compared, lowest, self.point)
        };
        self.edges.iter().enumerate().any(|(number, edge)| {
            let covering = covering(interval, [edge.place; 2]);
            let excludes = edge.is_before(compared, best);
            let below = excludes.then(|| base.height_below(covering, compared, best)).flatten();
            if let (0, Some(below)) = (number, below) {
                self.joined.set((self::covering(joined, covering), height.max(below)));
            }
            below.is_some()
        })
    }
}

impl Visitor for Star<'_> {
    fn wants(&self, points: Bounds) -> bool {
        let interval = [points.span.floor as u32, points.span.ceiling as u32 - 1];
        !self.exclude(interval, larger(points.compared, self.core))
    }

    fn visit(&mut self, places: &[u32], compared: &[f64]) {
        let (base, core) = (self.base, self.core);
        let interval = places.iter().fold(NO_PLACES, |all, &place| covering(all, [place; 2]));
        let least = compared.iter().fold(f64::INFINITY, |least, &other| smaller(least, other));
        if self.exclude(interval, larger(least, core)) {
            return;
        }
        for (&place, &compared) in places.iter().zip(compared) {
            let nearest = larger(compared, core);
            if self.exclude([place; 2], nearest) {
                continue;
            }
            let other = base.points[place as usize];
            let compared = larger(nearest, self.reach.core(other));
            if compared > nearest && self.exclude([place; 2], compared) {
                continue;
            }
            let pair = Pair::new(compared, other, self.point);
            self.edges.retain(|edge| {
                let between = covering([place; 2], [edge.place; 2]);
                edge.pair.is_before(&pair)
                    || base.height_below(between, edge.pair.compared, || edge.pair).is_none()
            });
            self.edges.push(StarEdge { pair, place });
            let last = self.edges.len() - 1;
            if last == 0 || pair.is_before(&self.edges[0].pair) {
                self.edges.swap(0, last);
                self.joined.set((NO_PLACES, 0));
            }
        }
    }

    fn visit_equal(&mut self, places: &[u32], compared: f64) {
        places.iter().for_each(|&place| self.visit(&[place], &[compared]));
    }
}
