//! Messages that nobody waits for: posted, and found by looking.
//!
//! For solvers whose ranks answer messages in the order in which they happen to come. MPI keeps the
//! order of messages between two ranks, and promises nothing about those of several.
#![expect(
    unsafe_code,
    reason = "sending without waiting: the safe interface has no sends that own what they send"
)]

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::{ptr, thread};

use bytemuck::Pod;
use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::traits::{Communicator as _, Equivalence, Source};

use crate::Communicator;
use crate::messages::MAIL;

/// A rank's mailbox for messages of some items each. There is one at a time, on every rank.
///
/// Drop it when all that was posted on any rank has been polled: dropping waits until what this
/// rank has posted is on its way, and what has not been polled would turn up in the next mailbox.
pub struct Mailbox<'a, T: Pod> {
    world: &'a Communicator,
    /// What MPI may still read, in the order in which it was posted.
    in_flight: VecDeque<Posted>,
    items: PhantomData<T>,
}

struct Posted {
    request: ffi::MPI_Request,
    /// Neither moved nor changed until the request is done.
    _bytes: Box<[u8]>,
}

impl<'a, T: Pod> Mailbox<'a, T> {
    /// An empty mailbox.
    pub fn new(world: &'a Communicator) -> Self {
        const { assert!(size_of::<T>() > 0, "items have a size") };
        Self { world, in_flight: VecDeque::new(), items: PhantomData }
    }

    /// Sends items to a rank, this one too, as one message, without waiting for anything. Many
    /// items in a message are cheaper than many messages. More than 2^30 bytes end the job: there
    /// is no mail so long.
    pub fn post(&mut self, to: usize, items: &[T]) {
        let bytes: Box<[u8]> = bytemuck::cast_slice(items).into();
        if bytes.len() > self.world.longest {
            self.world.fail(format!("a letter of {} bytes is longer than any may be", bytes.len()));
        }
        self.forget_what_has_left();
        let posted = self.world.counted(1, bytes.len(), || {
            // SAFETY: a null request is what MPI overwrites here; the bytes are as many as stated,
            // and stay where they are, unchanged, until the request is done: see
            // `forget_what_has_left` and `drop`.
            let request = unsafe {
                let mut request = ffi::RSMPI_REQUEST_NULL;
                let (start, count) = (bytes.as_ptr().cast(), bytes.len() as i32);
                let (to, comm) = (to as i32, self.world.world.as_raw());
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

    /// The next message that has come, and the rank that it is from; none if there is none now.
    pub fn poll(&mut self) -> Option<(usize, Vec<T>)> {
        let any = self.world.world.any_process();
        let (message, status) = any.immediate_matched_probe_with_tag(MAIL)?;
        let bytes = status.count(u8::equivalent_datatype()) as usize;
        let mut items = Vec::new();
        self.world.grow(&mut items, bytes / size_of::<T>());
        self.world.counted(0, 0, || {
            message.matched_receive_into(bytemuck::cast_slice_mut::<T, u8>(&mut items))
        });
        self.forget_what_has_left();
        Some((status.source_rank() as usize, items))
    }

    /// Waits until there is a message for this rank, but looks at most `polls` times. Yields the
    /// processor after each look in vain, since there may be fewer processors than ranks. Returns
    /// how many looks were in vain.
    pub fn wait(&self, polls: u32) -> u32 {
        let any = self.world.world.any_process();
        let is_empty = || any.immediate_probe_with_tag(MAIL).is_none();
        self.world.counted(0, 0, || {
            let in_vain = (0..polls).take_while(|_| is_empty()).map(|_| thread::yield_now());
            in_vain.count() as u32
        })
    }

    /// Lets go of messages that MPI is done with.
    fn forget_what_has_left(&mut self) {
        while let Some(first) = self.in_flight.front_mut() {
            let mut done = 0;
            // SAFETY: the request is one that MPI has made, and is not done yet, or null, which MPI
            // takes for done.
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
            // SAFETY: as in `forget_what_has_left`.
            unsafe { ffi::MPI_Wait(&mut posted.request, ffi::RSMPI_STATUS_IGNORE) };
        }
    }
}
