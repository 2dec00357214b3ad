//! Following a short link. Its first click is on disk before its caller learns where it leads.

use crate::contacts::{FoundGroups, saving};
use crate::failure::Failure;
use crate::hub::Hub;
use crate::unit_of_work::UnitOfWork;
use crate::webhooks::enqueue;
use hub_domain::{LinkCode, LinkTarget, Message, ShortLink};
use hub_rules::in_ascii;
use hub_store::short_links::Clicked;
use hub_store::{StoreError, Tx, contacts, files, groups, messages, short_links};
use hub_view::Refusal;
use postrider_model::FileId;

/// Somebody who has a short link.
#[derive(Debug, Clone)]
pub struct Visit {
    /// What the link is asked for by.
    pub code: LinkCode,
    /// The short domain that it was asked for at; `None`: the hub's own address.
    pub domain: Option<String>,
}

/// What becomes of a visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Followed {
    /// It leads to this address.
    To(String),
    /// The link has ended.
    Over,
    /// There is no such link.
    Missing,
    /// Its file is gone.
    FileGone,
}

/// Follows a link. `is_click` says whether a person asks, and is looked at only where a click would count.
pub async fn follow(
    hub: &Hub,
    visit: Visit,
    is_click: impl FnOnce() -> bool,
) -> Result<Followed, Failure> {
    let code = visit.code;
    let found = hub.store.read(move |tx| found(tx, code)).await?;
    let Some((link, has_target)) = found.filter(|(link, _)| link.domain == visit.domain) else {
        return Ok(Followed::Missing);
    };
    if link.is_over(hub.now().unix) {
        return Ok(Followed::Over);
    }
    if !has_target {
        return Ok(Followed::FileGone);
    }
    let to = address(hub, &link)?;
    if link.awaits_click() && is_click() {
        click(hub, link).await?;
    }
    Ok(Followed::To(to))
}

/// Returns a link, and whether there is what it leads to.
fn found(tx: &mut Tx<'_>, code: LinkCode) -> Result<Option<(ShortLink, bool)>, StoreError> {
    let Some(link) = short_links::by_code(tx, code)? else {
        return Ok(None);
    };
    let has_target = match link.target {
        LinkTarget::File { id, .. } => is_there(tx, &link, id)?,
        LinkTarget::Address(_) | LinkTarget::Medium { .. } => true,
    };
    Ok(Some((link, has_target)))
}

fn is_there(tx: &mut Tx<'_>, link: &ShortLink, file: FileId) -> Result<bool, StoreError> {
    Ok(files::get(tx, link.project_id, file)?.is_some())
}

fn address(hub: &Hub, link: &ShortLink) -> Result<String, Refusal> {
    match &link.target {
        LinkTarget::File { id, .. } => Ok(hub.files.addresses(hub.now().unix).of_file(*id)),
        LinkTarget::Address(address) | LinkTarget::Medium { address, .. } => {
            in_ascii(address).ok_or_else(|| Refusal::not_found("short link"))
        }
    }
}

/// Writes a click down, with all that follows from it.
async fn click(hub: &Hub, link: ShortLink) -> Result<(), Failure> {
    let of = link.project_id;
    let Some(project) = hub.cache.project(&hub.store, of).await? else {
        return Ok(());
    };
    let (inside, now) = (hub.clone(), hub.now());
    let job = move |tx: &mut Tx<'_>| {
        let mut work = UnitOfWork::new(&inside, tx, &project, now);
        clicked(&mut work, &link)?;
        work.finish()
    };
    let effects = hub.store.of(of).write(job).await?;
    effects.perform(hub);
    Ok(())
}

fn clicked(work: &mut UnitOfWork<'_, '_>, link: &ShortLink) -> Result<(), StoreError> {
    let click = short_links::click(work.tx, link, work.now.unix)?;
    if click != Clicked::FirstOfMessage {
        return Ok(());
    }
    if let Some(broadcast) = link.broadcast_id {
        work.tallies.clicked(broadcast);
    }
    let Some(message) = messages::get(work.tx, link.project_id, link.message_id)? else {
        return Ok(());
    };
    join_group(work, link, &message)?;
    enqueue::send_status(work, &message)
}

/// Puts the contact of a message into the group of those who clicked.
fn join_group(
    work: &mut UnitOfWork<'_, '_>,
    link: &ShortLink,
    message: &Message,
) -> Result<(), StoreError> {
    let (Some(group), Some(contact)) = (link.clicked_group_id, message.contact_id) else {
        return Ok(());
    };
    let group = groups::get(work.tx, link.project_id, group)?;
    let contact = contacts::get(work.tx, link.project_id, contact)?;
    if let (Some(group), Some(contact)) = (group.filter(|group| !group.is_dynamic()), contact) {
        let groups = FoundGroups {
            join: vec![group],
            leave: Vec::new(),
        };
        saving::save(work, Some(&contact), contact.clone(), &groups)?;
    }
    Ok(())
}
