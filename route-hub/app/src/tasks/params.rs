//! What a task is to do its work with.

use hub_domain::{ConversationStatus, RouteId, VarsChange, is_variable};
use hub_view::Refusal;
use postrider_model::{FileId, GroupId, LabelId};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::fmt;

/// The parameters of a task; each type takes its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskParams {
    /// The custom variable to set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Its value; `null` takes it away.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "even_null"
    )]
    pub value: Option<Json>,
    /// The group to join or leave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_id: Option<GroupId>,
    /// The label to put on or take off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_id: Option<LabelId>,
    /// Whether nothing is to be sent to contacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_blocked: Option<bool>,
    /// How far a person is with contacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_status: Option<ConversationStatus>,
    /// What is to send messages again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route_id: Option<RouteId>,
    /// What the file that is written is called; its end says how it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// Its columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column_ids: Option<Vec<String>>,
    /// The file that is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_id: Option<FileId>,
    /// Where in it each field is: in which column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<BTreeMap<String, ColumnRef>>,
    /// Whether its first line has the names of its columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_header: Option<bool>,
    /// By what its rows find what is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lookup_key: Option<String>,
    /// The groups that contacts join.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_group_ids: Option<Vec<GroupId>>,
    /// The groups that contacts leave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove_group_ids: Option<Vec<GroupId>>,
    /// Whether nothing is written: only said what would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// A column of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ColumnRef {
    /// By its place, from 1.
    Place(u32),
    /// By its name in the first line.
    Name(String),
}

fn even_null<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(from).map(Some)
}

impl TaskParams {
    /// Writes them as JSON.
    pub(super) fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// Reads what [`Self::to_json`] wrote.
    pub(super) fn from_json(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Refuses every parameter but these, which must be given.
    pub(super) fn are(&self, names: &[&str]) -> Result<(), Refusal> {
        self.may_have(names)?;
        let json = serde_json::json!(self);
        match names.iter().find(|name| json.get(**name).is_none()) {
            Some(missing) => Err(required(missing)),
            None => Ok(()),
        }
    }

    /// Refuses every parameter but these.
    pub(super) fn may_have(&self, names: &[&str]) -> Result<(), Refusal> {
        let json = serde_json::json!(self);
        let mut given = json.as_object().into_iter().flat_map(Map::keys);
        match given.find(|name| !names.contains(&name.as_str())) {
            Some(other) => Err(refused(other, "is not a parameter of this type of task")),
            None => Ok(()),
        }
    }

    /// Returns the change of a variable.
    pub(super) fn change(&self) -> Result<VarsChange, Refusal> {
        self.are(&["variable", "value"])?;
        let variable = self.variable.as_deref().unwrap_or_default();
        if !is_variable(variable) {
            let rule = "must have 1 to 32 characters of a-z, A-Z, 0-9 and _";
            return Err(refused("variable", rule));
        }
        let mut change = Map::new();
        change.insert(
            variable.to_owned(),
            self.value.clone().unwrap_or(Json::Null),
        );
        let change = VarsChange::parse(&Json::Object(change));
        change.map_err(|invalid| refused("value", format_args!("cannot be taken: {invalid}")))
    }
}

/// Refuses a parameter of the task's work.
pub(super) fn refused(name: &str, rule: impl fmt::Display) -> Refusal {
    Refusal::invalid_param(format_args!("task_params[{name}]"), rule)
}

/// Refuses work without a parameter that it needs.
pub(super) fn required(name: &str) -> Refusal {
    refused(name, "is required")
}
