//! Message templates.

mod edit;
mod existing;

pub use edit::{CREATE, DELETE, UPDATE};
pub use existing::{GET, LIST};

use crate::members::{PROJECT_ID, TIME_CREATED, VARS, name, own_id};
use crate::messages::ROUTE_PARAMS_SHOWN;
use crate::messages::patch::SHORT_LINKS_SHOWN;
use crate::scheduled::planned::MEDIA;
use hub_web::{Kind, Member, Shape};
use postrider_model::kind;

/// Longest text, in characters.
const CONTENT_LENGTH_MAX: usize = 2_000;

const NAME: Member = name("What people call the template.");
const CONTENT: Member = Member::new(
    "content",
    Kind::Text(CONTENT_LENGTH_MAX),
    "Its text, which may have [[variables]].",
);
const TRACK_CLICKS: Member = Member::new(
    "track_clicks",
    Kind::Boolean,
    "Whether clicks on the links of its text are to count when it is sent.",
);

const TEMPLATE: Shape = Shape {
    name: "MessageTemplate",
    about: "A text that is kept to use again.",
    members: &[
        own_id::<kind::MessageTemplate>(),
        NAME,
        CONTENT,
        TRACK_CLICKS,
        Member::new("readonly", Kind::Boolean, "Whether it cannot be changed."),
        SHORT_LINKS_SHOWN,
        Member {
            name: "attachments",
            ..MEDIA
        },
        Member::new(
            "route_params",
            ROUTE_PARAMS_SHOWN,
            "What its route needs besides.",
        )
        .nullable(),
        TIME_CREATED,
        Member::new("time_updated", Kind::Time, "When it was changed last."),
        VARS,
        PROJECT_ID,
    ],
};
