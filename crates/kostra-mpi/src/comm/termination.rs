//! When it is over: no rank has anything to do, and nothing is on its way.
//!
//! A rank that is idle may be woken by what is still on its way, so that all were idle once says
//! nothing. A token goes round the ranks, each of which keeps it until it is idle, and adds up how
//! much more was sent than received. If the sum is zero at the end of a turn, and nobody has
//! received anything since the token came by the last time, nothing was on its way during the turn,
//! and nobody was left to send anything.
//!
//! * Source: Safra's algorithm, in Dijkstra 1987 (EWD 998).
//! * One message a rank and turn; the token waits at a rank that is busy. When all is over, the
//!   turn that is under way is completed, and at most two more follow.

use bytemuck::{Pod, Zeroable};

/// What goes round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Token {
    /// How much more the ranks have sent than received that it came by.
    pub(crate) balance: i64,
    /// Not 0 if one of them had received something since the last turn.
    pub(crate) black: u64,
}

/// What a rank does that has nothing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Idle {
    /// Waits for messages.
    Wait,
    /// Sends the token to the next rank, after the last to the first.
    Pass(Token),
    /// Tells all others that it is over.
    Over,
}

/// What a rank knows of it.
#[derive(Clone, Debug)]
pub(crate) struct Termination {
    is_first: bool,
    balance: i64,
    has_received: bool,
    token: Option<Token>,
}

impl Termination {
    /// At the start, where the first rank has the token.
    pub(crate) fn new(rank: usize, ranks: usize) -> Self {
        // Where there are several ranks, the first turn is still to come.
        let token = Token { balance: 0, black: u64::from(ranks > 1) };
        Self {
            is_first: rank == 0,
            balance: 0,
            has_received: false,
            token: (rank == 0).then_some(token),
        }
    }

    /// So many messages have been sent to other ranks.
    pub(crate) fn sent(&mut self, messages: usize) {
        self.balance += messages as i64;
    }

    /// So many messages have come from other ranks. Tokens are none.
    pub(crate) fn received(&mut self, messages: usize) {
        self.balance -= messages as i64;
        self.has_received = true;
    }

    /// The token has come.
    pub(crate) fn token_came(&mut self, token: Token) {
        self.token = Some(token);
    }

    /// To be asked when the rank has nothing to do, and has sent all that it had to send.
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

    /// Ranks that send each other work at random until it is used up, on mail that takes as long as
    /// it likes.
    #[test]
    fn it_is_over_exactly_when_nobody_has_work_and_none_is_on_its_way() {
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
                    Some(Mail::Token(token)) => known[rank].token_came(token),
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
                            assert!(quiet && rank == 0, "seed {seed}: over too early");
                            break;
                        }
                    },
                }
                assert!(turns_after_the_end <= 2, "seed {seed}: the end is not noticed");
            }
        }
    }
}
