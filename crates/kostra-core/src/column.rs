//! One array of a graph: owned, or borrowed from an owner such as a memory map or a foreign array.

use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

/// A read-only array of `T` with any owner.
#[derive(Clone)]
pub struct Column<T: 'static>(Repr<T>);

#[derive(Clone)]
enum Repr<T: 'static> {
    Owned(Vec<T>),
    Shared(Arc<dyn AsRef<[T]> + Send + Sync>),
}

impl<T> Column<T> {
    /// A column that borrows its memory from `owner`. Every clone keeps the owner alive.
    ///
    /// `owner` must return the same slice every time, because a graph checks the slice once.
    pub fn shared(owner: Arc<dyn AsRef<[T]> + Send + Sync>) -> Self {
        Self(Repr::Shared(owner))
    }
}

impl<T> Deref for Column<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Repr::Owned(values) => values,
            Repr::Shared(owner) => (**owner).as_ref(),
        }
    }
}

impl<T> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Repr::Owned(values))
    }
}

impl<T: Debug> Debug for Column<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}
