//! Tasks from their making to their end, whoever asks.

use super::{Found, NewTask, TaskParams, Through, cancel, create, get, round, step};
use crate::actor::{Actor, Who};
use crate::commands::new_message::{MessageItem, NewMessage, SendOptions, To};
use crate::data_tables::rows::{self, RowPatch};
use crate::data_tables::{self, views};
use crate::failure::Failure;
use crate::groups;
use crate::labels;
use crate::messages::send::send;
use crate::phones::add_test_phone;
use crate::projects::make;
use crate::testing::{Office, named, wait};
use crate::transaction::{Once, Repeat};
use hub_domain::{
    Address, Contact, ConversationStatus, FilterType, GroupFilters, Permission, Task, TaskStatus,
    TaskType, TaskType as T, VarsChange, ViewFilters,
};
use hub_store::contacts::{self, by};
use hub_store::list::{Filter, ListQuery, Op, Operand};
use hub_store::{messages, projects, tasks};
use hub_view::RefusalCode;
use postrider_model::{
    ContactId, DataRowId, DataTableId, GroupId, MessageId, MessageStatus, TaskId,
};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::sync::Arc;

fn params(json: Json) -> TaskParams {
    serde_json::from_value(json).unwrap()
}

fn found(filter_type: FilterType, filters: Vec<Filter>) -> Found {
    Found {
        filter_type,
        table: None,
        view: None,
        params: "{}".to_owned(),
        filters,
    }
}

fn all_contacts() -> Found {
    found(FilterType::QueryContacts, Vec::new())
}

fn all_messages() -> Found {
    found(FilterType::QueryMessages, Vec::new())
}

fn all_rows(table: DataTableId) -> Found {
    Found {
        table: Some(table),
        ..found(FilterType::QueryRows, Vec::new())
    }
}

fn table(actor: &Actor) -> DataTableId {
    let made = wait(data_tables::get_or_create(actor, "Answers".to_owned()));
    made.unwrap().0.id
}

fn row(actor: &Actor, table: DataTableId, about: Option<ContactId>, vars: Json) -> DataRowId {
    let patch = RowPatch {
        contact_id: Some(about),
        vars: VarsChange::parse(&vars).unwrap(),
        ..RowPatch::default()
    };
    wait(rows::create(actor, table, patch)).unwrap().0.id
}

fn row_vars(actor: &Actor, table: DataTableId, id: DataRowId) -> Option<Json> {
    let row = wait(rows::get(actor, table, id)).ok()?;
    Some(row.0.vars.to_value())
}

fn wanted(task_type: TaskType, given: Json, found: Found) -> NewTask {
    NewTask {
        task_type,
        params: params(given),
        through: Through::Found(found),
        vars: VarsChange::default(),
    }
}

fn try_to_make(actor: &Actor, task: NewTask) -> Result<Task, Failure> {
    match wait(create(actor, task, None, |_| String::new()))? {
        Once::Done(made) => Ok(made.task),
        Once::Answer(_) => panic!("it named no key"),
    }
}

fn made(actor: &Actor, task_type: TaskType, given: Json, found: Found) -> Task {
    try_to_make(actor, wanted(task_type, given, found)).unwrap()
}

fn refused(actor: &Actor, task: NewTask) -> (RefusalCode, String) {
    let refusal = try_to_make(actor, task).err().unwrap().into_refusal();
    let words = refusal.param().unwrap_or(refusal.message());
    (refusal.code(), words.to_owned())
}

fn operator(office: &Office) -> Actor {
    office.actor(Who::Operator)
}

/// Makes contacts with names `a0`, `a1` and so on.
fn people(actor: &Actor, count: usize) -> Vec<ContactId> {
    let project = actor.project.id;
    let job = move |tx: &mut hub_store::Tx<'_>| {
        let mut ids = Vec::new();
        for number in 0..count {
            let now = postrider_model::UnixMs(1);
            let id = tx.id(now);
            let mut contact = Contact::new(id, project, None, None, now);
            contact.name = Some(format!("a{number}"));
            contacts::insert(tx, &contact)?;
            ids.push(id);
        }
        Ok::<_, hub_store::StoreError>(ids)
    };
    let share = actor.hub.store.of(project);
    wait(share.write(job)).unwrap()
}

fn contact(actor: &Actor, id: ContactId) -> Option<Contact> {
    let project = actor.project.id;
    let reading = actor.hub.store.of(project);
    wait(reading.read::<_, hub_store::StoreError, _>(move |tx| contacts::get(tx, project, id)))
        .unwrap()
}

fn city(actor: &Actor, id: ContactId) -> Option<Json> {
    contact(actor, id)?.vars.to_value().get("city").cloned()
}

fn set_city(found: Found) -> NewTask {
    let given = json!({"variable": "city", "value": "Oslo"});
    wanted(TaskType::UpdateContactVar, given, found)
}

fn one_round(actor: &Actor) -> usize {
    wait(round(&actor.hub, actor.hub.now())).unwrap()
}

fn run_all(actor: &Actor) {
    while one_round(actor) > 0 {}
}

fn now_of(actor: &Actor, id: TaskId) -> Task {
    wait(get(actor, id)).unwrap().task
}

fn group(actor: &Actor) -> GroupId {
    wait(groups::find_or_create(actor, "Group".to_owned()))
        .unwrap()
        .0
        .id
}

fn members(actor: &Actor, id: GroupId) -> i64 {
    let group = wait(groups::get(actor, id)).unwrap().0;
    group.num_members
}

fn sent(actor: &Actor, count: usize) -> Vec<MessageId> {
    let project = actor.project.id;
    let hub = actor.hub.clone();
    let now = hub.now();
    let making = hub.store.clone();
    making
        .write_blocking(move |tx| {
            let mut work = crate::hub_work::HubWork::new(&hub, tx, Who::Operator, now);
            add_test_phone(&mut work, project, "Test", None).map(drop)
        })
        .unwrap();
    let one = || {
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
        let done = wait(send(actor, Box::new(command), None, |_| String::new()));
        match done {
            Ok(Once::Done(sent)) => sent.view(actor).message.id,
            _ => panic!("it was not sent"),
        }
    };
    (0..count).map(|_| one()).collect()
}

fn message(actor: &Actor, id: MessageId) -> Option<hub_domain::Message> {
    let project = actor.project.id;
    let reading = actor.hub.store.of(project);
    wait(reading.read::<_, hub_store::StoreError, _>(move |tx| messages::get(tx, project, id)))
        .unwrap()
}

#[test]
fn what_matches_and_was_there_is_changed_in_steps() {
    let office = Office::new();
    let actor = operator(&office);
    let before = people(&actor, 250);
    let not_last = Filter::new(by::NAME, Op::Ne, Operand::Text("a249".to_owned()));
    let filter = found(FilterType::QueryContacts, vec![not_last]);
    let task = try_to_make(&actor, set_city(filter)).unwrap();
    assert_eq!((task.status, task.total_rows), (TaskStatus::Queued, None));
    let after = people(&actor, 1);
    one_round(&actor);
    let begun = now_of(&actor, task.id);
    assert_eq!(
        (begun.status, begun.total_rows),
        (TaskStatus::Active, Some(249))
    );
    one_round(&actor);
    assert_eq!(now_of(&actor, task.id).current_row, 100);
    run_all(&actor);
    let done = now_of(&actor, task.id);
    assert_eq!((done.status, done.current_row), (TaskStatus::Complete, 249));
    assert!(done.time_complete.is_some() && done.error_message().is_none());
    let oslo = Some(json!("Oslo"));
    assert!(before[..249].iter().all(|id| city(&actor, *id) == oslo));
    assert_eq!(
        (city(&actor, before[249]), city(&actor, after[0])),
        (None, None)
    );
}

#[test]
fn a_row_that_matches_no_more_when_its_turn_comes_is_left_alone() {
    let office = Office::new();
    let actor = operator(&office);
    let ids = people(&actor, 150);
    let open = Filter::new(by::SEND_BLOCKED, Op::Eq, Operand::Flag(false));
    let filter = found(FilterType::QueryContacts, vec![open]);
    let task = try_to_make(&actor, set_city(filter)).unwrap();
    one_round(&actor);
    one_round(&actor);
    let blocked = found(
        FilterType::ContactIds,
        vec![Filter::Ids(vec![ids[120].get()])],
    );
    let given = json!({"send_blocked": true});
    let block = made(&actor, TaskType::SetSendBlocked, given, blocked);
    office.rows(move |work| {
        let mut first = tasks::get(work.tx, task.project_id, task.id)?.unwrap();
        let mut second = tasks::get(work.tx, block.project_id, block.id)?.unwrap();
        // The second goes first.
        first.status = TaskStatus::Failed;
        tasks::update(work.tx, &first)?;
        second.status = TaskStatus::Active;
        tasks::update(work.tx, &second)
    });
    run_all(&actor);
    assert!(contact(&actor, ids[120]).unwrap().send_blocked);
    office.rows(move |work| {
        let mut first = tasks::get(work.tx, task.project_id, task.id)?.unwrap();
        first.status = TaskStatus::Active;
        tasks::update(work.tx, &first)
    });
    run_all(&actor);
    assert_eq!(city(&actor, ids[120]), None);
    assert_eq!(city(&actor, ids[121]), Some(json!("Oslo")));
}

#[test]
fn a_step_that_is_taken_again_does_nothing_twice() {
    let office = Office::new();
    let actor = operator(&office);
    people(&actor, 150);
    let group = group(&actor);
    let given = json!({"group_id": group});
    let task = made(&actor, TaskType::AddGroupMembers, given, all_contacts());
    one_round(&actor);
    let thought = now_of(&actor, task.id);
    let now = actor.hub.now();
    wait(step::step(&actor.hub, thought.clone(), now)).unwrap();
    // Its answer was lost: whoever asked thinks that it is still to be done.
    wait(step::step(&actor.hub, thought, now)).unwrap();
    assert_eq!(now_of(&actor, task.id).current_row, 100);
    assert_eq!(members(&actor, group), 100);
    run_all(&actor);
    assert_eq!(now_of(&actor, task.id).current_row, 150);
    assert_eq!(members(&actor, group), 150);
}

#[test]
fn a_cancelled_task_changes_nothing_more_also_in_a_step_under_way() {
    let office = Office::new();
    let actor = operator(&office);
    let ids = people(&actor, 150);
    let task = try_to_make(&actor, set_city(all_contacts())).unwrap();
    one_round(&actor);
    one_round(&actor);
    let thought = now_of(&actor, task.id);
    let cancelled = wait(cancel(&actor, task.id)).unwrap().task;
    assert_eq!(cancelled.status, TaskStatus::Cancelled);
    wait(step::step(&actor.hub, thought, actor.hub.now())).unwrap();
    run_all(&actor);
    assert_eq!(now_of(&actor, task.id), cancelled);
    assert_eq!(city(&actor, ids[99]), Some(json!("Oslo")));
    assert_eq!(city(&actor, ids[100]), None);
    let again = wait(cancel(&actor, task.id)).unwrap().task;
    assert_eq!(again, cancelled, "what has ended stays as it is");
}

#[test]
fn projects_take_turns() {
    let office = Office::new();
    let first = operator(&office);
    let command = named(&office.organization, "Second");
    let project = office.operate(move |work| make(work, &command)).unwrap();
    let second = Actor {
        project: Arc::new(project),
        ..first.clone()
    };
    people(&first, 150);
    people(&second, 150);
    let long = try_to_make(&first, set_city(all_contacts())).unwrap();
    let later = try_to_make(&first, set_city(all_contacts())).unwrap();
    let other = try_to_make(&second, set_city(all_contacts())).unwrap();
    one_round(&first);
    one_round(&first);
    assert_eq!(now_of(&first, long.id).current_row, 100);
    assert_eq!(now_of(&second, other.id).current_row, 100);
    assert_eq!(now_of(&first, later.id).status, TaskStatus::Queued);
    run_all(&first);
    for (actor, id) in [(&first, long.id), (&first, later.id), (&second, other.id)] {
        assert_eq!(now_of(actor, id).status, TaskStatus::Complete);
    }
    let elsewhere = wait(get(&second, long.id)).err().unwrap().into_refusal();
    assert_eq!(elsewhere.code(), RefusalCode::NotFound);
}

#[test]
fn a_process_that_does_not_work_for_a_project_leaves_its_tasks_alone() {
    let office = Office::new();
    let actor = operator(&office);
    people(&actor, 1);
    try_to_make(&actor, set_city(all_contacts())).unwrap();
    actor
        .hub
        .share_with(&BTreeSet::from([actor.hub.process.wrapping_add(1)]));
    assert_eq!(one_round(&actor), 0);
    actor.hub.share_with(&BTreeSet::from([actor.hub.process]));
    assert_eq!(one_round(&actor), 1);
}

#[test]
fn a_contact_of_many_messages_is_taken_once() {
    let office = Office::new();
    let actor = operator(&office);
    let ids = sent(&actor, 3);
    let id = message(&actor, ids[0]).unwrap().contact_id.unwrap();
    let full: serde_json::Map<_, _> = (0..100).map(|n| (format!("v{n}"), json!(n))).collect();
    let change = VarsChange::parse(&Json::Object(full)).unwrap();
    let project = actor.project.id;
    office.rows(move |work| {
        let mut contact = contacts::get(work.tx, project, id)?.unwrap();
        contact.vars.apply(change.clone()).unwrap();
        contacts::update(work.tx, &contact).map(drop)
    });
    let task = try_to_make(&actor, set_city(all_messages())).unwrap();
    run_all(&actor);
    let done = now_of(&actor, task.id);
    assert_eq!((done.status, done.current_row), (TaskStatus::Complete, 3));
    assert_eq!(done.failed_rows, 1, "{:?}", done.error_message());
    let told = done.error_message().unwrap();
    assert!(
        told.starts_with(&format!("1 row failed: {id}: vars ")),
        "{told}"
    );
}

#[test]
fn a_task_whose_group_is_deleted_fails_with_the_reason() {
    let office = Office::new();
    let actor = operator(&office);
    people(&actor, 1);
    let group = group(&actor);
    let given = json!({"group_id": group});
    let task = made(&actor, TaskType::AddGroupMembers, given, all_contacts());
    wait(groups::delete(&actor, group)).unwrap();
    run_all(&actor);
    let failed = now_of(&actor, task.id);
    assert_eq!(failed.status, TaskStatus::Failed);
    let told = failed.error_message().unwrap();
    assert!(
        told.starts_with("task_params[group_id] is not the id"),
        "{told}"
    );
}

#[test]
fn a_filter_that_cannot_be_read_fails_its_task_alone() {
    let office = Office::new();
    let actor = operator(&office);
    let ids = people(&actor, 1);
    let mut task = try_to_make(&actor, set_city(all_contacts())).unwrap();
    task.filters = r#"{"version":9,"filters":[]}"#.to_owned();
    task.id = crate::testing::fresh_id(&actor.hub, actor.hub.now());
    let damaged = task.clone();
    office.rows(move |work| tasks::insert(work.tx, &damaged));
    run_all(&actor);
    let failed = now_of(&actor, task.id);
    assert_eq!(failed.status, TaskStatus::Failed);
    let told = failed.error_message();
    assert_eq!(
        told.as_deref(),
        Some("the filter is not one that this hub can read")
    );
    assert_eq!(city(&actor, ids[0]), Some(json!("Oslo")));
}

#[test]
fn each_type_does_with_contacts_what_its_single_operation_does() {
    let office = Office::new();
    let actor = operator(&office);
    let id = people(&actor, 1)[0];
    let group = group(&actor);
    let done = |task_type, given| {
        let task = made(&actor, task_type, given, all_contacts());
        run_all(&actor);
        let task = now_of(&actor, task.id);
        assert_eq!((task.status, task.current_row), (TaskStatus::Complete, 1));
        assert_eq!(task.error_message(), None);
    };
    done(TaskType::AddGroupMembers, json!({"group_id": group}));
    assert_eq!(members(&actor, group), 1);
    done(TaskType::RemoveGroupMembers, json!({"group_id": group}));
    assert_eq!(members(&actor, group), 0);
    let status = json!({"conversation_status": "handled"});
    done(TaskType::SetConversationStatus, status);
    let handled = contact(&actor, id).unwrap().conversation_status;
    assert_eq!(handled, ConversationStatus::Handled);
    done(TaskType::SetSendBlocked, json!({"send_blocked": true}));
    assert!(contact(&actor, id).unwrap().send_blocked);
    let given = json!({"variable": "city", "value": 7});
    done(TaskType::UpdateContactVar, given);
    assert_eq!(city(&actor, id), Some(json!(7)));
    let given = json!({"variable": "city", "value": null});
    done(TaskType::UpdateContactVar, given);
    assert_eq!(city(&actor, id), None);
    done(TaskType::DeleteContacts, json!({}));
    assert!(contact(&actor, id).is_none());
}

#[test]
fn each_type_does_with_messages_what_its_single_operation_does() {
    let office = Office::new();
    let actor = operator(&office);
    let id = sent(&actor, 1)[0];
    let label = wait(labels::get_or_create(&actor, "Label".to_owned()))
        .unwrap()
        .0
        .id;
    let done = |task_type, given| {
        let task = made(&actor, task_type, given, all_messages());
        run_all(&actor);
        let task = now_of(&actor, task.id);
        assert_eq!((task.status, task.current_row), (TaskStatus::Complete, 1));
        task.error_message()
    };
    let labelled = || office.rows(move |work| hub_store::labels::of_message(work.tx, id));
    assert_eq!(done(TaskType::AddLabel, json!({"label_id": label})), None);
    assert_eq!(labelled(), [label]);
    assert_eq!(
        done(TaskType::RemoveLabel, json!({"label_id": label})),
        None
    );
    assert_eq!(labelled(), []);
    let given = json!({"variable": "topic", "value": "x"});
    assert_eq!(done(TaskType::UpdateMessageVar, given), None);
    let vars = message(&actor, id).unwrap().vars.to_value();
    assert_eq!(vars, json!({"topic": "x"}));
    assert_eq!(done(TaskType::CancelMessages, json!({})), None);
    assert_eq!(
        message(&actor, id).unwrap().status,
        MessageStatus::Cancelled
    );
    assert_eq!(done(TaskType::DeleteMessages, json!({})), None);
    assert!(message(&actor, id).is_none());
}

#[test]
fn each_type_does_with_rows_what_its_single_operation_does() {
    let office = Office::new();
    let actor = operator(&office);
    let table = table(&actor);
    let [yes, no] = ["yes", "no"].map(|answer| row(&actor, table, None, json!({"q1": answer})));
    let filters = ViewFilters::parse(&json!({"vars.q1": "yes"})).unwrap();
    let view = wait(views::create(&actor, table, "Yes".to_owned(), filters));
    let of_view = Found {
        view: Some(view.unwrap().view.id),
        ..all_rows(table)
    };
    let done = |task_type, given, found| {
        let task = made(&actor, task_type, given, found);
        run_all(&actor);
        let task = now_of(&actor, task.id);
        assert_eq!(task.table_id, Some(table));
        assert_eq!((task.status, task.current_row), (TaskStatus::Complete, 1));
        assert_eq!(task.error_message(), None);
    };
    let given = json!({"variable": "seen", "value": 1});
    done(TaskType::UpdateRowVar, given, of_view.clone());
    let vars = row_vars(&actor, table, yes);
    assert_eq!(vars, Some(json!({"q1": "yes", "seen": 1})));
    assert_eq!(row_vars(&actor, table, no), Some(json!({"q1": "no"})));
    done(TaskType::DeleteRows, json!({}), of_view);
    assert_eq!(row_vars(&actor, table, yes), None);
    let left = wait(data_tables::get(&actor, table)).unwrap().0.num_rows;
    assert_eq!(left, 1);
}

#[test]
fn a_contact_of_many_rows_is_taken_once() {
    let office = Office::new();
    let actor = operator(&office);
    let ids = people(&actor, 2);
    let table = table(&actor);
    // More rows than a step has, so that the contact comes up again in another one.
    let one = row(&actor, table, Some(ids[0]), json!({}));
    for _ in 0..100 {
        row(&actor, table, Some(ids[0]), json!({}));
    }
    row(&actor, table, None, json!({}));
    let task = try_to_make(&actor, set_city(all_rows(table))).unwrap();
    for _ in 0..2 {
        one_round(&actor);
    }
    let project = actor.project.id;
    let (contact_id, cleared) = (ids[0], VarsChange::parse(&json!({"city": null})).unwrap());
    office.rows(move |work| {
        let mut contact = contacts::get(work.tx, project, contact_id)?.unwrap();
        contact.vars.apply(cleared.clone()).unwrap();
        contacts::update(work.tx, &contact).map(drop)
    });
    run_all(&actor);
    let done = now_of(&actor, task.id);
    assert_eq!((done.status, done.current_row), (TaskStatus::Complete, 102));
    assert_eq!(city(&actor, ids[0]), None, "it was not taken again");
    assert_eq!(city(&actor, ids[1]), None);
    assert_eq!(row_vars(&actor, table, one), Some(json!({})));
}

#[test]
fn a_task_ends_with_its_table() {
    let office = Office::new();
    let actor = operator(&office);
    let contact_id = people(&actor, 1)[0];
    let table = table(&actor);
    row(&actor, table, Some(contact_id), json!({}));
    let task = try_to_make(&actor, set_city(all_rows(table))).unwrap();
    wait(data_tables::delete(&actor, table)).unwrap();
    run_all(&actor);
    let failed = now_of(&actor, task.id);
    assert_eq!(failed.status, TaskStatus::Failed);
    let told = failed.error_message();
    assert_eq!(told.as_deref(), Some("its table was deleted"));
    assert_eq!(city(&actor, contact_id), None);
}

#[test]
fn messages_are_sent_again_each_once_and_whoever_asked_is_in_the_audit_log() {
    let office = Office::new();
    let actor = operator(&office);
    let ids = sent(&actor, 2);
    made(&actor, TaskType::CancelMessages, json!({}), all_messages());
    run_all(&actor);
    let phone = message(&actor, ids[0]).unwrap().phone_id;
    let given = json!({"route_id": phone});
    let task = made(&actor, TaskType::ResendMessages, given, all_messages());
    run_all(&actor);
    let done = now_of(&actor, task.id);
    assert_eq!((done.status, done.current_row), (TaskStatus::Complete, 2));
    assert_eq!(done.error_message(), None);
    for id in ids {
        assert_eq!(message(&actor, id).unwrap().status, MessageStatus::Queued);
    }
    let resent = ("hub".to_owned(), "message.resend".to_owned());
    let asked = ("admin".to_owned(), "task.create".to_owned());
    assert_eq!(office.log()[..3], [resent.clone(), resent, asked]);
}

#[test]
fn a_task_that_sends_waits_for_room_in_the_queue() {
    let office = Office::new();
    let actor = operator(&office);
    sent(&actor, 1);
    made(&actor, TaskType::CancelMessages, json!({}), all_messages());
    run_all(&actor);
    let project = actor.project.id;
    let with_cap = |cap: i64| {
        let mut project = (*actor.project).clone();
        project.queue_cap = cap;
        project
    };
    let (full, open) = (with_cap(0), with_cap(10));
    office.rows(move |work| projects::update(work.tx, &full));
    actor.hub.cache.forget_project(project);
    let task = made(&actor, TaskType::ResendMessages, json!({}), all_messages());
    run_all(&actor);
    let waits = now_of(&actor, task.id);
    assert_eq!((waits.status, waits.current_row), (TaskStatus::Active, 0));
    office.rows(move |work| projects::update(work.tx, &open));
    actor.hub.cache.forget_project(project);
    run_all(&actor);
    assert_eq!(now_of(&actor, task.id).status, TaskStatus::Complete);
}

#[test]
fn what_cannot_be_done_is_refused_by_name() {
    let office = Office::new();
    let actor = operator(&office);
    let dynamic = groups::NewGroup {
        name: "Dynamic".to_owned(),
        settings: groups::GroupPatch {
            filters: GroupFilters::parse(&json!({"name": "a"})).ok(),
            ..groups::GroupPatch::default()
        },
    };
    let dynamic = wait(groups::create(&actor, dynamic)).unwrap().0.id;
    let other: GroupId = crate::testing::fresh_id(&actor.hub, actor.hub.now());
    let param = |task_type, given: Json, found| {
        let (code, param) = refused(&actor, wanted(task_type, given, found));
        assert_eq!(code, RefusalCode::InvalidParam);
        param
    };
    for (task_type, given, named) in [
        (T::AddGroupMembers, json!({}), "task_params[group_id]"),
        (
            T::AddGroupMembers,
            json!({"group_id": dynamic}),
            "task_params[group_id]",
        ),
        (
            T::RemoveGroupMembers,
            json!({"group_id": other}),
            "task_params[group_id]",
        ),
        (
            T::DeleteContacts,
            json!({"group_id": other}),
            "task_params[group_id]",
        ),
        (
            T::UpdateContactVar,
            json!({"variable": "x"}),
            "task_params[value]",
        ),
        (
            T::UpdateContactVar,
            json!({"variable": "a b", "value": 1}),
            "task_params[variable]",
        ),
        (
            T::UpdateContactVar,
            json!({"variable": "x", "value": []}),
            "task_params[value]",
        ),
        (T::SetSendBlocked, json!({}), "task_params[send_blocked]"),
        (T::CancelMessages, json!({}), "filter_type"),
        (T::DeleteRows, json!({}), "filter_type"),
    ] {
        assert_eq!(param(task_type, given, all_contacts()), named);
    }
    let rows = found(FilterType::QueryRows, Vec::new());
    assert_eq!(param(T::DeleteRows, json!({}), rows), "table_id");
    let nowhere = crate::testing::fresh_id(&actor.hub, actor.hub.now());
    assert_eq!(
        param(T::DeleteRows, json!({}), all_rows(nowhere)),
        "table_id"
    );
    let mut with_table = all_contacts();
    with_table.table = Some(table(&actor));
    assert_eq!(param(T::DeleteContacts, json!({}), with_table), "table_id");
    let strange_view = Found {
        view: Some(crate::testing::fresh_id(&actor.hub, actor.hub.now())),
        ..all_rows(table(&actor))
    };
    assert_eq!(
        param(T::DeleteRows, json!({}), strange_view),
        "filter_params[view_id]"
    );
    let route = json!({"route_id": "PN0000000000000001"});
    assert_eq!(
        param(T::ResendMessages, route, all_messages()),
        "task_params[route_id]"
    );
    let label = json!({"label_id": "LB0000000000000001"});
    assert_eq!(
        param(T::AddLabel, label, all_messages()),
        "task_params[label_id]"
    );
}

#[test]
fn a_task_needs_what_its_single_operation_needs() {
    let office = Office::new();
    let holder = |permissions: &[Permission]| office.actor(office.holder(permissions));
    let all = [
        Permission::ViewContacts,
        Permission::EditContacts,
        Permission::ViewMessages,
    ];
    let task = || set_city(all_messages());
    let whole = holder(&all);
    let made = try_to_make(&whole, task()).unwrap();
    for missing in all {
        let rest: Vec<_> = all.into_iter().filter(|other| *other != missing).collect();
        let lesser = holder(&rest);
        assert_eq!(refused(&lesser, task()).0, RefusalCode::Unauthorized);
        let cancelling = wait(cancel(&lesser, made.id)).err().unwrap().into_refusal();
        assert_eq!(cancelling.code(), RefusalCode::Unauthorized);
    }
}

#[test]
fn a_request_under_a_key_makes_one_task() {
    let office = Office::new();
    let actor = operator(&office);
    let ask = || {
        let repeat = Some(Repeat {
            key: "once".to_owned(),
            hash: "same".to_owned(),
        });
        let show = |view: super::TaskView| view.task.id.to_string();
        let done = wait(create(&actor, set_city(all_contacts()), repeat, show));
        match done {
            Ok(Once::Answer(id)) => id,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(ask(), ask());
    let project = actor.project.id;
    let count = office.rows(move |work| tasks::count(work.tx, project, &ListQuery::default()));
    assert_eq!(count, 1);
}
