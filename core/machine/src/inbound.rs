//! Messages that come in: each once, in order.
//!
//! The platform may tell of a message by broadcast, again by broadcast, and from its provider; it
//! may also fail to broadcast at all. One message is recognised by SIM, sender, service-centre time
//! and text together, never by its text alone; and where all four agree, the provider's row tells
//! two true copies apart. So a second broadcast of the same four counts as a repeat, and a second
//! row of them as a second message.

use crate::{
    change::{Change, SeenRow},
    fact::ReceivedSms,
};
use postrider_link::frame::Kind;
use postrider_model::{Now, UnixMs};
use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    str::FromStr,
};

/// How long a message is remembered; the provider is scanned 24 h back.
pub const SEEN_MS: i64 = 259_200_000;
/// Most messages that are remembered; when full, the oldest is forgotten before its time.
pub const SEEN_MAX: usize = 20_000;

/// How something came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A text message.
    Sms,
    /// A data message.
    DataSms,
    /// A multimedia message.
    Mms,
    /// The answer to a USSD code.
    Ussd,
    /// A call.
    Call,
}

impl Source {
    /// Returns the name that the journal keeps.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sms => "sms",
            Self::DataSms => "data_sms",
            Self::Mms => "mms",
            Self::Ussd => "ussd",
            Self::Call => "call",
        }
    }

    /// Returns the kind that the hub is told.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Sms => Kind::Sms,
            Self::DataSms => Kind::DataSms,
            Self::Mms => Kind::Mms,
            Self::Ussd => Kind::Ussd,
            Self::Call => Kind::Call,
        }
    }
}

/// Says that a name is none of a [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSuchSource;

impl fmt::Display for NoSuchSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not the name of a way in")
    }
}

impl std::error::Error for NoSuchSource {}

impl FromStr for Source {
    type Err = NoSuchSource;

    fn from_str(name: &str) -> Result<Self, NoSuchSource> {
        let all = [Self::Sms, Self::DataSms, Self::Mms, Self::Ussd, Self::Call];
        let source = all.into_iter().find(|source| source.as_str() == name);
        source.ok_or(NoSuchSource)
    }
}

/// What a message is recognised by, without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// Takes the fingerprint of a message: FNV-1a over SIM, sender, service-centre time and text.
    ///
    /// It is stored, so it must never depend on a library's version.
    pub fn of(sms: &ReceivedSms) -> Self {
        const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let time = sms.sent_at.map_or(i64::MIN, |at| at.0).to_be_bytes();
        let fields = [
            &[sms.sim.get()][..],
            sms.from.as_str().as_bytes(),
            &[0],
            &time,
            sms.text.as_str().as_bytes(),
        ];
        let bytes = fields.into_iter().flatten();
        Self(bytes.fold(OFFSET, |hash, byte| {
            (hash ^ u128::from(*byte)).wrapping_mul(PRIME)
        }))
    }
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    no: u64,
    row: Option<i64>,
}

/// What a hearing of a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hearing {
    /// The first: a message of its own.
    First,
    /// A repeat.
    Again,
}

/// Remembers what came in.
#[derive(Debug, Default)]
pub(crate) struct Inbound {
    seen: BTreeMap<Fingerprint, Vec<Seen>>,
    by_age: VecDeque<(u64, UnixMs, Fingerprint)>,
    last_no: u64,
}

impl Inbound {
    /// Takes up the rows of the journal, in order of their numbers.
    pub(crate) fn new(rows: &[SeenRow]) -> Self {
        let mut inbound = Self::default();
        for row in rows {
            inbound.remember(row);
        }
        inbound
    }

    /// Tells whether a message is new, and gives the row that says so ever after.
    pub(crate) fn hear(&mut self, sms: &ReceivedSms, now: Now) -> (Hearing, Option<Change>) {
        let fingerprint = Fingerprint::of(sms);
        let copies = self.seen.get_mut(&fingerprint).map(Vec::as_mut_slice);
        let repeat = match (copies.unwrap_or_default(), sms.row) {
            ([], _) => None,
            ([first, ..], None) => Some((first, None)),
            (copies, Some(row)) => copies
                .iter_mut()
                .find(|seen| seen.row.is_none_or(|known| known == row))
                .map(|seen| (seen, Some(row))),
        };
        if let Some((seen, row)) = repeat {
            if row.is_none() || seen.row == row {
                return (Hearing::Again, None);
            }
            seen.row = row;
            let bound = Change::SeenBound { no: seen.no, row };
            return (Hearing::Again, Some(bound));
        }
        let row = SeenRow {
            no: self.last_no + 1,
            fingerprint,
            provider_row: sms.row,
            at: now.unix,
            source: Source::Sms,
            dated: sms.received_at.unwrap_or(now.unix),
        };
        self.remember(&row);
        (Hearing::First, Some(Change::SeenAdded(row)))
    }

    /// Forgets what is old or too much; returns the change that does so on disk.
    pub(crate) fn forget(&mut self, now: Now) -> Option<Change> {
        let mut below = None;
        while let Some(&(no, at, fingerprint)) = self.by_age.front() {
            let is_old = at.plus_ms(SEEN_MS) <= now.unix;
            if !is_old && self.by_age.len() <= SEEN_MAX {
                break;
            }
            self.by_age.pop_front();
            if let Some(copies) = self.seen.get_mut(&fingerprint) {
                copies.retain(|seen| seen.no != no);
                if copies.is_empty() {
                    self.seen.remove(&fingerprint);
                }
            }
            below = Some(no + 1);
        }
        below.map(|below| Change::SeenForgotten { below })
    }

    /// Returns the number of the last message that was remembered.
    pub(crate) fn last_no(&self) -> u64 {
        self.last_no
    }

    /// Tells whether more is remembered than should be.
    pub(crate) fn is_over_full(&self) -> bool {
        self.by_age.len() > SEEN_MAX
    }

    fn remember(&mut self, row: &SeenRow) {
        let copies = self.seen.entry(row.fingerprint).or_default();
        copies.push(Seen {
            no: row.no,
            row: row.provider_row,
        });
        self.by_age.push_back((row.no, row.at, row.fingerprint));
        self.last_no = row.no;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_link::frame::Address;
    use postrider_model::{MessageText, SimSlot};

    fn sms(text: &str, second: i64, row: Option<i64>) -> ReceivedSms {
        ReceivedSms {
            receipt: 0,
            sim: SimSlot::default(),
            from: Address::new("+15005550001"),
            to: None,
            text: MessageText::new(text),
            parts: 1,
            sent_at: Some(UnixMs(second * 1_000)),
            received_at: row.map(|_| UnixMs(second * 1_000)),
            row,
        }
    }

    fn hear(inbound: &mut Inbound, sms: &ReceivedSms) -> Hearing {
        inbound.hear(sms, Now::new(0, 1_000_000)).0
    }

    #[test]
    fn a_repeated_broadcast_counts_once() {
        let mut inbound = Inbound::default();
        assert_eq!(hear(&mut inbound, &sms("yes", 7, None)), Hearing::First);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, None)), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 8, None)), Hearing::First);
        assert_eq!(hear(&mut inbound, &sms("no", 7, None)), Hearing::First);
    }

    #[test]
    fn two_true_copies_of_one_second_stay_two() {
        let mut inbound = Inbound::default();
        assert_eq!(hear(&mut inbound, &sms("yes", 7, None)), Hearing::First);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, None)), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(41))), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(42))), Hearing::First);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(41))), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(42))), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, None)), Hearing::Again);
    }

    #[test]
    fn a_message_without_a_broadcast_comes_in_by_its_row() {
        let mut inbound = Inbound::default();
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(5))), Hearing::First);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, None)), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(5))), Hearing::Again);
    }

    #[test]
    fn what_was_seen_is_still_known_after_a_restart() {
        let mut rows: Vec<SeenRow> = Vec::new();
        let mut inbound = Inbound::default();
        for copy in [sms("yes", 7, None), sms("yes", 7, Some(1))] {
            match inbound.hear(&copy, Now::new(0, 0)).1 {
                Some(Change::SeenAdded(row)) => rows.push(row),
                Some(Change::SeenBound { no, row }) => {
                    let bound = rows.iter_mut().find(|seen| seen.no == no);
                    bound.unwrap().provider_row = row;
                }
                other => panic!("{other:?}"),
            }
        }
        let mut inbound = Inbound::new(&rows);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(1))), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(2))), Hearing::First);
    }

    #[test]
    fn the_old_and_the_too_many_are_forgotten() {
        let mut inbound = Inbound::default();
        inbound.hear(&sms("yes", 7, None), Now::new(0, 0));
        assert_eq!(inbound.forget(Now::new(0, SEEN_MS - 1)), None);
        let forgotten = inbound.forget(Now::new(0, SEEN_MS));
        assert_eq!(forgotten, Some(Change::SeenForgotten { below: 2 }));
        let many = i64::try_from(SEEN_MAX).unwrap() + 3;
        for second in 0..many {
            inbound.hear(&sms("yes", second, None), Now::new(0, SEEN_MS));
        }
        assert!(inbound.is_over_full());
        let forgotten = inbound.forget(Now::new(0, SEEN_MS));
        assert_eq!(forgotten, Some(Change::SeenForgotten { below: 5 }));
    }

    #[test]
    fn a_fingerprint_never_changes() {
        let fingerprint = Fingerprint::of(&sms("yes", 7, None));
        assert_eq!(fingerprint, Fingerprint(FINGERPRINT_OF_YES));
    }

    const FINGERPRINT_OF_YES: u128 = 338_789_692_556_527_520_030_907_677_482_422_667_862;
}
