//! Arrays that are used again when the block that borrowed them is dropped. So only the first
//! blocks take new memory from the system.

use std::ops::{Deref, DerefMut, Range};
use std::sync::{Arc, Mutex};

use bytemuck::Pod;
use kostra_core::{Column, OutOfMemory, memory};
use kostra_parallel::lock;

use super::direct::PAGE;

/// Arrays that nobody borrows.
pub(super) struct Pool<T>(Arc<Mutex<Vec<Vec<T>>>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Pod + Send + Sync> Pool<T> {
    /// An array of `count` values of any content, to be read from `offset` in a file. Where a page
    /// of the file starts, a page of memory starts. `offset` is a multiple of the size of a value.
    pub(super) fn lend(&self, count: usize, offset: u64) -> Result<Lent<T>, OutOfMemory> {
        let mut memory = lock(&self.0).pop().unwrap_or_default();
        let page = PAGE / size_of::<T>();
        let length = count + 3 * page;
        if memory.len() < length {
            memory = memory::zeros(length)?;
        }
        let pages = memory.as_ptr().align_offset(PAGE);
        let start = pages + offset as usize % PAGE / size_of::<T>();
        let end = start + count;
        let pages = pages..pages + (end - pages).next_multiple_of(page);
        Ok(Lent { memory, pages, values: start..end, home: self.0.clone() })
    }
}

/// A borrowed array. Dropping it returns it.
pub(super) struct Lent<T> {
    memory: Vec<T>,
    values: Range<usize>,
    /// The whole pages around the values.
    pages: Range<usize>,
    home: Arc<Mutex<Vec<Vec<T>>>>,
}

impl<T: Pod> Lent<T> {
    /// The bytes of the whole pages around the values, and how many of them precede the values.
    pub(super) fn pages(&mut self) -> (&mut [u8], usize) {
        let before = (self.values.start - self.pages.start) * size_of::<T>();
        (bytemuck::cast_slice_mut(&mut self.memory[self.pages.clone()]), before)
    }
}

impl<T: Pod + Send + Sync> Lent<T> {
    /// A column of the values as a type of their size, which returns the array when its last copy
    /// is dropped.
    pub(super) fn share<As: Pod>(self) -> Column<As> {
        Column::shared(Arc::new(self))
    }
}

impl<T> Deref for Lent<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory[self.values.clone()]
    }
}

impl<T> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[self.values.clone()]
    }
}

impl<T: Pod, As: Pod> AsRef<[As]> for Lent<T> {
    fn as_ref(&self) -> &[As] {
        bytemuck::cast_slice(&self.memory[self.values.clone()])
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.memory);
        lock(&self.home).push(memory);
    }
}
