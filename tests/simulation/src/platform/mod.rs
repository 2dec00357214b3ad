//! A phone's radio and platform: what it does with a hand-over, and what it tells of it.
//!
//! The platform outlives the app's process: its intents start the app when they fire. They are
//! gone after a forced stop and after a boot.

mod inbox;
mod line;
mod radio;
mod script;

pub(crate) use line::group_of;
pub use line::{Asked, Call, CallBeat};

use crate::plan::{Sort, Telling};
use postrider_machine::{CallLogRow, SendToken};
use postrider_model::MessageText;
use std::collections::BTreeMap;

/// A SIM in its slot.
#[derive(Debug, Clone)]
pub struct Sim {
    /// The slot.
    pub slot: u8,
    /// Whether there is a SIM.
    pub present: bool,
    /// Which SIM it is.
    pub fingerprint: u64,
    /// Whether it has service.
    pub in_service: bool,
}

/// A row of the platform's sent messages.
#[derive(Debug, Clone)]
pub struct SentRow {
    /// The hand-over that it is of.
    pub token: SendToken,
    /// The SIM.
    pub sim: u8,
    /// The recipient.
    pub to: String,
    /// The text.
    pub text: MessageText,
    /// The wall clock when it was sent, in Unix milliseconds.
    pub date: i64,
    /// Whether a message has claimed it.
    pub claimed: bool,
    /// Whether the journal that knows of it is gone.
    pub forgotten: bool,
}

/// A message that came in: a row of the platform's inbox.
#[derive(Debug, Clone)]
pub struct InboxRow {
    /// The row's number.
    pub row: i64,
    /// What it is: a text or a multimedia message.
    pub sort: Sort,
    /// Which message it is a copy of.
    pub group: u64,
    /// The SIM.
    pub sim: u8,
    /// The service centre's time, in Unix milliseconds.
    pub sent_at: i64,
    /// When it came, in milliseconds since the run began.
    pub at: u64,
    /// The row's date: the phone's wall clock when it came, in Unix milliseconds.
    pub date: i64,
    /// How the app was told.
    pub telling: Telling,
}

/// A hand-over in the radio's hands.
#[derive(Debug, Clone)]
pub struct InHand {
    /// Which.
    pub token: SendToken,
    /// The SIM.
    pub sim: u8,
    /// The recipient.
    pub to: String,
    /// The text.
    pub text: MessageText,
    /// How many parts the platform made.
    pub parts: u8,
    /// Which of them went on the air.
    pub on_air: Vec<bool>,
    /// The wall clock at the hand-over.
    pub since: i64,
    /// Whether a row is written once all parts went.
    pub writes_row: bool,
}

/// The radio and platform of a phone.
#[derive(Debug)]
pub struct Platform {
    /// The slots.
    pub sims: Vec<Sim>,
    /// Whether the radio is off.
    pub airplane: bool,
    /// Until when a dialog keeps the radio silent.
    pub dialog_until: u64,
    /// Counts the times that the platform's intents were lost.
    pub intents: u64,
    /// Counts the times that the modem lost what it had in hand.
    pub modem: u64,
    /// Sent messages.
    pub sent: Vec<SentRow>,
    /// Messages that came in.
    pub inbox: Vec<InboxRow>,
    /// What the radio has in hand, or had.
    pub in_hand: Vec<InHand>,
    /// The code that each SIM was asked last.
    pub asked: BTreeMap<u8, Asked>,
    /// Every call there ever was.
    pub calls: Vec<Call>,
    /// The one that keeps the line busy.
    pub on_line: Option<usize>,
    /// Which life of the process was told how the line is.
    pub line_told: Option<u64>,
    /// The log of calls.
    pub call_log: Vec<CallLogRow>,
    /// What each broadcast was of.
    pub receipts: BTreeMap<u64, (Sort, u64)>,
}

impl Platform {
    /// The journal that knows of the rows that are there now is gone.
    pub fn journal_is_gone(&mut self) {
        self.sent.iter_mut().for_each(|row| row.forgotten = true);
    }

    /// Makes a platform with so many SIMs, all in service.
    pub fn new(sims: u8) -> Self {
        let sim = |slot| Sim {
            slot,
            present: true,
            fingerprint: 0,
            in_service: true,
        };
        Self {
            sims: (0..sims).map(sim).collect(),
            airplane: false,
            dialog_until: 0,
            intents: 0,
            modem: 0,
            sent: Vec::new(),
            inbox: Vec::new(),
            in_hand: Vec::new(),
            asked: BTreeMap::new(),
            calls: Vec::new(),
            on_line: None,
            line_told: None,
            call_log: Vec::new(),
            receipts: BTreeMap::new(),
        }
    }

    /// Returns the SIM of a slot.
    pub fn sim_mut(&mut self, slot: u8) -> Option<&mut Sim> {
        self.sims.iter_mut().find(|sim| sim.slot == slot)
    }

    /// Returns why a SIM cannot send: one of the codes that say so.
    fn obstacle(&self, slot: u8, draw: u64) -> Option<i32> {
        let of = |codes: &[i32]| {
            let index = usize::try_from(draw).unwrap_or(0) % codes.len();
            codes.get(index).copied()
        };
        match self.sims.iter().find(|sim| sim.slot == slot) {
            _ if self.airplane => of(&[2, 9, 100, 115]),
            Some(sim) if !sim.present => of(&[120]),
            Some(sim) if !sim.in_service => of(&[4, 116, 4]),
            Some(_) => None,
            None => of(&[120]),
        }
    }

    /// The modem lost its power: no line is busy any more.
    pub fn hang_up(&mut self) {
        self.modem += 1;
        self.on_line = None;
        self.line_told = None;
    }

    /// Numbers a broadcast of something.
    fn receipt(&mut self, sort: Sort, group: u64) -> u64 {
        let receipt = self.receipts.len() as u64 + 1;
        self.receipts.insert(receipt, (sort, group));
        receipt
    }
}
