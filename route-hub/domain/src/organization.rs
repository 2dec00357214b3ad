//! Organizations and projects: who owns what.

use crate::{Day, Plan, Quarter, RouteId, Vars, Zone};
use postrider_model::{OrganizationId, ProjectId, Secret, UnixMs};

/// An account: the owner of projects.
#[derive(Debug, Clone, PartialEq)]
pub struct Organization {
    /// Its id.
    pub id: OrganizationId,
    /// Its name.
    pub name: String,
    /// The zone of its day boundary, an IANA name.
    pub timezone_id: String,
    /// What it may have and use.
    pub plan: Plan,
    /// When it was made.
    pub time_created: UnixMs,
}

impl Organization {
    /// Returns the zone in which its days begin.
    pub fn zone(&self) -> Zone {
        Zone::find(&self.timezone_id).unwrap_or(Zone::UTC)
    }

    /// Returns when its day began.
    pub fn midnight(&self, now: UnixMs) -> UnixMs {
        let zone = self.zone();
        let day = Day::of(&zone, now);
        day.and_then(|day| day.start(&zone)).unwrap_or(now)
    }

    /// Returns when its next day begins.
    pub fn next_midnight(&self, now: UnixMs) -> Option<UnixMs> {
        let zone = self.zone();
        Day::of(&zone, now)?.plus(1)?.start(&zone)
    }

    /// Returns when the period of its plan began.
    pub fn period(&self) -> Quarter {
        Quarter::of(self.plan.start_time.unwrap_or(self.time_created))
    }
}

/// A project: the scope of contacts, messages and phones.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// Its name, unique within the organization without regard to case.
    pub name: String,
    /// Its zone, an IANA name.
    pub timezone_id: String,
    /// The region in which typed numbers are read (two capital letters), when a phone has none.
    pub country: Option<String>,
    /// The part of web addresses that names it, 3 to 18 characters.
    pub url_slug: Option<String>,
    /// The phone or custom route that sends what names no route.
    pub default_route_id: Option<RouteId>,
    /// Whether a message to or from a new number makes a contact.
    pub auto_create_contacts: bool,
    /// After how many days messages are removed; `None` keeps them.
    pub message_retention_days: Option<u32>,
    /// Whether short links are written with their scheme.
    pub short_link_scheme: bool,
    /// The caller's own variables.
    pub vars: Vars,
    /// How long a message may wait before it ends unsent, unless it says otherwise.
    pub message_life_ms: i64,
    /// Most messages that may wait; above it sends are refused with 429.
    pub queue_cap: i64,
    /// Most SMS parts that a text may need; `None`: as many as a phone sends.
    pub sms_parts_max: Option<u32>,
    /// Where status changes are reported, unless a message says otherwise.
    pub status_url: Option<String>,
    /// The `secret` parameter of those reports.
    pub status_secret: Option<Secret>,
    /// Where incoming messages are reported.
    pub incoming_url: Option<String>,
    /// The `secret` parameter of those reports.
    pub incoming_secret: Option<Secret>,
    /// Where alerts are reported.
    pub alert_url: Option<String>,
    /// The `secret` parameter of those reports.
    pub alert_secret: Option<Secret>,
    /// Whether the operator has stopped it: nothing is accepted, nothing leaves.
    pub stopped: bool,
    /// From when on its organization's plan lets nothing be sent.
    pub suspend_time: Option<UnixMs>,
    /// When it was made.
    pub time_created: UnixMs,
}

impl Project {
    /// How long a message may wait unless the project or the message says otherwise: 72 hours.
    pub(crate) const MESSAGE_LIFE_MS: i64 = 72 * 3_600_000;
    /// Most messages that may wait unless the project says otherwise.
    pub(crate) const QUEUE_CAP: i64 = 1_000_000;

    /// Makes a project with every setting at its default.
    pub fn new(
        id: ProjectId,
        organization_id: OrganizationId,
        name: impl Into<String>,
        now: UnixMs,
    ) -> Self {
        Self {
            id,
            organization_id,
            name: name.into(),
            timezone_id: "UTC".to_owned(),
            country: None,
            url_slug: None,
            default_route_id: None,
            auto_create_contacts: true,
            message_retention_days: None,
            short_link_scheme: true,
            vars: Vars::default(),
            message_life_ms: Self::MESSAGE_LIFE_MS,
            queue_cap: Self::QUEUE_CAP,
            sms_parts_max: None,
            status_url: None,
            status_secret: None,
            incoming_url: None,
            incoming_secret: None,
            alert_url: None,
            alert_secret: None,
            stopped: false,
            suspend_time: None,
            time_created: now,
        }
    }

    /// Says whether nothing of it is sent at a moment.
    pub fn is_halted(&self, now: UnixMs) -> bool {
        self.stopped || self.suspend_time.is_some_and(|from| from <= now)
    }
}
