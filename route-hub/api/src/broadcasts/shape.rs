//! What a broadcast looks like.

use crate::members::{
    NEXT_TRY_TIME, PROJECT_ID, SOURCE, TIME_CREATED, URL, WAITING_FOR, joined, own_id,
};
use crate::messages::{COUNT, ERROR_MESSAGE, TEXT};
use crate::scheduled::planned::{self, RECIPIENTS};
use hub_web::{Kind, Member, Shape};
use postrider_model::kind;

/// A broadcast.
pub(crate) const BROADCAST: Shape = Shape {
    name: "Broadcast",
    about: "The same message to many.",
    members: &joined::<45>(&[
        &[
            own_id::<kind::Broadcast>(),
            RECIPIENTS,
            planned::RECIPIENTS_STR,
            Member::id::<kind::Contact>("exclude_contact_id", "Whom it leaves out.").nullable(),
            Member::id::<kind::Group>("exclude_group_id", "The group that it leaves out.")
                .nullable(),
            Member::new("title", TEXT, "Its title, for people."),
            TIME_CREATED,
            Member::new(
                "last_message_time",
                Kind::Time,
                "When its last message was made.",
            ),
            Member::new(
                "last_send_time",
                Kind::Time,
                "When its last message was sent.",
            )
            .nullable(),
            Member::new(
                "status_counts",
                Kind::Object(COUNTS),
                "Its messages by status.",
            ),
            Member::new("message_count", COUNT, "How many messages it has."),
            Member::new("estimated_count", COUNT, "How many it is to have."),
            Member::new("num_parts", COUNT, "How many SMS its messages take."),
        ],
        planned::MESSAGE,
        &[
            planned::MEDIA.optional(),
            Member::new("status", Kind::Word(STATUSES), "How far it is."),
            WAITING_FOR,
            NEXT_TRY_TIME,
            ERROR_MESSAGE.optional(),
            SOURCE,
            Member::new("simulated", Kind::Boolean, "Whether it is only a test."),
            Member::new("clicked_count", COUNT, "How many messages were clicked.").nullable(),
            Member::new("price", Kind::Number, "What its messages cost.").nullable(),
            Member::new("price_currency", TEXT, "The currency of its price.").nullable(),
            URL,
            Member::new("user_id", Kind::Id("UR"), "Who sent it.").nullable(),
            Member::new("reply_count", COUNT, "How many answers came."),
            Member::new("last_reply_time", Kind::Time, "When the last answer came.").nullable(),
            Member::id::<kind::Scheduled>("scheduled_id", "The schedule that made it.").nullable(),
            Member::id::<kind::Campaign>("campaign_id", "The campaign that became it.").nullable(),
            PROJECT_ID,
        ],
    ]),
};

const STATUSES: &[&str] = &["queuing", "sending", "complete", "cancelled"];

const COUNTS: &[Member] = &[
    Member::new("queued", COUNT, "Waiting."),
    Member::new("sent", COUNT, "Sent."),
    Member::new("failed", COUNT, "Failed."),
    Member::new(
        "failed_queued",
        COUNT,
        "Failed and waiting for another try.",
    ),
    Member::new("delivered", COUNT, "Delivered."),
    Member::new("not_delivered", COUNT, "Sent and not delivered."),
    Member::new("cancelled", COUNT, "Cancelled."),
];
