//! The hub's side: how far a code has been used.

use super::{Commitment, Joiner, Number, Sha256};

/// How far a code has been used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CodeUse {
    /// No phone has used it.
    #[default]
    Free,
    /// A phone has made its commitment and got the hub's number; its opening is awaited.
    Committed {
        /// The phone's commitment.
        commitment: Commitment,
        /// The hub's number for it.
        number: Number,
    },
    /// The phone has opened its commitment: key and digits are fixed.
    Opened {
        /// The phone's commitment.
        commitment: Commitment,
        /// The hub's number for it.
        number: Number,
    },
    /// It can no longer be used.
    Ended,
}

/// The code does not accept this commitment or opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

impl CodeUse {
    /// Accepts a phone's commitment and returns the number for it; `fresh` is used for the first.
    ///
    /// # Errors
    /// [`Refused`] for any commitment but the first: a phone that could get several numbers could
    /// choose the digits.
    pub fn commit(&mut self, commitment: Commitment, fresh: Number) -> Result<Number, Refused> {
        match self {
            Self::Free => {
                *self = Self::Committed {
                    commitment,
                    number: fresh,
                };
                Ok(fresh)
            }
            Self::Committed {
                commitment: first,
                number,
            }
            | Self::Opened {
                commitment: first,
                number,
            } if *first == commitment => Ok(*number),
            Self::Committed { .. } | Self::Opened { .. } | Self::Ended => Err(Refused),
        }
    }

    /// Accepts a phone's opening and returns the six digits; the same opening again gives the same.
    ///
    /// # Errors
    /// [`Refused`] for an opening that fits no commitment. A first opening that does not fit ends
    /// the code, because somebody is trying another key.
    pub fn open(
        &mut self,
        joiner: &Joiner<'_>,
        theirs: &Number,
        sha256: Sha256,
    ) -> Result<String, Refused> {
        let (commitment, number, is_first) = match self {
            Self::Committed { commitment, number } => (*commitment, *number, true),
            Self::Opened { commitment, number } => (*commitment, *number, false),
            Self::Free | Self::Ended => return Err(Refused),
        };
        let fits = joiner.commitment(theirs, sha256) == commitment;
        match (fits, is_first) {
            (true, _) => {
                *self = Self::Opened { commitment, number };
                Ok(joiner.digits(theirs, &number, sha256))
            }
            (false, true) => {
                *self = Self::Ended;
                Err(Refused)
            }
            (false, false) => Err(Refused),
        }
    }
}
