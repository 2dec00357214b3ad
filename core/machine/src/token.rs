//! Names for exposures and hand-overs.

use postrider_model::MessageId;
use std::fmt;

/// One exposure of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageRef {
    /// The message.
    pub id: MessageId,
    /// The exposure.
    pub ep: u32,
}

impl fmt::Display for MessageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.id, self.ep)
    }
}

/// One hand-over to the radio: every result and report names it.
///
/// The attempt is part of it, so that a late result of an attempt that failed with proof is never
/// mistaken for a result of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SendToken {
    /// The exposure.
    pub message: MessageRef,
    /// Which try of this exposure, from 1.
    pub attempt: u32,
}

impl fmt::Display for SendToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.message, self.attempt)
    }
}
