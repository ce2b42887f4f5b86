//! `kostra verify`: yes, no, or an error about its inputs.

use crate::harness::{SMALL, Workplace, assert_snapshot};

fn small() -> Workplace {
    let workplace = Workplace::new();
    workplace.write("small.gr", SMALL);
    workplace
}

#[test]
fn what_solve_writes_is_right() {
    let workplace = small();
    for file in ["ids.txt", "forest.edges", "ids.gz", "forest.edges.zst"] {
        workplace.run(&format!("solve small.gr -o {file}")).expect_success();
        workplace.run(&format!("verify small.gr {file}")).expect_success();
    }
    let outcome = workplace.run("verify small.gr ids.txt").expect_success();
    assert_snapshot("verify_right", &outcome.stdout);
    workplace.run("solve small.gr --maximum -o maximum.txt").expect_success();
    workplace.run("verify small.gr maximum.txt --maximum").expect_success();
    assert_eq!(workplace.run("verify small.gr maximum.txt").code, Some(1));
}

#[test]
fn the_order_of_ids_does_not_matter() {
    let workplace = small();
    workplace.write("forest.txt", "3\n1\n4\n").run("verify small.gr forest.txt").expect_success();
}

#[test]
fn what_is_wrong_is_named() {
    let workplace = small();
    let forests = [
        ("a cycle", "1\n2\n3\n4\n"),
        ("a gap", "1\n3\n"),
        ("not minimal", "1\n2\n3\n"),
        ("a tie the wrong way", "0\n1\n2\n"),
        ("twice", "1\n1\n3\n4\n"),
        ("no such edge", "1\n3\n4\n7\n"),
        ("nothing", ""),
    ];
    let mut report = String::new();
    for (case, forest) in forests {
        let outcome = workplace.write("forest.txt", forest).run("verify small.gr forest.txt");
        assert_eq!(outcome.code, Some(1), "{case}: {outcome:?}");
        let fault =
            outcome.stdout.lines().find_map(|line| line.trim().strip_prefix("fault")).unwrap();
        report += &format!("{case}: {}\n", fault.trim());
    }
    assert_snapshot("verify_faults", &report);
    let record = workplace.write("forest.txt", "1\n3\n").run("verify small.gr forest.txt --json");
    assert_eq!(record.code, Some(1));
    assert_snapshot("verify_json", &record.stdout);
}

#[test]
fn what_is_no_forest_is_refused() {
    let workplace = small();
    workplace.run("solve small.gr -o forest.edges").expect_success();
    let edges = workplace.read("forest.edges");
    let forests: [(&str, &[u8]); 9] = [
        ("a word", b"1\ntwo\n"),
        ("negative", b"-1\n"),
        ("too large", b"4294967296\n"),
        ("fraction", b"1.5\n"),
        ("not text", b"1\n\xff\xfe\n"),
        ("escape codes", b"\x1b[31m\n"),
        ("a line of a megabyte", &[b'1'; 1 << 20]),
        ("no ends", b"edge\tu\tv\tweight\n1\n"),
        ("another graph", &edges.replace("1\t1\t2", "1\t1\t3").into_bytes()),
    ];
    let mut report = String::new();
    for (case, forest) in forests {
        let outcome = workplace.write("forest.txt", forest).run("verify small.gr forest.txt");
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{case}: {outcome:?}");
        report += &format!("{case}: {}", outcome.stderr);
    }
    let outcome = workplace.run("verify small.gr missing.txt");
    assert_eq!(outcome.code, Some(2));
    report += &format!("missing: {}", outcome.stderr);
    let outcome = workplace.run("verify - -");
    assert_eq!(outcome.code, Some(2));
    report += &format!("both from standard input: {}", outcome.stderr);
    assert_snapshot("verify_refusals", &report);
}

#[test]
fn the_forest_may_come_from_standard_input_and_from_other_systems() {
    let workplace = small();
    workplace.run_with_input("verify small.gr -", "1\r\n3\r\n4\r\n").expect_success();
    workplace.run_with_input("verify small.gr -", "1\n3\n\n4").expect_success();
}

#[test]
fn names_are_compared_by_name() {
    let workplace = Workplace::new();
    workplace.write("links.csv", "Prague,Brno,205\nBrno,Ostrava,170\nOstrava,Prague,370\n");
    workplace.run("solve links.csv --names -o forest.edges").expect_success();
    workplace.run("verify links.csv forest.edges --names").expect_success();
    let forest = workplace.read("forest.edges").replace("Ostrava", "Olomouc");
    let outcome =
        workplace.write("forest.edges", forest).run("verify links.csv forest.edges --names");
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome.stderr.contains("joins Brno and Ostrava in the graph, not Brno and Olomouc"),
        "{outcome:?}"
    );
}
