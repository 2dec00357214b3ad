//! Measures a tick of the schedules: a hundred thousand wait, a thousand are due.
//!
//! `cargo run -p route-hub --example schedule_tick` prints the milliseconds of each of five ticks.

use hub_domain::{MessageType, Organization, Phone, PhoneType, Project, Schedule, ScheduledTo};
use hub_store::{SqliteSettings, Store, Tx, organizations, phones, projects, schedules};
use postrider_model::{KeyMaker, Now, PhoneNumber};
use route_hub::clock::SystemClock;
use route_hub::hub::{Hub, HubParts};
use route_hub::schedules::fire;
use std::error::Error;

/// Schedules that wait for another day.
const WAITING: usize = 100_000;
/// Schedules that are due in each tick.
const DUE: usize = 1_000;
/// Ticks that are measured.
const TICKS: i64 = 5;
/// One day.
const DAY_MS: i64 = 86_400_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let hub = Hub::new(HubParts {
        store: Store::open_sqlite(SqliteSettings::new(dir.path().join("hub.db")))?,
        clock: SystemClock::start(),
        keys: KeyMaker::new(0, None),
        generation: 1,
        base_url: "http://127.0.0.1:1".to_owned(),
        host_names: vec!["127.0.0.1".to_owned()],
    });
    let project = project(&hub).await?;
    fill(&hub, &project, WAITING, TICKS + 1).await?;
    for day in 1..=TICKS {
        fill(&hub, &project, DUE, day).await?;
    }
    for day in 1..=TICKS {
        let now = hub.now();
        let then = Now::new(now.boot.0, now.unix.0 + day * DAY_MS);
        let before = hub.clock.since_start();
        let fired = fire::all_due(&hub, then).await?;
        let took = hub.clock.since_start() - before;
        println!(
            "{fired} of {WAITING} sent in {:.1} ms",
            took.as_secs_f64() * 1_000.0
        );
    }
    Ok(())
}

async fn project(hub: &Hub) -> Result<Project, Box<dyn Error>> {
    let now = hub.now();
    let organization = Organization {
        id: hub.id(now),
        name: "Organization".to_owned(),
        timezone_id: "UTC".to_owned(),
        time_created: now.unix,
    };
    let project = Project::new(hub.id(now), organization.id, "Project", now.unix);
    let project = Project {
        country: Some("US".to_owned()),
        ..project
    };
    let mut phone = Phone::new(
        hub.id(now),
        project.id,
        "Phone",
        PhoneType::Android,
        now.unix,
    );
    phone.phone_number = "+15005550100".parse::<PhoneNumber>().ok();
    let stored = project.clone();
    let job = move |tx: &mut Tx<'_>| {
        organizations::insert(tx, &organization)?;
        projects::insert(tx, &stored)?;
        phones::insert(tx, &phone)
    };
    hub.store.write(job).await?;
    Ok(project)
}

/// Stores yearly schedules to ten thousand numbers, the first of which are due in so many days.
async fn fill(hub: &Hub, project: &Project, count: usize, days: i64) -> Result<(), Box<dyn Error>> {
    let now = hub.now();
    let start = now.unix.plus_ms(days * DAY_MS - DAY_MS / 2);
    let one = |n: usize| {
        let mut schedule = Schedule {
            id: hub.id(now),
            project_id: project.id,
            relative_id: None,
            message_type: MessageType::Sms,
            message: r#"{"content":"Hello [[contact.name]]","replace_variables":true}"#.to_owned(),
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
            let mut each = some.iter();
            each.try_for_each(|schedule| schedules::insert(tx, schedule))
        };
        hub.store.write(job).await?;
    }
    Ok(())
}
