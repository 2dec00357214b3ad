//! What the jobs of a commit group count together.

use crate::uses::Uses;
use hub_domain::{Amounts, CountedBy, CountedLink};
use std::collections::BTreeMap;

/// Counters and what is to be added to each.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) messages: BTreeMap<CountedBy, Amounts>,
    pub(crate) links: BTreeMap<(CountedLink, CountedBy), Amounts>,
    /// What projects have and use.
    pub(crate) uses: Uses,
}

impl Counts {
    pub(crate) fn add(&mut self, by: CountedBy, amounts: Amounts) {
        *self.messages.entry(by).or_default() += amounts;
    }

    /// Counts messages by what is said of their short links.
    pub(crate) fn add_link(&mut self, link: CountedLink, by: CountedBy, amounts: Amounts) {
        *self.links.entry((link, by)).or_default() += amounts;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.links.is_empty() && self.uses.is_empty()
    }
}
