//! The thread that takes blocks from the queue and solves.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use kostra_core::WeightType;
use kostra_io::{EdgeBlock, EdgesSeen, StreamFacts};

use super::budget::Held;
use super::checkpoint::{Before, CheckpointFile};
use super::error::{CheckpointFault, ExternalError};
use super::reader::{Message, Summary};
use super::sink::{AnySink, FinalForest, Settings};

/// The vertices for which reading leaves memory, if the number of vertices is not known.
const LIKELY_VERTICES: u32 = 1 << 16;

/// The state of a solve.
pub(super) struct Intake {
    settings: Settings,
    facts: StreamFacts,
    /// None before the first block.
    sink: Option<AnySink>,
    /// The edges of the input that a resumed solve does not solve again, and their checksum.
    before: Option<Before>,
    checkpoint: Option<CheckpointFile>,
    /// The checksum of all edges so far, if there are checkpoints.
    checksum: u64,
    /// The number of edges that the checkpoint covers, if one was resumed.
    pub(super) resumed_after: Option<u64>,
    /// The time that was spent with edges, and not waiting for them.
    pub(super) busy: Duration,
}

impl Intake {
    /// Starts with no edges, or with those of a checkpoint.
    ///
    /// # Errors
    /// When the checkpoint is damaged or of another input.
    pub(super) fn start(
        checkpoint: Option<CheckpointFile>,
        settings: Settings,
    ) -> Result<Self, ExternalError> {
        let start = Instant::now();
        let saved = match &checkpoint {
            Some(checkpoint) => checkpoint.load(&settings)?,
            None => None,
        };
        let (sink, before) = saved.unzip();
        Ok(Self {
            settings,
            facts: StreamFacts::default(),
            sink,
            before,
            checkpoint,
            checksum: EdgesSeen::default().checksum(),
            resumed_after: before.map(|before| before.edges),
            busy: start.elapsed(),
        })
    }

    /// Takes all blocks.
    ///
    /// # Errors
    /// When the budget is too small, or the input is not that of the checkpoint.
    pub(super) fn take_all(&mut self, queue: Receiver<Message>) -> Result<(), ExternalError> {
        for message in queue {
            let start = Instant::now();
            match message {
                Message::Begin(facts) => self.begin(facts)?,
                Message::Hold(bytes, answer) => {
                    let missing = self.hold(bytes)?;
                    // A reader that has stopped does not wait for the answer.
                    let _ = answer.send(missing);
                }
                Message::Block(block, checksum) => self.take(block, checksum)?,
            }
            self.busy += start.elapsed();
        }
        Ok(())
    }

    /// Refuses a budget that is too small before the edges are read.
    fn begin(&mut self, facts: StreamFacts) -> Result<(), ExternalError> {
        self.facts = facts;
        if self.settings.memory.hold(Held { stated: facts.held_bytes, asked: 0 }) {
            // The sink of a checkpoint was made before this was known.
            self.resize_sink()?;
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

    /// Reserves the memory that reading holds besides blocks and what it stated at its beginning.
    /// Returns the least limit that suffices, in bytes, if the present one does not.
    fn hold(&mut self, bytes: u64) -> Result<Option<u64>, ExternalError> {
        let mut memory = self.settings.memory.clone();
        if !memory.hold(Held { stated: self.facts.held_bytes, asked: bytes }) {
            return Ok(None);
        }
        let so_far = self.sink.as_ref().map_or(0, AnySink::vertices).max(LIKELY_VERTICES);
        let vertices = self.facts.vertices.unwrap_or(so_far);
        match memory.check(vertices, self.facts.weight_type.unwrap_or(WeightType::F64)) {
            Err(ExternalError::Limit { least, .. }) => Ok(Some(least)),
            Err(error) => Err(error),
            Ok(()) => {
                self.settings.memory = memory;
                self.resize_sink()?;
                Ok(None)
            }
        }
    }

    /// Resizes the sink to what the memory leaves for it.
    fn resize_sink(&mut self) -> Result<(), ExternalError> {
        if let Some(sink) = self.sink.take() {
            let vertices = sink.vertices();
            self.sink = Some(sink.grow(vertices, &self.settings)?);
        }
        Ok(())
    }

    fn take(&mut self, block: EdgeBlock, checksum: u64) -> Result<(), ExternalError> {
        let EdgeBlock { first, edges } = block;
        self.checksum = checksum;
        if let Some(before) = self.before {
            let end = first + edges.edges() as u64;
            if end == before.edges && checksum != before.checksum {
                return Err(self.other_edges(before));
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
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.save_if_due(&mut sink, checksum);
        }
        self.sink = Some(sink);
        Ok(())
    }

    /// What the reader needs for checkpoints: where to start the checksum, if there are any, and
    /// the number of edges that the checkpoint covers.
    pub(super) fn covered(&self) -> (Option<EdgesSeen>, u64) {
        let seen = self.checkpoint.as_ref().map(|_| EdgesSeen::default());
        (seen, self.before.map_or(0, |before| before.edges))
    }

    fn other_edges(&self, before: Before) -> ExternalError {
        let path = self.checkpoint.as_ref().map(|checkpoint| checkpoint.path().to_owned());
        let fault = CheckpointFault::OtherEdges { edges: before.edges };
        ExternalError::checkpoint(path.unwrap_or_default(), fault)
    }

    /// The forest of all edges, and the checkpoint.
    ///
    /// # Errors
    /// When the input ends before the edges of the checkpoint do.
    pub(super) fn finish(
        mut self,
        summary: &Summary,
    ) -> Result<(FinalForest, Option<CheckpointFile>), ExternalError> {
        if let Some(before) = self.before
            && (summary.edges < before.edges || self.checksum != before.checksum)
        {
            return Err(self.other_edges(before));
        }
        let sink = match self.sink.take() {
            Some(sink) => sink,
            None => {
                let weight_type = self.facts.weight_type.unwrap_or(WeightType::I32);
                AnySink::new(weight_type, summary.vertices, &self.settings)?
            }
        };
        Ok((sink.finish(summary.vertices)?, self.checkpoint))
    }
}
