//! What a resource shows to templates.

use hub_domain::{Contact, Phone, Project, VarValue, Vars};
use postrider_model::UnixMs;
use std::borrow::Cow;

/// A resource as templates see it.
pub trait Fields {
    /// Returns the text of a field, by the parts of its name behind the resource's.
    ///
    /// Moments are Unix seconds, truth values `true` or `false`; `None` is nothing.
    fn field(&self, path: &[&str]) -> Option<Cow<'_, str>>;
}

impl Fields for Vars {
    fn field(&self, path: &[&str]) -> Option<Cow<'_, str>> {
        let [name] = path else { return None };
        Some(match self.get(name)? {
            VarValue::Text(text) => Cow::Borrowed(text),
            VarValue::Number(number) => Cow::Owned(number.to_string()),
            VarValue::Flag(flag) => Cow::Borrowed(if *flag { "true" } else { "false" }),
        })
    }
}

impl Fields for Contact {
    fn field(&self, path: &[&str]) -> Option<Cow<'_, str>> {
        match path {
            ["id"] => shown(self.id),
            ["name"] => lent(self.name.as_deref()),
            ["phone_number"] => lent(self.phone_number.as_ref().map(|number| number.as_str())),
            ["send_blocked"] => shown(self.send_blocked),
            ["conversation_status"] => lent(Some(self.conversation_status.as_str())),
            ["default_route_id"] => self.default_route_id.and_then(shown),
            ["time_created"] => moment(Some(self.time_created)),
            ["time_updated"] => moment(Some(self.time_updated)),
            ["last_message_time"] => moment(self.last_message_time),
            ["last_incoming_message_time"] => moment(self.last_incoming_message_time),
            ["last_outgoing_message_time"] => moment(self.last_outgoing_message_time),
            ["message_count"] => shown(self.message_count),
            ["incoming_message_count"] => shown(self.incoming_message_count),
            ["outgoing_message_count"] => shown(self.outgoing_message_count),
            ["last_message_id"] => self.last_message_id.and_then(shown),
            ["vars", rest @ ..] => self.vars.field(rest),
            _ => None,
        }
    }
}

impl Fields for Phone {
    fn field(&self, path: &[&str]) -> Option<Cow<'_, str>> {
        match path {
            ["id"] => shown(self.id),
            ["name"] => lent(Some(&self.name)),
            ["phone_number"] => lent(self.phone_number.as_ref().map(|number| number.as_str())),
            ["country"] => lent(self.country.as_deref()),
            ["vars", rest @ ..] => self.vars.field(rest),
            _ => None,
        }
    }
}

impl Fields for Project {
    fn field(&self, path: &[&str]) -> Option<Cow<'_, str>> {
        match path {
            ["id"] => shown(self.id),
            ["name"] => lent(Some(&self.name)),
            ["timezone_id"] => lent(Some(&self.timezone_id)),
            ["vars", rest @ ..] => self.vars.field(rest),
            _ => None,
        }
    }
}

fn lent(text: Option<&str>) -> Option<Cow<'_, str>> {
    text.map(Cow::Borrowed)
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "every field may be nothing, and this is one"
)]
fn shown(value: impl ToString) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(value.to_string()))
}

fn moment(at: Option<UnixMs>) -> Option<Cow<'static, str>> {
    at.and_then(|at| shown(at.seconds()))
}
