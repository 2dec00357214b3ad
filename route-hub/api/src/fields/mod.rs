//! Fields: what a project says of its contacts' and messages' variables.
//!
//! Both kinds have the same three operations; a field is made when its variable is first written.

mod change;
pub mod contacts;
mod list;
pub mod messages;

use hub_domain::{FieldOwner, Permission};

/// What the operations of one kind go by.
#[derive(Debug, Clone, Copy)]
struct Kind {
    owner: FieldOwner,
    view: Permission,
    edit: Permission,
}

const CONTACTS: Kind = Kind {
    owner: FieldOwner::Contact,
    view: Permission::ViewContacts,
    edit: Permission::EditContacts,
};

const MESSAGES: Kind = Kind {
    owner: FieldOwner::Message,
    view: Permission::ViewMessages,
    edit: Permission::SendMessages,
};
