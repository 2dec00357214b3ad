//! Sends of one project beside another with thousands of idle phones, whose zone and settings
//! change without a pause: no link may end.

use super::{Scale, fresh_numbers, single_send};
use crate::{
    Failure,
    clock::now,
    fleet::Fleet,
    http::{Caller, Connection},
    hub::{Hub, Operator},
    load::{Beside, WARM_UP, block_on, closed_loop},
    report::{Figure, Limit},
    stats::{median, percentile},
};
use std::time::Duration;

/// The names of these figures.
pub(super) const NAMES: &[&str] = &["abuse_wakeups_p99_ratio"];

/// Connections of the project that only sends.
const CONNECTIONS: usize = 8;
/// How often the zone is changed while the sends are measured.
const TOGGLES: u32 = 100;
/// How often the operator changes something.
const COMMAND_EVERY: Duration = Duration::from_secs(1);
/// How often the thread checks between two commands whether to end.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Measures the same sends beside idle phones, and beside changes that concern those phones, alternately.
pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    block_on(async {
        let hub = Hub::start_paused(1).await?;
        let (caller, project) = hub.another_project().await?;
        let phones = usize::try_from(scale.many / 200)?;
        let fleet = Fleet::connect(&hub, phones).await?;
        let (numbers, sends) = (fresh_numbers(), single_send(&project));
        let p99_us = async || {
            let loaded = closed_loop(&caller, CONNECTIONS, scale.span, &numbers, &sends).await?;
            Ok::<_, Failure>(percentile(&loaded.latencies_us, 99.0) as f64)
        };
        let mut ratios = Vec::new();
        for _ in 0..scale.runs {
            let alone_us = p99_us().await?;
            let changes = changes(&hub, (scale.span + WARM_UP) / TOGGLES);
            let beside_us = p99_us().await?;
            changes.into_iter().try_for_each(Beside::end)?;
            ratios.push(beside_us / alone_us);
        }
        match fleet.ended() {
            0 => Ok(vec![Figure::new(
                NAMES[0],
                median(ratios),
                "ratio",
                Limit::AtMost(2.0),
            )]),
            ended => Err(format!("{ended} of {phones} links ended").into()),
        }
    })
}

/// Starts the changes to the phones' settings, by the tenant and by the operator.
fn changes(hub: &Hub, toggle_every: Duration) -> [Beside; 2] {
    let (caller, project, operator) = (hub.caller.clone(), hub.project.clone(), hub.operator());
    let id = project.rsplit('/').next().unwrap_or_default().to_owned();
    [
        Beside::start(async move |over| {
            toggle(&caller, &project, toggle_every, || over.is_over()).await
        }),
        Beside::start(async move |over| command(&operator, &id, || over.is_over()).await),
    ]
}

/// Changes the zone of a project back and forth.
async fn toggle(
    caller: &Caller,
    project: &str,
    every: Duration,
    is_over: impl Fn() -> bool,
) -> Result<(), Failure> {
    let mut connection = Connection::open(caller).await?;
    let mut next = now();
    for zone in ["Europe/Paris", "America/New_York"].iter().cycle() {
        if is_over() {
            break;
        }
        let body = format!(r#"{{"timezone_id":"{zone}"}}"#);
        let answer = connection.exchange(caller, "POST", project, "", body.as_bytes());
        answer.await?;
        next += every;
        tokio::time::sleep_until(next.into()).await;
    }
    Ok(())
}

/// Makes the operator set something of a project each second.
async fn command(
    operator: &Operator,
    project: &str,
    is_over: impl Fn() -> bool,
) -> Result<(), Failure> {
    let mut next = now();
    while !is_over() {
        if now() >= next {
            next += COMMAND_EVERY;
            operator.admin(&["project", "set", project, "--queue-cap", "1000000000"])?;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}
