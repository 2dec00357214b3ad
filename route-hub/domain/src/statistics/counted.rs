//! Counting messages: each message once, under what it is now and the quarter hour in which it
//! was made.

use crate::{Currency, Direction, Message, MessageSource, MessageType, status_code};
use postrider_model::{MessageStatus, PhoneId, ProjectId, UnixMs};
use std::ops::{AddAssign, Neg};

/// How long a quarter of an hour is.
const QUARTER_MS: i64 = 900_000;

/// A quarter of an hour of UTC, by its number since 1970. The days of every zone begin with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quarter(pub i64);

impl Quarter {
    /// Returns the quarter hour of a moment.
    pub const fn of(at: UnixMs) -> Self {
        Self(at.0.div_euclid(QUARTER_MS))
    }

    /// Returns when it begins.
    pub const fn start(self) -> UnixMs {
        UnixMs(self.0.saturating_mul(QUARTER_MS))
    }
}

/// What messages are counted by: each combination has a counter of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedBy {
    /// The project.
    pub project_id: ProjectId,
    /// When they were made.
    pub quarter: Quarter,
    /// The phone.
    pub phone_id: PhoneId,
    /// Which way they go.
    pub direction: Direction,
    /// What kind they are.
    pub message_type: MessageType,
    /// Who made them.
    pub source: MessageSource,
    /// How far they have come.
    pub status: MessageStatus,
    /// Whether they are only tests.
    pub simulated: bool,
    /// The network that they went through, where it is known.
    pub network_code: Option<String>,
    /// The currency of what they cost, where that is known.
    pub currency: Option<Currency>,
}

type Order<'c> = (
    i64,
    Quarter,
    i64,
    [i64; 5],
    (Option<&'c str>, Option<Currency>),
);

impl CountedBy {
    /// Returns a key to order counters by, with everything that tells them apart.
    fn order(&self) -> Order<'_> {
        let codes = [
            self.direction.code(),
            self.message_type.code(),
            self.source.code(),
            status_code(self.status),
            i64::from(self.simulated),
        ];
        let network = self.network_code.as_deref();
        let (project, phone) = (self.project_id.get(), self.phone_id.get());
        (
            project,
            self.quarter,
            phone,
            codes,
            (network, self.currency),
        )
    }
}

impl PartialOrd for CountedBy {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CountedBy {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

/// How much was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amounts {
    /// Messages.
    pub count: i64,
    /// Their SMS parts.
    pub num_parts: i64,
    /// Seconds of their calls.
    pub duration_sec: i64,
    /// What they cost, in millionths of the currency.
    pub price: i64,
}

impl Amounts {
    /// Says whether there is nothing to it.
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }
}

impl AddAssign for Amounts {
    fn add_assign(&mut self, more: Self) {
        self.count += more.count;
        self.num_parts += more.num_parts;
        self.duration_sec += more.duration_sec;
        self.price += more.price;
    }
}

impl Neg for Amounts {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            count: -self.count,
            num_parts: -self.num_parts,
            duration_sec: -self.duration_sec,
            price: -self.price,
        }
    }
}

/// What one message is in the statistics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Where it is counted.
    pub by: CountedBy,
    /// With how much.
    pub amounts: Amounts,
}

impl Counted {
    /// Returns what a message is counted as. A call that nobody answered has no seconds.
    pub fn of(message: &Message) -> Self {
        Self {
            by: CountedBy {
                project_id: message.project_id,
                quarter: Quarter::of(message.time_created),
                phone_id: message.phone_id,
                direction: message.direction,
                message_type: message.message_type,
                source: message.source,
                status: message.status,
                simulated: message.simulated,
                network_code: message.network_code.clone(),
                currency: message.price.map(|price| price.currency),
            },
            amounts: Amounts {
                count: 1,
                num_parts: message.num_parts.map_or(0, i64::from),
                duration_sec: message.duration_sec.unwrap_or(0).max(0),
                price: message.price.map_or(0, |price| price.millionths),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_hour_holds_its_first_moment_and_not_its_last() {
        assert_eq!(Quarter::of(UnixMs(0)), Quarter(0));
        assert_eq!(Quarter::of(UnixMs(QUARTER_MS - 1)), Quarter(0));
        assert_eq!(Quarter::of(UnixMs(QUARTER_MS)), Quarter(1));
        assert_eq!(Quarter::of(UnixMs(-1)), Quarter(-1));
        assert_eq!(Quarter(2).start(), UnixMs(2 * QUARTER_MS));
    }
}
