//! The pages of a column, decompressed and checked before the crate `parquet` decodes them.
//!
//! The crate reserves memory for the sizes that a page states, without a way to refuse. So it reads
//! the pages as if they were not compressed, and this module decompresses them into memory that is
//! reserved with care.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use kostra_core::memory;
use parquet::basic::{CompressionCodec, Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

use super::delta;
use crate::ReadErrorKind;
use crate::compression::fill;

/// The largest page, decompressed. Pages customarily have a mebibyte.
pub(super) const LONGEST_PAGE: usize = 256 << 20;

/// The largest page of text that refers to earlier texts: each text may be as long as the page.
const LONGEST_PREFIXES: usize = 4 << 20;

/// Snappy stores 64 bytes in 3 at best.
const SNAPPY_RATIO: usize = 22;
/// Gzip stores 258 bytes in two bits at best.
const GZIP_RATIO: usize = 1032;

/// Pages of a column.
pub(super) struct Pages<R> {
    /// The pages as they are stored.
    pub(super) stored: R,
    /// The decompressed size that the header of the last page states.
    pub(super) stated: Arc<AtomicUsize>,
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
        let length = self.stated.load(Ordering::Relaxed);
        let most = match self.compression {
            CompressionCodec::SNAPPY => SNAPPY_RATIO,
            CompressionCodec::GZIP => GZIP_RATIO,
            _ => usize::MAX,
        };
        if length > packed.len().saturating_mul(most).saturating_add(plain) {
            return Err(damaged("a page is shorter than it states"));
        }
        if length > LONGEST_PAGE {
            return Err(too_long());
        }
        // The system provides the memory when it is written to.
        let mut page = memory::zeros(length).map_err(refused)?;
        let (start, rest) = page.split_at_mut_checked(plain).ok_or_else(too_short)?;
        start.copy_from_slice(head);
        if unpack(self.compression, packed, rest)? != rest.len() {
            return Err(damaged("a page has another size than it states"));
        }
        Ok(page.into())
    }
}

/// Decompresses a page. Returns its size, which may be larger than the room for it.
fn unpack(compression: CompressionCodec, packed: &[u8], to: &mut [u8]) -> Result<usize> {
    match compression {
        CompressionCodec::SNAPPY => {
            let error = |error: snap::Error| damaged(error.to_string());
            let length = snap::raw::decompress_len(packed).map_err(error)?;
            if length != to.len() {
                return Ok(length);
            }
            snap::raw::Decoder::new().decompress(packed, to).map_err(error)
        }
        CompressionCodec::GZIP => {
            let error = |error: std::io::Error| damaged(error.to_string());
            let mut decoder = flate2::bufread::MultiGzDecoder::new(packed);
            let length = fill(&mut decoder, to).map_err(error)?;
            Ok(length + fill(&mut decoder, &mut [0]).map_err(error)?)
        }
        #[cfg(feature = "zstd")]
        CompressionCodec::ZSTD => {
            // Without a window, unlike a decoder of streams.
            let decoder = zstd::bulk::Decompressor::new();
            let length = decoder.and_then(|mut decoder| decoder.decompress_to_buffer(packed, to));
            length.map_err(|error| damaged(error.to_string()))
        }
        #[cfg(not(feature = "zstd"))]
        CompressionCodec::ZSTD => {
            let missing = crate::compression::missing(crate::Compression::Zstd);
            Err(refused(ReadErrorKind::malformed(missing)))
        }
        other => Err(refused(ReadErrorKind::malformed(format!(
            "it is compressed with {}, which Kostra does not read; write it with zstd, Snappy or \
             gzip",
            other.to_string().to_lowercase()
        )))),
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
