//! Bad input leads to exit code 2 and one line that says what is wrong, where, and what to do.

use std::fmt::Write;

use crate::harness::{SMALL, Workplace, assert_snapshot};

/// Runs a command that must be refused, and adds its message to the report.
fn refuse(report: &mut String, case: &str, workplace: &Workplace, arguments: &str) {
    let outcome = workplace.run(arguments);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{case}: {outcome:?}");
    let mut lines = outcome.stderr.lines();
    assert!(lines.next().is_some_and(|line| line.starts_with("kostra: ")), "{case}: {outcome:?}");
    assert!(lines.all(|line| line.starts_with("hint: ")), "{case}: {outcome:?}");
    assert!(outcome.stderr.len() < 1000, "{case}: {outcome:?}");
    writeln!(report, "{case}\n{}", outcome.stderr).unwrap();
}

/// The name of a case, the name of its file, and the content.
type Case = (&'static str, &'static str, Vec<u8>);

/// Files whose bytes are damaged or no text.
fn damaged_files(gzip: &[u8], kst: &[u8]) -> Vec<Case> {
    let mut damaged = kst.to_vec();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x55;
    vec![
        ("empty", "empty.gr", vec![]),
        ("only empty lines", "blank.txt", b"\n\n\n".to_vec()),
        ("a compressed stream cut short", "cut.gr.gz", gzip[..gzip.len() - 6].to_vec()),
        ("garbage after a gzip header", "garbage.gz", [&gzip[..10], &[0xaa; 64]].concat()),
        ("a Kostra file cut short", "cut.kst", kst[..kst.len() - 5].to_vec()),
        ("a damaged Kostra file", "damaged.kst", damaged),
        (
            "binary garbage",
            "garbage.bin",
            (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect(),
        ),
    ]
}

/// Texts with wrong content.
fn wrong_texts() -> Vec<Case> {
    vec![
        ("fewer edges than the header says", "few.gr", b"p sp 3 3\na 1 2 1\n".to_vec()),
        ("more edges than the header says", "many.gr", b"p sp 3 1\na 1 2 1\na 2 3 1\n".to_vec()),
        ("vertex 0 where vertices count from 1", "zero.gr", b"p sp 3 1\na 0 2 1\n".to_vec()),
        ("a vertex beyond the last", "beyond.gr", b"p sp 3 1\na 1 4 1\n".to_vec()),
        ("a negative vertex", "negative.gr", b"p sp 3 1\na -1 2 1\n".to_vec()),
        ("a fractional vertex", "fraction.gr", b"p sp 3 1\na 1.5 2 1\n".to_vec()),
        ("a missing column", "column.gr", b"p sp 3 1\na 1\n".to_vec()),
        ("a weight that is a word", "word.gr", b"p sp 3 1\na 1 2 far\n".to_vec()),
        ("a weight that is not a number", "nan.txt", b"0 1 1.5\n1 2 nan\n".to_vec()),
        (
            "a weight beyond 64 bits",
            "overflow.gr",
            b"p sp 3 1\na 1 2 99999999999999999999999\n".to_vec(),
        ),
        (
            "the same in the first line of an edge list",
            "overflow.txt",
            b"0 1 99999999999999999999999\n".to_vec(),
        ),
        ("a header of too many vertices", "vertices.gr", b"p sp 99999999999 1\na 1 2 3\n".to_vec()),
        ("a header of too many edges", "edges.gr", b"p sp 3 99999999999\na 1 2 3\n".to_vec()),
        (
            "a header of numbers beyond 64 bits",
            "header.gr",
            b"p sp 3 999999999999999999999999999\n".to_vec(),
        ),
        ("no header", "headless.gr", b"a 1 2 3\n".to_vec()),
        (
            "a line of a megabyte",
            "long.gr",
            [b"p sp 3 1\na 1 2 ".to_vec(), vec![b'9'; 1 << 20]].concat(),
        ),
        ("names where numbers should be", "names.txt", b"0 1 205\nBrno Ostrava 170\n".to_vec()),
        (
            "a matrix that is not square",
            "oblong.mtx",
            b"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 1\n".to_vec(),
        ),
        ("a METIS graph with a line too few", "short.graph", b"3 2\n2\n1 3\n".to_vec()),
    ]
}

#[test]
fn bad_files_are_refused_with_the_place_and_a_remedy() {
    let workplace = Workplace::new();
    std::fs::create_dir(workplace.path("folder")).unwrap();
    workplace.write("small.gr", SMALL).write("bare.txt", "0 1\n1 2\n");
    workplace.run("convert small.gr small.gr.gz").expect_success();
    workplace.run("convert small.gr small.kst").expect_success();
    let gzip = std::fs::read(workplace.path("small.gr.gz")).unwrap();
    let kst = std::fs::read(workplace.path("small.kst")).unwrap();
    let mut report = String::new();
    refuse(&mut report, "a file that is not there", &workplace, "solve missing.gr");
    refuse(&mut report, "a directory", &workplace, "solve folder");
    for (case, name, content) in damaged_files(&gzip, &kst).into_iter().chain(wrong_texts()) {
        workplace.write(name, content);
        refuse(&mut report, case, &workplace, &format!("solve {name}"));
    }
    refuse(&mut report, "another format than it is", &workplace, "solve small.gr --format mtx");
    refuse(
        &mut report,
        "distances without coordinates",
        &workplace,
        "solve bare.txt --weights distance",
    );
    assert_snapshot("bad_files", &report);
}

#[test]
fn bad_requests_are_refused_with_a_suggestion() {
    let workplace = Workplace::new();
    workplace.write("small.gr", SMALL);
    let mut report = String::new();
    for (case, arguments) in [
        (
            "an algorithm of the processor on a device",
            "solve missing.gr --algorithm kruskal --device cuda",
        ),
        ("an unknown generator", "solve gen:raod:n=10"),
        ("an unknown parameter", "solve gen:road:m=10"),
        ("a parameter that is no number", "solve gen:road:n=ten"),
        ("too many vertices", "solve gen:path:n=5000000000"),
        ("too many edges", "solve gen:gnm:n=1000000,m=5000000000"),
        ("a generator without its prefix", "solve road:n=10"),
        ("a format that no extension tells", "convert small.gr small.xyz"),
        ("a format that nothing tells", "convert small.gr -"),
        ("a compression that is not written", "convert small.gr small.gr.xz"),
    ] {
        refuse(&mut report, case, &workplace, arguments);
    }
    assert_snapshot("bad_requests", &report);
    assert_eq!(workplace.files(), ["small.gr"]);
}

/// The lists of algorithms are those of `kostra solvers`, so that a new solver changes no test.
#[test]
fn an_unknown_algorithm_is_refused_with_similar_ones_or_all() {
    let workplace = Workplace::new();
    let (mut similar, mut all) = (String::new(), String::new());
    refuse(&mut similar, "similar", &workplace, "solve missing.gr --algorithm kruskall");
    let start = "kostra: there is no algorithm 'kruskall'; did you mean ";
    assert!(similar.contains(start) && similar.contains("kruskal?"), "{similar}");
    refuse(&mut all, "no similar one", &workplace, "solve missing.gr --algorithm xyz");
    assert!(all.contains("kostra: there is no algorithm 'xyz'; the algorithms are "), "{all}");
    let solvers = workplace.run("solvers --json").expect_success().json();
    for solver in solvers.as_array().unwrap() {
        assert!(all.contains(solver["id"].as_str().unwrap()), "{solver}: {all}");
    }
    let mut absent = String::new();
    refuse(&mut absent, "not in this build", &workplace, "solve missing.gr --algorithm mpi-fast");
    assert!(absent.contains("hint: this build has no algorithms for MPI; "), "{absent}");
}

#[test]
fn bad_usage_is_refused_with_the_usage() {
    let workplace = Workplace::new();
    let mut report = String::new();
    for arguments in [
        "solv",
        "solve",
        "solve a.gr --algoritm kruskal",
        "solve a.gr --format xls",
        "solve a.gr --weights heavy",
        "solve a.gr --threads many",
        "solve a.gr --threads -1",
        "solve a.gr --device gpu",
        "solve a.gr --device cuda:first",
        "solve a.gr --output-format ids",
        "convert a.gr b.pbf --to osm.pbf",
        "generate",
        "completions tcsh",
    ] {
        let outcome = workplace.run(arguments);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (Some(2), ""),
            "{arguments}: {outcome:?}"
        );
        writeln!(report, "$ kostra {arguments}\n{}", outcome.stderr).unwrap();
    }
    assert_snapshot("bad_usage", &report);
}

#[test]
fn text_from_other_systems_is_no_bad_input() {
    let workplace = Workplace::new();
    workplace.write("crlf.gr", SMALL.replace('\n', "\r\n"));
    workplace.write("mark.gr", format!("\u{feff}{SMALL}"));
    workplace.write("unended.gr", SMALL.trim_end());
    for file in ["crlf.gr", "mark.gr", "unended.gr"] {
        let record =
            workplace.run(&format!("solve {file} --json --verify")).expect_success().json();
        assert_eq!((&record["edges"], &record["total_weight"]), (&7.into(), &5.into()), "{file}");
    }
}
