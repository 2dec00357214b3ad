//! Labels of messages.

use crate::Vars;
use postrider_model::{LabelId, ProjectId, UnixMs};

/// A label of a project, which any number of messages may have.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// Its id.
    pub id: LabelId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// Its name, of which there is one in a project.
    pub name: String,
    /// When it was made.
    pub time_created: UnixMs,
    /// The caller's own variables.
    pub vars: Vars,
}

impl Label {
    /// Makes a label that no message has yet.
    pub fn new(id: LabelId, project_id: ProjectId, name: &str, now: UnixMs) -> Self {
        Self {
            id,
            project_id,
            name: name.to_owned(),
            time_created: now,
            vars: Vars::default(),
        }
    }
}
