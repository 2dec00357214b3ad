//! Which phone a route picks: pure, the random number drawn by the caller.

use super::{Action, Actions, Condition, IfMode, Joined, Pick, Subject, Test, TestKind, UsePhone};
use crate::fold;
use postrider_model::PhoneId;
use std::collections::{BTreeMap, BTreeSet};

/// What a route goes by.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The recipient.
    pub to_number: &'a str,
    /// The recipient's country, where it is known.
    pub country: Option<&'a str>,
    /// The name of the message's type.
    pub message_type: &'a str,
    /// The groups that the recipient is in, of those that the route names.
    pub groups: &'a BTreeSet<String>,
}

/// Whether a phone can send a message now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// It is there.
    Ready,
    /// It is away, for so long.
    Away {
        /// In milliseconds.
        for_ms: u64,
    },
    /// Somebody or something holds it back.
    Held,
    /// It never will: it is gone, or may not send to this recipient.
    Never,
}

/// What is known of a phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhoneState {
    /// Whether it can send.
    pub ability: Ability,
    /// How many messages wait for it.
    pub queue: u64,
}

/// What a route came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The phone.
    pub phone: PhoneId,
    /// Whether it can send now, as far as the route's rules go.
    pub can_send: bool,
}

impl Actions {
    /// Returns the offers that a message reaches, in their order.
    pub fn offers<'a>(&'a self, facts: &Facts<'_>) -> Vec<&'a UsePhone> {
        let mut offers = Vec::new();
        reach(&self.0, facts, &mut offers);
        offers
    }
}

fn reach<'a>(actions: &'a [Action], facts: &Facts<'_>, offers: &mut Vec<&'a UsePhone>) {
    let mut chain_held = false;
    for action in actions {
        match action {
            Action::UsePhone(offer) => offers.push(offer),
            Action::Condition(condition) => {
                let is_open = condition.if_mode == IfMode::If || !chain_held;
                let holds = is_open && condition.holds(facts);
                chain_held = holds || (condition.if_mode != IfMode::If && chain_held);
                if holds {
                    reach(&condition.actions, facts, offers);
                }
            }
        }
    }
}

impl Condition {
    fn holds(&self, facts: &Facts<'_>) -> bool {
        match (self.if_mode, self.op) {
            (IfMode::Else, _) => true,
            (_, Joined::And) => self.tests.iter().all(|test| test.holds(facts)),
            (_, Joined::Or) => self.tests.iter().any(|test| test.holds(facts)),
        }
    }
}

impl Test {
    fn holds(&self, facts: &Facts<'_>) -> bool {
        let text = fold(match self.subject {
            Some(Subject::ToNumber) => facts.to_number,
            Some(Subject::Country) => facts.country.unwrap_or_default(),
            Some(Subject::MessageType) => facts.message_type,
            None => "",
        });
        let value = fold(&self.value);
        match self.kind {
            TestKind::Is => text == value,
            TestKind::IsNot => text != value,
            TestKind::StartsWith => text.starts_with(&value),
            TestKind::DoesNotStartWith => !text.starts_with(&value),
            TestKind::EndsWith => text.ends_with(&value),
            TestKind::DoesNotEndWith => !text.ends_with(&value),
            TestKind::InGroup => facts.groups.contains(&self.value),
            TestKind::NotInGroup => !facts.groups.contains(&self.value),
        }
    }
}

/// The phones of a project that a route's offers name, as they are now.
type States = BTreeMap<PhoneId, PhoneState>;

impl UsePhone {
    /// Says whether a phone of this offer can send now.
    fn takes(&self, state: &PhoneState) -> bool {
        match state.ability {
            Ability::Ready => true,
            Ability::Away { for_ms } => self
                .offline_sec
                .is_none_or(|sec| for_ms <= u64::from(sec) * 1_000),
            Ability::Held | Ability::Never => false,
        }
    }

    fn pick(
        &self,
        states: &States,
        draw: u64,
        may: impl Fn(&PhoneState) -> bool,
    ) -> Option<PhoneId> {
        let mut among = Vec::with_capacity(self.phones.len());
        for (id, weight) in &self.phones {
            if let Some(state) = states.get(id).filter(|state| may(state)) {
                among.push((*id, u64::from(*weight), state.queue));
            }
        }
        match self.pick {
            Pick::First => among.first().map(|(id, ..)| *id),
            Pick::ShortestQueue => {
                let shortest = among.iter().min_by_key(|(_, _, queue)| *queue);
                shortest.map(|(id, ..)| *id)
            }
            Pick::Weight => by_weight(&among, draw),
        }
    }
}

/// Takes the phone at a place of the line that all of them stand on, each as long as its weight.
fn by_weight(among: &[(PhoneId, u64, u64)], draw: u64) -> Option<PhoneId> {
    let total: u64 = among.iter().map(|(_, weight, _)| weight).sum();
    let mut place = draw.checked_rem(total)?;
    for (id, weight, _) in among {
        match place.checked_sub(*weight) {
            Some(rest) => place = rest,
            None => return Some(*id),
        }
    }
    None
}

/// Picks the phone for a message; `None` when no offer has one that ever could send it.
///
/// `draw` is any number: the same states and number always pick the same phone.
pub fn choose(offers: &[&UsePhone], states: &States, draw: u64) -> Option<Choice> {
    let now = |offer: &&UsePhone| offer.pick(states, draw, |state| offer.takes(state));
    if let Some(phone) = offers.iter().find_map(now) {
        return Some(Choice {
            phone,
            can_send: true,
        });
    }
    let ever =
        |offer: &&UsePhone| offer.pick(states, draw, |state| state.ability != Ability::Never);
    offers.iter().find_map(ever).map(|phone| Choice {
        phone,
        can_send: false,
    })
}

/// Picks another phone for a message that waits for `current`; `None` while that one is as good.
pub fn better(
    offers: &[&UsePhone],
    states: &States,
    current: PhoneId,
    draw: u64,
) -> Option<PhoneId> {
    let is_good = offers.iter().any(|offer| {
        let state = states.get(&current).filter(|state| offer.takes(state));
        state.is_some() && offer.phones.iter().any(|(id, _)| *id == current)
    });
    if is_good {
        return None;
    }
    let choice = choose(offers, states, draw)?;
    let is_gone = states
        .get(&current)
        .is_none_or(|state| state.ability == Ability::Never);
    (choice.phone != current && (choice.can_send || is_gone)).then_some(choice.phone)
}
