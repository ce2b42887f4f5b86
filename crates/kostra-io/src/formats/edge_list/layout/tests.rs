//! What the layout of an edge list promises.

use super::*;
use crate::fields::is_comment;
use crate::message::Remedy;
use crate::{ColumnChoice, MissingWeights};

fn lines(text: &str) -> DividedLines<'_> {
    let lines = text.lines().map(str::as_bytes);
    DividedLines::new(lines.filter(|line| !is_comment(line)).collect())
}

fn read(text: &str, options: &ReadOptions) -> Result<Layout, String> {
    let layout = Layout::recognize(&lines(text), &[], options);
    layout.map(Option::unwrap).map_err(|kind| kind.to_string())
}

fn layout(text: &str) -> Layout {
    read(text, &ReadOptions::default()).unwrap()
}

fn places(text: &str) -> (usize, usize, WeightAt) {
    let layout = layout(text);
    (layout.u, layout.v, layout.weight)
}

fn refusal(text: &str) -> String {
    read(text, &ReadOptions::default()).unwrap_err()
}

/// What is chosen when columns are asked for as `option=column` words.
fn asked(text: &str, words: &str) -> Result<(usize, usize, WeightAt), String> {
    let mut options = ReadOptions::default();
    for (option, column) in words.split(' ').filter_map(|word| word.split_once('=')) {
        let choice = Some(ColumnChoice::NameOrPosition(column.into()));
        match option {
            "source" => options.columns.source = choice,
            "target" => options.columns.target = choice,
            _ => options.columns.weight = choice,
        }
    }
    read(text, &options).map(|layout| (layout.u, layout.v, layout.weight))
}

#[test]
fn a_weight_that_is_too_large_is_not_taken_for_a_comment() {
    for weight in ["9223372036854775808", "-99999999999999999999999", "1e999"] {
        assert_eq!(places(&format!("0 1 {weight}\n1 2 3")), (0, 1, WeightAt::Column(2)));
    }
}

#[test]
fn columns_are_found_by_name() {
    assert_eq!(places("source,target,weight\n0,1,5"), (0, 1, WeightAt::Column(2)));
    assert_eq!(places("\"Weight\";\"From\";\"To\"\n5;0;1"), (1, 2, WeightAt::Column(0)));
    assert_eq!(places("edge u v weight\n7 0 1 5"), (1, 2, WeightAt::Column(3)));
    assert_eq!(
        places("EdgeID StartNodeID EndNodeID L2Distance\n0 0 1 0.5"),
        (1, 2, WeightAt::Column(3))
    );
    assert_eq!(places("from to\n0 1"), (0, 1, WeightAt::Nowhere));
    assert_eq!(places("from to minutes\n0 1 5"), (0, 1, WeightAt::Column(2)));
    assert_eq!(places("u,v,weight,length\n0,1,5,6"), (0, 1, WeightAt::Column(2)));
    assert_eq!(places("node1,weight,node2\n0,5,1"), (0, 2, WeightAt::Column(1)));
}

#[test]
fn names_that_leave_the_vertices_open_are_a_question() {
    let question = "which columns are the vertices? columns: ";
    let remedy = "; pass `source: \"NAME\"` and `target: \"NAME\"`, or their positions";
    for text in [
        "id,first,other,km\n1,4,5,2.5",
        "A,B\n0,1",
        "A,weight,B\n0,5,1",
        "p,q,w,z\n0,1,2,3",
        "u,v,from,to\n0,1,2,3",
        "from,b,c\n1,2,3",
    ] {
        let names = text.lines().next().unwrap().replace(',', ", ");
        assert_eq!(refusal(text), format!("{question}{names}{remedy}"));
    }
    let points = "; the command `kostra tree` finds the tree of points";
    assert_eq!(refusal("x,y,w,z\n0,1,2,3"), format!("{question}x, y, w, z{remedy}{points}"));
}

#[test]
fn columns_that_are_called_like_coordinates_are_no_edges_unless_an_option_says_so() {
    let question = "is each line an edge from x to y, or a point? pass `source: \"x\"` and \
                    `target: \"y\"` if it is an edge; the command `kostra tree` finds the tree of \
                    points";
    for text in ["x,y\n0,1\n1,2", "x,y,weight\n0,1,5\n1,2,6", "x\ty\n0\t1\n1\t2"] {
        assert_eq!(refusal(text), question);
    }
    assert!(refusal("lon,lat\n16,49\n14,50").contains("an edge from lon to lat, or a point?"));
    assert_eq!(asked("x,y\n1,2\n2,3", "source=x"), Ok((0, 1, WeightAt::Nowhere)));
}

/// Edge lists, their columns, and why the third column is no weight.
const NO_WEIGHTS: &[(&str, &str, &str)] = &[
    (
        "1 2 x\n2 3 y",
        "1 to 3",
        "column 3 starts with 'x', which is not a number: correct it, pass `source: ColumnChoice::Position(1)` and \
             `target: ColumnChoice::Position(3)` if it is a vertex",
    ),
    ("1,2,\n2,3,", "1 to 3", "column 3 starts with an empty field: fill it in"),
    (
        "0;1;1,5",
        "1 to 3",
        "column 3 starts with '1,5': pass `decimal_comma: true` if the comma is a decimal point",
    ),
    (
        "from,to,km\n0,1,\"1,5\"",
        "from, to, km",
        "column 'km' starts with '1,5': pass `decimal_comma: true` if the comma is a decimal point",
    ),
    (
        "from to road\n0 1 A1",
        "from, to, road",
        "column 'road' starts with 'A1', which is not a number: correct it",
    ),
];

#[test]
fn columns_that_may_be_the_weight_are_a_question() {
    let ask = |columns: &str, option: &str| {
        let option = match option.parse::<usize>() {
            Ok(position) => Remedy::position("weight", position),
            Err(_) => Remedy::text("weight", option),
        };
        let unit = Remedy::text("weights", "unit");
        format!("which column is the weight? columns: {columns}; pass {option}, or {unit}")
    };
    assert_eq!(
        refusal("id,from,to,length_km,road_name,lanes\n7,0,1,2.5,A1,2"),
        ask("id, from, to, length_km, road_name, lanes", "length_km")
    );
    assert_eq!(
        refusal("id,from,to,Length (km)\n7,0,1,2.5"),
        ask("id, from, to, Length (km)", "Length (km)")
    );
    assert_eq!(refusal("u,v,length,cost\n0,1,5,6"), ask("u, v, length, cost", "length"));
    assert_eq!(
        refusal("u,v,w,w\n0,1,5,6"),
        ask("u, v, w, w", "3"),
        "a name that two columns have is no remedy"
    );
    for text in ["1,2,2,5\n2,3,1,6", "1;2;x;5;6", "0 5 6 1\n9 6 7 2", "0\t5\t6\t1"] {
        let ends = "which columns are the vertices? columns: 1 to ";
        assert!(refusal(text).starts_with(ends), "{text}");
    }
    for name in ["road_id", "Key", "street name", "roadType", "class", "zip_code", "YEAR", "lanes"]
    {
        let columns = format!("from, to, {name}");
        assert_eq!(refusal(&format!("from,to,{name}\n0,1,7")), ask(&columns, "NAME"));
    }
    assert_eq!(refusal(",from,to\n0,1,2"), ask(", from, to", "NAME"), "row numbers of pandas");
    let unit = "or pass `missing_weights(MissingWeights::Unit)`";
    for &(text, columns, fault) in NO_WEIGHTS {
        assert_eq!(
            refusal(text),
            format!("which column is the weight? columns: {columns}; {fault}, {unit}")
        );
    }
    assert!(refusal("0 1 {'km': 3}").starts_with("which entry is the weight? "));
}

#[test]
fn options_say_which_column_is_which() {
    let text = "id,origin,dest,km,2\n1,4,5,2.5,6";
    let chosen = (1, 2, WeightAt::Column(3));
    assert_eq!(asked(text, "source=origin target=dest weight=km"), Ok(chosen));
    assert_eq!(asked(text, "source=3 target=origin weight=4"), Ok((2, 1, WeightAt::Column(3))));
    assert_eq!(asked("7 8 0.5\n8 9 0.25", "weight=1"), Ok((1, 2, WeightAt::Column(0))));
    assert_eq!(asked("9 7 8 0.5", "source=2 target=3 weight=4"), Ok(chosen));
    assert_eq!(asked("w,x,y\n1,2,3", "source=x target=y"), Ok((1, 2, WeightAt::Column(0))));
    for (words, message) in [
        (
            "weight=KM",
            "there is no column 'KM'; columns: id, origin, dest, km, 2; did you mean 'km'?",
        ),
        ("weight=9", "there is no column 9; columns: id, origin, dest, km, 2"),
        ("weight=0", "there is no column 0; columns: id, origin, dest, km, 2"),
        (
            "weight=2",
            "is the column of `weight` the one called 2, at position 5, or the one at position 2? rename the first",
        ),
        ("source=dest target=3", "`source` and `target` name the same column"),
    ] {
        assert_eq!(asked(text, words), Err(message.into()), "{words}");
    }
    assert_eq!(
        asked("0 1 5", "weight=km"),
        Err("there is no column 'km': the first line is no header that names it; pass a position, counted from 1"
            .into())
    );
    assert_eq!(
        asked("0 1 5", "weight=4"),
        Err("there is no column 4: the lines have 3 columns, counted from 1".into())
    );
}

#[test]
fn weights_are_made_up_only_where_there_are_none() {
    let unit =
        ReadOptions { missing_weights: Some(MissingWeights::Unit), ..ReadOptions::default() };
    let layout = read("from,to,length_km,lanes\n0,1,2.5,2", &unit).unwrap();
    assert_eq!(layout.weight, WeightAt::Nowhere);
    assert_eq!(layout.notes, ["columns 'length_km', 'lanes' are left out"]);
    let refused = "the file has weights; omit `missing_weights` to use them";
    for text in ["0 1 5", "from,to,weight\n0,1,5", "0 1 {'weight': 3}"] {
        assert_eq!(read(text, &unit).unwrap_err(), refused);
    }
}

#[test]
fn a_sole_further_column_is_the_weight_if_its_name_allows_it() {
    for name in ["km", "minutes", "Length (km)", "validity", "долгота", "trips_per_year"] {
        let text = format!("from\tto\t{name}\n0\t1\t7");
        assert_eq!(places(&text), (0, 1, WeightAt::Column(2)), "{name}");
    }
    assert_eq!(asked("from,to,id\n0,1,7", "weight=id"), Ok((0, 1, WeightAt::Column(2))));
}

#[test]
fn columns_are_found_by_place() {
    assert_eq!(places("0 1\n1 2"), (0, 1, WeightAt::Nowhere));
    assert_eq!(places("0 1 5\n1 2 6"), (0, 1, WeightAt::Column(2)));
    let text = "0 5 6 1\n9 6 7 2";
    let konect = Layout::recognize(&lines(text), &[b"% sym positive"], &ReadOptions::default());
    let konect = konect.unwrap().unwrap();
    assert_eq!((konect.u, konect.v, konect.weight), (0, 1, WeightAt::Column(2)));
    assert_eq!(konect.notes, ["column 4 is left out"]);
    assert_eq!(places("0 1 {'weight': 3}"), (0, 1, WeightAt::Dictionary));
    assert_eq!(places("0 1 {}"), (0, 1, WeightAt::Nowhere));
    assert_eq!(places("0,1,{'weight': 3, 'a': 2}"), (0, 1, WeightAt::Dictionary));
}

#[test]
fn counts_are_told_from_edges_by_their_columns() {
    let first = |text| layout(text).first_line;
    let counts = |text, edges| match first(text) {
        FirstLine::Counts { counts, sure } => (counts.stated(edges, 2), sure),
        other => panic!("{other:?}"),
    };
    for (text, edges, expected) in [
        ("3 2\n0 1 5\n1 2 6", 2, ((Some(3), Some(2)), true)),
        ("3 3 2\n0 1\n1 2", 2, ((Some(3), Some(2)), true)),
        ("3 2\n0 1\n1 2", 2, ((Some(3), Some(2)), false)),
        ("3 2 0\n0 1\n1 2", 2, ((Some(3), Some(2)), true)),
        ("3\n2\n0 1\n1 2", 2, ((Some(3), Some(2)), true)),
        ("3\n0 1\n1 2", 2, ((Some(3), None), true)),
        ("2\n0 1\n1 2", 2, ((None, Some(2)), true)),
    ] {
        assert_eq!(counts(text, edges), expected, "{text}");
    }
    assert_eq!(first("3 2 {}\n0 1 {}\n1 2 {}"), FirstLine::Edge);
}

#[test]
fn a_header_is_told_from_an_edge_between_names() {
    let first = |text: &str| {
        let options = ReadOptions { names: true, ..ReadOptions::default() };
        read(text, &options).map(|layout| layout.first_line)
    };
    for text in ["node A,node B,weight\nx,y,1\ny,z,2", "from,to\nx,y\ny,z", "from,to"] {
        assert_eq!(first(text), Ok(FirstLine::ColumnNames), "{text}");
    }
    for text in
        ["a,b,3\nc,d,4", "a,b\nc,a", "a,b", "1,2\n3,4", "a b {'weight': 3}\nc d {'weight': 4}"]
    {
        assert_eq!(first(text), Ok(FirstLine::Edge), "{text}");
    }
    let question =
        "is the first line a header? pass `header: Header::Present` or `header: Header::Absent`";
    for text in ["A,B\nx,y\ny,z", "u,v,5\nv,w,6", "A,B,km\nA,y,1\ny,z,2", "i j\nj k"] {
        assert_eq!(first(text), Err(question.into()), "{text}");
    }
}

#[test]
fn one_column_is_too_few() {
    assert!(read("7", &ReadOptions::default()).is_err());
    assert_eq!(Layout::recognize(&lines("# 7"), &[], &ReadOptions::default()).unwrap(), None);
}
