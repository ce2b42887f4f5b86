use super::*;
use crate::testing::edges;

const NAN: f64 = f64::NAN;
/// The rounding of a number near 1.
const BIT: f64 = f64::EPSILON;

fn read(rows: &[&[f64]], options: &ReadOptions) -> Result<Parsed, String> {
    let value = |row: usize, column: usize| {
        let value = rows.get(row)?.get(column).copied()?;
        let is_whole = value.fract() == 0.0;
        Some(if is_whole { TextNumber::Integer(value as i64) } else { TextNumber::Float(value) })
    };
    let place = |row, _| Place::Line { line: row as u64 + 1, column: 1 };
    let matrix = Matrix { size: rows.len(), value, place: &place, epsilon: f64::EPSILON };
    matrix.graph(options).map_err(|fault| fault.in_input("x").to_string())
}

/// The edges of a matrix and its notes, or the refusal.
fn said(rows: &[&[f64]], zeros: Option<Meaning>, negatives: Option<Meaning>) -> String {
    let options = ReadOptions { zeros, negatives, ..ReadOptions::default() };
    read(rows, &options).map_or_else(
        |refusal| refusal,
        |parsed| {
            let notes: String = parsed.notes.iter().map(|note| format!("; {note}")).collect();
            format!("{}{notes}", edges(&parsed.graph))
        },
    )
}

#[test]
fn zeros_off_the_diagonal_are_a_question() {
    // Vertices 0 and 1 are identical.
    let identical: &[&[f64]] = &[&[0.0, 0.0, 4.0], &[0.0, 0.0, 4.0], &[4.0, 4.0, 0.0]];
    let [edge, none] = [Meaning::Edge, Meaning::None].map(Some);
    let question = "x: 1 pair has an entry of 0 off the diagonal, the first in row 0, column 1: is \
                    0 a weight, as of identical things, or no edge? pass `zeros: \
                    Some(Meaning::Edge)` or `zeros: Some(Meaning::None)`";
    assert_eq!(said(identical, None, None), question);
    let note = "; the entries of 0 off the diagonal, 1 pair, are ";
    assert_eq!(said(identical, edge, None), format!("0-1:0 0-2:4 1-2:4{note}edges"));
    assert_eq!(
        said(identical, none, None),
        format!("0-2:4 1-2:4{note}no edges; pass `zeros: Some(Meaning::Edge)` if they are weights")
    );
    // A path of six vertices: vertex 3 is far from vertex 2, and both have distance 0 from 0.
    let path: Vec<Vec<f64>> = (0..6_i32)
        .map(|u| (0..6).map(|v| f64::from(i32::from((u - v).abs() == 1))).collect())
        .collect();
    let path: Vec<&[f64]> = path.iter().map(Vec::as_slice).collect();
    let found = said(&path, None, None);
    assert!(found.starts_with("0-1:1 1-2:1 2-3:1 3-4:1 4-5:1; the entries of 0"), "{found}");
    // A zero in one direction is no entry, and in a triangle only those of the triangle count.
    let upper: &[&[f64]] = &[&[0.0, 2.0, 0.0], &[0.0, 0.0, 3.0], &[0.0, 0.0, 0.0]];
    assert!(said(upper, None, None).starts_with("x: 1 pair has"));
    assert!(said(upper, edge, None).starts_with("0-1:2 0-2:0 1-2:3; "));
    let directed: &[&[f64]] = &[&[0.0, 2.0, 0.0], &[0.0, 0.0, 3.0], &[4.0, 0.0, 0.0]];
    assert_eq!(said(directed, None, None), "0-1:2 0-2:4 1-2:3");
}

#[test]
fn one_negative_number_is_a_question_and_several_are_weights() {
    let code: &[&[f64]] = &[&[-1.0, 3.0, -1.0], &[3.0, -1.0, 5.0], &[-1.0, 5.0, -1.0]];
    let question = "x: all negative entries are -1: are they weights or no edges? pass `negatives: \
                    Some(Meaning::Edge)` or `negatives: Some(Meaning::None)`";
    assert_eq!(said(code, None, None), question);
    assert_eq!(said(code, None, Some(Meaning::Edge)), "0-0:-1 0-1:3 0-2:-1 1-1:-1 1-2:5 2-2:-1");
    assert_eq!(said(code, None, Some(Meaning::None)), "0-1:3 1-2:5; negative entries are no edges");
    for (value, asks) in [(-7.0, false), (-1.0, true), (-9999.0, true), (-0.25, false)] {
        let rows: &[&[f64]] = &[&[0.0, 3.0, value], &[3.0, 0.0, 5.0], &[value, 5.0, 0.0]];
        assert_eq!(said(rows, None, None).contains("pass `negatives"), asks, "{value}");
    }
    let several: &[&[f64]] = &[&[0.0, -1.0, -2.0], &[-1.0, 0.0, 5.0], &[-2.0, 5.0, 0.0]];
    assert_eq!(said(several, None, None), "0-1:-1 0-2:-2 1-2:5");
    let diagonal: &[&[f64]] = &[&[-5.0, 3.0, 1.0], &[3.0, -5.0, 2.0], &[1.0, 2.0, -5.0]];
    assert!(said(diagonal, None, None).contains("all negative entries are -5"));
}

#[test]
fn values_that_differ_by_rounding_are_the_same() {
    let (one, near) = (1.5 + BIT, 2.1e-8);
    let rows: &[&[f64]] = &[&[near, 1.5, 0.5], &[one, 0.0, 0.25], &[0.5, 0.25, near]];
    assert_eq!(
        said(rows, None, None),
        "0-1:1.5 0-2:0.5 1-2:0.25; entries differ from those across the diagonal by up to 2.2e-16, \
         as by rounding; the smaller one counts; the entries on the diagonal are 0 but for rounding \
         of up to 2.1e-8"
    );
    // The square root of a rounded number near 0 is off by half of the digits.
    let rows: &[&[f64]] = &[&[0.0, 1.5e-8, 1.4], &[2.1e-8, 0.0, 1.4], &[1.4, 1.4, 0.0]];
    assert!(said(rows, None, None).starts_with("0-1:1.5e-8 0-2:1.4 1-2:1.4"));
    for (a, b) in [(1.5, 1.500_001), (1e-6, 2e-6), (1.0, 2.0), (-1.0, 1.0)] {
        let rows: &[&[f64]] = &[&[0.0, a, 1.5], &[b, 0.0, 1.5], &[1.5, 1.5, 0.0]];
        let refusal = said(rows, None, Some(Meaning::Edge));
        assert!(refusal.contains("in row 0, column 1 and in row 1, column 0 differ"), "{refusal}");
    }
}

#[test]
fn missing_values_are_no_edges() {
    let infinite = f64::INFINITY;
    let rows: &[&[f64]] = &[&[0.0, NAN, 2.0], &[infinite, 0.0, 3.0], &[2.0, NAN, 7.0]];
    assert_eq!(said(rows, None, None), "0-2:2 1-2:3 2-2:7");
    let lower: &[&[f64]] = &[&[], &[2.0], &[4.0, 3.0]];
    assert_eq!(said(lower, None, None), "0-1:2 0-2:4 1-2:3");
}

#[test]
fn a_diagonal_of_the_highest_number_shows_similarities() {
    let options = ReadOptions::default();
    for (diagonal, other, shows) in
        [(1.0, 0.5, true), (1.0 - BIT, -0.5, true), (100.0, 98.5, true), (1.0, 1.5, false)]
    {
        let rows: &[&[f64]] = &[&[1.0_f64.max(diagonal), other], &[other, diagonal]];
        assert_eq!(read(rows, &options).unwrap().similarity.is_some(), shows, "{diagonal} {other}");
    }
    let rows: &[&[f64]] = &[&[0.0, 0.5], &[0.5, 0.0]];
    assert_eq!(read(rows, &options).unwrap().similarity, None);
}
