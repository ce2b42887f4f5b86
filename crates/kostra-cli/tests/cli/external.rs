//! `kostra solve --memory`: graphs whose edges do not fit into memory.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use kostra_core::ForestState;
use kostra_io::{Checkpoint, write_checkpoint};

use crate::harness::{Outcome, Workplace};

/// A graph of 300,000 edges as `graph.kst`, `graph.gr` and `graph.edges`, and its forest.
fn workplace() -> Workplace {
    let workplace = Workplace::new();
    let outcome = workplace.shell(
        "set -e; kostra generate gen:rmat:scale=14,weights=small -o graph.kst
        kostra convert graph.kst graph.gr; kostra convert graph.kst graph.edges
        kostra solve graph.kst -o right.ids; kostra solve graph.kst -o right.edges
        kostra solve graph.kst --maximum -o maximum.ids",
    );
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    workplace
}

fn succeeds(outcome: &Outcome) {
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
}

/// Ends a process as a power cut would.
fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Waits until a file exists.
fn wait_for(workplace: &Workplace, name: &str) {
    let start = Instant::now();
    while !workplace.path(name).exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "{name} never appears");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn every_streamed_format_gives_the_forest_of_the_graph_in_memory() {
    let workplace = workplace();
    for (input, threads) in
        [("graph.kst", 1), ("graph.kst", 2), ("graph.gr", 2), ("graph.edges", 1)]
    {
        let line = format!("solve {input} --memory 48MiB --verify --threads {threads}");
        succeeds(&workplace.run(&format!("{line} -o own.ids")));
        assert!(workplace.read("own.ids") == workplace.read("right.ids"), "{line}");
        succeeds(&workplace.run(&format!("{line} -o own.ids --maximum")));
        assert!(workplace.read("own.ids") == workplace.read("maximum.ids"), "{line}");
    }
    succeeds(&workplace.run("solve graph.kst --memory 48MiB -o own.edges"));
    assert!(workplace.read("own.edges") == workplace.read("right.edges"));
    succeeds(&workplace.shell("gzip graph.kst -c > graph.kst.gz"));
    for line in [
        "gzip -c graph.gr | kostra solve -",
        "cat graph.kst | kostra solve -",
        "kostra solve graph.kst.gz",
        "kostra solve gen:rmat:scale=14,weights=small",
    ] {
        succeeds(&workplace.shell(&format!("{line} --memory 48MiB -o own.ids")));
        assert!(workplace.read("own.ids") == workplace.read("right.ids"), "{line}");
    }
    for line in ["graph.kst.gz", "gen:rmat:scale=14,weights=small"] {
        let outcome = workplace.run(&format!("solve {line} --memory 48MiB --verify"));
        succeeds(&outcome);
        assert!(outcome.stdout.contains("spanning, acyclic and minimal"), "{outcome:?}");
    }
    // The last edge makes the weights wider.
    let mixed = "grep -v '#' graph.edges > mixed.edges; echo '0 1 0.5' >> mixed.edges; \
                 kostra solve mixed.edges --memory 48MiB --verify --json";
    let outcome = workplace.shell(mixed);
    succeeds(&outcome);
    assert!(outcome.stdout.contains("\"verified\": true"), "{outcome:?}");
    let refused = workplace.shell("kostra solve - --memory 48MiB --verify < graph.gr");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("save the input to a file"), "{refused:?}");
    succeeds(&workplace.run("solve graph.kst --memory 48MiB -o forest.kst"));
    succeeds(&workplace.run("verify graph.kst forest.kst"));
    assert!(workplace.files().iter().all(|name| !name.contains("checkpoint")));
}

#[test]
fn the_report_says_how_often_the_input_was_read() {
    let workplace = workplace();
    let outcome = workplace.run("solve graph.kst --memory 48MiB");
    succeeds(&outcome);
    assert!(outcome.stdout.contains("algorithm       external on"), "{outcome:?}");
    assert!(outcome.stdout.contains("in one pass over the input"), "{outcome:?}");
    let outcome = workplace.run("solve graph.kst --memory 48MiB --json");
    assert!(outcome.stdout.contains("\"algorithm\": \"external\""), "{outcome:?}");
}

/// The peak of the memory of a process that writes its forest to a pipe, before all is read. So the
/// forest must be larger than a pipe, 64 KiB.
#[cfg(target_os = "linux")]
fn peak_kibibytes(workplace: &Workplace, arguments: &str) -> u64 {
    peak_and_forest(workplace, arguments).0
}

/// The same peak, and the forest.
#[cfg(target_os = "linux")]
fn peak_and_forest(workplace: &Workplace, arguments: &str) -> (u64, String) {
    let mut child = workplace.command(arguments).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut forest = vec![0];
    stdout.read_exact(&mut forest).unwrap(); // the forest is complete
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    stdout.read_to_end(&mut forest).unwrap();
    assert!(child.wait().unwrap().success());
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak = peak.trim().trim_end_matches(" kB").parse().unwrap();
    (peak, String::from_utf8(forest).unwrap())
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow"]
fn slow_the_memory_stays_within_the_budget() {
    let workplace = Workplace::new();
    let graph = "gen:gnm:n=100k,m=6M";
    succeeds(&workplace.run(&format!("generate {graph} -o graph.kst")));
    let graph_kibibytes = fs::metadata(workplace.path("graph.kst")).unwrap().len() >> 10;
    let peak = peak_kibibytes(&workplace, "solve graph.kst --memory 48MiB --threads 2 -o -");
    assert!(peak <= 48 << 10, "{peak} KiB");
    assert!(peak < graph_kibibytes * 3 / 4, "{peak} KiB for a graph of {graph_kibibytes} KiB");
    let line = "solve graph.kst --memory 48MiB --threads 2 --verify -o -";
    let peak = peak_kibibytes(&workplace, line);
    assert!(peak <= 48 << 10, "{peak} KiB with verification");
    succeeds(&workplace.run("convert graph.kst graph.edges"));
    succeeds(&workplace.run("convert graph.edges graph.edges.zst"));
    for input in ["graph.edges", "graph.edges.zst"] {
        let line = format!("solve {input} --memory 56MiB --threads 2 -o -");
        let peak = peak_kibibytes(&workplace, &line);
        assert!(peak <= 56 << 10, "{input}: {peak} KiB");
    }
}

/// The size that an error proposes.
#[cfg(target_os = "linux")]
fn proposed_mebibytes(refused: &Outcome) -> u64 {
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let (_, size) = refused.stderr.split_once("pass at least `--memory ").expect("a proposal");
    size.split_once("MiB").unwrap().0.parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow"]
fn slow_the_ends_of_a_piped_kst_file_are_part_of_the_memory() {
    let workplace = Workplace::new();
    succeeds(&workplace.run("generate gen:gnm:n=100k,m=6M -o graph.kst"));
    let refused = workplace.shell("cat graph.kst | kostra solve - --memory 48MiB --threads 2");
    assert!(refused.stderr.contains("because reading it as it is holds 46 MiB"), "{refused:?}");
    let enough = proposed_mebibytes(&refused);
    let limit = format!("solve /dev/stdin --memory {enough}MiB --threads 2");
    // A regular file as standard input is read like any other.
    let whole =
        workplace.shell("kostra solve - --memory 48MiB --threads 2 -o right.ids < graph.kst");
    succeeds(&whole);
    let piped = workplace.shell(&format!("cat graph.kst | kostra {limit} -o own.ids"));
    succeeds(&piped);
    assert!(piped.stdout.contains("the ends of all edges took 46 MiB"), "{piped:?}");
    assert!(!whole.stdout.contains("the ends of all edges"), "{whole:?}");
    assert!(workplace.read("own.ids") == workplace.read("right.ids"));
    succeeds(&workplace.shell("gzip -1 graph.kst"));
    let line = format!("solve graph.kst.gz --memory {enough}MiB --threads 2 -o -");
    let peak = peak_kibibytes(&workplace, &line);
    assert!((46 << 10..=enough << 10).contains(&peak), "{peak} KiB");
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow"]
fn slow_a_large_window_of_zstd_is_part_of_the_memory() {
    let workplace = Workplace::new();
    if workplace.shell("zstd --version").code != Some(0) {
        println!("skipped: there is no zstd");
        return;
    }
    succeeds(&workplace.run("generate gen:gnm:n=20k,m=12M -o graph.edges"));
    succeeds(&workplace.shell("zstd -q -1 --long=27 < graph.edges > graph.edges.zst"));
    let refused = workplace.run("solve graph.edges.zst --memory 64MiB --threads 2");
    assert!(refused.stderr.contains("because reading it as it is holds 122 MiB"), "{refused:?}");
    let enough = proposed_mebibytes(&refused);
    let line = format!("solve graph.edges.zst --memory {enough}MiB --threads 2 -o -");
    let peak = peak_kibibytes(&workplace, &line);
    let most = (enough << 10) + UNOPTIMIZED;
    assert!((120 << 10..=most).contains(&peak), "{peak} KiB");
}

/// How many more KiB an unoptimized program has in memory.
#[cfg(target_os = "linux")]
const UNOPTIMIZED: u64 = if cfg!(debug_assertions) { 4 << 10 } else { 0 };

/// A table of `rows` edges with one page per column.
#[cfg(target_os = "linux")]
fn in_one_page(workplace: &Workplace, name: &str, rows: i64) {
    use parquet::basic::Compression;
    use parquet::data_type::Int64Type;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    let schema = "message m { required int64 u; required int64 v; required int64 weight; }";
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(usize::MAX)
        .set_data_page_row_count_limit(usize::MAX)
        .set_write_batch_size(usize::MAX);
    let file = fs::File::create(workplace.path(name)).unwrap();
    let schema = std::sync::Arc::new(parse_message_type(schema).unwrap());
    let mut file =
        SerializedFileWriter::new(file, schema, std::sync::Arc::new(properties.build())).unwrap();
    let mut group = file.next_row_group().unwrap();
    for factor in [1, 7919, 104_729] {
        let values: Vec<i64> = (0..rows).map(|row| row * factor % 20_011).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&values, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.close().unwrap();
}

/// Solves an input with the least memory that a refusal proposes, and returns the refusal. The
/// process must stay within that memory and find the forest of the graph in memory.
#[cfg(target_os = "linux")]
fn refused_and_solved_as_proposed(workplace: &Workplace, input: &str) -> String {
    let refused = workplace.run(&format!("solve {input} --memory 64MiB --threads 2"));
    let enough = proposed_mebibytes(&refused);
    let line = format!("solve {input} --memory {enough}MiB --threads 2 -o -");
    let (peak, forest) = peak_and_forest(workplace, &line);
    assert!(peak <= enough << 10, "{input}: {peak} KiB of {enough} MiB");
    let right = workplace.run(&format!("solve {input} -o -"));
    succeeds(&right);
    assert!(forest == right.stdout, "{input}");
    refused.stderr
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow"]
fn slow_a_page_of_ten_million_rows_is_part_of_the_memory() {
    let workplace = Workplace::new();
    in_one_page(&workplace, "page.parquet", 10_000_000);
    let refused = refused_and_solved_as_proposed(&workplace, "page.parquet");
    assert!(refused.contains("the largest pages of the columns takes more memory"), "{refused}");
    assert!(refused.contains("or write smaller pages"), "{refused}");
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow"]
fn slow_a_line_of_sixty_megabytes_is_part_of_the_memory() {
    let workplace = Workplace::new();
    let rows = (0..20_000).map(|i| format!("{i},{},{},a\n", i + 1, i % 97));
    let (rows, note) = (rows.collect::<String>(), "x".repeat(60_000_000));
    let of_header = format!("u,v,weight,note\n{rows}1,2,3,{note}\n{rows}");
    workplace.write("long.csv", of_header);
    let refused = refused_and_solved_as_proposed(&workplace, "long.csv");
    assert!(refused.contains("line 20002, column 1: this line of 60000006 bytes"), "{refused}");
    // Several such lines are held one after the other.
    let third = &note[..20_000_000];
    let lines = format!("1,2,3,{third}\n2,3,4,{third}\n3,4,5,{third}\n4,5,6,{third}\n");
    workplace.write("long.csv", format!("u,v,weight,note\n{rows}{lines}{rows}"));
    refused_and_solved_as_proposed(&workplace, "long.csv");
    let arcs: String = (1..20_000).map(|i| format!("a {i} {} 1\n", i + 1)).collect();
    workplace.write("long.gr", format!("c {note}\np sp 20000 19999\n{arcs}"));
    refused_and_solved_as_proposed(&workplace, "long.gr");
}

#[cfg(target_os = "linux")]
#[test]
fn the_start_of_a_text_is_part_of_the_memory() {
    let workplace = Workplace::new();
    let rows: String = (0..20_000).map(|i| format!("{i} {} 1\n", i + 1)).collect();
    workplace.write("comments.edges", "#\n".repeat(2_000_000) + &rows);
    let refused = workplace.run("solve comments.edges --memory 48MiB --threads 2");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("do not show the format"), "{refused:?}");
    let line = "solve comments.edges --format edges --memory 48MiB --threads 2 -o -";
    let peak = peak_kibibytes(&workplace, line);
    assert!(peak <= 48 << 10, "{peak} KiB");
    let names = (0..100_000).map(|column| format!(",c{column}")).collect::<String>();
    let ones = ",1".repeat(100_000);
    workplace.write("wide.csv", format!("source,target{names}\n0,1{ones}\n1,2{ones}\n"));
    let refused = workplace.run("solve wide.csv --format edges --memory 64MiB --threads 2");
    assert!(refused.stderr.contains("a line of 100002 columns takes more memory"), "{refused:?}");
}

/// A solve that waits for its input and has locked its output.
fn waiting(workplace: &Workplace, arguments: &str) -> Child {
    let child = workplace.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    wait_for(workplace, "own.ids.checkpoint.lock");
    child
}

#[test]
fn a_second_solve_with_the_same_output_is_refused() {
    let workplace = workplace();
    let mut first = waiting(&workplace, "solve - --memory 48MiB -o own.ids");
    for arguments in ["", " --resume"] {
        let second =
            workplace.run(&format!("solve graph.kst --memory 48MiB -o own.ids{arguments}"));
        assert_eq!(second.code, Some(2), "{second:?}");
        let refusal = "kostra: own.ids.checkpoint.lock: another solve is writing this output; wait for \
                       its end, or name another file with `--output`\n";
        assert_eq!(second.stderr, refusal);
    }
    let mut stdin = first.stdin.take().unwrap();
    stdin.write_all(workplace.read("graph.gr").as_bytes()).unwrap();
    drop(stdin);
    assert!(first.wait().unwrap().success());
    assert!(workplace.read("own.ids") == workplace.read("right.ids"));
    assert!(workplace.files().iter().all(|name| !name.contains("checkpoint")));
}

#[test]
fn a_killed_solve_locks_nothing() {
    let workplace = workplace();
    kill(waiting(&workplace, "solve - --memory 48MiB -o own.ids"));
    succeeds(&workplace.run("solve graph.kst --memory 48MiB -o own.ids"));
    assert!(workplace.read("own.ids") == workplace.read("right.ids"));
    assert!(!workplace.path("own.ids.checkpoint.lock").exists());
}

#[test]
fn an_output_that_cannot_be_locked_is_noted() {
    let workplace = workplace();
    workplace.write("own.ids.checkpoint.lock", "mine");
    let outcome = workplace.run("solve graph.kst --memory 48MiB -o own.ids");
    succeeds(&outcome);
    assert!(outcome.stdout.contains("own.ids.checkpoint.lock could not be locked"), "{outcome:?}");
    assert_eq!(workplace.read("own.ids.checkpoint.lock"), "mine");
}

#[test]
fn a_killed_solve_continues_where_it_was_saved() {
    let workplace = workplace();
    let line = "solve graph.kst --memory 36MiB --threads 1 --checkpoint 0 -o own.ids --resume";
    for patience in [5, 10, 20, 40] {
        let child = workplace.command(line).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(patience));
        kill(child);
    }
    succeeds(&workplace.run(line));
    assert!(workplace.read("own.ids") == workplace.read("right.ids"));
    assert!(!workplace.path("own.ids.checkpoint").exists());
}

#[test]
fn a_forged_checkpoint_is_found_by_verification() {
    let workplace = workplace();
    let line = "solve graph.gr --memory 36MiB --threads 1 --checkpoint 0 -o own.ids";
    let path = workplace.path("own.ids.checkpoint");
    while !path.exists() {
        let child = workplace.command(line).spawn().unwrap();
        wait_for(&workplace, "own.ids.checkpoint");
        kill(child);
    }
    let checkpoint = Checkpoint::open(&path).unwrap();
    let facts = checkpoint.facts().clone();
    let mut forest = checkpoint.read::<u32>().unwrap();
    // Without the lightest edge.
    let (lost, _) = forest.weights.iter().enumerate().min_by_key(|(_, weight)| **weight).unwrap();
    forest.ids.remove(lost);
    forest.u.remove(lost);
    forest.v.remove(lost);
    forest.weights.remove(lost);
    let state = ForestState {
        taken: facts.taken,
        vertices: facts.vertices,
        ids: &forest.ids,
        u: &forest.u,
        v: &forest.v,
        weights: &forest.weights,
    };
    write_checkpoint((&path, None), &facts, &state).unwrap();
    let outcome = workplace.run(&format!("{line} --resume --verify"));
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let all = outcome.stdout + &outcome.stderr;
    assert!(all.contains("may not be one of this solve: remove it"), "{all}");
    assert!(path.exists() && !workplace.path("own.ids").exists());
    fs::remove_file(path).unwrap();
    succeeds(&workplace.run(&format!("{line} --resume --verify")));
    assert!(workplace.read("own.ids") == workplace.read("right.ids"));
}

#[test]
fn a_checkpoint_is_neither_more_public_than_its_output_nor_a_link_nor_a_pipe() {
    use std::os::unix::fs::PermissionsExt;
    let workplace = workplace();
    let line = "solve graph.gr --memory 36MiB --threads 1 --checkpoint 0 -o own.ids";
    succeeds(&workplace.shell("umask 022; touch own.ids; chmod 600 own.ids"));
    let path = workplace.path("own.ids.checkpoint");
    let lock = workplace.path("own.ids.checkpoint.lock");
    let modes = loop {
        let child = workplace.command(line).spawn().unwrap();
        wait_for(&workplace, "own.ids.checkpoint");
        kill(child);
        if let (Ok(checkpoint), Ok(lock)) = (fs::metadata(&path), fs::metadata(&lock)) {
            break [checkpoint, lock].map(|metadata| metadata.permissions().mode() & 0o777);
        }
    };
    assert_eq!(modes, [0o600, 0o600]);
    fs::remove_file(&path).unwrap();
    succeeds(&workplace.shell("ln -sf victim own.ids.checkpoint.lock"));
    let outcome = workplace.run(line);
    assert!(outcome.stdout.contains("could not be locked"), "{outcome:?}");
    assert!(!workplace.path("victim").exists());
    for make in ["mkfifo", "ln -s victim"] {
        succeeds(&workplace.shell(&format!("{make} own.ids.checkpoint")));
        for line in [line.to_owned(), format!("{line} --resume")] {
            assert_eq!(workplace.run(&line).code, Some(2), "{make}, {line}");
        }
        fs::remove_file(&path).unwrap();
    }
    assert!(!workplace.path("victim").exists());
}

/// A solve of the first half of a pipe, killed when it has saved its state.
fn killed_on_a_pipe(workplace: &Workplace, arguments: &str) {
    let text = workplace.read("graph.gr");
    let mut child = workplace.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&text.as_bytes()[..text.len() / 2]).unwrap();
    wait_for(workplace, "own.ids.checkpoint");
    kill(child);
}

#[test]
fn a_pipe_is_resumed_if_it_has_the_same_edges_again() {
    let workplace = workplace();
    let line = "solve - --memory 36MiB --threads 1 --checkpoint 0 -o own.ids";
    killed_on_a_pipe(&workplace, line);
    let resumed = workplace.shell(&format!("kostra {line} --resume < graph.gr"));
    succeeds(&resumed);
    assert!(resumed.stdout.contains("resumed after "), "{resumed:?}");
    assert!(workplace.read("own.ids") == workplace.read("right.ids"));

    killed_on_a_pipe(&workplace, line);
    let other = "kostra convert gen:rmat:scale=14,weights=small,seed=9 - --to gr";
    let refused = workplace.shell(&format!("{other} | kostra {line} --resume"));
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("are not those that the checkpoint covers"), "{refused:?}");
    let short = "(echo p sp 16384 1; echo a 1 2 3)";
    let refused = workplace.shell(&format!("{short} | kostra {line} --resume"));
    assert!(refused.stderr.contains("are not those that the checkpoint covers"), "{refused:?}");
}

#[test]
fn checkpoints_of_other_solves_and_damaged_ones_are_refused() {
    let workplace = workplace();
    let line = "solve - --memory 36MiB --threads 1 --checkpoint 0 -o own.ids";
    killed_on_a_pipe(&workplace, line);
    let resume = |line: &str| {
        let outcome = workplace.shell(&format!("kostra {line} --resume < graph.gr"));
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        outcome.stderr
    };
    let refused = resume(&line.replace("solve -", "solve graph.kst"));
    assert!(refused.contains("input: standard input; now input: /"), "{refused}");
    let refused = resume(&format!("{line} --maximum"));
    assert!(refused.contains("forest: minimum; now forest: maximum"), "{refused}");

    let checkpoint = workplace.path("own.ids.checkpoint");
    let right = fs::read(&checkpoint).unwrap();
    let mut damaged = right.clone();
    let middle = right.len() / 2;
    damaged[middle] ^= 4;
    for content in [&damaged[..], &right[..middle], b"", &right[..7]] {
        fs::write(&checkpoint, content).unwrap();
        let refused = resume(line);
        // Once, and nothing else.
        let damaged = "own.ids.checkpoint: the checkpoint is damaged; remove it and solve again";
        assert_eq!(refused, format!("kostra: {damaged} from the start\n"));
    }
    fs::write(&checkpoint, "the notes of somebody").unwrap();
    assert!(resume(line).contains("not a checkpoint of kostra, so no solve can be resumed"));
    fs::write(&checkpoint, &right).unwrap();
    succeeds(&workplace.shell(&format!("kostra {line} --resume < graph.gr")));
    assert!(workplace.read("own.ids") == workplace.read("right.ids"));
}

#[test]
fn a_file_that_was_written_to_is_not_resumed() {
    let workplace = workplace();
    let line = "solve graph.gr --memory 36MiB --threads 1 --checkpoint 0 -o own.ids";
    // The solve stops at a fault in the last line, so a checkpoint is left.
    let mut text = workplace.read("graph.gr");
    text.replace_range(text.len() - 1.., "x\n");
    workplace.write("graph.gr", &text);
    assert_eq!(workplace.run(line).code, Some(2));
    assert!(workplace.path("own.ids.checkpoint").exists());
    workplace.write("graph.gr", text + "\n");
    let refused = workplace.run(&format!("{line} --resume"));
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("the checkpoint belongs to another solve (size: "));
    let refused = workplace.run(line);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("an interrupted solve left this checkpoint; pass `--resume`"));
    fs::remove_file(workplace.path("own.ids.checkpoint")).unwrap();
    assert!(workplace.run(line).stderr.contains("is not a number"));
}
