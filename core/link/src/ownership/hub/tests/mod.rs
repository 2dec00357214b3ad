//! Each ownership rule of the hub, as a sentence.

mod restored;
mod rules;
mod sender;
mod truth;

use super::*;
use postrider_model::Key;

/// One message with its rules; facts are applied as the dispatcher would.
struct Message {
    row: Ownership,
    rules: Rules,
}

const REPORT: Rules = Rules {
    on_unknown: OnUnknown::Report,
    life_left: true,
    other_route: false,
};

fn phone(n: i64) -> Holder {
    Holder {
        device: DeviceId::new(Key::new(n).unwrap()),
        install: "install-0000-0001".parse().unwrap(),
    }
}

fn reinstalled(n: i64) -> Holder {
    Holder {
        install: "install-0000-0002".parse().unwrap(),
        ..phone(n)
    }
}

fn plain(state: WireState) -> Report {
    Report {
        state,
        partial: false,
        unsent: false,
    }
}

const PROVEN: Report = Report {
    state: WireState::Failed,
    partial: false,
    unsent: true,
};

const PARTIAL: Report = Report {
    state: WireState::Failed,
    partial: true,
    unsent: false,
};

impl Message {
    fn new() -> Self {
        Self::with(REPORT)
    }

    fn with(rules: Rules) -> Self {
        let row = Ownership::new();
        Self { row, rules }
    }

    /// A message exposed to phone 1 at place 5.
    fn exposed() -> Self {
        Self::new().exposed_to(1, 5)
    }

    /// A message whose present exposure reached `state` at phone 1.
    fn at(state: WireState) -> Self {
        let mut message = Self::exposed();
        message.reports(state);
        message
    }

    fn exposed_to(mut self, n: i64, s: u64) -> Self {
        self.expose(n, s);
        self
    }

    fn expose(&mut self, n: i64, s: u64) -> Outcome {
        let holder = phone(n);
        self.apply(Fact::Exposed { holder, s })
    }

    fn apply(&mut self, fact: Fact<'_>) -> Outcome {
        self.row.apply(fact, self.rules).unwrap()
    }

    fn refuses(&mut self, fact: Fact<'_>) -> Refused {
        let before = self.row.clone();
        let refused = self.row.apply(fact, self.rules).unwrap_err();
        assert_eq!(self.row, before, "a refused fact changes nothing");
        refused
    }

    /// Phone 1 reports about the present exposure.
    fn reports(&mut self, state: WireState) -> Outcome {
        self.says(1, plain(state))
    }

    fn says(&mut self, n: i64, report: Report) -> Outcome {
        let (ep, by) = (self.row.ep, phone(n));
        let by = &by;
        self.apply(Fact::Reported { ep, by, report })
    }

    fn earlier_says(&mut self, ep: u32, state: WireState) -> Outcome {
        let report = plain(state);
        self.apply(Fact::PastReported { ep, report })
    }

    fn hello_without_it(&mut self, n: i64, down: u64) -> Outcome {
        let by = &phone(n);
        self.apply(Fact::NeverReceived { by, down })
    }

    fn life_ended(&mut self, ago_ms: u64) -> Outcome {
        self.rules.life_left = false;
        self.apply(Fact::LifeEnded { ago_ms })
    }

    fn state(&self) -> HubState {
        self.row.state
    }
}

fn shown(outcome: &Outcome) -> Option<(MessageStatus, Option<ErrorCode>)> {
    outcome
        .publish
        .map(|publish| (publish.status, publish.error))
}

const UNKNOWN: (MessageStatus, Option<ErrorCode>) =
    (MessageStatus::Failed, Some(ErrorCode::UnknownOutcome));
const NEVER_SENT: (MessageStatus, Option<ErrorCode>) =
    (MessageStatus::Failed, Some(ErrorCode::NeverSent));
const EXPIRED: (MessageStatus, Option<ErrorCode>) =
    (MessageStatus::Failed, Some(ErrorCode::Expired));
