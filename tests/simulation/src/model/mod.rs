//! The reference model: what may be true at each moment.
//!
//! It knows what nobody in production can know: what really went on the air. It says
//!
//! - whether a hand-over is allowed: the radio proved of every earlier one that nothing went out,
//!   or the sender chose to send again (a licence);
//! - whether what the hub shows agrees with the air;
//! - whether the pace was kept, in true time;
//! - whether each incoming message came to the hub as often as it came in.

mod pace;

use crate::{
    hub::{Incoming, Message},
    plan::{Fleet, Sort},
    world::Violation,
};
pub use pace::Paced;

use pace::Pace;
use postrider_link::ownership::hub::{Flags, HubState};
use postrider_machine::SendToken;
use postrider_model::{DeviceId, Key, MessageId};
use postrider_text::{result_code::look_up, tp_status::DeliveryOutcome};
use std::collections::{BTreeMap, BTreeSet};

/// One hand-over.
#[derive(Debug, Clone)]
struct Hand {
    phone: usize,
    token: SendToken,
    /// How many parts were counted on.
    parts: usize,
    /// Which installation of the phone made it.
    install: u64,
    /// Whether a report came before any result.
    is_reported: bool,
    /// The codes that the radio told, part by part.
    told: Vec<Option<i32>>,
    on_air: Vec<bool>,
    delivered: Vec<bool>,
    failed: bool,
    /// Whether it was refused with proof that nothing was dialled.
    is_refused: bool,
}

impl Hand {
    fn is_proven(&self) -> bool {
        let proof = |code: &Option<i32>| code.is_some_and(|code| look_up(code).is_proof());
        self.is_refused || self.told.iter().all(proof)
    }

    fn is_on_air(&self) -> bool {
        self.on_air.contains(&true)
    }

    /// The parts that can be known of: where the platform makes more of a text than was counted on,
    /// a report may come before any result tells of them.
    fn counted_on<'a>(&self, of: &'a [bool]) -> &'a [bool] {
        &of[..of.len().min(self.parts)]
    }

    fn is_whole(&self) -> bool {
        let on_air = self.counted_on(&self.on_air);
        !on_air.is_empty() && !on_air.contains(&false)
    }

    fn is_delivered(&self) -> bool {
        !self.counted_on(&self.delivered).contains(&false)
    }
}

/// What is known of a message.
#[derive(Debug, Clone, Default)]
struct Truth {
    hands: Vec<Hand>,
    /// How often its sender chose to send it again without proof.
    licences: usize,
    /// Whether a copied or older journal may hold it: nothing can be promised then.
    is_tainted: bool,
    /// Whether the hub forgot it in a restore.
    is_forgotten: bool,
}

/// A hand-over to the radio, as the model is told of it.
#[derive(Debug, Clone, Copy)]
pub struct HandOver {
    /// The phone.
    pub phone: usize,
    /// Which installation of it.
    pub install: u64,
    /// The hand-over.
    pub token: SendToken,
    /// The SIM.
    pub sim: u8,
    /// How many parts are counted on.
    pub parts: u8,
    /// What its pace is judged by; codes and calls have none.
    pub paced: Option<Paced>,
}

/// The model.
#[derive(Debug)]
pub struct Model {
    messages: BTreeMap<MessageId, Truth>,
    paces: BTreeMap<usize, Pace>,
    /// True copies of what came in, by phone, kind and group.
    incoming: BTreeMap<(usize, Sort, u64), u64>,
    /// Phones whose incoming messages cannot be counted any more: their journal was lost, or an
    /// older one.
    uncounted: BTreeSet<usize>,
    /// Devices whose journal may be refused: it was copied, lost or older, or the hub's rows were.
    suspects: BTreeSet<DeviceId>,
    hub_went_back: bool,
    /// The farthest that each phone's wall clock was set forward at once.
    forward: BTreeMap<usize, i64>,
    /// Phones that started after their clock was set, without having noticed it: by it they judge
    /// how old is what is over, and may have forgotten it before its time.
    forgetful: BTreeSet<usize>,
}

/// What is over is kept for 30 days.
const KEPT_MS: i64 = 29 * 86_400_000;

/// Returns the device of a phone.
fn device_of(phone: usize) -> DeviceId {
    DeviceId::new(Key::new(phone as i64 + 1).unwrap_or_default())
}

fn broken(rule: &'static str, message: MessageId, text: String) -> Result<(), Violation> {
    Err(Violation {
        rule,
        message: Some(message),
        text,
        at: 0,
    })
}

impl Model {
    /// Makes the model of a fleet.
    pub fn new(fleet: &Fleet) -> Self {
        let paces = (0..fleet.sims.len()).map(|no| (no, Pace::default()));
        Self {
            messages: BTreeMap::new(),
            paces: paces.collect(),
            incoming: BTreeMap::new(),
            uncounted: BTreeSet::new(),
            suspects: fleet.liar.map(device_of).into_iter().collect(),
            hub_went_back: false,
            forward: BTreeMap::new(),
            forgetful: BTreeSet::new(),
        }
    }

    /// The hub accepted a message.
    pub fn accepted(&mut self, id: MessageId) {
        self.messages.entry(id).or_default().is_forgotten = false;
    }

    /// The sender chose that a message goes out again.
    pub fn licensed(&mut self, id: MessageId) {
        self.messages.entry(id).or_default().licences += 1;
    }

    /// A phone hands a message to its radio.
    ///
    /// # Errors
    /// The rule that this breaks.
    pub fn handed_over(&mut self, hand: HandOver) -> Result<(), Violation> {
        let HandOver {
            phone,
            install,
            token,
            ..
        } = hand;
        let id = token.message.id;
        let truth = self.messages.entry(id).or_default();
        let is_same = |hand: &&Hand| hand.token.message == token.message;
        let mut result = Ok(());
        if !truth.is_tainted {
            let earlier = truth.hands.iter().filter(is_same);
            // A hub that went back gives a number again: to another installation, then.
            let earlier = earlier.filter(|hand| (hand.phone, hand.install) == (phone, install));
            let unproven = earlier.filter(|hand| !hand.is_proven()).count();
            if unproven > 0 {
                let text = format!(
                    "phone {phone} hands {token} over, and an earlier attempt of the exposure is not proven unsent"
                );
                result = broken("no exposure is handed over twice without proof", id, text);
            }
            let open = truth.hands.iter().filter(|hand| !hand.is_proven()).count();
            if result.is_ok() && open > truth.licences {
                let licences = truth.licences;
                let text = format!(
                    "phone {phone} hands {token} over, {open} earlier hand-overs are not proven unsent, the sender chose {licences}"
                );
                result = broken(
                    "no message is handed over again without proof or its sender's choice",
                    id,
                    text,
                );
            }
        }
        let parts = usize::from(hand.parts);
        truth.hands.push(Hand {
            phone,
            token,
            parts,
            install,
            is_reported: false,
            told: vec![None; parts],
            on_air: vec![false; parts],
            delivered: vec![false; parts],
            failed: false,
            is_refused: false,
        });
        let Some(paced) = &hand.paced else {
            return result;
        };
        let pace = self.paces.entry(phone).or_default();
        let kept = pace.spend(token, hand.sim, u32::from(hand.parts), paced);
        if let (Ok(()), Err(text)) = (&result, kept) {
            let text = format!("phone {phone}: {text}");
            result = broken(
                "the pace is kept, whatever restarts and clocks do",
                id,
                text,
            );
        }
        result
    }

    /// A part went on the air; `claims_unsent` is the exposure of which
    /// the hub shows that nothing did, if it does.
    ///
    /// # Errors
    /// The rule that this breaks.
    pub fn on_air(
        &mut self,
        phone: usize,
        token: SendToken,
        parts: u8,
        part: u8,
        claims_unsent: Option<u32>,
    ) -> Result<(), Violation> {
        let id = token.message.id;
        let truth = self.messages.entry(id).or_default();
        let of = |hand: &&mut Hand| hand.token == token && hand.phone == phone;
        if let Some(hand) = truth.hands.iter_mut().rev().find(of) {
            hand.on_air.resize(usize::from(parts), false);
            hand.delivered.resize(usize::from(parts), false);
            if let Some(on_air) = hand.on_air.get_mut(usize::from(part)) {
                *on_air = true;
            }
        }
        if truth.is_tainted {
            return Ok(());
        }
        let out = truth.hands.iter().filter(|hand| hand.is_on_air()).count();
        if out > 1 + truth.licences {
            let text = format!(
                "{out} hand-overs are on the air, the sender chose {}",
                truth.licences
            );
            return broken(
                "at most once on the air, and once for each choice of the sender",
                id,
                text,
            );
        }
        let forgot = self.hub_went_back && claims_unsent < Some(token.message.ep);
        if claims_unsent.is_some() && !forgot {
            let text = "the hub shows that it was not sent, and it goes on the air".to_owned();
            return broken("what is shown as unsent never goes on the air", id, text);
        }
        Ok(())
    }

    /// The radio told a phone the result of a part.
    pub fn told(&mut self, phone: usize, token: SendToken, (part, of): (u8, u8), code: i32) {
        let truth = self.messages.entry(token.message.id).or_default();
        let is_it = |hand: &&mut Hand| hand.token == token && hand.phone == phone;
        let Some(hand) = truth.hands.iter_mut().rev().find(is_it) else {
            return;
        };
        let place = usize::from(part);
        // Reports of all parts that were counted on end a message: more of them are not heard of.
        let counted_on = u8::try_from(hand.parts).unwrap_or(u8::MAX);
        let made = if hand.is_reported {
            of.min(counted_on)
        } else {
            of
        };
        hand.told.resize(usize::from(of).max(place + 1), None);
        hand.told[place].get_or_insert(code);
        if let Some(pace) = self.paces.get_mut(&phone) {
            pace.made_parts(token, made);
            if look_up(code).is_proof() {
                pace.give_back(token, part);
            }
        }
    }

    /// A code or a call came back without success, perhaps with proof that nothing was dialled.
    pub fn refused(&mut self, phone: usize, token: SendToken, is_proof: bool) {
        let truth = self.messages.entry(token.message.id).or_default();
        let is_it = |hand: &&mut Hand| hand.token == token && hand.phone == phone;
        if let Some(hand) = truth.hands.iter_mut().rev().find(is_it) {
            hand.is_refused |= is_proof;
        }
    }

    /// The network reported on a part.
    pub fn reported(&mut self, phone: usize, token: SendToken, part: u8, outcome: DeliveryOutcome) {
        let truth = self.messages.entry(token.message.id).or_default();
        let of = |hand: &&mut Hand| hand.token == token && hand.phone == phone;
        let Some(hand) = truth.hands.iter_mut().rev().find(of) else {
            return;
        };
        hand.is_reported |= hand.told.iter().all(Option::is_none);
        match outcome {
            DeliveryOutcome::Delivered => {
                if let Some(delivered) = hand.delivered.get_mut(usize::from(part)) {
                    *delivered = true;
                }
            }
            DeliveryOutcome::Failed { .. } => hand.failed = true,
            _ => {}
        }
    }

    /// The hub shows something of a message; `timed_at` is its clock, when it just said when the
    /// message was sent.
    ///
    /// # Errors
    /// The rule that this breaks.
    pub fn published(&mut self, message: &Message, timed_at: Option<i64>) -> Result<(), Violation> {
        let id = message.id;
        let truth = self.messages.entry(id).or_default();
        let hands = &truth.hands;
        // A hub that went back has to be shown first what it forgot.
        let forgot = hands
            .iter()
            .any(|hand| hand.token.message.ep > message.owner.ep);
        // What a page showed as waiting on its phone is asked back: until that is answered, the hub
        // may show an end that the phone is about to correct.
        let is_asked = message.owner.flags.has(Flags::REVOKE_ASKED);
        if truth.is_tainted || ((forgot || is_asked) && self.hub_went_back) {
            return Ok(());
        }
        let state = message.owner.state;
        let wrong = match state {
            HubState::Delivered => !hands.iter().any(Hand::is_delivered),
            HubState::NotDelivered => !hands.iter().any(|hand| hand.failed && hand.is_on_air()),
            HubState::Sent => !hands.iter().any(Hand::is_whole),
            HubState::Failed if message.owner.flags.has(Flags::PARTIAL) => {
                !hands.iter().any(Hand::is_on_air)
            }
            _ => false,
        };
        if wrong {
            let text = format!("the hub shows {state:?}, and the air does not say so");
            return broken("the hub shows as sent only what is on the air", id, text);
        }
        if message.claims_unsent() {
            if hands.iter().any(Hand::is_on_air) {
                let text = format!("the hub shows {state:?} as unsent, and it is on the air");
                return broken("what is on the air is never shown as unsent", id, text);
            }
            if hands.iter().any(|hand| !hand.is_proven()) {
                let text = format!("the hub shows {state:?} as unsent, and nothing proves it");
                return broken("what is shown as unsent is proven", id, text);
            }
        }
        if timed_at.is_some_and(|now| message.time_sent > Some(now)) {
            let text = "it was sent in the future".to_owned();
            return broken("no time is before its message or in the future", id, text);
        }
        Ok(())
    }

    /// A copy of something came in on a phone, and the platform keeps it.
    pub fn came_in(&mut self, phone: usize, sort: Sort, group: u64) {
        *self.incoming.entry((phone, sort, group)).or_default() += 1;
    }

    /// A journal was copied or replaced: what it holds can be handed over by somebody else.
    pub fn taint(&mut self, device: DeviceId, phone: usize, held: Vec<MessageId>) {
        self.taint_messages(held);
        self.uncounted.insert(phone);
        self.suspects.insert(device);
    }

    /// Nothing can be promised of these messages.
    pub fn taint_messages(&mut self, messages: Vec<MessageId>) {
        for id in messages {
            self.messages.entry(id).or_default().is_tainted = true;
        }
    }

    /// A journal was lost: another installation begins with nothing, its pace included.
    pub fn journal_lost(&mut self, device: DeviceId, phone: usize) {
        self.uncounted.insert(phone);
        self.suspects.insert(device);
        self.paces.insert(phone, Pace::default());
    }

    /// A phone may have forgotten what it handed over.
    pub fn forget_pace(&mut self, phone: usize) {
        self.paces.insert(phone, Pace::default());
    }

    /// A phone cannot know how old is what it handed over before a moment.
    pub fn forget_pace_before(&mut self, phone: usize, at: u64) {
        self.paces.entry(phone).or_default().forget_before(at);
        if self.forward.get(&phone).is_some_and(|by| *by > KEPT_MS) {
            self.forgetful.insert(phone);
        }
    }

    /// A phone's wall clock is set.
    pub fn wall_set(&mut self, phone: usize, by: i64) {
        let farthest = self.forward.entry(phone).or_default();
        *farthest = by.max(*farthest);
    }

    /// Returns whether a phone may have forgotten what is over before its time.
    pub fn is_forgetful(&self, phone: usize) -> bool {
        self.forgetful.contains(&phone)
    }

    /// A phone's incoming messages cannot be counted any more.
    pub fn uncounted(&mut self, phone: usize) {
        self.uncounted.insert(phone);
    }

    /// The hub is restored: messages that the backup does not have are forgotten.
    pub fn hub_restored(&mut self, known: &BTreeSet<MessageId>) {
        self.hub_went_back = true;
        for (id, truth) in &mut self.messages {
            truth.is_forgotten = !known.contains(id);
        }
    }

    /// The hub's rows are older: of what waits in them and was handed over since by one of these
    /// phones, it cannot know before a phone shows it.
    pub fn taint_handed_over(&mut self, waiting: &[MessageId], by: &BTreeSet<usize>) {
        for id in waiting {
            if let Some(truth) = self.messages.get_mut(id) {
                truth.is_tainted |= truth.hands.iter().any(|hand| by.contains(&hand.phone));
            }
        }
    }

    /// Returns whether another phone handed a message over.
    pub fn is_handed_over_beside(&self, id: MessageId, phone: usize) -> bool {
        let truth = self.messages.get(&id);
        truth.is_some_and(|truth| truth.hands.iter().any(|hand| hand.phone != phone))
    }

    /// Returns what a phone handed over, in whichever installation.
    pub fn handed_over_by(&self, phone: usize) -> Vec<MessageId> {
        let handed = self.messages.iter().filter(|(_, truth)| {
            let mut hands = truth.hands.iter();
            hands.any(|hand| hand.phone == phone)
        });
        handed.map(|(id, _)| *id).collect()
    }

    /// Returns whether a device's journal may be refused as copied or older.
    pub fn is_suspect(&self, device: DeviceId) -> bool {
        self.hub_went_back || self.suspects.contains(&device)
    }

    /// Returns a message that the hub accepted and does not have any more, though it was not
    /// restored to a time before it.
    pub fn lost(&self, kept: &BTreeMap<MessageId, Message>) -> Option<MessageId> {
        let mut expected = self
            .messages
            .iter()
            .filter(|(_, truth)| !truth.is_forgotten);
        expected.find_map(|(id, _)| (!kept.contains_key(id)).then_some(*id))
    }

    /// Returns whether anything of a message is on the air.
    pub fn is_out(&self, id: MessageId) -> bool {
        let truth = self.messages.get(&id);
        truth.is_some_and(|truth| truth.hands.iter().any(Hand::is_on_air))
    }

    /// Judges what came in, once everything has come home.
    ///
    /// # Errors
    /// The rule that was broken.
    pub fn judge_incoming(&self, stored: &[Incoming]) -> Result<(), Violation> {
        let mut counts: BTreeMap<(DeviceId, Sort, u64), u64> = BTreeMap::new();
        let mut last: BTreeMap<(DeviceId, &str), u64> = BTreeMap::new();
        let wrong = |rule, text| {
            Err(Violation {
                rule,
                message: None,
                text,
                at: 0,
            })
        };
        for row in stored {
            *counts.entry((row.device, row.sort, row.group)).or_default() += 1;
            let last = last.entry((row.device, row.install.as_str())).or_default();
            if row.n <= *last && !self.is_suspect(row.device) {
                let text = format!("{} stored {} after {last}", row.device, row.n);
                return wrong("incoming messages keep their order", text);
            }
            *last = row.n;
        }
        for ((phone, sort, group), copies) in &self.incoming {
            let device = device_of(*phone);
            let stored = counts.get(&(device, *sort, *group)).copied().unwrap_or(0);
            // What the platform keeps no row of can be lost with the process, but never doubled.
            let may_be_lost = matches!(sort, Sort::Data | Sort::Code) && stored < *copies;
            if !self.uncounted.contains(phone) && stored != *copies && !may_be_lost {
                let text = format!(
                    "incoming {group} ({}) came to phone {phone} {copies} times, and is {stored} times at the hub",
                    sort.word()
                );
                return wrong("each incoming message counts once", text);
            }
        }
        Ok(())
    }
}
