//! DIMACS files in parts.

use super::header::Header;
use crate::blocks::Text;
use crate::columns::Columns;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::{Format, PartContent, PartOfFile};
use crate::message::Message;
use crate::text_part::{Conclusion, Lines, TextHead, TextPart};
use crate::{ReadOptions, weights};

pub(super) fn open(
    of: &PartOfFile<'_>,
    stream: Stream<'_>,
    options: &ReadOptions,
) -> Result<Option<Box<dyn PartContent>>, Fault> {
    let mut text = Text::new(stream)?;
    let header = Header::read(&mut text)?;
    header.check_limit()?;
    weights::refuse_others(header.is_weighted(), options)?;
    Ok(Some(Box::new(TextPart::open(of, &text, header)?)))
}

impl TextHead for Header {
    const FORMAT: Format = Format::DIMACS;

    fn parse_edges(
        &self,
        text: Text<'_>,
        weighted_before: Option<bool>,
        columns: &mut Columns,
        options: &ReadOptions,
    ) -> Result<u64, Fault> {
        self.parse_lines(text, weighted_before, columns, options)
    }

    /// Either all edges or none have weights, and there are no more than the header announces.
    fn contradicts(&self, before: &Lines, own: &Lines) -> bool {
        let differs = before.weighted.zip(own.weighted).is_some_and(|(before, own)| before != own);
        let edges = own.ends.edges;
        differs || (edges > 0 && before.ends.edges + edges > self.m)
    }

    fn conclude_parts(
        &self,
        all: &Lines,
        _: &ReadOptions,
        _: &mut Vec<Message>,
    ) -> Result<Conclusion, Fault> {
        self.check_edges(all.ends.edges, all.lines)?;
        Ok(Conclusion {
            vertices: self.n.into(),
            weighted: self.is_weighted() || all.weighted == Some(true),
            lowest_id: None,
            first_is_an_edge: true,
            from_1: false,
        })
    }
}
