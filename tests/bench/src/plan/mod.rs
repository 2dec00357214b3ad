//! `scripts/bench plan`: what a message and a phone cost here, what a million phones would take by
//! that, and how a cell would get through faults. The last is simulated; a small cell is measured beside
//! its own simulation.

mod cell;
mod check;
mod costs;
mod sum;

use crate::{Failure, figures::Scale, load::block_on};
use cell::{Fault, Moment, run};
use costs::{Measured, Site};
use serde_json::{Value, json};
use std::fmt::Write as _;
use sum::{Plan, Wanted, plan};

/// What the design is drawn for.
const WANTED: Wanted = Wanted {
    phones: 1_000_000.0,
    messages_per_s: 100_000.0,
};
/// Phones that are gone and come back, of all.
const PHONES_GONE: f64 = 300_000.0;
const SECONDS: u64 = 600;
const SEED: u64 = 1;
/// The seconds after the fault that are shown.
const SHOWN_S: [u64; 8] = [0, 10, 30, 60, 120, 180, 300, 580];

/// Measures, adds up and simulates; returns a table and the same as JSON.
pub(crate) fn measure(scale: Scale) -> Result<(String, Value), Failure> {
    let (measured, checks) = block_on(async {
        let site = Site::start().await?;
        let measured = site.measure(scale).await?;
        Ok((measured, check::compare(&site, &measured).await?))
    })?;
    let plan = plan(WANTED, &measured);
    let courses = courses(&plan, &measured);
    let json = json!({
        "costs": measured.to_json(),
        "plan": plan.to_json(),
        "courses": courses.iter().map(|course| course.to_json()).collect::<Vec<_>>(),
        "checks": checks.iter().map(check::Check::to_json).collect::<Vec<_>>(),
    });
    let mut text = String::new();
    write_costs(&mut text, &measured)?;
    write_plan(&mut text, &plan)?;
    for course in &courses {
        course.write(&mut text)?;
    }
    check::write(&mut text, &checks)?;
    if checks.iter().all(check::Check::holds) {
        Ok((text, json))
    } else {
        Err(format!("the small cell does not do as its simulation\n{text}").into())
    }
}

/// What becomes of a cell with one fault.
struct Course {
    fault: &'static str,
    moments: Vec<Moment>,
}

fn courses(plan: &Plan, measured: &Measured) -> Vec<Course> {
    let gone = PHONES_GONE / f64::from(plan.cells);
    let faults = [
        ("steady load", Fault::None),
        ("a hub is lost", Fault::HubLost),
        (
            "the database is away for 30 s",
            Fault::DatabaseAway { seconds: 30 },
        ),
        (
            "of all phones 300,000 are gone for a minute",
            Fault::PhonesAway {
                phones: gone as u32,
                seconds: 60,
            },
        ),
    ];
    let courses = faults.into_iter().map(|(name, fault)| Course {
        fault: name,
        moments: run(plan.cell, measured.costs(), fault, SECONDS, SEED),
    });
    courses.collect()
}

impl Course {
    fn shown(&self) -> impl Iterator<Item = (u64, &Moment)> {
        SHOWN_S.iter().filter_map(|after| {
            let moment = self.moments.get((cell::FAULT_AT_S + after) as usize)?;
            Some((*after, moment))
        })
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        let heads = [
            "after s",
            "unanswered",
            "in queues",
            "phones away",
            "answer s",
            "phone s",
        ];
        let heads = heads.map(|head| format!("{head:>12}")).concat();
        writeln!(text, "\none cell, simulated: {}\n{heads}", self.fault)?;
        for (after, moment) in self.shown() {
            writeln!(
                text,
                "{after:>12}{:>12.0}{:>12.0}{:>12}{:>12.1}{:>12.1}",
                moment.unanswered(),
                moment.queued(),
                moment.away,
                moment.answer_s,
                moment.phone_s
            )?;
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        let moments = self.shown().map(|(after, moment)| {
            json!({
                "after_s": after,
                "unanswered": moment.unanswered(),
                "queued": moment.queued(),
                "phones_away": moment.away,
                "answer_s": moment.answer_s,
                "phone_s": moment.phone_s,
            })
        });
        json!({"fault": self.fault, "moments": moments.collect::<Vec<_>>()})
    }
}

fn write_costs(text: &mut String, measured: &Measured) -> std::fmt::Result {
    writeln!(
        text,
        "{:<28}{:>12}{:>12}{:>12}",
        "measured, for each", "accepted", "delivered", "link"
    )?;
    for (name, [accept, deliver, link]) in measured.rows() {
        writeln!(text, "{name:<28}{accept:>12.2}{deliver:>12.2}{link:>12.2}")?;
    }
    Ok(())
}

fn write_plan(text: &mut String, plan: &Plan) -> std::fmt::Result {
    let Wanted {
        phones,
        messages_per_s,
    } = WANTED;
    writeln!(
        text,
        "\nadded up: {phones} phones, {messages_per_s} messages a second"
    )?;
    for (name, value) in plan.rows() {
        writeln!(text, "{name:<44}{value:>12.1}")?;
    }
    Ok(())
}
