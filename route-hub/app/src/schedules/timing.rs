//! When a schedule sends: its start, its rule, its end and its zone.

use hub_domain::recurrence::Rule;
use hub_domain::{Project, Schedule};
use hub_view::Refusal;
use postrider_model::UnixMs;

/// What a schedule without a rule has.
const ONCE: &str = "COUNT=1";

/// What is given of a rule, its end and its zone; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct RecurrencePatch {
    /// A rule; an empty one is that of one moment.
    pub rrule: Option<String>,
    /// The name of a zone; an empty one is the project's.
    pub timezone_id: Option<String>,
    /// The end; an inner `None` takes it away.
    pub end_time: Option<Option<UnixMs>>,
}

/// What is given of the time of a schedule; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct TimingPatch {
    /// The first moment.
    pub start_time: Option<UnixMs>,
    /// What recurs.
    pub recurrence: RecurrencePatch,
}

/// A rule with its zone and its end.
#[derive(Debug, Clone)]
pub struct Recurrence {
    /// What recurs.
    pub rrule: String,
    /// The zone of its clocks.
    pub timezone_id: String,
    /// No moment is after it.
    pub end_time: Option<UnixMs>,
}

impl RecurrencePatch {
    /// Puts it into what is to be.
    ///
    /// Only what recurs has an end: one that is named for what does not is refused, one that is
    /// left over goes.
    pub fn apply(&self, project: &Project, before: Recurrence) -> Result<Recurrence, Refusal> {
        let named = |given: &String, nothing: &str| {
            if given.is_empty() {
                nothing.to_owned()
            } else {
                given.clone()
            }
        };
        let rrule = self.rrule.as_ref().map(|given| named(given, ONCE));
        let rrule = rrule.unwrap_or(before.rrule);
        let zone = self.timezone_id.as_ref();
        let zone = zone.map(|given| named(given, &project.timezone_id));
        let recurs = Rule::parse(&rrule).is_ok_and(|rule| rule.recurs());
        if !recurs && self.end_time.flatten().is_some() {
            let text = "is for schedules that recur: rrule names one moment";
            return Err(Refusal::invalid_param("end_time", text));
        }
        let end_time = self.end_time.unwrap_or(before.end_time);
        Ok(Recurrence {
            rrule,
            timezone_id: zone.unwrap_or(before.timezone_id),
            end_time: end_time.filter(|_| recurs),
        })
    }

    /// Returns the rule, zone and end of what is new.
    pub fn of_new(&self, project: &Project) -> Result<Recurrence, Refusal> {
        let once = Recurrence {
            rrule: ONCE.to_owned(),
            timezone_id: project.timezone_id.clone(),
            end_time: None,
        };
        self.apply(project, once)
    }
}

impl TimingPatch {
    /// Returns the start of what is new.
    pub fn start_of_new(&self) -> Result<UnixMs, Refusal> {
        let required = "is required, or start_time_offset";
        let start = self.start_time;
        start.ok_or_else(|| Refusal::invalid_param("start_time", required))
    }

    /// Puts it into a schedule and looks for the next moment anew where it changes one.
    pub fn apply(
        &self,
        project: &Project,
        schedule: &mut Schedule,
        now: UnixMs,
    ) -> Result<(), Refusal> {
        let before = schedule.clone();
        if let Some(start) = self.start_time {
            schedule.start_time = start;
        }
        let recurrence = self.recurrence.apply(
            project,
            Recurrence {
                rrule: before.rrule.clone(),
                timezone_id: before.timezone_id.clone(),
                end_time: before.end_time,
            },
        )?;
        schedule.rrule = recurrence.rrule;
        schedule.timezone_id = recurrence.timezone_id;
        schedule.end_time = recurrence.end_time;
        if !schedule.has_times_of(&before) {
            schedule.plan(now);
            check(schedule)?;
        }
        Ok(())
    }
}

/// Refuses a schedule that will never send: its own fault is named.
pub fn check(schedule: &Schedule) -> Result<(), Refusal> {
    if schedule.next_time.is_some() {
        return Ok(());
    }
    let (param, rule) = match (schedule.end_time, schedule.prev_time) {
        (Some(_), _) => ("end_time", "is before the next moment of rrule"),
        (None, Some(_)) if !recurs(schedule) => ("start_time", "is a moment that was sent already"),
        (None, _) => ("rrule", "names no moment that is still to come"),
    };
    Err(Refusal::invalid_param(param, rule))
}

fn recurs(schedule: &Schedule) -> bool {
    Rule::parse(&schedule.rrule).is_ok_and(|rule| rule.recurs())
}
