//! The parts of one hand-over: what the radio and the network said of each.
//!
//! Results and reports come in any order, late, more than once, or never. Their combined result
//! only ever rises: an accepted part stays accepted (its report proves as much), and a final
//! report is never undone by one that is still trying.

use postrider_link::mistake;
use postrider_text::{
    result_code::{Action, RESULT_OK, look_up},
    tp_status::DeliveryOutcome,
};
use std::{fmt, str::FromStr};

/// Most parts of a hand-over; the platform never makes more of a text.
pub(crate) const PARTS_MAX: u8 = 255;

/// What the radio said of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SentResult {
    /// Nothing yet.
    Awaited,
    /// The network accepted it.
    Accepted,
    /// It ended with this code of the platform.
    Failed(i32),
}

/// What the network said of a part's delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// Nothing yet, or nothing that ends it.
    Awaited,
    /// It arrived.
    Delivered,
    /// It will not arrive.
    NotDelivered,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    sent: SentResult,
    report: Report,
}

/// What all parts amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The result of some part is missing.
    AwaitingSent,
    /// The network accepted every part.
    Sent,
    /// Every part ended with a code that proves that nothing went on the air; `code` is the one
    /// that weighs most.
    NeverSent {
        /// The code to act on.
        code: i32,
    },
    /// No part is known to have been sent, but `code` does not prove that none was.
    Ambiguous {
        /// The first code without proof.
        code: i32,
    },
    /// Some parts were sent and some were not.
    Partial {
        /// The first failure's code.
        code: i32,
    },
}

/// What the reports amount to, once every part was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Some report is missing.
    Awaiting,
    /// Every part was delivered.
    Delivered,
    /// Some part never will be.
    NotDelivered,
}

/// All parts of one hand-over, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parts(Vec<Part>);

impl Parts {
    /// Makes a hand-over of `count` parts without results.
    pub fn awaiting(count: u8) -> Self {
        let part = Part {
            sent: SentResult::Awaited,
            report: Report::Awaited,
        };
        Self(vec![part; usize::from(count)])
    }

    /// Returns how many parts there are.
    pub fn count(&self) -> u8 {
        u8::try_from(self.0.len()).unwrap_or(PARTS_MAX)
    }

    /// Returns how many parts provably were not sent.
    pub fn never_left(&self) -> u8 {
        let failed = |part: &&Part| match part.sent {
            SentResult::Failed(code) => look_up(code).is_proof(),
            SentResult::Awaited | SentResult::Accepted => false,
        };
        u8::try_from(self.0.iter().filter(failed).count()).unwrap_or(PARTS_MAX)
    }

    /// Returns how many parts may have been sent.
    pub fn may_have_left(&self) -> u8 {
        self.count() - self.never_left()
    }

    /// Sets the platform's count if it made another number of parts of the text.
    pub fn resize(&mut self, count: u8) {
        let missing = Part {
            sent: SentResult::Awaited,
            report: Report::Awaited,
        };
        self.0.resize(usize::from(count), missing);
    }

    /// Adds a result of a part; returns whether it changed anything.
    ///
    /// The first result stays, except that acceptance replaces a failure.
    pub fn sent(&mut self, part: u8, code: i32) -> bool {
        let Some(part) = self.0.get_mut(usize::from(part)) else {
            return false;
        };
        let result = if code == RESULT_OK {
            SentResult::Accepted
        } else {
            SentResult::Failed(code)
        };
        let counts = match part.sent {
            SentResult::Awaited => true,
            SentResult::Failed(_) => result == SentResult::Accepted,
            SentResult::Accepted => false,
        };
        if counts {
            part.sent = result;
        }
        counts
    }

    /// Adds a report of a part; returns whether it changed anything.
    ///
    /// Any report means that the network had the part.
    pub fn reported(&mut self, part: u8, outcome: DeliveryOutcome) -> bool {
        let Some(part) = self.0.get_mut(usize::from(part)) else {
            return false;
        };
        let before = *part;
        part.sent = SentResult::Accepted;
        part.report = match (part.report, outcome) {
            (Report::Delivered, _) | (_, DeliveryOutcome::Delivered) => Report::Delivered,
            (Report::NotDelivered, _) | (_, DeliveryOutcome::Failed { .. }) => Report::NotDelivered,
            (
                Report::Awaited,
                DeliveryOutcome::Forwarded
                | DeliveryOutcome::Pending
                | DeliveryOutcome::Unrecognised,
            ) => Report::Awaited,
        };
        *part != before
    }

    /// Marks every part as accepted, because the provider has the message as sent.
    pub fn all_accepted(&mut self) {
        for part in &mut self.0 {
            part.sent = SentResult::Accepted;
        }
    }

    /// Returns what the results amount to.
    pub fn verdict(&self) -> Verdict {
        let (mut accepted, mut awaited) = (0, 0);
        let (mut ambiguous, mut weightiest) = (None, None);
        let mut first = None;
        for part in &self.0 {
            match part.sent {
                SentResult::Awaited if mistake::is("first_result_decides") => {}
                SentResult::Awaited => awaited += 1,
                SentResult::Accepted => accepted += 1,
                SentResult::Failed(code) => {
                    first = first.or(Some(code));
                    if !look_up(code).is_proof() && !mistake::is("ambiguous_part_is_proof") {
                        ambiguous = ambiguous.or(Some(code));
                    }
                    weightiest = Some(weightiest.map_or(code, |other| weightier(other, code)));
                }
            }
        }
        match (awaited, accepted, first) {
            (0, _, None) => Verdict::Sent,
            (0, 0, Some(_)) => match (ambiguous, weightiest) {
                (Some(code), _) => Verdict::Ambiguous { code },
                (None, Some(code)) => Verdict::NeverSent { code },
                (None, None) => Verdict::AwaitingSent,
            },
            (0, _, Some(code)) if mistake::is("partial_is_proof") => Verdict::NeverSent { code },
            (0, _, Some(code)) => Verdict::Partial { code },
            (_, _, _) => Verdict::AwaitingSent,
        }
    }

    /// Returns what the reports amount to.
    pub fn delivery(&self) -> Delivery {
        let mut all = true;
        for part in &self.0 {
            match part.report {
                Report::NotDelivered => return Delivery::NotDelivered,
                Report::Awaited => all = false,
                Report::Delivered => {}
            }
        }
        if all {
            Delivery::Delivered
        } else {
            Delivery::Awaiting
        }
    }
}

/// Returns which of two codes with proof decides: a final failure comes before a retry, a retry
/// before a held SIM.
fn weightier(one: i32, other: i32) -> i32 {
    let weight = |code: i32| match look_up(code).action {
        Action::FailAmbiguous => 4,
        Action::FailWithProof => 3,
        Action::RetryMessage => 2,
        Action::HoldSimAndHalvePace => 1,
        Action::HoldSim | Action::Accept => 0,
    };
    if weight(other) > weight(one) {
        other
    } else {
        one
    }
}

/// The text is not a list of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidParts;

impl fmt::Display for InvalidParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not a list of parts")
    }
}

impl std::error::Error for InvalidParts {}

/// Writes the form for the journal, a word for each part: `?` awaited, `+` accepted or the code of
/// a failure; then `d` delivered or `n` not delivered.
impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            match part.sent {
                SentResult::Awaited => f.write_str("?")?,
                SentResult::Accepted => f.write_str("+")?,
                SentResult::Failed(code) => write!(f, "{code}")?,
            }
            f.write_str(match part.report {
                Report::Awaited => "",
                Report::Delivered => "d",
                Report::NotDelivered => "n",
            })?;
        }
        Ok(())
    }
}

impl FromStr for Parts {
    type Err = InvalidParts;

    fn from_str(text: &str) -> Result<Self, InvalidParts> {
        text.split_ascii_whitespace()
            .map(|word| {
                let (sent, report) = match word.as_bytes().last() {
                    Some(b'd') => (&word[..word.len() - 1], Report::Delivered),
                    Some(b'n') => (&word[..word.len() - 1], Report::NotDelivered),
                    _ => (word, Report::Awaited),
                };
                let sent = match sent {
                    "?" => SentResult::Awaited,
                    "+" => SentResult::Accepted,
                    code => SentResult::Failed(code.parse().map_err(|_| InvalidParts)?),
                };
                Ok(Part { sent, report })
            })
            .collect::<Result<Vec<_>, _>>()
            .map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Parts {
        text.parse().unwrap()
    }

    #[test]
    fn the_verdict_waits_for_every_part() {
        assert_eq!(parts("+ ?").verdict(), Verdict::AwaitingSent);
        assert_eq!(parts("? 1").verdict(), Verdict::AwaitingSent);
        assert_eq!(parts("+ +").verdict(), Verdict::Sent);
    }

    #[test]
    fn a_failure_beside_an_accepted_part_is_partial_whatever_its_code() {
        assert_eq!(parts("+ 4").verdict(), Verdict::Partial { code: 4 });
        assert_eq!(parts("1 +").verdict(), Verdict::Partial { code: 1 });
    }

    #[test]
    fn one_code_without_proof_takes_the_proof_from_all() {
        assert_eq!(parts("4 1 3").verdict(), Verdict::Ambiguous { code: 1 });
        assert_eq!(parts("4 13 3").verdict(), Verdict::NeverSent { code: 3 });
        assert_eq!(parts("4 13").verdict(), Verdict::NeverSent { code: 13 });
        assert_eq!(parts("4 5").verdict(), Verdict::NeverSent { code: 5 });
    }

    #[test]
    fn the_first_result_stands_and_only_acceptance_outdoes_it() {
        let mut parts = Parts::awaiting(1);
        assert!(parts.sent(0, 1));
        assert!(!parts.sent(0, 4));
        assert_eq!(parts.verdict(), Verdict::Ambiguous { code: 1 });
        assert!(parts.sent(0, RESULT_OK));
        assert!(!parts.sent(0, 4));
        assert_eq!(parts.verdict(), Verdict::Sent);
        assert!(!parts.sent(7, RESULT_OK));
    }

    #[test]
    fn a_report_proves_that_its_part_was_accepted() {
        let mut parts = Parts::awaiting(2);
        assert!(parts.reported(0, DeliveryOutcome::Pending));
        assert!(!parts.reported(0, DeliveryOutcome::Pending));
        assert_eq!(parts.to_string(), "+ ?");
    }

    #[test]
    fn a_final_report_is_never_undone() {
        let mut parts = parts("+ +");
        let failed = DeliveryOutcome::Failed { permanent: true };
        assert!(parts.reported(0, DeliveryOutcome::Delivered));
        assert!(!parts.reported(0, DeliveryOutcome::Pending));
        assert!(!parts.reported(0, failed));
        assert_eq!(parts.delivery(), Delivery::Awaiting);
        assert!(parts.reported(1, failed));
        assert!(!parts.reported(1, DeliveryOutcome::Unrecognised));
        assert_eq!(parts.delivery(), Delivery::NotDelivered);
        assert!(parts.reported(1, DeliveryOutcome::Delivered));
        assert_eq!(parts.delivery(), Delivery::Delivered);
    }

    #[test]
    fn parts_read_back_as_they_were_written() {
        let mut parts = parts("+d ? 101 +n -1007 +");
        assert_eq!(parts.to_string().parse(), Ok(parts.clone()));
        assert_eq!((parts.count(), parts.never_left()), (6, 0));
        parts.sent(1, 13);
        assert_eq!(parts.never_left(), 1);
        assert!("+ x".parse::<Parts>().is_err());
    }
}
