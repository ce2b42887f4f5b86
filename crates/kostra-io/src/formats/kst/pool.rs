//! Arrays that are used again when the block that borrowed them is dropped. So only the first
//! blocks take new memory from the system.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::Zeroable;
use kostra_core::{Column, OutOfMemory, memory};

/// Arrays that nobody borrows.
pub(super) struct Pool<T>(Arc<Mutex<Vec<Vec<T>>>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Copy + Zeroable + Send + Sync + 'static> Pool<T> {
    /// An array of `count` values of any content.
    pub(super) fn lend(&self, count: usize) -> Result<Lent<T>, OutOfMemory> {
        let mut values =
            self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        if values.capacity() < count {
            values = memory::zeros(count)?;
        }
        values.resize(count, T::zeroed());
        Ok(Lent { values, home: self.0.clone() })
    }
}

/// A borrowed array. Dropping it returns it.
pub(super) struct Lent<T> {
    values: Vec<T>,
    home: Arc<Mutex<Vec<Vec<T>>>>,
}

impl<T: Send + Sync + 'static> Lent<T> {
    /// A column of the values, which returns the array when its last copy is dropped.
    pub(super) fn share(self) -> Column<T> {
        Column::shared(Arc::new(self))
    }
}

impl<T> Deref for Lent<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

impl<T> AsRef<[T]> for Lent<T> {
    fn as_ref(&self) -> &[T] {
        &self.values
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        let values = std::mem::take(&mut self.values);
        self.home.lock().unwrap_or_else(PoisonError::into_inner).push(values);
    }
}
