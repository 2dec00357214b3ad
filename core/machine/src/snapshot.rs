//! What a start reads from the journal.

use crate::change::{ClaimRow, EndedRow, MessageRow, PaceRow, ScanRow, SeenRow, SimRow, SpentRow};
use postrider_link::{
    frame::{Config, InstallId},
    session::phone::JournalLink,
};

/// The journal's rows, each list in order of its numbers.
///
/// Facts that wait for their ack are not included: the link reads them in pieces.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// The name of this installation; `None` at the first start.
    pub install: Option<InstallId>,
    /// The link's counters.
    pub link: JournalLink,
    /// Exposures that are not over, in order of arrival.
    pub messages: Vec<MessageRow>,
    /// Exposures that are over, in order of their ends; at most [`crate::ENDED_MAX`], the newest.
    pub ended: Vec<EndedRow>,
    /// The highest place of arrival given so far.
    pub arrived_max: u64,
    /// Hand-overs that may still count.
    pub spent: Vec<SpentRow>,
    /// How often the pace is halved, if it is.
    pub pace: Option<PaceRow>,
    /// Which exposures the platform's sent messages belong to, oldest claim first.
    pub claims: Vec<ClaimRow>,
    /// Incoming messages that are remembered.
    pub seen: Vec<SeenRow>,
    /// How far the platform's logs were read; a log that was never read is missing.
    pub scans: Vec<ScanRow>,
    /// Which SIM is known in each slot.
    pub sims: Vec<SimRow>,
    /// Whether codes that change settings may be dialled.
    pub ussd_codes_allowed: bool,
    /// What the hub set, for each SIM and for all.
    pub configs: Vec<Config>,
    /// Whether the owner paused sending.
    pub paused: bool,
}
