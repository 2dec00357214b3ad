//! Commits as a machine could make them: each change fits the rows that are there.

use postrider_link::{
    frame::{Address, Bytes, Config, Data, Event, Health, Inbound, Kind},
    proof::Proof,
    session::phone::{FactRange, LinkChange, PhoneFact},
};
use postrider_machine::{
    BootId, Change, Fingerprint, Log, MessageRef, ScanMark, Source, Stamp,
    change::{
        CallLength, ClaimRow, MessageRow, PaceRow, Progress, ScanRow, SeenRow, SimRow, SpentRow,
    },
};
use postrider_model::{BootMs, HubId, Key, MessageId, MessageText, SimSlot, UnixMs, WireState};
use postrider_simulation::{journal::Rows, random::Seeded};

/// Every kind of change.
pub(crate) const KINDS: &[&str] = &[
    "acks stored",
    "call length",
    "claim",
    "claims forgotten",
    "codes allowed",
    "config",
    "connection",
    "down",
    "fact",
    "generation",
    "install",
    "message",
    "messages forgotten",
    "moved",
    "pace",
    "pause",
    "scan",
    "seen",
    "seen bound",
    "seen forgotten",
    "SIM",
    "spent",
    "spent forgotten",
    "spent moved",
    "texts erased",
    "wall moved",
];

/// Names the kind of a change.
pub(crate) fn kind(change: &Change) -> &'static str {
    match change {
        Change::MessageAdded(_) => "message",
        Change::MessageMoved { progress, .. } if progress.call.is_some() => "call length",
        Change::MessageMoved { .. } => "moved",
        Change::TextsErased { .. } => "texts erased",
        Change::MessagesForgotten { .. } => "messages forgotten",
        Change::SpentAdded(_) => "spent",
        Change::SpentMoved { .. } => "spent moved",
        Change::SpentForgotten { .. } => "spent forgotten",
        Change::PaceSet(_) => "pace",
        Change::WallMoved { .. } => "wall moved",
        Change::SentRowClaimed(_) => "claim",
        Change::ClaimsForgotten { .. } => "claims forgotten",
        Change::SeenAdded(_) => "seen",
        Change::SeenBound { .. } => "seen bound",
        Change::SeenForgotten { .. } => "seen forgotten",
        Change::ScanMoved(_) => "scan",
        Change::SimSeen(_) => "SIM",
        Change::UssdCodesAllowed(_) => "codes allowed",
        Change::ConfigSet(_) => "config",
        Change::PausedSet(_) => "pause",
        Change::InstallSet(_) => "install",
        Change::Link { change, .. } => match change {
            LinkChange::Conn(_) => "connection",
            LinkChange::Down(_) => "down",
            LinkChange::FactStored(_) => "fact",
            LinkChange::FactsAcked { .. } => "acks stored",
            LinkChange::Restarted { .. } => "generation",
            LinkChange::HubLearned(_) => "hub learned",
            LinkChange::NotKnown(_) => "not known",
        },
    }
}

/// Draws a commit of a few changes that fit the rows, one after the other.
pub(crate) fn draw(rows: &Rows, random: &mut Seeded) -> Vec<Change> {
    let mut after = rows.clone();
    let count = random.between(1, 8);
    let changes = (0..count).map(|_| {
        let change = Drawing {
            rows: &after,
            random: &mut *random,
        }
        .change();
        after.commit(vec![change.clone()]);
        change
    });
    changes.collect()
}

struct Drawing<'a> {
    rows: &'a Rows,
    random: &'a mut Seeded,
}

impl Drawing<'_> {
    fn change(&mut self) -> Change {
        match self.random.below(30) {
            0..4 => self.message(),
            4..9 => self.moved(),
            9..13 => self.link(),
            13 => Change::TextsErased {
                ended_before: self.unix(),
            },
            14 => Change::MessagesForgotten {
                ended_before: self.unix(),
            },
            15 | 16 => self.spent(),
            17 => Change::SpentMoved {
                no: self.random.below(12),
                parts: self.small(),
                guard_parts: self.small(),
            },
            18 => Change::SpentForgotten {
                below: self.random.below(12),
            },
            19 => Change::PaceSet(PaceRow {
                halvings: u8::try_from(self.random.below(7)).unwrap(),
                since: self.stamp(),
            }),
            20 => Change::WallMoved {
                by_ms: (self.unix().0 - 500) * 10_000,
            },
            21 => Change::SentRowClaimed(ClaimRow {
                row: self.unix().0 % 9,
                at: self.unix(),
            }),
            22 => Change::ClaimsForgotten {
                before: self.unix(),
            },
            23 => self.seen(),
            24 => Change::SeenBound {
                no: self.random.below(12),
                row: self.maybe(|own| own.unix().0),
            },
            25 => Change::SeenForgotten {
                below: self.random.below(12),
            },
            26 => self.scan(),
            27 => Change::SimSeen(SimRow {
                slot: self.slot(),
                known: self.word(),
                other: self.maybe(Self::word),
            }),
            28 => self.config(),
            _ => self.owner(),
        }
    }

    fn message(&mut self) -> Change {
        let arrived = self.rows.snapshot().arrived_max + 1;
        let kinds = [Kind::Sms, Kind::DataSms, Kind::Ussd, Kind::Call];
        let index = usize::try_from(self.random.below(5)).unwrap();
        let kind = kinds.get(index).cloned();
        let data = |own: &mut Self| Data {
            port: u16::try_from(own.random.below(60_000)).unwrap(),
            base64: Bytes(own.random.next_u64().to_be_bytes().to_vec()),
        };
        Change::MessageAdded(Box::new(MessageRow {
            message: MessageRef {
                id: MessageId::new(Key::new(arrived.cast_signed()).unwrap()),
                ep: self.small() + 1,
            },
            proof: self.maybe(|own| {
                let half = own.random.next_u64().to_be_bytes();
                Proof([half, half].concat().try_into().unwrap())
            }),
            s: self.random.below(40),
            arrived,
            kind: kind.unwrap_or_else(|| Kind::Other("telegram".to_owned())),
            sim: self.slot(),
            to: Address::new("+15005550001"),
            text: self.maybe(|own| MessageText::new(own.word())),
            data: self.maybe(data),
            parts: u8::try_from(self.random.between(1, 9)).unwrap(),
            report: self.random.percent(50),
            priority: self.unix().0 - 500,
            movable: self.random.percent(50),
            ttl_ms: self.random.below(1_000_000),
            received: self.stamp(),
            progress: Progress {
                state: WireState::OnPhone,
                ended: None,
                ..self.progress()
            },
        }))
    }

    fn moved(&mut self) -> Change {
        let known: Vec<MessageRef> = self.rows.messages().map(|row| row.message).collect();
        match self.random.pick(&known) {
            None => self.message(),
            Some(message) => Change::MessageMoved {
                message,
                progress: self.progress(),
            },
        }
    }

    fn progress(&mut self) -> Progress {
        let states = [
            WireState::OnPhone,
            WireState::Retrying,
            WireState::Submitting,
            WireState::Unknown,
            WireState::Sent,
            WireState::Failed,
            WireState::NotDelivered,
            WireState::Delivered,
            WireState::Revoked,
            WireState::Cancelled,
            WireState::Expired,
        ];
        let parts = ["", "?", "+", "+d +n", "? + 4 13n", "1"];
        let call = |own: &mut Self| CallLength {
            duration_s: own.unix().0 - 1,
            ring_s: own.unix().0 - 1,
        };
        Progress {
            state: self.random.pick(&states).unwrap(),
            attempt: self.small(),
            tries: self.small(),
            submitted: self.maybe(Self::stamp),
            retry: self.maybe(|own| (own.stamp(), own.random.below(3_600_000))),
            spent: self.maybe(|own| own.random.below(12)),
            parts: self.random.pick(&parts).unwrap().parse().unwrap(),
            code: self.maybe(Self::word),
            partial: self.random.percent(50),
            unsent: self.random.percent(50),
            call: self.maybe(call),
            fact: self.random.below(40),
            ended: self.maybe(Self::unix),
        }
    }

    fn link(&mut self) -> Change {
        let link = self.rows.snapshot().link;
        let change = match self.random.below(14) {
            0 => LinkChange::Conn(link.conn + 1),
            1 => LinkChange::Down(link.down + self.random.between(1, 3)),
            2 => LinkChange::NotKnown(!link.not_known),
            3 => LinkChange::HubLearned(HubId::new(Key::first_of_ms(self.unix().0))),
            4..10 => LinkChange::FactStored(self.fact(link.up_highest + 1)),
            10..13 => LinkChange::FactsAcked {
                up_to: self.random.between(link.up_acked, link.up_highest),
            },
            _ => LinkChange::Restarted {
                generation: link.generation + 1,
                sinks_by: link.up_acked,
            },
        };
        let at = self.unix();
        Change::Link { change, at }
    }

    fn fact(&mut self, s: u64) -> PhoneFact {
        match self.random.below(4) {
            0 => PhoneFact::Health(Health {
                s,
                battery: self.maybe(|own| u8::try_from(own.random.below(100)).unwrap()),
                network: self.maybe(Self::word),
                ..Health::default()
            }),
            1 => PhoneFact::Inbound(self.inbound(s)),
            _ => PhoneFact::Event(Event {
                s,
                id: MessageId::new(Key::new(self.unix().0 + 1).unwrap()),
                ep: self.small(),
                state: WireState::Sent,
                part: None,
                of: None,
                code: self.maybe(Self::word),
                detail: None,
                partial: self.random.percent(50),
                unsent: self.random.percent(50),
                duration_s: self.maybe(|own| own.unix().0),
                ring_s: None,
                wall: self.unix().0,
                mono: self.random.below(1_000),
                boot: Some(self.word()),
            }),
        }
    }

    /// One that is new, or one that was acked and is told again.
    fn inbound(&mut self, s: u64) -> Inbound {
        let all = FactRange {
            above: 0,
            count_max: usize::MAX,
        };
        let waiting = self
            .rows
            .facts(all)
            .into_iter()
            .filter_map(|fact| match fact {
                PhoneFact::Inbound(inbound) => Some(inbound.n),
                _ => None,
            });
        let aside: Vec<u64> = self.rows.inbound().iter().map(|row| row.n).collect();
        let last = waiting.chain(aside.iter().copied()).max().unwrap_or(0);
        let again = self.random.pick(&aside).filter(|_| self.random.percent(50));
        Inbound {
            s,
            n: again.unwrap_or(last + 1),
            install: None,
            kind: Kind::Sms,
            sim: self.slot(),
            from: Address::new("+15005550042"),
            to: None,
            text: self.maybe(|own| MessageText::new(own.word())),
            data: None,
            parts: Some(1),
            sent_at: self.maybe(|own| own.unix().0),
            duration_s: None,
            ring_s: None,
            wall: self.unix().0,
            mono: self.random.below(1_000),
            boot: Some(self.word()),
        }
    }

    /// A hand-over that is new, or one that is counted from another moment on.
    fn spent(&mut self) -> Change {
        let known: Vec<u64> = self.rows.rest().spent.iter().map(|row| row.no).collect();
        let last = known.last().copied().unwrap_or(0);
        let again = self.random.pick(&known).filter(|_| self.random.percent(30));
        Change::SpentAdded(SpentRow {
            no: again.unwrap_or(last + 1),
            sim: self.slot(),
            parts: self.small(),
            guard_parts: self.small(),
            at: self.stamp(),
        })
    }

    fn seen(&mut self) -> Change {
        let last = self.rows.rest().seen.last().map_or(0, |row| row.no);
        let sources = [
            Source::Sms,
            Source::DataSms,
            Source::Mms,
            Source::Ussd,
            Source::Call,
        ];
        Change::SeenAdded(SeenRow {
            no: last + 1,
            fingerprint: Fingerprint(u128::from(self.random.next_u64()) << 60),
            provider_row: self.maybe(|own| own.unix().0),
            at: self.unix(),
            source: self.random.pick(&sources).unwrap(),
            dated: self.unix(),
        })
    }

    fn scan(&mut self) -> Change {
        Change::ScanMoved(ScanRow {
            log: self.random.pick(&Log::ALL).unwrap(),
            mark: ScanMark {
                date: self.unix(),
                row: self.unix().0,
            },
            floor: self.unix(),
        })
    }

    fn config(&mut self) -> Change {
        let quiet = |own: &mut Self| vec![(own.unix().0, own.unix().0 + 1_000)];
        Change::ConfigSet(Config {
            s: self.random.below(40),
            sim: self.maybe(Self::slot),
            pause: self.random.percent(50),
            send_delay_ms: self.random.below(20_000),
            quiet: self.maybe(quiet).unwrap_or_default(),
            send_limit_max: self.maybe(Self::small),
            device_send_limit_max: self.maybe(Self::small),
            silent_after_ms: self.maybe(|own| own.random.below(20_000)),
            unknown_after_ms: self.maybe(|own| own.random.below(20_000)),
            report_window_ms: self.maybe(|own| own.random.below(20_000)),
            shift_tables: if self.random.percent(50) {
                vec![1]
            } else {
                vec![]
            },
        })
    }

    fn owner(&mut self) -> Change {
        match self.random.below(3) {
            0 => Change::PausedSet(self.random.percent(50)),
            1 => Change::UssdCodesAllowed(self.random.percent(50)),
            _ => {
                let name = format!("{:032x}", self.random.next_u64());
                Change::InstallSet(name.parse().unwrap())
            }
        }
    }

    fn maybe<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.random.percent(50).then(|| draw(self))
    }

    fn small(&mut self) -> u32 {
        u32::try_from(self.random.below(9)).unwrap()
    }

    fn unix(&mut self) -> UnixMs {
        UnixMs(self.random.below(1_000).cast_signed())
    }

    fn stamp(&mut self) -> Stamp {
        Stamp {
            boot_id: BootId::new(&self.word()),
            boot: BootMs(self.random.below(1_000)),
            unix: self.unix(),
        }
    }

    fn slot(&mut self) -> SimSlot {
        SimSlot::new(u8::try_from(self.random.below(3)).unwrap()).unwrap()
    }

    fn word(&mut self) -> String {
        format!("word-{}", self.random.below(50))
    }
}
