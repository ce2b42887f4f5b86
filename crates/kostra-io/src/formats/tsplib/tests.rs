use super::*;
use crate::testing::{Case, check_cases};

const POINTS: &str = "NAME : t4\nTYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n\
                      NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 10 10\nEOF\n";

fn with_distances(header: &str, numbers: &str) -> String {
    format!("TYPE: {header}\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n{numbers}")
}

#[test]
fn points_are_a_complete_graph_with_the_distances_of_their_type() {
    let of_type = |name: &str| {
        let text = POINTS.replace("EUC_2D", name).replace("3 10 10", "3 10.5 11");
        (text, name.to_owned())
    };
    let triples = [
        ("EUC_2D", "0-1:5 0-2:15 1-2:10"),
        ("CEIL_2D", "0-1:5 0-2:16 1-2:11"),
        ("MAN_2D", "0-1:7 0-2:22 1-2:15"),
        ("MAX_2D", "0-1:4 0-2:11 1-2:8"),
        ("ATT", "0-1:2 0-2:5 1-2:4"),
        ("GEO", "0-1:557 0-2:1714 1-2:1166"),
    ];
    for (name, edges) in triples {
        let (text, _) = of_type(name);
        check_cases(Format::TSPLIB, &[Case::read(&text, 3, edges, &[])]);
    }
    let (unknown, _) = of_type("XRAY1");
    let named = POINTS.replace("1 0 0", "9 0 0");
    let solid = POINTS.replace("EUC_2D", "EUC_3D").replace("2 3 4", "2 3 4 12");
    check_cases(
        Format::TSPLIB,
        &[
            Case::read(&solid, 3, "0-1:13 0-2:14 1-2:15", &[]),
            Case::read(&named, 3, "0-1:5 0-2:14 1-2:9", &[]).names("9 2 3"),
            Case::refused(&unknown, "the distances are of the type XRAY1, but Kostra knows EUC_2D"),
            Case::refused(&POINTS.replace(": 3", ": 4"), "DIMENSION is 4, but only 3 nodes have"),
            Case::refused(&POINTS.replace(": 3", ": 2"), "line 8, column 1: '3' is no keyword"),
            Case::refused(&POINTS.replace("2 3 4", "1 3 4"), "line 7, column 1: the node 1 occurs"),
            Case::refused(&POINTS.replace("2 3 4", "2 3"), "line 7, column 4: the weight is miss"),
            Case::refused(&POINTS.replace("2 3 4", "2 3 inf"), "a coordinate must be finite"),
            Case::refused(&POINTS.replace("2 3 4", "2 3 1e20"), "is too large to be rounded"),
            Case::refused(POINTS, "the file has weights; omit `missing_weights`").unit_weights(),
        ],
    );
}

#[test]
fn matrices_are_read_in_every_layout() {
    let edges = "0-1:1 0-2:2 1-2:3";
    let reverse = "1-0:1 2-0:2 2-1:3";
    for (format, numbers, edges) in [
        ("FULL_MATRIX", "0 1 2\n1 0 3\n2 3 0", edges),
        ("UPPER_ROW", "1 2\n3", edges),
        ("UPPER_DIAG_ROW", "0 1 2 0\n3 0", edges),
        ("LOWER_COL", "1\n2\n3", edges),
        ("LOWER_DIAG_COL", "0 1 2 0 3 0", edges),
        ("LOWER_ROW", "1\n2 3", reverse),
        ("LOWER_DIAG_ROW", "0 1 0 2 3 0", reverse),
        ("UPPER_COL", "1 2 3", reverse),
        ("UPPER_DIAG_COL", "0\n1 0 2 3\n0", reverse),
    ] {
        let section = format!("EDGE_WEIGHT_FORMAT: {format}\nEDGE_WEIGHT_SECTION\n{numbers}\n");
        let display = "DISPLAY_DATA_SECTION\n1 0.5 2\n2 3 4\n3 1 1\nEOF\n";
        let text = with_distances("TSP", &section);
        let drawn = with_distances("TSP", &(section + display));
        check_cases(
            Format::TSPLIB,
            &[Case::read(&text, 3, edges, &[]), Case::read(&drawn, 3, edges, &[])],
        );
    }
}

#[test]
fn distances_that_contradict_the_header_are_named() {
    let full = "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n";
    let asymmetric = format!("{full}9 1 2\n4 9 3\n2 3 9\nEOF\n");
    let list = "TYPE: HCP\nDIMENSION: 3\nEDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n1 2\n";
    let directed = "the graph is directed; directions are ignored";
    let unit = "the input has no weights; each edge weighs 1";
    check_cases(
        Format::TSPLIB,
        &[
            Case::refused(
                &with_distances("TSP", &asymmetric),
                "line 7, column 1: the distances bet",
            ),
            Case::read(
                &with_distances("ATSP", &asymmetric),
                3,
                "0-1:1 0-2:2 1-0:4 1-2:3 2-0:2 2-1:3",
                &[directed],
            ),
            Case::refused(
                &with_distances("TSP", &format!("{full}0 1 2\n1 0 3\n2 3\nEOF")),
                "the distances end in row 3 of 3",
            ),
            Case::refused(
                &with_distances("TSP", &format!("{full}0 1 2\n1 0 3\n2 3 0 7\nEOF")),
                "line 8, column 7: the line ends with '7'",
            ),
            Case::refused(&with_distances("TSP", "EOF"), "neither coordinates nor distances"),
            Case::read(&format!("{list}2 3\n-1\nEOF"), 3, "0-1:1 1-2:1", &[unit]),
            Case::refused(list, "line 6, column 1: the list of edges has no -1"),
            Case::refused(
                "TYPE: TOUR\nDIMENSION: 3\nTOUR_SECTION\n1\n2\n3\n-1\n",
                "line 3, column 1: this is a tour",
            ),
        ],
    );
}
