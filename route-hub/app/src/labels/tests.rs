//! Labels and the messages that have them, whoever asks.

use crate::actor::{Actor, Who};
use crate::commands::new_message::{MessageItem, NewMessage, SendOptions, To};
use crate::failure::Failure;
use crate::labels::{LabelPatch, delete, get, get_or_create, list, put_on, take_off, update};
use crate::listing::{ListRequest, Listed};
use crate::messages::send::send;
use crate::phones::add_test_phone;
use crate::projects::make;
use crate::testing::fresh_id;
use crate::testing::{Office, named, wait};
use crate::transaction::Once;
use hub_domain::{Address, Label, Permission, VarsChange};
use hub_store::labels;
use hub_store::list::ListQuery;
use hub_view::RefusalCode;
use postrider_model::{LabelId, MessageId};
use serde_json::json;
use std::sync::Arc;

fn made(actor: &Actor, name: &str) -> Label {
    wait(get_or_create(actor, name.to_owned())).unwrap().0
}

fn refused<T>(result: Result<T, Failure>) -> (RefusalCode, String) {
    let refusal = result.err().unwrap().into_refusal();
    let words = refusal.param().unwrap_or(refusal.message());
    (refusal.code(), words.to_owned())
}

fn none(what: &str) -> (RefusalCode, String) {
    (RefusalCode::NotFound, format!("{what} not found"))
}

fn sent(office: &Office) -> MessageId {
    let project = office.project.id;
    let phone = office.operate(move |work| add_test_phone(work, project, "Test", None));
    phone.unwrap();
    let command = NewMessage {
        to: To {
            number: Address::new("+15005550101"),
            contact_id: None,
        },
        item: MessageItem {
            content: Some("Hello".into()),
            ..MessageItem::default()
        },
        options: SendOptions::default(),
    };
    let actor = office.actor(Who::Operator);
    let sent = wait(send(&actor, Box::new(command), None, |_| String::new()));
    let Ok(Once::Done(sent)) = sent else {
        panic!("it was not sent");
    };
    sent.view(&actor).message.id
}

#[test]
fn a_name_is_one_labels_whatever_its_case() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let urgent = made(&actor, "Urgent");
    assert_eq!(made(&actor, "uRGENT"), urgent);
    let other = made(&actor, "Answered");
    let called = |name: &str| LabelPatch {
        name: Some(name.to_owned()),
        ..LabelPatch::default()
    };
    let taken = wait(update(&actor, other.id, called("urgent")));
    let expected = (RefusalCode::InvalidParam, "name".to_owned());
    assert_eq!(refused(taken), expected);
    let renamed = wait(update(&actor, urgent.id, called("URGENT")));
    assert_eq!(renamed.unwrap().0.name, "URGENT");
}

#[test]
fn a_change_keeps_what_it_does_not_name() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let id = made(&actor, "Urgent").id;
    for (given, expected) in [
        (json!({ "a": 1, "b": 2 }), json!({ "a": 1, "b": 2 })),
        (json!({ "a": null }), json!({ "b": 2 })),
    ] {
        let patch = LabelPatch {
            vars: VarsChange::parse(&given).unwrap(),
            ..LabelPatch::default()
        };
        let changed = wait(update(&actor, id, patch)).unwrap().0;
        assert_eq!(changed.vars.to_value(), expected);
        assert_eq!(wait(get(&actor, id)).unwrap().0, changed);
    }
    assert_eq!(made(&actor, "Urgent").id, id, "its name stays");
}

#[test]
fn a_message_has_a_label_or_not_however_often_that_is_asked() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let (label, message) = (made(&actor, "Urgent").id, sent(&office));
    let labels = || office.rows(move |work| labels::of_message(work.tx, message));
    for _ in 0..2 {
        wait(put_on(&actor, label, message)).unwrap();
        assert_eq!(labels(), [label]);
    }
    for _ in 0..2 {
        wait(take_off(&actor, label, message)).unwrap();
        assert_eq!(labels(), []);
    }
    let (no_label, no_message) = (
        fresh_id(&office.hub, actor.now),
        fresh_id(&office.hub, actor.now),
    );
    let nothing = wait(put_on(&actor, label, no_message));
    assert_eq!(refused(nothing), none("message"));
    let nothing = wait(take_off(&actor, no_label, message));
    assert_eq!(refused(nothing), none("label"));
}

#[test]
fn what_another_project_has_is_neither_seen_nor_changed() {
    let office = Office::new();
    let command = named(&office.organization, "Other");
    let other = office.operate(move |work| make(work, &command)).unwrap();
    let mut elsewhere = office.actor(Who::Operator);
    elsewhere.project = Arc::new(other);
    let (id, message) = (made(&elsewhere, "Urgent").id, sent(&office));
    let actor = office.actor(Who::Operator);
    assert_eq!(refused(wait(get(&actor, id))), none("label"));
    let changed = wait(update(&actor, id, LabelPatch::default()));
    assert_eq!(refused(changed), none("label"));
    assert_eq!(refused(wait(put_on(&actor, id, message))), none("label"));
    let own = made(&elsewhere, "Own").id;
    let foreign = wait(put_on(&elsewhere, own, message));
    assert_eq!(refused(foreign), none("message"));
    assert_eq!(refused(wait(delete(&actor, id))), none("label"));
    wait(delete(&elsewhere, id)).unwrap();
    assert_eq!(refused(wait(get(&elsewhere, id))), none("label"));
}

#[test]
fn who_may_look_changes_nothing_and_who_may_send_sees_nothing() {
    let office = Office::new();
    let id: LabelId = made(&office.actor(Who::Operator), "Urgent").id;
    let message = fresh_id(&office.hub, office.hub.now());
    let request = || ListRequest {
        query: ListQuery::default(),
        count_only: true,
    };
    let viewer = office.actor(office.holder(&[Permission::ViewMessages]));
    let counted = wait(list(&viewer, request())).unwrap();
    assert!(matches!(counted, Listed::Count(1)));
    for unauthorized in [
        refused(wait(get_or_create(&viewer, "New".to_owned()))),
        refused(wait(update(&viewer, id, LabelPatch::default()))),
        refused(wait(delete(&viewer, id))),
        refused(wait(put_on(&viewer, id, message))),
        refused(wait(take_off(&viewer, id, message))),
    ] {
        assert_eq!(unauthorized.0, RefusalCode::Unauthorized);
    }
    let sender = office.actor(office.holder(&[Permission::SendMessages]));
    for unauthorized in [
        refused(wait(get(&sender, id))),
        refused(wait(list(&sender, request()))),
    ] {
        assert_eq!(unauthorized.0, RefusalCode::Unauthorized);
    }
}
