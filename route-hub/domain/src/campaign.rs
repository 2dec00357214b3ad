//! Campaigns: what is prepared for a group, and sent to it once or by a date of each contact.
//!
//! # Life
//! A campaign is a draft until somebody sends it. One that is sent once becomes a broadcast, at once or
//! when its time comes, and nothing of it changes from then on; where it cannot go out at its time it is a
//! draft again and says why. One by the dates of contacts is scheduled until somebody ends that: each of
//! its items is a relative schedule meanwhile.

use crate::code::coded;
use postrider_model::{BroadcastId, CampaignId, GroupId, ProjectId, UnixMs};

/// Most items of a campaign.
pub const CAMPAIGN_ITEMS_MAX: usize = 50;

coded! {
    /// What a campaign sends, and when.
    CampaignType {
        /// A text, once.
        BroadcastText = "broadcast_text" / 1,
        /// A call, once.
        BroadcastCall = "broadcast_call" / 2,
        /// Texts at some distance from a date of each contact.
        Relative = "relative" / 4,
        /// The same in each year.
        Anniversary = "anniversary" / 5,
    }
}

impl CampaignType {
    /// Says whether it is sent once, to all.
    pub const fn is_broadcast(self) -> bool {
        matches!(self, Self::BroadcastText | Self::BroadcastCall)
    }

    /// Returns what recurs, for one by the dates of contacts.
    pub const fn rrule(self) -> &'static str {
        match self {
            Self::Anniversary => "FREQ=YEARLY",
            Self::BroadcastText | Self::BroadcastCall | Self::Relative => "COUNT=1",
        }
    }
}

coded! {
    /// How far a campaign has come.
    CampaignStatus {
        /// It is being prepared.
        Draft = "draft" / 1,
        /// It waits for its time, or runs by the dates of contacts.
        Scheduled = "scheduled" / 2,
        /// It was sent.
        Sent = "sent" / 3,
        /// Somebody has to approve of it; nobody does yet.
        PendingReview = "pending_review" / 4,
    }
}

/// A campaign of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Campaign {
    /// Its id.
    pub id: CampaignId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// What it sends, and when.
    pub campaign_type: CampaignType,
    /// What people call it, of which there is one in a project.
    pub name: String,
    /// How far it has come.
    pub status: CampaignStatus,
    /// The parameters of its messages, as JSON.
    pub message: String,
    /// Whom it is for.
    pub group_id: Option<GroupId>,
    /// Who of them gets nothing.
    pub exclude_group_id: Option<GroupId>,
    /// Where those go who answer.
    pub respondent_group_id: Option<GroupId>,
    /// The zone of its clocks.
    pub timezone_id: String,
    /// Whether it is sent at a time rather than at once.
    pub at_time: bool,
    /// That time.
    pub schedule_time: Option<UnixMs>,
    /// The contact variable with the date.
    pub date_variable: Option<String>,
    /// What it sends by that date, as JSON.
    pub items: String,
    /// What it became when it was sent.
    pub broadcast_id: Option<BroadcastId>,
    /// How many messages were sent by the dates of contacts.
    pub message_count: i64,
    /// Why it could not go out.
    pub problem: Option<String>,
    /// Rises with each change, so that nobody sends by an old one.
    pub revision: i64,
    /// When it was made.
    pub time_created: UnixMs,
    /// When it was changed last.
    pub time_updated: UnixMs,
}

impl Campaign {
    /// Puts it back among the drafts; `problem` says why, where that is not somebody's wish.
    pub fn to_draft(&mut self, problem: Option<String>) {
        self.status = CampaignStatus::Draft;
        self.problem = problem;
    }

    /// Has it wait for its time, or run by the dates of contacts.
    pub fn schedule(&mut self) {
        self.status = CampaignStatus::Scheduled;
        self.problem = None;
    }

    /// Notes what it became.
    pub fn sent_as(&mut self, broadcast: BroadcastId) {
        self.status = CampaignStatus::Sent;
        self.broadcast_id = Some(broadcast);
        self.problem = None;
    }

    /// Says whether its time has come, or it needs none.
    pub fn is_due(&self, now: UnixMs) -> bool {
        !self.at_time || self.schedule_time.is_some_and(|at| at <= now)
    }
}
