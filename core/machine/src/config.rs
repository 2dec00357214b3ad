//! What the owner of the phone and its platform set: limits, waits and names.

use crate::condition::Condition;
use crate::stamp::BootId;
use postrider_link::frame::{Config, SimInfo};
use postrider_model::{DeviceId, HubId, SimSlot, UnixMs};
use std::ops::RangeInclusive;

/// The platform's own guard; the agent stays below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// Most parts in a span.
    pub parts_max: u32,
    /// The span.
    pub span_ms: u64,
}

impl Guard {
    /// Stays below the 30 parts in a minute above which the platform asks its user.
    ///
    /// The platform stamps a part a little later than the agent does, hence the margin.
    pub const DEFAULT: Self = Self {
        parts_max: 24,
        span_ms: 60_000,
    };

    /// Stays below the 30 parts in half an hour of older phones, and of some makers until today.
    pub const OLD_PHONES: Self = Self {
        parts_max: 27,
        span_ms: 1_800_000,
    };
}

/// How many parts may be sent; `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaceLimits {
    /// Parts an hour of each SIM, set by the phone's owner.
    pub sim_parts_per_hour: Option<u32>,
    /// Parts an hour of all SIMs together.
    pub phone_parts_per_hour: Option<u32>,
    /// The platform's guard, over all SIMs.
    pub guard: Option<Guard>,
}

impl PaceLimits {
    /// What an Android phone starts with.
    pub const DEFAULT: Self = Self {
        sim_parts_per_hour: Some(1_500),
        phone_parts_per_hour: None,
        guard: Some(Guard::DEFAULT),
    };

    /// No limit at all, for a virtual phone without one.
    pub const UNLIMITED: Self = Self {
        sim_parts_per_hour: None,
        phone_parts_per_hour: None,
        guard: None,
    };

    /// At most so many parts in any minute, for a virtual phone with a pace.
    pub const fn per_minute(parts: u32) -> Self {
        Self {
            guard: Some(Guard {
                parts_max: parts,
                span_ms: 60_000,
            }),
            ..Self::UNLIMITED
        }
    }
}

/// How long the agent waits for results that may never come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waits {
    /// After a hand-over without a result for so long, its SIM sends nothing more and the
    /// provider is asked.
    pub(crate) silence_ms: u64,
    /// After so long the message is `unknown`; a carrier's app may hold a message for minutes.
    pub(crate) unknown_ms: u64,
    /// How long a delivery report is awaited after `sent`.
    pub(crate) report_window_ms: u64,
}

impl Waits {
    /// The design's values: 120 s, 10 minutes, 72 hours.
    const DEFAULT: Self = Self {
        silence_ms: 120_000,
        unknown_ms: 600_000,
        report_window_ms: 259_200_000,
    };

    /// Returns the owner's times if he set some, else the hub's, else the design's. The hub's
    /// values are kept within reason, and the first wait never exceeds the second.
    pub(crate) fn of(owner: WaitChoice, hub: &Config) -> Self {
        let (default, hub) = (Self::DEFAULT, WaitChoice::of_hub(hub));
        let unknown = owner.unknown_ms.or(hub.unknown_ms);
        let unknown_ms = bounded(unknown, default.unknown_ms, UNKNOWN_MS);
        let silence = owner.silence_ms.or(hub.silence_ms);
        let reports = owner.report_window_ms.or(hub.report_window_ms);
        Self {
            silence_ms: bounded(silence, default.silence_ms, SILENCE_MS).min(unknown_ms),
            unknown_ms,
            report_window_ms: bounded(reports, default.report_window_ms, REPORT_WINDOW_MS),
        }
    }
}

/// How long a radio may be silent before it is doubted: it needs some time to answer.
const SILENCE_MS: RangeInclusive<u64> = 30_000..=86_400_000;
/// When a message without a result becomes unknown.
const UNKNOWN_MS: RangeInclusive<u64> = SILENCE_MS;
/// How long reports may be awaited: each awaited message takes room.
const REPORT_WINDOW_MS: RangeInclusive<u64> = 3_600_000..=14 * 86_400_000;

fn bounded(value: Option<u64>, default: u64, range: RangeInclusive<u64>) -> u64 {
    value.map_or(default, |ms| ms.clamp(*range.start(), *range.end()))
}

/// The waits that the owner or the hub has set. The owner's come first, then the hub's,
/// then the design's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WaitChoice {
    /// From a hand-over to the first doubt.
    pub silence_ms: Option<u64>,
    /// From a hand-over to `unknown`.
    pub unknown_ms: Option<u64>,
    /// How long a delivery report is awaited after `sent`.
    pub report_window_ms: Option<u64>,
}

impl WaitChoice {
    /// Returns those that the hub has set.
    pub(crate) const fn of_hub(config: &Config) -> Self {
        Self {
            silence_ms: config.silent_after_ms,
            unknown_ms: config.unknown_after_ms,
            report_window_ms: config.report_window_ms,
        }
    }

    /// Returns whether each is long enough for a radio to answer and short enough to be of use, and
    /// the first does not exceed the second.
    pub fn is_sensible(&self) -> bool {
        let is_in = |value: Option<u64>, range: RangeInclusive<u64>| {
            value.is_none_or(|ms| range.contains(&ms))
        };
        let in_order = self.silence_ms.zip(self.unknown_ms);
        is_in(self.silence_ms, SILENCE_MS)
            && is_in(self.unknown_ms, UNKNOWN_MS)
            && is_in(self.report_window_ms, REPORT_WINDOW_MS)
            && in_order.is_none_or(|(silence, unknown)| silence <= unknown)
    }
}

/// The owner's choice of delivery reports on one SIM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportChoice {
    /// The SIM.
    pub sim: SimSlot,
    /// Whether they are asked for.
    pub wanted: bool,
}

/// Most spells of the owner's quiet hours: two weeks with two or three a day, set again before they
/// are over. More are refused.
pub const QUIET_SPELLS_MAX: usize = 64;

/// A time in which nothing is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spell {
    /// When it begins.
    pub from: UnixMs,
    /// When it is over.
    pub until: UnixMs,
}

/// What the agent is made with; it does not change while it runs.
#[derive(Debug, Clone)]
pub struct AgentConfig {
    /// The present boot. A simulated phone that was killed counts as rebooted.
    pub boot_id: BootId,
    /// The device's id, from pairing.
    pub device: DeviceId,
    /// The hub's name, as hello signs it.
    pub host: String,
    /// The hub's id, if pairing told it.
    pub hub: Option<HubId>,
    /// The slots in use and what is known of their SIMs.
    pub sims: Vec<SimInfo>,
    /// What the platform reports of the phone.
    pub condition: Condition,
    /// How fast messages may leave.
    pub limits: PaceLimits,
    /// The owner's quiet hours.
    pub quiet_hours: Vec<Spell>,
    /// How long to wait for results, if the owner has set it.
    pub waits: WaitChoice,
}
