//! A plan in sentences.

use super::{Action, Death, Flaw, HubPoint, Older, Point, Route, Setting, Step, Telling, Wanted};
use crate::log::Clock;
use postrider_machine::PaceLimits;
use std::fmt::{self, Formatter, Result};

impl fmt::Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}  {}", Clock(self.at), self.action)
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "SIM {} of phone {}", self.sim, self.phone)
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "message {}, {}", self.no, self.sort.word())?;
        if self.parts > 1 {
            write!(f, " of {} parts", self.parts)?;
        }
        write!(
            f,
            " for {}, with {} to live",
            self.route,
            Span(self.life_ms)
        )?;
        let also = [
            (self.priority > 1, "urgent"),
            (self.resend_unknown, "to be sent again when nobody knows"),
            (self.movable, "another phone may send it"),
            (self.flaw == Flaw::Recipient, "its recipient is no number"),
            (self.flaw == Flaw::Kind, "its kind is unknown to phones"),
            (self.flaw == Flaw::Slot, "its slot is empty"),
        ];
        let told = also.iter().filter(|(is_so, _)| *is_so);
        told.map(|(_, words)| words)
            .try_for_each(|words| write!(f, "; {words}"))
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Pause(true) => f.write_str("is paused"),
            Self::Pause(false) => f.write_str("is not paused any more"),
            Self::QuietFor(ms) => write!(f, "is to be quiet for {}", Span(*ms)),
            Self::Delay(ms) => write!(f, "is to leave {} between two messages", Span(*ms)),
            Self::Limit(0) => f.write_str("has no limit of the hub any more"),
            Self::Limit(parts) => write!(f, "is to send {parts} parts an hour at most"),
        }
    }
}

impl Death {
    /// Returns what it is called.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Kill => "killed",
            Self::ForceStop => "stopped by force",
            Self::Power => "power failed",
            Self::DiskFull => "disk full",
        }
    }
}

impl Point {
    /// Returns what it is called.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Idle => "between two turns",
            Self::BeforeWrite => "before the rows were written",
            Self::BeforeSync => "before the rows were synced",
            Self::AfterSync => "before the machine heard of the commit",
            Self::BeforeEffect => "before an effect",
            Self::AfterEffect => "after an effect",
            Self::BeforeHandOver => "before the hand-over",
            Self::AfterHandOver => "after the hand-over",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Send(wanted) => write!(f, "the hub is given {wanted}"),
            Self::Cancel(no) => write!(f, "the sender cancels message {no}"),
            Self::Resend(no, None) => write!(f, "the sender sends message {no} again"),
            Self::Resend(no, Some(to)) => write!(f, "the sender sends message {no} again, by {to}"),
            Self::Delete(no) => write!(f, "the sender deletes message {no}"),
            Self::Set(route, setting) => write!(f, "at the hub {route} {setting}"),
            Self::Incoming(route, sort, copies, telling) => {
                let copies = if *copies > 1 { ", twice the same" } else { "" };
                let told = match telling {
                    Telling::Broadcast => "the app is told",
                    Telling::Repeated => "the app is told again and again",
                    Telling::Missing => "the app is not told",
                };
                write!(f, "{} comes in by {route}{copies}; {told}", sort.word())
            }
            Self::OwnerPause(..)
            | Self::OwnerLooks(_)
            | Self::OwnerLimits(..)
            | Self::OwnerUnpairs(..) => self.of_owner(f),
            Self::KillHub(_)
            | Self::HubDiskFull(_)
            | Self::Backup
            | Self::Restore(_)
            | Self::Joins(_)
            | Self::RestoreOlder(_)
            | Self::WrongName(_)
            | Self::Drain
            | Self::Unfreeze(_)
            | Self::Remove(_)
            | Self::NewerHub(..)
            | Self::HubWallJump(_) => self.of_hub(f),
            Self::Cut(..)
            | Self::NoData(..)
            | Self::NetworkChange(_)
            | Self::Lag(..)
            | Self::Noise(..) => self.of_network(f),
            _ => self.of_phone(f),
        }
    }
}

impl fmt::Display for Older {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let how = if self.raised {
            "by the command"
        } else {
            "behind its back"
        };
        let then = if self.puts_back {
            "the newer one is put back"
        } else {
            "the phone is paired again"
        };
        write!(
            f,
            "the hub is restored {how} from a backup without phone {}; {} later {then}",
            self.phone,
            Span(self.while_ms)
        )
    }
}

impl Action {
    fn of_owner(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::OwnerPause(no, true) => write!(f, "the owner pauses phone {no}"),
            Self::OwnerPause(no, false) => write!(f, "the owner lets phone {no} go on"),
            Self::OwnerLooks(route) => write!(f, "the owner looks at {route}"),
            Self::OwnerLimits(no, limits) => {
                write!(f, "the owner lets phone {no} send {}", Limits(*limits))
            }
            Self::OwnerUnpairs(no, within_ms) => {
                write!(
                    f,
                    "the owner unpairs phone {no}, within {}",
                    Span(*within_ms)
                )
            }
            _ => Ok(()),
        }
    }

    fn of_hub(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::KillHub(point) => {
                let point = match point {
                    HubPoint::Idle => "between two jobs",
                    HubPoint::BeforeCommit => "before its next commit",
                    HubPoint::AfterCommit => "after its next commit",
                };
                write!(f, "the hub is killed {point}")
            }
            Self::HubDiskFull(ms) => write!(f, "the hub's disk is full for {}", Span(*ms)),
            Self::Backup => f.write_str("the hub writes a backup"),
            Self::Restore(true) => f.write_str("the hub is restored by the command"),
            Self::Restore(false) => f.write_str("the hub is restored behind its back"),
            Self::Joins(no) => write!(f, "phone {no} joins the others"),
            Self::RestoreOlder(older) => write!(f, "{older}"),
            Self::WrongName(ms) => write!(f, "the hub has another name for {}", Span(*ms)),
            Self::Drain => f.write_str("the hub drains its links"),
            Self::Unfreeze(no) => write!(f, "the operator gives phone {no} up if it is frozen"),
            Self::Remove(no) => write!(f, "the operator removes phone {no}"),
            Self::NewerHub(ms, true) => {
                write!(
                    f,
                    "the hub writes what must be understood, for {}",
                    Span(*ms)
                )
            }
            Self::NewerHub(ms, false) => {
                write!(f, "the hub speaks a newer version for {}", Span(*ms))
            }
            Self::HubWallJump(by) => write!(f, "the hub's clock is set {}", Jump(*by)),
            _ => Ok(()),
        }
    }

    fn of_network(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Cut(no, true) => write!(f, "the link of phone {no} is half open"),
            Self::Cut(no, false) => write!(f, "the link of phone {no} is cut"),
            Self::NoData(no, ms) => write!(f, "phone {no} has no data for {}", Span(*ms)),
            Self::NetworkChange(no) => write!(f, "phone {no} is on another network"),
            Self::Lag(no, ms, while_ms) => write!(
                f,
                "frames of phone {no} take {} longer for {}",
                Span(*ms),
                Span(*while_ms)
            ),
            Self::Noise(no, true) => write!(f, "phone {no} hears noise from the hub"),
            Self::Noise(no, false) => write!(f, "the hub hears noise from phone {no}"),
            _ => Ok(()),
        }
    }

    fn of_phone(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Die(no, death, point, nth) => {
                write!(f, "phone {no}: {} {}", death.word(), point.word())?;
                match nth {
                    0 | 1 => Ok(()),
                    nth => write!(f, ", when it comes there for the {nth}. time"),
                }
            }
            Self::SlowDisk(no, ms, while_ms) => write!(
                f,
                "each commit of phone {no} takes {} for {}",
                Span(*ms),
                Span(*while_ms)
            ),
            Self::WallJump(no, by) => write!(f, "the clock of phone {no} is set {}", Jump(*by)),
            Self::PullSim(route, ms) => write!(f, "{route} is pulled for {}", Span(*ms)),
            Self::ChangeSim(route, ms) => {
                write!(f, "{route} is another one, confirmed after {}", Span(*ms))
            }
            Self::Airplane(no, ms) => write!(f, "phone {no} is in airplane mode for {}", Span(*ms)),
            Self::NoService(route, ms, told) => {
                let told = if *told {
                    "and says so"
                } else {
                    "and does not say so"
                };
                write!(f, "{route} has no service for {} {told}", Span(*ms))
            }
            Self::Dialog(no, ms) => {
                write!(f, "a dialog is open on phone {no} for {}", Span(*ms))
            }
            Self::RollBack(no, _) => write!(f, "the journal of phone {no} is the copy of it"),
            Self::CopyJournal(no) => write!(f, "the journal of phone {no} is copied"),
            Self::Clone(no) => write!(f, "there is a second phone {no}"),
            Self::Reinstall(no) => write!(f, "the app of phone {no} is installed anew"),
            Self::Update(no) => write!(f, "the app of phone {no} is updated"),
            Self::Condition(no, true) => write!(f, "phone {no} is on the charger"),
            Self::Condition(no, false) => write!(f, "phone {no} is off the charger"),
            _ => Ok(()),
        }
    }
}

/// How long something takes.
struct Span(u64);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0 {
            ms @ 0..1_000 => write!(f, "{ms} ms"),
            ms @ 1_000..60_000 => write!(f, "{} s", ms / 1_000),
            ms @ 60_000..3_600_000 => write!(f, "{} min", ms / 60_000),
            ms @ 3_600_000..172_800_000 => {
                write!(f, "{} h {} min", ms / 3_600_000, ms / 60_000 % 60)
            }
            ms => write!(f, "{} days", ms / 86_400_000),
        }
    }
}

/// How a clock is set.
struct Jump(i64);

impl fmt::Display for Jump {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let way = if self.0 > 0 { "forward" } else { "back" };
        write!(f, "{way} by {}", Span(self.0.unsigned_abs()))
    }
}

/// What an owner allows.
struct Limits(PaceLimits);

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let limits = self.0;
        if limits == PaceLimits::UNLIMITED {
            return f.write_str("without a limit");
        }
        let hours = [
            (limits.sim_parts_per_hour, "an hour by each SIM"),
            (limits.phone_parts_per_hour, "an hour in all"),
        ];
        let mut told = hours
            .iter()
            .filter_map(|(parts, words)| parts.map(|parts| format!("{parts} parts {words}")))
            .collect::<Vec<_>>();
        told.extend(
            limits
                .guard
                .map(|guard| format!("{} parts in {}", guard.parts_max, Span(guard.span_ms))),
        );
        f.write_str(&told.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{self, Sort};

    #[test]
    fn steps_read_as_sentences() {
        let route = Route { phone: 1, sim: 0 };
        let wanted = Wanted {
            no: 7,
            sort: Sort::Text,
            route,
            parts: 3,
            text: 1_007,
            priority: 2,
            life_ms: 5_400_000,
            resend_unknown: false,
            movable: true,
            flaw: Flaw::None,
        };
        let told = [
            Action::Send(wanted),
            Action::Die(1, Death::Power, Point::BeforeSync, 3),
            Action::Set(route, Setting::QuietFor(90_000)),
            Action::WallJump(0, -86_400_000),
            Action::OwnerLimits(0, PaceLimits::DEFAULT),
        ]
        .map(|action| action.to_string());
        assert_eq!(
            told,
            [
                "the hub is given message 7, a text of 3 parts for SIM 0 of phone 1, with 1 h 30 min \
                 to live; urgent; another phone may send it",
                "phone 1: power failed before the rows were synced, when it comes there for the 3. \
                 time",
                "at the hub SIM 0 of phone 1 is to be quiet for 1 min",
                "the clock of phone 0 is set back by 24 h 0 min",
                "the owner lets phone 0 send 1500 parts an hour by each SIM, 24 parts in 1 min",
            ]
        );
    }

    #[test]
    fn no_step_of_a_plan_is_without_words() {
        for seed in 0..50 {
            for step in plan::draw(seed, 60, false).steps {
                let told = step.action.to_string();
                assert!(told.split(' ').count() > 3, "{:?} is {told:?}", step.action);
            }
        }
    }
}
