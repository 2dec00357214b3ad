//! What a request says of a campaign.

use crate::members::TIMEZONE_ID;
use crate::messages::{links, patch};
use crate::parse;
use crate::relative_scheduled::read::{
    self as relative, OFFSET_COUNT, OFFSET_SCALE, SCALES, TIME_OF_DAY,
};
use crate::scheduled::timing::{whole, zone};
use hub_app::campaigns::{CampaignItem, CampaignPatch};
use hub_app::commands::stored_message::MessagePatch;
use hub_domain::{CAMPAIGN_ITEMS_MAX, OffsetScale};
use hub_web::{ApiError, Field, Kind, Member, Params};
use postrider_model::{GroupId, kind};

pub(super) const NAME: Member =
    crate::members::name("What people call the campaign, unique in its project.");
pub(super) const GROUP_ID: Member = Member::id::<kind::Group>("group_id", "Whom it is for.");
pub(super) const EXCLUDE_GROUP_ID: Member =
    Member::id::<kind::Group>("exclude_group_id", "Who of them gets nothing.");
pub(super) const RESPONDENT_GROUP_ID: Member = Member::id::<kind::Group>(
    "respondent_group_id",
    "Where those go who answer within 30 days, as long as the project keeps what they were sent.",
);
pub(super) const CLICKED_GROUP_ID: Member =
    Member::id::<kind::Group>("clicked_group_id", "Where those go who click a link.");
const MODES: [(&str, bool); 2] = [("immediate", false), ("at_time", true)];
pub(super) const SCHEDULE_MODE: Member = Member::new(
    "schedule_mode",
    Kind::Word(&crate::members::words(&MODES)),
    "Whether it is sent at once or at schedule_time.",
);
pub(super) const DATE_VARIABLE: Member = relative::DATE_VARIABLE;

/// What only campaigns have.
pub(super) const TAKES: &[Member] = &[
    GROUP_ID,
    EXCLUDE_GROUP_ID,
    RESPONDENT_GROUP_ID,
    CLICKED_GROUP_ID,
    SCHEDULE_MODE,
    Member::new(
        "schedule_time",
        Kind::Time,
        "When it is sent; says that it is sent at a time.",
    ),
    TIMEZONE_ID,
    DATE_VARIABLE,
    Member::new(
        "items",
        Kind::Array(&Kind::Object(ITEM), CAMPAIGN_ITEMS_MAX),
        "What it sends by that date.",
    ),
    patch::REPLACE_VARIABLES.or("true"),
];

const ITEM: &[Member] = &[
    OFFSET_SCALE.or("\"D\""),
    OFFSET_COUNT.or("0"),
    TIME_OF_DAY.required(),
    patch::CONTENT[0],
    links::MEDIA,
    links::MEDIA_URLS,
];

pub(super) fn campaign(params: &Params) -> Result<CampaignPatch, ApiError> {
    let (mode, time) = (params.get("schedule_mode"), params.get("schedule_time"));
    let is_at_time = mode.one_of(&MODES)?.unwrap_or(false);
    let schedule_time = time.timestamp()?.map(whole);
    Ok(CampaignPatch {
        name: parse::name(&params.get("name"))?,
        message: MessagePatch {
            content: patch::given(params, "content", patch::content)?,
            ..patch::untyped(params)?
        },
        group_id: group(&params.get("group_id"))?,
        exclude_group_id: group(&params.get("exclude_group_id"))?,
        respondent_group_id: group(&params.get("respondent_group_id"))?,
        clicked_group_id: group(&params.get("clicked_group_id"))?,
        timezone_id: zone(&params.get("timezone_id"))?,
        at_time: mode.is_present().then_some(is_at_time),
        schedule_time: time.is_present().then_some(schedule_time),
        date_variable: patch::given(params, "date_variable", relative::date_variable)?,
        items: patch::given(params, "items", items)?,
    })
}

fn group(field: &Field<'_>) -> Result<Option<Option<GroupId>>, ApiError> {
    let id = parse::id(field, "group")?;
    Ok(field.is_present().then_some(id))
}

fn items(field: &Field<'_>) -> Result<Vec<CampaignItem>, ApiError> {
    let items = field.array()?.unwrap_or_default();
    items.iter().map(item).collect()
}

fn item(field: &Field<'_>) -> Result<CampaignItem, ApiError> {
    let object = field.object()?;
    let object = object.ok_or_else(|| field.refuse("must be an object"))?;
    object.check()?;
    let time = object.get("time_of_day");
    let required = || time.refuse("is required");
    Ok(CampaignItem {
        offset_scale: object
            .get("offset_scale")
            .one_of(&SCALES)?
            .unwrap_or(OffsetScale::Days),
        offset_count: object.get("offset_count").integer()?.unwrap_or(0),
        time_of_day: relative::time_of_day(&time)?.ok_or_else(required)?,
        content: patch::content(&object.get("content"))?,
        media: links::named(&object.get("media_urls"), &object.get("media"))?,
    })
}
