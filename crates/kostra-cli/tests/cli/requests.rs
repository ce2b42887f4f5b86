//! The command answers the requests of `testdata/requests/`.

use std::fmt::Write;

use kostra_testkit::requests::{FaceAnswer, FaceRequest, Requests};

use crate::harness::Workplace;

fn answer(workplace: &Workplace, request: &FaceRequest) -> Result<FaceAnswer, String> {
    let mut line = "solve g.edges --json -o forest".to_owned();
    if let Some(id) = &request.algorithm {
        write!(line, " --algorithm {id}").unwrap();
    }
    if let Some(device) = &request.device {
        write!(line, " --device {device}").unwrap();
    }
    write!(line, " --threads {}", request.threads).unwrap();
    for (name, value) in &request.options {
        write!(line, " --set {name}={value}").unwrap();
    }
    if request.maximum {
        line += " --maximum";
    }
    if let Some(parts) = &request.parts {
        let lines: String = parts.iter().map(|part| format!("{part}\n")).collect();
        workplace.write("parts", lines);
        line += " --partition parts";
    }
    let outcome = workplace.run(&line);
    if outcome.code != Some(0) {
        return Err(outcome.stderr);
    }
    let record = outcome.json();
    let fell_back = record["notes"].to_string().contains("solved on the processor instead");
    let ids = workplace.read("forest").lines().map(|id| id.parse().unwrap()).collect();
    Ok(FaceAnswer { ids, solver: record["algorithm"].as_str().unwrap().to_owned(), fell_back })
}

#[test]
fn the_command_answers_as_all_faces_do() {
    let requests = Requests::load();
    let workplace = Workplace::new();
    let lines = requests.edges.iter().map(|(u, v, weight)| format!("{u} {v} {weight}\n"));
    workplace.write("g.edges", lines.collect::<String>());
    requests.check(|request| Some(answer(&workplace, request)));
}
