//! Making, changing and removing campaigns.

use crate::actor::Actor;
use crate::campaigns::existing::shown;
use crate::campaigns::patch::CampaignPatch;
use crate::campaigns::{PERMISSION, check, found, series};
use crate::commands::campaign_items;
use crate::commands::stored_message::StoredMessage;
use crate::failure::Failure;
use crate::files;
use crate::holds::Holds;
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use crate::views::campaign::CampaignView;
use hub_domain::{Campaign, CampaignStatus, CampaignType, FileHolder};
use hub_store::campaigns;
use hub_view::Refusal;
use postrider_model::{CampaignId, Id, Key};

/// How often a change is tried again that another one came before.
const TRIES: usize = 100;

/// Makes a campaign, as a draft.
pub async fn create(
    actor: &Actor,
    campaign_type: CampaignType,
    mut patch: CampaignPatch,
) -> Result<CampaignView, Failure> {
    actor.require(PERMISSION)?;
    patch.check(actor).await?;
    patch.keep_files(actor).await?;
    let mut campaign = draft(actor, campaign_type);
    patch.apply(&actor.project, &mut campaign, sees(actor))?;
    run(actor, move |work| {
        check::named_groups(work, &patch, campaign_type.is_broadcast())?;
        let mut campaign = Campaign {
            id: work.id(),
            ..campaign.clone()
        };
        if campaign.name.is_empty() {
            campaign.name = campaign.id.to_string();
        }
        refuse_taken_name(work, &campaign)?;
        campaigns::insert(work.tx, &campaign)?;
        stored(work, campaign)
    })
    .await
}

fn draft(actor: &Actor, campaign_type: CampaignType) -> Campaign {
    let (project, now) = (&actor.project, actor.now.unix);
    let message = StoredMessage {
        maker_sees: Some(sees(actor)),
        ..StoredMessage::default()
    };
    Campaign {
        // The job that stores it makes its id.
        id: Id::new(Key::default()),
        project_id: project.id,
        campaign_type,
        name: String::new(),
        status: CampaignStatus::Draft,
        message: message.to_text(),
        group_id: None,
        exclude_group_id: None,
        respondent_group_id: None,
        timezone_id: project.timezone_id.clone(),
        at_time: false,
        schedule_time: None,
        date_variable: None,
        items: campaign_items::to_text(&[]),
        broadcast_id: None,
        message_count: 0,
        problem: None,
        revision: 0,
        time_created: now,
        time_updated: now,
    }
}

fn sees(actor: &Actor) -> bool {
    actor.sight().sees_contacts()
}

/// Changes a campaign. What was sent stays as it is.
pub async fn update(
    actor: &Actor,
    id: CampaignId,
    mut patch: CampaignPatch,
) -> Result<CampaignView, Failure> {
    actor.require(PERMISSION)?;
    patch.check(actor).await?;
    patch.keep_files(actor).await?;
    for _ in 0..TRIES {
        if let Some(view) = attempt(actor, id, &patch).await? {
            return Ok(view);
        }
    }
    Err(Refusal::unavailable("the campaign changes all the time").into())
}

/// Changes it as it was read; returns nothing when it has been sent or changed since.
async fn attempt(
    actor: &Actor,
    id: CampaignId,
    patch: &CampaignPatch,
) -> Result<Option<CampaignView>, Failure> {
    let of = actor.project.id;
    let store = actor.hub.store.of(of);
    let before = store.read(move |tx| campaigns::get(tx, of, id)).await?;
    let before = found(before)?;
    let mut campaign = before.clone();
    patch.apply(&actor.project, &mut campaign, sees(actor))?;
    if campaign != before {
        may_change(actor, &campaign).await?;
        campaign.time_updated = actor.now.unix;
    }
    let patch = patch.clone();
    run(actor, move |work| {
        check::named_groups(work, &patch, campaign.campaign_type.is_broadcast())?;
        refuse_taken_name(work, &campaign)?;
        if campaign.status == CampaignStatus::Scheduled {
            check::group(work.tx, &campaign)?;
        }
        if !campaigns::update(work.tx, &campaign)? {
            found(campaigns::get(work.tx, of, id)?)?;
            return Ok(None);
        }
        stored(work, campaign.clone()).map(Some)
    })
    .await
}

/// Refuses a change of what was sent or runs; what waits for its time has to be able to go out still.
async fn may_change(actor: &Actor, campaign: &Campaign) -> Result<(), Failure> {
    let refused = |param, rule| Err(Refusal::invalid_param(param, rule).into());
    match campaign.status {
        CampaignStatus::Draft => Ok(()),
        CampaignStatus::Scheduled if !campaign.campaign_type.is_broadcast() => refused(
            "status",
            "is scheduled: unschedule the campaign to change it",
        ),
        CampaignStatus::Scheduled if campaign.schedule_time.is_none() => refused(
            "schedule_time",
            "is required while the campaign is scheduled: unschedule it first",
        ),
        CampaignStatus::Scheduled => check::parts(actor, campaign).await.map(drop),
        CampaignStatus::Sent | CampaignStatus::PendingReview => {
            refused("status", "is sent: the campaign cannot be changed any more")
        }
    }
}

fn refuse_taken_name(work: &mut UnitOfWork<'_, '_>, campaign: &Campaign) -> Result<(), Failure> {
    let named = campaigns::by_name(work.tx, campaign.project_id, &campaign.name)?;
    if named.is_some_and(|other| other.id != campaign.id) {
        let rule = "is already used by another campaign";
        Err(Refusal::invalid_param("name", rule).into())
    } else {
        Ok(())
    }
}

/// Notes which labels and files a stored campaign names, and shows it.
fn stored(work: &mut UnitOfWork<'_, '_>, campaign: Campaign) -> Result<CampaignView, Failure> {
    let message = StoredMessage::read(&campaign.message)
        .map_err(|unreadable| unreadable.in_column(campaigns::MESSAGE))?;
    let items = campaign_items::read(&campaign.items)
        .map_err(|unreadable| unreadable.in_column(campaigns::ITEMS))?;
    campaigns::label(work.tx, campaign.id, &message.options.labels)?;
    let mut carried = message.files();
    carried.extend(campaign_items::files(&items));
    files::name_by(work, (FileHolder::Campaign, campaign.id.get()), &carried)?;
    let (addresses, mut holds) = (work.addresses(), Holds::within(work));
    Ok(shown(work.tx, campaign, &addresses, &mut holds)?)
}

/// Removes a campaign. What it scheduled is not sent any more; the broadcast that it became goes on.
pub async fn delete(actor: &Actor, id: CampaignId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    let deleting = run(actor, move |work| {
        let project = work.project.id;
        let campaign = found(campaigns::get(work.tx, project, id)?)?;
        series::end(work, &campaign)?;
        campaigns::delete(work.tx, project, id)?;
        hub_store::files::let_go(work.tx, FileHolder::Campaign, id.get(), work.now.unix)?;
        Ok::<_, Failure>(())
    });
    deleting.await?;
    actor.hub.bus.wake_followers();
    Ok(())
}
