//! What a start reads back from the journal.

use crate::change::{MessageRow, PaceRow, SeenRow, SpentRow};
use postrider_link::frame::Config;

/// The journal's rows, each list in order of its numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// Exposures, in order of arrival.
    pub messages: Vec<MessageRow>,
    /// Hand-overs that may still count.
    pub spent: Vec<SpentRow>,
    /// How often the pace is halved, where it is.
    pub pace: Option<PaceRow>,
    /// Incoming messages that are remembered.
    pub seen: Vec<SeenRow>,
    /// What the hub set, for each SIM and for all.
    pub configs: Vec<Config>,
    /// Whether the owner paused sending.
    pub paused: bool,
}
