//! Tasks: one operation on many things.

pub(crate) mod create;
mod existing;

pub use create::CREATE;
pub use existing::{CANCEL, GET, LIST};

use crate::members::{NEXT_TRY_TIME, PROJECT_ID, TIME_CREATED, VARS, WAITING_FOR, ids, own_id};
use crate::messages::patch::ROUTE;
use crate::messages::{COUNT, TEXT};
use hub_app::tasks::COLUMNS_MAX;
use hub_domain::{ConversationStatus, FILENAME_LENGTH_MAX, FilterType, TaskStatus, TaskType};
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
        Member::new(
            "filename",
            Kind::Text(FILENAME_LENGTH_MAX),
            "What an export is called; it ends with .csv, .json or .jsonl, which says how it is written.",
        ),
        Member::new(
            "column_ids",
            Kind::Array(&Kind::Text(COLUMN_LENGTH_MAX), COLUMNS_MAX),
            "The columns of an export: names of fields, or vars.NAME; without it all, in the order of the fields.",
        ),
        Member::elsewhere(
            "storage_id",
            "cannot be given: an export is a file of this hub, which the task names by file_id",
        ),
        Member::id::<kind::File>(
            "file_id",
            "The file to import: one that was given with the content type text/csv.",
        ),
        Member::new(
            "columns",
            Kind::Map(&Kind::Either(&[
                Kind::Text(COLUMN_NAME_LENGTH_MAX),
                Kind::Integer(1, PLACE_MAX),
            ])),
            "By field (phone_number, vars.NAME) the column of the file that is read into it: its name, or its \
             place from 1; without it, columns that are called as a field.",
        ),
        Member::new(
            "has_header",
            Kind::Boolean,
            "Whether the first line of the file has the names of its columns.",
        )
        .or("true"),
        Member::new(
            "lookup_key",
            Kind::Text(64),
            "What finds what is there: for contacts phone_number (the default), id, vars.NAME or none; for rows \
             none (the default), id, contact_id or vars.NAME.",
        ),
        ids::<kind::Group>(
            "add_group_ids",
            GROUPS_MAX,
            "Groups that the contacts of a file join.",
        ),
        ids::<kind::Group>(
            "remove_group_ids",
            GROUPS_MAX,
            "Groups that the contacts of a file leave.",
        ),
        Member::new(
            "dry_run",
            Kind::Boolean,
            "Whether nothing is written: preview says what an import would do.",
        ),
        Member::later("service_id", Later::Empty),
        Member::later("variables", Later::Empty),
    ]),
    "What it does that with: what its type takes, and nothing else.",
);
const FILTER_TYPE: Member = Member::new(
    "filter_type",
    Kind::Word(FilterType::NAMES),
    "How its rows are found; contacts also by their messages or rows. Required, but for an import.",
);
/// Longest name of a column of an export.
const COLUMN_LENGTH_MAX: usize = 64;
/// Longest name of a column of a file.
const COLUMN_NAME_LENGTH_MAX: usize = 255;
/// The last place of a column of a file.
const PLACE_MAX: i64 = 10_000;
/// Most groups that the contacts of a file join, or leave.
const GROUPS_MAX: usize = 5;

/// What a task that reads a file found in it.
const PREVIEW: &[Member] = &[
    Member::new("encoding", Kind::Text(32), "The encoding of the file."),
    Member::new("delimiter", Kind::Text(1), "What stands between its cells."),
    Member::new(
        "columns",
        Kind::Array(
            &Kind::Object(&[
                Member::new("column", TEXT, "Its name, or its place."),
                Member::new("field", TEXT, "What it is read into; null: nothing.").nullable(),
            ]),
            usize::MAX,
        ),
        "Its columns.",
    ),
    Member::new(
        "rows",
        Kind::Array(&Kind::Map(&Kind::Any), ROWS_SHOWN_MAX),
        "The first rows, by field.",
    ),
    Member::new("created", COUNT, "How many rows were new, or would be."),
    Member::new("updated", COUNT, "How many were there, or would be."),
    Member::new("failed", COUNT, "How many cannot be taken."),
    Member::new(
        "errors",
        Kind::Array(
            &Kind::Object(&[
                Member::new("line", COUNT, "The line of the file."),
                Member::new("column", TEXT, "The column.").nullable(),
                Member::new("message", TEXT, "What is wrong there."),
            ]),
            ERRORS_SHOWN_MAX,
        ),
        "Why the first of those cannot be taken.",
    ),
];
/// Most rows that a preview shows.
const ROWS_SHOWN_MAX: usize = 20;
/// Most errors that a preview shows.
const ERRORS_SHOWN_MAX: usize = 100;

const TABLE_ID: Member = Member::id::<kind::DataTable>(
    "table_id",
    "The table whose rows it goes through (query_rows, row_ids), or makes (import_rows).",
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
        FILTER_TYPE.nullable(),
        Member::new(
            "filter_params",
            Kind::Map(&Kind::Any),
            "The filter, as it was given.",
        )
        .nullable(),
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
        WAITING_FOR,
        NEXT_TRY_TIME,
        Member::new(
            "error_message",
            Kind::Text(usize::MAX),
            "Why it could not go on, or how many rows failed, and why the first of them.",
        )
        .nullable(),
        VARS,
        TABLE_ID.nullable(),
        Member::id::<kind::File>("file_id", "The file that it wrote.").nullable(),
        Member::id::<kind::File>(
            "errors_file_id",
            "The file with the rows that could not be imported, to be corrected and given again.",
        )
        .nullable(),
        Member::new(
            "preview",
            Kind::Object(PREVIEW),
            "What an import found in its file, so far.",
        )
        .nullable(),
        Member::new("user_id", Kind::Null, "Nobody: there are no people yet."),
        PROJECT_ID,
    ],
};
