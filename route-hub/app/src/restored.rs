//! A database that went backwards: nothing is sent before every phone has said what it got since.
//!
//! After a restore, and where a server that lost something took the place of another.

use crate::actor::Who;
use crate::dispatch::freeze::{self, ToAnswer};
use crate::hub::Hub;
use crate::hub_work::HubWork;
use crate::schedules::after_restore::{self, Passed};
use hub_domain::Project;
use hub_store::{
    Gate, Standing, StoreError, broadcasts, campaigns, changes, devices, meta, organizations,
    projects,
};
use std::collections::BTreeSet;
use std::future::pending;
use std::time::Duration;
use tokio::sync::watch;

/// The error of broadcasts that were half sent.
const CUT_OFF: &str =
    "the hub was restored from a backup: it is not known whom the broadcast has reached since";
/// The error of campaigns that may have been sent.
const CALLED_OFF: &str =
    "the hub was restored from a backup: whether the campaign was sent at its time is not known";
/// The pause before something is tried again that the database refused.
const AFTER_ERROR: Duration = Duration::from_millis(500);

/// What a hub goes on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beginning {
    /// Its generation, to which each phone has to answer.
    pub generation: u64,
    /// How many have to.
    pub phones_to_answer: usize,
    /// How many of these had to before.
    pub phones_asked_before: usize,
    /// How many schedules' moments were passed over.
    pub schedules_passed_over: usize,
}

/// What somebody says of a database that went backwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The generation of the data that were replaced, if it is known.
    pub replaced: u64,
    /// Whether scheduled messages are sent whose time has passed.
    pub send_missed: bool,
}

/// Raises the generation and freezes every project: it is unknown what its phones were given, and what was
/// sent of its schedules. It goes project by project; whoever is broken off begins again.
///
/// # Errors
/// When the database fails.
pub fn begin(hub: &Hub, who: &Who, word: Word) -> Result<Beginning, StoreError> {
    let generation = hub
        .store
        .write_blocking(move |tx| raise(tx, word.replaced))?;
    let (mut to_answer, mut schedules_passed_over) = (ToAnswer::default(), 0);
    let passed = if word.send_missed {
        None
    } else {
        Some(hub.store.read_blocking({
            let now = hub.now().unix;
            move |tx| after_restore::passed(tx, now)
        })?)
    };
    for project in hub.store.read_blocking(projects::all)? {
        let (phones, schedules) = freeze_one(hub, who, &project, passed.as_ref())?;
        to_answer.all += phones.all;
        to_answer.before += phones.before;
        schedules_passed_over += schedules;
    }
    for organization in hub.store.read_blocking(organizations::all)? {
        let (worker, who, now) = (hub.clone(), who.clone(), hub.now());
        let share = hub.store.hub_at(Gate::Organization(organization.id));
        share.write_blocking(move |tx| {
            HubWork::new(&worker, tx, who.clone(), now).note(
                organization.id,
                "hub.restore",
                generation,
            )
        })?;
    }
    hub.store.write_blocking(meta::end_loss)?;
    hub.raise_generation(generation);
    Ok(Beginning {
        generation,
        phones_to_answer: to_answer.all,
        phones_asked_before: to_answer.before,
        schedules_passed_over,
    })
}

/// Raises the generation above that of every device, so that each has to answer.
fn raise(tx: &mut hub_store::Tx<'_>, replaced: u64) -> Result<u64, StoreError> {
    let highest = meta::generation(tx)?.max(devices::highest_generation(tx)?);
    let generation = highest.max(replaced) + 1;
    meta::put_generation(tx, generation)?;
    changes::raise(tx, changes::Scope::Hub)?;
    Ok(generation)
}

/// Freezes a project; returns which of its phones have to answer, and how many of its schedules were passed over.
fn freeze_one(
    hub: &Hub,
    who: &Who,
    project: &Project,
    passed: Option<&Passed>,
) -> Result<(ToAnswer, usize), StoreError> {
    let (worker, who, now) = (hub.clone(), who.clone(), hub.now());
    let calls_off = passed.is_some();
    let due = passed.map(|passed| passed.of(project.id));
    let (project, due) = (project.clone(), due.unwrap_or_default());
    let share = hub.store.hub_at(Gate::Project(project.id));
    let (phones, schedules, effects) = share.write_blocking(move |tx| {
        let mut work = HubWork::new(&worker, tx, who.clone(), now);
        let phones = work.within(&project, freeze::whole_project)?;
        // A recipient that got the message since must not get it again.
        broadcasts::end_of_project(work.tx, project.id, CUT_OFF)?;
        if calls_off {
            campaigns::call_off_due(work.tx, project.id, now.unix, CALLED_OFF)?;
        }
        let schedules = after_restore::pass_over(work.tx, &due, now.unix)?;
        Ok::<_, StoreError>((phones, schedules, work.effects))
    })?;
    effects.perform(hub);
    Ok((phones, schedules))
}

/// Freezes all projects when the database is found to have gone backwards beneath the hubs, and has everybody
/// look when nothing stands in the way of sending any more. One of the hubs freezes.
pub async fn watch(hub: Hub) {
    let (Some(mut standing), Some((own, mut serving))) =
        (hub.store.standing(), hub.store.processes())
    else {
        return pending().await;
    };
    let mut before = *standing.borrow_and_update();
    loop {
        let is_first = first(&mut serving) == Some(own);
        match before {
            Standing::WentBack if is_first => freeze_all(&hub).await,
            Standing::Unsure => {
                tracing::warn!("nothing is sent before each hub has found what it was answered");
            }
            Standing::Sure | Standing::WentBack => {}
        }
        tokio::select! {
            changed = standing.changed() => if changed.is_err() { return pending().await },
            changed = serving.changed() => if changed.is_err() { return pending().await },
        }
        let now = *standing.borrow_and_update();
        if now == Standing::Sure && before != now {
            hub.rows_changed();
            hub.bus.wake_workers();
        }
        before = now;
    }
}

fn first(serving: &mut watch::Receiver<BTreeSet<u8>>) -> Option<u8> {
    serving.borrow_and_update().first().copied()
}

async fn freeze_all(hub: &Hub) {
    tracing::error!("the database has forgotten what was answered: every project is frozen");
    loop {
        let worker = hub.clone();
        let word = Word {
            replaced: 0,
            send_missed: false,
        };
        let frozen = tokio::task::spawn_blocking(move || freeze_if_open(&worker, word)).await;
        match frozen {
            Ok(Ok(())) | Err(_) => return,
            Ok(Err(error)) => hub_store::failed!(warn, error, "projects could not be frozen"),
        }
        tokio::time::sleep(AFTER_ERROR).await;
    }
}

/// Freezes unless another process has done it by now.
fn freeze_if_open(hub: &Hub, word: Word) -> Result<(), StoreError> {
    if !hub.store.read_blocking(meta::is_loss_open)? {
        return Ok(());
    }
    begin(hub, &Who::Hub, word).map(drop)
}
