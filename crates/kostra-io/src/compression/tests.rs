use std::io::Write;

use super::in_order::name;
use super::*;
use crate::source::from_bytes;

/// The number of bytes by which every compression is recognized.
const MAGIC_BYTES: usize = 10;
const TEXT: &[u8] = b"1 2 3\n2 3 4\n";

fn pack(compression: Compression, text: &[u8]) -> Vec<u8> {
    match compression {
        Compression::None => text.to_vec(),
        Compression::Gzip => {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Xz => {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 6);
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Zstd => {
            let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Bzip2 => {
            let mut encoder =
                bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
    }
}

const ALL: [Compression; 4] =
    [Compression::Gzip, Compression::Xz, Compression::Zstd, Compression::Bzip2];

fn unpack(bytes: &[u8]) -> Result<(Compression, Vec<u8>), ReadErrorKind> {
    let mut stream = Stream::new(from_bytes(bytes))?;
    let mut text = Vec::new();
    stream.read_to_end(&mut text).map_err(from_io)?;
    Ok((stream.compression, text))
}

#[test]
fn every_compression_is_recognized_and_undone() {
    assert_eq!(unpack(TEXT).unwrap(), (Compression::None, TEXT.to_vec()));
    assert_eq!(unpack(b"").unwrap(), (Compression::None, vec![]));
    for compression in ALL {
        assert_eq!(unpack(&pack(compression, TEXT)).unwrap(), (compression, TEXT.to_vec()));
        assert_eq!(unpack(&pack(compression, b"")).unwrap(), (compression, vec![]));
    }
}

#[test]
fn streams_that_follow_each_other_are_one() {
    for compression in ALL {
        let twice = [pack(compression, TEXT), pack(compression, TEXT)].concat();
        assert_eq!(unpack(&twice).unwrap().1, [TEXT, TEXT].concat(), "{compression:?}");
    }
}

#[test]
fn empty_streams_add_nothing() {
    for compression in ALL {
        let (text, empty) = (pack(compression, TEXT), pack(compression, b""));
        for count in [1, 2, 9] {
            let several = empty.repeat(count);
            let packed = [&several[..], &text, &several, &text, &several].concat();
            assert_eq!(unpack(&packed).unwrap().1, [TEXT, TEXT].concat(), "{compression:?}");
            for cut in [1, empty.len() - 1] {
                let cut = unpack(&packed[..packed.len() - cut]);
                assert!(cut.is_err(), "{compression:?}");
            }
        }
    }
}

/// A frame whose header states this window.
fn zstd_with_window(log: u32) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(log).unwrap();
    encoder.write_all(TEXT).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_window_beyond_the_usual_is_known_and_not_exceeded_later() {
    let read = |bytes: &[u8]| {
        let mut stream = Stream::in_known_memory(from_bytes(bytes))?;
        let mut text = Vec::new();
        stream.read_to_end(&mut text).map_err(from_io)?;
        Ok::<_, ReadErrorKind>((stream.window_bytes, text))
    };
    let xz = |level| {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), level);
        encoder.write_all(TEXT).unwrap();
        encoder.finish().unwrap()
    };
    let skippable = b"\x50\x2a\x4d\x18\x04\0\0\0size".to_vec();
    for (packed, mebibytes) in [
        (TEXT.to_vec(), 0),
        (pack(Compression::Gzip, TEXT), 0),
        (zstd::encode_all(TEXT, 19).unwrap(), 0),
        (zstd_with_window(23), 0),
        (zstd_with_window(24), 8),
        (zstd_with_window(31), 2040),
        ([skippable, zstd_with_window(27)].concat(), 120),
        ([zstd_with_window(25), zstd_with_window(24)].concat(), 24),
        (xz(6), 0),
        (xz(9), 56),
        ([xz(9), xz(8)].concat(), 56),
    ] {
        let (window, text) = read(&packed).unwrap();
        assert!(text.starts_with(TEXT));
        assert_eq!(window, mebibytes << 20);
    }
    for (small, large) in [(zstd_with_window(24), zstd_with_window(25)), (xz(6), xz(9))] {
        let error = read(&[small, large].concat()).unwrap_err().to_string();
        assert!(error.contains("stream needs more memory than its start shows"), "{error}");
    }
    let error = unpack(&zstd_with_window(28)).unwrap_err().to_string();
    assert!(
        error.ends_with("decompress it with `zstd -d --long=31`, to a file or a pipe"),
        "{error}"
    );
}

#[test]
fn every_cut_is_an_error() {
    for compression in ALL {
        let packed = pack(compression, TEXT);
        for length in MAGIC_BYTES..packed.len() {
            let error = unpack(&packed[..length]).unwrap_err();
            assert!(
                matches!(error, ReadErrorKind::Compression { .. }),
                "{compression:?} {length}: {error}"
            );
        }
    }
}

#[test]
fn trailing_garbage_is_an_error() {
    for compression in ALL {
        for garbage in [&b"garbage after the stream"[..], b"x"] {
            let error = unpack(&[&pack(compression, TEXT)[..], garbage].concat()).unwrap_err();
            assert!(matches!(error, ReadErrorKind::Compression { .. }), "{compression:?}: {error}");
        }
    }
}

#[test]
fn damage_is_an_error() {
    let text: Vec<u8> = (0..20_000_u32).flat_map(|i| (i * i).to_string().into_bytes()).collect();
    for compression in ALL {
        let mut packed = pack(compression, &text);
        let middle = packed.len() / 2;
        packed[middle] ^= 0x55;
        let error = unpack(&packed).unwrap_err();
        assert!(
            error.to_string().starts_with(&format!("the {} stream is damaged", name(compression)))
        );
    }
}

#[test]
fn the_first_bytes_of_a_compression_alone_are_not_taken_for_it() {
    assert_eq!(unpack(b"BZh9 1 2\n").unwrap().0, Compression::None);
}

/// A gzip member that states its size, as BGZF files have.
fn member(text: &[u8]) -> Vec<u8> {
    const SIZE: usize = 16;
    let extra = [b'B', b'C', 2, 0, 0, 0];
    let builder = flate2::GzBuilder::new().extra(extra);
    let mut encoder = builder.write(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    let mut bytes = encoder.finish().unwrap();
    let size = bytes.len() as u16 - 1;
    bytes[SIZE..SIZE + 2].copy_from_slice(&size.to_le_bytes());
    bytes
}

/// A text as a parallel compressor packs it: in many streams or blocks.
fn pack_in_blocks(compression: Compression, text: &[u8]) -> Vec<u8> {
    const BLOCK: usize = 400;
    match compression {
        Compression::Gzip => {
            let members = text.chunks(BLOCK).map(member).collect::<Vec<_>>().concat();
            [members, member(b"")].concat()
        }
        Compression::Xz => {
            let mut builder = liblzma::stream::MtStreamBuilder::new();
            let stream = builder.threads(2).preset(0).block_size(BLOCK as u64).encoder().unwrap();
            let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
            encoder.write_all(text).unwrap();
            let one = encoder.finish().unwrap();
            [one, vec![0; 8], pack(compression, text)].concat()
        }
        Compression::Zstd => {
            // A frame that decoders skip, as the seekable format has one.
            let skipped = [&[0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
            let frames = text.chunks(BLOCK).map(|block| pack(compression, block));
            frames.chain([skipped]).collect::<Vec<_>>().concat()
        }
        _ => text.chunks(BLOCK).map(|block| pack(compression, block)).collect::<Vec<_>>().concat(),
    }
}

/// What the decoder gives before it ends or fails, and how it fails.
fn outcome(bytes: &[u8], threads: usize) -> (Vec<u8>, Option<String>) {
    let mut content = Vec::new();
    let error = Stream::with_threads(from_bytes(bytes), threads)
        .and_then(|mut stream| stream.read_to_end(&mut content).map_err(from_io))
        .err();
    (content, error.map(|error| error.to_string()))
}

fn numbers(count: u32) -> Vec<u8> {
    (0..count).flat_map(|i| i.wrapping_mul(2_654_435_761).to_string().into_bytes()).collect()
}

#[test]
fn threads_give_the_content_of_one_thread() {
    for compression in ALL {
        for count in [0, 1, 100, 5000] {
            let text = numbers(count);
            for packed in [pack(compression, &text), pack_in_blocks(compression, &text)] {
                let (content, error) = outcome(&packed, 3);
                assert_eq!(error, None, "{compression:?} {count}");
                assert_eq!((content, None), outcome(&packed, 1), "{compression:?} {count}");
            }
        }
    }
}

#[test]
fn threads_give_the_errors_of_one_thread() {
    let text = numbers(300);
    for compression in ALL {
        let packed = pack_in_blocks(compression, &text);
        let mut cases: Vec<_> =
            (MAGIC_BYTES..packed.len()).step_by(3).map(|end| packed[..end].to_vec()).collect();
        for at in (MAGIC_BYTES..packed.len()).step_by(3) {
            let mut damaged = packed.clone();
            damaged[at] ^= 1 << (at % 8);
            cases.push(damaged);
        }
        for garbage in [&b"garbage after the stream"[..], b"x", &[0; 3], &[0; 16]] {
            cases.push([&packed, garbage].concat());
        }
        for case in cases {
            let (one, several) = (outcome(&case, 1), outcome(&case, 3));
            assert_eq!(one.1, several.1, "{compression:?}, {} bytes", case.len());
            // After an error nobody uses the content, which liblzma gives in larger pieces.
            assert!(one.1.is_some() || one.0 == several.0, "{compression:?}");
        }
    }
}

#[test]
fn boundaries_are_the_lengths_of_streams() {
    use super::boundary::{Boundary, boundary};
    let text = numbers(300);
    for compression in [Compression::Gzip, Compression::Zstd, Compression::Bzip2] {
        let one =
            if compression == Compression::Gzip { member(&text) } else { pack(compression, &text) };
        let two = [&one[..], &one].concat();
        assert_eq!(boundary(compression, &two, true), Boundary::At(one.len()), "{compression:?}");
        assert_eq!(boundary(compression, &one[..20], false), Boundary::Beyond, "{compression:?}");
        assert_eq!(boundary(compression, b"no stream at all", false), Boundary::Unknown);
    }
    assert_eq!(
        boundary(Compression::Gzip, &pack(Compression::Gzip, &text), true),
        Boundary::Unknown,
        "a member without its size"
    );
}
