//! Sending a campaign, now or at its time, and taking that back.

use crate::actor::Actor;
use crate::campaigns::check::Part;
use crate::campaigns::existing::shown;
use crate::campaigns::going_out::go_out;
use crate::campaigns::{PERMISSION, check, found, series};
use crate::failure::Failure;
use crate::holds::Holds;
use crate::transaction::{Once, Repeat, run, run_once};
use crate::unit_of_work::UnitOfWork;
use crate::views::campaign::CampaignView;
use hub_domain::{Campaign, CampaignStatus, MessageSource};
use hub_store::{StoreError, campaigns};
use hub_view::Refusal;
use postrider_model::CampaignId;

/// A campaign as it was read, and whether its messages can be sent.
struct Prepared {
    revision: i64,
    parts: Result<Vec<Part>, Refusal>,
}

/// Sends a campaign: at once, at its time, or from now on by the dates of contacts.
pub async fn send(
    actor: &Actor,
    id: CampaignId,
    repeat: Option<Repeat>,
    show: impl Fn(CampaignView) -> String + Send + 'static,
) -> Result<Once<CampaignView>, Failure> {
    actor.require(PERMISSION)?;
    let prepared = prepare(actor, id).await?;
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut campaign = found(campaigns::get(work.tx, work.project.id, id)?)?;
        if !matches!(
            campaign.status,
            CampaignStatus::Draft | CampaignStatus::Scheduled
        ) {
            let rule = "is sent: only a draft or a scheduled campaign can be sent";
            return Err(Refusal::invalid_param("status", rule).into());
        }
        if campaign.revision != prepared.revision {
            return Err(StoreError::Stale.into());
        }
        let parts = prepared.parts.as_ref().map_err(Clone::clone)?;
        campaign.time_updated = work.now.unix;
        begin(work, &mut campaign, parts)?;
        stored(work, campaign)
    };
    let sent = run_once(actor, repeat, decide, show).await?;
    actor.hub.bus.wake_followers();
    Ok(sent)
}

/// Checks a campaign before the job that sends it. What is refused is told there: a repeat is answered as it
/// was the first time.
async fn prepare(actor: &Actor, id: CampaignId) -> Result<Prepared, Failure> {
    let of = actor.project.id;
    let share = actor.hub.store.of(of);
    let campaign = share.read(move |tx| campaigns::get(tx, of, id)).await?;
    let campaign = found(campaign)?;
    let parts = match parts_with_room(actor, &campaign).await {
        Ok(parts) => Ok(parts),
        Err(Failure::Refused(refusal)) => Err(refusal),
        Err(failure) => return Err(failure),
    };
    Ok(Prepared {
        revision: campaign.revision,
        parts,
    })
}

/// Checks what a campaign sends, and one that goes out at once as a broadcast is: nothing of it would be sent while
/// the project is stopped, its plan suspended or its queue full.
async fn parts_with_room(actor: &Actor, campaign: &Campaign) -> Result<Vec<Part>, Failure> {
    let parts = check::parts(actor, campaign).await?;
    if campaign.campaign_type.is_broadcast() && campaign.is_due(actor.now.unix) {
        actor.make_room(0).await?;
    }
    Ok(parts)
}

fn begin(
    work: &mut UnitOfWork<'_, '_>,
    campaign: &mut Campaign,
    parts: &[Part],
) -> Result<(), Failure> {
    let runs = campaign.status == CampaignStatus::Scheduled;
    match parts.first() {
        Some(part) if campaign.campaign_type.is_broadcast() => {
            if campaign.is_due(work.now.unix) {
                return go_out(work, campaign, part, MessageSource::Api);
            }
            if campaign.schedule_time.is_none() {
                let rule = "is required where schedule_mode is at_time";
                return Err(Refusal::invalid_param("schedule_time", rule).into());
            }
            check::group(work.tx, campaign)?;
        }
        _ if !runs => series::begin(work, campaign, parts)?,
        _ => {
            check::group(work.tx, campaign)?;
        }
    }
    campaign.schedule();
    Ok(())
}

/// Takes back that a campaign is sent: it is a draft again.
pub async fn unschedule(actor: &Actor, id: CampaignId) -> Result<CampaignView, Failure> {
    actor.require(PERMISSION)?;
    let unscheduling = run(actor, move |work| {
        let mut campaign = found(campaigns::get(work.tx, work.project.id, id)?)?;
        match campaign.status {
            CampaignStatus::Scheduled | CampaignStatus::PendingReview => {}
            CampaignStatus::Draft | CampaignStatus::Sent => {
                let rule = "is not scheduled: only a scheduled campaign can be unscheduled";
                return Err(Failure::from(Refusal::invalid_param("status", rule)));
            }
        }
        series::end(work, &campaign)?;
        campaign.to_draft(None);
        campaign.time_updated = work.now.unix;
        stored(work, campaign)
    });
    let view = unscheduling.await?;
    actor.hub.bus.wake_followers();
    Ok(view)
}

fn stored(work: &mut UnitOfWork<'_, '_>, mut campaign: Campaign) -> Result<CampaignView, Failure> {
    if !campaigns::update(work.tx, &campaign)? {
        return Err(StoreError::Stale.into());
    }
    campaign.revision += 1;
    let (addresses, mut holds) = (work.addresses(), Holds::within(work));
    Ok(shown(work.tx, campaign, &addresses, &mut holds)?)
}
