//! What jobs change of what organizations have and use, and the limits that they are held to.

use hub_domain::{Quarter, UsageType};
use postrider_model::{OrganizationId, ProjectId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many columns these are.
const COLUMNS: usize = 8;

/// How much there is of each thing that is counted, or by how much that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amounts(pub(crate) [i64; COLUMNS]);

impl Amounts {
    /// Returns how much of a type it is: files in bytes; nothing of what is not counted here.
    pub fn of(&self, kind: UsageType) -> i64 {
        column(kind).map_or(0, |column| self.0[column])
    }

    pub(crate) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl std::ops::Add for Amounts {
    type Output = Self;

    fn add(mut self, more: Self) -> Self {
        self.0
            .iter_mut()
            .zip(more.0)
            .for_each(|(amount, more)| *amount += more);
        self
    }
}

impl std::ops::Sub for Amounts {
    type Output = Self;

    fn sub(mut self, less: Self) -> Self {
        self.0
            .iter_mut()
            .zip(less.0)
            .for_each(|(amount, less)| *amount -= less);
        self
    }
}

/// Returns where a type stands among the amounts.
pub(crate) const fn column(kind: UsageType) -> Option<usize> {
    Some(match kind {
        UsageType::Contacts => 0,
        UsageType::Phones => 1,
        UsageType::StoredMessages => 2,
        UsageType::ExternalMessagesDay | UsageType::ExternalMessagesPeriod => 3,
        UsageType::Groups => 4,
        UsageType::CustomContactFields => 5,
        UsageType::DataRows => 6,
        UsageType::StoredFileMb => 7,
        UsageType::Projects
        | UsageType::ApiRequestsDay
        | UsageType::ActiveServices
        | UsageType::Users
        | UsageType::ServiceInvocationsDay
        | UsageType::ScriptModuleMb
        | UsageType::CustomActions
        | UsageType::AiChatCreditsDay => return None,
    })
}

/// What the jobs of a commit group change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Uses(pub(crate) BTreeMap<(ProjectId, Quarter), Amounts>);

impl Uses {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns how much changed of a project, from a quarter hour on.
    pub(crate) fn of(&self, project: ProjectId, from: Quarter) -> Amounts {
        let range = (project, from)..=(project, Quarter(i64::MAX));
        let changed = self.0.range(range).map(|(_, changed)| *changed);
        changed.fold(Amounts::default(), std::ops::Add::add)
    }
}

/// What a job must not go beyond: an organization's limits, of which it holds the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The most of each type, files in bytes.
    pub most: BTreeMap<UsageType, u64>,
    /// When the organization's day began.
    pub day: Quarter,
    /// When the period of its plan began.
    pub period: Quarter,
}

/// The limits of a job, and what it has seen used of each type.
#[derive(Debug)]
pub(crate) struct Limited {
    pub(crate) limits: Arc<Limits>,
    pub(crate) used: BTreeMap<UsageType, u64>,
}
