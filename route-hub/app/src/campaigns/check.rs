//! Whether a campaign can go out: its messages as if they were sent now, and its groups.

use crate::actor::Actor;
use crate::campaigns::patch::CampaignPatch;
use crate::commands::campaign_items::{self, CampaignItem};
use crate::commands::stored_message::StoredMessage;
use crate::failure::Failure;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Campaign, CampaignStatus, Group, MessageType};
use hub_store::{StoreError, Tx, campaigns, groups};
use hub_view::Refusal;
use postrider_model::GroupId;

/// Said of a group that was deleted.
const GONE: &str = "is the id of a group that is gone";

/// A message of a campaign that can be sent.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// What it says.
    pub(super) message: StoredMessage,
    /// What kind of message it is.
    pub(super) message_type: MessageType,
    /// When it is sent, for one by the dates of contacts.
    pub(super) item: Option<CampaignItem>,
}

impl Part {
    async fn of(
        actor: &Actor,
        message: StoredMessage,
        item: Option<CampaignItem>,
    ) -> Result<Self, Failure> {
        let planned = message.planned_for_many(actor).await?;
        Ok(Self {
            message_type: planned.message_type(),
            message,
            item,
        })
    }
}

/// Checks the messages of a campaign: one that is sent once has one.
pub(super) async fn parts(actor: &Actor, campaign: &Campaign) -> Result<Vec<Part>, Failure> {
    let message = StoredMessage::read(&campaign.message)
        .map_err(|unreadable| unreadable.in_column(campaigns::MESSAGE))?;
    if campaign.campaign_type.is_broadcast() {
        return Ok(vec![Part::of(actor, message, None).await?]);
    }
    if campaign.date_variable.is_none() {
        return Err(Refusal::invalid_param("date_variable", "is required").into());
    }
    let items = campaign_items::read(&campaign.items)
        .map_err(|unreadable| unreadable.in_column(campaigns::ITEMS))?;
    if items.is_empty() {
        let rule = "must have at least one item";
        return Err(Refusal::invalid_param("items", rule).into());
    }
    let mut parts = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let mut message = message.clone();
        message.item.content.clone_from(&item.content);
        message.options.media.clone_from(&item.media);
        let part = Part::of(actor, message, Some(item)).await;
        parts.push(part.map_err(|failure| within_item(failure, index))?);
    }
    Ok(parts)
}

/// Says of which item a text or media is refused; the rest is said once, for all items.
fn within_item(failure: Failure, index: usize) -> Failure {
    let Failure::Refused(refusal) = failure else {
        return failure;
    };
    let own = |param: &str| param.starts_with("content") || param.starts_with("media");
    Failure::Refused(if refusal.param().is_some_and(own) {
        refusal.within(format_args!("items[{index}]"))
    } else {
        refusal
    })
}

/// Returns the group that a campaign is for, if it may be sent to and the others that it names are there.
pub(super) fn group(tx: &mut Tx<'_>, campaign: &Campaign) -> Result<Group, Failure> {
    let refused = |param, rule| Err(Refusal::invalid_param(param, rule).into());
    let Some(id) = campaign.group_id else {
        return refused("group_id", "is required");
    };
    let Some(group) = groups::get(tx, campaign.project_id, id)? else {
        return refused("group_id", GONE);
    };
    if !group.allow_sending {
        return refused("group_id", "is a group to which sending is not allowed");
    }
    other_groups(tx, campaign)?;
    Ok(group)
}

/// Checks that the groups are there that a campaign leaves out and puts contacts into.
fn other_groups(tx: &mut Tx<'_>, campaign: &Campaign) -> Result<(), Failure> {
    // Whoever sends one refuses what cannot be read.
    let message = StoredMessage::read(&campaign.message).unwrap_or_default();
    for (param, named) in [
        ("exclude_group_id", campaign.exclude_group_id),
        ("respondent_group_id", campaign.respondent_group_id),
        ("clicked_group_id", message.options.clicked_group_id),
    ] {
        if let Some(id) = named
            && groups::get(tx, campaign.project_id, id)?.is_none()
        {
            return Err(Refusal::invalid_param(param, GONE).into());
        }
    }
    Ok(())
}

/// Says what is wrong with the groups of a campaign that runs by the dates of contacts.
pub(super) fn problem(tx: &mut Tx<'_>, campaign: &Campaign) -> Result<Option<String>, StoreError> {
    let runs = campaign.status == CampaignStatus::Scheduled;
    if !runs || campaign.campaign_type.is_broadcast() {
        return Ok(None);
    }
    match group(tx, campaign) {
        Ok(_) => Ok(None),
        Err(Failure::Refused(refusal)) => Ok(Some(refusal.message().to_owned())),
        Err(Failure::Store(error)) => Err(error),
    }
}

/// Checks the groups that somebody names.
pub(super) fn named_groups(
    work: &mut UnitOfWork<'_, '_>,
    named: &CampaignPatch,
    is_broadcast: bool,
) -> Result<(), Failure> {
    let followed = "is a dynamic group: only groups that contacts are put into are followed";
    let joined = "is a dynamic group: no contact can be put into it";
    named_group(
        work,
        "group_id",
        named.group_id,
        (!is_broadcast).then_some(followed),
    )?;
    named_group(work, "exclude_group_id", named.exclude_group_id, None)?;
    for (param, group) in [
        ("respondent_group_id", named.respondent_group_id),
        ("clicked_group_id", named.clicked_group_id),
    ] {
        named_group(work, param, group, Some(joined))?;
    }
    Ok(())
}

/// Checks a group that somebody names; `dynamic` is why a dynamic one is refused.
fn named_group(
    work: &mut UnitOfWork<'_, '_>,
    param: &str,
    named: Option<Option<GroupId>>,
    dynamic: Option<&str>,
) -> Result<(), Failure> {
    let Some(id) = named.flatten() else {
        return Ok(());
    };
    let group = groups::get(work.tx, work.project.id, id)?;
    let rule = match group {
        None => "is not the id of a group of this project",
        Some(group) => match dynamic {
            Some(rule) if group.is_dynamic() => rule,
            _ => return Ok(()),
        },
    };
    Err(Refusal::invalid_param(param, rule).into())
}
