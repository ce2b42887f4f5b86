//! The thread that takes blocks from the queue and solves.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use kostra::io::{EdgeBlock, EdgesSeen, StreamFacts};
use kostra_core::WeightType;

use super::checkpoint::Saver;
use super::engine::{Memory, Settings};
use super::reader::{Message, Summary};
use super::sink::{AnySink, Found};
use super::{External, checkpoint};

/// The state of a solve.
pub(super) struct Intake<'a> {
    settings: Settings,
    facts: StreamFacts,
    /// None before the first block.
    sink: Option<AnySink>,
    /// The edges of the input that a resumed solve does not solve again, and their checksum.
    before: Option<Before>,
    saver: Option<Saver<'a>>,
    /// The checksum of all edges so far, if there are checkpoints.
    checksum: u64,
    notes: Vec<String>,
    /// The time that was spent with edges, and not waiting for them.
    pub(super) busy: Duration,
}

/// The edges that a checkpoint covers.
#[derive(Clone, Copy)]
pub(super) struct Before {
    pub(super) edges: u64,
    pub(super) checksum: u64,
}

impl<'a> Intake<'a> {
    /// Starts with no edges, or with those of a checkpoint.
    ///
    /// # Errors
    /// When the checkpoint is damaged or of another input.
    pub(super) fn start(external: &'a External, settings: Settings) -> anyhow::Result<Self> {
        let mut intake = Self {
            settings,
            facts: StreamFacts::default(),
            sink: None,
            before: None,
            saver: external.checkpoints.as_ref().map(Saver::new),
            checksum: EdgesSeen::default().checksum(),
            notes: Vec::new(),
            busy: Duration::ZERO,
        };
        if let (Some(checkpoints), true) = (&external.checkpoints, external.resume) {
            let start = Instant::now();
            let (found, note) = checkpoint::load(checkpoints, &intake.settings)?;
            intake.notes.push(note);
            if let Some((sink, before)) = found {
                (intake.sink, intake.before) = (Some(sink), Some(before));
            }
            intake.busy += start.elapsed();
        }
        Ok(intake)
    }

    /// Takes all blocks.
    ///
    /// # Errors
    /// When the budget is too small, or the input is not that of the checkpoint.
    pub(super) fn take_all(&mut self, queue: Receiver<Message>) -> anyhow::Result<()> {
        for message in queue {
            let start = Instant::now();
            match message {
                Message::Begin(facts) => self.begin(facts)?,
                Message::Block(block, checksum) => self.take(block, checksum)?,
            }
            self.busy += start.elapsed();
        }
        Ok(())
    }

    /// Refuses a budget that is too small before the edges are read.
    fn begin(&mut self, facts: StreamFacts) -> anyhow::Result<()> {
        self.facts = facts;
        if let (Memory::Host(budget), 1..) = (&mut self.settings.memory, facts.held_bytes) {
            *budget = budget.holding(facts.held_bytes);
            // The sink of a checkpoint was made before this was known.
            if let Some(sink) = self.sink.take() {
                let vertices = sink.vertices();
                self.sink = Some(sink.grow(vertices, &self.settings)?);
            }
        }
        if self.sink.is_some() {
            return Ok(());
        }
        let memory = &self.settings.memory;
        match (facts.vertices, facts.weight_type) {
            (Some(vertices), Some(weight_type)) => {
                self.sink = Some(AnySink::new(weight_type, vertices, &self.settings)?);
                Ok(())
            }
            // The narrowest type that the weights can have.
            (Some(vertices), None) => memory.check(vertices, WeightType::I32),
            (None, _) => memory.check_reading(),
        }
    }

    fn take(&mut self, block: EdgeBlock, checksum: u64) -> anyhow::Result<()> {
        let EdgeBlock { first, edges } = block;
        self.checksum = checksum;
        if let Some(before) = self.before {
            let end = first + edges.edges() as u64;
            if end == before.edges && checksum != before.checksum {
                return Err(checkpoint::other_edges(before.edges));
            }
            self.before = Some(before).filter(|before| end < before.edges);
            if end <= before.edges {
                return Ok(());
            }
        }
        let needed = self.facts.vertices.unwrap_or(edges.vertices());
        let mut sink = match self.sink.take() {
            Some(sink) => sink,
            None => AnySink::new(edges.weight_type(), needed, &self.settings)?,
        };
        if needed > sink.vertices() {
            sink = sink.grow(needed, &self.settings)?;
        }
        let mut sink = sink.add(first, &edges, &self.settings)?;
        if let Some(saver) = &mut self.saver {
            saver.save_if_due(&mut sink, checksum);
        }
        self.sink = Some(sink);
        Ok(())
    }

    /// What the reader needs for checkpoints: where to start the checksum, if there are any, and
    /// the number of edges that the checkpoint covers.
    pub(super) fn checkpoint(&self) -> (Option<EdgesSeen>, u64) {
        let seen = self.saver.as_ref().map(|_| EdgesSeen::default());
        (seen, self.before.map_or(0, |before| before.edges))
    }

    /// The forest of all edges, and notes.
    ///
    /// # Errors
    /// When the input ends before the edges of the checkpoint do.
    pub(super) fn finish(mut self, summary: &Summary) -> anyhow::Result<(Found, Vec<String>)> {
        if let Some(before) = self.before
            && (summary.edges < before.edges || self.checksum != before.checksum)
        {
            return Err(checkpoint::other_edges(before.edges));
        }
        let sink = match self.sink.take() {
            Some(sink) => sink,
            None => {
                let weight_type = self.facts.weight_type.unwrap_or(WeightType::I32);
                AnySink::new(weight_type, summary.vertices, &self.settings)?
            }
        };
        self.notes.extend(self.saver.and_then(Saver::into_note));
        Ok((sink.finish(summary.vertices)?, self.notes))
    }
}
