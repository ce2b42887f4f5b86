//! The edges that a rank has still in play, between local names of components.

use std::borrow::Cow;

use kostra_core::{BitSet, EdgeList, Graph, Key, Order, Run, SolveError, Weight};

use super::name::Name;
use super::pivot::Pivot;
use crate::ranked::Ranked;
use crate::{Communicator, Slice};

/// Some edges of a rank's slice, ascending by position in it, which is ascending by id. Self-loops
/// may be among those of the slice itself, and of no other part.
pub(super) struct Part<'a, N: Name, W: Weight> {
    /// The components that edges end at, ascending.
    pub(super) names: Vec<N>,
    /// What the ends are called here: places in the names.
    pub(super) u: Cow<'a, [u32]>,
    pub(super) v: Cow<'a, [u32]>,
    weights: Cow<'a, [W]>,
    /// Where in the slice the edges are; none where they are the slice.
    positions: Option<Vec<u32>>,
    /// Whether the edges are known to close no cycle.
    is_forest: bool,
}

impl<'a, N: Name, W: Weight> Part<'a, N, W> {
    /// A whole slice, of which nothing is copied. Names that no edge ends at may be among its own.
    pub(super) fn of(slice: &'a Slice<W>) -> Self {
        let edges = slice.edges();
        Self {
            names: (0..edges.vertices())
                .map(|vertex| N::of(slice.names().global(vertex)))
                .collect(),
            u: edges.u().into(),
            v: edges.v().into(),
            weights: edges.weights().into(),
            positions: None,
            is_forest: false,
        }
    }

    /// The edges at these positions of a slice, ascending, between components that are called by
    /// these of its vertices.
    pub(super) fn between(
        slice: &Slice<W>,
        [u, v]: [Vec<u32>; 2],
        positions: Vec<u32>,
    ) -> Part<'static, N, W> {
        let edges = slice.edges();
        let used = Ranked::ends(edges.vertices().into(), &u, &v);
        let weights = pick(edges.weights(), &positions);
        let mut part = Part {
            names: used.iter().map(|name| N::of(slice.names().global(name as u32))).collect(),
            u: u.into(),
            v: v.into(),
            weights: weights.into(),
            positions: Some(positions),
            is_forest: false,
        };
        part.rename(|end| used.rank(end.into()));
        part
    }

    /// No edges.
    pub(super) fn none() -> Self {
        let none: Cow<'_, [u32]> = Cow::Borrowed(&[]);
        let weights = Cow::Borrowed(&[][..]);
        Self {
            names: Vec::new(),
            u: none.clone(),
            v: none,
            weights,
            positions: None,
            is_forest: true,
        }
    }

    /// The edges at these places, and of the names those that remain.
    pub(super) fn these(&self, places: &[u32]) -> Part<'static, N, W> {
        let mut part = self.at(places);
        let used = Ranked::ends(self.names.len() as u64, &part.u, &part.v);
        part.names = used.iter().map(|name| self.names[name as usize]).collect();
        part.rename(|end| used.rank(end.into()));
        part
    }

    /// What is left when every component has become part of another, or of itself: edges inside of
    /// one are gone, and the names are those of the new components. `labels` has the new name for
    /// each place in the names.
    pub(super) fn contract(&self, labels: &[N]) -> Part<'static, N, W> {
        let places = self.places(|place| {
            labels[self.u[place as usize] as usize] != labels[self.v[place as usize] as usize]
        });
        self.renamed(&places, |name| labels[name as usize])
    }

    /// The edges of which not both ends are in a set of places in the names.
    pub(super) fn outside(&self, set: &BitSet) -> Part<'static, N, W> {
        let (u, v) = (&*self.u, &*self.v);
        self.these(
            &self.places(|place| {
                !(set.contains(u[place as usize]) & set.contains(v[place as usize]))
            }),
        )
    }

    /// The edges at these places, between components with other names: `label` has one for each
    /// place in the names. Some of them may be equal, and they may be in any order.
    pub(super) fn renamed(&self, places: &[u32], label: impl Fn(u32) -> N) -> Part<'static, N, W> {
        let mut part = self.at(places);
        let used = Ranked::ends(self.names.len() as u64, &part.u, &part.v);
        let mut sorted: Vec<_> = used.iter().map(|name| label(name as u32)).zip(0_u32..).collect();
        sort_by_label(&mut sorted);
        let mut new = vec![0; sorted.len()];
        for (label, old) in sorted {
            if part.names.last() != Some(&label) {
                part.names.push(label);
            }
            new[old as usize] = part.names.len() as u32 - 1;
        }
        part.rename(|end| new[used.rank(end.into()) as usize]);
        part.is_forest = false;
        part
    }

    /// The edges at these places, with the names of their ends as they are.
    fn at(&self, places: &[u32]) -> Part<'static, N, W> {
        Part {
            names: Vec::new(),
            u: pick(&self.u, places).into(),
            v: pick(&self.v, places).into(),
            weights: pick(&self.weights, places).into(),
            positions: Some(places.iter().map(|&place| self.position(place)).collect()),
            is_forest: self.is_forest,
        }
    }

    fn rename(&mut self, name: impl Fn(u32) -> u32) {
        for ends in [&mut self.u, &mut self.v] {
            ends.to_mut().iter_mut().for_each(|end| *end = name(*end));
        }
    }

    /// The places of the edges of which something holds, ascending.
    pub(super) fn places(&self, holds: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut places = vec![0; self.len() + 1]; // each is written, and counted if it stays: no branch
        let mut count = 0;
        for place in 0..self.len() as u32 {
            places[count] = place;
            count += usize::from(holds(place));
        }
        places.truncate(count);
        places
    }

    pub(super) fn len(&self) -> usize {
        self.u.len()
    }

    /// Where in the slice the edge at a place is.
    #[inline]
    pub(super) fn position(&self, place: u32) -> u32 {
        self.positions.as_ref().map_or(place, |positions| positions[place as usize])
    }

    /// The key of the edge at a place.
    #[inline]
    pub(super) fn key(&self, place: u32, order: Order) -> W::Key {
        key_of(self.weights[place as usize], order)
    }

    /// The places of the edges up to a pivot, in a slice that begins with the edge of a certain id.
    pub(super) fn up_to(&self, pivot: Pivot, first: u64, order: Order) -> Vec<u32> {
        let limit = W::Key::from_u64(pivot.key);
        self.places(|place| {
            let key = self.key(place, order);
            key < limit || key == limit && first + u64::from(self.position(place)) <= pivot.id
        })
    }

    /// Whether the edge at a place ends where it begins.
    #[inline]
    pub(super) fn is_loop(&self, place: u32) -> bool {
        self.u[place as usize] == self.v[place as usize]
    }

    /// The places of the edges of the part's own forest, ascending. All others are in no forest of
    /// more edges (cycle property).
    pub(super) fn forest(&self, order: Order, run: &mut Run<'_>) -> Result<Vec<u32>, SolveError> {
        if self.is_forest {
            return Ok((0..self.len() as u32).collect());
        }
        let list = EdgeList::of_checked(
            self.names.len() as u32,
            self.u.to_vec(),
            self.v.to_vec(),
            self.weights.to_vec(),
        );
        Ok(kostra_cpu::forest(&Graph::from(list), order, run)?.into_ids())
    }

    /// The edges at these places, which are a forest, with all names as they are.
    pub(super) fn thinned_to(&self, forest: &[u32]) -> Part<'static, N, W> {
        Part { names: self.names.clone(), is_forest: true, ..self.at(forest) }
    }

    /// Sends the edges to a rank, which must [receive](Self::receive) them; where they are in the
    /// slice is not told.
    pub(super) fn send(&self, to: usize, world: &Communicator) {
        world.send(to, &self.names);
        world.send(to, &self.u);
        world.send(to, &self.v);
        world.send(to, &self.weights);
    }

    /// The edges of the forest that a rank sends; their places are all that is known of them.
    pub(super) fn receive(from: usize, world: &Communicator) -> Part<'static, N, W> {
        Part {
            names: world.receive(from),
            u: world.receive(from).into(),
            v: world.receive(from).into(),
            weights: world.receive(from).into(),
            positions: None,
            is_forest: true,
        }
    }

    /// The edges of this part, and after them those of another; their places are all that is known
    /// of them.
    pub(super) fn followed_by(&self, other: &Part<'_, N, W>) -> Part<'static, N, W> {
        // Both lists of names ascend: merged, each tells where its names have come to.
        let (mut names, mut these, mut others) = (Vec::new(), Vec::new(), Vec::new());
        while these.len() < self.names.len() || others.len() < other.names.len() {
            let (a, b) = (self.names.get(these.len()), other.names.get(others.len()));
            let place = names.len() as u32;
            if a.is_some() && (b.is_none() || a <= b) {
                these.push(place);
            }
            if b.is_some() && (a.is_none() || b <= a) {
                others.push(place);
            }
            names.extend(if a.is_none() || b.is_some() && b < a { b } else { a });
        }
        let ends = |own: &[u32], theirs: &[u32]| -> Vec<u32> {
            let own = own.iter().map(|&end| these[end as usize]);
            own.chain(theirs.iter().map(|&end| others[end as usize])).collect()
        };
        Part {
            u: ends(&self.u, &other.u).into(),
            v: ends(&self.v, &other.v).into(),
            weights: [&*self.weights, &*other.weights].concat().into(),
            positions: None,
            is_forest: false,
            names,
        }
    }
}

/// The items at these places.
pub(super) fn pick<T: Copy>(items: &[T], places: &[u32]) -> Vec<T> {
    places.iter().map(|&place| items[place as usize]).collect()
}

/// The key of a weight in an order.
#[inline]
pub(super) fn key_of<W: Weight>(weight: W, order: Order) -> W::Key {
    weight.key() ^ if order == Order::Minimum { W::Key::MIN } else { W::Key::MAX }
}

/// Sorts labels with their places, which ascend beforehand: digit by digit, which keeps the order
/// of equal ones.
fn sort_by_label<N: Name>(items: &mut Vec<(N, u32)>) {
    const DIGIT: u32 = 11;
    if items.len() < 1 << DIGIT {
        return items.sort_unstable();
    }
    let bits = 64 - items.iter().fold(0, |bits, item| bits | item.0.get()).leading_zeros();
    let mut other = items.clone();
    for shift in (0..bits).step_by(DIGIT as usize) {
        let digit = |item: &(N, u32)| (item.0.get() >> shift) as usize & ((1 << DIGIT) - 1);
        let mut next = [0_usize; 1 << DIGIT];
        items.iter().for_each(|item| next[digit(item)] += 1);
        let mut sum = 0;
        for next in &mut next {
            sum += *next;
            *next = sum - *next;
        }
        for item in &*items {
            let slot = &mut next[digit(item)];
            other[*slot] = *item;
            *slot += 1;
        }
        std::mem::swap(items, &mut other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_sorted_with_their_places_in_order() {
        let label = |place: u32| u64::from(place.wrapping_mul(2_654_435_769) % 5000) << 20;
        for count in [10, 1 << 14] {
            let mut items: Vec<_> = (0..count).map(|place| (label(place), place)).collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            sort_by_label(&mut items);
            assert_eq!(items, expected);
        }
    }
}
