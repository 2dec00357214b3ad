//! What the production code answered, asked once for each question.

use crate::hash::Fast;
use std::{cell::RefCell, collections::HashMap, hash::Hash};

/// Answers by their questions.
#[derive(Debug)]
pub(crate) struct Memo<K, V>(RefCell<HashMap<K, V, Fast>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Hash + Eq + Copy, V: Copy> Memo<K, V> {
    /// Returns the known answer to `key`, or asks.
    pub(crate) fn get(&self, key: K, ask: impl FnOnce() -> V) -> V {
        let known = self.0.borrow().get(&key).copied();
        known.unwrap_or_else(|| {
            let answer = ask();
            self.0.borrow_mut().insert(key, answer);
            answer
        })
    }
}
