//! The hub's side: what a code has been used for.

use super::{Commitment, Joiner, Number, Sha256};

/// How far a code has been used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CodeUse {
    /// No phone has used it.
    #[default]
    Free,
    /// A phone has committed itself and was told the hub's number; its opening is awaited.
    Committed {
        /// What the phone committed itself to.
        commitment: Commitment,
        /// What the hub told it.
        number: Number,
    },
    /// The phone has opened its commitment: key and digits are settled.
    Opened {
        /// What the phone had committed itself to.
        commitment: Commitment,
        /// What the hub had told it.
        number: Number,
    },
    /// It is of no use any more.
    Ended,
}

/// Says that a code is not for this commitment or opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

impl CodeUse {
    /// Takes a phone's commitment and returns the number to tell it; `fresh` is told for the first.
    ///
    /// # Errors
    /// [`Refused`] for any commitment but the first: who could have several numbers told could
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

    /// Takes a phone's opening and returns the six digits; the same opening again has the same.
    ///
    /// # Errors
    /// [`Refused`] for an opening that fits no commitment. The first one that is awaited ends the
    /// code when it does not fit: somebody tries another key.
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
