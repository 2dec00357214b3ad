use crate::actor::{Actor, Who};
use crate::broadcasts::create::WantedBroadcast;
use crate::broadcasts::new_broadcast::Named;
use crate::broadcasts::{self, Turns};
use crate::commands::new_message::To;
use crate::commands::stored_message::MessagePatch;
use crate::failure::Failure;
use crate::schedules::create::{SchedulePatch, create};
use crate::schedules::recipient::RecipientPatch;
use crate::schedules::timing::TimingPatch;
use crate::schedules::update::update;
use crate::schedules::{existing, fire};
use crate::testing::fresh_id;
use crate::transaction::Once;
use crate::webhooks::testing::Fixture;
use hub_domain::{Address, AlertKind, ApiKey, Permissions};
use hub_store::list::ListQuery;
use hub_store::{alerts, messages, phones, projects, rows_aside, schedules};
use hub_view::RefusalCode;
use postrider_model::{Now, ScheduledId, UnixMs};
use std::sync::Arc;

const NUMBER: &str = "+15005550101";

struct World {
    fixture: Fixture,
    actor: Actor,
}

impl World {
    async fn new() -> Self {
        let fixture = Fixture::new();
        let (project, phone) = (fixture.project.clone(), fixture.phone.clone());
        let storing = fixture.hub.store.write(move |tx| {
            projects::insert(tx, &project)?;
            phones::insert(tx, &phone)
        });
        storing.await.unwrap();
        let project = Arc::new(fixture.project.clone());
        let actor = Actor::system(
            &fixture.hub,
            &project,
            fixture.hub.store.basis(),
            fixture.now,
        );
        Self { fixture, actor }
    }

    async fn schedule(&self) -> ScheduledId {
        let made = create(&self.actor, patch(self.fixture.now.unix), None, |_| {
            String::new()
        });
        match made.await.unwrap() {
            Once::Done(view) => view.id(),
            Once::Answer(_) => panic!("no key was named"),
        }
    }

    async fn tick(&self) -> usize {
        let at = self.fixture.now.unix.plus_ms(1_000);
        let now = Now::new(self.fixture.now.boot.0, at.0);
        fire::all_due(&self.fixture.hub, now).await.unwrap()
    }

    /// Returns the texts of the messages.
    async fn sent(&self) -> Vec<String> {
        let project = self.fixture.project.id;
        let reading = self
            .fixture
            .hub
            .store
            .read(move |tx| messages::list(tx, project, &ListQuery::default()));
        let page = reading.await.unwrap();
        let texts = page.rows.into_iter().filter_map(|message| message.content);
        texts.map(|text| text.into_string()).collect()
    }

    /// Stores messages with a version that nobody knows.
    async fn store_unknown_version(&self, update: &'static str) {
        let job = self
            .fixture
            .hub
            .store
            .write(move |tx| tx.execute(update, &[]));
        assert_eq!(job.await.unwrap(), 1);
    }

    async fn is_told(&self) -> bool {
        let reading = self
            .fixture
            .hub
            .store
            .read(|tx| alerts::latest(tx, false, 10));
        let alerts = reading.await.unwrap();
        alerts
            .iter()
            .any(|alert| alert.kind == AlertKind::RowUnreadable)
    }
}

fn message() -> MessagePatch {
    MessagePatch {
        content: Some(Some("Hello".into())),
        ..MessagePatch::default()
    }
}

fn patch(start: UnixMs) -> SchedulePatch {
    SchedulePatch {
        message: message(),
        to: RecipientPatch {
            group_id: None,
            filter: None,
            to: To {
                number: Address::new(NUMBER),
                contact_id: None,
            },
        },
        timing: TimingPatch {
            start_time: Some(start),
            ..TimingPatch::default()
        },
    }
}

#[tokio::test]
async fn what_the_hub_itself_schedules_is_sent_when_its_time_comes() {
    let world = World::new().await;
    let id = world.schedule().await;
    let change = SchedulePatch {
        message: MessagePatch {
            content: Some(Some("Changed".into())),
            ..MessagePatch::default()
        },
        ..SchedulePatch::default()
    };
    update(&world.actor, id, change).await.unwrap();
    assert_eq!(world.tick().await, 1);
    assert_eq!(world.sent().await, ["Changed"]);
    assert_eq!(world.tick().await, 0);
}

#[tokio::test]
async fn a_schedule_of_an_unknown_version_is_set_aside_and_told() {
    let world = World::new().await;
    let id = world.schedule().await;
    world
        .store_unknown_version(
            "UPDATE schedules SET message = replace(message, '\"v\":1', '\"v\":2')",
        )
        .await;
    let refused = update(&world.actor, id, SchedulePatch::default()).await;
    assert!(matches!(refused, Err(Failure::Store(_))), "not guessed");
    assert_eq!(world.tick().await, 0);
    assert_eq!(world.sent().await, [""; 0]);
    let aside = world.fixture.hub.store.read(rows_aside::all).await.unwrap();
    let aside: Vec<_> = aside
        .iter()
        .map(|(table, id, _)| (table.as_str(), *id))
        .collect();
    assert_eq!(aside, [("schedules", id.get())]);
    assert!(world.is_told().await);
    let project = world.fixture.project.id;
    let store = &world.fixture.hub.store;
    assert_eq!(
        store
            .read(move |tx| schedules::get(tx, project, id))
            .await
            .unwrap(),
        None
    );
}

#[tokio::test]
async fn a_broadcast_of_an_unknown_version_ends_and_is_told() {
    let world = World::new().await;
    let wanted = WantedBroadcast {
        message: message(),
        to: Named {
            numbers: Some(Address::new(NUMBER).into_iter().collect()),
            ..Named::default()
        },
        ..WantedBroadcast::default()
    };
    let making = broadcasts::create::create(&world.actor, wanted, None, |_| String::new());
    assert!(matches!(making.await, Ok(Once::Done(_))));
    world
        .store_unknown_version(
            "UPDATE broadcasts SET message = replace(message, '\"v\":1', '\"v\":2')",
        )
        .await;
    let (hub, mut turns) = (&world.fixture.hub, Turns::default());
    while broadcasts::round(hub, &mut turns, world.fixture.now)
        .await
        .unwrap()
        > 0
    {}
    assert_eq!(world.sent().await, [""; 0]);
    assert!(world.is_told().await);
}

#[tokio::test]
async fn whoever_may_not_send_schedules_nothing() {
    let world = World::new().await;
    let id = world.schedule().await;
    let key = ApiKey {
        id: fresh_id(&world.fixture.hub, world.fixture.now),
        organization_id: world.fixture.project.organization_id,
        project_id: None,
        name: "Looks".to_owned(),
        secret_hash: Default::default(),
        permissions: [super::VIEW].into_iter().collect::<Permissions>(),
        rate_per_s: None,
        rate_burst: None,
        time_created: UnixMs(0),
        time_last_used: None,
        time_expires: None,
        time_revoked: None,
    };
    let actor = Actor {
        who: Who::Key(Arc::new(key)),
        ..world.actor.clone()
    };
    let now = world.fixture.now.unix;
    let refusals = [
        create(&actor, patch(now), None, |_| String::new())
            .await
            .err(),
        update(&actor, id, SchedulePatch::default()).await.err(),
        existing::delete(&actor, id).await.err(),
    ];
    for refused in refusals {
        let code = refused.map(|failure| failure.into_refusal().code());
        assert_eq!(code, Some(RefusalCode::Unauthorized));
    }
    assert!(existing::get(&actor, id).await.is_ok());
}
