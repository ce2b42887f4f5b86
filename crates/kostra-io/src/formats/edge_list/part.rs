//! Edge lists in parts.

use super::head::Head;
use super::in_order_of_ids;
use crate::blocks::Text;
use crate::columns::Columns;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::{Format, PartContent, PartOfFile};
use crate::message::Message;
use crate::text_part::{Conclusion, Lines, TextHead, TextPart};
use crate::{KeptColumns, ReadOptions};

/// Reads up to the first edge. A list without edges has no parts.
pub(super) fn open(
    of: &PartOfFile<'_>,
    stream: Stream<'_>,
    options: &ReadOptions,
) -> Result<Option<Box<dyn PartContent>>, Fault> {
    let mut text = Text::new(stream)?;
    let head = Head::read(&mut text, &in_order_of_ids(options))?;
    if !head.announces_edges() {
        return Ok(None);
    }
    Ok(Some(Box::new(TextPart::open(of, &text, head)?)))
}

impl TextHead for Head {
    const FORMAT: Format = Format::EDGE_LIST;

    fn parse_edges(
        &self,
        text: Text<'_>,
        _: Option<bool>,
        columns: &mut Columns,
        options: &ReadOptions,
    ) -> Result<u64, Fault> {
        self.parse_lines(text, columns, &mut KeptColumns::default(), options)
    }

    /// The layout of the first lines decides whether edges have weights, and any number of edges is
    /// possible until all are counted.
    fn contradicts(&self, _: &Lines, _: &Lines) -> bool {
        false
    }

    fn similarity(&self) -> Option<String> {
        self.layout.similarity.clone()
    }

    fn conclude_parts(
        &self,
        all: &Lines,
        options: &ReadOptions,
        notes: &mut Vec<Message>,
    ) -> Result<Conclusion, Fault> {
        self.check_points(all.kinds)?;
        self.conclude(all.ends, &in_order_of_ids(options), notes)
    }
}
