//! What a request says of a contact, read into domain types.

use crate::failure::Failure;
use crate::hub::Hub;
use crate::parse;
use hub_domain::{
    Address, Contact, ConversationStatus, Group, Project, RouteId, VarsChange, numbers,
};
use hub_store::{Tx, groups};
use hub_web::{ApiError, Field, Params};
use postrider_model::GroupId;
use std::fmt;

/// Longest number that is looked at, in characters.
const NUMBER_LENGTH_MAX: usize = 64;

/// What a request says of one contact; `None` is what it leaves out.
#[derive(Debug, Clone)]
pub struct ContactPatch {
    /// The name; an inner `None` takes it away.
    pub name: Option<Option<String>>,
    /// The number; an inner `None` takes it away.
    pub phone_number: Option<Option<Address>>,
    send_blocked: Option<bool>,
    conversation_status: Option<ConversationStatus>,
    default_route_id: Option<Option<RouteId>>,
    /// Changes of variables.
    pub vars: VarsChange,
    /// Where the variables stand, as an error names it.
    vars_path: String,
}

impl ContactPatch {
    /// Reads one contact, whose parameters `get` finds; numbers are read in `region`.
    pub fn read<'a>(
        get: impl Fn(&'static str) -> Field<'a>,
        region: Option<&str>,
    ) -> Result<Self, ApiError> {
        let vars = get("vars");
        let route = get("default_route_id");
        let route_id = parse::route_id(&route)?;
        Ok(Self {
            name: name(&get("name"))?,
            phone_number: number(&get("phone_number"), region)?,
            send_blocked: get("send_blocked").boolean()?,
            conversation_status: get("conversation_status").one_of(&[
                ("active", ConversationStatus::Active),
                ("handled", ConversationStatus::Handled),
                ("closed", ConversationStatus::Closed),
            ])?,
            default_route_id: route.is_present().then_some(route_id),
            vars: parse::vars(&vars)?,
            vars_path: vars.path().to_string(),
        })
    }

    /// Has contacts sent to by a route, whatever was read of each.
    pub fn sent_by(&mut self, route: Option<Option<RouteId>>) {
        self.default_route_id = route.or(self.default_route_id);
    }

    /// Returns the route or phone that it names.
    pub fn route(&self) -> Option<RouteId> {
        self.default_route_id.flatten()
    }

    pub(super) fn named(&self) -> Option<&str> {
        self.name.as_ref()?.as_deref()
    }

    pub(super) fn number(&self) -> Option<&Address> {
        self.phone_number.as_ref()?.as_ref()
    }

    /// Applies what was given; a number only when it says more than what the contact has, where it
    /// was found by its number (`by_number`).
    pub fn apply(&self, contact: &mut Contact, by_number: bool) -> Result<(), ApiError> {
        if let Some(name) = &self.name {
            contact.name.clone_from(name);
        }
        if let Some(number) = &self.phone_number
            && !(by_number && keeps(contact, number.as_ref()))
        {
            contact.number_e164 = number.as_ref().and_then(numbers::in_e164);
            contact.phone_number.clone_from(number);
        }
        if let Some(blocked) = self.send_blocked {
            contact.send_blocked = blocked;
        }
        if let Some(status) = self.conversation_status {
            contact.conversation_status = status;
        }
        if let Some(route) = self.default_route_id {
            contact.default_route_id = route;
        }
        let refused = |invalid| {
            ApiError::invalid_param(&self.vars_path, format_args!("cannot be taken: {invalid}"))
        };
        contact.vars.apply(self.vars.clone()).map_err(refused)
    }
}

/// A number in E.164 is worth more than one that is only written differently.
fn keeps(contact: &Contact, patch: Option<&Address>) -> bool {
    contact.number_e164.is_some() || patch.and_then(numbers::in_e164).is_none()
}

fn name(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let text = field.string(parse::NAME_LENGTH_MAX)?.map(str::trim);
    let text = text.filter(|text| !text.is_empty()).map(str::to_owned);
    Ok(field.is_present().then_some(text))
}

/// Reads a number; what cannot be one is refused, empty is none.
pub(super) fn number(
    field: &Field<'_>,
    region: Option<&str>,
) -> Result<Option<Option<Address>>, ApiError> {
    let typed = field
        .string(NUMBER_LENGTH_MAX)?
        .filter(|typed| !typed.trim().is_empty());
    let number = typed
        .map(|typed| numbers::parse(typed, region, numbers::Names::Refused))
        .transpose()
        .map_err(|error| field.refuse(error))?;
    Ok(field.is_present().then(|| number.map(Address::from)))
}

/// The groups that a request puts contacts into and takes them out of.
#[derive(Debug, Clone, Default)]
pub struct GroupChanges {
    join: Vec<(String, GroupId)>,
    leave: Vec<(String, GroupId)>,
}

/// The groups themselves, as they stand in the transaction.
#[derive(Debug, Default)]
pub struct FoundGroups {
    /// The groups to join.
    pub join: Vec<Group>,
    /// The groups to leave.
    pub leave: Vec<GroupId>,
}

impl GroupChanges {
    /// Reads `add_group_ids` and `remove_group_ids`, at most `most` of each.
    pub fn read(params: &Params, most: usize) -> Result<Self, ApiError> {
        Ok(Self {
            join: group_ids(&params.get("add_group_ids"), most)?,
            leave: group_ids(&params.get("remove_group_ids"), most)?,
        })
    }

    /// Finds the groups, none of which may be another project's or a dynamic one.
    pub fn find(&self, tx: &mut Tx<'_>, project: &Project) -> Result<FoundGroups, Failure> {
        let mut found = FoundGroups::default();
        for (path, id) in self.join.iter().chain(&self.leave) {
            let rule = match groups::get(tx, project.id, *id)? {
                None => "is not the id of a group of this project",
                Some(group) if group.is_dynamic() => {
                    "is a dynamic group: its filters say who is in it"
                }
                Some(group) => {
                    found.join.push(group);
                    continue;
                }
            };
            return Err(ApiError::invalid_param(path, rule).into());
        }
        let leave = found.join.split_off(self.join.len());
        found.leave = leave.into_iter().map(|group| group.id).collect();
        Ok(found)
    }
}

fn group_ids(field: &Field<'_>, most: usize) -> Result<Vec<(String, GroupId)>, ApiError> {
    let items = field.array(most)?.unwrap_or_default();
    let read = |item: Field<'_>| {
        let id = parse::id(&item, "group")?.ok_or_else(|| parse::no_such(&item, "group"))?;
        Ok((item.path().to_string(), id))
    };
    items.into_iter().map(read).collect()
}

/// Checks that a contact's own route, which `param` names, is one of the project's.
pub async fn check_route(
    hub: &Hub,
    project: &Project,
    route: Option<RouteId>,
    param: impl fmt::Display,
) -> Result<(), Failure> {
    let known = match route {
        None => true,
        Some(RouteId::Phone(id)) => hub.cache.phone(&hub.store, project.id, id).await?.is_some(),
        Some(RouteId::Custom(id)) => hub.cache.route(&hub.store, project.id, id).await?.is_some(),
    };
    if known {
        return Ok(());
    }
    let rule = "is not the id of a phone or route of this project";
    Err(ApiError::invalid_param(param, rule).into())
}
