//! The pages of a column, decompressed and checked before the crate `parquet` decodes them.
//!
//! The crate reserves memory for the sizes that a page states, without a way to refuse. So it reads
//! the pages as if they were not compressed, and this module decompresses them into memory that is
//! reserved with care.

use std::io::Read;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use kostra_core::memory;
use parquet::basic::{CompressionCodec, Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

use super::delta;
use crate::ReadErrorKind;

/// The largest page, decompressed. Pages customarily have a mebibyte.
const LONGEST_PAGE: usize = 256 << 20;

/// The largest page of text that refers to earlier texts: each text may be as long as the page.
const LONGEST_PREFIXES: usize = 4 << 20;

/// Snappy stores 64 bytes in 3 at best.
const SNAPPY_RATIO: usize = 22;

/// The number of bytes that are decompressed at a time.
const STEP: usize = 1 << 16;

/// Pages of a column.
pub(super) struct Pages<R> {
    /// The pages as they are stored.
    pub(super) stored: R,
    pub(super) compression: CompressionCodec,
    pub(super) values: Type,
    /// The number of bytes of a value that is an array of bytes of fixed length.
    pub(super) width: usize,
    /// Whether values can be missing, so that levels precede them.
    pub(super) optional: bool,
    /// The most values in a page.
    pub(super) most: u64,
    /// The dictionary, once it has been read. The crate returns its texts as parts of it.
    pub(super) dictionary: Arc<OnceLock<Bytes>>,
}

fn damaged(sentence: impl Into<String>) -> ParquetError {
    ParquetError::General(sentence.into())
}

/// A refusal that passes through the crate.
fn refused(kind: impl Into<ReadErrorKind>) -> ParquetError {
    ParquetError::External(Box::new(kind.into()))
}

impl<R: PageReader> Pages<R> {
    fn checked(&self, page: Page) -> Result<Page> {
        match page {
            Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding,
                rep_level_encoding,
                statistics,
            } => {
                let buf = self.decompressed(buf, 0)?;
                let start = self.start_of_values(&buf, def_level_encoding)?;
                self.check_values(&buf, start, encoding, num_values)?;
                Ok(Page::DataPage {
                    buf,
                    num_values,
                    encoding,
                    def_level_encoding,
                    rep_level_encoding,
                    statistics,
                })
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                num_nulls,
                num_rows,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                statistics,
            } => {
                let start = def_levels_byte_len as usize + rep_levels_byte_len as usize;
                let buf = if is_compressed { self.decompressed(buf, start)? } else { buf };
                self.check_values(&buf, start, encoding, num_values)?;
                if num_nulls > num_values {
                    return Err(damaged("more values are missing than there are"));
                }
                Ok(Page::DataPageV2 {
                    buf,
                    num_values,
                    encoding,
                    num_nulls,
                    num_rows,
                    def_levels_byte_len,
                    rep_levels_byte_len,
                    is_compressed: false,
                    statistics,
                })
            }
            Page::DictionaryPage { buf, num_values, encoding, is_sorted } => {
                let buf = self.decompressed(buf, 0)?;
                self.check_dictionary(buf.len(), num_values)?;
                // The crate refuses a second dictionary; its texts would not be shared.
                let _ = self.dictionary.set(buf.clone());
                Ok(Page::DictionaryPage { buf, num_values, encoding, is_sorted })
            }
        }
    }

    /// Refuses a dictionary of `bytes` that cannot hold its values.
    fn check_dictionary(&self, bytes: usize, values: u32) -> Result<()> {
        let least = match self.values {
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => 12,
            Type::FIXED_LEN_BYTE_ARRAY => self.width.max(1),
            _ => 4,
        };
        if values as usize > bytes / least {
            return Err(damaged("the dictionary is shorter than it states"));
        }
        Ok(())
    }

    /// Where the values start in a page of the first version.
    fn start_of_values(&self, page: &[u8], levels: Encoding) -> Result<usize> {
        if !self.optional {
            return Ok(0);
        }
        if levels != Encoding::RLE {
            return Err(refused(ReadErrorKind::malformed(format!(
                "its levels are in the encoding {levels}, which Kostra does not read; write the \
                 file with a newer program"
            ))));
        }
        let length = page.first_chunk().ok_or_else(|| damaged("a page is too short"))?;
        Ok(size_of_val(length).saturating_add(u32::from_le_bytes(*length) as usize))
    }

    fn check_values(
        &self,
        page: &[u8],
        start: usize,
        encoding: Encoding,
        count: u32,
    ) -> Result<()> {
        if u64::from(count) > self.most {
            return Err(damaged("a page states more values than the table has rows"));
        }
        let is_text = matches!(self.values, Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
        if is_text && encoding == Encoding::DELTA_BYTE_ARRAY && page.len() > LONGEST_PREFIXES {
            return Err(refused(ReadErrorKind::malformed(format!(
                "a page in the encoding DELTA_BYTE_ARRAY has {} bytes, where {LONGEST_PREFIXES} \
                 are the most; write smaller pages",
                page.len()
            ))));
        }
        let values = page.get(start..).ok_or_else(|| damaged("a page is too short"))?;
        if is_text && !delta::is_reasonable(encoding, values, count.into()) {
            return Err(damaged("a page states more lengths than values"));
        }
        Ok(())
    }

    /// The bytes of a page, decompressed behind the first `plain` bytes.
    fn decompressed(&self, stored: Bytes, plain: usize) -> Result<Bytes> {
        let too_short = || damaged("a page is too short");
        let (head, packed) = stored.split_at_checked(plain).ok_or_else(too_short)?;
        if packed.is_empty() || self.compression == CompressionCodec::UNCOMPRESSED {
            return Ok(stored);
        }
        let mut page = memory::copied(head).map_err(refused)?;
        match self.compression {
            CompressionCodec::SNAPPY => unpack_snappy(packed, &mut page)?,
            CompressionCodec::GZIP => {
                unpack(flate2::bufread::MultiGzDecoder::new(packed), &mut page)?;
            }
            #[cfg(feature = "zstd")]
            CompressionCodec::ZSTD => {
                let decoder = zstd::Decoder::with_buffer(packed);
                unpack(decoder.map_err(|error| damaged(error.to_string()))?, &mut page)?;
            }
            #[cfg(not(feature = "zstd"))]
            CompressionCodec::ZSTD => {
                let missing = crate::compression::missing(crate::Compression::Zstd);
                return Err(refused(ReadErrorKind::malformed(missing)));
            }
            other => {
                return Err(refused(ReadErrorKind::malformed(format!(
                    "it is compressed with {}, which Kostra does not read; write it with zstd, \
                     Snappy or gzip",
                    other.to_string().to_lowercase()
                ))));
            }
        }
        Ok(page.into())
    }
}

fn unpack_snappy(packed: &[u8], page: &mut Vec<u8>) -> Result<()> {
    let error = |error: snap::Error| damaged(error.to_string());
    let (head, length) = (page.len(), snap::raw::decompress_len(packed).map_err(error)?);
    if length > packed.len().saturating_mul(SNAPPY_RATIO) {
        return Err(damaged("a page is shorter than it states"));
    }
    if length > LONGEST_PAGE {
        return Err(too_long());
    }
    memory::reserve_exact(page, length).map_err(refused)?;
    page.resize(head + length, 0);
    let to = page.get_mut(head..).unwrap_or_default();
    snap::raw::Decoder::new().decompress(packed, to).map_err(error)?;
    Ok(())
}

fn unpack(mut decoder: impl Read, page: &mut Vec<u8>) -> Result<()> {
    loop {
        memory::reserve(page, STEP).map_err(refused)?;
        let limit = (page.capacity() - page.len()) as u64;
        let count = decoder.by_ref().take(limit).read_to_end(page);
        match count.map_err(|error| damaged(error.to_string()))? {
            0 => return Ok(()),
            _ if page.len() > LONGEST_PAGE => return Err(too_long()),
            _ => {}
        }
    }
}

fn too_long() -> ParquetError {
    refused(ReadErrorKind::malformed(format!(
        "a page is longer than {LONGEST_PAGE} bytes, which are the most; write smaller pages"
    )))
}

impl<R: PageReader> PageReader for Pages<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.stored.get_next_page()?;
        page.map(|page| self.checked(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.stored.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.stored.skip_next_page()
    }
}

impl<R: PageReader> Iterator for Pages<R> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
