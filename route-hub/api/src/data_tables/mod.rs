//! Data tables, their rows, and views of them.

mod edit;
mod existing;
mod fields;
mod import;
mod rows;
mod views;

pub use edit::{DELETE, GET_OR_CREATE, UPDATE};
pub use existing::{COUNT_ROWS_BY_VALUE, GET, LIST};
pub use fields::{CHANGE_FIELD, CHANGE_FIELDS, FIELDS};
pub use import::IMPORT_ROWS;
pub(crate) use rows::ROWS;
pub use rows::{
    CREATE_ROW, DELETE_ROW, GET_ROW, LIST_ROWS, LIST_ROWS_OF_CONTACT, LIST_ROWS_OF_VIEW, UPDATE_ROW,
};
pub use views::{CREATE_VIEW, DELETE_VIEW, GET_VIEW, LIST_VIEWS, UPDATE_VIEW};

use crate::members::{PROJECT_ID, URL, VARS, name, own_id};
use crate::messages::COUNT;
use hub_web::{Kind, Member, Shape};
use postrider_model::kind;

const NAME: Member = name("The table's name, unique in its project.");
const SHOW_ADD_ROW: Member = Member::new(
    "show_add_row",
    Kind::Boolean,
    "Whether people may add rows on a page.",
);
const SHOW_STATS: Member = Member::new(
    "show_stats",
    Kind::Boolean,
    "Whether a page shows statistics of it.",
);
const SHOW_CONTACT_COLUMNS: Member = Member::new(
    "show_contact_columns",
    Kind::Boolean,
    "Whether a page shows the contacts of its rows.",
);
const TABLE_ID: Member = Member::id::<kind::DataTable>("table_id", "Its table.");

const TABLE: Shape = Shape {
    name: "DataTable",
    about: "Rows with variables, which have fields of the table's own.",
    members: &[
        own_id::<kind::DataTable>(),
        NAME,
        Member::new("num_rows", COUNT, "How many rows it has."),
        SHOW_ADD_ROW,
        SHOW_STATS,
        SHOW_CONTACT_COLUMNS,
        VARS,
        PROJECT_ID,
        URL,
    ],
};
