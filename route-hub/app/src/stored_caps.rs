//! How many of some things a project may have: work on them grows with their number, and is
//! everybody's loss.
//!
//! They are settings of `serve`, kept in the database for the admin commands, which make such things
//! beside it. What a project has already stays, also above a cap that was lowered.

use hub_store::{StoreError, Tx, groups, meta, phones, relative_schedules};
use hub_view::Refusal;
use postrider_model::ProjectId;

/// What is capped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// Phones: SIM slots of devices, test routes, phones at providers.
    Phones,
    /// Groups whose members their filters tell.
    DynamicGroups,
    /// Messages scheduled relative to a date.
    RelativeSchedules,
}

impl Cap {
    const fn name(self) -> &'static str {
        match self {
            Self::Phones => "cap.phones",
            Self::DynamicGroups => "cap.dynamic_groups",
            Self::RelativeSchedules => "cap.relative_schedules",
        }
    }

    const fn default(self) -> u32 {
        match self {
            Self::Phones => 5_000,
            Self::DynamicGroups => 500,
            Self::RelativeSchedules => 1_000,
        }
    }

    const fn things(self) -> &'static str {
        match self {
            Self::Phones => "phones",
            Self::DynamicGroups => "dynamic groups",
            Self::RelativeSchedules => "relative scheduled messages",
        }
    }

    /// Keeps a cap; `None` is the default.
    pub fn put(self, tx: &mut Tx<'_>, cap: Option<u32>) -> Result<(), StoreError> {
        match cap {
            Some(cap) => meta::put(tx, self.name(), &cap.to_string()),
            None => meta::remove(tx, self.name()),
        }
    }

    /// Returns the cap where a project has reached it.
    pub fn reached(
        self,
        tx: &mut Tx<'_>,
        project: ProjectId,
    ) -> Result<Option<Reached>, StoreError> {
        self.exceeded_by(tx, project, 1)
    }

    /// Returns the cap where a project may not have so many more.
    pub(crate) fn exceeded_by(
        self,
        tx: &mut Tx<'_>,
        project: ProjectId,
        more: usize,
    ) -> Result<Option<Reached>, StoreError> {
        let kept = meta::get(tx, self.name())?;
        let cap = kept
            .and_then(|text| text.parse().ok())
            .unwrap_or(self.default());
        let count = match self {
            Self::Phones => phones::count_up_to(tx, project, cap)?,
            Self::DynamicGroups => groups::count_dynamic_up_to(tx, project, cap)?,
            Self::RelativeSchedules => relative_schedules::count_up_to(tx, project, cap)?,
        };
        let more = u64::try_from(more).unwrap_or(u64::MAX);
        Ok((count.saturating_add(more) > u64::from(cap)).then_some(Reached { of: self, cap }))
    }
}

/// A cap that a project has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    of: Cap,
    cap: u32,
}

impl Reached {
    /// Returns the refusal of one more, by the parameter that asks for it.
    pub fn refuse(self, param: &str) -> Refusal {
        Refusal::invalid_param(param, self)
    }
}

impl std::fmt::Display for Reached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (cap, things) = (self.cap, self.of.things());
        write!(f, "is one too many: a project may have {cap} {things}")
    }
}
