//! What happens to the virtual phone, typed or piped in, one event a line.

use postrider_link::frame::Bytes;
use postrider_model::{MessageText, PhoneNumber, SimSlot};
use serde::Deserialize;

/// A text message that somebody sends to the virtual phone.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Incoming {
    /// Who sends it.
    pub from: PhoneNumber,
    /// What it says.
    pub text: MessageText,
    /// Which slot it comes in on.
    #[serde(default)]
    pub sim: SimSlot,
}

/// A data message that somebody sends to it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct IncomingData {
    /// Who sends it.
    pub from: PhoneNumber,
    /// Its port.
    pub port: u16,
    /// Its bytes, in Base64.
    pub base64: Bytes,
    /// Which slot it comes in on.
    #[serde(default)]
    pub sim: SimSlot,
}

/// A multimedia message that somebody sends to it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct IncomingMms {
    /// Who sends it.
    pub from: PhoneNumber,
    /// Its subject.
    #[serde(default)]
    pub subject: Option<MessageText>,
    /// Its text.
    #[serde(default)]
    pub text: Option<MessageText>,
    /// Which slot it comes in on.
    #[serde(default)]
    pub sim: SimSlot,
}

/// A call to it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct IncomingCall {
    /// Who calls; without one the number is withheld.
    #[serde(default)]
    pub from: Option<PhoneNumber>,
    /// How long it rings, in seconds.
    #[serde(default)]
    pub ring_s: u32,
    /// How long people talk, in seconds; without it the call is missed.
    #[serde(default)]
    pub duration_s: Option<u32>,
    /// Whether it is declined.
    #[serde(default)]
    pub rejected: bool,
    /// Which slot it comes in on.
    #[serde(default)]
    pub sim: SimSlot,
}

/// One thing that happens to the phone.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Input {
    /// A text message comes in.
    Sms(Incoming),
    /// A data message comes in.
    Data(IncomingData),
    /// A multimedia message comes in.
    Mms(IncomingMms),
    /// Somebody calls.
    Call(IncomingCall),
    /// Another SIM is put into a slot.
    SimChanged {
        /// The slot.
        sim: SimSlot,
        /// What tells it from others.
        fingerprint: String,
        /// Its number, where known.
        #[serde(default)]
        number: Option<PhoneNumber>,
    },
    /// The SIM of a slot is pulled.
    SimRemoved {
        /// The slot.
        sim: SimSlot,
    },
    /// Service comes or goes.
    Service {
        /// Whether there is some.
        #[serde(rename = "in")]
        in_service: bool,
        /// The slot; without one all of them.
        #[serde(default)]
        sim: Option<SimSlot>,
    },
    /// Airplane mode goes on or off: no service and no network for data.
    Airplane {
        /// Whether it is on.
        on: bool,
    },
    /// The network for data comes, changes or goes.
    Network {
        /// Whether there is one.
        up: bool,
        /// Its kind, such as `wifi` or `mobile`.
        #[serde(default)]
        name: Option<String>,
    },
    /// The battery's charge or the charger changes.
    Battery {
        /// The charge.
        percent: u8,
        /// Whether it is on the charger; as before without it.
        #[serde(default)]
        charging: Option<bool>,
    },
    /// Somebody sets the wall clock, or the phone sleeps.
    Clock {
        /// By how much the wall clock is set on, or back, in milliseconds.
        #[serde(default)]
        by_ms: i64,
        /// How long the phone sleeps, in milliseconds.
        #[serde(default)]
        sleep_ms: u64,
    },
    /// The owner pauses sending, or resumes it.
    Pause {
        /// Whether it is stopped.
        on: bool,
    },
    /// The owner has looked at the phone: a SIM that is held sends again.
    Release {
        /// The slot.
        sim: SimSlot,
    },
    /// The owner says that the SIM in a slot is the right one.
    ConfirmSim {
        /// The slot.
        sim: SimSlot,
    },
    /// The owner allows USSD codes that change settings, or no longer.
    AllowUssdCodes {
        /// Whether they are allowed.
        on: bool,
    },
    /// The owner unpairs the phone: it gives back what waits, reports the rest, erases itself and
    /// ends.
    Unpair {
        /// How long it waits for its hub, in seconds.
        #[serde(default = "unpair_within_s")]
        within_s: u64,
    },
}

const fn unpair_within_s() -> u64 {
    30
}

/// Says why a line cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLine {
    /// Neither `NUMBER TEXT` nor a known object.
    #[error("a line is a number and a text, or {{\"from\":…,\"text\":…}}, or {{\"kind\":…}}")]
    Form,
    /// An object with the wrong fields for its kind.
    #[error("a line of its kind cannot be read: {0}")]
    Fields(String),
    /// The number is not valid.
    #[error("the number {0}")]
    Number(#[from] postrider_model::InvalidNumber),
}

impl Incoming {
    /// Reads a line: `+15005550123 text…`, or `{"from":…,"text":…}`, which may name a `sim`.
    pub fn parse(line: &str) -> Result<Self, InvalidLine> {
        let line = line.trim();
        if line.starts_with('{') {
            return serde_json::from_str(line).map_err(|_| InvalidLine::Form);
        }
        let (from, text) = line.split_once(' ').ok_or(InvalidLine::Form)?;
        Ok(Self {
            from: from.parse()?,
            text: text.trim_start().into(),
            sim: SimSlot::default(),
        })
    }
}

impl Input {
    /// Reads a line: a message as in [`Incoming::parse`], or an object with a `kind`.
    pub fn parse(line: &str) -> Result<Self, InvalidLine> {
        let object: Result<serde_json::Value, _> = serde_json::from_str(line.trim());
        match object {
            Ok(object) if object.get("kind").is_some() => {
                let read = serde_json::from_value(object);
                read.map_err(|error| InvalidLine::Fields(error.to_string()))
            }
            _ => Incoming::parse(line).map(Self::Sms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_message_are_read() {
        let plain = Incoming::parse("+15005550123 come at  noon \n").unwrap();
        assert_eq!(plain.from.as_str(), "+15005550123");
        assert_eq!(plain.text.as_str(), "come at  noon");
        let json = r#"{"from":"CLINIC","text":"two\nlines","sim":1}"#;
        let json = Incoming::parse(json).unwrap();
        assert_eq!((json.from.as_str(), json.sim.get()), ("CLINIC", 1));
        assert_eq!(json.text.as_str(), "two\nlines");
    }

    #[test]
    fn what_is_no_message_is_refused() {
        assert_eq!(Incoming::parse(""), Err(InvalidLine::Form));
        assert_eq!(Incoming::parse("hello"), Err(InvalidLine::Form));
        assert_eq!(Incoming::parse("{\"from\":1}"), Err(InvalidLine::Form));
        assert!(matches!(
            Incoming::parse("500-555 hello"),
            Err(InvalidLine::Number(_))
        ));
    }

    #[test]
    fn every_kind_of_line_is_read() {
        for line in [
            "+15005550199 yes",
            r#"{"from":"+15005550199","text":"yes"}"#,
            r#"{"kind":"sms","from":"+15005550199","text":"yes","sim":1}"#,
            r#"{"kind":"data","from":"+15005550199","port":7,"base64":"AQI="}"#,
            r#"{"kind":"mms","from":"+15005550199","subject":"hello"}"#,
            r#"{"kind":"call"}"#,
            r#"{"kind":"call","from":"+15005550199","ring_s":2,"duration_s":5}"#,
            r#"{"kind":"call","from":"+15005550199","rejected":true}"#,
            r#"{"kind":"sim_changed","sim":0,"fingerprint":"another"}"#,
            r#"{"kind":"sim_removed","sim":1}"#,
            r#"{"kind":"service","in":false}"#,
            r#"{"kind":"service","in":true,"sim":1}"#,
            r#"{"kind":"airplane","on":true}"#,
            r#"{"kind":"network","up":false}"#,
            r#"{"kind":"battery","percent":15,"charging":false}"#,
            r#"{"kind":"clock","by_ms":-3600000}"#,
            r#"{"kind":"clock","sleep_ms":3600000}"#,
            r#"{"kind":"pause","on":true}"#,
            r#"{"kind":"release","sim":0}"#,
            r#"{"kind":"confirm_sim","sim":0}"#,
            r#"{"kind":"allow_ussd_codes","on":true}"#,
            r#"{"kind":"unpair"}"#,
        ] {
            let read = Input::parse(line);
            assert!(read.is_ok(), "{line}: {read:?}");
        }
    }

    #[test]
    fn a_kind_with_other_fields_says_what_is_wrong() {
        let wrong = Input::parse(r#"{"kind":"battery"}"#);
        assert!(matches!(wrong, Err(InvalidLine::Fields(why)) if why.contains("percent")));
        let unknown = Input::parse(r#"{"kind":"earthquake"}"#);
        assert!(matches!(unknown, Err(InvalidLine::Fields(_))));
    }
}
