//! A phone written by hand: it keeps its numbers, and a test may set them wrong.

use super::*;
use crate::watch::HandOver;
use postrider_link::codec::{decode_hub, encode};
use postrider_link::frame::{
    Ack, Bytes, Event, Health, HeldRow, Hello, HubFrame, InstallId, PhoneFrame, Ping, Send,
};
use postrider_link::pairing::{Joiner, Number};
use postrider_link::signature::hello_bytes;
use postrider_model::{UnixMs, WireState};
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

pub(super) const INSTALL: &str = "install-0000-0001";

pub(super) struct HandPhone {
    pub(super) engine: Engine,
    pub(super) now: Now,
    pub(super) dial: u64,
    pub(super) conn: u64,
    pub(super) generation: u64,
    pub(super) down: u64,
    pub(super) up: u64,
    pub(super) up_acked: u64,
    pub(super) limit: u64,
    pub(super) held: Vec<HeldRow>,
    /// Everything that the hub wrote and the test has not looked at.
    pub(super) frames: Vec<HubFrame>,
    /// How the hub ended the last connection, when it did.
    pub(super) closed: Option<u16>,
    key: Ed25519KeyPair,
    wrote: Vec<u8>,
}

impl HandPhone {
    pub(super) fn new(engine: Engine) -> Self {
        Self {
            engine,
            now: START,
            dial: 0,
            conn: 0,
            generation: 1,
            down: 0,
            up: 0,
            up_acked: 0,
            limit: 500,
            held: Vec::new(),
            frames: Vec::new(),
            closed: None,
            key: Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap(),
            wrote: Vec::new(),
        }
    }

    pub(super) fn pair_with(&mut self, code: &str) -> (u16, Value) {
        use base64::{Engine as _, engine::general_purpose::STANDARD};
        let install = INSTALL.parse().unwrap();
        let joiner = Joiner {
            code,
            key_algorithm: "ed25519",
            public_key: self.key.public_key().as_ref(),
            install: &install,
        };
        let number = Number([5; 32]);
        let commitment = joiner.commitment(&number, |bytes| {
            let hash = ring::digest::digest(&ring::digest::SHA256, bytes);
            hash.as_ref().try_into().unwrap()
        });
        let body = json!({"code": code, "commitment": commitment});
        let (status, answer) = self.engine.pair(body.to_string().as_bytes(), self.now);
        if status != 200 {
            return (status, answer);
        }
        assert_eq!(answer["status"], "committed");
        let body = json!({
            "code": code,
            "number": number,
            "public_key": STANDARD.encode(self.key.public_key().as_ref()),
            "key_algorithm": "ed25519",
            "install": INSTALL,
            "device": {"sims": [{"slot": 0, "number": "+15005550001"}]},
        });
        self.engine.pair(body.to_string().as_bytes(), self.now)
    }

    pub(super) fn join(&mut self) {
        let (status, answer) = self.pair_with("ABCD-1234-5678");
        assert_eq!(
            (status, answer["status"].as_str()),
            (200, Some("confirmed"))
        );
    }

    /// Dials, and says hello with the numbers as they are.
    pub(super) fn connect(&mut self) {
        self.conn += 1;
        self.dial();
        let hello = self.hello();
        self.say(&PhoneFrame::Hello(hello));
        self.take_welcome();
    }

    pub(super) fn dial(&mut self) {
        self.frames.clear();
        self.wrote.clear();
        self.closed = None;
        assert_eq!(self.engine.accept(self.now).treatment, Treatment::Serve);
        self.dial = self.engine.upgrade(None, self.now).unwrap();
        let nonce = format!("nonce-of-connection-{:06}", self.dial);
        self.engine
            .opened(self.dial, nonce.parse().unwrap(), self.now);
        self.read();
    }

    pub(super) fn hello(&mut self) -> Hello {
        let install: InstallId = INSTALL.parse().unwrap();
        let nonce = match &self.frames[..] {
            [HubFrame::Challenge(challenge)] => challenge.nonce.clone(),
            other => panic!("instead of a challenge: {other:?}"),
        };
        let device = self.engine.state().device.unwrap();
        let bytes = hello_bytes("localhost", &nonce, device, &install, self.conn);
        Hello {
            v: (1, 1),
            features: Vec::new(),
            phone: device,
            install,
            conn: self.conn,
            sig: Bytes(self.key.sign(&bytes).as_ref().to_vec()),
            generation: self.generation,
            down: self.down,
            up_lo: self.up_acked + 1,
            up_hi: self.up,
            limit: self.down + self.limit,
            boot: "boot".to_owned(),
            wall: self.now.unix.0,
            mono: self.now.boot.0,
            sims: Vec::new(),
            held: self.held.clone(),
        }
    }

    fn take_welcome(&mut self) {
        for frame in &self.frames {
            if let HubFrame::Welcome(welcome) = frame {
                self.generation = welcome.generation;
                self.up = self.up.max(welcome.up);
                self.up_acked = welcome.up;
            }
        }
    }

    /// Writes a frame, and reads what comes back.
    pub(super) fn say(&mut self, frame: &PhoneFrame) {
        let text = encode(frame).unwrap();
        self.say_raw(text.as_bytes());
    }

    pub(super) fn say_raw(&mut self, text: &[u8]) {
        let heard = Heard::Text(text.to_vec());
        self.engine.heard(self.dial, heard, self.now);
        self.read();
    }

    pub(super) fn ack(&mut self, a: u64) {
        let limit = a + self.limit;
        let mono = self.now.boot.0;
        self.say(&PhoneFrame::Ack(Ack { a, limit, mono }));
    }

    /// Takes the sends that came, acks them, and returns them.
    pub(super) fn take_sends(&mut self) -> Vec<Send> {
        let mut sends = Vec::new();
        for frame in std::mem::take(&mut self.frames) {
            if let Some(s) = frame.s() {
                self.down = self.down.max(s);
            }
            if let HubFrame::Send(send) = frame {
                sends.push(send);
            }
        }
        self.ack(self.down);
        sends
    }

    pub(super) fn event(&mut self, send: &Send, state: WireState) -> Event {
        self.up += 1;
        let text = json!({"s": self.up, "id": send.id, "ep": send.ep, "state": state,
            "wall": self.now.unix.0, "mono": self.now.boot.0});
        serde_json::from_value(text).unwrap()
    }

    pub(super) fn tell(&mut self, send: &Send, state: WireState) {
        let event = self.event(send, state);
        self.say(&PhoneFrame::Event(event));
    }

    pub(super) fn health(&mut self, s: u64) {
        self.say(&PhoneFrame::Health(Health {
            s,
            ..Health::default()
        }));
    }

    pub(super) fn ping(&mut self, n: u64, next_s: u64) {
        let mono = self.now.boot.0;
        self.say(&PhoneFrame::Ping(Ping { n, mono, next_s }));
    }

    /// Lets time pass; what is due in between is done.
    pub(super) fn pass_ms(&mut self, ms: u64) {
        let until = self.now.plus_ms(ms);
        while let Some(due) = self.engine.poll_timeout().filter(|due| *due <= until.boot) {
            let by = due.since_ms(self.now.boot).max(1);
            self.now = self.now.plus_ms(by);
            self.engine.handle_timeout(self.now);
            self.read();
            if self.engine.ended().is_some() {
                return;
            }
        }
        self.now = Now {
            boot: until.boot,
            unix: UnixMs(until.unix.0),
        };
    }

    pub(super) fn hang_up(&mut self, code: Option<u16>) {
        self.engine.closed(self.dial, code, self.now);
        self.read();
    }

    pub(super) fn read(&mut self) {
        while let Some((dial, wire)) = self.engine.poll_wire() {
            if dial != self.dial {
                continue;
            }
            match wire {
                Wire::Bytes(bytes) => self.wrote.extend(bytes),
                Wire::Finish(code) => self.closed = Some(code),
                Wire::Cut => self.closed = Some(0),
                Wire::Reading(_) => {}
            }
        }
        while let Some((payload, rest)) = message(&self.wrote) {
            if let Some(frame) = payload.and_then(|text| decode_hub(&text).ok()) {
                if let HubFrame::Ack(ack) = &frame {
                    self.up_acked = self.up_acked.max(ack.a);
                }
                self.frames.push(frame);
            }
            self.wrote = rest;
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        self.engine.verdict(None, self.now)
    }

    pub(super) fn verdict_with(&self, radio: &[&Send]) -> Verdict {
        let given = |send: &&Send| HandOver {
            message_id: send.id,
            exposure: send.ep,
        };
        let radio: Vec<HandOver> = radio.iter().map(given).collect();
        self.engine.verdict(Some(&radio), self.now)
    }
}

type Payload = Option<Vec<u8>>;

/// Takes the first message off; its payload when it is a text.
fn message(bytes: &[u8]) -> Option<(Payload, Vec<u8>)> {
    let (opcode, length) = (*bytes.first()? & 0xf, usize::from(*bytes.get(1)?));
    let (head, length) = match length {
        126 => (4, usize::from(u16::from_be_bytes([bytes[2], bytes[3]]))),
        127 => return None,
        length => (2, length),
    };
    let payload = bytes.get(head..head + length)?.to_vec();
    let text = (opcode == 1).then_some(payload);
    Some((text, bytes[head + length..].to_vec()))
}
