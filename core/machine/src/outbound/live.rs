//! The exposures in hand, in order of their messages.

use super::message::Message;
use crate::token::MessageRef;
use std::{collections::BTreeMap, ops::RangeInclusive};

/// Rows are long: what moves within the tree is only where each of them is.
#[derive(Debug, Default)]
pub(super) struct Live(BTreeMap<MessageRef, Box<Message>>);

impl Live {
    pub(super) fn get(&self, message: &MessageRef) -> Option<&Message> {
        self.0.get(message).map(Box::as_ref)
    }

    pub(super) fn get_mut(&mut self, message: &MessageRef) -> Option<&mut Message> {
        self.0.get_mut(message).map(Box::as_mut)
    }

    pub(super) fn insert(&mut self, message: MessageRef, live: Message) {
        self.0.insert(message, Box::new(live));
    }

    pub(super) fn remove(&mut self, message: &MessageRef) -> Option<Box<Message>> {
        self.0.remove(message)
    }

    pub(super) fn contains_key(&self, message: &MessageRef) -> bool {
        self.0.contains_key(message)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &MessageRef> {
        self.0.keys()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Message> {
        self.0.values().map(Box::as_ref)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Message> {
        self.0.values_mut().map(Box::as_mut)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&MessageRef, &Message)> {
        self.0
            .iter()
            .map(|(message, live)| (message, live.as_ref()))
    }

    pub(super) fn range(
        &self,
        range: RangeInclusive<MessageRef>,
    ) -> impl Iterator<Item = (&MessageRef, &Message)> {
        let range = self.0.range(range);
        range.map(|(message, live)| (message, live.as_ref()))
    }
}
