//! Communication between the ranks of a job.
//!
//! [`Communicator`] holds all ranks. Its methods are defined by topic: point-to-point messages and
//! gathers in `messages`, personalized exchanges in `exchange`, reductions in `reduce`, agreement
//! on results in `agree`, messages in device memory in `device_pointers`, phases and their traffic
//! in `phases`, the machines of ranks in `machines`, the processors of a machine in `node`.
//!
//! Errors come in two kinds. A [`Refusal`] is known to all ranks and equal on every rank. A failure
//! that only one rank meets, such as memory that is not granted, would leave the others waiting
//! forever. It therefore [ends the job](Communicator::fail) at once, as does a panic. Errors inside
//! MPI end the job by MPI's own rule. So no function that sends or receives returns a `Result`.

mod agree;
mod communicator;
mod device_pointers;
mod ending;
mod exchange;
mod machines;
mod mailbox;
mod memory;
mod messages;
pub(crate) mod node;
mod parts;
mod phases;
mod reduce;
mod refusal;
mod start;
mod traffic;

pub use communicator::Communicator;
pub(crate) use communicator::Levels;
pub(crate) use device_pointers::takes_device_pointers;
pub use ending::before_ending;
pub use exchange::Route;
pub use mailbox::Mailbox;
pub use memory::ALLOCATOR;
pub(crate) use memory::OUT_OF_MEMORY_ADVICE;
pub use parts::Parts;
pub use reduce::{Reducible, Reduction};
pub use refusal::Refusal;
pub use start::library;
pub use traffic::{PhaseTraffic, Traffic};
