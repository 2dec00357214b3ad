//! The faults of a run: which of them acts on which frame or dial.

use crate::scenario::{DialFault, Direction, Fault, FaultKind, FrameFault, Lie};
use postrider_link::frame::HubFrame;
use postrider_model::WireState;
use serde::Serialize;

/// Most faults at once; what the control interface asks for beyond it is refused.
pub(crate) const FAULTS_MAX: usize = 1_000;

/// What a fault is matched against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passing<'a> {
    pub(super) direction: Direction,
    pub(super) frame: &'a str,
    pub(super) connection: u64,
    pub(super) label: Option<&'a str>,
    pub(super) state: Option<WireState>,
}

/// How often a fault acted.
#[derive(Debug, Clone, Serialize)]
pub struct FaultSeen {
    /// Its place in the scenario, counted from 1; those of the control interface follow.
    pub number: usize,
    /// What it does.
    #[serde(rename = "do")]
    pub deed: &'static str,
    /// How often it acted.
    pub hits: u64,
    /// Whether it should have acted.
    pub expected: bool,
}

/// All faults of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Faults(Vec<Active>);

#[derive(Debug, Clone)]
struct Active {
    fault: Fault,
    seen: u64,
    hits: u64,
    expected: bool,
}

impl Faults {
    pub(super) fn of_scenario(faults: Vec<Fault>) -> Self {
        let active = |fault: Fault| Active {
            expected: !fault.may_miss,
            fault,
            seen: 0,
            hits: 0,
        };
        Self(faults.into_iter().map(active).collect())
    }

    /// Adds a fault of the control interface; returns false when there are too many.
    pub(super) fn add(&mut self, fault: Fault) -> bool {
        let has_room = self.0.len() < FAULTS_MAX;
        if has_room {
            self.0.push(Active {
                fault,
                seen: 0,
                hits: 0,
                expected: false,
            });
        }
        has_room
    }

    /// Ends every fault; what they did stays known.
    pub(super) fn clear(&mut self) {
        for active in &mut self.0 {
            active.fault.times = Some(active.hits);
            active.expected = false;
        }
    }

    /// Returns the lies about a frame, added up, and the first other fault that acts on it.
    pub(super) fn on_frame(&mut self, passing: Passing<'_>) -> (Lie, Option<FrameFault>) {
        let (mut lie, mut other) = (Lie::default(), None);
        for active in &mut self.0 {
            let FaultKind::Frame(_, fault) = &active.fault.kind else {
                continue;
            };
            let fault = fault.clone();
            let is_lie = matches!(fault, FrameFault::Lie(_));
            if !active.passes(passing) || (other.is_some() && !is_lie) || !active.acts() {
                continue;
            }
            match fault {
                FrameFault::Lie(more) => lie.add(more),
                fault => other = Some(fault),
            }
        }
        (lie, other)
    }

    /// Returns the first fault that acts on a dial and that `wanted` lets act here.
    pub(super) fn on_dial(
        &mut self,
        dial: u64,
        wanted: impl Fn(&DialFault) -> bool,
    ) -> Option<DialFault> {
        let of_dial = self.0.iter_mut().find_map(|active| {
            let FaultKind::Dial(on, fault) = &active.fault.kind else {
                return None;
            };
            let fits = on.is_none_or(|on| on == dial) && wanted(fault) && !active.is_used_up();
            fits.then(|| fault.clone()).map(|fault| (active, fault))
        });
        let (active, fault) = of_dial?;
        active.hits += 1;
        Some(fault)
    }

    pub(super) fn seen(&self) -> Vec<FaultSeen> {
        let all = self.0.iter().enumerate().map(|(at, active)| FaultSeen {
            number: at + 1,
            deed: active.fault.name(),
            hits: active.hits,
            expected: active.expected,
        });
        all.collect()
    }
}

impl Active {
    fn is_used_up(&self) -> bool {
        self.fault.times.is_some_and(|times| self.hits >= times)
    }

    /// Counts a frame that is one of those it looks for.
    fn passes(&mut self, passing: Passing<'_>) -> bool {
        let FaultKind::Frame(on, _) = &self.fault.kind else {
            return false;
        };
        let fits = on.direction == passing.direction
            && on.frame.as_deref().is_none_or(|t| t == passing.frame)
            && on.connection.is_none_or(|n| n == passing.connection)
            && on
                .label
                .as_deref()
                .is_none_or(|it| Some(it) == passing.label)
            && on.state.is_none_or(|state| Some(state) == passing.state);
        if fits {
            self.seen += 1;
        }
        fits && on.nth.is_none_or(|nth| nth == self.seen)
    }

    fn acts(&mut self) -> bool {
        if self.is_used_up() {
            return false;
        }
        self.hits += 1;
        true
    }
}

impl Lie {
    fn add(&mut self, more: Self) {
        self.ack_by = self.ack_by.saturating_add(more.ack_by);
        self.limit_by = self.limit_by.saturating_add(more.limit_by);
        self.now_by_ms = self.now_by_ms.saturating_add(more.now_by_ms);
        self.up_by = self.up_by.saturating_add(more.up_by);
        self.generation_by = self.generation_by.saturating_add(more.generation_by);
    }

    /// Changes the numbers of a frame.
    pub(super) fn about(self, frame: &mut HubFrame) {
        match frame {
            HubFrame::Ack(ack) => {
                ack.a = moved(ack.a, self.ack_by);
                ack.limit = moved(ack.limit, self.limit_by);
            }
            HubFrame::Welcome(welcome) => {
                welcome.up = moved(welcome.up, self.up_by);
                welcome.limit = moved(welcome.limit, self.limit_by);
                welcome.now = welcome.now.saturating_add(self.now_by_ms);
                welcome.generation = moved(welcome.generation, self.generation_by);
            }
            HubFrame::Challenge(challenge) => {
                challenge.generation = moved(challenge.generation, self.generation_by);
            }
            _ => {}
        }
    }
}

fn moved(value: u64, by: i64) -> u64 {
    let end = postrider_link::limits::INTEGER_END - 1;
    value.saturating_add_signed(by).min(end)
}

/// Returns the `t` of a frame.
pub(super) const fn name_of(frame: &HubFrame) -> &'static str {
    match frame {
        HubFrame::Challenge(_) => "challenge",
        HubFrame::Welcome(_) => "welcome",
        HubFrame::Send(_) => "send",
        HubFrame::Revoke(_) => "revoke",
        HubFrame::Cancel(_) => "cancel",
        HubFrame::Void(_) => "void",
        HubFrame::Config(_) => "config",
        HubFrame::Ack(_) => "ack",
        HubFrame::Ping(_) => "ping",
        HubFrame::Pong(_) => "pong",
        HubFrame::Bye(_) => "bye",
        HubFrame::Unknown(_) => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    fn faults(text: &str) -> Faults {
        Faults::of_scenario(Scenario::parse(text).unwrap().faults)
    }

    fn down(frame: &str, connection: u64) -> Passing<'_> {
        Passing {
            direction: Direction::Down,
            frame,
            connection,
            label: None,
            state: None,
        }
    }

    #[test]
    fn a_fault_acts_on_the_nth_frame_of_its_type_and_then_no_more() {
        let mut faults = faults("[[fault]]\ndo = \"drop\"\nframe = \"send\"\nnth = 2\n");
        let mut hits = |frame| faults.on_frame(down(frame, 1)).1.is_some();
        let hits = ["send", "ack", "send", "send"].map(&mut hits);
        assert_eq!(hits, [false, false, true, false]);
        assert_eq!(faults.seen()[0].hits, 1);
    }

    #[test]
    fn a_fault_without_an_end_acts_each_time_until_it_is_cleared() {
        let mut faults = faults("[[fault]]\ndo = \"drop\"\nframe = \"ack\"\ntimes = 0\n");
        for _ in 0..3 {
            assert_eq!(faults.on_frame(down("ack", 1)).1, Some(FrameFault::Drop));
        }
        faults.clear();
        assert_eq!(faults.on_frame(down("ack", 1)).1, None);
    }

    #[test]
    fn a_dial_meets_only_the_faults_that_are_meant_for_it() {
        let mut faults = faults("[[fault]]\ndo = \"refuse\"\nconnection = 2\n");
        let mut dial = |n| faults.on_dial(n, |_| true);
        assert_eq!(dial(1), None);
        assert_eq!(dial(2), Some(DialFault::Refuse));
        assert_eq!(dial(2), None);
    }

    #[test]
    fn lies_add_up_beside_another_fault() {
        let text = "[[fault]]\ndo = \"lie\"\nack_by = 2\n[[fault]]\ndo = \"lie\"\nack_by = 3\n\
                    [[fault]]\ndo = \"duplicate\"\n";
        let (lie, other) = faults(text).on_frame(down("ack", 1));
        assert_eq!((lie.ack_by, other), (5, Some(FrameFault::Duplicate)));
    }
}
