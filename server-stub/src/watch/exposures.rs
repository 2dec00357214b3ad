//! What became of each exposure, as the phone told it.

use super::findings::{At, Findings};
use super::{HandOver, Rule};
use postrider_link::frame::{Event, Kind, Send};
use postrider_model::{BootMs, MessageId, Now, WireState};
use std::collections::BTreeMap;

/// Most states of one exposure that are remembered.
const STATES_MAX: usize = 32;

/// One exposure.
#[derive(Debug, Clone)]
pub struct Exposure {
    /// What the phone was asked to do.
    pub kind: Kind,
    /// Whether it was said to be on the phone's disk.
    pub acked: bool,
    /// The states that were reported, in order, without repeats.
    pub states: Vec<WireState>,
    /// The code that came with the last one.
    pub code: Option<String>,
    /// Whether the last one said that provably nothing went on the air.
    pub unsent: bool,
    place: (u64, u64),
    asked: Option<Asked>,
}

#[derive(Debug, Clone)]
struct Asked {
    place: (u64, u64),
    acked_at: Option<BootMs>,
    answered: bool,
}

/// Every exposure that was ever written.
#[derive(Debug, Clone, Default)]
pub struct Exposures {
    all: BTreeMap<(MessageId, u32), Exposure>,
    by_place: BTreeMap<(u64, u64), (MessageId, u32)>,
}

impl Exposures {
    /// Returns an exposure.
    pub fn get(&self, id: MessageId, ep: u32) -> Option<&Exposure> {
        self.all.get(&(id, ep))
    }

    /// Returns the exposures of a message, oldest first.
    pub fn of(&self, id: MessageId) -> impl Iterator<Item = (u32, &Exposure)> {
        let own = self.all.range((id, 0)..=(id, u32::MAX));
        own.map(|((_, ep), exposure)| (*ep, exposure))
    }

    /// Counts the exposures among `ids` that reported `state`.
    pub fn reached(&self, state: WireState, of: impl Fn(MessageId) -> bool) -> u64 {
        let reached =
            |((id, _), it): &(&(MessageId, u32), &Exposure)| of(*id) && it.states.contains(&state);
        self.all.iter().filter(reached).count() as u64
    }

    pub(super) fn written(&mut self, generation: u64, send: &Send) {
        let place = (generation, send.s);
        let key = (send.id, send.ep);
        self.by_place.insert(place, key);
        let new = || Exposure {
            kind: send.kind.clone(),
            acked: false,
            states: Vec::new(),
            code: None,
            unsent: false,
            place,
            asked: None,
        };
        self.all.entry(key).or_insert_with(new).place = place;
    }

    pub(super) fn asked(&mut self, generation: u64, s: u64, id: MessageId, ep: u32) {
        if let Some(exposure) = self.all.get_mut(&(id, ep)) {
            let place = (generation, s);
            self.by_place.insert(place, (id, ep));
            exposure.asked = Some(Asked {
                place,
                acked_at: None,
                answered: false,
            });
        }
    }

    /// Takes in that places above `from` and up to `to` are on the phone's disk.
    pub(super) fn acked(&mut self, generation: u64, from: u64, to: u64, now: Now) {
        if to <= from {
            return;
        }
        let places = (generation, from + 1)..=(generation, to);
        for (place, key) in self.by_place.range(places) {
            let Some(exposure) = self.all.get_mut(key) else {
                continue;
            };
            exposure.acked |= exposure.place == *place;
            if let Some(asked) = &mut exposure.asked
                && asked.place == *place
                && asked.acked_at.is_none()
            {
                asked.acked_at = Some(now.boot);
            }
        }
    }

    /// Takes in an event.
    pub(super) fn told(&mut self, event: &Event, at: At, findings: &mut Findings) {
        let id = Some(event.id);
        let Some(exposure) = self.all.get_mut(&(event.id, event.ep)) else {
            let text = || "an event about an exposure that was never written".to_owned();
            return findings.check(Rule::Exposure, at, id, false, text);
        };
        if let Some(part) = event.part {
            let holds = part > 0 && event.of.is_none_or(|of| part <= of);
            let text = || format!("an event about part {part} of {}", event.of.unwrap_or(0));
            return findings.check(Rule::Exposure, at, id, holds, text);
        }
        if let Some(asked) = &mut exposure.asked {
            asked.answered = true;
        }
        let before = exposure.states.last().copied();
        let holds = follows(before, exposure.unsent, event);
        let text = || {
            let before = before.map_or("nothing", WireState::as_str);
            format!("{} after {before}", event.state.as_str())
        };
        findings.check(Rule::Exposure, at, id, holds, text);
        if before != Some(event.state) && exposure.states.len() < STATES_MAX {
            exposure.states.push(event.state);
        }
        exposure.code.clone_from(&event.code);
        exposure.unsent = event.unsent
            || matches!(
                event.state,
                WireState::Revoked | WireState::Cancelled | WireState::Expired
            );
    }

    /// Looks for requests that were taken and not answered in time.
    pub(super) fn judge_asked(&self, grace_ms: u64, at: At, findings: &mut Findings) {
        for ((id, _), exposure) in &self.all {
            let Some(asked) = &exposure.asked else {
                continue;
            };
            let Some(acked_at) = asked.acked_at else {
                continue;
            };
            let waited_ms = at.now.boot.since_ms(acked_at);
            let text = || "a revoke or cancel was acked and not answered".to_owned();
            let holds = asked.answered || waited_ms < grace_ms;
            findings.check(Rule::Asked, at, Some(*id), holds, text);
        }
    }

    /// Compares what was told with what the radio was given.
    pub(super) fn judge_radio(&self, given: &[HandOver], at: At, findings: &mut Findings) {
        let mut counts: BTreeMap<(MessageId, u32), u64> = BTreeMap::new();
        for row in given {
            *counts.entry((row.message_id, row.exposure)).or_default() += 1;
        }
        for ((id, ep), exposure) in &self.all {
            let count = counts.remove(&(*id, *ep)).unwrap_or(0);
            let (id, last) = (Some(*id), exposure.states.last());
            let text = || format!("exposure {ep} was handed to the radio {count} times");
            findings.check(Rule::Radio, at, id, count <= 1, text);
            if exposure.unsent {
                let text = || format!("exposure {ep} was said to be unsent, the radio had it");
                findings.check(Rule::Radio, at, id, count == 0, text);
            }
            let went_out = matches!(
                last,
                Some(WireState::Sent | WireState::Delivered | WireState::NotDelivered)
            );
            if went_out && exposure.kind == Kind::Sms {
                let text = || format!("exposure {ep} was said to be sent, the radio had it not");
                findings.check(Rule::Radio, at, id, count > 0, text);
            }
        }
        for (id, ep) in counts.into_keys() {
            let ours = self.of(id).next().is_some();
            let text = || format!("exposure {ep} was never made, the radio had it");
            findings.check(Rule::Radio, at, Some(id), !ours, text);
        }
    }
}

/// Returns whether an event may follow the state `before`.
///
/// Before a result a phone may tell where it is as often as it likes. A result gives way to a
/// higher one alone; an unknown one to any; a proof that nothing was sent to none.
fn follows(before: Option<WireState>, unsent: bool, event: &Event) -> bool {
    let Some(before) = before else {
        return true;
    };
    let same = before == event.state;
    let (Some(was), is) = (before.rank(), event.state.rank()) else {
        return same;
    };
    let unknown = WireState::Unknown.rank().unwrap_or(0);
    if was < unknown {
        return true;
    }
    if before == WireState::Unknown {
        return is.is_none_or(|is| is >= unknown);
    }
    same || (!unsent && is.is_some_and(|is| is > was))
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::WireState as W;

    fn event(state: W) -> Event {
        let text = format!(
            r#"{{"s":1,"id":"SM0000000000000001","ep":1,"state":"{state}","wall":0,"mono":0}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn may_follow(before: W, after: W) -> bool {
        follows(Some(before), false, &event(after))
    }

    #[test]
    fn a_result_only_rises() {
        assert!(may_follow(W::Sent, W::Delivered));
        assert!(may_follow(W::Delivered, W::Delivered));
        assert!(!may_follow(W::Delivered, W::Sent));
        assert!(!may_follow(W::Sent, W::OnPhone));
        assert!(!may_follow(W::Delivered, W::Failed));
    }

    #[test]
    fn an_unknown_outcome_gives_way_to_any_truth_and_to_no_beginning() {
        for state in [W::Sent, W::Failed, W::Revoked, W::Delivered, W::Expired] {
            assert!(may_follow(W::Unknown, state), "{state}");
        }
        assert!(!may_follow(W::Unknown, W::Submitting));
    }

    #[test]
    fn what_provably_was_not_sent_stays_so() {
        assert!(!may_follow(W::Revoked, W::Sent));
        assert!(!may_follow(W::Cancelled, W::Failed));
        assert!(!follows(Some(W::Failed), true, &event(W::Delivered)));
    }
}
