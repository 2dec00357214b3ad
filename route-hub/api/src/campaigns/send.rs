//! `POST /projects/{project_id}/campaigns/{campaign_id}/send`, and `unschedule`.

use crate::campaigns::CAMPAIGN;
use crate::{ApiResult, Call, idempotency, operation};
use hub_app::actor::Actor;
use hub_app::campaigns::{self, PERMISSION};
use hub_app::views::campaign::CampaignView;
use hub_web::{Answer, Fields};

operation! {
    /// Sends a campaign: at once, at its time, or from now on by the dates of contacts.
    SEND = "sendCampaign": Project(PERMISSION), send -> Object(&CAMPAIGN);
    .repeatable()
}

async fn send(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("campaign_id", "campaign")?;
    let fields = Fields::read(&call.params)?;
    let repeat = idempotency::read(&call, &format!("send_campaign {id}"))?;
    let show = move |view: CampaignView| Answer::object(&view, &fields);
    let text = idempotency::text(show.clone());
    let done = campaigns::send(&actor, id, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}

operation! {
    /// Takes back that a campaign is scheduled: it is a draft again.
    UNSCHEDULE = "unscheduleCampaign": Project(PERMISSION), unschedule -> Object(&CAMPAIGN);
}

async fn unschedule(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("campaign_id", "campaign")?;
    let fields = Fields::read(&call.params)?;
    let campaign = campaigns::unschedule(&actor, id).await?;
    Ok(Answer::object(&campaign, &fields))
}
