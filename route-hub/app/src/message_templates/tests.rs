//! Message templates, whoever asks.

use crate::actor::{Actor, Who};
use crate::commands::stored_message::MessagePatch;
use crate::failure::Failure;
use crate::listing::{ListRequest, Listed};
use crate::message_templates::{TemplatePatch, create, delete, get, list, update};
use crate::projects::make;
use crate::testing::{Office, named, wait};
use crate::views::message_template::MessageTemplateView;
use hub_domain::{Permission, VarsChange};
use hub_store::list::ListQuery;
use hub_view::RefusalCode;
use serde_json::json;
use std::sync::Arc;

fn says(content: &str) -> TemplatePatch {
    TemplatePatch {
        message: MessagePatch {
            content: Some(Some(content.into())),
            ..MessagePatch::default()
        },
        ..TemplatePatch::default()
    }
}

fn made(actor: &Actor) -> MessageTemplateView {
    wait(create(actor, "Reminder".to_owned(), says("See you!"))).unwrap()
}

fn refused<T>(result: Result<T, Failure>) -> (RefusalCode, Option<String>) {
    let refusal = result.err().unwrap().into_refusal();
    (refusal.code(), refusal.param().map(str::to_owned))
}

#[test]
fn a_change_keeps_what_it_does_not_name() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let before = made(&actor).template;
    let patch = TemplatePatch {
        track_clicks: Some(true),
        vars: VarsChange::parse(&json!({ "a": 1 })).unwrap(),
        ..TemplatePatch::default()
    };
    let changed = wait(update(&actor, before.id, patch)).unwrap().template;
    assert!(changed.track_clicks);
    assert_eq!(changed.vars.to_value(), json!({ "a": 1 }));
    assert_eq!(
        (&changed.name, &changed.message),
        (&before.name, &before.message)
    );
    assert_eq!(wait(get(&actor, before.id)).unwrap().template, changed);
}

#[test]
fn a_template_has_a_text() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let id = made(&actor).template.id;
    let nothing = TemplatePatch {
        message: MessagePatch {
            content: Some(None),
            ..MessagePatch::default()
        },
        ..TemplatePatch::default()
    };
    let expected = (RefusalCode::InvalidParam, Some("content".to_owned()));
    assert_eq!(refused(wait(update(&actor, id, nothing.clone()))), expected);
    let made = create(&actor, "Empty".to_owned(), nothing);
    assert_eq!(refused(wait(made)), expected);
}

#[test]
fn what_another_project_has_is_neither_seen_nor_changed() {
    let office = Office::new();
    let command = named(&office.organization, "Other");
    let other = office.operate(move |work| make(work, &command)).unwrap();
    let mut elsewhere = office.actor(Who::Operator);
    elsewhere.project = Arc::new(other);
    let id = made(&elsewhere).template.id;
    let actor = office.actor(Who::Operator);
    for answer in [
        refused(wait(get(&actor, id))),
        refused(wait(update(&actor, id, says("Mine")))),
        refused(wait(delete(&actor, id))),
    ] {
        assert_eq!(answer.0, RefusalCode::NotFound);
    }
    wait(delete(&elsewhere, id)).unwrap();
    assert_eq!(refused(wait(get(&elsewhere, id))).0, RefusalCode::NotFound);
}

#[test]
fn who_may_look_changes_nothing_and_who_may_send_sees_nothing() {
    let office = Office::new();
    let id = made(&office.actor(Who::Operator)).template.id;
    let request = || ListRequest {
        query: ListQuery::default(),
        count_only: true,
    };
    let viewer = office.actor(office.holder(&[Permission::ViewMessages]));
    let counted = wait(list(&viewer, request())).unwrap();
    assert!(matches!(counted, Listed::Count(1)));
    let sender = office.actor(office.holder(&[Permission::SendMessages]));
    for answer in [
        refused(wait(create(&viewer, "New".to_owned(), says("x")))),
        refused(wait(update(&viewer, id, says("x")))),
        refused(wait(delete(&viewer, id))),
        refused(wait(get(&sender, id))),
        refused(wait(list(&sender, request()))),
    ] {
        assert_eq!(answer.0, RefusalCode::Unauthorized);
    }
}
