//! Message templates: texts that people and programs keep to use again.

use crate::Vars;
use postrider_model::{MessageTemplateId, ProjectId, UnixMs};

/// A message template of a project. The hub keeps it for others and sends nothing by it.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageTemplate {
    /// Its id.
    pub id: MessageTemplateId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// What people call it.
    pub name: String,
    /// Its text and what goes with it, as JSON.
    pub message: String,
    /// Whether clicks on the links of its text are to count.
    pub track_clicks: bool,
    /// How such links are to be made, as JSON.
    pub short_link_params: Option<String>,
    /// The caller's own variables.
    pub vars: Vars,
    /// When it was made.
    pub time_created: UnixMs,
    /// When it was changed last.
    pub time_updated: UnixMs,
}
