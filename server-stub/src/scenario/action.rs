//! What a step does.

use super::{InvalidScenario, PairingAnswer, StallSide, Wait};
use base64::{Engine, engine::general_purpose::STANDARD};
use postrider_link::frame::{Address, Bytes, Data, Kind, Media};
use postrider_model::{MessageText, Secret, SimSlot};
use serde::Deserialize;

/// Most messages of one `send`.
const COUNT_MAX: u32 = 10_000;
/// Most parts that a made text has.
const PARTS_MAX: u16 = 255;
/// Longest life of a message, in milliseconds: 30 days.
const TTL_MS_MAX: u64 = 30 * 24 * 3_600_000;

/// One step: what it waits for, and what it then does.
#[derive(Debug, Clone)]
pub struct Step {
    /// What must be so first.
    pub wait: Wait,
    /// Milliseconds between that and the deed.
    pub after_ms: u64,
    /// The deed.
    pub action: Action,
}

/// What a step does; each is also a call of the control interface.
#[derive(Debug, Clone)]
pub enum Action {
    /// Queues messages.
    Send(Box<SendAction>),
    /// Takes the messages of a label back.
    Revoke(String),
    /// Cancels the messages of a label.
    Cancel(String),
    /// Sets what the hub decides about sending.
    Config(ConfigAction),
    /// Writes a frame of a type that nobody knows.
    Unknown(UnknownAction),
    /// Closes the present connection with a code.
    Close(u16),
    /// Breaks the present connection off without a word.
    Cut,
    /// Stops reading or writing.
    Stall(StallAction),
    /// Ends the present connection in good order, to come back after so many milliseconds.
    Bye(u64),
    /// Changes the generation, as a restore does.
    Generation(u64),
    /// Keeps what the hub knows now.
    Remember,
    /// Forgets everything since [`Action::Remember`], as an old backup does.
    GoBack,
    /// Removes the phone.
    Unpair,
    /// Answers phones that want to join another way from now on.
    Pairing(PairingAnswer),
    /// Does nothing: a step that only waits.
    Pass,
}

/// `send`: messages to queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendAction {
    /// What other steps call them.
    pub label: String,
    /// What the phone is asked to do.
    pub kind: Kind,
    /// The recipient, or the USSD code.
    pub to: Address,
    /// The text; made when absent.
    pub text: Option<MessageText>,
    /// Parts of a made text.
    pub parts: u16,
    /// The payload of a data message.
    pub data: Option<Data>,
    /// Files of a multimedia message.
    pub media: Vec<Media>,
    /// How many messages.
    pub count: u32,
    /// Milliseconds between two of them.
    pub every_ms: u64,
    /// Higher goes first.
    pub priority: i64,
    /// How long each lives.
    pub ttl_ms: u64,
    /// Whether a delivery report is asked for.
    pub report: bool,
    /// The SIM slot.
    pub sim: SimSlot,
    /// Most parts that it may have.
    pub parts_max: Option<u16>,
    /// Whether another phone could send it.
    pub movable: bool,
    /// What is done when the outcome cannot be known.
    pub on_unknown: OnUnknownWish,
}

/// What the sender wants when the outcome cannot be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnUnknownWish {
    /// Only to be told.
    #[default]
    Report,
    /// To send it once more.
    Resend,
}

/// `config`: the frame's fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConfigAction {
    /// The SIM slot that it is for; all when absent.
    pub sim: Option<u8>,
    /// Whether nothing may be submitted.
    pub pause: bool,
    /// The least time between two hand-overs.
    pub send_delay_ms: u64,
    /// Quiet times from now on: pairs of milliseconds, begin and end.
    pub quiet_in_ms: Vec<(i64, i64)>,
    /// Parts an hour.
    pub send_limit_max: Option<u32>,
    /// Parts an hour of all SIMs together.
    pub device_send_limit_max: Option<u32>,
    /// From a hand-over to the first doubt.
    pub silent_after_ms: Option<u64>,
    /// From a hand-over to `unknown`.
    pub unknown_after_ms: Option<u64>,
    /// How long delivery reports are waited for.
    pub report_window_ms: Option<u64>,
    /// Languages whose national shift tables the phone's platform uses.
    pub shift_tables: Vec<u8>,
}

/// `unknown`: a frame of a later version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UnknownAction {
    /// Whether it must be understood.
    pub crit: bool,
    /// Whether it has a place in the sequence.
    pub numbered: bool,
}

/// `stall`: what stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StallAction {
    /// What stops.
    pub side: StallSide,
    /// For how long; until the end of the connection when absent.
    pub ms: Option<u64>,
}

/// A step as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RawStep {
    wait: Wait,
    after_ms: u64,
    send: Option<RawSend>,
    revoke: Option<String>,
    cancel: Option<String>,
    config: Option<ConfigAction>,
    unknown: Option<UnknownAction>,
    close: Option<u16>,
    cut: Option<bool>,
    stall: Option<StallAction>,
    bye: Option<u64>,
    generation: Option<u64>,
    remember: Option<bool>,
    go_back: Option<bool>,
    unpair: Option<bool>,
    pairing: Option<PairingAnswer>,
    pass: Option<bool>,
}

/// `send` as it is written.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RawSend {
    label: String,
    kind: String,
    to: String,
    text: Option<String>,
    parts: u16,
    port: Option<u16>,
    base64: Option<String>,
    media: Vec<RawMedia>,
    count: u32,
    every_ms: u64,
    priority: i64,
    ttl_ms: u64,
    report: bool,
    sim: u8,
    parts_max: Option<u16>,
    movable: bool,
    on_unknown: OnUnknownWish,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMedia {
    url: String,
    #[serde(rename = "type")]
    content_type: Option<String>,
    size: Option<u64>,
}

impl Default for RawSend {
    fn default() -> Self {
        Self {
            label: "message".to_owned(),
            kind: "sms".to_owned(),
            to: "+15005550100".to_owned(),
            text: None,
            parts: 1,
            port: None,
            base64: None,
            media: Vec::new(),
            count: 1,
            every_ms: 0,
            priority: 0,
            ttl_ms: 3_600_000,
            report: true,
            sim: 0,
            parts_max: None,
            movable: false,
            on_unknown: OnUnknownWish::Report,
        }
    }
}

impl Step {
    /// Checks a step.
    ///
    /// # Errors
    /// When it does nothing or several things, or a field breaks its rule.
    pub(crate) fn check(raw: RawStep) -> Result<Self, InvalidScenario> {
        let (wait, after_ms) = (raw.wait.clone(), raw.after_ms);
        let mut actions = raw.actions()?;
        let (Some(action), None) = (actions.pop(), actions.pop()) else {
            return Err(InvalidScenario::new(
                "step must have exactly one of send, revoke, cancel, config, unknown, close, cut, \
                 stall, bye, generation, remember, go_back, unpair, pairing, pass",
            ));
        };
        Ok(Self {
            wait,
            after_ms,
            action,
        })
    }

    /// Reads a step from JSON, as the control interface takes it.
    ///
    /// # Errors
    /// As the scenario file, without a line.
    pub fn from_json(bytes: &[u8]) -> Result<Self, InvalidScenario> {
        let raw = serde_json::from_slice(bytes)
            .map_err(|error| InvalidScenario::new(error.to_string()))?;
        Self::check(raw)
    }
}

impl RawStep {
    fn actions(self) -> Result<Vec<Action>, InvalidScenario> {
        let yes = |wish: Option<bool>, action| (wish == Some(true)).then_some(action);
        let send = match self.send {
            Some(send) => Some(Action::Send(Box::new(send.check()?))),
            None => None,
        };
        if let Some(code) = self.close {
            super::fault::check_code(code)?;
        }
        if self
            .config
            .as_ref()
            .is_some_and(|it| it.sim > Some(SimSlot::MAX))
        {
            return Err(InvalidScenario::new("sim must be from 0 to 7"));
        }
        let all = [
            send,
            self.revoke.map(Action::Revoke),
            self.cancel.map(Action::Cancel),
            self.config.map(Action::Config),
            self.unknown.map(Action::Unknown),
            self.close.map(Action::Close),
            yes(self.cut, Action::Cut),
            self.stall.map(Action::Stall),
            self.bye.map(Action::Bye),
            self.generation.map(Action::Generation),
            yes(self.remember, Action::Remember),
            yes(self.go_back, Action::GoBack),
            yes(self.unpair, Action::Unpair),
            self.pairing.map(Action::Pairing),
            yes(self.pass, Action::Pass),
        ];
        Ok(all.into_iter().flatten().collect())
    }
}

impl RawSend {
    fn check(self) -> Result<SendAction, InvalidScenario> {
        let refused = |rule: String| Err(InvalidScenario::new(rule));
        if self.label.is_empty() || self.label.len() > 64 {
            return refused("label must have 1 to 64 bytes".to_owned());
        }
        if self.count == 0 || self.count > COUNT_MAX {
            return refused(format!("count must be from 1 to {COUNT_MAX}"));
        }
        if self.parts == 0 || self.parts > PARTS_MAX {
            return refused(format!("parts must be from 1 to {PARTS_MAX}"));
        }
        if self.text.is_some() && self.parts != 1 {
            return refused("parts must be absent when there is a text".to_owned());
        }
        if self.ttl_ms > TTL_MS_MAX {
            return refused(format!("ttl_ms must be at most {TTL_MS_MAX}"));
        }
        let Some(sim) = SimSlot::new(self.sim) else {
            return refused("sim must be from 0 to 7".to_owned());
        };
        let kind = kind_of(&self.kind);
        let data = data_of(&kind, self.port, self.base64)?;
        let media = self.media.into_iter().map(|it| Media {
            url: Secret::new(it.url),
            content_type: it.content_type,
            size: it.size,
        });
        Ok(SendAction {
            label: self.label,
            kind,
            to: Address::new(self.to),
            text: self.text.map(MessageText::new),
            parts: self.parts,
            data,
            media: media.collect(),
            count: self.count,
            every_ms: self.every_ms,
            priority: self.priority,
            ttl_ms: self.ttl_ms,
            report: self.report,
            sim,
            parts_max: self.parts_max,
            movable: self.movable,
            on_unknown: self.on_unknown,
        })
    }
}

/// A kind that the link does not know is allowed: the phone must end it as unsupported.
fn kind_of(name: &str) -> Kind {
    match name {
        "sms" => Kind::Sms,
        "data_sms" => Kind::DataSms,
        "mms" => Kind::Mms,
        "ussd" => Kind::Ussd,
        "call" => Kind::Call,
        other => Kind::Other(other.to_owned()),
    }
}

fn data_of(
    kind: &Kind,
    port: Option<u16>,
    base64: Option<String>,
) -> Result<Option<Data>, InvalidScenario> {
    if *kind != Kind::DataSms {
        return match (port, base64) {
            (None, None) => Ok(None),
            _ => Err(InvalidScenario::new(
                "port and base64 belong to the kind data_sms alone",
            )),
        };
    }
    let (Some(port), Some(text)) = (port, base64) else {
        return Err(InvalidScenario::new(
            "port and base64 must be given for data_sms",
        ));
    };
    let bytes = STANDARD
        .decode(text)
        .map_err(|_| InvalidScenario::new("base64 must be base64 with padding"))?;
    Ok(Some(Data {
        port,
        base64: Bytes(bytes),
    }))
}
