//! Held pages: what a phone shows after the hub went backwards or was restored.

use crate::identify::{counters, link_of, wanted_again};
use hub_app::damage;
use hub_app::devices::project_of;
use hub_app::dispatch::freeze;
use hub_app::dispatch::ownership;
use hub_app::dispatch::transitions::Detail;
use hub_app::hub::Hub;
use hub_app::hub::links::Fence;
use hub_app::hub::proofs::Proofs;
use hub_app::unit_of_work::Effects;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{Device, Direction, Message, Phone};
use hub_store::facts_aside::{self, FactAside};
use hub_store::{StoreError, Tx, devices, messages, past_exposures, phones};
use postrider_link::codec;
use postrider_link::frame::{Held, HeldRow, PhoneFrame, Send};
use postrider_link::ownership::hub::{Fact, Holder, Standing, Whose};
use postrider_link::session::hub::DeviceLink;
use postrider_model::{Now, WireState};
use std::sync::Arc;

/// Commits what one page shows.
///
/// # Errors
/// What the database says; [`StoreError::Closed`] when the phone has a newer connection.
pub async fn store(hub: &Hub, fence: Fence, rows: Vec<HeldRow>) -> Result<(), StoreError> {
    let (worker, now, rows) = (hub.clone(), hub.now(), Arc::new(rows));
    let effects = hub
        .store
        .of(fence.project)
        .write_whole(move |tx| {
            let device = of_connection(tx, &fence)?;
            show(&worker, tx, &device, &rows, now)
        })
        .await?;
    effects.perform(hub);
    Ok(())
}

fn show(
    hub: &Hub,
    tx: &mut Tx<'_>,
    device: &Device,
    rows: &[HeldRow],
    now: Now,
) -> Result<Effects, StoreError> {
    let project = project_of(tx, device)?;
    let Some(link) = link_of(device) else {
        return Ok(Effects::default());
    };
    let reader = Reader {
        by: Holder {
            device: device.id,
            install: link.install,
        },
        on: phones::of_device(tx, device.id)?,
    };
    let mut work = UnitOfWork::new(hub, tx, &project, now);
    let (mut nowhere, mut refused, mut has_proof) = (Vec::new(), Vec::new(), false);
    for row in rows {
        match reader.take(&mut work, row)? {
            Taken::Known => {}
            Taken::Forgotten => has_proof = true,
            Taken::Nowhere { proven } => {
                has_proof |= proven;
                nowhere.push(*row);
            }
            Taken::Refused => refused.push(*row),
        }
    }
    put_aside(work.tx, device, nowhere, FORGOTTEN, now)?;
    put_aside(work.tx, device, refused, NOT_ITS_OWN, now)?;
    if has_proof {
        freeze::proven_by(&mut work, device)?;
    }
    work.finish()
}

/// Why rows are set aside whose message is not there.
const FORGOTTEN: &str = "held messages that the hub has forgotten";
/// Why rows are set aside whose message is not this phone's to speak of.
const NOT_ITS_OWN: &str = "held messages that never were this phone's";

/// What became of a row.
enum Taken {
    /// It was applied, and is about an exposure that the hub knows.
    Known,
    /// It was applied, and carries the hub's proof of an exposure that the hub does not know.
    Forgotten,
    /// Its message is not there; `proven` says whether this hub once made it.
    Nowhere { proven: bool },
    /// This phone may not speak of it.
    Refused,
}

/// Who shows the rows of a page.
struct Reader {
    by: Holder,
    on: Vec<Phone>,
}

impl Reader {
    fn take(&self, work: &mut UnitOfWork<'_, '_>, row: &HeldRow) -> Result<Taken, StoreError> {
        let proven = self.is_proven(work, row);
        let project = work.project.id;
        let found = damage::message(work, row.id)?;
        let Some(mut message) = found.filter(|message| message.project_id == project) else {
            let proven = proven && is_kept(work, row);
            return Ok(Taken::Nowhere { proven });
        };
        if message.direction != Direction::Outgoing || message.simulated {
            return Ok(Taken::Refused);
        }
        let whose = ownership::of(&message)?.whose(row.ep, &self.by);
        let was_held = whose == Whose::LookUpPast && self.was_held(work.tx, row)?;
        let is_known = whose == Whose::Present || was_held;
        let standing = Standing::of(proven, is_known, || self.is_concerned(work, &message))?;
        let fact = Fact::Shown {
            ep: row.ep,
            by: &self.by,
            state: row.state,
            page: Some(standing),
        };
        let Ok(outcome) = work.apply(&mut message, fact, &Detail::default())? else {
            return Ok(Taken::Refused);
        };
        if row.state == WireState::Revoked && outcome.requeued {
            freeze::freed(work, &mut message)?;
        }
        Ok(match proven && !is_known {
            true => Taken::Forgotten,
            false => Taken::Known,
        })
    }

    fn is_proven(&self, work: &UnitOfWork<'_, '_>, row: &HeldRow) -> bool {
        let Holder { device, install } = &self.by;
        let own = || work.hub.proofs.of(*device, install, row.id, row.ep);
        row.proof
            .is_some_and(|shown| Proofs::is_own(&shown, &own()))
    }

    /// Says whether this very exposure is among the past ones of this phone.
    fn was_held(&self, tx: &mut Tx<'_>, row: &HeldRow) -> Result<bool, StoreError> {
        let past = past_exposures::get(tx, row.id, row.ep)?;
        Ok(past.is_some_and(|past| {
            past.device_id == self.by.device && past.install == self.by.install.as_str()
        }))
    }

    /// Says whether a message went or may go to this phone: it is routed to one of its Phones or to
    /// a custom route that one of them is in, or this phone held an exposure of it.
    fn is_concerned(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        message: &Message,
    ) -> Result<bool, StoreError> {
        if self.on.iter().any(|phone| phone.id == message.phone_id) {
            return Ok(true);
        }
        let route = match message.route_id {
            Some(id) => work.hub.cache.route_in(work.tx, id)?,
            None => None,
        };
        let offered = route.map(|route| route.actions.phones());
        let is_offered = |phone: &Phone| offered.as_ref().is_some_and(|of| of.contains(&phone.id));
        Ok(self.on.iter().any(is_offered)
            || past_exposures::any_of_device(work.tx, message.id, self.by.device)?)
    }
}

/// Says whether a message of that age is still kept: that an older one is not there shows nothing.
fn is_kept(work: &UnitOfWork<'_, '_>, row: &HeldRow) -> bool {
    let days = work.project.message_retention_days;
    let kept_ms = days.map_or(i64::MAX, |days| i64::from(days) * DAY_MS);
    work.now.unix.0.saturating_sub(row.id.key().made_at_ms()) < kept_ms
}

/// One day.
const DAY_MS: i64 = 24 * 3_600_000;

/// Keeps rows that nothing could be done with.
fn put_aside(
    tx: &mut Tx<'_>,
    device: &Device,
    rows: Vec<HeldRow>,
    reason: &str,
    now: Now,
) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    let (count, last) = (rows.len(), false);
    tracing::warn!(device = %device.id, count, reason, "rows of a phone were set aside");
    let aside = FactAside {
        device_id: device.id,
        s: 0,
        frame: codec::encode(&PhoneFrame::Held(Held { rows, last })).unwrap_or_default(),
        reason: reason.to_owned(),
        time: now.unix,
    };
    facts_aside::insert(tx, &aside)
}

/// Commits the reconciled row, and returns what goes out again with its number: when the counters
/// had started over before, and only the phone had not learned of it.
///
/// # Errors
/// What the database says; [`StoreError::Closed`] when the phone has a newer connection.
pub async fn finish(
    hub: &Hub,
    fence: Fence,
    link: DeviceLink,
    restarts: bool,
) -> Result<Vec<Send>, StoreError> {
    let (worker, now) = (hub.clone(), hub.now());
    let (resume, effects) = hub
        .store
        .of(fence.project)
        .write_whole(move |tx| {
            let device = of_connection(tx, &fence)?;
            reconcile(&worker, tx, &device, &link, restarts, now)
        })
        .await?;
    effects.perform(hub);
    Ok(resume)
}

fn reconcile(
    hub: &Hub,
    tx: &mut Tx<'_>,
    device: &Device,
    link: &DeviceLink,
    restarts: bool,
    now: Now,
) -> Result<(Vec<Send>, Effects), StoreError> {
    let project = project_of(tx, device)?;
    let mut work = UnitOfWork::new(hub, tx, &project, now);
    let mut resume = Vec::new();
    let by = Holder {
        device: device.id,
        install: link.install.clone(),
    };
    let on = phones::of_device(work.tx, device.id)?;
    let on_device = messages::on_device(work.tx, device.id, 0)?;
    for mut message in damage::readable(&mut work, on_device)? {
        if restarts {
            drop(work.apply(&mut message, Fact::Renumbered, &Detail::default())?);
            continue;
        }
        if message.ownership.install.as_deref() != Some(by.install.as_str()) {
            continue;
        }
        match wanted_again(&mut work, &message, &on)? {
            Some(frame) => resume.push(frame),
            None => {
                let fact = Fact::NeverReceived { by: &by, down: 0 };
                let applied = work.apply(&mut message, fact, &Detail::default())?;
                if applied.is_ok_and(|outcome| outcome.requeued) {
                    freeze::freed(&mut work, &mut message)?;
                }
            }
        }
    }
    devices::update_link(work.tx, device.id, &counters(link))?;
    freeze::answered(&mut work, device)?;
    Ok((resume, work.finish()?))
}

fn of_connection(tx: &mut Tx<'_>, fence: &Fence) -> Result<Device, StoreError> {
    let device = devices::get(tx, fence.device)?;
    device
        .filter(|device| fence.admits(device))
        .ok_or(StoreError::Closed)
}
