//! What a new broadcast is made of.

use crate::actor::Actor;
use crate::commands::stored_message::StoredMessage;
use crate::failure::Failure;
use crate::hub::Hub;
use crate::tasks::Found;
use crate::unit_of_work::UnitOfWork;
use crate::views::broadcast::in_words;
use crate::views::stored_message::BY_FILTER;
use crate::webhooks::enqueue;
use hub_domain::{
    Address, Broadcast, BroadcastCounts, BroadcastStage, BroadcastTo, ContactFilter, FileHolder,
    Group, MessageSource, MessageType,
};
use hub_store::list::ListQuery;
use hub_store::{StoreError, Tx, broadcasts, contacts, files, groups, within_request};
use hub_view::Refusal;
use postrider_model::{CampaignId, ContactId, GroupId, ScheduledId};
use std::time::Duration;

/// How much of a request's time for reading that may take.
const COUNTED_WITHIN: Duration = Duration::from_secs(2);
/// How many contacts are looked at in one step where those of a dynamic group are counted.
const COUNTED_STEP: u32 = 2_000;

/// A broadcast that is to be made.
#[derive(Debug, Clone)]
pub struct NewBroadcast {
    /// Who makes it.
    pub source: MessageSource,
    /// The scheduled message that makes it.
    pub scheduled_id: Option<ScheduledId>,
    /// The campaign that becomes it.
    pub campaign_id: Option<CampaignId>,
    /// What kind of messages it sends.
    pub message_type: MessageType,
    /// What it sends.
    pub message: StoredMessage,
    /// What people call it; `None`: what its recipients are called.
    pub title: Option<String>,
    /// Whom it is for.
    pub recipients: Recipients,
}

/// Whom somebody names as recipients.
#[derive(Debug, Clone, Default)]
pub struct Named {
    /// A group.
    pub group_id: Option<GroupId>,
    /// Who of the group gets nothing.
    pub exclude: Option<ContactId>,
    /// A filter of contacts.
    pub filter: Option<Found>,
    /// Numbers, as they were typed; `None` where they are not named.
    pub numbers: Option<Vec<Address>>,
}

/// Whom a broadcast that is to be made is for.
#[derive(Debug, Clone)]
pub struct Recipients {
    to: BroadcastTo,
    numbers: Vec<Address>,
    exclude: Option<ContactId>,
    exclude_group: Option<GroupId>,
    estimated: i64,
    text: String,
    all_made: bool,
}

impl Recipients {
    /// The members of a group.
    pub(crate) fn group(group: &Group) -> Self {
        Self {
            to: BroadcastTo::Group(group.id),
            numbers: Vec::new(),
            exclude: None,
            exclude_group: None,
            estimated: match group.filters {
                None => group.num_members,
                Some(_) => 0,
            },
            text: group.name.clone(),
            all_made: false,
        }
    }

    /// The contacts that a filter finds.
    pub(crate) fn filter(filter: ContactFilter) -> Self {
        Self {
            to: BroadcastTo::Filter(filter),
            numbers: Vec::new(),
            exclude: None,
            exclude_group: None,
            estimated: 0,
            text: BY_FILTER.to_owned(),
            all_made: false,
        }
    }

    /// Leaves out who is in a group when its turn comes.
    pub(crate) fn but_for(self, exclude_group: Option<GroupId>) -> Self {
        Self {
            exclude_group,
            ..self
        }
    }

    /// Numbers.
    fn numbers(numbers: Vec<Address>) -> Self {
        Self {
            to: BroadcastTo::Numbers,
            exclude: None,
            exclude_group: None,
            estimated: i64::try_from(numbers.len()).unwrap_or(i64::MAX),
            text: in_words(&numbers),
            numbers,
            all_made: false,
        }
    }

    /// Whom requests name, this one and later ones.
    pub fn requests() -> Self {
        Self {
            to: BroadcastTo::Requests,
            numbers: Vec::new(),
            exclude: None,
            exclude_group: None,
            estimated: 0,
            text: String::new(),
            all_made: true,
        }
    }

    /// Says that the request itself makes the messages.
    pub fn made_at_once(self) -> Self {
        Self {
            all_made: true,
            ..self
        }
    }

    /// Looks for whom somebody names: a group, or numbers, which `numbers` reads.
    ///
    /// # Errors
    /// `invalid_param` for who is not there, and for both or none of them.
    pub async fn find(
        actor: &Actor,
        named: &Named,
        numbers: impl FnOnce(&[Address]) -> Result<Vec<Address>, Failure>,
    ) -> Result<Self, Failure> {
        let refused = |param, rule| Err(Refusal::invalid_param(param, rule).into());
        if let Some(found) = &named.filter {
            return match (named.group_id, &named.numbers, named.exclude) {
                (Some(_), ..) => refused("filter_type", "and group_id are two kinds of recipients"),
                (_, Some(numbers), _) if !numbers.is_empty() => refused(
                    "filter_type",
                    "and to_numbers are two kinds of recipients: name one",
                ),
                (.., Some(_)) => refused("exclude_contact_id", "is for a group: it needs group_id"),
                _ => Self::find_by_filter(actor, found).await,
            };
        }
        match (named.group_id, &named.numbers) {
            (Some(_), Some(numbers)) if !numbers.is_empty() => refused(
                "to_numbers",
                "and group_id are two kinds of recipients: name one",
            ),
            (Some(id), _) => Self::find_group(actor, id, named.exclude).await,
            (None, _) if named.exclude.is_some() => {
                refused("exclude_contact_id", "is for a group: it needs group_id")
            }
            (None, None) => refused("to_numbers", "is required, or group_id"),
            (None, Some(typed)) => Ok(Self::numbers(numbers(typed)?)),
        }
    }

    /// Counts whom a filter finds, as far as a request's time allows.
    async fn find_by_filter(actor: &Actor, found: &Found) -> Result<Self, Failure> {
        let (of, filters) = (actor.project.id, found.filters.clone());
        let counting = actor.hub.store.of(of).read(move |tx| {
            let query = ListQuery {
                filters: filters.clone(),
                ..ListQuery::default()
            };
            contacts::count(tx, of, &query)
        });
        let estimated = match within_request(COUNTED_WITHIN, counting).await {
            Ok(count) => i64::try_from(count).unwrap_or(i64::MAX),
            Err(StoreError::TooSlow) => 0,
            Err(error) => return Err(error.into()),
        };
        Ok(Self {
            estimated,
            ..Self::filter(found.of_contacts(actor)?)
        })
    }

    /// Looks for a group, and for the contact of it that gets nothing.
    async fn find_group(
        actor: &Actor,
        id: GroupId,
        exclude: Option<ContactId>,
    ) -> Result<Self, Failure> {
        let (hub, of) = (&actor.hub, actor.project.id);
        let reading = hub.store.of(of).read(move |tx| {
            let group = groups::get(tx, of, id)?;
            let known = match exclude {
                Some(id) if group.is_some() => contacts::get(tx, of, id)?.is_some(),
                _ => true,
            };
            Ok::<_, StoreError>((group, known))
        });
        let no_such = |param, what| {
            let rule = format_args!("is not the id of a {what} of this project");
            Refusal::invalid_param(param, rule)
        };
        let (group, known) = reading.await?;
        let group = group.ok_or_else(|| no_such("group_id", "group"))?;
        if !group.allow_sending {
            let rule = "is a group to which sending is not allowed";
            return Err(Refusal::invalid_param("group_id", rule).into());
        }
        if !known {
            return Err(no_such("exclude_contact_id", "contact").into());
        }
        let estimated = match group.filters {
            None => group.num_members,
            Some(_) => within_request(COUNTED_WITHIN, matching(hub, &group)).await?,
        };
        Ok(Self {
            exclude,
            estimated,
            ..Self::group(&group)
        })
    }
}

/// Counts the contacts of a dynamic group, in steps between which others read; what takes too
/// long is counted as far as it came.
async fn matching(hub: &Hub, group: &Group) -> Result<i64, StoreError> {
    let (mut counted, mut above) = (0, i64::MIN);
    loop {
        let of = group.clone();
        let step = move |tx: &mut Tx<'_>| contacts::count_among(tx, &of, above, COUNTED_STEP);
        match hub.store.of(group.project_id).read(step).await {
            Ok(step) => {
                counted += step.count;
                match step.up_to {
                    Some(up_to) => above = up_to,
                    None => break,
                }
            }
            Err(StoreError::TooSlow) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(i64::try_from(counted).unwrap_or(i64::MAX))
}

impl NewBroadcast {
    /// Stores the broadcast and tells of it; its messages are made from now on.
    pub fn store(&self, work: &mut UnitOfWork<'_, '_>) -> Result<Broadcast, StoreError> {
        let recipients = &self.recipients;
        let now = work.now.unix;
        let reached = if recipients.all_made {
            recipients.estimated
        } else {
            0
        };
        let broadcast = Broadcast {
            id: work.id(),
            project_id: work.project.id,
            title: self
                .title
                .clone()
                .unwrap_or_else(|| recipients.text.clone()),
            message_type: self.message_type,
            source: self.source,
            scheduled_id: self.scheduled_id,
            message: self.message.to_text(),
            to: recipients.to.clone(),
            exclude_contact_id: recipients.exclude,
            exclude_group_id: recipients.exclude_group,
            campaign_id: self.campaign_id,
            stage: if recipients.all_made {
                BroadcastStage::Queued
            } else {
                BroadcastStage::Queuing
            },
            done_up_to: 0,
            reached,
            estimated_count: recipients.estimated,
            problem: None,
            counts: BroadcastCounts::default(),
            num_parts: 0,
            price: None,
            reply_count: 0,
            clicked_count: 0,
            last_reply_time: None,
            last_message_time: now,
            last_send_time: None,
            time_created: now,
        };
        broadcasts::insert(work.tx, &broadcast, &recipients.numbers)?;
        let by = (FileHolder::Broadcast, broadcast.id.get());
        // A file that went a moment ago is missed where the messages are made.
        files::name(work.tx, broadcast.project_id, by, &self.message.files())?;
        enqueue::send_broadcast(work, &broadcast)?;
        work.effects.broadcasts();
        Ok(broadcast)
    }
}
