//! The operator sets what an organization may have and use.

use crate::failure::NotDone;
use crate::hub_work::HubWork;
use hub_domain::{Feature, Organization, Overage, Rate, UsageType};
use hub_store::{organizations, projects};
use postrider_model::{OrganizationId, UnixMs};
use std::collections::BTreeMap;
use thiserror::Error;

/// There is no organization of that id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("there is no such organization")]
pub struct NoSuchOrganization;

impl From<NoSuchOrganization> for NotDone<NoSuchOrganization> {
    fn from(reason: NoSuchOrganization) -> Self {
        Self::Refused(reason)
    }
}

/// What is to be changed of a plan; what is `None` stays, and an inner `None` takes it away.
#[derive(Debug, Clone, Default)]
pub struct PlanPatch {
    /// Its name.
    pub name: Option<Option<String>>,
    /// What it costs each time.
    pub price: Option<Option<Rate>>,
    /// When it is paid, as a rule of iCalendar.
    pub rrule: Option<Option<String>>,
    /// When it began.
    pub start_time: Option<Option<UnixMs>>,
    /// When it ends.
    pub end_time: Option<Option<UnixMs>>,
    /// From when on nothing more is sent.
    pub suspend_time: Option<Option<UnixMs>>,
    /// The most of things, none for no limit.
    pub limits: Vec<(UsageType, Option<u64>)>,
    /// Whether it has features; as every plan without a word.
    pub features: Vec<(Feature, Option<bool>)>,
    /// What is beyond soft limits costs this.
    pub overage_rates: Vec<(Overage, Option<Rate>)>,
}

/// Changes an organization's plan.
pub fn set_plan(
    work: &mut HubWork<'_, '_>,
    id: OrganizationId,
    patch: &PlanPatch,
) -> Result<Organization, NotDone<NoSuchOrganization>> {
    let mut changed = organizations::get(work.tx, id)?.ok_or(NoSuchOrganization)?;
    let suspended_before = changed.plan.suspend_time;
    let plan = &mut changed.plan;
    put(&mut plan.name, &patch.name);
    put(&mut plan.price, &patch.price);
    put(&mut plan.rrule, &patch.rrule);
    put(&mut plan.start_time, &patch.start_time);
    put(&mut plan.end_time, &patch.end_time);
    put(&mut plan.suspend_time, &patch.suspend_time);
    for (kind, most) in &patch.limits {
        plan.limit(*kind, *most);
    }
    put_each(&mut plan.features, &patch.features);
    put_each(&mut plan.overage_rates, &patch.overage_rates);
    organizations::update(work.tx, &changed)?;
    work.effects.keys(id);
    if changed.plan.suspend_time != suspended_before {
        for project in projects::of_organization(work.tx, id)? {
            work.effects.project(project.id);
        }
    }
    work.note(id, "organization.set_plan", id)?;
    Ok(changed)
}

fn put<T: Clone>(setting: &mut T, given: &Option<T>) {
    if let Some(value) = given {
        setting.clone_from(value);
    }
}

fn put_each<K: Ord + Copy, V: Copy>(settings: &mut BTreeMap<K, V>, given: &[(K, Option<V>)]) {
    for (name, value) in given {
        match value {
            Some(value) => settings.insert(*name, *value),
            None => settings.remove(name),
        };
    }
}
