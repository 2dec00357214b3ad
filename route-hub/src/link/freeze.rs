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
//! - `route-hub restore` freezes every project. What the backup has out of service may have been
//!   paired again since, so it is frozen, too, with what is queued for it; but no other message
//!   waits for it, as none waits for a phone that joined since;
//! - one phone whose numbers show more than this hub ever sent or acked freezes itself alone, for
//!   it may be the phone that is wrong: any phone can say any number. It is asked for its pages
//!   under a generation of its own. A row of them that carries the hub's own proof, of an exposure
//!   that the hub does not know, is the hub's own word: it freezes the project (ADR 14).
//!
//! It ends with the pages of the last frozen phone, or with the operator's word for those that will
//! not come back: what they were given, or may have been, is then unknown. Where all messages wait
//! for their word, that is all of them.

use crate::alerts;
use crate::damage;
use crate::dispatch::effects::Effects;
use crate::dispatch::lost;
use crate::dispatch::settle::{Detail, Work};
use crate::hub::Hub;
use hub_domain::{AlertKind, Device, DeviceState, Message, Phone, Project};
use hub_store::{StoreError, Tx, devices, messages, meta, phones};
use postrider_link::ownership::hub::Fact;
use postrider_link::session::hub::Admission;
use postrider_model::{DeviceId, Now, ProjectId};

/// What a project waits with until its phones have answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freeze {
    scope: Scope,
    /// The newest key when it was frozen: what was made later was forgotten by nobody.
    up_to: i64,
}

/// Whose word a frozen project's messages wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Their own phone's.
    Own,
    /// That of all phones in service.
    All,
    /// The same, and one of them will never give it.
    AllButLost,
}

impl Scope {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Own => "phone",
            Self::All => "whole",
            Self::AllButLost => "lost",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let scopes = [Self::Own, Self::All, Self::AllButLost];
        scopes.into_iter().find(|scope| scope.as_str() == text)
    }
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
            scope: Scope::parse(scope)?,
            up_to: up_to.parse().ok()?,
        })
    }

    fn put(self, tx: &mut Tx<'_>, project: ProjectId) -> Result<(), StoreError> {
        let text = format!("{} {}", self.scope.as_str(), self.up_to);
        meta::put(tx, &frozen_name(project), &text)
    }

    /// Returns the key up to which queued messages wait, whichever phone they are for.
    pub fn holds_up_to(self) -> Option<i64> {
        self.is_whole().then_some(self.up_to)
    }

    fn is_whole(self) -> bool {
        self.scope != Scope::Own
    }
}

fn frozen_name(project: ProjectId) -> String {
    format!("frozen {project}")
}

/// Kept while a device is frozen by its own numbers alone.
fn alone_name(device: DeviceId) -> String {
    format!("frozen_alone {device}")
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
    if freeze.is_whole() {
        return Ok(true);
    }
    Ok(own_device(tx, message)?.is_some_and(|device| device.frozen))
}

/// Says whether its own phone, frozen and waited for by nobody else, may have a queued message:
/// then it goes to another one by its sender's choice alone (R4).
///
/// # Errors
/// What the database says.
pub fn may_be_with_its_phone(tx: &mut Tx<'_>, message: &Message) -> Result<bool, StoreError> {
    if !may_be_out(tx, message)? {
        return Ok(false);
    }
    let whole = Freeze::of(tx, message.project_id)?.is_some_and(Freeze::is_whole);
    let device = own_device(tx, message)?.filter(|device| device.frozen);
    Ok(device.is_some_and(|device| !(whole && device.state == DeviceState::Active)))
}

fn own_device(tx: &mut Tx<'_>, message: &Message) -> Result<Option<Device>, StoreError> {
    let phone = phones::by_key(tx, message.phone_id)?;
    let device = phone.and_then(|phone| phone.device_id);
    Ok(device.map(|id| devices::get(tx, id)).transpose()?.flatten())
}

/// Freezes a project, each of its phones until it has answered: to the hub's generation, or to one
/// of its own where it has answered to that before.
///
/// # Errors
/// What the database says.
pub fn whole_project(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    now: Now,
) -> Result<(usize, Effects), StoreError> {
    let mut effects = Effects::default();
    let before = Freeze::of(tx, project.id)?;
    let frozen = each_device(tx, project.id)?;
    let (waits, any) = any_frozen(tx, project.id)?;
    let scope = match before.map(|freeze| freeze.scope) {
        _ if !waits => Scope::Own,
        Some(Scope::AllButLost) => Scope::AllButLost,
        _ => Scope::All,
    };
    let up_to = newest_key(tx)?;
    if any {
        Freeze { scope, up_to }.put(tx, project.id)?;
    }
    if !waits {
        return Ok((frozen, effects));
    }
    if alerts::raise_for_project(hub, tx, project, AlertKind::HubFrozen, now)? {
        effects.webhooks();
    }
    effects.project(project.id);
    Ok((frozen, effects))
}

/// Freezes every device of a project, and returns how many of them are to answer and were not
/// before: those that are out of service are frozen, but do not.
fn each_device(tx: &mut Tx<'_>, project: ProjectId) -> Result<usize, StoreError> {
    let generation = meta::generation(tx)?;
    let mut frozen = 0;
    for device in devices::of_project(tx, project)? {
        meta::remove(tx, &alone_name(device.id))?;
        let asked = generation.max(device.gen_own);
        // Whoever has not answered yet is asked already.
        let anew = match device.gen_seen >= asked {
            true => device.gen_seen + 1,
            false => device.gen_own,
        };
        if !device.frozen || anew != device.gen_own {
            devices::freeze(tx, device.id, anew)?;
        }
        frozen += usize::from(!device.frozen && device.state != DeviceState::Revoked);
    }
    Ok(frozen)
}

/// Says whether a hello shows what a hub that kept its data cannot have forgotten, and no freeze
/// expects.
pub fn is_evidence(device: &Device, found: &Admission) -> bool {
    found.raise_generation.is_some() && found.lost_install.is_none() && !device.frozen
}

/// A phone's numbers show that the hub went backwards: it waits for its own word, and nobody else
/// does.
///
/// # Errors
/// What the database says.
pub fn shown_by(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    device: &Device,
    now: Now,
) -> Result<Effects, StoreError> {
    tracing::warn!(device = %device.id, "a phone shows more than this hub knows of");
    meta::put(tx, &alone_name(device.id), "")?;
    devices::set_frozen(tx, device.id, true)?;
    let freeze = Freeze {
        scope: Freeze::of(tx, project.id)?.map_or(Scope::Own, |freeze| freeze.scope),
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

/// A phone that was frozen by its numbers has shown an exposure that this hub made and does not
/// know: the whole project waits, for any of its messages may have gone to another phone since.
///
/// # Errors
/// What the database says.
pub fn proven_by(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    device: &Device,
    now: Now,
) -> Result<Effects, StoreError> {
    if meta::get(tx, &alone_name(device.id))?.is_none() {
        return Ok(Effects::default());
    }
    tracing::warn!(device = %device.id, project = %project.id,
        "a phone shows the hub's own proof of what it has forgotten: the project is frozen");
    Ok(whole_project(hub, tx, project, now)?.1)
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
    meta::remove(tx, &alone_name(device.id))?;
    let kind = AlertKind::HubFrozen;
    if alerts::clear_for_device(hub, tx, project, device.id, kind, now)? {
        effects.webhooks();
    }
    effects.merge(end_if_last(hub, tx, project, now)?);
    Ok(effects)
}

/// Ends a project's freeze when it waits for nobody any more.
fn end_if_last(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    now: Now,
) -> Result<Effects, StoreError> {
    let mut effects = Effects::default();
    let Some(freeze) = Freeze::of(tx, project.id)? else {
        return Ok(effects);
    };
    let (waits, any) = any_frozen(tx, project.id)?;
    if waits {
        return Ok(effects);
    }
    if any {
        let scope = Scope::Own;
        Freeze { scope, ..freeze }.put(tx, project.id)?;
    } else {
        meta::remove(tx, &frozen_name(project.id))?;
    }
    if alerts::clear_for_project(hub, tx, project, AlertKind::HubFrozen, now)? {
        effects.webhooks();
    }
    effects.project(project.id);
    Ok(effects)
}

/// Says whether a project waits for a device in service, and whether any is frozen.
fn any_frozen(tx: &mut Tx<'_>, project: ProjectId) -> Result<(bool, bool), StoreError> {
    let waits = devices::any_frozen(tx, project)?;
    Ok((waits, waits || devices::any_frozen_at_all(tx, project)?))
}

/// A phone will never say what it holds: it was removed, replaced, has a journal that went back, or
/// the operator gave it up. `device` is its row as it was until then.
///
/// What it was exposed is unknown. So is, while it is frozen, what waits and may have been given to
/// it: what its Phones had queued when the hub went backwards, and all that the project had queued
/// where everything waits for its word.
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
        let of_all = freeze.is_whole() && device.state == DeviceState::Active;
        let of = match of_all {
            true => phones::of_project(tx, project.id)?,
            false => phones::of_device(tx, device.id)?,
        };
        effects.merge(forget_exposures(hub, tx, project, &of, freeze, now)?);
        if of_all {
            let scope = Scope::AllButLost;
            Freeze { scope, ..freeze }.put(tx, project.id)?;
        }
    }
    effects.merge(answered(hub, tx, project, device, now)?);
    Ok(effects)
}

/// A phone has proven that it did not send a message, after another one was given up that all of
/// them waited for: it may have been moved to that one.
///
/// # Errors
/// What the database says.
pub fn freed(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    message: &mut Message,
) -> Result<(), StoreError> {
    let freeze = Freeze::of(tx, message.project_id)?;
    let lost = freeze.filter(|freeze| freeze.scope == Scope::AllButLost);
    if lost.is_some_and(|freeze| message.id.get() <= freeze.up_to) {
        let fact = Fact::ExposureForgotten;
        drop(work.apply(tx, message, fact, &Detail::default())?);
    }
    Ok(())
}

/// Nobody can know what became of what these Phones had queued.
fn forget_exposures(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    of: &[Phone],
    freeze: Freeze,
    now: Now,
) -> Result<Effects, StoreError> {
    let mut work = Work::new(hub, project, now);
    for phone in of {
        let waiting = messages::waiting_up_to(tx, phone.id, freeze.up_to)?;
        for mut message in damage::readable(&mut work, tx, waiting)? {
            let fact = Fact::ExposureForgotten;
            drop(work.apply(tx, &mut message, fact, &Detail::default())?);
        }
    }
    work.finish(tx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freeze_reads_back() {
        let all = [
            ("whole 77", Some(77)),
            ("lost 77", Some(77)),
            ("phone 77", None),
        ];
        for (text, holds) in all {
            let freeze = Freeze::parse(text).unwrap();
            assert_eq!((freeze.up_to, freeze.holds_up_to()), (77, holds));
        }
        assert_eq!(Freeze::parse("whole"), None);
    }
}
