//! The proof that a forest found within limited memory is right, by a second pass over the input.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use kostra_core::{
    BlockVerifier, Certificate, Edges, Encoding, Key, VerifyError, Violation, bits_of, memory,
    with_graph,
};
use kostra_io::{EdgeBlock, Input};

use super::reader::{self, Message, Progress, QUEUED, Queue, Reading, Source, version};
use super::sink::{is_wider, widened};
use super::{ExternalError, ExternalForest};

impl ExternalForest {
    /// Proves that this is the canonical forest of the input, or finds the first violation, by
    /// reading the input once more. Trusts neither the solver nor a checkpoint. The memory is
    /// within the limit of the solve.
    ///
    /// `progress` is as in [`ExternalSolve::progress`](super::ExternalSolve::progress).
    ///
    /// # Errors
    /// When the input is standard input, or has changed, or the system refuses memory.
    pub fn verify(
        &self,
        source: Source<'_>,
        progress: Progress<'_>,
    ) -> Result<Result<Certificate, Violation>, ExternalError> {
        if let Source::File(Input::Stdin, _) = source {
            return Err(ExternalError::ReadOnce);
        }
        let verdict = match self.forest.weight_type().bits() {
            32 => self.verify_with::<u32>(source, progress),
            _ => self.verify_with::<u64>(source, progress),
        };
        let unchanged = match (version(source), self.reading.version) {
            (Some(now), Some(then)) => now.is_unchanged_since(&then),
            (now, then) => now.is_none() && then.is_none(),
        };
        if !unchanged {
            // A fault of a file that has changed is none.
            return Err(ExternalError::Changed);
        }
        match verdict {
            Ok(certificate) => Ok(Ok(certificate)),
            Err(Stop::Verdict(error)) => Ok(Err(error.violation()?)),
            Err(Stop::Fault(error)) => Err(error),
        }
    }

    fn verify_with<K: Key>(
        &self,
        source: Source<'_>,
        progress: Progress<'_>,
    ) -> Result<Certificate, Stop> {
        let Reading { order, threads, block_edges, .. } = self.reading;
        let mut verifier = BlockVerifier::new(self.forest.edges_in::<K>(order), &self.ids)?;
        let (sender, receiver) = sync_channel(QUEUED);
        thread::scope(|scope| {
            let queue = Queue::new(sender, None, 0);
            let read = move || reader::read(source, block_edges, threads, progress, queue);
            let reader = scope.spawn(read);
            // An error drops the receiver, which stops the reader.
            let checked = self.check_all(&mut verifier, receiver);
            let read = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            checked.and(read.map(drop).map_err(Stop::Fault))
        })?;
        Ok(verifier.finish().map_err(VerifyError::from)?)
    }

    /// Compares all blocks with the forest.
    fn check_all<K: Key>(
        &self,
        verifier: &mut BlockVerifier<'_, K>,
        queue: Receiver<Message>,
    ) -> Result<(), Stop> {
        let (order, wide) = (self.reading.order, self.forest.weight_type());
        for message in queue {
            let edges = match message {
                Message::Begin(_) => continue,
                Message::Hold(_, answer) => {
                    // The solve, which takes more memory, has read the same input.
                    let _ = answer.send(None);
                    continue;
                }
                Message::Block(EdgeBlock { edges, .. }, _) => edges,
            };
            let narrow = edges.weight_type();
            let checked = if is_wider(wide, narrow) {
                let weights = with_graph!(&edges, graph => {
                    widened(bits_of(graph.edge_list().weights()), (narrow, wide))
                });
                let weights = memory::collected(
                    weights.map_err(VerifyError::from)?.into_iter().map(K::from_u64),
                );
                let weights = weights.map_err(VerifyError::from)?;
                let (ends, encoding) = ((edges.u(), edges.v()), Encoding::of_type(wide, order));
                verifier.check(Edges::of_checked(edges.vertices(), ends, &weights, encoding))
            } else if narrow == wide {
                verifier.check(edges.edges_in(order))
            } else {
                return Err(Stop::Fault(ExternalError::TwoTypes(narrow, wide)));
            };
            checked.map_err(VerifyError::from)?;
        }
        Ok(())
    }
}

/// Why the second pass ends early.
enum Stop {
    Verdict(VerifyError),
    Fault(ExternalError),
}

impl From<VerifyError> for Stop {
    fn from(error: VerifyError) -> Self {
        Self::Verdict(error)
    }
}
