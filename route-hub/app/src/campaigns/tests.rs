//! Campaigns, whoever asks.

use crate::actor::{Actor, Who};
use crate::campaigns::{CampaignPatch, create, delete, get, list, send, unschedule, update};
use crate::commands::stored_message::MessagePatch;
use crate::failure::Failure;
use crate::groups::{GroupView, find_or_create};
use crate::listing::{ListRequest, Listed};
use crate::phones::add_test_phone;
use crate::projects::make;
use crate::testing::{Office, named, wait};
use crate::transaction::Once;
use crate::views::campaign::CampaignView;
use hub_domain::{Campaign, CampaignStatus, CampaignType, Permission};
use hub_store::list::ListQuery;
use hub_view::RefusalCode;
use postrider_model::{CampaignId, UnixMs};
use std::sync::Arc;

const MINUTE_MS: i64 = 60_000;

fn phone(office: &Office) {
    let project = office.project.id;
    let added = office.operate(move |work| add_test_phone(work, project, "Test", None));
    added.unwrap();
}

fn group(actor: &Actor, name: &str) -> GroupView {
    wait(find_or_create(actor, name.to_owned())).unwrap()
}

/// What can be sent to a group, at a time.
fn whole(actor: &Actor, at: Option<UnixMs>) -> CampaignPatch {
    CampaignPatch {
        message: MessagePatch {
            content: Some(Some("Hi".into())),
            ..MessagePatch::default()
        },
        group_id: Some(Some(group(actor, "News").0.id)),
        schedule_time: Some(at),
        ..CampaignPatch::default()
    }
}

fn made(actor: &Actor, patch: CampaignPatch) -> CampaignId {
    let made = wait(create(actor, CampaignType::BroadcastText, patch));
    made.unwrap().campaign.id
}

fn sent(actor: &Actor, id: CampaignId) -> Result<Campaign, Failure> {
    match wait(send(actor, id, None, |_: CampaignView| String::new()))? {
        Once::Done(view) => Ok(view.campaign),
        Once::Answer(_) => panic!("no key was named"),
    }
}

fn refused<T>(result: Result<T, Failure>) -> RefusalCode {
    result.err().unwrap().into_refusal().code()
}

#[test]
fn a_time_that_has_passed_is_now() {
    let office = Office::new();
    phone(&office);
    let actor = office.actor(Who::Operator);
    for (at, expected) in [
        (actor.now.unix.plus_ms(-MINUTE_MS), CampaignStatus::Sent),
        (actor.now.unix.plus_ms(MINUTE_MS), CampaignStatus::Scheduled),
    ] {
        let id = made(&actor, whole(&actor, Some(at)));
        assert_eq!(sent(&actor, id).unwrap().status, expected);
    }
}

#[test]
fn what_another_project_has_is_neither_seen_nor_changed() {
    let office = Office::new();
    let command = named(&office.organization, "Other");
    let other = office.operate(move |work| make(work, &command)).unwrap();
    let mut elsewhere = office.actor(Who::Operator);
    elsewhere.project = Arc::new(other);
    let actor = office.actor(Who::Operator);
    let id = made(&elsewhere, whole(&elsewhere, None));
    for code in [
        refused(wait(get(&actor, id))),
        refused(wait(update(&actor, id, CampaignPatch::default()))),
        refused(sent(&actor, id)),
        refused(wait(unschedule(&actor, id))),
        refused(wait(delete(&actor, id))),
    ] {
        assert_eq!(code, RefusalCode::NotFound);
    }
    let foreign = whole(&elsewhere, None);
    let made = create(&actor, CampaignType::BroadcastText, foreign);
    assert_eq!(refused(wait(made)), RefusalCode::InvalidParam);
    wait(delete(&elsewhere, id)).unwrap();
    assert_eq!(refused(wait(get(&elsewhere, id))), RefusalCode::NotFound);
}

#[test]
fn who_may_look_changes_nothing_and_who_may_send_sees_nothing() {
    let office = Office::new();
    let operator = office.actor(Who::Operator);
    let id = made(&operator, whole(&operator, None));
    let request = || ListRequest {
        query: ListQuery::default(),
        count_only: true,
    };
    let viewer = office.actor(office.holder(&[Permission::ViewMessages]));
    let counted = wait(list(&viewer, request())).unwrap();
    assert!(matches!(counted, Listed::Count(1)));
    let sender = office.actor(office.holder(&[Permission::SendMessages]));
    let new = || CampaignPatch::default();
    for code in [
        refused(wait(create(&viewer, CampaignType::Relative, new()))),
        refused(wait(update(&viewer, id, new()))),
        refused(sent(&viewer, id)),
        refused(wait(unschedule(&viewer, id))),
        refused(wait(delete(&viewer, id))),
        refused(wait(get(&sender, id))),
        refused(wait(list(&sender, request()))),
    ] {
        assert_eq!(code, RefusalCode::Unauthorized);
    }
}
