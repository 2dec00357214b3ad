//! Rows in memory by their ids.

use std::collections::HashMap;

/// A map by ids that the hub itself made: nobody can choose them so that they collide, and the
/// standard hasher, which guards against that, costs a hundred instructions a look.
pub type ById<K, V> = HashMap<K, V, foldhash::fast::RandomState>;
