//! One frame of every kind, with every field set.

use super::parts::*;
use postrider_link::frame::*;
use postrider_model::{MessageText, Secret, WireState};

pub(crate) fn sim() -> SimInfo {
    SimInfo {
        slot: slot(1),
        number: Some(Address::new("+15005550001")),
        carrier: Some("Example Mobile".into()),
        mccmnc: Some("00101".into()),
        fingerprint: Some("c0ffee".into()),
        send_limit: Some(1_500),
        queue: Some(3),
        next_slot_in_ms: Some(2_400),
        waiting_for: Some("pace".into()),
        kinds: vec![],
    }
}

pub(crate) fn hub_frames() -> Vec<HubFrame> {
    vec![
        HubFrame::Challenge(Challenge {
            nonce: nonce(),
            generation: 3,
            down_sent: None,
            up: None,
        }),
        HubFrame::Challenge(Challenge {
            nonce: nonce(),
            generation: 4,
            down_sent: Some(12),
            up: Some(9),
        }),
        HubFrame::Welcome(Welcome {
            v: 1,
            generation: 3,
            up: 9,
            now: 1_700_000_000_000,
            heartbeat_s: 45,
            limit: 265,
            hub: None,
        }),
        HubFrame::Send(send(13)),
        HubFrame::Send(Send {
            kind: Kind::DataSms,
            text: None,
            data: Some(Data {
                port: 16_001,
                base64: Bytes(vec![0, 255, 7]),
            }),
            parts_max: None,
            movable: false,
            ..send(14)
        }),
        HubFrame::Send(Send {
            kind: Kind::Mms,
            media: vec![Media {
                url: Secret::new("https://hub.example/media/1?sig=x"),
                content_type: Some("image/png".into()),
                size: Some(1_024),
            }],
            ..send(15)
        }),
        HubFrame::Revoke(Revoke {
            s: 16,
            id: message(7),
            ep: 2,
        }),
        HubFrame::Cancel(Cancel {
            s: 17,
            id: message(7),
            ep: 2,
        }),
        HubFrame::Void(Void { s: 18 }),
        HubFrame::Config(Config {
            s: 19,
            sim: Some(slot(0)),
            pause: false,
            send_delay_ms: 1_000,
            quiet: vec![(1_700_000_000_000, 1_700_003_600_000)],
            send_limit_max: Some(600),
            device_send_limit_max: Some(900),
            silent_after_ms: Some(60_000),
            unknown_after_ms: Some(300_000),
            report_window_ms: Some(86_400_000),
            shift_tables: vec![1, 3],
        }),
        HubFrame::Ack(Ack {
            a: 5,
            limit: 261,
            mono: 77,
        }),
        HubFrame::Ping(Ping {
            n: 1,
            mono: 78,
            next_s: 45,
        }),
        HubFrame::Pong(Pong { n: 1, mono: 79 }),
        HubFrame::Bye(Bye {
            code: 1_001,
            retry_ms: 12_345,
        }),
    ]
}

pub(crate) fn phone_frames() -> Vec<PhoneFrame> {
    let row = |n, state| HeldRow {
        id: message(n),
        ep: 1,
        state,
        proof: None,
    };
    vec![
        PhoneFrame::Hello(Hello {
            v: (1, 1),
            features: vec!["mms".into()],
            phone: device(1),
            install: install(1),
            conn: 8,
            sig: Bytes(vec![1, 2, 3]),
            generation: 3,
            down: 12,
            up_lo: 10,
            up_hi: 11,
            limit: 1_036,
            boot: "boot-1".into(),
            wall: 1_700_000_000_000,
            mono: 80,
            sims: vec![sim()],
            held: vec![row(7, WireState::OnPhone), row(8, WireState::Unknown)],
        }),
        PhoneFrame::Event(Event {
            s: 10,
            id: message(7),
            ep: 2,
            state: WireState::Failed,
            part: Some(2),
            of: Some(3),
            code: Some("no_service".into()),
            detail: Some("RP cause 38".into()),
            partial: true,
            unsent: true,
            duration_s: None,
            ring_s: None,
            wall: 1_700_000_000_000,
            mono: 81,
            boot: Some("boot-0".into()),
        }),
        PhoneFrame::Event(event(11, 2, WireState::Sent)),
        PhoneFrame::Event(Event {
            duration_s: Some(-1),
            ring_s: Some(12),
            ..event(11, 2, WireState::Sent)
        }),
        PhoneFrame::Held(Held {
            rows: vec![
                row(7, WireState::Delivered),
                HeldRow {
                    proof: Some(proof(7)),
                    ..row(8, WireState::Sent)
                },
            ],
            last: true,
        }),
        PhoneFrame::Inbound(Inbound {
            s: 12,
            n: 4,
            install: None,
            kind: Kind::Sms,
            sim: slot(0),
            from: Address::new("+15005550003"),
            to: Some(Address::new("+15005550001")),
            text: Some(MessageText::new("STOP")),
            data: None,
            parts: Some(1),
            sent_at: Some(1_699_999_999_000),
            duration_s: Some(-1),
            ring_s: Some(6),
            wall: 1_700_000_000_000,
            mono: 82,
            boot: None,
        }),
        PhoneFrame::Health(Health {
            s: 13,
            battery: Some(81),
            charging: Some(true),
            network: Some("wifi".into()),
            signal: Some(3),
            sims: vec![SimInfo {
                kinds: vec![KindQueue {
                    kind: Kind::Ussd,
                    queue: 2,
                    next_slot_in_ms: None,
                    waiting_for: Some("ussd_answer".into()),
                }],
                ..sim()
            }],
            queue: Some(3),
            next_slot_in_ms: Some(2_400),
            waiting_for: Some("pace".into()),
            forwarding: Some(true),
            app_version: Some("1.0.0".into()),
            android_sdk: Some(35),
            manufacturer: Some("Example".into()),
            model: Some("One".into()),
        }),
        PhoneFrame::Ack(Ack {
            a: 13,
            limit: 1_037,
            mono: 83,
        }),
        PhoneFrame::Ping(Ping {
            n: 2,
            mono: 84,
            next_s: 90,
        }),
        PhoneFrame::Pong(Pong { n: 2, mono: 85 }),
        PhoneFrame::Bye(Bye {
            code: 1_001,
            retry_ms: 0,
        }),
    ]
}
