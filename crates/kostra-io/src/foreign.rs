//! Files of other programs: what they are, and what to do.

use crate::formats::ZIP_MAGIC;

/// The first bytes of binary files that Kostra reads neither as graphs nor as points.
const BINARY: [(&[u8], &str); 20] = [
    (b"7z\xbc\xaf\x27\x1c", ARCHIVE),
    (b"Rar!\x1a\x07", ARCHIVE),
    (COMPOUND_FILE, OLD_WORKBOOK),
    (
        b"SQLite format 3\0",
        "this is an SQLite database, such as a GeoPackage; convert its lines, as with `ogr2ogr -f \
         GeoJSON -t_srs EPSG:4326 lines.geojson FILE`, or export the table as CSV",
    ),
    (b"\x89HDF\r\n\x1a\n", "this is an HDF5 file; save the array with numpy.save, or as CSV"),
    (b"MATLAB 5.0 MAT-file", "this is a MATLAB file; save the matrix as CSV or Matrix Market"),
    (b"ARROW1", ARROW),
    (b"FEA1", ARROW),
    (b"LASF", "this is a point cloud in the format LAS; save the points as CSV"),
    (
        b"fgb\x03fgb",
        "this is a FlatGeobuf; convert its lines, as with `ogr2ogr -f GeoJSON -t_srs EPSG:4326 \
         lines.geojson FILE`",
    ),
    (b"%PDF-", "this is a PDF; save the table as CSV"),
    (b"RDX2\n", R),
    (b"RDX3\n", R),
    (b"X\n\0\0\0", R),
    (b"\x80\x04\x95", PICKLE),
    (b"\x80\x05\x95", PICKLE),
    (b"\x89PNG\r\n\x1a\n", IMAGE),
    (b"\xff\xd8\xff", IMAGE),
    (b"II*\0", IMAGE),
    (b"MM\0*", IMAGE),
];

/// The container of old documents, and of documents of Office that a password encrypts.
const COMPOUND_FILE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// The name of the stream with the encrypted document, in UTF-16 (MS-OFFCRYPTO, 2.3).
const ENCRYPTED_PACKAGE: &[u8] = b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0";

pub(crate) const ENCRYPTED: &str = "a password encrypts this document; open it and save it without \
                                    the password, as .xlsx, .ods or CSV";
const ARCHIVE: &str = "this is an archive; unpack it and pass a file from it";
const WORKBOOK: &str =
    "this is a document of an office program; save the table as .xlsx, .ods or CSV";
/// The name of the encrypted stream may be anywhere in the file.
const OLD_WORKBOOK: &str = "this is a document of an office program, such as .xls, or one that a \
                            password encrypts; save the table without a password, as .xlsx, .ods \
                            or CSV";
/// The crate that reads it would bring seven others with more code than Kostra has.
const ARROW: &str = "this is an Arrow or Feather file; save the table as Parquet, as with \
                     `pyarrow.parquet.write_table(pyarrow.feather.read_table('FILE'), \
                     'table.parquet')`";
const IMAGE: &str = "this is an image; the command `kostra segment` divides PNG and TIFF images";
const PICKLE: &str = "this is a pickle of Python; save the array with numpy.save, or as CSV";
const R: &str = "this is a file of R; write the table with write.csv";

/// The mark of a tar archive, and its place.
const TAR: (usize, &[u8]) = (257, b"ustar");

const SHAPEFILE: &str = "this is a Shapefile; convert it, as with `ogr2ogr -f GeoJSON -t_srs \
                         EPSG:4326 lines.geojson FILE.shp`";

const EDGES: &str = "write the edges as CSV, one line `u,v,weight` each";
const POINTS: &str = "write the points as CSV, whose tree `kostra tree` finds";
const DISTANCES: &str = "write the distances of the sequences as a matrix or as CSV";

/// How texts of other kinds start, in lower case, what they are, and what to do.
const TEXTS: [(&str, &str, &str); 42] = [
    ("-[ record 1 ]", "the expanded display of psql", "save the table with `psql --csv`"),
    ("insert into ", "SQL", EDGES),
    ("create table ", "SQL", EDGES),
    ("begin transaction", "SQL", EDGES),
    ("#nexus", "NEXUS", DISTANCES),
    ("##fileformat=vcf", "VCF", "write the distances of the samples as a matrix"),
    ("##gff-version", "GFF", EDGES),
    ("track type=", "a track of a genome browser", EDGES),
    ("@hd\t", "SAM", EDGES),
    ("@sq\t", "SAM", EDGES),
    ("header    ", "PDB", POINTS),
    ("atom      ", "PDB", POINTS),
    ("@<tripos>", "MOL2", EDGES),
    ("off\n", "OFF, a mesh", POINTS),
    ("ply\n", "PLY, a mesh", POINTS),
    ("$meshformat", "a mesh of Gmsh", POINTS),
    ("# .pcd", "PCD, a point cloud", POINTS),
    ("ncols ", "a grid of ESRI", "write the cells as CSV"),
    ("p2\n", "PGM", "`kostra segment` reads PNG and TIFF images"),
    ("p3\n", "PPM", "`kostra segment` reads PNG and TIFF images"),
    ("$gp", "NMEA, positions of a receiver", POINTS),
    ("@startuml", "PlantUML", EDGES),
    ("graph td\n", "Mermaid", EDGES),
    ("graph lr\n", "Mermaid", EDGES),
    ("flowchart ", "Mermaid", EDGES),
    ("\\begin{", "LaTeX", EDGES),
    ("\\documentclass", "LaTeX", EDGES),
    ("leda.graph", "a graph of LEDA", "save it as GML"),
    ("(mclheader", "a matrix of MCL", "write it with `mcxdump`"),
    ("*node data", "VNA", EDGES),
    ("<number of zones>", "TNTP", EDGES),
    ("edgearray\n", "a list of edges of PBBS", "remove the first line"),
    ("weightededgearray\n", "a list of edges of PBBS", "remove the first line"),
    ("adjacencygraph\n", "an adjacency graph of PBBS or Ligra", EDGES),
    ("weightedadjacencygraph\n", "an adjacency graph of PBBS or Ligra", EDGES),
    ("begin:v", "a contact or a calendar", EDGES),
    ("version https://git-lfs", "a pointer of Git LFS", "fetch the file with `git lfs pull`"),
    ("http/", "an answer of a web server", "download the file again"),
    ("@relation ", "ARFF", POINTS),
    ("@prefix ", "RDF", EDGES),
    ("#include ", "source code", EDGES),
    ("minimize\n", "a linear program", EDGES),
];

/// What a text is that Kostra does not read, and what to do.
pub(crate) fn text(text: &[u8]) -> Option<String> {
    if are_points_of_qhull(text) {
        let what = "these are points below their dimension and number, as Qhull writes them";
        let remedy = "remove the first two lines, and `kostra tree` finds the tree of the points";
        return Some(format!("{what}; {remedy}"));
    }
    let subtitle = is_subtitle(text).then_some(&("", "a subtitle", EDGES));
    let start = text.get(..text.len().min(64))?.to_ascii_lowercase();
    let start = String::from_utf8_lossy(&start).replace("\r\n", "\n");
    let found = TEXTS.iter().find(|(head, ..)| start.starts_with(head));
    let fasta = start.starts_with('>') && !start.starts_with(">>");
    let found = found.or(fasta.then_some(&(">", "FASTA", DISTANCES))).or(subtitle);
    found.map(|(_, what, remedy)| format!("this is {what}, which Kostra does not read; {remedy}"))
}

/// The lines in which another kind of text shows.
const LOOKED_OVER: usize = 50;

/// Whether one of the first lines says from when to when a subtitle is shown.
fn is_subtitle(text: &[u8]) -> bool {
    let is_time = |word: &str| {
        let is_part = |byte: u8| byte.is_ascii_digit() || b":.,".contains(&byte);
        word.contains(':') && word.bytes().all(is_part)
    };
    text.split(|&byte| byte == b'\n').take(LOOKED_OVER).any(|line| {
        // Most lines have no arrow, and one can have megabytes.
        let line = memchr::memmem::find(line, b"-->").map(|_| line).unwrap_or_default();
        let times = str::from_utf8(line).ok().and_then(|line| line.split_once("-->"));
        times.is_some_and(|(from, to)| {
            is_time(from.trim()) && to.split_whitespace().next().is_some_and(is_time)
        })
    })
}

/// Whether a text is points below their dimension and number, and not edges below counts: the first
/// line has words after the dimension, or the second one repeats it, or points are no ids.
fn are_points_of_qhull(text: &[u8]) -> bool {
    /// More coordinates than points of Qhull have.
    const MOST: usize = 1000;
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let lines: Option<Vec<Vec<&str>>> = lines
        .take(LOOKED_OVER)
        .map(|line| Some(str::from_utf8(line).ok()?.split_whitespace().take(MOST).collect()))
        .collect();
    let Some([head, counts, rows @ ..]) = lines.as_deref() else { return false };
    let number = |word: Option<&&str>| word.and_then(|word| word.parse::<usize>().ok());
    let (Some(dimension), Some(count)) = (number(head.first()), number(counts.first())) else {
        return false;
    };
    let has_comment = head.get(1).is_some_and(|word| word.parse::<f64>().is_err());
    let repeats = counts.len() == 2 && number(counts.get(1)) == Some(dimension);
    let is_id = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let have_ids = rows.iter().all(|row| row.iter().take(2).all(is_id));
    let are_numbers = rows.iter().flatten().all(|word| word.parse::<f64>().is_ok());
    let is_short = rows.len() + 2 < LOOKED_OVER;
    count > 1
        && (head.len() == 1 || has_comment)
        && (repeats || counts.len() == 1 && (has_comment || !have_ids))
        && (rows.len() == count || !is_short && count > rows.len())
        && rows.iter().all(|row| row.len() == dimension)
        && are_numbers
}

/// What a file is whose first bytes can be those of no other file. Some look like row starts.
pub(crate) fn certain(bytes: &[u8]) -> Option<&'static str> {
    /// Fewer bytes can be a number.
    const LONG: usize = 5;
    // The code of the format, five numbers that are not used, and the version after the length.
    let is_shapefile = bytes.starts_with(b"\0\0\x27\x0a")
        && bytes.get(4..24).is_some_and(|unused| unused.iter().all(|&byte| byte == 0))
        && bytes.get(28..32) == Some(&[0xe8, 3, 0, 0]);
    let known = || BINARY.iter().find(|(magic, _)| magic.len() >= LONG && bytes.starts_with(magic));
    if is_shapefile {
        Some(SHAPEFILE)
    } else if bytes.starts_with(COMPOUND_FILE)
        && memchr::memmem::find(bytes, ENCRYPTED_PACKAGE).is_some()
    {
        Some(ENCRYPTED)
    } else {
        known().map(|(_, sentence)| *sentence)
    }
}

/// What a binary file is that Kostra does not read, and the remedy.
pub(crate) fn binary(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(ZIP_MAGIC) {
        // The first file of workbooks and other documents has one of few names.
        let names = ["[Content_Types].xml", "_rels/", "docProps/", "xl/", "mimetype"];
        let name = bytes.get(30..).unwrap_or_default();
        let is_workbook = names.iter().any(|start| name.starts_with(start.as_bytes()));
        return Some(if is_workbook { WORKBOOK } else { ARCHIVE });
    }
    if bytes.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1)) {
        return Some(ARCHIVE);
    }
    let known = BINARY.iter().find(|(magic, _)| bytes.starts_with(magic));
    certain(bytes).or(known.map(|(_, sentence)| *sentence))
}
