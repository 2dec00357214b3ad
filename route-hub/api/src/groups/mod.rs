//! Groups of contacts, normal and dynamic.

mod create;
mod existing;
mod list;
mod read;

pub use create::{CREATE, GET_OR_CREATE};
pub use existing::{DELETE, GET, JOIN, LEAVE, UPDATE};
pub use list::{CONTACTS, LIST, OF_CONTACT};

use crate::members::{PROJECT_ID, TIME_CREATED, URL, VARS, name, own_id};
use crate::messages::COUNT;
use hub_web::{Kind, Member, Shape};
use postrider_model::kind;

const NAME: Member = name("The group's name, unique in its project.");
const FILTERS: Member = Member::new(
    "filters",
    Kind::Map(&Kind::Any),
    "What makes a contact belong to a dynamic group: a value, or operators with values, by field.",
);
const ALLOW_SENDING: Member = Member::new(
    "allow_sending",
    Kind::Boolean,
    "Whether messages may be sent to it.",
);
const ADD_TIME_VARIABLE: Member = Member::new(
    "add_time_variable",
    Kind::Text(64),
    "The contacts' variable that is set to the time when one joins.",
);

const GROUP: Shape = Shape {
    name: "Group",
    about: "Contacts that were put together, or that meet some filters.",
    members: &[
        own_id::<kind::Group>(),
        NAME,
        Member::new(
            "dynamic",
            Kind::Boolean,
            "Whether filters make who belongs to it.",
        ),
        FILTERS.nullable(),
        Member::new("num_members", COUNT, "How many contacts were put into it.").nullable(),
        TIME_CREATED,
        ALLOW_SENDING,
        ADD_TIME_VARIABLE.nullable(),
        VARS,
        PROJECT_ID,
        URL,
    ],
};
