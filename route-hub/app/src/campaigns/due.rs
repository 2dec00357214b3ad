//! Campaigns whose time has come.

use crate::actor::Actor;
use crate::campaigns::check::Part;
use crate::campaigns::going_out::go_out;
use crate::commands::stored_message::StoredMessage;
use crate::damage::{self, Resting};
use crate::failure::Failure;
use crate::hub::Hub;
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Campaign, MessageSource};
use hub_store::{StoreError, campaigns};
use postrider_model::{CampaignId, Id, Key, Now, ProjectId, UnixMs};

/// Most campaigns that are looked for at once.
const PAGE: u32 = 256;
/// Why one became a draft that cannot be read.
const UNREADABLE: &str = "its message cannot be read";

/// Sends every campaign whose time has come, and returns how many were dealt with.
///
/// Those of a stopped project wait until that is over.
pub async fn all_due(hub: &Hub, now: Now) -> Result<usize, StoreError> {
    all_due_but(hub, &mut Resting::default(), now).await
}

/// As [`all_due`], but for what failed lately.
pub(super) async fn all_due_but(
    hub: &Hub,
    resting: &mut Resting,
    now: Now,
) -> Result<usize, StoreError> {
    let (mut after, mut sent) = ((UnixMs(i64::MIN), 0), 0);
    loop {
        let due = hub
            .store
            .read(move |tx| campaigns::due(tx, now.unix, after, PAGE));
        let due = due.await?;
        let Some(last) = due.last() else {
            return Ok(sent);
        };
        after = (last.at, last.id);
        for place in due {
            let project = place.project_id.filter(|id| hub.works_for(*id));
            let (Some(project), Some(key)) = (project, Key::new(place.id)) else {
                continue;
            };
            if resting.has(place.id, now.unix) {
                continue;
            }
            match one(hub, project, Id::new(key), now).await {
                Ok(is_sent) => sent += usize::from(is_sent),
                // Another process changed something meanwhile: it is due still.
                Err(StoreError::Stale) => {}
                Err(error) => {
                    hub_store::failed!(
                        error,
                        error,
                        campaign = place.id,
                        "a campaign could not be sent"
                    );
                    damage::tell(hub, project, &error, now).await;
                    resting.add(place.id, now.unix);
                }
            }
        }
    }
}

/// Sends one campaign, or makes it a draft that says why it could not be; says whether it was dealt with.
async fn one(hub: &Hub, project: ProjectId, id: CampaignId, now: Now) -> Result<bool, StoreError> {
    let basis = hub.store.basis();
    let project = hub.cache.project(&hub.store, project).await?;
    let Some(project) = project.filter(|project| !project.stopped) else {
        return Ok(false);
    };
    let of = project.id;
    let share = hub.store.of(of);
    let Some(campaign) = share.read(move |tx| campaigns::get(tx, of, id)).await? else {
        return Ok(false);
    };
    let part = match StoredMessage::read(&campaign.message) {
        Err(_) => Err(UNREADABLE.to_owned()),
        Ok(mut message) => match message.ready(hub, &project, now).await {
            None => return Ok(false),
            Some(planned) => planned.map(|planned| Part {
                message_type: planned.message_type(),
                message,
                item: None,
            }),
        },
    };
    let actor = Actor::system(hub, &project, basis, now);
    run(&actor, move |work| step(work, &campaign, &part)).await
}

fn step(
    work: &mut UnitOfWork<'_, '_>,
    campaign: &Campaign,
    part: &Result<Part, String>,
) -> Result<bool, StoreError> {
    if !work.tx.may_expose() {
        return Err(StoreError::Busy);
    }
    let stored = campaigns::get(work.tx, campaign.project_id, campaign.id)?;
    if stored.as_ref() != Some(campaign) {
        return Ok(false);
    }
    let mut campaign = campaign.clone();
    let gone_out = match part {
        Ok(part) => go_out(work, &mut campaign, part, MessageSource::Scheduled),
        Err(problem) => {
            campaign.to_draft(Some(problem.clone()));
            Ok(())
        }
    };
    match gone_out {
        Ok(()) => {}
        Err(Failure::Refused(refusal)) => campaign.to_draft(Some(refusal.message().to_owned())),
        Err(Failure::Store(error)) => return Err(error),
    }
    campaign.time_updated = work.now.unix;
    campaigns::update(work.tx, &campaign)
}
