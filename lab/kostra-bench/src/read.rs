//! Times the graph readers, and the two lower bounds of every reader: reading the bytes and
//! decompressing them.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use kostra_io::{Compression, Loaded};
use serde::{Deserialize, Serialize};

use crate::graphs;
use crate::statistics::Timing;

/// The graph readers on one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileResult {
    /// The path as given on the command line.
    pub(crate) file: String,
    /// The recognized format.
    pub(crate) format: String,
    /// The recognized compression.
    pub(crate) compression: String,
    /// The size of the file in bytes.
    pub(crate) file_bytes: u64,
    /// The size of the decompressed content in bytes.
    pub(crate) content_bytes: u64,
    /// The number of vertices of the graph.
    pub(crate) vertices: u32,
    /// The number of edges of the graph.
    pub(crate) edges: usize,
    /// The times of reading the file's bytes only.
    pub(crate) plain: Timing,
    /// The times of reading and decompressing on one thread; none if the file is not compressed.
    pub(crate) decompress: Option<Timing>,
    /// The times of reading the graph.
    pub(crate) graph: Timing,
}

/// The bytes of a read: enough that the system calls cost little.
const BUFFER: usize = 1 << 18;

/// Times the three on one file, in turn in each round. The first round loads the file into the page
/// cache and does not count.
///
/// # Errors
/// If the file cannot be read as a graph.
pub(crate) fn measure(path: &Path, runs: usize, threads: usize) -> Result<FileResult> {
    let (mut plain, mut decompress, mut graph) = (Vec::new(), Vec::new(), Vec::new());
    let mut last: Option<(u64, u64, Loaded)> = None;
    for _ in 0..=runs {
        let (seconds, file_bytes) = timed(|| read_plainly(path))?;
        plain.push(seconds);
        // Free the last graph before the next one is read, outside the timing.
        drop(last.take());
        let (seconds, loaded) = timed(|| graphs::read(path, threads))?;
        graph.push(seconds);
        let (seconds, content_bytes) = timed(|| decompressed_bytes(path, loaded.compression))?;
        decompress.push(seconds);
        last = Some((file_bytes, content_bytes, loaded));
    }
    let (file_bytes, content_bytes, loaded) = last.context("no round was run")?;
    let timing = |seconds: Vec<f64>| {
        let (&warm_up, seconds) = seconds.split_first()?;
        Timing::new(warm_up, seconds.to_vec())
    };
    let (Some(plain), Some(decompress), Some(graph)) =
        (timing(plain), timing(decompress), timing(graph))
    else {
        bail!("no round was run");
    };
    Ok(FileResult {
        file: path.display().to_string(),
        format: loaded.format.id().to_owned(),
        compression: name(loaded.compression).to_owned(),
        file_bytes,
        content_bytes,
        vertices: loaded.parsed.graph.vertices(),
        edges: loaded.parsed.graph.edges(),
        plain,
        decompress: (loaded.compression != Compression::None).then_some(decompress),
        graph,
    })
}

fn timed<T>(step: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let start = Instant::now();
    let value = step()?;
    Ok((start.elapsed().as_secs_f64(), value))
}

/// Decompresses a file with the readers' decoders, discards the output and returns its number of
/// bytes.
fn decompressed_bytes(path: &Path, compression: Compression) -> Result<u64> {
    let file = BufReader::with_capacity(BUFFER, File::open(path)?);
    match compression {
        Compression::None => pass(&mut file.into_inner()),
        Compression::Gzip => pass(&mut flate2::bufread::MultiGzDecoder::new(file)),
        Compression::Xz => pass(&mut liblzma::bufread::XzDecoder::new_multi_decoder(file)),
        Compression::Zstd => pass(&mut zstd::Decoder::with_buffer(file)?),
        Compression::Bzip2 => pass(&mut bzip2::bufread::MultiBzDecoder::new(file)),
    }
}

/// Reads a file once, and returns its number of bytes.
pub(crate) fn read_plainly(path: &Path) -> Result<u64> {
    pass(&mut File::open(path)?)
}

/// Reads to the end through one buffer that stays in the cache, and returns the number of bytes.
fn pass(reader: &mut impl Read) -> Result<u64> {
    let mut buffer = vec![0; BUFFER];
    let mut bytes = 0;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes += count as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn name(compression: Compression) -> &'static str {
    match compression {
        Compression::None => "none",
        Compression::Gzip => "gzip",
        Compression::Xz => "xz",
        Compression::Zstd => "zstd",
        Compression::Bzip2 => "bzip2",
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn all_decompressors_count_all_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let text = "a 1 2 3\n".repeat(100_000);
        let write = |name: &str, bytes: Vec<u8>| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 0);
        xz.write_all(text.as_bytes()).unwrap();
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(text.as_bytes()).unwrap();
        let cases = [
            (Compression::None, text.clone().into_bytes()),
            (Compression::Gzip, gzip.finish().unwrap()),
            (Compression::Xz, xz.finish().unwrap()),
            (Compression::Zstd, zstd::encode_all(text.as_bytes(), 1).unwrap()),
            (Compression::Bzip2, bzip2.finish().unwrap()),
        ];
        for (compression, bytes) in cases {
            let path = write(name(compression), bytes);
            assert_eq!(
                decompressed_bytes(&path, compression).unwrap(),
                text.len() as u64,
                "{compression:?}"
            );
        }
    }
}
