//! The grid of an exchange in two hops.
//!
//! A part goes along the row of its sender to the column of its receiver, and then along that
//! column. If the last row is short, its ranks have no rank in some columns. Their parts for these
//! columns go along the column of the sender first, and then along the row of the receiver.

/// A grid of ranks with `columns` ranks in each row, the last of which may be shorter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    ranks: usize,
    pub(super) columns: usize,
}

impl Grid {
    /// A grid whose number of columns is the square root of `ranks`, rounded up.
    pub(super) fn new(ranks: usize) -> Self {
        let root = ranks.isqrt();
        Self { ranks, columns: root + usize::from(root * root < ranks) }
    }

    fn row(&self, rank: usize) -> usize {
        rank / self.columns
    }

    fn column(&self, rank: usize) -> usize {
        rank % self.columns
    }

    /// The rank that relays a part from rank `from` to rank `to`.
    pub(super) fn relay(&self, from: usize, to: usize) -> usize {
        let along_the_row = self.row(from) * self.columns + self.column(to);
        if along_the_row < self.ranks {
            along_the_row
        } else {
            // The sender's row is the short last row and lacks the column. So the receiver's row is
            // another row, and full.
            self.row(to) * self.columns + self.column(from)
        }
    }

    /// The length of the last row, or 0 if the row is full, and its first rank.
    fn short_row(&self) -> (usize, usize) {
        let length = self.ranks % self.columns;
        (length, self.ranks - length)
    }

    fn others_in_row(&self, rank: usize) -> impl Iterator<Item = usize> {
        let start = self.row(rank) * self.columns;
        (start..self.ranks.min(start + self.columns)).filter(move |&other| other != rank)
    }

    fn others_in_column(&self, rank: usize) -> impl Iterator<Item = usize> {
        (self.column(rank)..self.ranks).step_by(self.columns).filter(move |&other| other != rank)
    }

    fn is_in_short_row(&self, rank: usize) -> bool {
        let (length, start) = self.short_row();
        length > 0 && rank >= start
    }

    /// The ranks to which `rank` sends in the first hop, without itself.
    pub(super) fn first_hop_to(&self, rank: usize) -> Vec<usize> {
        let column = self.others_in_column(rank).filter(|_| self.is_in_short_row(rank));
        self.others_in_row(rank).chain(column).collect()
    }

    /// The ranks from which `rank` receives in the first hop, without itself.
    pub(super) fn first_hop_from(&self, rank: usize) -> Vec<usize> {
        let short = self.others_in_column(rank).filter(|&other| self.is_in_short_row(other));
        self.others_in_row(rank).chain(short).collect()
    }

    /// The ranks to which `rank` sends in the second hop, without itself.
    pub(super) fn second_hop_to(&self, rank: usize) -> Vec<usize> {
        let (length, _) = self.short_row();
        let relays_along_row = !self.is_in_short_row(rank) && self.column(rank) < length;
        let row =
            self.others_in_row(rank).filter(|&to| relays_along_row && self.column(to) >= length);
        self.others_in_column(rank).chain(row).collect()
    }

    /// The ranks from which `rank` receives in the second hop, without itself.
    pub(super) fn second_hop_from(&self, rank: usize) -> Vec<usize> {
        let (length, _) = self.short_row();
        let row = self
            .others_in_row(rank)
            .filter(|&from| self.column(from) < length && self.column(rank) >= length);
        self.others_in_column(rank).chain(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_part_has_a_route_and_every_message_has_a_receiver() {
        for ranks in 1..=150 {
            let grid = Grid::new(ranks);
            let set = |list: Vec<usize>| list.into_iter().collect::<BTreeSet<_>>();
            for from in 0..ranks {
                let (first, limit) = (set(grid.first_hop_to(from)), 2 * grid.columns);
                assert!(first.len() < limit && grid.second_hop_to(from).len() < limit);
                for to in 0..ranks {
                    let relay = grid.relay(from, to);
                    assert!(relay < ranks);
                    assert!(
                        relay == from || first.contains(&relay),
                        "{ranks}: {from} to {to} by {relay}"
                    );
                    assert!(
                        relay == to || grid.second_hop_to(relay).contains(&to),
                        "{ranks}: {from} to {to}"
                    );
                    let (first, back) =
                        (first.contains(&to), set(grid.first_hop_from(to)).contains(&from));
                    assert_eq!(first, back, "{ranks}: {from} to {to}");
                    let second = set(grid.second_hop_to(from)).contains(&to);
                    assert_eq!(
                        second,
                        set(grid.second_hop_from(to)).contains(&from),
                        "{ranks}: {from} to {to}"
                    );
                }
            }
        }
    }
}
