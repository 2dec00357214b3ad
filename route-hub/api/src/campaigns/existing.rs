//! `GET /projects/{project_id}/campaigns`, and of one campaign.

use crate::campaigns::CAMPAIGN;
use crate::lists::{DEFAULT, EQUAL, Entry, List, MIN_MAX, TEXT, code};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::campaigns::{self, VIEW};
use hub_domain::{CampaignStatus, CampaignType};
use hub_store::campaigns::by;
use hub_store::list::Sort;
use hub_web::{Answer, Fields};
use postrider_model::kind;

const CAMPAIGNS: List = List {
    filters: &[
        Entry::text("name", by::NAME, TEXT),
        Entry::one_of("status", CampaignStatus::NAMES, by::STATUS, |value| {
            code(value, |name| {
                name.parse::<CampaignStatus>()
                    .ok()
                    .map(CampaignStatus::code)
            })
        }),
        Entry::one_of(
            "campaign_type",
            CampaignType::NAMES,
            by::CAMPAIGN_TYPE,
            |value| {
                code(value, |name| {
                    name.parse::<CampaignType>().ok().map(CampaignType::code)
                })
            },
        ),
        Entry::id::<kind::Group>("group_id", by::GROUP_ID, EQUAL),
        Entry::within::<kind::Label>("label_id", by::LABEL),
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
        Entry::time("schedule_time", by::SCHEDULE_TIME, MIN_MAX),
    ],
    sorts: &[
        DEFAULT,
        ("name", Sort::by(by::NAME)),
        ("schedule_time", Sort::by(by::SCHEDULE_TIME)),
    ],
};

operation! {
    /// Lists the campaigns of a project.
    LIST = "listCampaigns": Project(VIEW), list -> List(&CAMPAIGNS, &CAMPAIGN);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = campaigns::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one campaign.
    GET = "getCampaign": Project(VIEW), get -> Object(&CAMPAIGN);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("campaign_id", "campaign")?;
    let fields = Fields::read(&call.params)?;
    let campaign = campaigns::get(&actor, id).await?;
    Ok(Answer::object(&campaign, &fields))
}
