//! Ids, and the frames that most tests begin with.

use postrider_link::frame::*;
use postrider_link::proof::{PROOF_BYTES, Proof};
use postrider_model::{DeviceId, Key, MessageId, MessageText, SimSlot, WireState};

pub(crate) fn message(n: i64) -> MessageId {
    MessageId::new(Key::new(n).unwrap())
}

pub(crate) fn device(n: i64) -> DeviceId {
    DeviceId::new(Key::new(n).unwrap())
}

pub(crate) fn install(n: u64) -> InstallId {
    format!("install-{n:012}").parse().unwrap()
}

pub(crate) fn nonce() -> Nonce {
    "AAAAAAAAAAAAAAAAAAAAAA".parse().unwrap()
}

pub(crate) fn proof(n: u8) -> Proof {
    Proof([n; PROOF_BYTES])
}

pub(crate) fn slot(n: u8) -> SimSlot {
    SimSlot::new(n).unwrap()
}

pub(crate) fn send(s: u64) -> Send {
    Send {
        s,
        id: message(7),
        ep: 2,
        proof: Some(proof(7)),
        kind: Kind::Sms,
        to: Address::new("+15005550002"),
        text: Some(MessageText::new("come at \"noon\"\n")),
        data: None,
        sim: slot(0),
        parts_max: Some(25),
        ttl_ms: 259_200_000,
        report: true,
        priority: 1,
        movable: true,
        media: vec![],
    }
}

pub(crate) fn event(s: u64, ep: u32, state: WireState) -> Event {
    Event {
        s,
        id: message(7),
        ep,
        state,
        part: None,
        of: None,
        code: None,
        detail: None,
        partial: false,
        unsent: false,
        duration_s: None,
        ring_s: None,
        wall: 1_700_000_000_000,
        mono: 81,
        boot: None,
    }
}
