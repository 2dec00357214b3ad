//! How many messages there were, by intervals and by what they have in common.

use crate::actor::{Actor, OrganizationActor, Who};
use crate::contacts;
use crate::failure::Failure;
use crate::messages;
use crate::organizations::usage::zone_of;
use crate::statistics::PERMISSION;
use crate::statistics::calendar::{Asked, Calendar, Slot};
use hub_domain::{
    Amount, Amounts, CountFilters, CountedBy, CountedLink, Currency, Day, Interval, Metric,
    Organization, PhoneType, Project, Property, Zone,
};
use hub_store::statistics::{self, Span};
use hub_store::{StoreError, Tx, list, organizations, phones, projects};
use hub_view::Refusal;
use postrider_model::{PhoneId, UnixMs};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Most groups of one answer.
const GROUPS_MAX: usize = 10_000;

/// The destinations that came when their day had as many as are counted by name.
const OTHER: &str = "other";

/// What is asked of messages.
#[derive(Debug, Clone)]
pub struct MessageStats {
    /// Which days.
    pub asked: Asked,
    /// What messages have in common that are counted together.
    pub properties: Vec<Property>,
    /// What is added up.
    pub metrics: Vec<Metric>,
    /// Which messages.
    pub filters: CountFilters,
}

/// What a group's messages have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    /// Nothing is known.
    Nothing,
    /// A word of the interface.
    Word(&'static str),
    /// An id, a name or a code.
    Text(Arc<str>),
    /// Whether it is so.
    Flag(bool),
}

impl Cell {
    fn text(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// An interval in which something was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntervalGroups {
    /// Its days.
    pub interval: Interval,
    /// When it begins.
    pub start: UnixMs,
    /// When it is over.
    pub end: UnixMs,
    /// Each group: its properties in the order in which they were asked for, and how much there is.
    pub groups: Vec<(Vec<Cell>, Sums)>,
}

/// How much there is in a group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sums {
    amounts: Amounts,
    prices: BTreeMap<Currency, i64>,
}

impl From<Amounts> for Sums {
    fn from(amounts: Amounts) -> Self {
        let prices = BTreeMap::new();
        Self { amounts, prices }
    }
}

impl Sums {
    fn add(&mut self, by: &CountedBy, amounts: Amounts) {
        self.amounts += amounts;
        if let Some(currency) = by.currency {
            *self.prices.entry(currency).or_default() += amounts.price;
        }
    }

    fn is_nothing(&self) -> bool {
        self.amounts.is_nothing() && self.prices.values().all(|price| *price == 0)
    }

    /// Returns how much of a metric it is.
    pub fn of(&self, metric: Metric) -> Sum {
        match metric {
            Metric::Count => Sum::Whole(self.amounts.count),
            Metric::NumParts => Sum::Whole(self.amounts.num_parts),
            Metric::Duration => Sum::Whole(self.amounts.duration_sec),
            Metric::Price(currency) => {
                let price = self.prices.get(&currency).copied().unwrap_or(0);
                Sum::Money(Amount::of_millionths(price))
            }
        }
    }
}

/// A sum as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sum {
    /// Of whole things.
    Whole(i64),
    /// Of money.
    Money(Amount),
}

/// Where links lead is part of texts, with what they say of contacts.
fn require(who: &Who, stats: &MessageStats) -> Result<(), Refusal> {
    who.require(PERMISSION)?;
    if stats.properties.contains(&Property::Link) {
        who.require(messages::VIEW)?;
        who.require(contacts::VIEW)?;
    }
    Ok(())
}

/// Counts a project's messages, those of today too.
pub async fn of_project(
    actor: &Actor,
    stats: &MessageStats,
) -> Result<Vec<IntervalGroups>, Failure> {
    require(&actor.who, stats)?;
    let zone = Zone::find(&actor.project.timezone_id).unwrap_or(Zone::UTC);
    let calendar = Calendar::of(zone, stats.asked)?;
    let (project, stats) = (Arc::clone(&actor.project), stats.clone());
    let share = actor.hub.store.of(actor.project.id);
    let reading = share.read(move |tx| {
        let organization = organizations::get(tx, project.organization_id)?;
        let projects = std::slice::from_ref(&*project);
        gather(tx, organization.as_ref(), projects, &calendar, &stats)
    });
    Ok(reading.await??)
}

/// Counts the messages of an organization's projects, by its own days, until the end of yesterday.
pub async fn of_organization(
    actor: &OrganizationActor,
    organization: &Organization,
    stats: &MessageStats,
) -> Result<Vec<IntervalGroups>, Failure> {
    require(&actor.who, stats)?;
    let zone = zone_of(organization);
    let today = Day::of(&zone, actor.now.unix).ok_or_else(|| Refusal::internal("no such day"))?;
    let calendar = Calendar::before(zone, stats.asked, today)?;
    let (organization, stats) = (organization.clone(), stats.clone());
    let share = actor.hub.store.of_organization(organization.id);
    let reading = share.read(move |tx| {
        let projects = projects::of_organization(tx, organization.id)?;
        gather(tx, Some(&organization), &projects, &calendar, &stats)
    });
    Ok(reading.await??)
}

/// Reads the counters; refuses too many groups.
fn gather(
    tx: &mut Tx<'_>,
    organization: Option<&Organization>,
    projects: &[Project],
    calendar: &Calendar,
    stats: &MessageStats,
) -> Result<Result<Vec<IntervalGroups>, Refusal>, StoreError> {
    let mut groups = Groups::default();
    let reading = |tx: &mut Tx<'_>| {
        projects.iter().try_for_each(|project| {
            let mut names = Names::of(tx, organization, project, stats)?;
            let add = |by: CountedBy, amounts: Amounts| {
                groups.add(calendar, stats, &mut names, (&by, &Cell::Nothing), amounts);
            };
            each_counter(tx, project, calendar, add)?;
            if stats.properties.contains(&Property::Link) {
                add_links(tx, project, calendar, |by, link, amounts| {
                    groups.add(calendar, stats, &mut names, (by, link), amounts);
                })
            } else {
                Ok(())
            }
        })
    };
    tx.within(list::TIME_MAX, reading)?;
    Ok(groups.shown(calendar.slots()))
}

/// Hands on each counter: those of days that are added up, and those of the quarter hours between
/// them.
fn each_counter(
    tx: &mut Tx<'_>,
    project: &Project,
    calendar: &Calendar,
    mut add: impl FnMut(CountedBy, Amounts),
) -> Result<(), StoreError> {
    let Some(whole) = calendar.span() else {
        return Ok(());
    };
    let mut days = statistics::added_up(tx, project.id, whole)?;
    days.retain(|day| calendar.is_day(*day));
    let wanted: BTreeSet<Span> = days.iter().copied().collect();
    statistics::of_days(tx, project.id, whole, |day| wanted.contains(&day), &mut add)?;
    for gap in gaps(whole, &days) {
        statistics::of_quarters(tx, project.id, gap, &mut add)?;
    }
    Ok(())
}

/// Hands on where the links of messages lead, and takes these messages from those without links.
fn add_links(
    tx: &mut Tx<'_>,
    project: &Project,
    calendar: &Calendar,
    mut add: impl FnMut(&CountedBy, &Cell, Amounts),
) -> Result<(), StoreError> {
    let Some(whole) = calendar.span() else {
        return Ok(());
    };
    statistics::of_links(tx, project.id, whole, |link, to, by, amounts| match link {
        CountedLink::Any => add(&by, &Cell::Nothing, -amounts),
        CountedLink::Other => add(&by, &Cell::Word(OTHER), amounts),
        CountedLink::Destination(_) => {
            add(&by, &to.map_or(Cell::Word(OTHER), Cell::text), amounts);
        }
    })
}

/// Returns what days leave over of a span.
fn gaps(whole: Span, days: &[Span]) -> Vec<Span> {
    let starts = std::iter::once(whole.first).chain(days.iter().map(|day| day.until));
    let ends = days.iter().map(|day| day.first);
    let ends = ends.chain(std::iter::once(whole.until));
    let between = starts.zip(ends);
    let gaps = between.map(|(first, until)| Span { first, until });
    gaps.filter(|gap| gap.first < gap.until).collect()
}

/// What was counted so far, by interval and group.
#[derive(Default)]
struct Groups {
    sums: BTreeMap<(usize, Vec<Cell>), Sums>,
    is_full: bool,
}

impl Groups {
    fn add(
        &mut self,
        calendar: &Calendar,
        stats: &MessageStats,
        names: &mut Names,
        (by, link): (&CountedBy, &Cell),
        amounts: Amounts,
    ) {
        let Some(slot) = calendar.slot_of(by.quarter) else {
            return;
        };
        if amounts.is_nothing() || self.is_full || !stats.filters.take(by) {
            return;
        }
        let cells = stats.properties.iter().map(|one| match one {
            Property::Link => link.clone(),
            _ => names.cell(*one, by),
        });
        let sums = self.sums.entry((slot, cells.collect())).or_default();
        sums.add(by, amounts);
        self.is_full = self.sums.len() > GROUPS_MAX;
    }

    fn shown(self, slots: &[Slot]) -> Result<Vec<IntervalGroups>, Refusal> {
        if self.is_full {
            let rule = format_args!("must come to at most {GROUPS_MAX} groups in all intervals");
            return Err(Refusal::invalid_param("properties", rule));
        }
        let mut shown: BTreeMap<usize, IntervalGroups> = BTreeMap::new();
        let something = self.sums.into_iter();
        for ((at, cells), sums) in something.filter(|(_, sums)| !sums.is_nothing()) {
            let slot = slots[at];
            let (start, end) = slot.moments();
            let interval = shown.entry(at).or_insert_with(|| IntervalGroups {
                interval: slot.interval,
                start,
                end,
                groups: Vec::new(),
            });
            interval.groups.push((cells, sums));
        }
        Ok(shown.into_values().collect())
    }
}

/// What is said of counters that they do not hold themselves.
struct Names {
    organization: [Cell; 2],
    project: [Cell; 2],
    phones: BTreeMap<PhoneId, (Cell, PhoneType)>,
    /// The ids of the phones so far: each is made into a text once.
    phone_ids: BTreeMap<PhoneId, Cell>,
}

impl Names {
    fn of(
        tx: &mut Tx<'_>,
        organization: Option<&Organization>,
        project: &Project,
        stats: &MessageStats,
    ) -> Result<Self, StoreError> {
        let of_phone = |one: &Property| matches!(one, Property::PhoneName | Property::PhoneType);
        let phones = if stats.properties.iter().any(of_phone) {
            phones::names(tx, project.id)?
        } else {
            Vec::new()
        };
        let phones = phones.into_iter();
        let name =
            organization.map_or(Cell::Nothing, |organization| Cell::text(&organization.name));
        Ok(Self {
            organization: [Cell::text(&project.organization_id.to_string()), name],
            project: [
                Cell::text(&project.id.to_string()),
                Cell::text(&project.name),
            ],
            phones: phones
                .map(|(id, name, kind)| (id, (Cell::text(&name), kind)))
                .collect(),
            phone_ids: BTreeMap::new(),
        })
    }

    fn cell(&mut self, property: Property, by: &CountedBy) -> Cell {
        let ([org_id, org_name], [project_id, project_name]) = (&self.organization, &self.project);
        let phone = self.phones.get(&by.phone_id);
        match property {
            Property::OrgId => org_id.clone(),
            Property::OrgName => org_name.clone(),
            Property::ProjectId => project_id.clone(),
            Property::ProjectName => project_name.clone(),
            Property::PhoneId => {
                let id = self.phone_ids.entry(by.phone_id);
                let id = id.or_insert_with(|| Cell::text(&by.phone_id.to_string()));
                id.clone()
            }
            Property::PhoneName => phone.map_or(Cell::Nothing, |(name, _)| name.clone()),
            Property::PhoneType => {
                phone.map_or(Cell::Nothing, |(_, kind)| Cell::Word(kind.as_str()))
            }
            Property::Direction => Cell::Word(by.direction.as_str()),
            Property::Source => Cell::Word(by.source.as_str()),
            Property::Status => Cell::Word(by.status.as_str()),
            Property::NetworkCode => by.network_code.as_deref().map_or(Cell::Nothing, Cell::text),
            Property::MessageType => Cell::Word(by.message_type.as_str()),
            Property::Simulated => Cell::Flag(by.simulated),
            Property::OrgIndustry
            | Property::UserId
            | Property::UserEmail
            | Property::UserName
            | Property::NetworkName
            | Property::ServiceId
            | Property::ServiceName
            | Property::Link => Cell::Nothing,
        }
    }
}
