//! Each reason for waiting, of each thing that may wait.

use crate::actor::{Actor, Who};
use crate::broadcasts::create::WantedBroadcast;
use crate::broadcasts::new_broadcast::Named;
use crate::campaigns::{self, CampaignPatch};
use crate::commands::new_message::{MessageItem, NewMessage, SendOptions, To};
use crate::commands::stored_message::MessagePatch;
use crate::groups;
use crate::holds::Hold;
use crate::listing::{ListRequest, Listed};
use crate::messages;
use crate::phones::add_test_phone;
use crate::schedules::create::SchedulePatch;
use crate::schedules::recipient::RecipientPatch;
use crate::schedules::timing::TimingPatch;
use crate::tasks::{self, NewTask, TaskParams, Through};
use crate::testing::{Office, fresh_id, wait};
use crate::transaction::Once;
use crate::{broadcasts, schedules};
use hub_domain::{
    Address, CampaignType, Device, DeviceState, FilterType, Plan, TaskType, UsageType, VarsChange,
    WaitingFor, status_code,
};
use hub_store::list::ListQuery;
use hub_store::{Value, devices, organizations};
use postrider_model::{BroadcastId, CampaignId, MessageStatus, Now, ScheduledId, TaskId, UnixMs};
use std::sync::Arc;

const NUMBER: &str = "+15005550101";
const DAY_MS: i64 = 86_400_000;
/// Before the next midnight of the organization.
const SOON_MS: i64 = 3_000;

/// One of each thing that waits.
struct World {
    office: Office,
    actor: Actor,
    broadcast: BroadcastId,
    campaign: CampaignId,
    schedule: ScheduledId,
    task: TaskId,
}

fn done<T>(once: Once<T>) -> T {
    match once {
        Once::Done(view) => view,
        Once::Answer(_) => panic!("no key was named"),
    }
}

fn text() -> MessagePatch {
    MessagePatch {
        content: Some(Some("Hello".into())),
        ..MessagePatch::default()
    }
}

impl World {
    fn new() -> Self {
        let office = Office::new();
        let project = office.project.id;
        office
            .operate(move |work| add_test_phone(work, project, "Test", None))
            .unwrap();
        let mut actor = office.actor(Who::Operator);
        let task = resending(&actor);
        let world = Self {
            broadcast: broadcast(&actor),
            campaign: campaign(&actor),
            schedule: schedule(&actor),
            task,
            actor: actor.clone(),
            office,
        };
        actor.now = Now::new(actor.now.boot.0 + 2_000, actor.now.unix.0 + 2_000);
        Self { actor, ..world }
    }

    /// Returns what each waits for, in a list and by itself.
    fn holds(&self) -> [Option<Hold>; 4] {
        let actor = &self.actor;
        let by_itself = [
            wait(broadcasts::existing::get(actor, self.broadcast))
                .unwrap()
                .hold,
            wait(campaigns::get(actor, self.campaign)).unwrap().hold,
            wait(schedules::existing::get(actor, self.schedule))
                .unwrap()
                .hold,
            wait(tasks::get(actor, self.task)).unwrap().hold,
        ];
        let listed = [
            first(wait(broadcasts::existing::list(actor, all()))).hold,
            first(wait(campaigns::list(actor, all()))).hold,
            first(wait(schedules::existing::list(actor, all()))).hold,
            first(wait(tasks::list(actor, all()))).hold,
        ];
        assert_eq!(listed, by_itself);
        by_itself
    }

    fn assert_all(&self, reason: WaitingFor, next_try_time: UnixMs) {
        let hold = Some(Hold {
            reason,
            next_try_time,
        });
        assert_eq!(self.holds(), [hold; 4], "{reason}");
    }

    fn soon(&self) -> UnixMs {
        self.actor.now.unix.plus_ms(SOON_MS)
    }

    fn change_project(&mut self, change: impl FnOnce(&mut hub_domain::Project)) {
        let mut project = (*self.actor.project).clone();
        change(&mut project);
        self.actor.project = Arc::new(project);
    }

    fn limit(&self, kind: UsageType) {
        let mut organization = self.office.organization.clone();
        organization.plan = Plan {
            limits: [(kind, 1)].into(),
            ..Plan::default()
        };
        self.office
            .rows(move |work| organizations::update(work.tx, &organization));
    }
}

fn all() -> ListRequest {
    ListRequest {
        query: ListQuery {
            page_size: 10,
            ..ListQuery::default()
        },
        count_only: false,
    }
}

fn first<V>(listed: Result<Listed<V>, crate::failure::Failure>) -> V {
    match listed {
        Ok(Listed::Page { items, .. }) => items.into_iter().next().unwrap(),
        _ => panic!("no page"),
    }
}

fn broadcast(actor: &Actor) -> BroadcastId {
    let wanted = WantedBroadcast {
        message: text(),
        to: Named {
            numbers: Some(Address::new(NUMBER).into_iter().collect()),
            ..Named::default()
        },
        ..WantedBroadcast::default()
    };
    let made = wait(broadcasts::create::create(actor, wanted, None, |_| {
        String::new()
    }));
    let view = done(made.unwrap());
    assert_eq!(view.hold, None);
    view.id()
}

fn campaign(actor: &Actor) -> CampaignId {
    let group = wait(groups::find_or_create(actor, "News".to_owned())).unwrap();
    let patch = CampaignPatch {
        message: text(),
        group_id: Some(Some(group.0.id)),
        ..CampaignPatch::default()
    };
    let made = wait(campaigns::create(actor, CampaignType::BroadcastText, patch));
    let id = made.unwrap().campaign.id;
    wait(campaigns::send(actor, id, None, |_| String::new())).unwrap();
    id
}

fn schedule(actor: &Actor) -> ScheduledId {
    let patch = SchedulePatch {
        message: text(),
        to: RecipientPatch {
            group_id: None,
            filter: None,
            to: To {
                number: Address::new(NUMBER),
                contact_id: None,
            },
        },
        timing: TimingPatch {
            start_time: Some(actor.now.unix),
            ..TimingPatch::default()
        },
    };
    let made = wait(schedules::create::create(actor, patch, None, |_| {
        String::new()
    }));
    done(made.unwrap()).id()
}

/// Makes a task that sends again what was sent, and begins it.
fn resending(actor: &Actor) -> TaskId {
    let message = NewMessage {
        to: To {
            number: Address::new(NUMBER),
            contact_id: None,
        },
        item: MessageItem {
            content: Some("Hello".into()),
            ..MessageItem::default()
        },
        options: SendOptions::default(),
    };
    wait(messages::send::send(actor, Box::new(message), None, |_| {
        String::new()
    }))
    .unwrap();
    note_sent(actor, 60);
    let task = NewTask {
        task_type: TaskType::ResendMessages,
        params: TaskParams::default(),
        through: Through::Found(tasks::Found {
            filter_type: FilterType::QueryMessages,
            table: None,
            view: None,
            params: "{}".to_owned(),
            filters: Vec::new(),
        }),
        vars: VarsChange::default(),
    };
    let made = done(wait(tasks::create(actor, task, None, |_| String::new())).unwrap());
    assert_eq!(wait(tasks::round(&actor.hub, actor.now)).unwrap(), 1);
    made.task.id
}

/// Has the message be one that was sent by a phone, and is in this state.
fn note_sent(actor: &Actor, state: i64) {
    let sent = status_code(MessageStatus::Sent);
    let noting = actor.hub.store.write_blocking(move |tx| {
        let sql = "UPDATE messages SET status = $1, state = $2, simulated = 0";
        tx.run(sql, &[Value::Int(sent), Value::Int(state)])
    });
    noting.unwrap();
}

#[test]
fn nothing_waits_where_nothing_holds_it_up() {
    assert_eq!(World::new().holds(), [None; 4]);
}

#[test]
fn what_a_person_has_stopped_waits_for_that() {
    let mut world = World::new();
    world.change_project(|project| project.stopped = true);
    world.assert_all(WaitingFor::ProjectStopped, world.soon());
    let now = world.actor.now.unix;
    world.change_project(|project| {
        (project.stopped, project.suspend_time) = (false, Some(now));
    });
    world.assert_all(WaitingFor::PlanSuspended, world.soon());
}

#[test]
fn a_full_queue_holds_everything_up_and_a_frozen_phone_is_its_cause() {
    let mut world = World::new();
    world.change_project(|project| project.queue_cap = 0);
    world.assert_all(WaitingFor::Queue, world.soon());
    let device = Device {
        id: fresh_id(&world.office.hub, world.actor.now),
        organization_id: world.office.organization.id,
        project_id: world.office.project.id,
        name: "Desk".to_owned(),
        public_key: String::new(),
        key_algorithm: "ed25519".to_owned(),
        install: "i1".to_owned(),
        conn: 1,
        gen_seen: 1,
        gen_own: 0,
        down_sent: 0,
        down_acked: 0,
        up: 0,
        state: DeviceState::Active,
        frozen: true,
        time_paired: UnixMs(0),
        time_last_seen: None,
        facts: None,
        offline_since: None,
        connected_to: None,
    };
    world
        .office
        .rows(move |work| devices::insert(work.tx, &device));
    world.assert_all(WaitingFor::Frozen, world.soon());
}

#[test]
fn a_plans_limit_holds_up_what_it_counts_until_the_next_day_or_until_somebody_ends_its_period() {
    let world = World::new();
    let sent = world.office.project.id;
    let at = world.actor.now.unix;
    world.office.rows(move |work| {
        hub_store::usage::count(work.tx, sent, UsageType::ExternalMessagesDay, 1, at)
    });
    world.limit(UsageType::ExternalMessagesDay);
    let midnight = UnixMs(world.actor.now.unix.0.div_euclid(DAY_MS) * DAY_MS + DAY_MS);
    world.assert_all(WaitingFor::PlanLimit, midnight);
    world.limit(UsageType::ExternalMessagesPeriod);
    world.assert_all(WaitingFor::PlanLimit, world.soon());
    // A message that failed is sent again as the same one, which the limit does not count.
    note_sent(&world.actor, 90);
    let [broadcast, .., task] = world.holds();
    assert!(broadcast.is_some() && task.is_none());
}
