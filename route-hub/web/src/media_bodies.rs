//! Bodies that may bring media: they share one bound on the memory that they take.

use crate::{error::ApiError, limits::MEDIA_BODIES_BYTES_MAX};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a body may bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BodySize {
    /// Parameters: 1 MiB.
    #[default]
    Usual,
    /// Media among them: 8 MiB, and a share of what all such bodies may have.
    Media,
    /// As `Media`, or a sheet: rows as text, which are no parameters and are taken as they come.
    MediaOrSheet,
}

/// The bodies that may bring media, as far as they were read and are not answered yet.
#[derive(Debug, Clone, Default)]
pub struct MediaBodies(Arc<AtomicUsize>);

/// What one body holds of them, given back when this is dropped.
#[derive(Debug)]
pub struct MediaBody {
    bodies: MediaBodies,
    bytes: usize,
}

impl MediaBodies {
    /// Begins a body that holds nothing yet.
    pub(crate) fn begin(&self) -> MediaBody {
        MediaBody {
            bodies: self.clone(),
            bytes: 0,
        }
    }
}

impl MediaBody {
    /// Takes room for more bytes.
    ///
    /// # Errors
    /// `unavailable` when all of them together have no room for these.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        let held = self.bodies.0.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
        if held + bytes > MEDIA_BODIES_BYTES_MAX {
            let text = "too many large requests are being read: try again in a moment";
            return Err(ApiError::unavailable(text));
        }
        Ok(())
    }

    /// Gives back all but `bytes`.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        let less = self.bytes.saturating_sub(bytes);
        self.bytes -= less;
        self.bodies.0.fetch_sub(less, Ordering::Relaxed);
    }
}

impl Drop for MediaBody {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bodies_together_have_one_bound_which_each_gives_back() {
        let bodies = MediaBodies::default();
        let mut first = bodies.begin();
        first.grow(MEDIA_BODIES_BYTES_MAX - 1).unwrap();
        let mut second = bodies.begin();
        second.grow(1).unwrap();
        assert!(second.grow(1).is_err());
        drop(second);
        first.shrink_to(10);
        let mut third = bodies.begin();
        third.grow(MEDIA_BODIES_BYTES_MAX - 10).unwrap();
        assert!(bodies.begin().grow(1).is_err());
        drop((first, third));
        bodies.begin().grow(MEDIA_BODIES_BYTES_MAX).unwrap();
    }
}
