//! What frames are made of: checked and masked values.

use crate::proof::Proof;
use base64::{Engine, engine::general_purpose::STANDARD};
use postrider_model::{MessageId, PhoneNumber, Secret, SimSlot, WireState};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, SeqAccess, Visitor},
    ser::SerializeTuple,
};
use std::{borrow::Cow, fmt};

/// What a phone is asked to do, or what came in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A text message.
    Sms,
    /// A data message on a port.
    DataSms,
    /// A multimedia message.
    Mms,
    /// A USSD request or its answer.
    Ussd,
    /// A voice call.
    Call,
    /// A kind that this end does not know: stored, and ended as unsupported.
    Other(String),
}

impl Kind {
    /// Returns the name that travels.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Sms => "sms",
            Self::DataSms => "data_sms",
            Self::Mms => "mms",
            Self::Ussd => "ussd",
            Self::Call => "call",
            Self::Other(name) => name,
        }
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match &*Cow::<'de, str>::deserialize(deserializer)? {
            "sms" => Self::Sms,
            "data_sms" => Self::DataSms,
            "mms" => Self::Mms,
            "ussd" => Self::Ussd,
            "call" => Self::Call,
            other => Self::Other(other.to_owned()),
        })
    }
}

/// The other party of a message as it travels: a number, a sender's name, a USSD code.
///
/// Whatever the network gave as a sender must reach the hub, so the link does not check its shape;
/// [`Address::number`] does. It prints masked.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Address(String);

impl Address {
    /// Wraps an address as the network or a checked input gave it.
    pub fn new(address: impl Into<String>) -> Self {
        Self(address.into())
    }

    /// Returns the address itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address as a checked number, if it has a number's shape.
    pub fn number(&self) -> Option<PhoneNumber> {
        self.0.parse().ok()
    }
}

impl From<&PhoneNumber> for Address {
    fn from(number: &PhoneNumber) -> Self {
        Self(number.as_str().to_owned())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<address, {} characters>", self.0.chars().count())
    }
}

/// Bytes that travel as base64 with padding; prints as a length.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Bytes(pub Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} bytes>", self.0.len())
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let bytes = STANDARD
            .decode(text.as_bytes())
            .map_err(|_| de::Error::custom("is not base64"))?;
        Ok(Self(bytes))
    }
}

/// The payload of a data message.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Data {
    /// The destination port.
    pub port: u16,
    /// The payload's bytes.
    pub base64: Bytes,
}

/// One file of a multimedia message, fetched by HTTPS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    /// Where it is, with a signature that lives shortly.
    pub url: Secret,
    /// Its MIME type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Its size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// One exposure as the phone shows it: `[id, ep, state]` on the wire, and in a page `[id, ep,
/// state, proof]` where the `send` had one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HeldRow {
    /// The message.
    pub id: MessageId,
    /// Which exposure of it.
    pub ep: u32,
    /// Its progress so far.
    pub state: WireState,
    /// The hub's own proof of the exposure; never in hello, which has to fit a frame.
    pub proof: Option<Proof>,
}

impl Serialize for HeldRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let length = 3 + usize::from(self.proof.is_some());
        let mut row = serializer.serialize_tuple(length)?;
        row.serialize_element(&self.id)?;
        row.serialize_element(&self.ep)?;
        row.serialize_element(&self.state)?;
        if let Some(proof) = &self.proof {
            row.serialize_element(proof)?;
        }
        row.end()
    }
}

impl<'de> Deserialize<'de> for HeldRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(RowReader)
    }
}

/// Reads a row; whatever a later version adds behind the proof is ignored, like unknown fields.
struct RowReader;

impl<'de> Visitor<'de> for RowReader {
    type Value = HeldRow;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row of at least id, exposure and state")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut row: A) -> Result<HeldRow, A::Error> {
        let too_short = |length| de::Error::invalid_length(length, &RowReader);
        let id = row.next_element()?.ok_or_else(|| too_short(0))?;
        let ep = row.next_element()?.ok_or_else(|| too_short(1))?;
        let state = row.next_element()?.ok_or_else(|| too_short(2))?;
        let proof = row.next_element::<Option<Proof>>()?.flatten();
        while row.next_element::<de::IgnoredAny>()?.is_some() {}
        Ok(HeldRow {
            id,
            ep,
            state,
            proof,
        })
    }
}

/// A SIM slot in use, as hello and health describe it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SimInfo {
    /// The slot.
    pub slot: SimSlot,
    /// Its number, as the SIM says or the owner typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<Address>,
    /// The network's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carrier: Option<String>,
    /// The network's country and network code, digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mccmnc: Option<String>,
    /// Tells one SIM from another without naming it; a different one pauses the Phone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Parts an hour that the phone allows itself on this SIM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_limit: Option<u32>,
    /// Messages that wait on the phone for this SIM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<u32>,
    /// Milliseconds until the next message may leave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_slot_in_ms: Option<u64>,
    /// What the next message waits for, as a word ([`WaitingFor`](super::WaitingFor)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<String>,
    /// USSD codes and calls, which have queues of their own, if any wait.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<KindQueue>,
}

/// What waits on the phone for a SIM of a kind that has a queue of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindQueue {
    /// The kind.
    pub kind: Kind,
    /// How many wait.
    pub queue: u32,
    /// Milliseconds until the next may go; absent where only an event ends the wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_slot_in_ms: Option<u64>,
    /// What the next waits for, as a word ([`WaitingFor`](super::WaitingFor)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<String>,
}
