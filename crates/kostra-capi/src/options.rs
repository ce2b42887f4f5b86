//! The options of [`kostra_graph_read_with`](crate::kostra_graph_read_with): texts such as
//! `weight=km`.

use kostra_io::{
    ArrayContent, ColumnChoice, Header, MissingWeights, Nan, ReadOptions, Remedy, RemedyValue,
    Vertices, parse_format,
};

/// The options without a value.
const SWITCHES: [&str; 5] = ["header", "no-header", "decimal-comma", "thousands", "names"];
/// The options with a value.
const VALUES: [&str; 15] = [
    "format",
    "source",
    "target",
    "weight",
    "columns",
    "delimiter",
    "weights",
    "nan",
    "vertices",
    "array",
    "zeros",
    "negatives",
    "links",
    "highway",
    "bbox",
];

/// The options that the texts name.
pub(crate) fn parse<'a>(
    texts: impl IntoIterator<Item = Result<&'a str, String>>,
) -> Result<ReadOptions, String> {
    // A graph that is mapped would change with its file.
    let mut options = ReadOptions { copy: true, ..ReadOptions::default() };
    let mut seen = Vec::new();
    for text in texts {
        let text = text?;
        let name = text.split('=').next().unwrap_or_default();
        if seen.contains(&name) {
            return Err(format!("the option {name:?} occurs twice; pass it once"));
        }
        seen.push(name);
        set(&mut options, text)?;
    }
    let excluded = [["header", "no-header"], ["weight", "weights"], ["names", "vertices"]];
    match excluded.iter().find(|pair| pair.iter().all(|name| seen.contains(name))) {
        Some([one, other]) => Err(format!("{one:?} and {other:?} exclude each other; pass one")),
        None => Ok(options),
    }
}

/// A remedy as an item of the array `options`: `"weight=km"`.
pub(crate) fn spell(remedy: &Remedy) -> String {
    let Remedy::Option { option, value } = remedy else { return remedy.to_string() };
    let item = match value {
        RemedyValue::Unsaid | RemedyValue::On => (*option).to_owned(),
        RemedyValue::Text(text) => format!("{option}={text}"),
        RemedyValue::Position(at) => format!("{option}={at}"),
        RemedyValue::Bytes(bytes) => format!("{option}={bytes}"),
    };
    format!("`{item:?}`")
}

fn set(options: &mut ReadOptions, text: &str) -> Result<(), String> {
    let Some((name, value)) = text.split_once('=') else { return switch(options, text) };
    let columns = &mut options.columns;
    let column = || Some(ColumnChoice::NameOrPosition(value.to_owned()));
    let wrong = |what: String| format!("{text:?}: {what}");
    let one_of = |values| wrong(format!("there is no such value; pass {values}"));
    let words = || value.split(',').map(|word| word.trim().to_owned()).collect::<Vec<_>>();
    match name {
        "format" => {
            let (format, raw) = parse_format(value).map_err(wrong)?;
            (options.format, options.raw) = (Some(format), raw);
        }
        "source" => columns.source = column(),
        "target" => columns.target = column(),
        "weight" => columns.weight = column(),
        "columns" => columns.names = Some(words()),
        "delimiter" => columns.delimiter = Some(value.parse().map_err(wrong)?),
        "highway" => options.roads.highway = words(),
        "bbox" => options.roads.bbox = Some(value.parse().map_err(wrong)?),
        "zeros" => options.zeros = Some(value.parse().map_err(wrong)?),
        "negatives" => options.negatives = Some(value.parse().map_err(wrong)?),
        "links" => options.links = Some(value.parse().map_err(wrong)?),
        "vertices" => match value.parse() {
            Ok(count) => options.vertices = Vertices::Count(count),
            Err(_) => return Err(one_of("the number of vertices")),
        },
        "weights" => {
            options.missing_weights = Some(match value {
                "unit" => MissingWeights::Unit,
                "hash" => MissingWeights::Hash,
                "distance" => MissingWeights::Distance,
                _ => return Err(one_of("unit, hash or distance")),
            });
        }
        "nan" => {
            options.nan = match value {
                "error" => Nan::Error,
                "skip" => Nan::Skip,
                _ => return Err(one_of("error or skip")),
            };
        }
        "array" => {
            options.array = Some(match value {
                "matrix" => ArrayContent::Matrix,
                "edges" => ArrayContent::Edges,
                _ => return Err(one_of("matrix or edges")),
            });
        }
        _ if SWITCHES.contains(&name) => {
            return Err(wrong(format!("this option has no value; pass {name:?}")));
        }
        _ => return Err(unknown(name)),
    }
    Ok(())
}

/// Sets an option that has no value.
fn switch(options: &mut ReadOptions, text: &str) -> Result<(), String> {
    let columns = &mut options.columns;
    match text {
        "header" => columns.header = Header::Present,
        "no-header" => columns.header = Header::Absent,
        "decimal-comma" => columns.decimal_comma = true,
        "thousands" => columns.thousands = true,
        "names" => options.names = true,
        name if VALUES.contains(&name) => {
            return Err(format!("the option {name:?} has no value; pass \"{name}=VALUE\""));
        }
        _ => return Err(unknown(text)),
    }
    Ok(())
}

fn unknown(name: &str) -> String {
    let all = [&VALUES[..], &SWITCHES].concat().join(", ");
    format!("there is no option {name:?}; the options are {all}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(texts: &[&str]) -> Result<ReadOptions, String> {
        super::parse(texts.iter().copied().map(Ok))
    }

    /// Reads a file as C programs do.
    fn read(content: &[u8], options: &[&str]) -> Result<kostra_io::Loaded, String> {
        let options = parse(options).unwrap();
        kostra_io::read_bytes("x", content, &options).map_err(|error| error.spelled(spell))
    }

    /// The texts in double quotes: options as a C program passes them.
    fn recommended(message: &str) -> Vec<&str> {
        message.split('"').skip(1).step_by(2).collect()
    }

    #[test]
    fn every_option_is_accepted() {
        let options = parse(&[
            "format=edges",
            "source=a",
            "target=2",
            "weight=x=y",
            "columns=a,b,x=y",
            "delimiter=;",
            "nan=skip",
            "vertices=7",
            "array=edges",
            "zeros=none",
            "negatives=edge",
            "links=id",
            "highway=primary,secondary",
            "bbox=1,2,3,4",
            "header",
            "decimal-comma",
        ]);
        let options = options.unwrap();
        assert_eq!(options.columns.weight, Some(ColumnChoice::NameOrPosition("x=y".into())));
        assert_eq!(options.columns.names.unwrap().len(), 3);
        assert_eq!(options.vertices, Vertices::Count(7));
        for text in ["no-header", "names", "weights=unit", "weights=hash", "weights=distance"] {
            assert!(parse(&[text]).is_ok(), "{text}");
        }
        for name in SWITCHES.iter().chain(&VALUES) {
            let said = parse(&[name]).err().unwrap_or_default();
            assert!(!said.contains("there is no option"), "{said}");
        }
    }

    #[test]
    fn options_that_mean_nothing_are_refused_with_those_that_do() {
        let error = |texts: &[&str]| parse(texts).unwrap_err();
        assert!(error(&["wieght=km"]).contains("no option \"wieght\"; the options are format,"));
        assert!(error(&["weight"]).contains("pass \"weight=VALUE\""));
        assert!(error(&["header=yes"]).contains("has no value; pass \"header\""));
        assert!(error(&["nan=drop"]).contains("\"nan=drop\": there is no such value; pass error"));
        assert!(error(&["weight=a", "weight=b"]).contains("\"weight\" occurs twice"));
        assert!(error(&["header", "no-header"]).contains("exclude each other"));
        assert!(error(&["vertices=-1"]).contains("the number of vertices"));
        assert!(error(&["format=roads"]).contains("there is no format"));
    }

    /// Files that leave something open, each with one of the options that the message recommends.
    #[test]
    fn messages_name_options_that_the_function_takes() {
        let mut square = b"\x93NUMPY\x01\x00\x44\x00".to_vec();
        square.extend(b"{'descr': '<i8', 'fortran_order': False, 'shape': (3, 3)}");
        square.resize(10 + 0x44, b' ');
        square.extend([0, 1, 5, 1, 2, 6, 2, 0, 7].map(i64::to_le_bytes).concat());
        let cases: [(&[u8], &str); 14] = [
            (b"from,to,km,minutes\n0,1,5,6\n1,2,7,8\n", "weight=km"),
            (b"from,to,km,minutes\n0,1,5,6\n1,2,7,8\n", "weights=unit"),
            (b"a,b,c,d\n0,1,5,6\n1,2,7,8\n", "source=NAME"),
            (b"0,1,2,9\n1,2,3,8\n2,3,4,9\n", "source=2"),
            (b"0 1 5\n1 2 nan\n", "nan=skip"),
            (b"3 3\n0 1\n1 2\n2 0\n", "no-header"),
            (b"0;1;1,5\n1;2;2,5\n", "decimal-comma"),
            (b"3 3\n0 1\n1 2\n2 0\n", "header"),
            (b"Brno Praha 205\nPraha Tabor 90\n", "names"),
            (b"3 3\n2 3\n1 3\n1 2\n", "format=graph"),
            (b"p sp 2 1\na 1 2 nan\n", "nan=skip"),
            (b"graph { a -- b [km=1, t=2] }", "weight"),
            (b"\x01\x02\x03\xff", "format=raw:u32,u32,f32"),
            (&square, "array=matrix"),
        ];
        for (content, option) in cases {
            let said = read(content, &[]).map(|_| ()).unwrap_err();
            assert!(!said.contains("--") && !said.contains("=True"), "{said}");
            let options = recommended(&said);
            assert!(options.contains(&option), "{said}: {option}");
            for option in options {
                let parsed = parse(&[option]).map(|_| ()).err().unwrap_or_default();
                assert!(!parsed.contains("there is no"), "{option}: {parsed}");
            }
        }
    }
}
