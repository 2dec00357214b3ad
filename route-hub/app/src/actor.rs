//! Who does something in a project: the holder of an API key, the operator, or the hub itself.

use crate::failure::Failure;
use crate::hub::Hub;
use crate::hub::files::Addresses;
use crate::plan;
use hub_domain::{ApiKey, Permission, Project, Sight};
use hub_store::Basis;
use hub_view::{Refusal, RefusalCode};
use postrider_model::{DeviceId, Now, OrganizationId};
use std::fmt;
use std::sync::Arc;

/// Who acts.
#[derive(Debug, Clone)]
pub enum Who {
    /// The holder of an API key.
    Key(Arc<ApiKey>),
    /// The operator, on the command line.
    Operator,
    /// The owner of a phone, on the phone itself.
    Device(DeviceId),
    /// The hub itself, at a moment that somebody chose before.
    Hub,
}

impl Who {
    /// Says whether it may do what this permission stands for.
    pub fn may(&self, permission: Permission) -> bool {
        match self {
            Self::Key(key) => key.permissions.allow(permission),
            Self::Operator | Self::Hub => true,
            Self::Device(_) => false,
        }
    }

    /// Checks a permission.
    ///
    /// # Errors
    /// `unauthorized` that names it.
    pub fn require(&self, permission: Permission) -> Result<(), Refusal> {
        if self.may(permission) {
            Ok(())
        } else {
            Err(Refusal::unauthorized(format!(
                "the API key lacks the permission {permission}"
            )))
        }
    }

    /// Returns what it may see of contacts and messages.
    pub fn sight(&self) -> Sight {
        match self {
            Self::Key(key) => Sight::of(&key.permissions),
            Self::Operator | Self::Hub => Sight::Contacts,
            Self::Device(_) => Sight::Sender,
        }
    }
}

/// As the audit log names it.
impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => key.id.fmt(f),
            Self::Operator => f.write_str("admin"),
            Self::Device(id) => id.fmt(f),
            Self::Hub => f.write_str("hub"),
        }
    }
}

/// Somebody at work in a project, for the length of one request or one step.
#[derive(Clone)]
pub struct Actor {
    /// The hub.
    pub hub: Hub,
    /// Who it is.
    pub who: Who,
    /// The project, which it reaches.
    pub project: Arc<Project>,
    /// When it began.
    pub now: Now,
    /// What it prepares is prepared on this.
    pub basis: Basis,
}

impl Actor {
    /// The hub itself: what it does was allowed when somebody asked for it. `basis` was asked for before
    /// the project was read.
    pub fn system(hub: &Hub, project: &Arc<Project>, basis: Basis, now: Now) -> Self {
        Self {
            hub: hub.clone(),
            who: Who::Hub,
            project: Arc::clone(project),
            now,
            basis,
        }
    }

    /// Checks a permission.
    ///
    /// # Errors
    /// `unauthorized` that names it.
    pub fn require(&self, permission: Permission) -> Result<(), Refusal> {
        self.who.require(permission)
    }

    /// Returns what it may see of contacts and messages.
    pub fn sight(&self) -> Sight {
        self.who.sight()
    }

    /// Returns who gives the addresses of files.
    pub fn addresses(&self) -> Addresses {
        self.hub.files.addresses(self.now.unix)
    }

    /// Makes room in the project's queue for `count` more messages.
    ///
    /// # Errors
    /// `limit_exceeded` while the operator has stopped the project or its organization's plan is suspended
    /// or has no room, `rate_limited` while its queue is full.
    pub async fn make_room(&self, count: usize) -> Result<(), Failure> {
        if self.project.stopped {
            let text = "the operator of this hub has stopped the project";
            return Err(Refusal::new(RefusalCode::LimitExceeded, text).into());
        }
        let (hub, project) = (&self.hub, &self.project);
        plan::admit(hub, project.organization_id, count, self.now).await?;
        let admitted = hub.queue_caps.admit(&hub.store, project, count, self.now);
        admitted.await
    }
}

/// Somebody at work on an organization: its settings, its projects and its keys.
#[derive(Clone)]
pub struct OrganizationActor {
    /// The hub.
    pub hub: Hub,
    /// Who it is.
    pub who: Who,
    /// The organization, which it reaches.
    pub organization_id: OrganizationId,
    /// When it began.
    pub now: Now,
    /// What it prepares is prepared on this.
    pub basis: Basis,
}
