//! `POST /projects/{project_id}/campaigns`, and `POST` and `DELETE` of one campaign.

use crate::campaigns::{CAMPAIGN, CAMPAIGN_TYPE, read};
use crate::members::read_only;
use crate::messages::patch;
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::campaigns::{self, PERMISSION};
use hub_domain::CampaignType;
use hub_web::{Answer, Field, Fields, Kind, Member};

/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only([
    "id",
    "campaign_type",
    "status",
    "waiting_for",
    "next_try_time",
    "error_message",
    "broadcast_id",
    "estimated_count",
    "message_count",
    "message_type",
    "time_created",
    "time_updated",
    "url",
    "url_edit",
    "url_send",
    "user_id",
    "project_id",
]);

/// A type that comes with services.
const SERVICE: &str = "broadcast_svc";
const WORDS: [&str; 5] = [
    "broadcast_text",
    "broadcast_call",
    SERVICE,
    "relative",
    "anniversary",
];

operation! {
    /// Makes a campaign, as a draft: nothing is sent before somebody sends it.
    CREATE = "createCampaign": Project(PERMISSION), create -> Object(&CAMPAIGN);
    .takes(&[
        &[Member { kind: Kind::Word(&WORDS), ..CAMPAIGN_TYPE }.required(), read::NAME],
        read::TAKES,
        patch::CONTENT,
        patch::UNTYPED,
    ])
    .with_media()
    .example(r#"{"campaign_type":"broadcast_text","content":"We open at nine."}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let campaign_type = campaign_type(&call.params.get("campaign_type"))?;
    let patch = read::campaign(&call.params)?;
    let campaign = campaigns::create(&actor, campaign_type, patch).await?;
    Ok(Answer::object(&campaign, &fields))
}

fn campaign_type(field: &Field<'_>) -> Result<CampaignType, hub_web::ApiError> {
    let word = field.required_string()?;
    if word == SERVICE {
        return Err(field.refuse("is not offered by this hub yet: it comes with services"));
    }
    let names = || CampaignType::NAMES.join(", ");
    let unknown = |_| field.refuse(format_args!("must be one of: {}", names()));
    word.parse().map_err(unknown)
}

operation! {
    /// Changes what is given of a campaign that was not sent; what waits for its time is checked again.
    UPDATE = "updateCampaign": Project(PERMISSION), update -> Object(&CAMPAIGN);
    .takes(&[&[read::NAME], read::TAKES, patch::CONTENT, patch::UNTYPED, READ_ONLY])
    .with_media()
    .example(r#"{"name":"Opening hours","schedule_mode":"immediate"}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("campaign_id", "campaign")?;
    let fields = Fields::read(&call.params)?;
    let campaign = campaigns::update(&actor, id, read::campaign(&call.params)?).await?;
    Ok(Answer::object(&campaign, &fields))
}

operation! {
    /// Removes a campaign. What it scheduled is not sent; a broadcast that it became goes on.
    DELETE = "deleteCampaign": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("campaign_id", "campaign")?;
    campaigns::delete(&actor, id).await?;
    Ok(Answer::void())
}
