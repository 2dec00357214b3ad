//! Webhook objects: addresses that a project's events are posted to.

mod edit;
mod existing;

pub use edit::{CREATE, DELETE, UPDATE};
pub use existing::{GET, LIST};

use crate::members::{PROJECT_ID, own_id};
use hub_web::Shape;
use postrider_model::kind;

const WEBHOOK: Shape = Shape {
    name: "Webhook",
    about: "An address that events are posted to.",
    members: &[
        own_id::<kind::Webhook>(),
        edit::ADDRESS,
        edit::SECRET.nullable(),
        edit::EVENTS,
        PROJECT_ID,
    ],
};
