//! Rows to store.

use hub_domain::*;
use hub_store::contacts::Touches;
use hub_store::{Store, StoreError, Tx, contacts, messages, organizations, phones, projects};
use postrider_link::ownership::hub::{Flags, Holder, HubState, Ownership};
use postrider_model::*;

pub(crate) const NOW: UnixMs = UnixMs(1_000_000);

pub(crate) fn id<K>(value: i64) -> Id<K> {
    Id::from_i64(value).unwrap()
}

pub(crate) fn number(text: &str) -> PhoneNumber {
    text.parse().unwrap()
}

pub(crate) fn address(text: &str) -> Address {
    Address::new(text).unwrap()
}

pub(crate) fn organization() -> Organization {
    Organization {
        id: id(1),
        name: "One".to_owned(),
        timezone_id: "Europe/Vienna".to_owned(),
        plan: Plan {
            name: Some("Small".to_owned()),
            limits: [(UsageType::Contacts, 5)].into(),
            ..Plan::default()
        },
        time_created: NOW,
    }
}

pub(crate) fn project(value: i64) -> Project {
    Project::new(id(value), id(1), format!("Project {value}"), NOW)
}

pub(crate) fn phone(value: i64, project_id: i64) -> Phone {
    let name = format!("Phone {value}");
    Phone::new(id(value), id(project_id), name, PhoneType::Android, NOW)
}

pub(crate) fn contact(value: i64, project_id: i64, typed: &str) -> Contact {
    let number = address(typed);
    let e164 = numbers::in_e164(&number);
    Contact::new(id(value), id(project_id), Some(number), e164, NOW)
}

pub(crate) fn message(value: i64, project_id: i64) -> Message {
    let mut message = Message::outgoing(id(value), &phone(20, project_id), MessageType::Sms, NOW);
    message.to_number = Some(address("+15005550001"));
    message.content = Some("hello".into());
    message.num_parts = Some(1);
    message.life_end = Some(UnixMs(2_000_000));
    message
}

/// Returns who holds an exposure: a device, by an installation of one name.
pub(crate) fn holder(device: i64) -> Option<Holder> {
    let install = "install-0000-0001".parse().expect("an install");
    Some(Holder {
        device: id(device),
        install,
    })
}

/// Returns ownership in a state that nobody brought about.
pub(crate) fn in_state(state: HubState) -> Option<Ownership> {
    Some(Ownership {
        state,
        ..Ownership::new()
    })
}

pub(crate) fn full_message() -> Message {
    Message {
        contact_id: Some(id(30)),
        message_type: MessageType::Call,
        source: MessageSource::Webhook,
        status: MessageStatus::NotDelivered,
        time_sent: Some(UnixMs(1_000_001)),
        time_updated: UnixMs(1_000_002),
        from_number: Some(address("The Clinic Next Door")),
        starred: true,
        simulated: true,
        priority: 2,
        error_message: Some("It failed.".to_owned()),
        error_code: Some("7".to_owned()),
        external_id: Some("ext-1".to_owned()),
        num_parts: Some(3),
        network_code: Some("23201".to_owned()),
        price: Some(Price {
            millionths: 250_000,
            currency: "EUR".parse().unwrap(),
        }),
        duration_sec: Some(-1),
        ring_time_sec: Some(12),
        vars: some_vars(),
        route_params: Some(r#"{"a":1}"#.to_owned()),
        status_url: Some("http://127.0.0.1/s".to_owned()),
        status_secret: Some(Secret::new("s3")),
        ownership: Some(Ownership {
            state: HubState::NotDelivered,
            ep: 2,
            holder: holder(40),
            s: Some(9),
            flags: Flags::from_code(5),
            send_attempts: 2,
        }),
        on_unknown: OnUnknown::Resend,
        parts_done: Some("[1,0,1]".to_owned()),
        disclosure: Disclosure {
            template: Some("Hi [[contact.vars.city]]".into()),
            maker_sees: Some(true),
        },
        media: vec![
            Medium::of_url("https://a.example/1"),
            Medium {
                media_type: Some("image/png".to_owned()),
                ..Medium::of_url("https://a.example/2")
            },
        ],
        ..message(50, 10)
    }
}

pub(crate) fn contact_filter() -> ContactFilter {
    ContactFilter {
        filter_type: FilterType::QueryContacts,
        filter_params: r#"{"name":"Änne"}"#.to_owned(),
        filters: r#"{"version":1,"filters":[]}"#.to_owned(),
    }
}

pub(crate) fn some_vars() -> Vars {
    let given = serde_json::json!({"a": "text", "b": 1.5, "c": true, "d": 7});
    Vars::from_change(VarsChange::parse(&given).unwrap())
}

pub(crate) fn full_phone() -> Phone {
    let text = |text: &str| Some(text.to_owned());
    Phone {
        device_id: Some(id(40)),
        sim: SimSlot::new(1),
        phone_number: Some(number("+15005550020")),
        country: text("AT"),
        send_paused: true,
        last_active_time: Some(UnixMs(5)),
        vars: some_vars(),
        battery: Some(80),
        charging: Some(false),
        internet_type: text("wifi"),
        app_version: text("1.0"),
        android_sdk: Some(34),
        mccmnc: text("23201"),
        carrier: text("Network"),
        signal: Some(3),
        forwarding: Some(false),
        queue: Some(4),
        delivery_reports: false,
        kinds: vec![KindQueue {
            kind: MessageType::Ussd,
            queue: 2,
            waiting_for: Some(WaitingFor::Queue),
            next_slot_time: Some(UnixMs(9)),
        }],
        manufacturer: text("Maker"),
        model: text("Model"),
        send_limit: Some(60),
        sent_message_limit: Some(1_000),
        sent_message_count: 12,
        sent_message_epoch: UnixMs(6),
        send_delay_ms: 1_500,
        timezone_id: text("Europe/Vienna"),
        quiet_mode: QuietMode::Delay,
        quiet_start: text("22:00"),
        quiet_end: text("06:00"),
        quiet_released_until: Some(UnixMs(8)),
        send_limit_max: Some(30),
        device_send_limit_max: Some(50),
        shift_tables: vec![1, 3],
        tariff: Tariff::from_json(r#"{"currency":"EUR","per_part":"0.1"}"#),
        waits: PhoneWaits {
            silent_after: Some(60),
            unknown_after: Some(300),
            report_window: Some(86_400),
        },
        validate_recipient_numbers: true,
        allowed_recipient_countries: Some(vec!["AT".to_owned(), "DE".to_owned()]),
        window_size: Some(64),
        sim_fingerprint: text("ab12"),
        sim_changed: true,
        waiting_for: Some(WaitingFor::SendLimit),
        next_slot_time: Some(UnixMs(7)),
        auto_paused: true,
        ..phone(20, 10)
    }
}

pub(crate) fn full_project() -> Project {
    let text = |text: &str| Some(text.to_owned());
    let secret = |text: &str| Some(Secret::new(text));
    Project {
        timezone_id: "Africa/Nairobi".to_owned(),
        country: text("KE"),
        url_slug: text("slug"),
        default_route_id: Some(RouteId::Phone(id(20))),
        auto_create_contacts: false,
        message_retention_days: Some(90),
        short_link_scheme: false,
        vars: some_vars(),
        message_life_ms: 5,
        queue_cap: 6,
        sms_parts_max: Some(4),
        status_url: text("http://127.0.0.1/a"),
        status_secret: secret("a"),
        incoming_url: text("http://127.0.0.1/b"),
        incoming_secret: secret("b"),
        alert_url: text("http://127.0.0.1/c"),
        alert_secret: secret("c"),
        stopped: true,
        ..project(10)
    }
}

pub(crate) fn device() -> Device {
    Device {
        id: id(40),
        organization_id: id(1),
        project_id: id(10),
        name: "Device".to_owned(),
        public_key: "AAAA".to_owned(),
        key_algorithm: "ed25519".to_owned(),
        install: "install-1".to_owned(),
        conn: 1,
        gen_seen: 2,
        gen_own: 0,
        down_sent: 3,
        down_acked: 4,
        up: 5,
        state: DeviceState::NeedsPairing,
        frozen: true,
        time_paired: NOW,
        time_last_seen: Some(UnixMs(6)),
        facts: Some("{}".to_owned()),
        offline_since: Some(UnixMs(7)),
        connected_to: Some(3),
    }
}

pub(crate) fn event(value: i64, message_id: Option<i64>, due_at: i64) -> OutboxRow {
    OutboxRow {
        id: value,
        project_id: id(10),
        webhook_id: None,
        message_id: message_id.map(id),
        origin: "http://127.0.0.1:80".to_owned(),
        url: "http://127.0.0.1:80/in".to_owned(),
        secret: Some(Secret::new("s")),
        basic_password: Some(Secret::new("p")),
        event: WebhookEvent::SendStatus,
        body: "a=1".to_owned(),
        attempts: 0,
        due_at: UnixMs(due_at),
        time_created: NOW,
    }
}

/// Stores an organization with two projects, 10 and 11, a phone in each, 20 and 21, a contact in
/// each, 30 and 31, and a message in each, 50 and 51.
pub(crate) fn two_projects(store: &Store) {
    store
        .write_blocking(|tx| {
            organizations::insert(tx, &organization())?;
            for (project_id, phone_id, contact_id, message_id) in
                [(10, 20, 30, 50), (11, 21, 31, 51)]
            {
                projects::insert(tx, &project(project_id))?;
                phones::insert(tx, &phone(phone_id, project_id))?;
                contacts::insert(tx, &contact(contact_id, project_id, "+15005550001"))?;
                let mut message = message(message_id, project_id);
                message.contact_id = Some(id(contact_id));
                message.phone_id = id(phone_id);
                store_message(tx, &message)?;
            }
            Ok::<_, StoreError>(())
        })
        .unwrap();
}

/// Stores a message with its contact's counters.
pub(crate) fn store_message(tx: &mut Tx<'_>, message: &Message) -> Result<(), StoreError> {
    messages::insert(tx, message)?;
    let mut touches = Touches::default();
    touches.add(message);
    contacts::touch(tx, &touches)
}
