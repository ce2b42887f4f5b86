use std::io::{Cursor, Write};

use ::png::{AdaptiveFilterType, BitDepth, ColorType, Encoder};
use ::tiff::encoder::{Compression, TiffEncoder, colortype};

use super::*;

fn error(bytes: &[u8]) -> String {
    read_image_bytes("image", bytes).unwrap_err().to_string()
}

fn single(bytes: &[u8]) -> (Vec<usize>, Vec<f32>) {
    let image = read_image_bytes("image", bytes).unwrap();
    let PixelValues::Single(values) = image.values else { panic!("{}", image.format) };
    (image.shape, values)
}

/// A PNG of 2 rows and 3 columns.
fn png(color: ColorType, depth: BitDepth, pixels: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, 3, 2);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_adaptive_filter(AdaptiveFilterType::Adaptive);
    if color == ColorType::Indexed {
        encoder.set_palette(vec![1, 2, 3, 40, 50, 60]);
    }
    encoder.write_header().unwrap().write_image_data(pixels).unwrap();
    bytes
}

/// A TIFF of the pixels of this color type.
fn tiff<C>(width: u32, pixels: &[C::Inner], compression: Compression) -> Vec<u8>
where
    C: colortype::ColorType,
    [C::Inner]: ::tiff::encoder::TiffValue,
{
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes).unwrap().with_compression(compression);
    let height = (pixels.len() / C::SAMPLE_FORMAT.len()) as u32 / width;
    encoder.write_image::<C>(width, height, pixels).unwrap();
    bytes.into_inner()
}

fn npy(dtype: &str, order: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': ({shape})}}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values);
    bytes
}

#[test]
fn png_images_of_every_kind_have_the_same_values_as_other_programs_show() {
    let gray = png(ColorType::Grayscale, BitDepth::Eight, &[0, 1, 2, 253, 254, 255]);
    assert_eq!(single(&gray), (vec![2, 3], vec![0.0, 1.0, 2.0, 253.0, 254.0, 255.0]));
    let sixteen =
        png(ColorType::Grayscale, BitDepth::Sixteen, &[1, 2, 0, 0, 0, 1, 3, 0, 0, 9, 255, 255]);
    assert_eq!(single(&sixteen).1, [258.0, 0.0, 1.0, 768.0, 9.0, 65535.0]);
    let rgb: Vec<u8> = (0..18).collect();
    let (shape, values) = single(&png(ColorType::Rgb, BitDepth::Eight, &rgb));
    assert_eq!((shape, values[17]), (vec![2, 3, 3], 17.0));
    let alpha: Vec<u8> = (0..24).collect();
    assert_eq!(single(&png(ColorType::Rgba, BitDepth::Eight, &alpha)).0, [2, 3, 4]);
    let bits = png(ColorType::Grayscale, BitDepth::One, &[0b0100_0000, 0b1010_0000]);
    assert_eq!(single(&bits).1, [0.0, 255.0, 0.0, 255.0, 0.0, 255.0]);
    let palette = png(ColorType::Indexed, BitDepth::Two, &[0b0001_0000, 0b0100_0100]);
    let (shape, values) = single(&palette);
    assert_eq!((shape, &values[..6]), (vec![2, 3, 3], &[1.0, 2.0, 3.0, 40.0, 50.0, 60.0][..]));
}

#[test]
fn png_images_of_one_color_are_read_at_every_depth() {
    const SIDE: usize = 2048;
    use BitDepth::{Eight, Four, One, Sixteen, Two};
    use ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};
    let of_bits =
        [One, Two, Four].into_iter().flat_map(|depth| [(Grayscale, depth), (Indexed, depth)]);
    let of_bytes =
        [Grayscale, GrayscaleAlpha, Rgb, Rgba].map(|color| [(color, Eight), (color, Sixteen)]);
    for (color, depth) in of_bits.chain([(Indexed, Eight)]).chain(of_bytes.into_iter().flatten()) {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, SIDE as u32, SIDE as u32);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == Indexed {
            encoder.set_palette(vec![255; 6]);
            // With an opacity, the decoder makes four bytes of a bit.
            encoder.set_trns(vec![255, 0]);
        }
        let row = SIDE * color.samples() * depth as usize / 8;
        let fill = if color == Indexed { 0 } else { 0xff };
        encoder.write_header().unwrap().write_image_data(&vec![fill; row * SIDE]).unwrap();
        let (shape, values) = single(&bytes);
        let most = if depth == Sixteen { 65535.0 } else { 255.0 };
        assert_eq!(shape[..2], [SIDE, SIDE], "{color:?} {depth:?}");
        assert!(values.iter().all(|&value| value == most), "{color:?} {depth:?}");
    }
}

#[test]
fn tiff_images_of_every_compression_and_type_are_read() {
    let values: Vec<u8> = (0..60).collect();
    for compression in [
        Compression::Uncompressed,
        Compression::Lzw,
        Compression::Deflate(Default::default()),
        Compression::Packbits,
    ] {
        let (shape, read) = single(&tiff::<colortype::RGB8>(5, &values, compression));
        assert_eq!(shape, [4, 5, 3]);
        assert!(read.iter().zip(&values).all(|(read, &value)| *read == f32::from(value)));
    }
    let heights = [-32768_i16, 12, 700, 3];
    let read = single(&tiff::<colortype::GrayI16>(2, &heights, Compression::Lzw));
    assert_eq!(read, (vec![2, 2], vec![-32768.0, 12.0, 700.0, 3.0]));
    let floats = [0.5_f32, f32::NAN, f32::INFINITY, -1.0];
    let (_, read) = single(&tiff::<colortype::Gray32Float>(4, &floats, Compression::Uncompressed));
    assert!(read[0] == 0.5 && read[1].is_nan() && read[2] == f32::INFINITY);
    let image = tiff::<colortype::Gray32>(2, &[1, u32::MAX], Compression::Uncompressed);
    let image = read_image_bytes("image", &image).unwrap();
    assert_eq!(image.values, PixelValues::Double(vec![1.0, 4_294_967_295.0]));
    assert_eq!((image.format, image.is_bytes, image.axes), ("TIFF", false, ImageAxes::Image));
}

#[test]
fn the_pages_of_a_tiff_are_one_array_in_their_order() {
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
    for page in 0..3_u16 {
        let values = [0, 1, 2, 300].map(|value| value + 10 * page);
        encoder.write_image::<colortype::Gray16>(2, 2, &values).unwrap();
    }
    let image = read_image_bytes("stack", bytes.get_ref()).unwrap();
    assert_eq!((image.shape, image.axes), (vec![3, 2, 2], ImageAxes::Pages));
    let expected = [0, 1, 2, 300, 10, 11, 12, 310, 20, 21, 22, 320].map(|value| value as f32);
    assert_eq!(image.values, PixelValues::Single(expected.to_vec()));
    let few = |size: ImageSize| if size.values > 11 { Err("too many".to_owned()) } else { Ok(()) };
    assert!(parse(bytes.get_ref(), &few).is_err());
}

#[test]
fn a_tiff_of_unlike_pages_or_other_colors_is_refused() {
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
    encoder.write_image::<colortype::Gray8>(2, 1, &[1, 2]).unwrap();
    encoder.write_image::<colortype::Gray8>(1, 1, &[3]).unwrap();
    assert!(error(bytes.get_ref()).contains("several images of different sizes"));
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
    encoder.write_image::<colortype::RGB8>(1, 1, &[1, 2, 3]).unwrap();
    encoder.write_image::<colortype::RGB8>(1, 1, &[1, 2, 3]).unwrap();
    assert!(error(bytes.get_ref()).contains("2 images with 3 values per pixel"));
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, 2, 1);
    encoder.set_animated(2, 0).unwrap();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[1, 2]).unwrap();
    writer.write_image_data(&[3, 4]).unwrap();
    writer.finish().unwrap();
    assert!(error(&bytes).contains("several images; save the one you need"));
    let cmyk = tiff::<colortype::CMYK8>(1, &[1, 2, 3, 4], Compression::Uncompressed);
    assert!(error(&cmyk).contains("save it with gray or RGB colors"));
}

#[test]
fn a_tiff_with_tiles_of_one_channel_is_read_if_all_tiles_are_full() {
    // An image of 16 columns and two channels, each in one tile of 16 rows.
    let image = |height: u16| {
        let entries: [[u16; 3]; 11] = [
            [256, 1, 16],
            [257, 1, height],
            [258, 2, 8],
            [259, 1, 1],
            [262, 1, 1],
            [277, 1, 2],
            [284, 1, 2],
            [322, 1, 16],
            [323, 1, 16],
            [324, 2, 256],
            [325, 2, 256],
        ];
        let mut bytes = [b"II*\0\x08\0\0\0", &(entries.len() as u16).to_le_bytes()[..]].concat();
        for [tag, count, value] in entries {
            let second = if count == 1 { 0 } else { value * if tag == 324 { 2 } else { 1 } };
            for word in [tag, 3, count, 0, value, second] {
                bytes.extend(word.to_le_bytes());
            }
        }
        bytes.resize(256, 0);
        bytes.extend([[1; 256], [2; 256]].concat());
        bytes
    };
    assert_eq!(single(&image(16)), (vec![16, 16, 2], [1.0, 2.0].repeat(256)));
    assert!(error(&image(15)).contains("tiles of one channel each"));
}

#[test]
fn the_value_that_stands_for_unknown_heights_is_read() {
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
    let mut image = encoder.new_image::<colortype::GrayI16>(2, 1).unwrap();
    image.encoder().write_tag(::tiff::tags::Tag::GdalNodata, "-9999 ").unwrap();
    image.write_data(&[5, -9999]).unwrap();
    let image = read_image_bytes("image", bytes.get_ref()).unwrap();
    assert_eq!(image.unknown, Some(-9999.0));

    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
    let mut image = encoder.new_image::<colortype::Gray32Float>(2, 1).unwrap();
    image.encoder().write_tag(::tiff::tags::Tag::GdalNodata, "-3.40282346638529e+38").unwrap();
    image.write_data(&[5.0, f32::MIN]).unwrap();
    let image = read_image_bytes("image", bytes.get_ref()).unwrap();
    assert_eq!(image.unknown, Some(f32::MIN.into()));

    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
    let mut image = encoder.new_image::<colortype::Gray32Float>(2, 1).unwrap();
    image.encoder().write_tag(::tiff::tags::Tag::GdalNodata, "nan").unwrap();
    image.write_data(&[5.0, f32::NAN]).unwrap();
    let image = read_image_bytes("image", bytes.get_ref()).unwrap();
    assert_eq!(image.values, PixelValues::Single(vec![5.0, f32::MIN]));
    assert_eq!(image.unknown, Some(f32::MIN.into()));

    // The decoder inverts values if 0 is white.
    let tag = bytes.get_ref().windows(8).position(|entry| entry == [6, 1, 3, 0, 1, 0, 0, 0]);
    bytes.get_mut()[tag.unwrap() + 8] = 0;
    assert!(error(bytes.get_ref()).contains("save it with 0 as black"));

    assert_eq!(read_image_bytes("tile", &[0; 2 * 1201 * 1201]).unwrap().unknown, Some(-32768.0));
}

#[test]
fn arrays_may_be_volumes_and_have_any_order_of_bytes_and_values() {
    let values: Vec<u8> = (0..24).collect();
    let image = read_image_bytes("a", &npy("|u1", "False", "2, 3, 4", &values)).unwrap();
    assert_eq!(
        (image.shape, image.axes, image.is_bytes),
        (vec![2, 3, 4], ImageAxes::Unknown, true)
    );
    let mask = read_image_bytes("a", &npy("|b1", "False", "1, 2", &[0, 1])).unwrap();
    assert_eq!((mask.values, mask.is_bytes), (PixelValues::Single(vec![0.0, 1.0]), false));
    // In Fortran's order, the value at [i, j, k] is stored at i + 2 (j + 3 k).
    let (_, read) = single(&npy("|u1", "True", "2, 3, 4", &values));
    let expected = (0..24).map(|at| (at / 12 + 2 * (at / 4 % 3 + 3 * (at % 4))) as f32);
    assert_eq!(read, expected.collect::<Vec<_>>());
    let big: Vec<u8> = [1_i16, -2].iter().flat_map(|value| value.to_be_bytes()).collect();
    assert_eq!(single(&npy(">i2", "False", "1, 2", &big)).1, [1.0, -2.0]);
    let halves =
        [0x3c00_u16, 0xc000, 0x0001, 0x03ff, 0x7bff, 0xfc00].map(u16::to_le_bytes).concat();
    let least = 2_f32.powi(-24);
    let expected = [1.0, -2.0, least, 1023.0 * least, 65504.0, f32::NEG_INFINITY];
    assert_eq!(single(&npy("<f2", "False", "1, 6", &halves)).1, expected);
    assert!(single(&npy(">f2", "False", "1, 1", &[0x7e, 0])).1[0].is_nan());
    let double: Vec<u8> = 0.1_f64.to_le_bytes().to_vec();
    let image = read_image_bytes("a", &npy("<f8", "False", "1, 1", &double)).unwrap();
    assert_eq!(image.values, PixelValues::Double(vec![0.1]));
    assert!(error(&npy("|u1", "False", "0, 3", &[])).contains("no pixels"));
    assert!(error(&npy("|u1", "False", "3,", &[1, 2, 3])).contains("two or three dimensions"));
}

#[test]
fn integers_that_a_float_would_round_are_refused_with_their_place() {
    let exact = 1_u64 << 53;
    let place = "row 1, column 2 (counted from 0): 9007199254740993 is an integer that a 64-bit \
                 float would round; subtract a constant from all values";
    for (dtype, order) in [("<i8", "False"), ("<u8", "False"), ("<u8", "True")] {
        let mut values = [exact; 6];
        values[5] += 1;
        let said = error(&npy(dtype, order, "2, 3", &values.map(u64::to_le_bytes).concat()));
        assert!(said.ends_with(place), "{said}");
    }
    let mut channels = [exact; 12];
    channels[10] += 1;
    let said = error(&npy("<i8", "False", "2, 3, 2", &channels.map(u64::to_le_bytes).concat()));
    assert!(said.ends_with(place), "{said}");
    let pixels = [exact, 0, 0, 0, 0, exact + 1];
    let said = error(&tiff::<colortype::Gray64>(3, &pixels, Compression::Uncompressed));
    assert!(said.ends_with(place), "{said}");
    let image = tiff::<colortype::Gray64>(3, &[exact; 3], Compression::Uncompressed);
    let values = read_image_bytes("image", &image).unwrap().values;
    assert_eq!(values, PixelValues::Double(vec![exact as f64; 3]));

    // The value for unknown ones may be any.
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
    let mut image = encoder.new_image::<colortype::Gray64>(2, 1).unwrap();
    let unknown = u64::MAX.to_string();
    image.encoder().write_tag(::tiff::tags::Tag::GdalNodata, &*unknown).unwrap();
    image.write_data(&[5, u64::MAX]).unwrap();
    let image = read_image_bytes("image", bytes.get_ref()).unwrap();
    assert_eq!(image.unknown, Some(u64::MAX as f64));
}

#[test]
fn a_height_tile_is_recognized_by_its_length_also_in_an_archive() {
    let mut tile = vec![0; 2 * 1201 * 1201];
    tile[..4].copy_from_slice(&[0x01, 0x02, 0x80, 0x00]);
    let (shape, values) = single(&tile);
    assert_eq!((shape, &values[..3]), (vec![1201, 1201], &[258.0, -32768.0, 0.0][..]));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&tile).unwrap();
    assert_eq!(single(&packed.finish().unwrap()).1, values);
    assert_eq!(single(&archive(&[("N50E014.hgt", &tile)])).1, values);
    assert!(error(&archive(&[("a.png", b""), ("b.png", b"")])).contains("extract the image"));
    let mut lzma = archive(&[("N50E014.hgt", &tile)]);
    let directory = lzma.windows(4).rposition(|bytes| bytes == b"PK\x01\x02").unwrap();
    lzma[directory + 10] = 14;
    assert!(error(&lzma).contains("compressed by another method than deflate; save it again"));
    assert!(error(&tile[..1000]).contains("none of PNG, TIFF, .npy and .hgt"));
}

/// A ZIP archive of stored files.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut checksum = flate2::Crc::new();
        checksum.update(content);
        let size = (content.len() as u32).to_le_bytes();
        let facts = [&checksum.sum().to_le_bytes()[..], &size, &size].concat();
        let length = (name.len() as u16).to_le_bytes();
        directory.extend([b"PK\x01\x02", &[0; 12][..], &facts, &length, &[0; 12]].concat());
        directory.extend((archive.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        archive.extend([b"PK\x03\x04", &[0; 10][..], &facts, &length, &[0; 2]].concat());
        archive.extend([name.as_bytes(), content].concat());
    }
    let start = (archive.len() as u32).to_le_bytes();
    let count = (files.len() as u16).to_le_bytes();
    archive.extend(&directory);
    archive.extend([b"PK\x05\x06", &[0; 6][..], &count, &[0; 4], &start, &[0; 2]].concat());
    archive
}

#[test]
fn damaged_files_are_refused_with_the_reason() {
    assert!(error(b"").contains("the input is empty"));
    assert!(error(b"\xff\xd8\xff\xe0").contains("JPEG"));
    let gray = png(ColorType::Grayscale, BitDepth::Eight, &[0, 1, 2, 253, 254, 255]);
    let image = tiff::<colortype::Gray16>(30, &[7; 900], Compression::Lzw);
    for file in [&gray, &image] {
        for length in 8..file.len() - 12 {
            let message = error(&file[..length]);
            let reasons = ["damaged", "claims", "LZW data"];
            assert!(reasons.iter().any(|&reason| message.contains(reason)), "{message}");
        }
        for at in 0..file.len() {
            for flip in [1, 0x80, 0xff] {
                let mut changed = file.clone();
                changed[at] ^= flip;
                let _ = read_image_bytes("image", &changed);
            }
        }
    }
}

#[test]
fn a_header_that_claims_more_pixels_than_the_file_can_hold_reserves_no_memory() {
    let mut huge = png(ColorType::Grayscale, BitDepth::Eight, &[0; 6]);
    // The first chunk has the width, the height, and at byte 29 its checksum.
    huge[16..20].copy_from_slice(&(1_u32 << 14).to_be_bytes());
    huge[20..24].copy_from_slice(&(1_u32 << 30).to_be_bytes());
    let mut checksum = flate2::Crc::new();
    checksum.update(&huge[12..29]);
    huge[29..33].copy_from_slice(&checksum.sum().to_be_bytes());
    assert!(error(&huge).contains("the header claims 17592186044416 bytes"), "{}", error(&huge));
    let mut image = tiff::<colortype::Gray8>(2, &[1, 2], Compression::Uncompressed);
    // The width is the first entry of the directory of the encoder: a long of tag 256.
    let tag = image.windows(8).position(|entry| entry == [0, 1, 4, 0, 1, 0, 0, 0]).unwrap();
    image[tag + 8..tag + 12].copy_from_slice(&(1_u32 << 31).to_le_bytes());
    let message = error(&image);
    assert!(message.contains("claims") || message.contains("damaged"), "{message}");
}
