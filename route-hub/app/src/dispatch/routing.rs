//! Which phone a custom route picks. `hub_domain::routing` decides; what it asks for is looked up here.

use crate::unit_of_work::{Known, UnitOfWork};
use hub_domain::routing::{Ability, Facts, PhoneState, Pick, Route, UsePhone, better, choose};
use hub_domain::{Address, DeviceState, Message, MessageType, Phone, Project, numbers, recipients};
use hub_store::{StoreError, contacts, devices, groups, messages, phones};
use postrider_model::{ContactId, GroupId, Now, PhoneId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A longer queue than this counts as one of this length.
const QUEUE_COUNTED_MAX: i64 = 1_000;
/// How often a message that a phone provably did not send may go to another one.
const ATTEMPTS_MAX: u32 = 5;

/// What a route is asked to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// The recipient.
    pub to: &'a Address,
    /// The message's type.
    pub message_type: MessageType,
    /// The recipient as a contact.
    pub contact_id: Option<ContactId>,
    /// Whether it is only a test, which providers' phones take as well.
    pub simulated: bool,
}

impl<'a> Wanted<'a> {
    /// Reads it off a stored message; `None` for one without a recipient.
    pub(crate) fn of(message: &'a Message) -> Option<Self> {
        Some(Self {
            to: message.to_number.as_ref()?,
            message_type: message.message_type,
            contact_id: message.contact_id,
            simulated: message.simulated,
        })
    }
}

/// What picking goes by.
struct Picking<'r> {
    offers: Vec<&'r UsePhone>,
    states: BTreeMap<PhoneId, PhoneState>,
    draw: u64,
}

/// Picks the phone for a message; `None` when the route has none that ever could send it.
pub(crate) fn pick(
    work: &mut UnitOfWork<'_, '_>,
    route: &Route,
    wanted: &Wanted<'_>,
) -> Result<Option<Arc<Phone>>, StoreError> {
    let picking = look(work, route, wanted)?;
    let choice = choose(&picking.offers, &picking.states, picking.draw);
    Ok(choice.and_then(|choice| taken(work, choice.phone)))
}

/// Picks a phone for a waiting message whose own cannot send it any more; `None` while that one is
/// as good as any.
pub(crate) fn pick_better(
    work: &mut UnitOfWork<'_, '_>,
    route: &Route,
    message: &Message,
) -> Result<Option<Arc<Phone>>, StoreError> {
    let Some(wanted) = Wanted::of(message) else {
        return Ok(None);
    };
    let picking = look(work, route, &wanted)?;
    let other = better(
        &picking.offers,
        &picking.states,
        message.phone_id,
        picking.draw,
    );
    Ok(other.and_then(|id| taken(work, id)))
}

/// Picks another phone than the message's own, one that can send now.
pub(crate) fn pick_other(
    work: &mut UnitOfWork<'_, '_>,
    message: &Message,
) -> Result<Option<Arc<Phone>>, StoreError> {
    let route = match message.route_id {
        Some(id) => work.hub.cache.route_in(work.tx, id)?,
        None => None,
    };
    let (Some(route), Some(wanted)) = (route, Wanted::of(message)) else {
        return Ok(None);
    };
    let mut picking = look(work, &route, &wanted)?;
    picking.states.remove(&message.phone_id);
    let choice = choose(&picking.offers, &picking.states, picking.draw);
    let choice = choice.filter(|choice| choice.can_send);
    Ok(choice.and_then(|choice| taken(work, choice.phone)))
}

/// Says whether a message that is proven unsent goes to another phone: its route has others, and
/// it was not tried too often.
pub(crate) fn may_move(
    work: &mut UnitOfWork<'_, '_>,
    message: &Message,
) -> Result<bool, StoreError> {
    let Some(id) = message.route_id else {
        return Ok(false);
    };
    let route = work.hub.cache.route_in(work.tx, id)?;
    let has_others = route.is_some_and(|route| route.actions.phones().len() > 1);
    Ok(has_others && message.send_attempts() < ATTEMPTS_MAX)
}

/// Counts the message in the queue of the phone that it goes to.
fn taken(work: &mut UnitOfWork<'_, '_>, id: PhoneId) -> Option<Arc<Phone>> {
    let known = work.known.get_mut(&id)?.as_mut()?;
    known.queue = known.queue.map(|queue| queue + 1);
    Some(Arc::clone(&known.phone))
}

fn look<'r>(
    work: &mut UnitOfWork<'_, '_>,
    route: &'r Route,
    wanted: &Wanted<'_>,
) -> Result<Picking<'r>, StoreError> {
    let number = wanted.to.number();
    let region = work.project.country.as_deref();
    let countries = number
        .as_ref()
        .map_or_else(Vec::new, |number| numbers::regions(number, region));
    let country = match countries.as_slice() {
        [only] => Some(*only),
        several => region.filter(|region| several.contains(region)),
    };
    let facts = Facts {
        to_number: wanted.to.as_str(),
        country,
        message_type: wanted.message_type.as_str(),
        groups: &groups(work, route, wanted.contact_id)?,
    };
    let offers = route.actions.offers(&facts);
    let counts_queues = offers.iter().any(|offer| offer.pick == Pick::ShortestQueue);
    let draws = offers.iter().any(|offer| offer.pick == Pick::Weight);
    let named = offers.iter().flat_map(|offer| &offer.phones);
    let mut states = BTreeMap::new();
    for (id, _) in named {
        if let Some(state) = state(work, *id, wanted, counts_queues)? {
            states.insert(*id, state);
        }
    }
    Ok(Picking {
        offers,
        states,
        draw: if draws { work.hub.random.number() } else { 0 },
    })
}

/// Returns the groups that a contact is in, of those that a route asks for.
fn groups(
    work: &mut UnitOfWork<'_, '_>,
    route: &Route,
    contact_id: Option<ContactId>,
) -> Result<BTreeSet<String>, StoreError> {
    let mut found = BTreeSet::new();
    let Some(contact_id) = contact_id else {
        return Ok(found);
    };
    for name in route.actions.groups() {
        if let Ok(group) = name.parse()
            && is_in(work, contact_id, group)?
        {
            found.insert(name.to_owned());
        }
    }
    Ok(found)
}

/// Says whether a contact is in a group. What a dynamic one's conditions say is asked once in a unit
/// of work, and not at all where a reader has told it before.
fn is_in(
    work: &mut UnitOfWork<'_, '_>,
    contact: ContactId,
    id: GroupId,
) -> Result<bool, StoreError> {
    if let Some(known) = work.groups.get(&(contact, id)) {
        return Ok(*known);
    }
    let Some(group) = groups::get(work.tx, work.project.id, id)? else {
        return Ok(false);
    };
    if group.filters.is_none() {
        return groups::is_member(work.tx, id, contact);
    }
    let is_in = contacts::meets(work.tx, &group, contact)?;
    work.groups.insert((contact, id), is_in);
    Ok(is_in)
}

fn state(
    work: &mut UnitOfWork<'_, '_>,
    id: PhoneId,
    wanted: &Wanted<'_>,
    counts_queue: bool,
) -> Result<Option<PhoneState>, StoreError> {
    if !work.known.contains_key(&id) {
        let known = known(work, id)?;
        work.known.insert(id, known);
    }
    let is_uncounted = |known: &Option<Known>| known.as_ref().is_some_and(|it| it.queue.is_none());
    if counts_queue && work.known.get(&id).is_some_and(is_uncounted) {
        work.write_made()?;
    }
    let project = work.project;
    let Some(Some(known)) = work.known.get_mut(&id) else {
        return Ok(None);
    };
    if counts_queue && known.queue.is_none() {
        known.queue = Some(messages::queued_for(work.tx, id, QUEUE_COUNTED_MAX)?);
    }
    let ability = if takes(project, &known.phone, wanted) {
        known.ability
    } else {
        Ability::Never
    };
    Ok(Some(PhoneState {
        ability,
        queue: known.queue.unwrap_or(0),
    }))
}

/// Says whether a phone's kind and settings let it send to a recipient at all.
fn takes(project: &Project, phone: &Phone, wanted: &Wanted<'_>) -> bool {
    if phone.phone_type.is_provider() && !wanted.simulated {
        return false;
    }
    if wanted.message_type == MessageType::Ussd {
        return true;
    }
    let region = phone.country.as_deref().or(project.country.as_deref());
    let number = wanted.to.number();
    number.is_some_and(|number| recipients::check(phone, &number, region).is_ok())
}

fn known(work: &mut UnitOfWork<'_, '_>, id: PhoneId) -> Result<Option<Known>, StoreError> {
    let Some(phone) = phones::get(work.tx, work.project.id, id)? else {
        return Ok(None);
    };
    let ability = ability(work, &phone)?;
    Ok(Some(Known {
        phone: Arc::new(phone),
        ability,
        queue: None,
    }))
}

fn ability(work: &mut UnitOfWork<'_, '_>, phone: &Phone) -> Result<Ability, StoreError> {
    let Some(device_id) = phone.device_id else {
        return Ok(held_or(phone, Ability::Ready));
    };
    if work.hub.bus.is_heard(phone.id) {
        return Ok(held_or(phone, Ability::Ready));
    }
    let device = devices::get(work.tx, device_id)?;
    let Some(device) = device.filter(|device| device.state != DeviceState::Revoked) else {
        return Ok(Ability::Never);
    };
    if device.connected_to.is_some() {
        return Ok(held_or(phone, Ability::Ready));
    }
    let gone_at = device.offline_since.or(device.time_last_seen);
    let gone_at = gone_at.unwrap_or(device.time_paired);
    let for_ms = away_ms(work.now, gone_at.0);
    Ok(held_or(phone, Ability::Away { for_ms }))
}

/// Nobody can come back to a hub that does not run: what went before counts from its start.
fn away_ms(now: Now, gone_at_ms: i64) -> u64 {
    let since = u64::try_from(now.unix.0 - gone_at_ms).unwrap_or(0);
    since.min(now.boot.0)
}

fn held_or(phone: &Phone, otherwise: Ability) -> Ability {
    let is_held = phone.send_paused || phone.sim_changed || phone.sends_left() == Some(0);
    if is_held { Ability::Held } else { otherwise }
}
