//! What follows from what a phone shows, on messages in memory that write down each fact.

use super::*;
use crate::{
    dispatch::freeze::Scope,
    frame::{Address, Kind},
    ownership::hub::{HubState, OnUnknown, Rules},
    proof::{PROOF_BYTES, Proof},
};
use postrider_model::{DeviceId, Key, SimSlot};
use std::{
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
};

const PROOF: Proof = Proof([7; PROOF_BYTES]);

/// Messages by their number, and which facts were applied to which, in order.
#[derive(Default)]
pub(crate) struct Memory {
    pub messages: BTreeMap<i64, Ownership>,
    pub past: BTreeSet<(i64, u32)>,
    pub concerned: bool,
    pub held_back: bool,
    pub too_old: bool,
    pub freeze: Option<Freeze>,
    pub did: Vec<(i64, &'static str)>,
}

pub(crate) fn phone(install: u8) -> Holder {
    Holder {
        device: DeviceId::new(Key::new(1).unwrap()),
        install: format!("install-0000-000{install}").parse().unwrap(),
    }
}

fn id(no: i64) -> MessageId {
    MessageId::new(Key::new(no).unwrap())
}

const RULES: Rules = Rules {
    on_unknown: OnUnknown::Report,
    life_left: true,
    other_route: false,
};

impl Memory {
    /// A message that is exposed to a phone at a place of the same number.
    pub(crate) fn exposed(mut self, no: i64, holder: Holder) -> Self {
        let owned = self.messages.entry(no).or_default();
        let s = no.unsigned_abs();
        owned.apply(Fact::Exposed { holder, s }, RULES).unwrap();
        self
    }

    fn state(&self, no: i64) -> HubState {
        self.messages[&no].state
    }
}

impl Rows for Memory {
    type Error = Infallible;
    type Message = i64;

    fn message(&mut self, id: MessageId) -> Result<Option<i64>, Infallible> {
        let no = id.get();
        Ok(self.messages.contains_key(&no).then_some(no))
    }

    fn placed_above(&mut self, down: u64) -> Result<Vec<i64>, Infallible> {
        let is_above = |owned: &Ownership| owned.s.is_some_and(|s| s > down);
        let placed = self.messages.iter().filter(|(_, owned)| is_above(owned));
        Ok(placed.map(|(no, _)| *no).collect())
    }

    fn owned(&self, no: &i64) -> Result<Ownership, Infallible> {
        Ok(self.messages[no].clone())
    }

    fn is_alive(&self, _: &i64) -> bool {
        true
    }

    fn apply(&mut self, no: &mut i64, fact: Fact<'_>) -> Result<Option<Outcome>, Infallible> {
        let word = match &fact {
            Fact::Shown { page: None, .. } => "shown",
            Fact::Shown { page: Some(_), .. } => "shown in a page",
            Fact::NeverReceived { .. } => "never received",
            Fact::Renumbered => "renumbered",
            Fact::ExposureForgotten => "forgotten",
            other => panic!("{other:?}"),
        };
        self.did.push((*no, word));
        Ok(self.messages.get_mut(no).unwrap().apply(fact, RULES).ok())
    }

    fn frame_again(&mut self, no: &i64, s: u64) -> Result<Option<Send>, Infallible> {
        let frame = Send {
            s,
            id: id(*no),
            ep: self.messages[no].ep,
            proof: None,
            kind: Kind::Sms,
            to: Address::new("+15005550006".to_owned()),
            text: None,
            data: None,
            sim: SimSlot::default(),
            parts_max: None,
            ttl_ms: 1,
            report: false,
            priority: 1,
            movable: false,
            media: Vec::new(),
        };
        Ok((!self.held_back).then_some(frame))
    }

    fn freeze(&mut self) -> Result<Option<Freeze>, Infallible> {
        Ok(self.freeze)
    }

    fn key(&self, no: &i64) -> i64 {
        *no
    }
}

impl PageRows for Memory {
    fn is_proven(&self, row: &HeldRow) -> bool {
        row.proof == Some(PROOF)
    }

    fn is_kept(&self, _: &HeldRow) -> bool {
        !self.too_old
    }

    fn is_for_phones(&self, no: &i64) -> bool {
        *no < 100
    }

    fn was_held(&mut self, row: &HeldRow) -> Result<bool, Infallible> {
        Ok(self.past.contains(&(row.id.get(), row.ep)))
    }

    fn is_concerned(&mut self, _: &i64) -> Result<bool, Infallible> {
        Ok(self.concerned)
    }
}

fn row(no: i64, ep: u32, state: WireState) -> HeldRow {
    HeldRow {
        id: id(no),
        ep,
        state,
        proof: None,
    }
}

fn proven(row: HeldRow) -> HeldRow {
    HeldRow {
        proof: Some(PROOF),
        ..row
    }
}

fn page(memory: &mut Memory, rows: &[HeldRow]) -> Page {
    let Ok(page) = in_page(memory, &phone(1), rows);
    page
}

fn places(frames: Vec<Send>) -> Vec<u64> {
    frames.into_iter().map(|frame| frame.s).collect()
}

fn after_hello(memory: &mut Memory, down: Option<u64>, resumes: bool) -> Vec<u64> {
    let Ok(frames) = in_hello(memory, &phone(1), &[], down, resumes);
    places(frames)
}

#[test]
fn what_the_phone_lacks_goes_out_again_with_its_number() {
    let mut memory = Memory::default().exposed(1, phone(1)).exposed(2, phone(1));
    assert_eq!(after_hello(&mut memory, Some(1), true), [2]);
    assert_eq!(memory.did, []);
}

#[test]
fn what_may_not_go_out_again_was_never_received() {
    for (held_back, resumes) in [(true, true), (false, false)] {
        let mut memory = Memory {
            held_back,
            ..Memory::default()
        }
        .exposed(1, phone(1));
        assert_eq!(after_hello(&mut memory, Some(0), resumes), [0; 0]);
        assert_eq!(memory.did, [(1, "never received")]);
        assert_eq!(memory.state(1), HubState::Waiting);
    }
}

#[test]
fn nothing_is_proven_where_the_numbers_cannot_be_compared_or_another_installation_had_it() {
    let mut memory = Memory::default().exposed(1, phone(1));
    assert_eq!(after_hello(&mut memory, None, true), [0; 0]);
    let mut of_other = Memory::default().exposed(1, phone(2));
    assert_eq!(after_hello(&mut of_other, Some(0), true), [0; 0]);
    assert_eq!((memory.did, of_other.did), (vec![], vec![]));
}

#[test]
fn a_row_of_hello_counts_before_what_the_phone_lacks() {
    let mut memory = Memory::default().exposed(1, phone(1));
    let shown = [row(1, 1, WireState::OnPhone), row(9, 1, WireState::OnPhone)];
    let Ok(frames) = in_hello(&mut memory, &phone(1), &shown, Some(0), true);
    assert_eq!(places(frames), [0; 0]);
    assert_eq!(memory.did, [(1, "shown"), (1, "never received")]);
}

#[test]
fn what_is_given_back_may_be_with_a_phone_that_is_lost() {
    let freeze = Freeze {
        scope: Scope::AllButLost,
        up_to: 1,
    };
    let mut memory = Memory {
        freeze: Some(freeze),
        held_back: true,
        ..Memory::default()
    }
    .exposed(1, phone(1))
    .exposed(2, phone(1));
    assert_eq!(after_hello(&mut memory, Some(0), true), [0; 0]);
    let states = [1, 2].map(|no| memory.state(no));
    assert_eq!(states, [HubState::Unknown, HubState::Waiting]);

    let mut memory = Memory {
        freeze: Some(freeze),
        ..Memory::default()
    }
    .exposed(1, phone(1));
    page(&mut memory, &[row(1, 1, WireState::Revoked)]);
    assert_eq!(memory.did, [(1, "shown in a page"), (1, "forgotten")]);
}

#[test]
fn counters_that_start_over_send_nothing_again() {
    let exposed = || Memory::default().exposed(1, phone(1)).exposed(2, phone(2));
    let mut anew = exposed();
    let Ok(frames) = all_came(&mut anew, &phone(1), true);
    assert_eq!(places(frames), [0; 0]);
    assert_eq!(anew.did, [(1, "renumbered"), (2, "renumbered")]);
    let mut again = exposed();
    let Ok(frames) = all_came(&mut again, &phone(1), false);
    assert_eq!(places(frames), [1]);
    assert_eq!(again.did, []);
}

#[test]
fn a_proof_shows_what_the_hub_forgot_and_only_that() {
    let own = proven(row(1, 1, WireState::OnPhone));
    let newer = proven(row(1, 2, WireState::OnPhone));
    let gone = proven(row(9, 1, WireState::OnPhone));
    let proves = |memory: Memory, row| {
        let mut memory = memory.exposed(1, phone(1));
        page(&mut memory, &[row]).proves_forgotten
    };
    assert!(!proves(Memory::default(), own));
    assert!(proves(Memory::default(), newer));
    assert!(proves(Memory::default(), gone));
    assert!(!proves(Memory::default(), row(9, 1, WireState::OnPhone)));
    let too_old = Memory {
        too_old: true,
        ..Memory::default()
    };
    assert!(!proves(too_old, gone));
    let past = Memory {
        past: BTreeSet::from([(1, 1)]),
        ..Memory::default()
    }
    .exposed(1, phone(1));
    let mut again = past;
    again.messages.get_mut(&1).unwrap().queue_again();
    assert!(!proves(again, own));
}

#[test]
fn rows_that_nothing_can_be_done_with_are_set_aside() {
    let mut memory = Memory::default()
        .exposed(1, phone(2))
        .exposed(100, phone(1));
    let rows = [
        row(1, 1, WireState::Sent),
        row(9, 1, WireState::Sent),
        row(100, 1, WireState::Sent),
    ];
    let page = page(&mut memory, &rows);
    assert_eq!(page.nowhere, [rows[1]]);
    assert_eq!(page.refused, [rows[0], rows[2]]);
    assert_eq!(memory.state(1), HubState::Exposed);
}

#[test]
fn a_past_exposure_counts_where_it_was_this_phones() {
    let mut memory = Memory {
        past: BTreeSet::from([(1, 1)]),
        ..Memory::default()
    }
    .exposed(1, phone(2));
    memory.messages.get_mut(&1).unwrap().queue_again();
    let mut memory = memory.exposed(1, phone(2));
    let page = page(&mut memory, &[row(1, 1, WireState::Sent)]);
    assert_eq!(page, Page::default());
    assert_eq!(memory.state(1), HubState::Sent);
}
