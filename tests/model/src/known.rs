//! Whether a phone is known to its hub: every order of welcomes, refusals, other hubs, cuts and
//! restarts, on the production session.
//!
//! It stands apart from [`system`](crate::system), whose state it would multiply: what it watches
//! depends on no message's place. One message waits on the phone. It may be handed over whenever
//! the session does not say that the phone is not known; that is the machine's one rule about it.

use crate::production::{device, install};
use postrider_link::{
    close::CloseCode,
    frame::{Challenge, HubFrame, Welcome},
    session::phone::{
        HelloSnapshot, JournalLink, LinkChange, PhoneEffect, PhoneSession, PhoneSettings, Stopped,
    },
};
use postrider_model::{HubId, Now};
use std::collections::{BTreeMap, VecDeque};

const NOW: Now = Now::new(1_000_000, 1_700_000_000_000);
/// The phone's hub.
const OURS: i64 = 1;
/// One that answers under the same name.
const OTHER: i64 = 2;

/// What there is to know of the phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// Which hub the pairing named.
    paired: Option<i64>,
    /// Which hub the journal has.
    learned: Option<i64>,
    /// Whether the journal has it that the phone is not known.
    on_disk: bool,
    /// Whether the process has.
    in_memory: bool,
    /// Whether a hub said so since the last welcome, in truth.
    told: bool,
    /// Whether the link is up.
    open: bool,
    /// Whether the message went to the radio.
    handed: bool,
}

/// What may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The phone's hub knows it.
    Welcome,
    /// The phone's hub is of an older version, and tells no id.
    OlderWelcome,
    /// Its hub does not know it.
    Refused,
    /// Another hub knows it.
    OtherHub,
    /// The link ends.
    Cut,
    /// The process ends and starts.
    Restart,
    /// The radio is free.
    HandOver,
}

const STEPS: [Step; 7] = [
    Step::Welcome,
    Step::OlderWelcome,
    Step::Refused,
    Step::OtherHub,
    Step::Cut,
    Step::Restart,
    Step::HandOver,
];

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// States that can be reached.
    pub states: usize,
    /// The promise that is broken, and a shortest way to it.
    pub broken: Option<(&'static str, String)>,
}

/// Visits every state.
pub fn search() -> Found {
    let start = |paired, learned| State {
        paired,
        learned,
        on_disk: false,
        in_memory: false,
        told: false,
        open: false,
        handed: false,
    };
    let starts = [
        start(Some(OURS), None),
        start(None, Some(OURS)),
        start(None, None),
    ];
    let mut ways: BTreeMap<State, Vec<Step>> = BTreeMap::new();
    let mut queue = VecDeque::new();
    for state in starts {
        ways.insert(state, Vec::new());
        queue.push_back(state);
    }
    while let Some(state) = queue.pop_front() {
        for step in STEPS {
            let mut way = ways[&state].clone();
            way.push(step);
            match after(state, step) {
                Err(why) => {
                    let broken = Some((why, format!("{way:?}")));
                    return Found {
                        states: ways.len(),
                        broken,
                    };
                }
                Ok(next) if !ways.contains_key(&next) => {
                    ways.insert(next, way);
                    queue.push_back(next);
                }
                Ok(_) => {}
            }
        }
    }
    Found {
        states: ways.len(),
        broken: None,
    }
}

fn after(state: State, step: Step) -> Result<State, &'static str> {
    match step {
        Step::Cut => Ok(State {
            open: false,
            ..state
        }),
        Step::Restart => Ok(State {
            in_memory: state.on_disk,
            open: false,
            ..state
        }),
        Step::HandOver if state.handed || session(state).is_not_known() => Ok(state),
        Step::HandOver if state.told => Err("handed over by a phone that is not known"),
        Step::HandOver => Ok(State {
            handed: true,
            ..state
        }),
        Step::Refused => refused(state),
        Step::Welcome => welcomed(state, Some(OURS)),
        Step::OlderWelcome => welcomed(state, None),
        Step::OtherHub => welcomed(state, Some(OTHER)),
    }
}

fn refused(state: State) -> Result<State, &'static str> {
    let mut session = greeted(state);
    let conn = session.conn();
    session.closed(conn, Some(CloseCode::NotKnown), NOW);
    let next = State {
        told: true,
        ..state
    };
    settled(next, &mut session)
}

fn welcomed(state: State, hub: Option<i64>) -> Result<State, &'static str> {
    let mine = state.paired.or(state.learned);
    let is_other = mine.zip(hub).is_some_and(|(mine, its)| mine != its);
    let mut session = greeted(state);
    let welcome = Welcome {
        v: 1,
        generation: 1,
        up: 0,
        now: 0,
        heartbeat_s: 45,
        limit: 100,
        hub: hub.and_then(HubId::from_i64),
    };
    let conn = session.conn();
    session.handle_frame(conn, HubFrame::Welcome(welcome), NOW);
    if is_other && session.is_open() {
        return Err("another hub was believed");
    }
    if !is_other && !session.is_open() {
        return Err("its own hub was not believed");
    }
    let next = State {
        told: is_other,
        ..state
    };
    settled(next, &mut session)
}

fn session(state: State) -> PhoneSession {
    let settings = PhoneSettings {
        device: device(0),
        install: install(0, 0),
        host: "hub.example".to_owned(),
        hub: state.paired.and_then(HubId::from_i64),
        boot: "boot".to_owned(),
        down_window: 50,
    };
    let restored = JournalLink {
        generation: 1,
        hub: state.learned.and_then(HubId::from_i64),
        not_known: state.in_memory,
        ..JournalLink::new()
    };
    PhoneSession::new(settings, &restored)
}

/// Drives a session to where it waits for its welcome.
fn greeted(state: State) -> PhoneSession {
    let mut session = session(state);
    drop(drained(&mut session));
    let conn = session.connected(HelloSnapshot::default(), NOW);
    let challenge = Challenge {
        nonce: "AAAAAAAAAAAAAAAAAAAAAA".parse().expect("a nonce"),
        generation: 1,
        down_sent: None,
        up: None,
    };
    session.handle_frame(conn, HubFrame::Challenge(challenge), NOW);
    drop(drained(&mut session));
    session.signed(conn, vec![1], NOW);
    drop(drained(&mut session));
    session
}

fn drained(session: &mut PhoneSession) -> (Vec<LinkChange>, Vec<PhoneEffect>) {
    let changes = std::iter::from_fn(|| session.poll_change()).collect();
    session.committed(NOW);
    let effects = std::iter::from_fn(|| session.poll_effect()).collect();
    (changes, effects)
}

fn settled(mut state: State, session: &mut PhoneSession) -> Result<State, &'static str> {
    state.open = session.is_open();
    state.in_memory = session.is_not_known();
    let (changes, effects) = drained(session);
    for change in changes {
        match change {
            LinkChange::NotKnown(not_known) => state.on_disk = not_known,
            LinkChange::HubLearned(hub) => state.learned = Some(hub.get()),
            LinkChange::Conn(_)
            | LinkChange::Down(_)
            | LinkChange::FactStored(_)
            | LinkChange::FactsAcked { .. }
            | LinkChange::Restarted { .. } => {}
        }
    }
    if effects.contains(&PhoneEffect::Stopped(Stopped::Unpaired)) {
        return Err("a phone erased itself that was only not known");
    }
    let dials = effects
        .iter()
        .any(|effect| matches!(effect, PhoneEffect::PlanRedial(_)));
    if !state.open && !dials {
        return Err("a phone that is not known does not come back");
    }
    Ok(state)
}
