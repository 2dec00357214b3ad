//! The live exposures, in order of their messages.

use super::message::Message;
use crate::token::MessageRef;
use foldhash::fast::FixedState;
use std::{
    collections::{BTreeSet, HashMap},
    ops::RangeInclusive,
};

/// A table, because each fact looks its message up a dozen times; iteration is in order of
/// the messages.
#[derive(Debug, Default)]
pub(super) struct Live {
    rows: HashMap<MessageRef, Box<Message>, FixedState>,
    order: BTreeSet<MessageRef>,
}

impl Live {
    pub(super) fn get(&self, message: &MessageRef) -> Option<&Message> {
        self.rows.get(message).map(Box::as_ref)
    }

    pub(super) fn get_mut(&mut self, message: &MessageRef) -> Option<&mut Message> {
        self.rows.get_mut(message).map(Box::as_mut)
    }

    pub(super) fn insert(&mut self, message: MessageRef, live: Message) {
        self.order.insert(message);
        self.rows.insert(message, Box::new(live));
    }

    pub(super) fn remove(&mut self, message: &MessageRef) -> Option<Box<Message>> {
        self.order.remove(message);
        self.rows.remove(message)
    }

    pub(super) fn contains_key(&self, message: &MessageRef) -> bool {
        self.rows.contains_key(message)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &MessageRef> {
        self.order.iter()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Message> {
        self.iter().map(|(_, live)| live)
    }

    pub(super) fn for_each_mut(&mut self, mut change: impl FnMut(&mut Message)) {
        for message in &self.order {
            if let Some(live) = self.rows.get_mut(message) {
                change(live);
            }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&MessageRef, &Message)> {
        let order = self.order.iter();
        order.filter_map(|message| Some((message, self.get(message)?)))
    }

    pub(super) fn range(
        &self,
        range: RangeInclusive<MessageRef>,
    ) -> impl Iterator<Item = (&MessageRef, &Message)> {
        let order = self.order.range(range);
        order.filter_map(|message| Some((message, self.get(message)?)))
    }
}
