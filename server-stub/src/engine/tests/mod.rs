//! The engine and the watch with a phone that does exactly what a test says, right or wrong.

mod phone;
mod sound;
mod wrong;

use super::*;
use crate::verdict::Verdict;
use phone::HandPhone;

/// When every test begins.
const START: Now = Now::new(5_000, 1_700_000_000_000);

/// A scenario that sends one message as soon as the phone is connected.
const ONE: &str = "[[step]]\nwait.connected = 1\nsend = { label = \"m\" }\n";

fn engine(text: &str) -> Engine {
    let setting = Setting {
        host: "localhost".to_owned(),
        link_url: "ws://localhost:1/link".to_owned(),
        code: Code::fixed("ABCD-1234-5678").unwrap(),
    };
    Engine::new(Scenario::parse(text).unwrap(), setting, START)
}

/// Joins and connects a phone to the hub of a scenario.
fn connected(text: &str) -> HandPhone {
    let mut phone = HandPhone::new(engine(text));
    phone.join();
    phone.connect();
    phone
}

fn broken(verdict: &Verdict) -> Vec<&'static str> {
    verdict.broken()
}
