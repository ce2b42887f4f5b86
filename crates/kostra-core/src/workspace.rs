//! Scratch memory that is kept between solves.

use memmap2::MmapMut;

/// One large piece of scratch memory for solvers, which is kept between solves.
///
/// The system provides new memory page by page and clears each page. A program that solves many
/// graphs passes the same workspace to each [`Run`](crate::Run) and pays this cost once. A
/// workspace grows when a graph needs more memory. It never shrinks; drop it to free the memory.
#[derive(Debug, Default)]
pub struct Workspace {
    memory: Option<MmapMut>,
}

impl Workspace {
    /// An empty workspace. It allocates memory when a solver needs it.
    pub fn new() -> Self {
        Self::default()
    }

    /// The size of the memory in bytes.
    pub fn bytes(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len())
    }

    /// At least `bytes` bytes, in words of eight bytes of any content; none when the system refuses
    /// the memory.
    ///
    /// The system backs new memory with physical pages at the first access, on the thread that
    /// accesses it.
    pub fn words(&mut self, bytes: usize) -> Option<&mut [u64]> {
        if self.bytes() < bytes {
            self.memory = None; // frees the old memory before the new is allocated
            let memory = MmapMut::map_anon(bytes.checked_next_multiple_of(1 << 21)?).ok()?;
            // Large pages need fewer page faults and fewer page table entries. The system may
            // decline.
            #[cfg(all(target_os = "linux", not(miri)))] // Miri does not support the call
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
        // Miri takes more than a minute to read all words.
        let step = if cfg!(miri) { 509 } else { 1 };
        assert!(words.len() >= 13 && words.iter().step_by(step).all(|word| *word == 0));
        words[12] = 7;
        let held = workspace.bytes();
        assert_eq!(workspace.words(50).unwrap()[12], 7);
        assert!(workspace.words(held + 1).unwrap().len() * 8 > held);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri stops when memory is refused")]
    fn too_much_memory_is_refused() {
        assert!(Workspace::new().words(usize::MAX).is_none());
        assert!(Workspace::new().words(1 << 60).is_none());
    }
}
