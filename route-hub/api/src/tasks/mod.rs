//! Tasks: one operation on many things.

pub(crate) mod create;
mod existing;

pub use create::CREATE;
pub use existing::{CANCEL, GET, LIST};

use crate::members::{PROJECT_ID, TIME_CREATED, VARS, own_id};
use crate::messages::COUNT;
use crate::messages::patch::ROUTE;
use hub_domain::{ConversationStatus, FilterType, TaskStatus, TaskType};
use hub_web::{Kind, Later, Member, Shape};
use postrider_model::kind;

const TASK_TYPE: Member = Member::new(
    "task_type",
    Kind::Word(TaskType::NAMES),
    "What it does with each row.",
);
const TASK_PARAMS: Member = Member::new(
    "task_params",
    Kind::Object(&[
        Member::new(
            "variable",
            Kind::Text(32),
            "The custom variable to set (update_contact_var, update_row_var, update_message_var).",
        ),
        Member::new("value", Kind::Any, "Its value; null takes it away."),
        Member::id::<kind::Group>(
            "group_id",
            "The group (add_group_members, remove_group_members).",
        ),
        Member::id::<kind::Label>("label_id", "The label (add_label, remove_label)."),
        Member::new(
            "send_blocked",
            Kind::Boolean,
            "Whether nothing is to be sent (set_send_blocked).",
        ),
        Member::new(
            "conversation_status",
            Kind::Word(ConversationStatus::NAMES),
            "How far a person is (set_conversation_status).",
        ),
        Member::new(
            "route_id",
            ROUTE,
            "What sends (resend_messages); without it what sent before.",
        ),
        Member::later("storage_id", Later::Empty),
        Member::later("filename", Later::Empty),
        Member::later("column_ids", Later::Empty),
        Member::later("service_id", Later::Empty),
        Member::later("variables", Later::Empty),
    ]),
    "What it does that with: what its type takes, and nothing else.",
);
const FILTER_TYPE: Member = Member::new(
    "filter_type",
    Kind::Word(FilterType::NAMES),
    "How its rows are found; contacts also by their messages or rows.",
);

const TABLE_ID: Member = Member::id::<kind::DataTable>(
    "table_id",
    "The table whose rows it goes through (query_rows, row_ids).",
);

const TASK: Shape = Shape {
    name: "Task",
    about: "One operation on many things, done row by row.",
    members: &[
        own_id::<kind::Task>(),
        TASK_TYPE,
        Member::new(
            "task_params",
            Kind::Map(&Kind::Any),
            "What it does that with.",
        ),
        FILTER_TYPE,
        Member::new(
            "filter_params",
            Kind::Map(&Kind::Any),
            "The filter, as it was given.",
        ),
        TIME_CREATED,
        Member::new("time_active", Kind::Time, "When it began.").nullable(),
        Member::new("time_complete", Kind::Time, "When it ended.").nullable(),
        Member::new(
            "total_rows",
            COUNT,
            "How many rows there were when it began; null before, and where counting takes too long.",
        )
        .nullable(),
        Member::new("current_row", COUNT, "How many rows it has dealt with."),
        Member::new(
            "status",
            Kind::Word(TaskStatus::NAMES),
            "How far it has come.",
        ),
        Member::new(
            "error_message",
            Kind::Text(usize::MAX),
            "Why it could not go on, or how many rows failed, and why the first of them.",
        )
        .nullable(),
        VARS,
        TABLE_ID.nullable(),
        Member::new("user_id", Kind::Null, "Nobody: there are no people yet.").nullable(),
        PROJECT_ID,
    ],
};
