//! What waits on a phone, read from the phone itself without a hub.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at whatever it did not expect"
)]

use postrider_agent::{
    Clock, Condition, DialUssd, JOURNAL_FILE, Log, NextSlot, PaceLimits, Pairing, Phone,
    PhoneConfig, PlaceCall, Radio, RadioFacts, ScanMark, SendParts, SentRowAsked, SimInfo,
    SoftwareIdentity, SystemClock, Trust, WaitChoice,
};
use postrider_link::frame::{Address, Kind};
use postrider_machine::{
    BootId, Change, MessageRef, Parts, Stamp,
    change::{MessageRow, Progress},
};
use postrider_model::{DeviceId, Key, MessageId, MessageText, SimSlot, WireState};
use postrider_store::Journal;
use std::{net::TcpListener, path::Path, sync::Arc};

/// A radio that does nothing.
struct Silence;

impl Radio for Silence {
    fn send_parts(&self, _: &SendParts) {}
    fn dial_ussd(&self, _: &DialUssd) {}
    fn place_call(&self, _: &PlaceCall) {}
    fn read_sent_row(&self, _: &SentRowAsked) {}
    fn read_log(&self, _: Log, _: ScanMark) {}
    fn confirm_received(&self, _: u64) {}
}

fn waiting(n: i64, clock: &SystemClock) -> Change {
    let id = MessageId::new(Key::new(n).unwrap());
    let progress = Progress {
        state: WireState::OnPhone,
        attempt: 0,
        tries: 0,
        submitted: None,
        retry: None,
        spent: None,
        parts: Parts::default(),
        code: None,
        partial: false,
        unsent: false,
        call: None,
        fact: 0,
        ended: None,
    };
    Change::MessageAdded(Box::new(MessageRow {
        message: MessageRef { id, ep: 1 },
        proof: None,
        s: n.unsigned_abs(),
        arrived: n.unsigned_abs(),
        kind: Kind::Sms,
        sim: SimSlot::default(),
        to: Address::new(format!("+1500555000{n}")),
        text: Some(MessageText::new("your table is ready")),
        data: None,
        parts: 1,
        report: false,
        priority: 0,
        movable: false,
        ttl_ms: 3_600_000,
        received: Stamp::new(&BootId::new(clock.boot_id()), clock.now()),
        progress,
    }))
}

/// A phone whose hub is gone: nobody listens at its address any more.
async fn start(folder: &Path, clock: SystemClock) -> (Phone, RadioFacts) {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let (facts, inbox) = RadioFacts::channel();
    let config = PhoneConfig {
        folder: folder.to_owned(),
        pairing: Pairing {
            device_id: DeviceId::new(Key::new(1).unwrap()),
            host: "hub.example".to_owned(),
            link_url: format!("ws://{port}/link"),
            hub_id: None,
            project_id: None,
            phones: Vec::new(),
            pins: Vec::new(),
        },
        hub: None,
        tls: Trust::default().client_config().unwrap(),
        identity: Arc::new(SoftwareIdentity::open(folder).unwrap()),
        clock: Arc::new(clock),
        sims: vec![SimInfo::default()],
        condition: Condition::default(),
        limits: PaceLimits::UNLIMITED,
        quiet_hours: Vec::new(),
        waits: WaitChoice::default(),
        is_paused: false,
        observer: None,
        watch: None,
    };
    let phone = Phone::start(config, Arc::new(Silence), inbox)
        .await
        .unwrap();
    (phone, facts)
}

#[tokio::test]
async fn a_phone_without_a_hub_says_what_waits_and_until_when() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SystemClock::of_this_boot().unwrap();
    let (mut journal, _) = Journal::open(&folder.path().join(JOURNAL_FILE)).unwrap();
    journal
        .commit(&[waiting(1, &clock), waiting(2, &clock), waiting(3, &clock)])
        .unwrap();
    drop(journal);
    let (phone, _facts) = start(folder.path(), clock).await;
    let slots = phone.slots().await.unwrap();
    assert_eq!((slots.len(), slots[0].waiting), (1, 1));
    let NextSlot { in_ms, waiting_for } = slots[0].next.unwrap();
    assert_eq!(waiting_for, "sent_results");
    assert!((1..=600_000).contains(&in_ms.unwrap()));
    phone.stop().await.unwrap();
}
