//! The phone's side: it opens its commitment once.

use super::{Commitment, Joiner, Number, Sha256};

/// A phone that has made its commitment and awaits the hub's number.
#[derive(Debug)]
pub struct PhoneSide {
    number: Number,
    commitment: Commitment,
}

/// What a phone sends and shows once it knows the hub's number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The number in its commitment.
    pub number: Number,
    /// The six digits that both sides show.
    pub digits: String,
}

impl PhoneSide {
    /// Commits a phone to its key and to a number drawn only for this pairing.
    pub fn new(joiner: &Joiner<'_>, number: Number, sha256: Sha256) -> Self {
        Self {
            number,
            commitment: joiner.commitment(&number, sha256),
        }
    }

    /// Returns what the phone sends first, and again until it is answered.
    pub fn commitment(&self) -> Commitment {
        self.commitment
    }

    /// Opens the commitment for the hub's number.
    ///
    /// This ends the phone's side: after the opening its number is known, and whoever could still
    /// choose the hub's could choose the digits.
    pub fn told(self, joiner: &Joiner<'_>, hubs: &Number, sha256: Sha256) -> Opening {
        Opening {
            number: self.number,
            digits: joiner.digits(&self.number, hubs, sha256),
        }
    }
}
