//! Custom routes: rules that pick a phone for each message.

mod edit;
mod existing;

pub use edit::{CREATE, DELETE, UPDATE};
pub use existing::{GET, LIST, ROUTE_LIST};

use crate::members::{PROJECT_ID, URL, VARS, name, own_id};
use hub_web::{Kind, Member, Shape};
use postrider_model::kind;

const NAME: Member = name("What it is called, unique among routes.");
const ACTIONS: Member = Member::new(
    "actions",
    Kind::Array(&Kind::Map(&Kind::Any), 200),
    "What it does: use_phone offers phones, condition goes on to actions when its tests hold.",
);

const ROUTE: Shape = Shape {
    name: "Route",
    about: "Rules that pick a phone for each message.",
    members: &[
        own_id::<kind::Route>(),
        NAME,
        ACTIONS,
        VARS,
        PROJECT_ID,
        URL,
    ],
};
