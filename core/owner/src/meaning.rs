//! What the agent's events mean for its owner.

use crate::alerts::{Alert, AlertKind};
use crate::log::Entry;
use crate::what::What;
use postrider_machine::Event;
use postrider_model::{MessageId, SimSlot, UnixMs};

/// Alerts that a connection ends.
const OVER_WHEN_LINKED: [AlertKind; 5] = [
    AlertKind::Offline,
    AlertKind::NotKnown,
    AlertKind::LinkFailing,
    AlertKind::UpdateNeeded,
    AlertKind::AgentFailing,
];

/// A line of the log, still without its time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    what: What,
    message: Option<MessageId>,
    sim: Option<SimSlot>,
    code: Option<i32>,
}

impl From<What> for Line {
    fn from(what: What) -> Self {
        Self {
            what,
            message: None,
            sim: None,
            code: None,
        }
    }
}

impl Line {
    /// Returns the log line of an event; `None` where another event covers it.
    pub(crate) fn of(event: &Event) -> Option<Self> {
        Some(match event {
            Event::LinkUp => What::LinkUp.into(),
            Event::LinkDown => What::LinkDown.into(),
            Event::PairingNeeded { .. } => What::PairingNeeded.into(),
            Event::NotKnownHere => What::NotKnown.into(),
            Event::UpdateNeeded => What::UpdateNeeded.into(),
            Event::LinkFailing => What::LinkFailing.into(),
            Event::LinkReplaced => What::LinkReplaced.into(),
            Event::MessageAccepted { message, sim } => {
                Self::from(What::Accepted).about(message.id).by(*sim)
            }
            // `MessageMoved` follows and is logged.
            Event::MessageSubmitted { .. } => return None,
            Event::MessageMoved {
                message,
                state,
                code,
            } => Self::from(What::of_message(*state))
                .about(message.id)
                .with(*code),
            Event::TestMoved { state, code, .. } => Self::from(What::of_test(*state)).with(*code),
            Event::MessageReceived { source, sim } => Self::from(What::of_source(*source)).by(*sim),
            Event::SimChanged { sim } => Self::from(What::SimChanged).by(*sim),
            Event::SimConfirmed { sim } => Self::from(What::SimConfirmed).by(*sim),
            Event::SimHeld { sim, code } => Self::from(What::SimHeld).by(*sim).with(Some(*code)),
            Event::SimReleased { sim } => Self::from(What::SimReleased).by(*sim),
            Event::LookAtPhone { sim } => Self::from(What::LookAtPhone).by(*sim),
            Event::PaceHalved { .. } => What::PaceHalved.into(),
            Event::ReportMismatched { token } => {
                Self::from(What::ReportMismatched).about(token.message.id)
            }
            Event::StrayResult { token } => Self::from(What::StrayResult).about(token.message.id),
        })
    }

    fn about(mut self, message: MessageId) -> Self {
        self.message = Some(message);
        self
    }

    fn by(mut self, sim: SimSlot) -> Self {
        self.sim = Some(sim);
        self
    }

    fn with(mut self, code: Option<i32>) -> Self {
        self.code = code;
        self
    }

    pub(crate) fn at(self, at: UnixMs) -> Entry {
        Entry {
            at,
            what: self.what,
            message: self.message,
            sim: self.sim,
            code: self.code,
        }
    }
}

/// Returns the alert that an event raises, and its SIM.
pub(crate) fn raised_by(event: &Event) -> Option<(AlertKind, Option<SimSlot>)> {
    match event {
        Event::NotKnownHere => Some((AlertKind::NotKnown, None)),
        Event::UpdateNeeded => Some((AlertKind::UpdateNeeded, None)),
        Event::LinkFailing => Some((AlertKind::LinkFailing, None)),
        Event::LinkReplaced => Some((AlertKind::LinkReplaced, None)),
        Event::SimChanged { sim } => Some((AlertKind::SimChanged, Some(*sim))),
        Event::SimHeld { sim, .. } => Some((AlertKind::SimHeld, Some(*sim))),
        Event::LookAtPhone { sim } => Some((AlertKind::LookAtPhone, Some(*sim))),
        // The shell reports the end of the pairing once the agent has stopped.
        Event::PairingNeeded { .. }
        | Event::LinkUp
        | Event::LinkDown
        | Event::MessageAccepted { .. }
        | Event::MessageSubmitted { .. }
        | Event::MessageMoved { .. }
        | Event::TestMoved { .. }
        | Event::MessageReceived { .. }
        | Event::SimConfirmed { .. }
        | Event::SimReleased { .. }
        | Event::PaceHalved { .. }
        | Event::ReportMismatched { .. }
        | Event::StrayResult { .. } => None,
    }
}

/// Returns whether an event ends an alert.
pub(crate) fn is_over_by(event: &Event, alert: &Alert) -> bool {
    match event {
        Event::LinkUp => OVER_WHEN_LINKED.contains(&alert.kind),
        Event::SimConfirmed { sim } => {
            alert.kind == AlertKind::SimChanged && alert.sim == Some(*sim)
        }
        Event::SimReleased { sim } => {
            let is_hold = matches!(alert.kind, AlertKind::SimHeld | AlertKind::LookAtPhone);
            is_hold && alert.sim == Some(*sim)
        }
        Event::LinkDown
        | Event::PairingNeeded { .. }
        | Event::NotKnownHere
        | Event::UpdateNeeded
        | Event::LinkFailing
        | Event::LinkReplaced
        | Event::MessageAccepted { .. }
        | Event::MessageSubmitted { .. }
        | Event::MessageMoved { .. }
        | Event::TestMoved { .. }
        | Event::MessageReceived { .. }
        | Event::SimChanged { .. }
        | Event::SimHeld { .. }
        | Event::LookAtPhone { .. }
        | Event::PaceHalved { .. }
        | Event::ReportMismatched { .. }
        | Event::StrayResult { .. } => false,
    }
}
