//! How much of its contacts a message shows, and to whom.
//!
//! A text may be written from a contact's variables, and a key that may send names any contact. So
//! who may not view contacts is shown such a text as its template, and of the contact no more than
//! whom the message is for.

use crate::{Permission, Permissions};
use postrider_model::MessageText;

/// What a reader of messages may see of contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// Everything: contacts may be viewed.
    Contacts,
    /// Messages, and of contacts only whom they are for.
    Messages,
    /// Only what a sender is told.
    Sender,
}

impl Sight {
    /// Returns what these permissions let somebody see.
    pub fn of(permissions: &Permissions) -> Self {
        if permissions.allow(Permission::ViewContacts) {
            Self::Contacts
        } else if permissions.allow(Permission::ViewMessages) {
            Self::Messages
        } else {
            Self::Sender
        }
    }

    /// Says whether contacts are seen whole.
    pub fn sees_contacts(self) -> bool {
        self == Self::Contacts
    }
}

/// What a message keeps for those who may not view contacts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Disclosure {
    /// The template of its text, where that was written from more of the contact than its id, name
    /// and number.
    pub template: Option<MessageText>,
    /// Whether its maker could view contacts when it was made: `None` for one that was made before
    /// this was kept, and for one that came in.
    pub maker_sees: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(permissions: &[Permission]) -> Sight {
        Sight::of(&permissions.iter().copied().collect())
    }

    #[test]
    fn who_may_view_contacts_sees_them_whatever_else_is_permitted() {
        let (send, view) = (Permission::SendMessages, Permission::ViewMessages);
        assert_eq!(sight(&[send]), Sight::Sender);
        assert_eq!(sight(&[send, view]), Sight::Messages);
        let contacts = Permission::ViewContacts;
        assert_eq!(sight(&[send, contacts]), Sight::Contacts);
        assert_eq!(sight(&[view, contacts]), Sight::Contacts);
        assert_eq!(sight(&[Permission::EditContacts, send]), Sight::Sender);
    }
}
