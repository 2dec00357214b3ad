//! Which simulated messages have their next step now, route by route.
//!
//! What a test route holds back (its pause, quiet hours, gap and limit; no phone keeps them for it)
//! is passed over in one step of an index, however much that is: it delays no other route.

use hub_domain::{Phone, PhoneType, ProjectShares};
use hub_store::damaged::Found;
use hub_store::{StoreError, Tx, messages, phones, projects};
use postrider_link::ownership::hub::HubState;
use postrider_model::{ProjectId, UnixMs};
use std::collections::BTreeMap;

/// Most routes that are looked at in one reading.
const ROUTES_MAX: usize = 256;
/// Most messages of one route that are played in one turn.
const OF_ROUTE_MAX: u32 = 64;
/// Most messages of one project that are played in one turn.
const OF_PROJECT_MAX: usize = 256;

/// What some routes can play.
#[derive(Debug, Default)]
pub struct Page {
    /// The messages of each project, the oldest of each route first.
    pub by_project: BTreeMap<ProjectId, Vec<i64>>,
    /// When the first route that keeps a gap may play what it has.
    pub next_slot: Option<UnixMs>,
    /// Routes whose own row cannot be read, with their projects.
    pub damaged: Vec<(ProjectId, i64)>,
    /// The last route that was looked at; `None` when there are no more.
    pub last: Option<i64>,
}

impl Page {
    /// Reads what the routes above `above` can play at a moment, of the projects in some shares.
    pub fn read(
        tx: &mut Tx<'_>,
        of: ProjectShares,
        above: i64,
        now: UnixMs,
    ) -> Result<Self, StoreError> {
        let mut page = Self {
            last: Some(above),
            ..Self::default()
        };
        for _ in 0..ROUTES_MAX {
            let last = page.last.unwrap_or(above);
            let Some((route, project)) = messages::simulated_on(tx, last)? else {
                page.last = None;
                return Ok(page);
            };
            page.last = Some(route);
            if let Some(project) = project.filter(|id| of.has(*id)) {
                page.add(tx, project, route, now)?;
            }
        }
        Ok(page)
    }

    fn add(
        &mut self,
        tx: &mut Tx<'_>,
        project: ProjectId,
        route: i64,
        now: UnixMs,
    ) -> Result<(), StoreError> {
        let phone = match phones::found(tx, route)? {
            Some(Found::Damaged(_)) => {
                self.damaged.push((project, route));
                return Ok(());
            }
            Some(Found::Row(phone)) => Some(phone),
            None => None,
        };
        let of_project = projects::zone_and_halt(tx, project, now)?;
        let (zone, is_halted) = of_project.unwrap_or_default();
        let room = Room::of(phone.as_ref(), &zone, is_halted, now);
        let taken = self.by_project.entry(project).or_default();
        if taken.len() < OF_PROJECT_MAX {
            taken.extend(room.take(tx, route)?);
            taken.truncate(OF_PROJECT_MAX);
        }
        if let Some(slot) = room.rests_until
            && room.has_waiting(tx, route)?
        {
            self.next_slot = Some(self.next_slot.map_or(slot, |first| first.min(slot)));
        }
        Ok(())
    }
}

/// What a route lets through at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// How many messages that still wait for it.
    waiting: u32,
    /// Whether it keeps a gap after each message that it hands over.
    has_gap: bool,
    /// Until when it keeps the gap after its last one.
    rests_until: Option<UnixMs>,
}

impl Room {
    /// Works it out; a phone that is gone, or no test route, holds back by its pause alone. Of a project that is
    /// halted nothing leaves.
    pub fn of(phone: Option<&Phone>, project_zone: &str, is_halted: bool, now: UnixMs) -> Self {
        let mut room = Self {
            waiting: OF_ROUTE_MAX,
            has_gap: false,
            rests_until: None,
        };
        if is_halted {
            room.waiting = 0;
        }
        let Some(phone) = phone else { return room };
        if phone.send_paused {
            room.waiting = 0;
        }
        if phone.phone_type != PhoneType::Simulated {
            return room;
        }
        if phone.quiet_until(project_zone, now).is_some() {
            room.waiting = 0;
        }
        let left = phone.sends_left().unwrap_or(u64::MAX);
        room.waiting = room.waiting.min(u32::try_from(left).unwrap_or(u32::MAX));
        room.has_gap = phone.send_delay_ms > 0;
        room.rests_until = phone.rests_until(now);
        room
    }

    /// Says whether a message that waits for the route, for the first time or again, may go.
    pub const fn admits(&self, is_new: bool) -> bool {
        self.rests_until.is_none() && (!is_new || self.waiting > 0)
    }

    fn take(&self, tx: &mut Tx<'_>, route: i64) -> Result<Vec<i64>, StoreError> {
        let mut ids = Vec::new();
        if self.rests_until.is_none() {
            ids = messages::simulated(tx, route, HubState::Waiting, self.waiting)?;
            ids.extend(messages::simulated(
                tx,
                route,
                HubState::Retrying,
                OF_ROUTE_MAX,
            )?);
            ids.sort_unstable();
        }
        if self.has_gap {
            ids.truncate(1);
        }
        ids.extend(messages::simulated(
            tx,
            route,
            HubState::Sent,
            OF_ROUTE_MAX,
        )?);
        ids.sort_unstable();
        ids.truncate(OF_ROUTE_MAX as usize);
        Ok(ids)
    }

    /// Says whether anything waits for the end of the gap.
    fn has_waiting(&self, tx: &mut Tx<'_>, route: i64) -> Result<bool, StoreError> {
        let is_new =
            self.waiting > 0 && !messages::simulated(tx, route, HubState::Waiting, 1)?.is_empty();
        Ok(is_new || !messages::simulated(tx, route, HubState::Retrying, 1)?.is_empty())
    }
}
