//! Each resource: stored, read back, changed, found.

use crate::Backend;
use crate::sample::{self, NOW, id};
use hub_domain::*;
use hub_store::changes::Scope;
use hub_store::damaged::Found;
use hub_store::past_exposures::{self, PastExposure};
use hub_store::testing::server;
use hub_store::*;
use postrider_link::ownership::hub::{Flags, HubState, Ownership};
use postrider_model::*;

pub(crate) fn opened<B: Backend>() -> (B, Store) {
    let backend = B::fresh();
    let store = backend.open();
    (backend, store)
}

pub(crate) fn write<T: Send + 'static>(
    store: &Store,
    job: impl FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
) -> T {
    store.write_blocking(job).unwrap()
}

fn contact() -> Contact {
    Contact {
        name: Some("Änne".to_owned()),
        send_blocked: true,
        conversation_status: ConversationStatus::Handled,
        default_route_id: Some(RouteId::Phone(id(20))),
        vars: sample::some_vars(),
        time_updated: UnixMs(1_000_001),
        last_message_time: Some(UnixMs(1)),
        last_incoming_message_time: Some(UnixMs(2)),
        last_outgoing_message_time: Some(UnixMs(3)),
        message_count: 3,
        incoming_message_count: 1,
        outgoing_message_count: 2,
        last_message_id: Some(id(50)),
        ..sample::contact(30, 10, "+15005550001")
    }
}

fn api_key() -> ApiKey {
    ApiKey {
        id: id(70),
        organization_id: id(1),
        project_id: Some(id(10)),
        name: "Key".to_owned(),
        secret_hash: "ab".repeat(32),
        permissions: Permissions::all(),
        rate_per_s: Some(5),
        rate_burst: Some(10),
        time_created: NOW,
        time_last_used: Some(UnixMs(1)),
        time_expires: Some(UnixMs(2)),
        time_revoked: None,
    }
}

fn webhook() -> Webhook {
    Webhook {
        id: id(60),
        project_id: id(10),
        url: "http://127.0.0.1/".to_owned(),
        secret: Some(Secret::new("s")),
        events: vec![WebhookEvent::SendStatus, WebhookEvent::Alert],
        time_created: NOW,
    }
}

fn pairing() -> Pairing {
    Pairing {
        id: id(80),
        project_id: id(10),
        device_id: Some(id(40)),
        name: "Device".to_owned(),
        code_name: "ABCD".to_owned(),
        code_hash: "c".to_owned(),
        full_hash: "f".to_owned(),
        wrong_tries: 1,
        commitment: Some("m".to_owned()),
        hub_number: Some("n".to_owned()),
        public_key: Some("k".to_owned()),
        key_algorithm: Some("p256".to_owned()),
        device_json: Some("{}".to_owned()),
        digits: Some("123456".to_owned()),
        state: PairingState::Claimed,
        time_created: NOW,
        time_expires: UnixMs(1_600_000),
    }
}

/// Stores something, and returns what others are told has changed.
fn told(
    store: &Store,
    job: impl FnMut(&mut Tx<'_>) -> Result<(), StoreError> + Send + 'static,
) -> Vec<Scope> {
    let seen = write(store, changes::newest);
    write(store, job);
    write(store, move |tx| changes::since(tx, &seen))
}

pub(crate) fn what_hubs_keep_in_memory_is_told_of_where_it_is_stored<B: Backend>() {
    let (_backend, store) = opened::<B>();
    sample::two_projects(&store);
    let rows = [Scope::Rows(id(10))];
    let phone = sample::phone(77, 10);
    assert_eq!(told(&store, move |tx| phones::insert(tx, &phone)), rows);
    let phone = sample::phone(77, 10);
    let changed = move |tx: &mut Tx<'_>| phones::update(tx, &phone).map(drop);
    assert_eq!(told(&store, changed), rows);
    let made = |tx: &mut Tx<'_>| webhooks::insert(tx, &webhook());
    assert_eq!(told(&store, made), rows);
    let gone = |tx: &mut Tx<'_>| webhooks::delete(tx, id(10), id(60)).map(drop);
    assert_eq!(told(&store, gone), rows);
    let changed = |tx: &mut Tx<'_>| projects::update(tx, &sample::project(10)).map(drop);
    assert_eq!(told(&store, changed), rows);
    let out = |tx: &mut Tx<'_>| devices::set_state(tx, id(40), DeviceState::Revoked);
    assert_eq!(told(&store, out), [Scope::Device(id(40))]);
    write(&store, |tx| api_keys::insert(tx, &api_key()));
    let ended = |tx: &mut Tx<'_>| api_keys::revoke(tx, id(70), NOW).map(drop);
    assert_eq!(told(&store, ended), [Scope::Keys(id(1))]);
    assert_eq!(told(&store, ended), []);
}

pub(crate) fn every_field_of_a_resource_reads_back<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        organizations::insert(tx, &sample::organization())?;
        assert_eq!(organizations::get(tx, id(1))?, Some(sample::organization()));
        projects::insert(tx, &sample::full_project())?;
        assert_eq!(projects::get(tx, id(10))?, Some(sample::full_project()));
        let by_name = projects::by_name(tx, id(1), "PROJECT 10")?;
        assert_eq!(by_name, Some(sample::full_project()));
        api_keys::insert(tx, &api_key())?;
        assert_eq!(api_keys::get(tx, id(70))?, Some(api_key()));
        devices::insert(tx, &sample::device())?;
        assert_eq!(devices::get(tx, id(40))?, Some(sample::device()));
        phones::insert(tx, &sample::full_phone())?;
        assert_eq!(phones::get(tx, id(10), id(20))?, Some(sample::full_phone()));
        assert_eq!(phones::of_device(tx, id(40))?, [sample::full_phone()]);
        contacts::insert(tx, &contact())?;
        assert_eq!(contacts::get(tx, id(10), id(30))?, Some(contact()));
        assert_eq!(contacts::find_by_name(tx, id(10), "äNNE")?, Some(contact()));
        messages::insert(tx, &sample::full_message())?;
        assert_eq!(
            messages::get(tx, id(10), id(50))?,
            Some(sample::full_message())
        );
        messages::insert(tx, &sample::message(51, 10))?;
        assert_eq!(messages::by_key(tx, id(51))?, Some(sample::message(51, 10)));
        webhooks::insert(tx, &webhook())?;
        assert_eq!(webhooks::get(tx, id(10), id(60))?, Some(webhook()));
        let event = sample::event(90, Some(50), 5);
        outbox::insert(tx, &event)?;
        assert_eq!(outbox::get(tx, 90)?, Some(event));
        pairings::insert(tx, &pairing())?;
        assert_eq!(pairings::get(tx, id(80))?, Some(pairing()));
        assert_eq!(pairings::by_full_hash(tx, "f")?, Some(pairing()));
        assert_eq!(pairings::by_code_name(tx, "ABCD", NOW)?, Some(pairing()));
        assert_eq!(pairings::by_code_name(tx, "ABCD", UnixMs(1_600_000))?, None);
        Ok(())
    });
    write(&store, |tx| {
        let entry = AuditEntry {
            id: 95,
            organization_id: id(1),
            project_id: Some(id(10)),
            actor: "admin".to_owned(),
            action: "key.create".to_owned(),
            target: "AK".to_owned(),
            time: NOW,
        };
        audit::insert(tx, &entry)?;
        assert_eq!(audit::latest(tx, id(1), 5)?, [entry]);
        let fact = facts_aside::FactAside {
            device_id: id(40),
            s: 7,
            frame: "{}".to_owned(),
            reason: "no such message".to_owned(),
            time: NOW,
        };
        facts_aside::insert(tx, &fact)?;
        assert_eq!(facts_aside::all(tx)?, [fact]);
        let past = PastExposure {
            message_id: id(50),
            ep: 1,
            device_id: id(40),
            install: "install-0".to_owned(),
        };
        past_exposures::insert(tx, &past)?;
        past_exposures::insert(tx, &past)?;
        assert_eq!(past_exposures::get(tx, id(50), 1)?, Some(past));
        assert_eq!(past_exposures::get(tx, id(50), 2)?, None);
        Ok(())
    });
}

pub(crate) fn a_changed_resource_reads_back<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        projects::insert(tx, &sample::project(10))?;
        assert!(projects::update(tx, &sample::full_project())?);
        assert_eq!(projects::get(tx, id(10))?, Some(sample::full_project()));
        let mut phone = sample::full_phone();
        phones::insert(
            tx,
            &Phone {
                vars: Vars::default(),
                ..phone.clone()
            },
        )?;
        phone.sim_changed = false;
        phone.name = "Other".to_owned();
        assert!(phones::update(tx, &phone)?);
        assert_eq!(phones::get(tx, id(10), id(20))?, Some(phone.clone()));
        phone.removed = true;
        assert!(phones::update(tx, &phone)?);
        assert_eq!(phones::get(tx, id(10), id(20))?, None);
        assert_eq!(phones::by_key(tx, id(20))?, Some(phone));
        let mut device = sample::device();
        devices::insert(tx, &device)?;
        device.install = "install-2".to_owned();
        device.offline_since = None;
        device.connected_to = None;
        assert!(devices::update(tx, &device)?);
        assert_eq!(devices::get(tx, id(40))?, Some(device));
        let mut changed = sample::full_message();
        messages::insert(tx, &sample::message(50, 10))?;
        changed.contact_id = None;
        changed.message_type = MessageType::Sms;
        changed.media = Vec::new();
        changed.source = MessageSource::Api;
        for unchanged in [&mut changed.external_id, &mut changed.route_params] {
            *unchanged = None;
        }
        (changed.duration_sec, changed.ring_time_sec) = (None, None);
        (changed.status_url, changed.status_secret) = (None, None);
        changed.disclosure = Disclosure::default();
        (changed.simulated, changed.priority) = (false, 1);
        (changed.from_number, changed.on_unknown) = (None, OnUnknown::Report);
        messages::update_ownership(tx, &changed)?;
        assert!(messages::update(tx, &changed)?);
        assert_eq!(messages::get(tx, id(10), id(50))?, Some(changed));
        let came_in = Message {
            direction: Direction::Incoming,
            ownership: None,
            ..sample::message(51, 10)
        };
        messages::insert(tx, &came_in)?;
        messages::update_ownership(tx, &came_in)?;
        assert_eq!(messages::get(tx, id(10), id(51))?, Some(came_in));
        assert!(messages::hide(tx, id(10), id(50), NOW)?);
        assert!(!messages::hide(tx, id(10), id(50), NOW)?);
        assert_eq!(messages::get(tx, id(10), id(50))?, None);
        Ok(())
    });
    write(&store, |tx| {
        api_keys::insert(tx, &api_key())?;
        assert!(api_keys::revoke(tx, id(70), NOW)?);
        assert!(!api_keys::revoke(tx, id(70), UnixMs(9))?);
        let revoked = api_keys::get(tx, id(70))?;
        assert_eq!(revoked.and_then(|key| key.time_revoked), Some(NOW));
        let mut pairing = pairing();
        pairings::insert(tx, &pairing)?;
        pairing.state = PairingState::Ended;
        pairing.public_key = None;
        pairings::update(tx, &pairing)?;
        assert_eq!(pairings::get(tx, id(80))?, Some(pairing));
        assert_eq!(pairings::purge(tx, UnixMs(1_600_001))?.rows, 1);
        Ok(())
    });
}

pub(crate) fn a_queue_goes_by_priority_and_age_and_leaves_out_what_is_not_for_it<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        phones::insert(tx, &sample::phone(20, 10))?;
        phones::insert(tx, &sample::phone(21, 10))?;
        for (key, priority) in [(1, 1), (2, 2), (3, 1), (4, 2)] {
            let message = Message {
                priority,
                ..sample::message(key, 10)
            };
            messages::insert(tx, &message)?;
        }
        let elsewhere = Message {
            phone_id: id(22),
            ..sample::message(5, 10)
        };
        messages::insert(tx, &elsewhere)?;
        let only_a_test = Message {
            simulated: true,
            ..sample::message(6, 10)
        };
        messages::insert(tx, &only_a_test)?;
        messages::insert(
            tx,
            &Message {
                direction: Direction::Incoming,
                ..sample::full_message()
            },
        )
    });
    let claimed = write(&store, |tx| {
        let mut claimed = messages::claim_queued(tx, id(20), 2, 3)?;
        claimed.extend(messages::claim_queued(tx, id(20), 1, 1)?);
        for mut message in claimed.clone() {
            message.ownership = sample::in_state(HubState::Exposed);
            messages::update_ownership(tx, &message)?;
        }
        let rest = messages::claim_queued(tx, id(20), 1, 10)?;
        Ok(claimed
            .into_iter()
            .chain(rest)
            .map(|message| message.id.get())
            .collect::<Vec<_>>())
    });
    assert_eq!(claimed, [2, 4, 1, 3]);
}

pub(crate) fn exposures_are_found_by_their_device<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let none = Flags::default();
        for (key, device, s, state, flags) in [
            (1, 40, Some(3), HubState::Exposed, none),
            (2, 40, Some(1), HubState::Unknown, none),
            (3, 40, Some(2), HubState::Sent, Flags::REVOKE_ASKED),
            (4, 40, None, HubState::Waiting, none),
            (5, 41, Some(4), HubState::Exposed, none),
            (6, 40, Some(5), HubState::Submitting, Flags::CANCEL_ASKED),
        ] {
            let ownership = Some(Ownership {
                state,
                ep: 1,
                holder: sample::holder(device),
                s,
                flags,
                send_attempts: 1,
            });
            messages::insert(
                tx,
                &Message {
                    ownership,
                    ..sample::message(key, 10)
                },
            )?;
        }
        let keys = |messages: Vec<Found<Message>>| {
            let key = |found: &Found<Message>| match found {
                Found::Row(message) => message.id.get(),
                Found::Damaged(damaged) => panic!("{damaged:?}"),
            };
            messages.iter().map(key).collect::<Vec<_>>()
        };
        assert_eq!(keys(messages::on_device(tx, id(40), 0)?), [2, 1, 6]);
        assert_eq!(keys(messages::on_device(tx, id(40), 1)?), [1, 6]);
        assert_eq!(keys(messages::asked_back(tx, id(40))?), [3]);
        let open = messages::OpenExposures {
            phone_id: id(20),
            priority: 1,
            count: 2,
            routed: 0,
        };
        assert_eq!(messages::open_exposures(tx, id(40))?, [open]);
        Ok(())
    });
}

pub(crate) fn a_life_that_ended_is_found_once_dealt_with_no_more<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        for (key, life_end, state) in [
            (1, 100, HubState::Waiting),
            (2, 200, HubState::Waiting),
            (3, 100, HubState::Exposed),
            (4, 40, HubState::OnPhone),
            (5, 40, HubState::Sent),
            (6, 40, HubState::Unknown),
        ] {
            let ownership = sample::in_state(state);
            let life_end = Some(UnixMs(life_end));
            messages::insert(
                tx,
                &Message {
                    ownership,
                    life_end,
                    ..sample::message(key, 10)
                },
            )?;
        }
        messages::insert(
            tx,
            &Message {
                life_end: None,
                ..sample::message(7, 10)
            },
        )?;
        let first = (UnixMs(i64::MIN), 0);
        let ended = messages::life_ended(tx, UnixMs(150), UnixMs(50), first, 10)?;
        let keys: Vec<_> = ended.iter().map(|place| place.id).collect();
        assert_eq!(keys, [4, 1]);
        let after = (ended[0].at, ended[0].id);
        let second = messages::life_ended(tx, UnixMs(150), UnixMs(50), after, 10)?;
        assert_eq!(second, ended[1..]);
        for place in ended {
            let Some(Found::Row(mut message)) = messages::found(tx, place.id)? else {
                panic!("it is there and sound");
            };
            message.ownership = sample::in_state(HubState::Expired);
            messages::update_ownership(tx, &message)?;
        }
        let left = messages::life_ended(tx, UnixMs(150), UnixMs(50), first, 10)?;
        assert_eq!(left, []);
        Ok(())
    });
}

pub(crate) fn messages_stored_together_read_back_one_by_one<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let message = |key: i64| match key % 3 {
            0 => Message {
                id: id(key),
                content: Some(format!("text {key}").into()),
                ..sample::full_message()
            },
            _ => sample::message(key, 10),
        };
        let all: Vec<_> = (1_000..1_130).map(message).collect();
        messages::insert_all(tx, &all)?;
        messages::insert_all(tx, &[])?;
        for message in all {
            assert_eq!(messages::get(tx, id(10), message.id)?, Some(message));
        }
        Ok(())
    });
}

pub(crate) fn counters_follow_the_messages<B: Backend>() {
    let (_backend, store) = opened::<B>();
    sample::two_projects(&store);
    write(&store, |tx| {
        let mut touches = contacts::Touches::default();
        for (key, time, direction) in [
            (60, 3_000_000, Direction::Outgoing),
            (61, 4_000_000, Direction::Incoming),
            (62, 2_000_000, Direction::Incoming),
        ] {
            let message = Message {
                contact_id: Some(id(30)),
                time_created: UnixMs(time),
                direction,
                ..sample::message(key, 10)
            };
            messages::insert(tx, &message)?;
            touches.add(&message);
        }
        touches.add(&sample::message(63, 10));
        contacts::touch(tx, &touches)
    });
    let counted = |contact: &Contact| {
        let counts = [
            contact.message_count,
            contact.incoming_message_count,
            contact.outgoing_message_count,
        ];
        let times = [
            contact.last_message_time,
            contact.last_incoming_message_time,
            contact.last_outgoing_message_time,
        ];
        (counts, times.map(|time| time.map(|time| time.0)))
    };
    let read = |key: i64, project: i64| {
        let read = store.read_blocking(move |tx| contacts::get(tx, id(project), id(key)));
        read.unwrap().unwrap()
    };
    let touched = read(30, 10);
    let times = [Some(4_000_000), Some(4_000_000), Some(3_000_000)];
    assert_eq!(counted(&touched), ([4, 2, 2], times));
    assert_eq!(touched.last_message_id, Some(id(62)));
    assert_eq!(touched.conversation_status, ConversationStatus::Active);
    let other = read(31, 11);
    assert_eq!(
        counted(&other),
        ([1, 0, 1], [Some(NOW.0), None, Some(NOW.0)])
    );
    assert_eq!(other.conversation_status, ConversationStatus::Closed);

    write(&store, |tx| {
        messages::hide(tx, id(10), id(62), NOW)?;
        let hidden = messages::by_key(tx, id(62))?;
        contacts::forget_message(tx, &hidden.unwrap())
    });
    let forgotten = read(30, 10);
    assert_eq!(counted(&forgotten), ([3, 1, 2], times));
    assert_eq!(forgotten.last_message_id, Some(id(61)));

    write(&store, |tx| {
        messages::hide(tx, id(10), id(61), NOW)?;
        contacts::forget_messages(tx, id(30), 1, 0)
    });
    let forgotten = read(30, 10);
    let times = [Some(3_000_000), None, Some(3_000_000)];
    assert_eq!(counted(&forgotten), ([2, 0, 2], times));

    write(&store, |tx| contacts::forget_messages(tx, id(31), 0, 1));
    assert_eq!(counted(&read(31, 11)).1[2], None);
}

pub(crate) fn a_call_keeps_its_length_and_its_ring<B: Backend>() {
    let (_backend, store) = opened::<B>();
    sample::two_projects(&store);
    write(&store, |tx| {
        let mut call = messages::by_key(tx, id(50))?.unwrap();
        assert!(call.note_call(Some(-7), Some(-1)));
        assert_eq!((call.duration_sec, call.ring_time_sec), (Some(-1), None));
        assert!(call.note_call(Some(61), Some(4)) && !call.note_call(None, Some(4)));
        messages::update_call(tx, &call)?;
        assert_eq!(messages::by_key(tx, id(50))?, Some(call));
        let other = messages::by_key(tx, id(51))?.unwrap();
        assert_eq!((other.duration_sec, other.ring_time_sec), (None, None));
        Ok(())
    });
}

pub(crate) fn what_is_simulated_is_found_route_by_route<B: Backend>() {
    let (_backend, store) = opened::<B>();
    sample::two_projects(&store);
    write(&store, |tx| {
        for (key, project, state) in [
            (60, 10, HubState::Waiting),
            (61, 11, HubState::Waiting),
            (62, 10, HubState::Retrying),
            (63, 10, HubState::Sent),
        ] {
            let mut message = sample::message(key, project);
            (message.simulated, message.phone_id) = (true, id(project + 10));
            message.ownership = sample::in_state(state);
            messages::insert(tx, &message)?;
        }
        let (ours, theirs) = (id::<kind::Project>(10), id::<kind::Project>(11));
        assert_eq!(messages::simulated_on(tx, 0)?, Some((20, Some(ours))));
        assert_eq!(messages::simulated_on(tx, 20)?, Some((21, Some(theirs))));
        assert_eq!(messages::simulated_on(tx, 21)?, None);
        assert_eq!(messages::simulated(tx, 20, HubState::Waiting, 9)?, [60]);
        assert_eq!(messages::simulated(tx, 20, HubState::Retrying, 9)?, [62]);
        assert!(
            messages::simulated(tx, 20, HubState::Sent, 9)?.is_empty(),
            "it ended"
        );
        let mut quiet = phones::by_key(tx, id(21))?.unwrap();
        assert_eq!(phones::with_quiet_hours(tx, PhoneType::Android)?, []);
        quiet.quiet_mode = QuietMode::Confirm;
        phones::update(tx, &quiet)?;
        assert_eq!(phones::with_quiet_hours(tx, PhoneType::Android)?, [quiet]);
        assert_eq!(phones::with_quiet_hours(tx, PhoneType::Simulated)?, []);
        Ok(())
    });
}

pub(crate) fn a_row_that_cannot_be_read_is_set_aside_with_its_columns<B: Backend>() {
    let (_backend, store) = opened::<B>();
    sample::two_projects(&store);
    // Only SQLite keeps what is not of a column's type.
    let (damage, parts): (_, &[_]) = if server().is_some() {
        let damage = "UPDATE messages SET state = 98 WHERE id = 60";
        (damage, &[r#""state":98"#])
    } else {
        let damage = "UPDATE messages SET content = X'ff00', state = 'x' WHERE id = 60";
        (damage, &[r#""content":"0xff00""#, r#""state":"x""#])
    };
    write(&store, move |tx| {
        messages::insert(tx, &sample::message(60, 10))?;
        tx.execute(damage, &[])?;
        let Some(Found::Damaged(damaged)) = messages::found(tx, 60)? else {
            panic!("it is damaged");
        };
        assert_eq!((damaged.id, damaged.project_id), (60, Some(id(10))));
        rows_aside::set_aside(tx, &damaged, NOW)?;
        assert_eq!(messages::found(tx, 60)?, None);
        let all = rows_aside::all(tx)?;
        let [(table, 60, content)] = &all[..] else {
            panic!("{all:?}");
        };
        assert_eq!(table, "messages");
        for part in parts.iter().chain(&[r#""id":60"#]) {
            assert!(content.contains(part), "{content}");
        }
        Ok(())
    });
}

pub(crate) fn a_contact_is_found_by_its_number_and_by_its_end<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        for (key, typed) in [
            (1, "+15005550001"),
            (2, "5005550002"),
            (3, "+15005550003"),
            (4, "05005550003"),
            (5, "+25005550005"),
            (6, "12345"),
            (7, "CLINIC"),
            (8, "0005550123"),
            (9, "5005550009"),
            (10, "15005550009"),
            (11, "The Corner Shop"),
            (12, "*100#"),
        ] {
            contacts::insert(tx, &sample::contact(key, 10, typed))?;
        }
        for (typed, expected) in [
            ("+15005550001", Some(1)),
            ("5005550001", Some(1)),
            ("05550001", None),
            ("+15005550002", Some(2)),
            // Both end alike, but one is the number itself.
            ("+15005550003", Some(3)),
            ("05005550003", Some(4)),
            ("5005550003", None),
            // The same digits under another country code are another number.
            ("+15005550005", None),
            ("5005550005", Some(5)),
            ("12345", Some(6)),
            ("123456", None),
            ("CLINIC", Some(7)),
            ("CLINI", None),
            ("The Corner Shop", Some(11)),
            ("Corner Shop", None),
            ("*100#", Some(12)),
            // Seven digits and zeros are too few.
            ("+15005550123", None),
            ("+15005550009", None),
        ] {
            let found = contacts::find_by_number(tx, id(10), &sample::address(typed))?;
            assert_eq!(found.map(|contact| contact.id.get()), expected, "{typed}");
        }
        Ok(())
    });
}
