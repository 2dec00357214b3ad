//! USSD codes and calls on the simulated phone.

use crate::{
    calls::{CallRow, Kind, ROW_AFTER_MS},
    profile::{CallPlan, USSD_FAILED, USSD_NO_SERVICE, UssdPlan, plan_call, plan_ussd},
    radio::VirtualRadio,
    seen::Seen,
    standard_input::IncomingCall,
};
use postrider_agent::{
    CallRefusal, CallState, Clock, DialUssd, Log, PlaceCall, RadioFact, SendToken,
};
use postrider_link::frame::Address;
use postrider_model::{MessageText, SimSlot};
use std::io;

/// How long a USSD code takes that fails on its way, in milliseconds.
const FAILS_AFTER_MS: u64 = 100;
/// How much later the platform repeats the state of a line with its number, in milliseconds.
const NUMBER_AFTER_MS: u64 = 20;
/// How long a call takes that no network carries, in milliseconds.
const NO_NETWORK_MS: u64 = 50;

/// The code that asks for the balance.
const BALANCE: &str = "*100#";
/// The answer to it.
const BALANCE_IS: &str = "Your balance is 12.50. It is valid for 30 days.";
/// The answer to every other code.
const DONE: &str = "OK";

/// A planned call: who, which direction, and how it goes.
struct Course {
    sim: SimSlot,
    number: Option<Address>,
    is_incoming: bool,
    kind: Kind,
    ring_ms: u64,
    talk_ms: u64,
}

/// Returns the network's answer to a USSD code.
fn answer(code: &str) -> &'static str {
    match code {
        BALANCE => BALANCE_IS,
        _ => DONE,
    }
}

impl VirtualRadio {
    /// Dials a USSD code.
    pub(crate) fn dial(&self, task: &DialUssd) {
        let token = task.token;
        let mut plan = match self.world().obstacle(task.sim) {
            Some(_) => UssdPlan::Refused,
            None => plan_ussd(self.profile, &mut self.dice()),
        };
        let logs = || self.log_other("ussd", task.sim, token, &task.code);
        if plan != UssdPlan::Refused && logs().is_err() {
            tracing::error!(message = %token, "the radio log cannot be written");
            plan = UssdPlan::Refused;
        }
        let failed = |code| RadioFact::UssdFailed { token, code };
        match plan {
            UssdPlan::Refused => {
                let (to, code) = (&task.code, USSD_NO_SERVICE);
                self.watch(&Seen::Refused { to, code });
                self.tell(FAILS_AFTER_MS, failed(USSD_NO_SERVICE));
                return;
            }
            UssdPlan::Fails { code } => drop(self.tell(FAILS_AFTER_MS, failed(code))),
            UssdPlan::Silent => {}
            UssdPlan::Answers { after_ms, twice } => {
                self.answer(token, &task.code, after_ms);
                if twice {
                    self.answer(token, &task.code, after_ms + FAILS_AFTER_MS);
                    self.tell(after_ms + 2 * FAILS_AFTER_MS, failed(USSD_FAILED));
                }
            }
        }
        let (sim, code) = (task.sim, &task.code);
        self.watch(&Seen::Dialled { sim, code });
    }

    fn answer(&self, token: SendToken, code: &Address, after_ms: u64) {
        let text = MessageText::new(answer(code.as_str()));
        self.tell(after_ms.max(1), RadioFact::UssdAnswered { token, text });
    }

    /// Places a call.
    pub(crate) fn call(&self, task: &PlaceCall) {
        let token = task.token;
        let mut plan = match self.world().obstacle(task.sim) {
            Some(_) => CallPlan::Rings {
                ring_ms: NO_NETWORK_MS,
                talk_ms: 0,
            },
            None => plan_call(self.profile, &mut self.dice()),
        };
        let logs = || self.log_other("call", task.sim, token, &task.to);
        if plan != CallPlan::Refused && logs().is_err() {
            tracing::error!(message = %token, "the radio log cannot be written");
            plan = CallPlan::Refused;
        }
        let course = |ring_ms, talk_ms| Course {
            sim: task.sim,
            number: Some(task.to.clone()),
            is_incoming: false,
            kind: Kind::Outgoing,
            ring_ms,
            talk_ms,
        };
        let ran = match plan {
            CallPlan::Refused => {
                let why = CallRefusal::Other;
                self.tell(0, RadioFact::CallRefused { token, why });
                return;
            }
            CallPlan::Silent => Ok(()),
            CallPlan::Rings { ring_ms, talk_ms } => self.run(&course(ring_ms, talk_ms)),
        };
        if ran.is_err() {
            tracing::warn!(message = %token, "the log of calls cannot be written");
        }
        let (sim, to) = (task.sim, &task.to);
        self.watch(&Seen::Called { sim, to });
    }

    /// Makes a call come in.
    pub(crate) fn ring(&self, call: &IncomingCall) -> io::Result<()> {
        let duration_s = call.duration_s.filter(|_| !call.rejected);
        let kind = match duration_s {
            _ if call.rejected => Kind::Rejected,
            Some(_) => Kind::Incoming,
            None => Kind::Missed,
        };
        self.run(&Course {
            sim: call.sim,
            number: call.from.as_ref().map(Address::from),
            is_incoming: true,
            kind,
            ring_ms: 1_000 * u64::from(call.ring_s),
            talk_ms: 1_000 * u64::from(duration_s.unwrap_or(0)),
        })?;
        let (sim, from) = (call.sim, call.from.as_ref());
        self.watch(&Seen::Rang { sim, from });
        Ok(())
    }

    /// Writes the call down before it is reported, and reports the line as it goes: each
    /// change twice, first without the number.
    fn run(&self, course: &Course) -> io::Result<()> {
        let over_ms = course.ring_ms + course.talk_ms;
        let began_ms = self.clock.now().unix.0;
        self.calls.add(|row| CallRow {
            row,
            at_ms: began_ms,
            shows_ms: began_ms.saturating_add_unsigned(over_ms + ROW_AFTER_MS),
            sim: course.sim,
            number: course.number.clone(),
            kind: course.kind,
            duration_s: i64::try_from(course.talk_ms / 1_000).unwrap_or(i64::MAX),
        })?;
        let first = if course.is_incoming {
            CallState::Ringing
        } else {
            CallState::OffHook
        };
        self.tell_line(course, 0, first);
        if course.kind == Kind::Incoming {
            self.tell_line(course, course.ring_ms, CallState::OffHook);
        }
        self.tell_line(course, over_ms.max(2 * NUMBER_AFTER_MS), CallState::Idle);
        let shown_ms = over_ms + ROW_AFTER_MS + NUMBER_AFTER_MS;
        self.tell(shown_ms, RadioFact::LogChanged(Log::Calls));
        Ok(())
    }

    fn tell_line(&self, course: &Course, after_ms: u64, state: CallState) {
        for (more_ms, number) in [(0, None), (NUMBER_AFTER_MS, course.number.clone())] {
            let incoming = (state != CallState::Idle).then_some(course.is_incoming);
            let fact = RadioFact::CallState {
                sim: course.sim,
                state,
                number,
                incoming,
            };
            self.tell(after_ms + more_ms, fact);
        }
    }
}
