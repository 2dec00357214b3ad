//! Voice calls and USSD codes: what the network makes of them, and what the platform tells.
//!
//! Answers to codes and refusals of calls come back to the process that asked, and to no other. How
//! a line is, is told to whichever process lives; the call log is written a moment after the call,
//! late, or never.

use crate::{
    log::{Line, Who},
    plan::{Route, Sort, Telling},
    random::Seeded,
    world::{Event, RadioEvent, World},
};
use postrider_link::frame::Address;
use postrider_machine::{
    CallKind, CallLogRow, CallRefusal, CallState, Log, RadioFact, SendToken, USSD_MS_MAX,
};
use postrider_model::{MessageText, SimSlot, UnixMs};

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
/// How much later than it was decided on a code may be dialled, when the disk is slow.
const DISK_MS: u64 = 10 * SECOND;
/// Where the numbers of callers begin.
const CALLERS_FROM: u64 = 5_000;

/// A call on a line of the phone.
#[derive(Debug, Clone)]
pub struct Call {
    /// The SIM.
    pub sim: u8,
    /// The other end.
    pub number: String,
    /// The hand-over, of a placed call.
    pub token: Option<SendToken>,
    /// How it is told of.
    pub telling: Telling,
    /// How long it rings.
    ring_ms: u64,
    /// How long it is spoken on; 0 when nobody answers.
    talk_ms: u64,
    /// How long after its end the log has a row of it, if ever.
    row_after_ms: Option<u64>,
    /// Whether it found the line busy.
    is_beside: bool,
    /// The wall clock when it began.
    started_at: i64,
}

/// A moment of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallBeat {
    /// It is dialled, or begins to ring.
    Begins,
    /// Somebody answers.
    Answered,
    /// It is over.
    Ends,
    /// The log has a row of it.
    Logged,
}

/// A code that the network was asked.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// Which.
    token: SendToken,
    /// By which life of the process.
    life: u64,
    /// When, in milliseconds since the run began.
    at: u64,
}

impl World {
    /// A phone dials a USSD code.
    pub(crate) fn dial_ussd(&mut self, no: usize, token: SendToken, sim: SimSlot) {
        let (at, life) = (self.at, self.phones[no].life);
        let pending = self.phones[no].platform.asked.get(&sim.get()).copied();
        if pending.is_some_and(|asked| asked.life == life && at + DISK_MS < asked.at + USSD_MS_MAX)
        {
            let text = format!("phone {no} dials {token} while a code waits for its answer");
            let id = Some(token.message.id);
            return self.fail("one USSD code at a time on a SIM", id, text);
        }
        let asked = Asked { token, life, at };
        self.phones[no].platform.asked.insert(sim.get(), asked);
        let mut random = self.draw(&name(19, no, token));
        let draw = random.next_u64();
        let obstacle = self.phones[no].platform.obstacle(sim.get(), draw);
        let trouble = if self.calm {
            0
        } else {
            self.plan.fleet.radio_trouble
        };
        let fate = match obstacle {
            Some(_) => "finds no radio",
            None if !random.percent(trouble) => "is answered",
            None => random.pick(FATES).unwrap_or("is answered"),
        };
        self.coverage.mark("USSD", fate, "");
        let line = Line::new(Who::Radio(no), "the code of exposure {} {w}");
        self.note(line.of_exposure(token.message).word(fate));
        let text = MessageText::new(format!("answer {}", token.message.id.get()));
        let answered = RadioFact::UssdAnswered { token, text };
        let failed = |code| RadioFact::UssdFailed { token, code };
        let soon = random.between(SECOND, 20 * SECOND);
        let takes_effect = match fate {
            "finds no radio" | "is not served" => {
                self.calls_back(no, soon, failed(-2));
                false
            }
            "fails without its answer" => {
                self.calls_back(no, soon, failed(-1));
                random.percent(50)
            }
            "is not answered" => random.percent(50),
            "is answered late" => {
                self.calls_back(no, random.between(MINUTE + 1, 10 * MINUTE), answered);
                true
            }
            "is answered again and again" => {
                self.calls_back(no, soon, answered.clone());
                self.calls_back(no, 2 * soon, answered);
                true
            }
            _ => {
                self.calls_back(no, soon, answered);
                true
            }
        };
        if takes_effect {
            self.takes_effect(no, token, soon / 2);
        }
    }

    /// What was dialled takes effect after a while, unless the modem loses it.
    fn takes_effect(&mut self, no: usize, token: SendToken, after_ms: u64) {
        let epoch = self.phones[no].platform.modem;
        let event = RadioEvent::OnAir(token, 0);
        let radio = Event::Radio {
            phone: no,
            epoch,
            event,
        };
        self.push_in(after_ms, radio);
    }

    /// Something comes back to the process that asked for it, if that still lives then.
    fn calls_back(&mut self, no: usize, after_ms: u64, fact: RadioFact) {
        let (epoch, life) = (self.phones[no].platform.intents, self.phones[no].life);
        let event = RadioEvent::CallsBack(life, fact);
        let radio = Event::Radio {
            phone: no,
            epoch,
            event,
        };
        self.push_in(after_ms, radio);
    }

    /// A code has come back.
    pub(super) fn is_answered(&mut self, no: usize, token: SendToken) {
        let asked = &mut self.phones[no].platform.asked;
        asked.retain(|_, asked| asked.token != token);
    }

    /// A phone places a call.
    pub(crate) fn place_call(&mut self, no: usize, token: SendToken, sim: SimSlot, to: &Address) {
        let mut random = self.draw(&name(20, no, token));
        let platform = &self.phones[no].platform;
        // Where commits take their time, what is told meanwhile is heard after them.
        let is_slow = self.phones[no].slow_until + DISK_MS > self.at;
        let is_told = platform.line_told == Some(self.phones[no].life) && !is_slow;
        if platform.on_line.is_some() && is_told {
            let text = format!("phone {no} places {token} while a line is busy");
            let id = Some(token.message.id);
            return self.fail("one call at a time on a phone", id, text);
        }
        let trouble = if self.calm {
            0
        } else {
            self.plan.fleet.radio_trouble
        };
        let has_sim = platform
            .sims
            .iter()
            .any(|held| held.slot == sim.get() && held.present);
        let fate = match (has_sim, platform.on_line) {
            (false, _) => "has no account",
            (true, Some(_)) => "is refused",
            (true, None) if platform.airplane => "is refused",
            (true, None) if !random.percent(trouble) => "is placed",
            (true, None) => random.pick(CALL_FATES).unwrap_or("is placed"),
        };
        self.coverage.mark("placed call", fate, "");
        let line = Line::new(Who::Radio(no), "the call of exposure {} {w}");
        self.note(line.of_exposure(token.message).word(fate));
        let why = match fate {
            "has no account" => Some(CallRefusal::NoAccount),
            "is not permitted" => Some(CallRefusal::NotPermitted),
            "is refused" => Some(CallRefusal::Other),
            _ => None,
        };
        if let Some(why) = why {
            return self.calls_back(no, 100, RadioFact::CallRefused { token, why });
        }
        if fate == "is forgotten" {
            return;
        }
        let talk_ms = match random.below(3) {
            0 => 0,
            _ => random.between(SECOND, 5 * MINUTE),
        };
        let call = Call {
            sim: sim.get(),
            number: to.as_str().to_owned(),
            token: Some(token),
            telling: match fate {
                "is not heard of" => Telling::Missing,
                "is told of twice" => Telling::Repeated,
                _ => Telling::Broadcast,
            },
            ring_ms: random.between(2 * SECOND, 40 * SECOND),
            talk_ms,
            row_after_ms: match fate {
                "is never logged" => None,
                "is logged late" => Some(random.between(70 * SECOND, 2 * 60 * MINUTE)),
                _ => Some(random.between(200, 8 * SECOND)),
            },
            is_beside: false,
            started_at: 0,
        };
        self.begin_call(no, call, random.between(300, 3_000));
    }

    /// Somebody calls the phone.
    pub(crate) fn call_comes_in(&mut self, route: Route, group: u64, telling: Telling) {
        let no = route.phone;
        let mut random = self.draw(&[21, no as u64, group]);
        let row_after_ms = match random.below(10) {
            0 => None,
            1 if telling != Telling::Missing => Some(random.between(70 * SECOND, 10 * MINUTE)),
            _ => Some(random.between(200, 8 * SECOND)),
        };
        let call = Call {
            sim: route.sim,
            number: format!("+1500555{:04}", CALLERS_FROM + group),
            token: None,
            telling,
            ring_ms: random.between(2 * SECOND, 40 * SECOND),
            talk_ms: if random.percent(50) {
                random.between(SECOND, 5 * MINUTE)
            } else {
                0
            },
            row_after_ms,
            is_beside: false,
            started_at: 0,
        };
        if row_after_ms.is_none() {
            self.coverage.mark("incoming", "a call without a row", "");
        }
        self.begin_call(no, call, 1);
    }

    fn begin_call(&mut self, no: usize, call: Call, after_ms: u64) {
        let index = self.phones[no].platform.calls.len();
        self.phones[no].platform.calls.push(call);
        self.beat_in(no, index, CallBeat::Begins, after_ms);
    }

    fn beat_in(&mut self, no: usize, index: usize, beat: CallBeat, after_ms: u64) {
        let epoch = self.phones[no].platform.modem;
        let event = RadioEvent::Call(index, beat);
        let radio = Event::Radio {
            phone: no,
            epoch,
            event,
        };
        self.push_in(after_ms, radio);
    }

    /// A call goes on.
    pub(crate) fn call_goes_on(&mut self, no: usize, index: usize, beat: CallBeat) {
        let Some(call) = self.phones[no].platform.calls.get(index).cloned() else {
            return;
        };
        match beat {
            CallBeat::Begins => self.call_begins(no, index, &call),
            CallBeat::Answered => {
                if call.token.is_none() {
                    self.tell_line(no, &call, CallState::OffHook);
                }
                self.beat_in(no, index, CallBeat::Ends, call.talk_ms);
            }
            CallBeat::Ends => {
                if !call.is_beside {
                    self.phones[no].platform.on_line = None;
                    self.tell_line(no, &call, CallState::Idle);
                }
                if let Some(after_ms) = call.row_after_ms {
                    self.beat_in(no, index, CallBeat::Logged, after_ms);
                }
            }
            CallBeat::Logged => self.call_is_logged(no, &call),
        }
    }

    fn call_begins(&mut self, no: usize, index: usize, call: &Call) {
        let started_at = self.phones[no].now(self.at).unix.0;
        let platform = &mut self.phones[no].platform;
        let is_beside = platform.on_line.is_some();
        if let Some(call) = platform.calls.get_mut(index) {
            (call.started_at, call.is_beside) = (started_at, is_beside);
            // Of the one beside another, the log tells as soon as of that.
            let is_late = is_beside && call.row_after_ms.is_some();
            call.row_after_ms = call
                .row_after_ms
                .map(|ms| if is_late { ms.min(SECOND) } else { ms });
        }
        if is_beside {
            let what = match call.token {
                Some(_) => "a placed call comes too late",
                None => "a call beside another",
            };
            self.coverage.mark("incoming", what, "");
            if call.token.is_some() {
                return;
            }
            return self.beat_in(no, index, CallBeat::Ends, call.ring_ms);
        }
        platform.on_line = Some(index);
        platform.line_told = None;
        if let Some(token) = call.token {
            self.goes_on_air(no, token, 0);
        }
        let state = match call.token {
            Some(_) => CallState::OffHook,
            None => CallState::Ringing,
        };
        self.tell_line(no, call, state);
        let next = match call.talk_ms {
            0 => CallBeat::Ends,
            _ => CallBeat::Answered,
        };
        self.beat_in(no, index, next, call.ring_ms);
    }

    /// Tells a process that lives how a line is; twice, the number only then, where it is told so.
    fn tell_line(&mut self, no: usize, call: &Call, state: CallState) {
        if call.telling == Telling::Missing || self.phones[no].agent.is_none() {
            return;
        }
        self.phones[no].platform.line_told = Some(self.phones[no].life);
        let number = Some(Address::new(call.number.clone()));
        let sim = SimSlot::new(call.sim).unwrap_or_default();
        let incoming = Some(call.token.is_none());
        let fact = |number| RadioFact::CallState {
            sim,
            state,
            number,
            incoming,
        };
        if call.telling == Telling::Repeated {
            self.tells(no, fact(None));
        }
        self.tells(no, fact(number));
    }

    fn call_is_logged(&mut self, no: usize, call: &Call) {
        let answered = call.talk_ms > 0 && !call.is_beside;
        let kind = match (call.token, answered) {
            (Some(_), _) => CallKind::Outgoing,
            (None, true) => CallKind::Incoming,
            (None, false) => CallKind::Missed,
        };
        let platform = &mut self.phones[no].platform;
        let row = CallLogRow {
            row: platform.call_log.len() as i64 + 1,
            sim: SimSlot::new(call.sim).unwrap_or_default(),
            number: Some(Address::new(call.number.clone())),
            kind,
            started_at: UnixMs(call.started_at),
            duration_s: if answered {
                (call.talk_ms / SECOND).cast_signed().max(1)
            } else {
                0
            },
        };
        platform.call_log.push(row);
        // A call of which the log has nothing is known only to a process that lived through it.
        if let (None, Some(group)) = (call.token, group_of(&call.number)) {
            self.model.came_in(no, Sort::Call, group);
        }
        self.coverage.mark("call log", kind_word(kind), "");
        if self.phones[no].agent.is_some() && call.telling != Telling::Missing {
            self.tells(no, RadioFact::LogChanged(Log::Calls));
        }
    }

    /// The shell tells how each line is when it starts.
    pub(crate) fn tell_lines(&mut self, no: usize) {
        let platform = &self.phones[no].platform;
        let busy = platform.on_line.and_then(|index| platform.calls.get(index));
        let busy = busy.map(|call| (call.sim, call.token.is_none()));
        let sims: Vec<u8> = platform.sims.iter().map(|sim| sim.slot).collect();
        for slot in sims {
            let here = busy.filter(|(sim, _)| *sim == slot);
            let fact = RadioFact::CallState {
                sim: SimSlot::new(slot).unwrap_or_default(),
                state: here.map_or(CallState::Idle, |_| CallState::OffHook),
                number: None,
                incoming: None,
            };
            self.phone_input(no, crate::phone::Input::Fact(fact));
        }
        self.phones[no].platform.line_told = Some(self.phones[no].life);
    }
}

const FATES: &[&str] = &[
    "is not served",
    "fails without its answer",
    "is not answered",
    "is answered late",
    "is answered again and again",
];

const CALL_FATES: &[&str] = &[
    "is refused",
    "is not permitted",
    "is forgotten",
    "is not heard of",
    "is told of twice",
    "is never logged",
    "is logged late",
];

const fn name(what: u64, no: usize, token: SendToken) -> [u64; 5] {
    [
        what,
        no as u64,
        token.message.id.get().unsigned_abs(),
        token.message.ep as u64,
        token.attempt as u64,
    ]
}

/// Returns which incoming call a number belongs to.
pub(crate) fn group_of(number: &str) -> Option<u64> {
    let number: u64 = number.strip_prefix("+1500555")?.parse().ok()?;
    number.checked_sub(CALLERS_FROM)
}

const fn kind_word(kind: CallKind) -> &'static str {
    match kind {
        CallKind::Incoming => "incoming",
        CallKind::Missed => "missed",
        CallKind::Rejected => "rejected",
        CallKind::Outgoing => "outgoing",
        CallKind::Blocked => "blocked",
        CallKind::Voicemail => "voicemail",
    }
}

/// Draws how long it takes until an observer tells of a row.
pub(super) fn observed_after(random: &mut Seeded) -> u64 {
    random.between(500, 2_000)
}
