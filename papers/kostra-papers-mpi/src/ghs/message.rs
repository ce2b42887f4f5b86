//! The messages between vertices, and their encoding.

use bytemuck::Zeroable;
use bytemuck_derive::{Pod, Zeroable};

use crate::termination::Token;

/// The rank of an edge in the strict total order: its key and its id.
pub(super) type EdgeRank = (u64, u64);

/// A rank higher than the rank of every edge: no edge has this id.
pub(super) const NO_EDGE: EdgeRank = (u64::MAX, u64::MAX);

/// The level of a fragment. A fragment of level k has at least 2^k vertices.
pub(super) type Level = u8;

/// The name of a fragment: the id of its core edge.
pub(super) type Fragment = u64;

/// The state of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It has not started. A vertex without edges stays in this state.
    Sleeping,
    /// It takes part in the search for the lightest edge that leaves its fragment.
    Find,
    /// It has reported the result of its subtree.
    Found,
}

/// A message over an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// The sender's fragment, of this level, requests a connection over this edge.
    Connect(Level),
    /// The fragment has a new level and name, and is in this state.
    Initiate(Level, Fragment, State),
    /// Asks whether the receiver is in another fragment than this one.
    Test(Level, Fragment),
    /// Answers a test: the sender is in another fragment.
    Accept,
    /// Answers a test: the sender is in the same fragment.
    Reject,
    /// The lightest edge that leaves the fragment from the sender's subtree.
    Report(EdgeRank),
    /// The lightest edge that leaves the fragment is in the direction of the receiver.
    ChangeRoot,
}

/// The number of kinds of messages.
pub(super) const KINDS: usize = 7;

/// The counters of the kinds.
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
    /// The number of the kind.
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

/// A message between ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// A message over the edge of this arc, to the vertex that has the arc.
    To(u32, Message),
    /// The token.
    Token(Token),
    /// The computation has ended.
    Over,
}

/// A [`Note`] encoded in 24 bytes.
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
    fn notes_survive_encoding() {
        let messages = [
            Message::Connect(3),
            Message::Initiate(4, 1 << 60, State::Find),
            Message::Initiate(4, 9, State::Found),
            Message::Test(63, u64::MAX),
            Message::Accept,
            Message::Reject,
            Message::Report(NO_EDGE),
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
