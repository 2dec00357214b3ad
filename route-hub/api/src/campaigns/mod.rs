//! Campaigns: what is prepared for a group, and sent once or by a date of each contact.

mod edit;
mod existing;
mod read;
mod send;

pub use edit::{CREATE, DELETE, UPDATE};
pub use existing::{GET, LIST};
pub use send::{SEND, UNSCHEDULE};

use crate::members::{
    NEXT_TRY_TIME, PROJECT_ID, TIME_CREATED, TIMEZONE_ID, URL, WAITING_FOR, joined, own_id,
};
use crate::messages::patch::SHORT_LINKS_SHOWN;
use crate::messages::{COUNT, ERROR_MESSAGE, TEXT};
use crate::relative_scheduled::read::{OFFSET_COUNT, OFFSET_SCALE, TIME_OF_DAY};
use crate::scheduled::planned;
use hub_domain::{CAMPAIGN_ITEMS_MAX, CampaignStatus, CampaignType};
use hub_web::{Kind, Member, Shape};
use postrider_model::kind;

const CAMPAIGN_TYPE: Member = Member::new(
    "campaign_type",
    Kind::Word(CampaignType::NAMES),
    "A text or a call to all, or texts by a date of each contact, once or in each year.",
);

const CAMPAIGN: Shape = Shape {
    name: "Campaign",
    about: "What is prepared for a group, and sent once or by a date of each contact.",
    members: &joined::<{ planned::MESSAGE.len() + 28 }>(&[
        &[
            own_id::<kind::Campaign>(),
            CAMPAIGN_TYPE,
            read::NAME,
            Member::new(
                "status",
                Kind::Word(CampaignStatus::NAMES),
                "How far it has come.",
            ),
            WAITING_FOR,
            NEXT_TRY_TIME,
            ERROR_MESSAGE.optional(),
            read::GROUP_ID.nullable(),
            read::EXCLUDE_GROUP_ID.nullable(),
            read::RESPONDENT_GROUP_ID.nullable(),
            read::CLICKED_GROUP_ID.nullable(),
            read::SCHEDULE_MODE,
            Member::new("schedule_time", Kind::Time, "When it is sent.").nullable(),
            TIMEZONE_ID,
            read::DATE_VARIABLE.nullable(),
            Member::new(
                "items",
                Kind::Array(&Kind::Object(ITEM), CAMPAIGN_ITEMS_MAX),
                "What it sends by that date.",
            ),
        ],
        planned::MESSAGE,
        &[
            planned::MEDIA,
            SHORT_LINKS_SHOWN,
            Member::id::<kind::Broadcast>("broadcast_id", "What it became.").nullable(),
            Member::new(
                "estimated_count",
                COUNT,
                "How many contacts it is for; null where that is not known.",
            )
            .nullable(),
            Member::new("message_count", COUNT, "How many messages were made."),
            TIME_CREATED,
            Member::new("time_updated", Kind::Time, "When it was changed last."),
            URL,
            Member {
                name: "url_edit",
                ..URL
            },
            Member {
                name: "url_send",
                ..URL
            },
            Member::new("user_id", Kind::Null, "Nobody: there are no people yet."),
            PROJECT_ID,
        ],
    ]),
};

const ITEM: &[Member] = &[
    OFFSET_SCALE,
    OFFSET_COUNT,
    TIME_OF_DAY,
    Member::new("content", TEXT, "Its text.").nullable(),
    planned::MEDIA,
];
