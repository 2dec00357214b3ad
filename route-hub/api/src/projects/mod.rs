//! Projects.

mod existing;
mod patch;
mod save;

pub use existing::{GET, LIST, USERS};
pub use save::{CREATE, UPDATE};

use crate::members::{TIMEZONE_ID, URL, VARS, name, own_id};
use hub_web::{Member, Shape};
use postrider_model::kind;

const NAME: Member = name("What it is called, unique in its organization.");

const PROJECT: Shape = Shape {
    name: "Project",
    about: "Contacts, messages and phones that belong together.",
    members: &[
        own_id::<kind::Project>(),
        NAME,
        TIMEZONE_ID,
        patch::COUNTRY.nullable(),
        patch::URL_SLUG.nullable(),
        patch::DEFAULT_ROUTE_ID.nullable(),
        patch::AUTO_CREATE_CONTACTS,
        patch::MESSAGE_RETENTION_DAYS.nullable(),
        patch::SHORT_LINK_SCHEME,
        patch::SMS_PARTS_MAX.nullable(),
        VARS,
        Member::id::<kind::Organization>("organization_id", "Whose it is."),
        URL,
    ],
};
