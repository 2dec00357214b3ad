//! Intervals of days in a zone, and the quarter hours that they are made of.

use hub_domain::{Day, Interval, Quarter, Rollup, Zone, intervals};
use hub_store::statistics::Span;
use hub_view::Refusal;
use postrider_model::UnixMs;

/// Most intervals of one answer.
const INTERVALS_MAX: usize = 1_000;

/// The days that somebody asks for, and how they are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// The days, the last one included.
    pub days: Interval,
    /// How they are put together.
    pub rollup: Rollup,
}

/// An interval with its quarter hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) interval: Interval,
    pub(crate) span: Span,
}

impl Slot {
    /// Returns when it begins, and when it is over.
    pub(crate) const fn moments(&self) -> (UnixMs, UnixMs) {
        (self.span.first.start(), self.span.until.start())
    }
}

/// The intervals of what was asked for, in a zone.
#[derive(Debug, Clone)]
pub(crate) struct Calendar {
    zone: Zone,
    slots: Vec<Slot>,
}

impl Calendar {
    pub(crate) fn of(zone: Zone, asked: Asked) -> Result<Self, Refusal> {
        let (first, last) = (asked.days.first, asked.days.last);
        if last < first {
            let rule = "must not be before start_date";
            return Err(Refusal::invalid_param("end_date", rule));
        }
        let intervals = intervals(first, last, asked.rollup, INTERVALS_MAX + 1);
        if intervals.len() > INTERVALS_MAX {
            let rule = format_args!("must put the days into at most {INTERVALS_MAX} intervals");
            return Err(Refusal::invalid_param("rollup", rule));
        }
        let slot = |interval: &Interval| {
            let until = interval.last.plus(1)?;
            let span = span_of(&zone, interval.first, until)?;
            Some(Slot {
                interval: *interval,
                span,
            })
        };
        let slots: Option<Vec<_>> = intervals.iter().map(slot).collect();
        match slots {
            Some(slots) => Ok(Self { zone, slots }),
            None => Err(Refusal::invalid_param("end_date", "is too far away")),
        }
    }

    /// Keeps what is over before a day.
    pub(crate) fn before(zone: Zone, asked: Asked, day: Day) -> Result<Self, Refusal> {
        let Some(yesterday) = day.plus(-1).filter(|day| *day < asked.days.last) else {
            return Self::of(zone, asked);
        };
        if yesterday < asked.days.first {
            let mut all = Self::of(zone, asked)?;
            all.slots.clear();
            return Ok(all);
        }
        let days = Interval {
            last: yesterday,
            ..asked.days
        };
        Self::of(zone, Asked { days, ..asked })
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Returns all its quarter hours; `None` where there is no interval.
    pub(crate) fn span(&self) -> Option<Span> {
        let (first, last) = (self.slots.first()?, self.slots.last()?);
        Some(Span {
            first: first.span.first,
            until: last.span.until,
        })
    }

    /// Returns the number of the interval that a quarter hour lies in.
    pub(crate) fn slot_of(&self, quarter: Quarter) -> Option<usize> {
        let after = |slot: &Slot| slot.span.first <= quarter;
        self.slots.partition_point(after).checked_sub(1)
    }

    /// Says whether a span is one of the zone's days.
    pub(crate) fn is_day(&self, span: Span) -> bool {
        is_day(&self.zone, span)
    }
}

/// Says whether a span is a day of a zone.
pub(crate) fn is_day(zone: &Zone, span: Span) -> bool {
    let day = Day::of(zone, span.first.start());
    day.and_then(|day| span_of(zone, day, day.plus(1)?)) == Some(span)
}

/// Returns the quarter hours from the beginning of one day to that of another.
pub(crate) fn span_of(zone: &Zone, first: Day, until: Day) -> Option<Span> {
    Some(Span {
        first: Quarter::of(first.start(zone)?),
        until: Quarter::of(until.start(zone)?),
    })
}
