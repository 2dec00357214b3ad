//! Measures a tick of the schedules: a hundred thousand wait, a thousand are due.
//!
//! `schedule_tick [--waiting N] [--due N] [--ticks N] [--dir DIR]` prints one line of JSON for each tick: how
//! many were sent, in how many milliseconds.

use hub_app::clock::SystemClock;
use hub_app::commands::new_message::Given;
use hub_app::commands::stored_message::StoredMessage;
use hub_app::hub::{Hub, HubParts};
use hub_app::schedules::fire;
use hub_domain::{MessageType, Organization, Phone, PhoneType, Project, Schedule, ScheduledTo};
use hub_store::{
    SqliteSettings, Store, StoreError, Tx, organizations, phones, projects, schedules,
};
use postrider_model::{Id, Key, Now, PhoneNumber};
use serde_json::json;
use std::error::Error;

/// One day.
const DAY_MS: i64 = 86_400_000;

/// What is measured.
struct Options {
    /// Schedules that wait for another day.
    waiting: usize,
    /// Schedules that are due in each tick.
    due: usize,
    /// Ticks that are measured.
    ticks: i64,
    /// Where the database is.
    dir: std::path::PathBuf,
}

impl Options {
    fn read() -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            waiting: 100_000,
            due: 1_000,
            ticks: 5,
            dir: std::env::temp_dir(),
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let value = arguments.next().ok_or("an option needs a value")?;
            match argument.as_str() {
                "--waiting" => options.waiting = value.parse()?,
                "--due" => options.due = value.parse()?,
                "--ticks" => options.ticks = value.parse()?,
                "--dir" => options.dir = value.into(),
                other => return Err(format!("unknown option {other}").into()),
            }
        }
        Ok(options)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read()?;
    let dir = tempfile::tempdir_in(&options.dir)?;
    let hub = Hub::new(HubParts {
        id: postrider_model::HubId::new(Key::first_of_ms(1)),
        process: 0,
        store: Store::open_sqlite(SqliteSettings::new(dir.path().join("hub.db")))?,
        clock: SystemClock::start(),
        generation: 1,
        proofs: hub_app::hub::proofs::Proofs::new("a key of tests"),
        base_url: "http://127.0.0.1:1".to_owned(),
        host_names: vec!["127.0.0.1".to_owned()],
    });
    let project = project(&hub).await?;
    fill(&hub, &project, options.waiting, options.ticks + 1).await?;
    for day in 1..=options.ticks {
        fill(&hub, &project, options.due, day).await?;
    }
    for day in 1..=options.ticks {
        let now = hub.now();
        let then = Now::new(now.boot.0, now.unix.0 + day * DAY_MS);
        let before = hub.clock.since_start();
        let fired = fire::all_due(&hub, then).await?;
        let took = hub.clock.since_start() - before;
        let ms = took.as_secs_f64() * 1_000.0;
        println!("{}", json!({ "sent": fired, "ms": ms }));
    }
    Ok(())
}

async fn project(hub: &Hub) -> Result<Project, Box<dyn Error>> {
    let now = hub.now().unix;
    let job = move |tx: &mut Tx<'_>| {
        let organization = Organization {
            id: tx.id(now),
            name: "Organization".to_owned(),
            timezone_id: "UTC".to_owned(),
            plan: hub_domain::Plan::default(),
            time_created: now,
        };
        organizations::insert(tx, &organization)?;
        let project = Project {
            country: Some("US".to_owned()),
            ..Project::new(tx.id(now), organization.id, "Project", now)
        };
        projects::insert(tx, &project)?;
        let android = PhoneType::Android;
        let mut phone = Phone::new(tx.id(now), project.id, "Phone", android, now);
        phone.phone_number = "+15005550100".parse::<PhoneNumber>().ok();
        phones::insert(tx, &phone)?;
        Ok::<_, StoreError>(project)
    };
    Ok(hub.store.write(job).await?)
}

fn message() -> String {
    let mut message = StoredMessage::default();
    message.item.content = Some("Hello [[contact.name]]".into());
    message.options.replaces_variables = Some(Given::new("replace_variables", true));
    message.to_text()
}

/// Stores yearly schedules to ten thousand numbers, the first of which are due in so many days.
async fn fill(hub: &Hub, project: &Project, count: usize, days: i64) -> Result<(), Box<dyn Error>> {
    let now = hub.now();
    let start = now.unix.plus_ms(days * DAY_MS - DAY_MS / 2);
    let one = |n: usize| {
        let mut schedule = Schedule {
            id: Id::new(Key::default()),
            project_id: project.id,
            relative_id: None,
            message_type: MessageType::Sms,
            message: message(),
            to: ScheduledTo::Number(
                format!("+1500555{:04}", n % 10_000)
                    .parse()
                    .unwrap_or_else(|never: std::convert::Infallible| match never {}),
            ),
            listed_contact_id: None,
            rrule: "FREQ=YEARLY".to_owned(),
            timezone_id: "America/New_York".to_owned(),
            start_time: start,
            end_time: None,
            prev_time: None,
            next_time: None,
            instance: 1,
            occurrences: 0,
            problem: None,
            revision: 0,
            time_created: now.unix,
        };
        schedule.plan(now.unix);
        schedule
    };
    let all: Vec<_> = (0..count).map(one).collect();
    for some in all.chunks(2_000) {
        let some = some.to_vec();
        let job = move |tx: &mut Tx<'_>| {
            some.iter().try_for_each(|schedule| {
                let id = tx.id(now.unix);
                schedules::insert(
                    tx,
                    &Schedule {
                        id,
                        ..schedule.clone()
                    },
                )
            })
        };
        hub.store.write(job).await?;
    }
    Ok(())
}
