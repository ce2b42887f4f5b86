//! Scratch memory that outlives a solve.

use memmap2::MmapMut;

/// Scratch memory for solvers that want one large piece, kept from solve to solve.
///
/// The system hands out fresh memory page by page and clears each page. A program that solves many
/// graphs gives the same workspace to each [`Run`](crate::Run) and pays for that once. A workspace
/// grows when a graph needs more and never shrinks; drop it to give the memory back.
#[derive(Debug, Default)]
pub struct Workspace {
    memory: Option<MmapMut>,
}

impl Workspace {
    /// An empty workspace. It takes memory when a solver asks for it.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes it holds.
    pub fn bytes(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len())
    }

    /// This many bytes or more, in words of eight; what they hold is whatever was left in them.
    ///
    /// Memory that nobody has written to yet is not backed by the machine's: that happens at the
    /// first touch, by the thread that touches it.
    pub fn words(&mut self, bytes: usize) -> Option<&mut [u64]> {
        if self.bytes() < bytes {
            // Free the old memory first, so that the two never exist together.
            self.memory = None;
            let memory = MmapMut::map_anon(bytes.checked_next_multiple_of(1 << 21)?).ok()?;
            // Fewer first touches and fewer entries of the page table. The system may decline.
            #[cfg(all(target_os = "linux", not(miri)))] // Miri does not know the call
            let _ = memory.advise(memmap2::Advice::HugePage);
            self.memory = Some(memory);
        }
        match &mut self.memory {
            Some(memory) => Some(bytemuck::cast_slice_mut(memory)),
            None => Some(&mut []),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_grows_and_stays() {
        let mut workspace = Workspace::new();
        assert_eq!(workspace.words(0).unwrap().len(), 0);
        let words = workspace.words(100).unwrap();
        assert!(words.len() >= 13 && words.iter().all(|word| *word == 0));
        words[12] = 7;
        let held = workspace.bytes();
        assert_eq!(workspace.words(50).unwrap()[12], 7);
        assert!(workspace.words(held + 1).unwrap().len() * 8 > held);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri stops when memory is refused")]
    fn more_than_there_is_is_not_granted() {
        assert!(Workspace::new().words(usize::MAX).is_none());
        assert!(Workspace::new().words(1 << 60).is_none());
    }
}
