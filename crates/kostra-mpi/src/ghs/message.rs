//! What vertices say to each other, and how it travels.

use bytemuck::{Pod, Zeroable};

use crate::comm::termination::Token;

/// An edge's key and id: its place in the strict total order.
pub(super) type Place = (u64, u64);

/// After every edge: no edge has this id.
pub(super) const NOWHERE: Place = (u64::MAX, u64::MAX);

/// The level of a fragment: it has 2 to this power vertices or more.
pub(super) type Level = u8;

/// The name of a fragment: the id of the edge at its core.
pub(super) type Fragment = u64;

/// What a vertex does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing yet; for ever, if it has no edge.
    Sleeping,
    /// Looks for the lightest edge that leaves its fragment, with the others there.
    Find,
    /// Has reported what it and those behind it have found.
    Found,
}

/// A message over an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// My fragment, of this level, wants to be joined with yours over this edge.
    Connect(Level),
    /// Our fragment has a new name and level, and is in this state.
    Initiate(Level, Fragment, State),
    /// Are you in another fragment than this?
    Test(Level, Fragment),
    /// I am.
    Accept,
    /// I am not.
    Reject,
    /// This is the lightest edge out of our fragment that I, and those behind me, know of.
    Report(Place),
    /// The lightest edge out of our fragment is in your direction.
    ChangeRoot,
}

/// How many kinds of messages there are.
pub(super) const KINDS: usize = 7;

/// The kinds, as they are counted.
pub(super) const COUNTERS: [&str; KINDS] = [
    "connect messages",
    "initiate messages",
    "test messages",
    "accept messages",
    "reject messages",
    "report messages",
    "change-root messages",
];

impl Message {
    /// Its place among the kinds.
    pub(super) fn kind(self) -> usize {
        match self {
            Self::Connect(..) => 0,
            Self::Initiate(..) => 1,
            Self::Test(..) => 2,
            Self::Accept => 3,
            Self::Reject => 4,
            Self::Report(..) => 5,
            Self::ChangeRoot => 6,
        }
    }
}

/// What one rank tells another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// A message to the vertex that has this arc, over its edge.
    To(u32, Message),
    /// The token.
    Token(Token),
    /// That it is over.
    Over,
}

/// The same, as it travels: 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Wire {
    arc: u32,
    kind: u8,
    level: u8,
    state: u8,
    unused: u8,
    numbers: [u64; 2],
}

const TOKEN: u8 = KINDS as u8;
const OVER: u8 = TOKEN + 1;

impl From<Note> for Wire {
    fn from(note: Note) -> Self {
        let mut wire = Self::zeroed();
        match note {
            Note::To(arc, message) => {
                (wire.arc, wire.kind) = (arc, message.kind() as u8);
                match message {
                    Message::Connect(level) => wire.level = level,
                    Message::Initiate(level, fragment, state) => {
                        (wire.level, wire.state) = (level, u8::from(state == State::Find));
                        wire.numbers[0] = fragment;
                    }
                    Message::Test(level, fragment) => {
                        (wire.level, wire.numbers[0]) = (level, fragment);
                    }
                    Message::Report((key, id)) => wire.numbers = [key, id],
                    Message::Accept | Message::Reject | Message::ChangeRoot => {}
                }
            }
            Note::Token(Token { balance, black }) => {
                (wire.kind, wire.numbers) = (TOKEN, [balance as u64, black]);
            }
            Note::Over => wire.kind = OVER,
        }
        wire
    }
}

impl From<Wire> for Note {
    fn from(wire: Wire) -> Self {
        let Wire { arc, kind, level, state, numbers: [first, second], .. } = wire;
        let message = match kind {
            0 => Message::Connect(level),
            1 => {
                Message::Initiate(level, first, if state == 0 { State::Found } else { State::Find })
            }
            2 => Message::Test(level, first),
            3 => Message::Accept,
            4 => Message::Reject,
            5 => Message::Report((first, second)),
            6 => Message::ChangeRoot,
            TOKEN => return Self::Token(Token { balance: first as i64, black: second }),
            _ => return Self::Over,
        };
        Self::To(arc, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrives_is_what_was_sent() {
        let messages = [
            Message::Connect(3),
            Message::Initiate(4, 1 << 60, State::Find),
            Message::Initiate(4, 9, State::Found),
            Message::Test(63, u64::MAX),
            Message::Accept,
            Message::Reject,
            Message::Report(NOWHERE),
            Message::Report((7, 8)),
            Message::ChangeRoot,
        ];
        let notes = messages.map(|message| Note::To(u32::MAX, message));
        let token = Note::Token(Token { balance: -5, black: 1 });
        for note in notes.into_iter().chain([token, Note::Over]) {
            assert_eq!(Note::from(Wire::from(note)), note);
        }
    }
}
