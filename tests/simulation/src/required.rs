//! What the seeds of CI must have reached: a range that never gets there proves nothing about it.

use crate::coverage::Mark;

/// Every fault and state that must come up.
pub const REQUIRED: &[Mark] = &[];
