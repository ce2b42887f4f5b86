//! A binary tree of ranks, in which neighbors by rank meet first.
//!
//! A rank receives from its [`senders`], and then sends to its [`leader`]. After it has received
//! from some of them, it has what the ranks from itself up to the next sender had.

/// The ranks that send to a rank, in the order in which it receives from them.
pub(super) fn senders(rank: usize, ranks: usize) -> impl Iterator<Item = usize> {
    let strides = std::iter::successors(Some(1), |stride| Some(2 * stride));
    strides
        .take_while(move |stride| rank.is_multiple_of(2 * stride) && rank + stride < ranks)
        .map(move |stride| rank + stride)
}

/// The rank that a rank sends to; none for rank 0, at which the tree ends.
pub(super) fn leader(rank: usize) -> Option<usize> {
    // Without the lowest bit, which is the stride at which the rank stops to receive.
    (rank > 0).then(|| rank & (rank - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ranks_follow_each_other_at_rank_0() {
        /// What a rank has after it has received from its senders.
        fn gathered(rank: usize, ranks: usize) -> Vec<usize> {
            let below = senders(rank, ranks).flat_map(|sender| {
                assert_eq!(leader(sender), Some(rank));
                gathered(sender, ranks)
            });
            std::iter::once(rank).chain(below).collect()
        }
        for ranks in 1..40 {
            assert!(gathered(0, ranks).into_iter().eq(0..ranks), "{ranks}");
        }
        assert_eq!(leader(0), None);
    }
}
