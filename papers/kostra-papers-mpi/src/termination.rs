//! Termination detection: all ranks are idle, and no message is in flight.
//!
//! A message in flight may wake an idle rank, so it is not enough that each rank was idle once. A
//! token travels around the ranks. Each rank keeps the token until the rank is idle, and adds the
//! number of its sent messages minus the number of its received messages. Suppose that the sum is
//! zero at the end of a turn, and that no rank has received a message since the token last visited
//! it. Then no message was in flight during the turn, and no rank was left to send one.
//!
//! * Source: Safra's algorithm, in Dijkstra 1987 (EWD 998).
//! * One message per rank and turn; the token waits at a busy rank. After the end, the current turn
//!   is completed, and at most two more turns follow.

use bytemuck_derive::{Pod, Zeroable};

/// The token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Token {
    /// Messages sent minus messages received, summed over the ranks that the token has visited.
    pub(crate) balance: i64,
    /// Not 0 if one of these ranks had received a message since the last turn.
    pub(crate) black: u64,
}

/// What an idle rank does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Idle {
    /// It waits for messages.
    Wait,
    /// It sends the token to the next rank; the last rank sends it to rank 0.
    Pass(Token),
    /// It tells all other ranks that the computation has ended.
    Over,
}

/// The state of a rank.
#[derive(Clone, Debug)]
pub(crate) struct Termination {
    is_first: bool,
    balance: i64,
    has_received: bool,
    token: Option<Token>,
}

impl Termination {
    /// The state at the start, when rank 0 has the token.
    pub(crate) fn new(rank: usize, ranks: usize) -> Self {
        // With several ranks, the first turn is still to come.
        let token = Token { balance: 0, black: u64::from(ranks > 1) };
        Self {
            is_first: rank == 0,
            balance: 0,
            has_received: false,
            token: (rank == 0).then_some(token),
        }
    }

    /// Records messages that were sent to other ranks.
    pub(crate) fn sent(&mut self, messages: usize) {
        self.balance += messages as i64;
    }

    /// Records messages that were received from other ranks. Tokens do not count.
    pub(crate) fn received(&mut self, messages: usize) {
        self.balance -= messages as i64;
        self.has_received = true;
    }

    /// Records that the token has arrived.
    pub(crate) fn token_arrived(&mut self, token: Token) {
        self.token = Some(token);
    }

    /// What the rank does next. Call it when the rank is idle and has sent all its messages.
    pub(crate) fn when_idle(&mut self) -> Idle {
        let Some(token) = self.token.take() else { return Idle::Wait };
        let sum = Token {
            balance: token.balance + self.balance,
            black: token.black | u64::from(self.has_received),
        };
        if self.is_first && sum == (Token { balance: 0, black: 0 }) {
            return Idle::Over;
        }
        self.has_received = false;
        Idle::Pass(if self.is_first { Token { balance: 0, black: 0 } } else { sum })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use kostra_testkit::multigraphs::Random;

    use super::*;

    enum Mail {
        Work(u32),
        Token(Token),
    }

    /// Ranks send each other work at random until none is left. Messages take arbitrarily long.
    #[test]
    fn the_end_is_detected_exactly_when_no_rank_has_work_and_no_message_is_in_flight() {
        for seed in 0..if cfg!(miri) { 5 } else { 500 } {
            let mut random = Random(seed);
            let ranks = 1 + random.below(6) as usize;
            let mut known: Vec<_> = (0..ranks).map(|rank| Termination::new(rank, ranks)).collect();
            let mut work: Vec<_> = (0..ranks).map(|_| random.below(4) * random.below(20)).collect();
            let mut mail: Vec<VecDeque<Mail>> = (0..ranks).map(|_| VecDeque::new()).collect();
            let mut turns_after_the_end = 0;
            loop {
                let rank = random.below(ranks as u32) as usize;
                let quiet = work.iter().all(|&left| left == 0)
                    && mail.iter().flatten().all(|mail| matches!(mail, Mail::Token(_)));
                match (random.below(3) > 0).then(|| mail[rank].pop_front()).flatten() {
                    Some(Mail::Work(more)) => {
                        known[rank].received(1);
                        work[rank] += more;
                    }
                    Some(Mail::Token(token)) => known[rank].token_arrived(token),
                    None if work[rank] > 0 => {
                        work[rank] -= 1;
                        let to = random.below(ranks as u32) as usize;
                        if to != rank && random.below(2) == 0 {
                            let share = random.below(work[rank] + 1);
                            work[rank] -= share;
                            known[rank].sent(1);
                            mail[to].push_back(Mail::Work(share));
                        }
                    }
                    None => match known[rank].when_idle() {
                        Idle::Wait => {}
                        Idle::Pass(token) => {
                            turns_after_the_end += usize::from(quiet && rank == 0);
                            mail[(rank + 1) % ranks].push_back(Mail::Token(token));
                        }
                        Idle::Over => {
                            assert!(quiet && rank == 0, "seed {seed}: detected too early");
                            break;
                        }
                    },
                }
                assert!(turns_after_the_end <= 2, "seed {seed}: the end is not detected");
            }
        }
    }
}
