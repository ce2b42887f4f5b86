use std::sync::Arc;

use super::table::{Content, Table};
use super::{excel, open_document};
use crate::formats::Archive;
use crate::testing::{edges, zip};
use crate::{Format, Loaded, PointOptions, ReadOptions, Vertices, read_bytes, read_points_bytes};

/// The cells of a row as Excel writes them.
fn row(number: u32, cells: &str) -> String {
    format!("<row r=\"{number}\" spans=\"1:3\">{cells}</row>")
}

/// A workbook as Excel writes it: sheets by name, each with its rows and what follows them, and
/// shared texts.
fn xlsx(sheets: &[(&str, &str)], texts: &str) -> Vec<u8> {
    let mut files = vec![("[Content_Types].xml".to_owned(), b"<Types/>".to_vec())];
    let (mut list, mut parts) = (String::new(), String::new());
    for (at, (name, content)) in sheets.iter().enumerate() {
        list += &format!("<sheet name=\"{name}\" sheetId=\"{at}\" r:id=\"rId{at}\"/>");
        parts += &format!(
            "<Relationship Id=\"rId{at}\" Type=\"http://x/relationships/worksheet\" \
             Target=\"worksheets/sheet{at}.xml\"/>"
        );
        let content = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n\
            <worksheet><dimension ref=\"A1:C9\"/><sheetData>{content}</worksheet>"
        );
        files.push((format!("xl/worksheets/sheet{at}.xml"), content.into_bytes()));
    }
    let mut add = |name: &str, content: String| files.push((name.into(), content.into_bytes()));
    add("xl/workbook.xml", format!("<workbook><sheets>{list}</sheets></workbook>"));
    add(
        "xl/_rels/workbook.xml.rels",
        format!(
            "<Relationships>{parts}<Relationship Id=\"s\" Type=\"x/sharedStrings\" \
             Target=\"sharedStrings.xml\"/><Relationship Id=\"t\" Type=\"x/styles\" \
             Target=\"/xl/styles.xml\"/></Relationships>"
        ),
    );
    add("xl/sharedStrings.xml", format!("<sst uniqueCount=\"4\">{texts}</sst>"));
    let styles = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/>\
                  </numFmts><cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs><cellXfs><xf \
                  numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>";
    add("xl/styles.xml", styles.into());
    zip(&files)
}

/// A workbook as LibreOffice writes it.
fn ods(tables: &str) -> Vec<u8> {
    let mime = b"application/vnd.oasis.opendocument.spreadsheet".to_vec();
    let content = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><office:document-content><office:body>\
         <office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    );
    zip(&[("mimetype".into(), mime), ("content.xml".into(), content.into_bytes())])
}

/// A cell with a text, and one with a number, as LibreOffice writes them.
fn word(text: &str) -> String {
    format!(
        "<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>"
    )
}

fn number(value: &str) -> String {
    format!(
        "<table:table-cell office:value-type=\"float\" office:value=\"{value}\"><text:p>{value} km\
         </text:p></table:table-cell>"
    )
}

fn table(name: &str, rows: &[String]) -> String {
    let rows: String =
        rows.iter().map(|row| format!("<table:table-row>{row}</table:table-row>")).collect();
    format!("<table:table table:name=\"{name}\">{rows}</table:table>")
}

fn read_with(bytes: &[u8], options: &ReadOptions) -> Result<Loaded, String> {
    read_bytes("x", bytes, options).map_err(|error| error.to_string())
}

fn read(bytes: &[u8]) -> Result<Loaded, String> {
    let options = ReadOptions { vertices: Vertices::Occurring, ..ReadOptions::default() };
    read_with(bytes, &options)
}

/// A table of two edges that starts in cell B3, with a shared text in parts.
fn roads() -> String {
    let text = |at: &str, text: u32| format!("<c r=\"{at}\" t=\"s\"><v>{text}</v></c>");
    let rows = [
        row(3, &[text("B3", 0), text("C3", 1), text("D3", 2)].concat()),
        row(4, &(text("B4", 3) + &text("C4", 4) + "<c r=\"D4\"><v>0.10000000000000001</v></c>")),
        row(6, &(text("B6", 4) + &text("C6", 5) + "<c r=\"D6\"><f>1+1</f><v>2</v></c>")),
    ];
    rows.concat() + "</sheetData>"
}

const TEXTS: &str = "<si><t>from</t></si><si><t>to</t></si><si><t>km</t></si><si><r><t>Os</t></r>\
                     <r><t>lo</t></r><rPh><t>x</t></rPh></si><si><t>Moss, S\u{f8}r &amp; Nord</t></si>\
                     <si><t xml:space=\"preserve\">#1 </t></si>";

#[test]
fn a_sheet_of_edges_is_read_as_its_csv() {
    let empty = ("Sheet2", "</sheetData>");
    let loaded = read(&xlsx(&[("Roads", &roads()), empty], TEXTS)).unwrap();
    assert_eq!(loaded.format, Format::SHEET);
    assert_eq!(edges(&loaded.parsed.graph), "0-1:0.1 1-2:2.0");
    assert_eq!(loaded.parsed.names.unwrap(), ["Oslo", "Moss, Sør & Nord", "#1"]);
    assert_eq!(loaded.parsed.notes[0].to_string(), "the table is the sheet Roads with 3 rows");
    let rows = [
        "<table:table-cell/>".to_owned() + &word("from") + &word("to") + &word("km"),
        "<table:table-cell/>".to_owned()
            + &word("Oslo<office:annotation><text:p>note</text:p></office:annotation>")
            + &word("Moss, S\u{f8}r<text:s/>&amp; Nord")
            + &number("0.1"),
        "<table:table-cell table:number-columns-repeated=\"16384\"/>".into(),
        "<table:table-cell/>".to_owned()
            + &word("Moss, Sør &amp; Nord")
            + &word("#1")
            + &number("2"),
    ];
    let bytes = ods(&(table("Roads", &rows) + &table("Sheet2", &[])));
    let loaded = read(&bytes).unwrap();
    assert_eq!(edges(&loaded.parsed.graph), "0-1:0.1 1-2:2.0");
    assert_eq!(loaded.parsed.names.unwrap(), ["Oslo", "Moss, Sør & Nord", "#1"]);
}

#[test]
fn a_sheet_goes_through_the_recognizer_of_texts() {
    let cell = |value: &str| format!("<c><v>{value}</v></c>");
    let name = |name: &str| format!("<c t=\"inlineStr\"><is><t>{name}</t></is></c>");
    let rows = [
        row(1, &("<c r=\"A1\"/>".to_owned() + &name("a") + &name("b") + &name("c"))),
        row(2, &(name("a") + &cell("0") + &cell("3") + &cell("1"))),
        row(3, &(name("b") + &cell("3") + &cell("0") + &cell("2"))),
        row(4, &(name("c") + &cell("1") + &cell("2") + &cell("0"))),
    ];
    let loaded = read(&xlsx(&[("D", &(rows.concat() + "</sheetData>"))], "")).unwrap();
    assert_eq!(loaded.evidence, "its parts; the sheet is a matrix");
    assert_eq!(edges(&loaded.parsed.graph), "0-1:3 0-2:1 1-2:2");
    let numbers = [
        number("3") + &number("3") + &number("5"),
        number("1") + &number("2") + &number("5"),
        number("2") + &number("3") + &number("6"),
    ];
    let error = read(&ods(&table("Doubt", &numbers))).unwrap_err();
    assert!(error.contains('?'), "{error}");
    let options = ReadOptions { format: Some(Format::EDGE_LIST), ..ReadOptions::default() };
    let options = ReadOptions { vertices: Vertices::Occurring, ..options };
    assert!(read_with(&ods(&table("Doubt", &numbers[1..])), &options).is_ok());
}

#[test]
fn the_sheet_is_a_question_if_several_are_filled() {
    let other = row(1, "<c><v>1</v></c><c><v>2</v></c>") + "</sheetData>";
    let bytes = xlsx(&[("Roads 2024", &roads()), ("Notes", &other)], TEXTS);
    let error = read(&bytes).unwrap_err();
    assert!(
        error.contains(
            "which sheet contains the table, Roads 2024 or Notes? pass `sheet: \"Roads 2024\"` or"
        ),
        "{error}"
    );
    let sheet = |name: &str| {
        let sheet = Some(name.to_owned());
        let vertices = Vertices::Occurring;
        read_with(&bytes, &ReadOptions { sheet, vertices, ..ReadOptions::default() })
    };
    assert_eq!(sheet("Roads 2024").unwrap().parsed.graph.edges(), 2);
    assert_eq!(edges(&sheet("Notes").unwrap().parsed.graph), "0-1:1");
    let error = sheet("Roads 2O24").unwrap_err();
    assert!(
        error.contains("the sheets are Roads 2024, Notes; did you mean 'Roads 2024'?"),
        "{error}"
    );
    let delimiter = Some(crate::Delimiter::Byte(b';'));
    let columns = crate::ColumnOptions { delimiter, ..Default::default() };
    let error = read_with(&bytes, &ReadOptions { columns, ..ReadOptions::default() }).unwrap_err();
    assert!(error.contains("`delimiter` does not apply to a spreadsheet; omit it"), "{error}");
    let sheet = Some("Roads".to_owned());
    let options = ReadOptions { sheet, ..ReadOptions::default() };
    let error = read_with(b"0 1 5\n", &options).unwrap_err();
    assert!(error.contains("`sheet` applies to spreadsheets, not to edge list"), "{error}");
}

#[test]
fn cells_that_are_no_numbers_and_texts_are_refused_by_address() {
    let text = |text: &str| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let head = row(1, &(text("from") + &text("to") + &text("km")));
    for (cell, after, sentence) in [
        ("<c r=\"C2\" s=\"1\"><v>45000</v></c>", "", "cell C2: this cell holds a date"),
        ("<c r=\"C2\" s=\"2\"><v>45000</v></c>", "", "cell C2: this cell holds a date"),
        ("<c r=\"C2\" t=\"d\"><v>2024-01-01</v></c>", "", "cell C2: this cell holds a date"),
        ("<c r=\"C2\" t=\"b\"><v>1</v></c>", "", "cell C2: this cell holds a truth value"),
        ("<c r=\"C2\" t=\"e\"><v>#N/A</v></c>", "", "cell C2: this cell holds the error #N/A;"),
        ("<c r=\"C2\"><f>A1</f><v/></c>", "", "cell C2: the formula in this cell has no stored"),
        ("<c r=\"C2\"><v>12345678901234567000</v></c>", "", "cell C2: spreadsheets round whole"),
        ("<c r=\"C2\"><v>5</v></c>", "<mergeCell ref=\"A2:B2\"/>", "the cells A2 to B2 are merged"),
        (
            "<c r=\"C2\" t=\"str\"><f>x</f><v>far</v></c>",
            "",
            "cell A1: which column is the weight?",
        ),
        ("<c r=\"C2\" t=\"s\"><v>99</v></c>", "", "a cell has the value '99'"),
        ("<c r=\"B2\"><v>5</v></c>", "", "the cell B2 is stored twice"),
    ] {
        let second = row(2, &(text("a") + &text("b") + cell));
        let content = format!("{head}{second}</sheetData>{after}");
        let error = read(&xlsx(&[("S", &content)], "")).unwrap_err();
        assert!(error.contains(sentence), "{error}\n{sentence}");
    }
    let cell =
        |about: &str| format!("<table:table-cell {about}><text:p>x</text:p></table:table-cell>");
    let head = word("from") + &word("to") + &word("km");
    for (third, sentence) in [
        (
            cell("office:value-type=\"date\" office:date-value=\"2024-01-01\""),
            "cell C2: this cell holds a date",
        ),
        (
            cell("office:value-type=\"boolean\" office:boolean-value=\"true\""),
            "C2: this cell holds a truth",
        ),
        (
            cell("office:value-type=\"string\" calcext:value-type=\"error\""),
            "C2: this cell holds the error x",
        ),
        (cell("table:formula=\"of:=[.A1]\""), "C2: the formula in this cell has no stored"),
        (
            number("5").replace(
                " office:value-type",
                " table:number-rows-spanned=\"2\" office:value-type",
            ),
            "the cells C2 to C3 are merged",
        ),
        (word("a<text:line-break/>b"), "cell C2: the text of this cell has a line break"),
        (word("far"), "cell A1: which column is the weight?"),
    ] {
        let rows = [head.clone(), word("a") + &word("b") + &third];
        let error = read(&ods(&table("S", &rows))).unwrap_err();
        assert!(error.contains(sentence), "{error}\n{sentence}");
    }
}

#[test]
fn faults_of_the_text_are_at_their_cells() {
    let rows = [
        word("") + &word("from") + &word("to") + &word("km"),
        String::new(),
        word("") + &word("a, b") + &word("c") + &number("5"),
        word("") + &word("a, b") + &word("d") + &word("far"),
    ];
    let error = read(&ods(&table("S", &rows))).unwrap_err();
    assert!(error.contains("x: cell D4: the weight is 'far'"), "{error}");
}

#[test]
fn points_are_rows_of_a_sheet() {
    let rows = [word("x") + &word("y"), number("0") + &number("1.5"), number("-2") + &number("3")];
    let options = PointOptions::default();
    let points = read_points_bytes("x", &ods(&table("P", &rows)), &options).unwrap();
    assert_eq!(points.coordinates, [0.0, 1.5, -2.0, 3.0]);
    assert_eq!(points.names, ["x", "y"]);
    let rows = [rows[0].clone(), number("0") + &word("far")];
    let error = read_points_bytes("x", &ods(&table("P", &rows)), &options).unwrap_err();
    assert!(error.to_string().contains("x: cell B2: far is not a number"), "{error}");
}

#[test]
fn damage_and_bombs_are_errors_that_take_little_memory() {
    let good = xlsx(&[("Roads", &roads())], TEXTS);
    assert!(read(&good[..good.len() - 30]).unwrap_err().contains("the archive has no directory"));
    let mut damaged = good;
    let part = memchr::memmem::find(&damaged, b"xl/worksheets/sheet0.xml").unwrap();
    damaged[part + 60] ^= 0xff;
    assert!(read(&damaged).unwrap_err().contains("save it again"));
    let error = read(&xlsx(&[("S", "<row")], "")).unwrap_err();
    assert!(error.contains("xl/worksheets/sheet0.xml: "), "{error}");
    let repeated =
        number("5").replacen(" office", " table:number-columns-repeated=\"16384\" office", 1);
    let rows = |count: usize| {
        let about = format!("table:number-rows-repeated=\"{count}\"");
        format!("<table:table-row {about}>{repeated}</table:table-row>")
    };
    let sheet = |name: &str, count: usize| {
        format!("<table:table table:name=\"{name}\">{}</table:table>", rows(count))
    };
    for sheets in [sheet("S", 1_048_576), sheet("R", 1) + &sheet("S", 2048)] {
        let error = read(&ods(&sheets)).unwrap_err();
        let sentence = "with the sheet S, the workbook has more than 33554432 filled cells";
        assert!(error.contains(sentence), "{error}");
    }
    let sheets = ["R", "S"].map(|name| format!("<sheet name=\"{name}\" r:id=\"a\"/>")).concat();
    let one_part = [
        ("xl/workbook.xml", format!("<workbook><sheets>{sheets}</sheets></workbook>")),
        (
            "xl/_rels/workbook.xml.rels",
            "<x><Relationship Id=\"a\" Type=\"x/worksheet\" Target=\"a.xml\"/></x>".to_owned(),
        ),
        ("xl/a.xml", "<worksheet/>".to_owned()),
    ];
    let one_part = one_part.map(|(name, content)| (name.to_owned(), content.into_bytes()));
    let error = read(&zip(&one_part)).unwrap_err();
    assert!(error.contains("two sheets of the workbook are one part of the file"), "{error}");
    let mut shared = zip(&one_part);
    let entry = memchr::memmem::rfind(&shared, b"PK\x01\x02").unwrap();
    shared[entry + 42..][..4].fill(0);
    let error = read(&shared).unwrap_err();
    assert!(error.contains("two files of the archive share bytes"), "{error}");
    let corners =
        row(1, "<c r=\"A1\"><v>1</v></c>") + &row(1_048_576, "<c r=\"XFD1048576\"><v>1</v></c>");
    let error = read(&xlsx(&[("S", &(corners + "</sheetData>"))], "")).unwrap_err();
    assert!(error.contains("span 1048576 rows and 16384 columns"), "{error}");
    let error = read(&ods("<table:table table:name=\"S\"/>")).unwrap_err();
    assert!(error.contains("all sheets of the workbook are empty"), "{error}");
}

#[test]
fn cells_share_a_text_and_all_texts_have_a_limit() {
    let long = "x".repeat(1 << 22);
    let uses = |count: usize| {
        let cells = "<c t=\"s\"><v>0</v></c>".repeat(count) + "</row></sheetData>";
        xlsx(&[("S", &format!("<row>{cells}"))], &format!("<si><t> {long}</t></si>"))
    };
    let repeated = |count: usize| {
        let about = format!("<table:table-cell table:number-columns-repeated=\"{count}\"");
        let cell = word(&long).replacen("<table:table-cell", &about, 1);
        ods(&table("S", &[cell.clone(), cell]))
    };
    let shared = |sheets: &[Table]| {
        let texts = sheets[0].cells.iter().map(|cell| match &cell.content {
            Content::Text(text) => text,
            other => panic!("{other:?}"),
        });
        let texts: Vec<_> = texts.collect();
        texts[..5].iter().all(|text| Arc::ptr_eq(text, texts[0]))
    };
    assert!(shared(&excel::sheets(&Archive::parse(&uses(5)).unwrap()).unwrap()));
    assert!(shared(&open_document::sheets(&Archive::parse(&repeated(5)).unwrap()).unwrap()));
    for bytes in [uses(129), repeated(65)] {
        let error = read(&bytes).unwrap_err();
        let sentence = "the texts in the cells of the sheet S have 54";
        assert!(error.contains(sentence) && error.contains("save the table as CSV"), "{error}");
    }
}

#[test]
fn a_password_is_named() {
    let mime = b"application/vnd.oasis.opendocument.spreadsheet".to_vec();
    let secret: Vec<u8> = (0..200_u8).map(|byte| byte.wrapping_mul(151)).collect();
    let part = |name: &str, content: &[u8]| (name.to_owned(), content.to_vec());
    let list = "<manifest:manifest><manifest:file-entry manifest:full-path=\"content.xml\">\
                <manifest:encryption-data manifest:checksum=\"x\"/></manifest:file-entry>";
    let files = [
        vec![
            part("mimetype", &mime),
            part("content.xml", &secret),
            part("META-INF/manifest.xml", list.as_bytes()),
        ],
        // As LibreOffice 24.8 writes it.
        vec![part("mimetype", &mime), part("encrypted-package", &secret)],
    ];
    let compound = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
    let stream: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let excel = [&compound[..], &[0; 1016], &stream, &[0; 96]].concat();
    for bytes in [zip(&files[0]), zip(&files[1]), excel] {
        let graph = read(&bytes).unwrap_err();
        let options = PointOptions::default();
        let points = read_points_bytes("x", &bytes, &options).unwrap_err().to_string();
        for error in [graph, points] {
            let said = "a password encrypts this document; open it and save it without";
            assert!(error.contains(said), "{error}");
        }
    }
    let unknown = read(&[&compound[..], &[0; 1016]].concat()).unwrap_err();
    assert!(unknown.contains("such as .xls, or one that a password encrypts"), "{unknown}");
    let list = "xl/_rels/workbook.xml.rels";
    let mut packed = zip(&[part("xl/workbook.xml", b"<workbook/>"), part(list, b"<x/>")]);
    let entry = memchr::memmem::rfind(&packed, b"PK\x01\x02").unwrap();
    packed[entry + 8] |= 1;
    let error = read(&packed).unwrap_err();
    assert!(error.contains("workbook.xml.rels: a password encrypts the file"), "{error}");
}
