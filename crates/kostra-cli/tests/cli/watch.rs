//! `kostra watch` is killed at random moments, and continues from its log.
#![cfg(unix)]

use std::io::{Read, Write};
use std::process::Stdio;
use std::time::Duration;

use kostra_core::random::RandomStream;

use crate::harness::Workplace;

/// The graph after some lines, by its definition.
#[derive(Clone, Default)]
struct Model {
    vertices: usize,
    /// The edges by id; nothing for absent ones.
    edges: Vec<Option<(usize, usize, u32)>>,
}

impl Model {
    fn present(&self) -> Vec<usize> {
        (0..self.edges.len()).filter(|&id| self.edges[id].is_some()).collect()
    }

    /// A vertex comes, so that the number of vertices tells how many lines were applied.
    fn add_vertex(&mut self) -> String {
        self.vertices += 1;
        format!("v n{}\n", self.vertices - 1)
    }

    /// A random line, after it is applied.
    fn change(&mut self, random: impl Fn(u64, usize) -> usize) -> String {
        let present = self.present();
        let weight = 1 + random(1, 1 << 30) as u32;
        match random(0, 10) {
            0..3 if present.len() > 4 => {
                let id = present[random(2, present.len())];
                self.edges[id] = None;
                format!("- {id}\n")
            }
            3 if !present.is_empty() => {
                let id = present[random(2, present.len())];
                self.edges[id].iter_mut().for_each(|edge| edge.2 = weight);
                format!("= {id} {weight}\n")
            }
            _ => {
                let [u, v] = [2, 3].map(|place| random(place, self.vertices));
                self.edges.push(Some((u, v, weight)));
                format!("+ n{u} n{v} {weight}\n")
            }
        }
    }

    /// The last line of the command, as JSON.
    fn summary(&self) -> String {
        let mut edges: Vec<_> = self.edges.iter().flatten().copied().collect();
        edges.sort_by_key(|edge| edge.2);
        let mut components: Vec<usize> = (0..self.vertices).collect();
        let (mut count, mut total) = (self.vertices, 0_u64);
        for &(u, v, weight) in &edges {
            let (u, v) = (components[u], components[v]);
            if u != v {
                components.iter_mut().filter(|of| **of == u).for_each(|of| *of = v);
                (count, total) = (count - 1, total + u64::from(weight));
            }
        }
        format!(
            "{{\"components\":{count},\"edges\":{},\"total_weight\":{total},\"vertices\":{}}}",
            edges.len(),
            self.vertices
        )
    }
}

#[test]
fn a_killed_command_loses_no_answered_update_and_continues_from_its_log() {
    let workplace = Workplace::new();
    let stream = RandomStream::new(11);
    let mut models = vec![Model::default()];
    let mut lines = Vec::new();
    for step in 0..300 {
        let mut model = models[step].clone();
        let random = |place, bound| stream.below(8 * step as u64 + place, bound as u64) as usize;
        lines.push(if step % 2 == 0 { model.add_vertex() } else { model.change(random) });
        models.push(model);
    }
    let (mut applied, mut round) = (0, 0_u64);
    while applied < lines.len() {
        let random = |place, bound| stream.below(1_000_000 + 8 * round + place, bound) as usize;
        let is_old = std::fs::metadata(workplace.path("net.log")).is_ok_and(|log| log.len() > 0);
        let compact = if is_old && random(0, 2) == 0 { " --compact" } else { "" };
        let mut command = workplace.command(&format!("watch --log net.log{compact}"));
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::sleep(Duration::from_micros(random(1, 8_000) as u64));
        let sent = lines.len().min(applied + random(2, 60));
        for line in &lines[applied..sent] {
            stdin.write_all(line.as_bytes()).expect("the command reads all lines");
        }
        std::thread::sleep(Duration::from_micros(random(3, 3_000) as u64));
        child.kill().unwrap();
        let mut answers = String::new();
        child.stdout.take().unwrap().read_to_string(&mut answers).unwrap();
        child.wait().unwrap();
        let answered = applied + answers.lines().count();

        let outcome = workplace.run("watch --log net.log --json");
        assert_eq!(outcome.code, Some(0), "round {round}: {}", outcome.stderr);
        let found = (answered..=sent).find(|&k| models[k].summary() == outcome.stdout.trim());
        applied = found.unwrap_or_else(|| {
            panic!("round {round}, {answered} to {sent} updates: {}", outcome.stdout)
        });
        round += 1;
    }
    assert!(round > 8, "{round}");
    let log = |workplace: &Workplace| std::fs::metadata(workplace.path("net.log")).unwrap().len();
    let before = log(&workplace);
    let outcome = workplace.run("watch --log net.log --compact --json");
    assert_eq!(outcome.stdout.trim(), models[lines.len()].summary());
    assert!(log(&workplace) <= before);
    assert_eq!(workplace.files(), ["net.log"]);
}
