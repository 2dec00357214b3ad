//! A hub that went backwards: what waits, and for whose word.
//!
//! A hub on older data than its phones saw (a restore, or a folder that somebody copied back) may
//! have given a phone what it now believes to be in its queue. Each phone's own pages tell what it
//! holds; until then the phone is *frozen*: nothing is exposed to it. A message may also have gone
//! to another phone of its project, so when the whole project is concerned, what it had queued up
//! to the freeze waits for the word of all its phones; what is made later goes on with each phone
//! that has answered. No message ever goes to a phone of another project, so neither does a freeze.
//!
//! How far a project is frozen:
//!
//! - `route-hub restore` freezes every project;
//! - one phone that shows more than this hub ever sent or acked freezes itself alone, for it may be
//!   the phone that is wrong; a second one of its project freezes the project (ADR 6).
//!
//! It ends with the pages of the last frozen phone, or with the operator's word for those that will
//! not come back: what they were given, or may have been, is then unknown.

use crate::alerts;
use crate::dispatch::effects::Effects;
use crate::dispatch::lost;
use crate::dispatch::settle::{Detail, Work};
use crate::hub::Hub;
use hub_domain::{AlertKind, Device, Message, Project};
use hub_store::{StoreError, Tx, devices, messages, meta, phones};
use postrider_link::frame::Hello;
use postrider_link::ownership::hub::Fact;
use postrider_link::session::hub::{Admission, DeviceLink};
use postrider_model::{Now, ProjectId};

/// What a project waits with until its phones have answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freeze {
    /// Whether messages wait for the word of all phones, not only of their own.
    whole: bool,
    /// The newest key when it was frozen: what was made later was forgotten by nobody.
    up_to: i64,
}

impl Freeze {
    /// Reads how far a project is frozen; `None` when it is not.
    ///
    /// # Errors
    /// What the database says.
    pub fn of(tx: &mut Tx<'_>, project: ProjectId) -> Result<Option<Self>, StoreError> {
        let kept = meta::get(tx, &frozen_name(project))?;
        Ok(kept.as_deref().and_then(Self::parse))
    }

    fn parse(text: &str) -> Option<Self> {
        let (scope, up_to) = text.split_once(' ')?;
        Some(Self {
            whole: scope == "whole",
            up_to: up_to.parse().ok()?,
        })
    }

    fn put(self, tx: &mut Tx<'_>, project: ProjectId) -> Result<(), StoreError> {
        let scope = if self.whole { "whole" } else { "phone" };
        let text = format!("{scope} {}", self.up_to);
        meta::put(tx, &frozen_name(project), &text)
    }

    /// Returns the key up to which queued messages wait, whichever phone they are for.
    pub fn holds_up_to(self) -> Option<i64> {
        self.whole.then_some(self.up_to)
    }
}

fn frozen_name(project: ProjectId) -> String {
    format!("frozen {project}")
}

fn witness_name(project: ProjectId) -> String {
    format!("went_back {project}")
}

/// Returns the key above which a project's messages may be exposed; 0 lets all of them.
///
/// # Errors
/// What the database says.
pub fn exposable_above(tx: &mut Tx<'_>, project: ProjectId) -> Result<i64, StoreError> {
    let freeze = Freeze::of(tx, project)?;
    Ok(freeze.and_then(Freeze::holds_up_to).unwrap_or(0))
}

/// Says whether a queued message may be on a phone that has not answered: nobody can say of it
/// that it was not sent.
///
/// # Errors
/// What the database says.
pub fn may_be_out(tx: &mut Tx<'_>, message: &Message) -> Result<bool, StoreError> {
    let Some(freeze) = Freeze::of(tx, message.project_id)? else {
        return Ok(false);
    };
    if message.simulated || message.id.get() > freeze.up_to {
        return Ok(false);
    }
    if freeze.whole {
        return Ok(true);
    }
    let phone = phones::by_key(tx, message.phone_id)?;
    let device = phone.and_then(|phone| phone.device_id);
    let device = device.map(|id| devices::get(tx, id)).transpose()?.flatten();
    Ok(device.is_some_and(|device| device.frozen))
}

/// Freezes a project, each of its phones until it has answered to `generation`.
///
/// # Errors
/// What the database says.
pub fn whole_project(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    generation: u64,
    now: Now,
) -> Result<(usize, Effects), StoreError> {
    let mut effects = Effects::default();
    let frozen = devices::freeze_project(tx, project.id, generation)?;
    meta::remove(tx, &witness_name(project.id))?;
    if !devices::any_frozen(tx, project.id)? {
        return Ok((frozen, effects));
    }
    let up_to = newest_key(tx)?;
    Freeze { whole: true, up_to }.put(tx, project.id)?;
    if alerts::raise_for_project(hub, tx, project, AlertKind::HubFrozen, now)? {
        effects.webhooks();
    }
    effects.everything();
    Ok((frozen, effects))
}

/// Says whether a hello shows what a hub that kept its data cannot have forgotten, and no freeze
/// expects.
pub fn is_evidence(hello: &Hello, device: &Device, row: &DeviceLink, found: &Admission) -> bool {
    if found.reconcile.is_none() || found.lost_install.is_some() || device.frozen {
        return false;
    }
    let numbering = hello.generation == row.generation;
    let shows_more = hello.down > row.down_sent || hello.up_lo > row.up.saturating_add(1);
    let is_ahead = row.generation > 0 && hello.generation > row.generation;
    found.raise_generation.is_some() || is_ahead || (numbering && shows_more)
}

/// A phone has shown that the hub went backwards: it waits for its own word, and with a second one
/// of the project all of them do. Those that are connected are closed by their next turn.
///
/// # Errors
/// What the database says.
pub fn shown_by(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    device: &Device,
    generation: u64,
    now: Now,
) -> Result<Effects, StoreError> {
    let (name, own) = (witness_name(project.id), device.id.to_string());
    tracing::warn!(device = %device.id, "a phone shows that the hub's data went backwards");
    let before = meta::get(tx, &name)?;
    if before.is_some_and(|witness| witness != own) {
        let (_, effects) = whole_project(hub, tx, project, generation, now)?;
        return Ok(effects);
    }
    meta::put(tx, &name, &own)?;
    devices::set_frozen(tx, device.id, true)?;
    let freeze = Freeze {
        whole: Freeze::of(tx, project.id)?.is_some_and(|freeze| freeze.whole),
        up_to: newest_key(tx)?,
    };
    freeze.put(tx, project.id)?;
    let mut effects = Effects::default();
    let kind = AlertKind::HubFrozen;
    if alerts::raise_for_device(hub, tx, project, device.id, kind, now)? {
        effects.webhooks();
    }
    Ok(effects)
}

fn newest_key(tx: &mut Tx<'_>) -> Result<i64, StoreError> {
    Ok(meta::highest_key(tx)?.map_or(0, |key| key.get()))
}

/// A phone has shown all that it holds, or was never given anything: it is sent to again.
///
/// # Errors
/// What the database says.
pub fn answered(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    device: &Device,
    now: Now,
) -> Result<Effects, StoreError> {
    let mut effects = Effects::default();
    if !device.frozen {
        return Ok(effects);
    }
    devices::set_frozen(tx, device.id, false)?;
    let kind = AlertKind::HubFrozen;
    if alerts::clear_for_device(hub, tx, project, device.id, kind, now)? {
        effects.webhooks();
    }
    effects.merge(end_if_last(hub, tx, project, now)?);
    Ok(effects)
}

/// Ends a project's freeze when it waits for nobody any more.
///
/// # Errors
/// What the database says.
pub fn end_if_last(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    now: Now,
) -> Result<Effects, StoreError> {
    let mut effects = Effects::default();
    if Freeze::of(tx, project.id)?.is_none() || devices::any_frozen(tx, project.id)? {
        return Ok(effects);
    }
    meta::remove(tx, &frozen_name(project.id))?;
    if alerts::clear_for_project(hub, tx, project, AlertKind::HubFrozen, now)? {
        effects.webhooks();
    }
    effects.everything();
    Ok(effects)
}

/// A phone will never say what it holds: it was removed, replaced, has a journal that went back, or
/// the operator gave it up.
///
/// What it was exposed is unknown. When it is frozen, so is what its Phones had queued when the hub
/// went backwards, for it may have been given that too.
///
/// # Errors
/// What the database says.
pub fn gone(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    device: &Device,
    now: Now,
) -> Result<Effects, StoreError> {
    let mut effects = lost::device_lost(hub, tx, project, device.id, now)?;
    if !device.frozen {
        return Ok(effects);
    }
    if let Some(freeze) = Freeze::of(tx, project.id)? {
        let mut work = Work::new(hub, project, now);
        for phone in phones::of_device(tx, device.id)? {
            for mut message in messages::waiting_up_to(tx, phone.id, freeze.up_to)? {
                let fact = Fact::ExposureForgotten;
                drop(work.apply(tx, &mut message, fact, &Detail::default())?);
            }
        }
        effects.merge(work.finish(tx)?);
    }
    effects.merge(answered(hub, tx, project, device, now)?);
    Ok(effects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freeze_reads_back() {
        for (text, holds) in [("whole 77", Some(77)), ("phone 77", None)] {
            let freeze = Freeze::parse(text).unwrap();
            assert_eq!((freeze.up_to, freeze.holds_up_to()), (77, holds));
        }
        assert_eq!(Freeze::parse("whole"), None);
    }
}
