//! The memory that reading a column takes, from the headers of its pages.
//!
//! The headers are read from the file before any page is. A page that is decompressed is held
//! together with its compressed bytes and with the page before it, and a dictionary as long as its
//! group is read. The walk over the headers of a group's column takes time proportional to its
//! bytes: each header has some, and small ones are read together.

use bytes::Bytes;
use parquet::basic::{CompressionCodec, Type};
use parquet::file::metadata::ColumnChunkMetaData;

use super::headers::{PageHeader, PageKind, Stored};
use super::pages::LONGEST_PAGE;
use crate::ReadErrorKind;
use crate::source::from_io;

/// The pages whose memory is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All: the column is read.
    All,
    /// Those of the first value.
    First,
}

/// The largest pages of a column.
#[derive(Default)]
struct Sizes {
    dictionary: u64,
    data_pages: u64,
    /// The largest data page as it is stored, and as it is decoded.
    stored: u64,
    plain: u64,
}

/// The bytes of memory that reading the pages of a column takes at most.
pub(super) fn memory(
    stored: &Stored,
    chunk: &ColumnChunkMetaData,
    wanted: Wanted,
) -> Result<u64, ReadErrorKind> {
    let mut sizes = Sizes::default();
    let is_compressed = chunk.compression_codec() != CompressionCodec::UNCOMPRESSED;
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    // The crate refuses negative numbers.
    let start = u64::try_from(start).unwrap_or(u64::MAX);
    let length = u64::try_from(chunk.compressed_size()).unwrap_or_default();
    let mut headers = Headers { stored, ahead: Bytes::new(), start: 0 };
    let (mut at, end) = (start, start.saturating_add(length));
    while at < end
        && let Some((bytes, page)) = headers.at(at)?
    {
        at = at.saturating_add(bytes).saturating_add(page.stored);
        // More bytes than the file has are not read, and a longer page is refused.
        let stored = page.stored.min(end.saturating_sub(start));
        let plain = if is_compressed { page.plain.min(LONGEST_PAGE as u64) } else { 0 };
        match page.kind {
            PageKind::Dictionary => {
                let values = page.values.saturating_mul(bytes_per_value(chunk.column_type()));
                let kept = if is_compressed { plain } else { stored };
                sizes.dictionary = sizes.dictionary.max(kept.saturating_add(values));
                sizes.stored = sizes.stored.max(stored);
            }
            PageKind::Data => {
                sizes.data_pages += 1;
                sizes.stored = sizes.stored.max(stored);
                sizes.plain = sizes.plain.max(plain.saturating_add(lengths(chunk, page.values)));
                if wanted == Wanted::First {
                    break;
                }
            }
            PageKind::Index => {}
        }
    }
    let of_data = if is_compressed { sizes.plain } else { sizes.stored };
    let before = if sizes.data_pages > 1 { of_data } else { 0 };
    let all = [sizes.dictionary, sizes.stored, sizes.plain, before];
    Ok(all.into_iter().fold(0, u64::saturating_add))
}

/// The memory of a decoded value of a dictionary.
fn bytes_per_value(values: Type) -> u64 {
    match values {
        Type::BOOLEAN => 1,
        Type::INT32 | Type::FLOAT => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 16,
        // A reference to the bytes.
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => 40,
    }
}

/// The memory of the lengths of texts, which some encodings store before the texts.
fn lengths(chunk: &ColumnChunkMetaData, values: u64) -> u64 {
    let is_text = matches!(chunk.column_type(), Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
    if is_text { values.saturating_mul(8) } else { 0 }
}

/// Reads headers of pages.
struct Headers<'a> {
    stored: &'a Stored,
    /// Bytes that have been read, and where they start in the file.
    ahead: Bytes,
    start: u64,
}

impl Headers<'_> {
    /// The header at a byte of the file, and its number of bytes. `None` if there is none, as the
    /// crate will find.
    fn at(&mut self, at: u64) -> Result<Option<(u64, PageHeader)>, ReadErrorKind> {
        let known = at.checked_sub(self.start).and_then(|skipped| usize::try_from(skipped).ok());
        let known = known.and_then(|skipped| self.ahead.get(skipped..)).unwrap_or_default();
        if let Some(header) = PageHeader::read(known) {
            return Ok(Some(header));
        }
        self.ahead = self.stored.header(at).map_err(from_io)?;
        self.start = at;
        Ok(PageHeader::read(&self.ahead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::sync::Arc;

    use parquet::schema::parser::parse_message_type;
    use parquet::schema::types::SchemaDescriptor;

    fn number(number: u64) -> Vec<u8> {
        let (mut zigzag, mut bytes) = (number << 1, Vec::new());
        while zigzag >= 0x80 {
            bytes.push(zigzag as u8 | 0x80);
            zigzag >>= 7;
        }
        bytes.push(zigzag as u8);
        bytes
    }

    /// A header of a page with its kind, its two sizes and its number of values.
    fn header(kind: u64, plain: u64, stored: u64, values: u64) -> Vec<u8> {
        let field = if kind == 2 { 0x4c } else { 0x2c }; // 7 or 5, after 3
        [
            vec![0x15],
            number(kind),
            vec![0x15],
            number(plain),
            vec![0x15],
            number(stored),
            vec![field, 0x15],
            number(values),
            vec![0, 0],
        ]
        .concat()
    }

    /// What reading a column of 64-bit integers with these bytes takes.
    fn taken(bytes: Vec<u8>, codec: CompressionCodec, wanted: Wanted) -> u64 {
        let schema = parse_message_type("message m { required int64 u; }").unwrap();
        let schema = SchemaDescriptor::new(Arc::new(schema));
        let chunk = ColumnChunkMetaData::builder(schema.column(0))
            .set_compression_codec(codec)
            .set_data_page_offset(0)
            .set_total_compressed_size(bytes.len() as i64)
            .build()
            .unwrap();
        memory(&Stored::in_memory(bytes), &chunk, wanted).unwrap()
    }

    #[test]
    fn two_pages_and_the_dictionary_of_a_column_are_counted() {
        let pages = [
            (header(2, 800, 50, 100), 50),
            (header(0, 4000, 70, 500), 70),
            (header(3, 6000, 60, 500), 60),
        ];
        let bytes: Vec<u8> = pages.into_iter().fold(Vec::new(), |mut all, (header, stored)| {
            all.extend(header);
            all.extend(vec![0xee; stored]);
            all
        });
        let dictionary = 800 + 8 * 100;
        assert_eq!(
            taken(bytes.clone(), CompressionCodec::ZSTD, Wanted::All),
            dictionary + 70 + 12_000
        );
        assert_eq!(
            taken(bytes.clone(), CompressionCodec::ZSTD, Wanted::First),
            dictionary + 70 + 4000
        );
        let plain = 50 + 8 * 100 + 70 + 70;
        assert_eq!(taken(bytes, CompressionCodec::UNCOMPRESSED, Wanted::All), plain);
    }

    #[test]
    fn forged_sizes_are_capped() {
        let most = u64::from(u32::MAX) >> 1;
        let bytes = [header(2, most, most, most), header(0, most, most, most)].concat();
        let length = bytes.len() as u64;
        let taken_by_one = LONGEST_PAGE as u64 + 8 * most + length;
        assert_eq!(taken(bytes, CompressionCodec::GZIP, Wanted::All), taken_by_one);
        let endless = number(u64::MAX >> 1);
        let bytes = [&[0x15, 0, 0x15][..], &endless, &[0x15], &endless, &[0]].concat();
        assert_eq!(taken(bytes, CompressionCodec::GZIP, Wanted::All), 0);
    }

    #[test]
    fn a_header_without_a_kind_or_sizes_ends_the_walk() {
        let page = [header(0, 10, 3, 1), vec![0; 3]].concat();
        let expected = taken(page.clone(), CompressionCodec::GZIP, Wanted::All);
        assert_eq!(expected, 13);
        let incomplete = [0x15, 0, 0x15, 9, 0];
        for rest in [&[0; 1 << 20][..], &incomplete] {
            let bytes = [&page[..], rest, &header(0, 1000, 3, 1)].concat();
            assert_eq!(taken(bytes, CompressionCodec::GZIP, Wanted::All), expected);
        }
    }
}
