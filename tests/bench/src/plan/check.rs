//! The small cell that was measured, once more and beside its own simulation: other load, and the
//! project's gate held by somebody else for a while, as by a database that is away.

use super::cell::{Cell, Fault, Moment, run};
use super::costs::{Measured, Site};
use crate::{
    Failure,
    load::{Beside, Started, open_loop},
};
use postrider_model::ProjectId;
use serde_json::{Value, json};
use std::{fmt::Write as _, time::Duration};

const PER_S: f64 = 100.0;
/// How long the gate is held: shorter than jobs wait for it.
const HELD_S: u64 = 1;
const SECONDS: u64 = 12;
/// More than can ever wait at once.
const CONNECTIONS: usize = 400;
const SEED: u64 = 1;

/// A figure of the simulation beside the one that was measured.
pub(super) struct Check {
    name: &'static str,
    simulated: f64,
    measured: f64,
    /// How far the measured one may be off, as a share of the other: never a matter of speed.
    bounds: [f64; 2],
}

impl Check {
    pub(super) fn holds(&self) -> bool {
        let [least, most] = self.bounds.map(|bound| bound * self.simulated);
        (least..=most).contains(&self.measured)
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "simulated": self.simulated,
            "measured": self.measured,
            "holds": self.holds(),
        })
    }
}

pub(super) fn write(text: &mut String, checks: &[Check]) -> std::fmt::Result {
    writeln!(
        text,
        "\n{:<44}{:>12}{:>12}",
        "the small cell", "simulated", "measured"
    )?;
    for check in checks {
        let Check {
            name,
            simulated,
            measured,
            ..
        } = check;
        let no = if check.holds() { "" } else { "  NO" };
        writeln!(text, "{name:<44}{simulated:>12.1}{measured:>12.1}{no}")?;
    }
    Ok(())
}

/// Runs the load and its simulation.
pub(super) async fn compare(site: &Site, measured: &Measured) -> Result<Vec<Check>, Failure> {
    let cell = Cell {
        hubs: 1,
        cores_of_hub: 1.0,
        cores_of_database: 1.0,
        phones: u32::try_from(site.hub.phones.len())?,
        messages_per_s: PER_S,
    };
    let fault = Fault::DatabaseAway { seconds: HELD_S };
    // It has time to end what is left.
    let course = run(cell, measured.costs(), fault, SECONDS, SEED);
    let (before, earlier) = (site.used().await?, site.numbers.so_far());
    let held = hold_gate(site)?;
    let sends = site.sends();
    let (caller, span) = (&site.hub.caller, Duration::from_secs(SECONDS));
    let started = open_loop(caller, CONNECTIONS, PER_S, span, &site.numbers, &sends).await?;
    held.end()?;
    let sent = site.numbers.so_far();
    site.handed_over(sent).await?;
    let count = (sent - earlier) as f64;
    let cost = site.used().await?.each_of(count, before);
    let stored = site.hub.operator().messages_stored().await? as f64;
    let last = course.last().copied().unwrap_or_default();
    let most = course.iter().map(Moment::unanswered).fold(0.0, f64::max);
    let check = |name, simulated, measured, bounds| Check {
        name,
        simulated,
        measured,
        bounds,
    };
    let (same, at_least_half) = ([0.999, 1.001], [0.5, f64::INFINITY]);
    Ok(vec![
        check("messages sent", last.sent, count, same),
        check("messages that phones have", last.delivered, count, same),
        check(
            "messages stored, with those before",
            sent as f64,
            stored,
            same,
        ),
        check(
            "most that waited for their answer",
            most,
            most_unanswered(&started),
            at_least_half,
        ),
        check(
            "WAL of a message, bytes",
            measured.accept.wal_bytes + measured.deliver.wal_bytes,
            cost.wal_bytes,
            [0.3, 3.0],
        ),
    ])
}

fn hold_gate(site: &Site) -> Result<Beside, Failure> {
    let project = site.hub.project.rsplit('/').next().unwrap_or_default();
    let gate = project.parse::<ProjectId>()?.get();
    let database = site.hub.database()?;
    Ok(Beside::start(async move |_| {
        tokio::time::sleep(Duration::from_secs(super::cell::FAULT_AT_S)).await;
        let lock = format!("SELECT pg_advisory_xact_lock({gate})");
        let sleep = format!("SELECT pg_sleep({HELD_S})");
        Ok(database.run(&["BEGIN", &lock, &sleep, "COMMIT"])?)
    }))
}

/// Returns the most requests that had no answer at one time.
fn most_unanswered(started: &[Started]) -> f64 {
    let begins = started.iter().map(|one| (one.at_us, 1_i64));
    let ends = started.iter().map(|one| (one.done_us, -1));
    let mut changes: Vec<_> = begins.chain(ends).collect();
    changes.sort_unstable();
    let mut open = 0;
    let counts = changes.into_iter().map(|(_, change)| {
        open += change;
        open
    });
    counts.max().unwrap_or(0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_is_far_off_does_not_hold() {
        let check = |measured| Check {
            name: "messages",
            simulated: 100.0,
            measured,
            bounds: [0.5, 2.0],
        };
        assert!(check(60.0).holds() && check(200.0).holds());
        assert!(!check(49.0).holds() && !check(201.0).holds());
    }

    #[test]
    fn the_most_at_one_time_are_counted() {
        let one = |at_us, done_us| Started {
            number: 0,
            at_us,
            done_us,
        };
        assert_eq!(most_unanswered(&[one(0, 10), one(5, 20), one(10, 12)]), 2.0);
        assert_eq!(most_unanswered(&[]), 0.0);
    }
}
