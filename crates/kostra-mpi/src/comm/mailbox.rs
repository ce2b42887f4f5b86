//! Asynchronous messages: posted without waiting, and received by polling.
//!
//! For solvers whose ranks answer messages in the order of arrival. MPI keeps the order of the
//! messages between two ranks. It promises nothing about the order of messages from several ranks.
#![expect(
    unsafe_code,
    reason = "asynchronous sends: the safe interface has none that owns its buffer"
)]

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::{ptr, thread};

use bytemuck::Pod;
use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::traits::{Communicator as _, Equivalence, Source};

use super::communicator::Communicator;
use super::messages::MAIL;
use super::traffic::Traffic;

/// A rank's mailbox. A message is an array of `T`. Every rank has at most one mailbox at a time.
///
/// Drop the mailbox only when all messages of all ranks have been polled. Dropping waits until the
/// messages that this rank has posted are sent. A message that was not polled would arrive in the
/// next mailbox.
pub struct Mailbox<'a, T: Pod> {
    world: &'a Communicator,
    /// Messages that MPI may still read, in the order of posting.
    in_flight: VecDeque<Posted>,
    items: PhantomData<T>,
}

struct Posted {
    request: ffi::MPI_Request,
    /// Neither moved nor changed until the request is complete.
    _bytes: Box<[u8]>,
}

impl<'a, T: Pod> Mailbox<'a, T> {
    /// An empty mailbox.
    pub fn new(world: &'a Communicator) -> Self {
        const { assert!(size_of::<T>() > 0, "items have a size") };
        Self { world, in_flight: VecDeque::new(), items: PhantomData }
    }

    /// Sends `items` to rank `to` as one message, without waiting. `to` may be this rank. One
    /// message of many items costs less than many messages. More than 2^30 bytes end the job.
    pub fn post(&mut self, to: usize, items: &[T]) {
        let bytes: Box<[u8]> = bytemuck::cast_slice(items).into();
        if bytes.len() > self.world.longest_message() {
            self.world
                .fail(format!("a message of {} bytes is too long for a mailbox", bytes.len()));
        }
        self.release_sent();
        let posted = self.world.counted(self.world.sent_to(to, bytes.len()), || {
            // SAFETY: MPI overwrites the null request. The length of `bytes` is as stated. The
            // bytes stay in place, unchanged, until the request is complete: see `release_sent`
            // and `drop`.
            let request = unsafe {
                let mut request = ffi::RSMPI_REQUEST_NULL;
                let (start, count) = (bytes.as_ptr().cast(), bytes.len() as i32);
                let (to, comm) = (to as i32, self.world.ranks.as_raw());
                ffi::MPI_Isend(
                    start,
                    count,
                    ffi::RSMPI_UINT8_T,
                    to,
                    MAIL,
                    comm,
                    ptr::from_mut(&mut request),
                );
                request
            };
            Posted { request, _bytes: bytes }
        });
        self.in_flight.push_back(posted);
    }

    /// The next message that has arrived, with the rank that sent it; `None` if there is none yet.
    pub fn poll(&mut self) -> Option<(usize, Vec<T>)> {
        let any = self.world.ranks.any_process();
        let (message, status) = any.immediate_matched_probe_with_tag(MAIL)?;
        let bytes = status.count(u8::equivalent_datatype()) as usize;
        let mut items = Vec::new();
        self.world.grow(&mut items, bytes / size_of::<T>());
        self.world.counted(Traffic::default(), || {
            message.matched_receive_into(bytemuck::cast_slice_mut::<T, u8>(&mut items))
        });
        self.release_sent();
        Some((status.source_rank() as usize, items))
    }

    /// Waits until a message has arrived for this rank, for at most `polls` polls. Yields the
    /// processor after each poll that finds nothing, because there may be fewer processors than
    /// ranks. Returns the number of polls that found nothing.
    pub fn wait(&self, polls: u32) -> u32 {
        let any = self.world.ranks.any_process();
        let is_empty = || any.immediate_probe_with_tag(MAIL).is_none();
        self.world.counted(Traffic::default(), || {
            let idle = (0..polls).take_while(|_| is_empty()).map(|_| thread::yield_now());
            self.world.waited(|| idle.count() as u32)
        })
    }

    /// Releases the messages that MPI has sent.
    fn release_sent(&mut self) {
        while let Some(first) = self.in_flight.front_mut() {
            let mut done = 0;
            // SAFETY: MPI has made the request and has not completed it, or the request is null,
            // which MPI reports as complete.
            unsafe { ffi::MPI_Test(&mut first.request, &mut done, ffi::RSMPI_STATUS_IGNORE) };
            if done == 0 {
                return;
            }
            self.in_flight.pop_front();
        }
    }
}

impl<T: Pod> Drop for Mailbox<'_, T> {
    fn drop(&mut self) {
        for posted in &mut self.in_flight {
            // SAFETY: as in `release_sent`.
            unsafe { ffi::MPI_Wait(&mut posted.request, ffi::RSMPI_STATUS_IGNORE) };
        }
    }
}
