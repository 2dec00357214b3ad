//! Labels of messages.

mod edit;
mod existing;

pub use edit::{DELETE, GET_OR_CREATE, UPDATE};
pub use existing::{GET, LIST, MESSAGES, PUT_ON, TAKE_OFF};

use crate::members::{PROJECT_ID, TIME_CREATED, URL, VARS, name, own_id};
use hub_web::{Member, Shape};
use postrider_model::kind;

const NAME: Member = name("The label's name, unique in its project.");

const LABEL: Shape = Shape {
    name: "Label",
    about: "What messages are sorted by.",
    members: &[
        own_id::<kind::Label>(),
        NAME,
        TIME_CREATED,
        VARS,
        PROJECT_ID,
        URL,
    ],
};
