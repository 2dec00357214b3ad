//! Broadcasts: the same message to many recipients.
//!
//! # Life
//! A broadcast is made at once and queues its messages in steps. When all are made it sends until
//! none of them waits any more. Somebody may cancel it before: then no more are made, and those
//! that wait are walked to and cancelled, in steps as well.
//!
//! What it counts is kept as its messages change, one [share](BroadcastShare) each.

use crate::code::coded;
use crate::{ContactFilter, Message, MessageSource, MessageType, Price};
use postrider_model::{
    BroadcastId, CampaignId, ContactId, GroupId, MessageStatus, ProjectId, ScheduledId, UnixMs,
};

coded! {
    /// How far a broadcast has come. Those below 3 are under way.
    BroadcastStage {
        /// Its messages are being made.
        Queuing = "queuing" / 1,
        /// It was cancelled, and its waiting messages are being walked to.
        Cancelling = "cancelling" / 2,
        /// All its messages are made.
        Queued = "queued" / 3,
        /// It was cancelled, and every message was walked to.
        Cancelled = "cancelled" / 4,
    }
}

/// Whom a broadcast is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BroadcastTo {
    /// The members of a group.
    Group(GroupId),
    /// The contacts that a filter finds.
    Filter(ContactFilter),
    /// Numbers, which are kept beside it.
    Numbers,
    /// Whomever requests name that send as part of it.
    Requests,
}

/// How many messages of a broadcast have each status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BroadcastCounts {
    /// Not sent yet.
    pub queued: i64,
    /// Handed to the network.
    pub sent: i64,
    /// Ended without being sent.
    pub failed: i64,
    /// Failed, and tried again later.
    pub failed_queued: i64,
    /// Delivered.
    pub delivered: i64,
    /// Sent and not delivered.
    pub not_delivered: i64,
    /// Taken back before they were sent.
    pub cancelled: i64,
}

impl BroadcastCounts {
    /// Adds to the count of a status; those of incoming messages are counted nowhere.
    pub const fn add(&mut self, status: MessageStatus, count: i64) {
        let place = match status {
            MessageStatus::Queued => &mut self.queued,
            MessageStatus::Sent => &mut self.sent,
            MessageStatus::Failed => &mut self.failed,
            MessageStatus::FailedQueued => &mut self.failed_queued,
            MessageStatus::Delivered | MessageStatus::Read => &mut self.delivered,
            MessageStatus::NotDelivered => &mut self.not_delivered,
            MessageStatus::Cancelled => &mut self.cancelled,
            MessageStatus::Received | MessageStatus::Processing | MessageStatus::Ignored => return,
        };
        *place += count;
    }

    /// Returns how many there are in all.
    pub const fn total(&self) -> i64 {
        self.open() + self.sent + self.failed + self.delivered + self.not_delivered + self.cancelled
    }

    /// Returns how many may still be sent.
    pub const fn open(&self) -> i64 {
        self.queued + self.failed_queued
    }
}

/// What one message is in the counts of its broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BroadcastShare {
    /// The broadcast.
    pub broadcast_id: BroadcastId,
    /// The message's status.
    pub status: MessageStatus,
    /// Its SMS parts, once it was sent.
    pub parts: i64,
    /// When it was sent.
    pub time_sent: Option<UnixMs>,
    /// What it cost.
    pub price: Option<Price>,
}

impl BroadcastShare {
    /// Returns a message's share; `None` for one that is part of no broadcast.
    pub fn of(message: &Message) -> Option<Self> {
        let broadcast_id = message.broadcast_id?;
        let was_sent = message.time_sent.is_some();
        let parts = if was_sent { message.num_parts } else { None };
        Some(Self {
            broadcast_id,
            status: message.status,
            parts: parts.map_or(0, i64::from),
            time_sent: message.time_sent,
            price: message.price,
        })
    }
}

/// A broadcast of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Broadcast {
    /// Its id; contacts that were made after it are not in it.
    pub id: BroadcastId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// What people call it.
    pub title: String,
    /// What kind of messages it sends.
    pub message_type: MessageType,
    /// Who made it.
    pub source: MessageSource,
    /// The scheduled message that made it.
    pub scheduled_id: Option<ScheduledId>,
    /// The parameters of its messages, as JSON.
    pub message: String,
    /// Whom it is for.
    pub to: BroadcastTo,
    /// A member of the group that gets nothing.
    pub exclude_contact_id: Option<ContactId>,
    /// A group whose members get nothing.
    pub exclude_group_id: Option<GroupId>,
    /// The campaign that made it.
    pub campaign_id: Option<CampaignId>,
    /// How far it has come.
    pub stage: BroadcastStage,
    /// The key of the last contact, or how many numbers, that it has dealt with; while it is
    /// cancelled, the key of the last message that was walked to.
    pub done_up_to: i64,
    /// How many recipients it has dealt with, blocked ones too.
    pub reached: i64,
    /// How many recipients it has, as far as is known, blocked ones too.
    pub estimated_count: i64,
    /// Why it ended before all were dealt with.
    pub problem: Option<String>,
    /// Its messages by their status.
    pub counts: BroadcastCounts,
    /// The SMS parts of those that were sent.
    pub num_parts: i64,
    /// What its messages cost, unless that is in several currencies.
    pub price: Option<Price>,
    /// Messages that came in answer.
    pub reply_count: i64,
    /// Of how many of its messages a link was clicked.
    pub clicked_count: i64,
    /// When the last of them came.
    pub last_reply_time: Option<UnixMs>,
    /// When its last message was made, or it itself while it has none.
    pub last_message_time: UnixMs,
    /// When a message of it was sent last, or failed to be.
    pub last_send_time: Option<UnixMs>,
    /// When it was made.
    pub time_created: UnixMs,
}

impl Broadcast {
    /// Returns its status as the API shows it.
    pub const fn status(&self) -> &'static str {
        match self.stage {
            BroadcastStage::Queuing => "queuing",
            BroadcastStage::Cancelling | BroadcastStage::Cancelled => "cancelled",
            BroadcastStage::Queued if self.counts.open() > 0 => "sending",
            BroadcastStage::Queued => "complete",
        }
    }

    /// Says whether it was cancelled: no message joins it any more.
    pub const fn is_cancelled(&self) -> bool {
        matches!(
            self.stage,
            BroadcastStage::Cancelling | BroadcastStage::Cancelled
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUSES: [MessageStatus; 11] = [
        MessageStatus::Queued,
        MessageStatus::Sent,
        MessageStatus::Failed,
        MessageStatus::FailedQueued,
        MessageStatus::Delivered,
        MessageStatus::NotDelivered,
        MessageStatus::Cancelled,
        MessageStatus::Received,
        MessageStatus::Processing,
        MessageStatus::Ignored,
        MessageStatus::Read,
    ];

    #[test]
    fn every_outgoing_status_is_counted_once() {
        for status in STATUSES {
            let mut counts = BroadcastCounts::default();
            counts.add(status, 3);
            let incoming = matches!(
                status,
                MessageStatus::Received | MessageStatus::Processing | MessageStatus::Ignored
            );
            assert_eq!(counts.total(), if incoming { 0 } else { 3 }, "{status:?}");
            let open = matches!(status, MessageStatus::Queued | MessageStatus::FailedQueued);
            assert_eq!(counts.open(), if open { 3 } else { 0 }, "{status:?}");
            counts.add(status, -3);
            assert_eq!(counts, BroadcastCounts::default(), "{status:?}");
        }
    }

    #[test]
    fn a_stage_keeps_its_place_among_those_under_way() {
        for stage in BroadcastStage::ALL {
            let under_way = matches!(stage, BroadcastStage::Queuing | BroadcastStage::Cancelling);
            assert_eq!(stage.code() < 3, under_way, "{stage}");
        }
    }
}
