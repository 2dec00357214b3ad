//! Tasks: one operation on many things, done row by row.

use crate::Vars;
use crate::code::coded;
use postrider_model::{DataTableId, FileId, ProjectId, TaskId, UnixMs};

coded! {
    /// What a task does with each row.
    TaskType {
        /// Sets a custom variable of contacts.
        UpdateContactVar = "update_contact_var" / 1,
        /// Puts contacts into a group.
        AddGroupMembers = "add_group_members" / 2,
        /// Takes contacts out of a group.
        RemoveGroupMembers = "remove_group_members" / 3,
        /// Says how far a person is with contacts.
        SetConversationStatus = "set_conversation_status" / 4,
        /// Says whether anything is sent to contacts.
        SetSendBlocked = "set_send_blocked" / 5,
        /// Removes contacts.
        DeleteContacts = "delete_contacts" / 6,
        /// Writes contacts to a file.
        ExportContacts = "export_contacts" / 7,
        /// Sets a custom variable of rows.
        UpdateRowVar = "update_row_var" / 8,
        /// Removes rows.
        DeleteRows = "delete_rows" / 9,
        /// Writes rows to a file.
        ExportRows = "export_rows" / 10,
        /// Cancels messages.
        CancelMessages = "cancel_messages" / 11,
        /// Sends messages again.
        ResendMessages = "resend_messages" / 12,
        /// Puts a label on messages.
        AddLabel = "add_label" / 13,
        /// Takes a label off messages.
        RemoveLabel = "remove_label" / 14,
        /// Sets a custom variable of messages.
        UpdateMessageVar = "update_message_var" / 15,
        /// Removes messages.
        DeleteMessages = "delete_messages" / 16,
        /// Writes messages to a file.
        ExportMessages = "export_messages" / 17,
        /// Finds or makes the contacts of a file.
        ImportContacts = "import_contacts" / 18,
        /// Finds or makes the rows of a file.
        ImportRows = "import_rows" / 19,
    }
}

coded! {
    /// How far a task has come. Those below 4 are under way.
    TaskStatus {
        /// It is made.
        Created = "created" / 1,
        /// It waits for its turn.
        Queued = "queued" / 2,
        /// It goes through its rows.
        Active = "active" / 3,
        /// It has gone through its rows.
        Complete = "complete" / 4,
        /// It could not go on.
        Failed = "failed" / 5,
        /// Somebody cancelled it.
        Cancelled = "cancelled" / 6,
    }
}

coded! {
    /// How a task finds its rows.
    FilterType {
        /// Contacts that a list's filters let through.
        QueryContacts = "query_contacts" / 1,
        /// Contacts by their ids.
        ContactIds = "contact_ids" / 2,
        /// Rows of a data table that a list's filters let through.
        QueryRows = "query_rows" / 3,
        /// Rows of a data table by their ids.
        RowIds = "row_ids" / 4,
        /// Messages that a list's filters let through.
        QueryMessages = "query_messages" / 5,
        /// Messages by their ids.
        MessageIds = "message_ids" / 6,
    }
}

impl TaskStatus {
    /// Says whether there is still something to do.
    pub const fn is_under_way(self) -> bool {
        match self {
            Self::Created | Self::Queued | Self::Active => true,
            Self::Complete | Self::Failed | Self::Cancelled => false,
        }
    }
}

/// One operation on many things.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Its id; it works on what was made before it.
    pub id: TaskId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// What it does.
    pub task_type: TaskType,
    /// With what, as JSON.
    pub task_params: String,
    /// How it finds its rows; `None`: in a file.
    pub filter_type: Option<FilterType>,
    /// The filter as somebody gave it, as JSON.
    pub filter_params: String,
    /// The same as conditions of a list.
    pub filters: String,
    /// The data table whose rows it goes through.
    pub table_id: Option<DataTableId>,
    /// How far it has come.
    pub status: TaskStatus,
    /// How many rows there were when it began, as far as that is known.
    pub total_rows: Option<u64>,
    /// How many rows it has dealt with.
    pub current_row: u64,
    /// The key of the last of them; of rows of a file, where the next one begins.
    pub done_up_to: i64,
    /// How many of them failed.
    pub failed_rows: u64,
    /// Why it cannot go on, or why the first row failed.
    pub problem: Option<String>,
    /// When it was made.
    pub time_created: UnixMs,
    /// When it began.
    pub time_active: Option<UnixMs>,
    /// When it ended.
    pub time_complete: Option<UnixMs>,
    /// The caller's own variables.
    pub vars: Vars,
    /// The file that it wrote.
    pub file_id: Option<FileId>,
    /// The file with the rows that failed.
    pub errors_file_id: Option<FileId>,
    /// What its type notes on the way, as JSON.
    pub progress: Option<String>,
}

impl Task {
    /// Begins, with as many rows as are known.
    pub fn begin(&mut self, total_rows: Option<u64>, now: UnixMs) {
        self.status = TaskStatus::Active;
        self.total_rows = total_rows;
        self.time_active = Some(now);
    }

    /// Notes that rows were dealt with, up to the key of the last.
    pub fn advance(&mut self, rows: u64, up_to: i64) {
        self.current_row = self.current_row.saturating_add(rows);
        self.done_up_to = up_to;
        if self
            .total_rows
            .is_some_and(|total| total < self.current_row)
        {
            self.total_rows = Some(self.current_row);
        }
    }

    /// Notes that a row failed; the first reason stays.
    pub fn fail_row(&mut self, reason: impl FnOnce() -> String) {
        self.failed_rows = self.failed_rows.saturating_add(1);
        self.problem.get_or_insert_with(reason);
    }

    /// Ends.
    pub fn end(&mut self, status: TaskStatus, now: UnixMs) {
        self.status = status;
        self.time_complete = Some(now);
    }

    /// Says what went wrong, in a sentence for people.
    pub fn error_message(&self) -> Option<String> {
        let problem = self.problem.as_deref()?;
        Some(match (self.status, self.failed_rows) {
            (TaskStatus::Failed, _) | (_, 0) => problem.to_owned(),
            (_, 1) => format!("1 row failed: {problem}"),
            (_, failed) => format!("{failed} rows failed, the first: {problem}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::{Id, Key};

    fn task() -> Task {
        Task {
            id: Id::new(Key::new(7).unwrap()),
            project_id: Id::new(Key::new(1).unwrap()),
            task_type: TaskType::DeleteContacts,
            task_params: "{}".to_owned(),
            filter_type: Some(FilterType::QueryContacts),
            filter_params: "{}".to_owned(),
            filters: "{}".to_owned(),
            table_id: None,
            status: TaskStatus::Queued,
            total_rows: None,
            current_row: 0,
            done_up_to: 0,
            failed_rows: 0,
            problem: None,
            time_created: UnixMs(1),
            time_active: None,
            time_complete: None,
            vars: Vars::default(),
            file_id: None,
            errors_file_id: None,
            progress: None,
        }
    }

    #[test]
    fn failed_rows_are_counted_and_the_first_reason_stays() {
        let mut task = task();
        task.begin(Some(3), UnixMs(2));
        assert_eq!(task.error_message(), None);
        task.fail_row(|| "it is gone".to_owned());
        let one = task.error_message();
        assert_eq!(one.as_deref(), Some("1 row failed: it is gone"));
        task.fail_row(|| "it is large".to_owned());
        let two = task.error_message();
        assert_eq!(two.as_deref(), Some("2 rows failed, the first: it is gone"));
    }

    #[test]
    fn what_is_done_is_never_more_than_the_total() {
        let mut task = task();
        task.begin(Some(3), UnixMs(2));
        task.advance(2, 20);
        assert_eq!((task.total_rows, task.current_row), (Some(3), 2));
        task.advance(2, 40);
        assert_eq!((task.total_rows, task.current_row), (Some(4), 4));
        assert_eq!(task.done_up_to, 40);
    }
}
