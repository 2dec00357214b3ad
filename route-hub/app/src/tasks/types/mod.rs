//! The types of tasks: each says whom it needs permission of, what it takes, and what it does with a row.

mod cancel_messages;
mod delete_contacts;
mod delete_messages;
mod delete_rows;
mod group_members;
mod label;
mod resend_messages;
mod set_conversation_status;
mod set_send_blocked;
mod update_contact_var;
mod update_message_var;
mod update_row_var;

use crate::contacts::saving::Saving;
use crate::contacts::{ContactPatch, FoundGroups};
use crate::data_tables::rows::saving::Saving as SavingRows;
use crate::failure::Failure;
use crate::tasks::export::{self, Export};
use crate::tasks::filter::Of;
use crate::tasks::import::{self, Import};
use crate::tasks::params::{TaskParams, refused};
use crate::unit_of_work::UnitOfWork;
use crate::{contacts, data_tables, groups, labels, messages};
use hub_domain::{Contact, DataRow, Group, Message, Permission, TaskType};
use hub_view::Refusal;
use postrider_model::{GroupId, LabelId};

/// What a type of task does with contacts.
pub(super) trait OfContacts: Send + Sync {
    /// Looks up what all rows of a step need, before the first write; refuses what is not there any more.
    fn begin(&mut self, _work: &mut UnitOfWork<'_, '_>) -> Result<(), Failure> {
        Ok(())
    }

    /// Does it with one contact. It refuses before its first write.
    fn change(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        saving: &mut Saving,
        contact: Contact,
    ) -> Result<(), Failure>;
}

/// What a type of task does with rows of a data table.
pub(super) trait OfRows: Send + Sync {
    /// Does it with one row. It refuses before its first write.
    fn change(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        saving: &mut SavingRows,
        row: DataRow,
    ) -> Result<(), Failure>;
}

/// What a type of task does with messages.
pub(super) trait OfMessages: Send + Sync {
    /// Looks up what all rows of a step need, before the first write; refuses what is not there any more.
    fn begin(&mut self, _work: &mut UnitOfWork<'_, '_>) -> Result<(), Failure> {
        Ok(())
    }

    /// Does it with one message. It refuses before its first write.
    fn change(&self, work: &mut UnitOfWork<'_, '_>, message: Message) -> Result<(), Failure>;
}

/// What a task does.
pub(super) enum Doing {
    Contacts(Box<dyn OfContacts>),
    Rows(Box<dyn OfRows>),
    Messages(Box<dyn OfMessages>),
    Export(Export),
    Import(Import),
}

impl Doing {
    /// Reads what a type does with these parameters.
    pub(super) fn read(task_type: TaskType, given: &TaskParams) -> Result<Self, Refusal> {
        Ok(match task_type {
            TaskType::UpdateContactVar => Self::Contacts(update_contact_var::read(given)?),
            TaskType::AddGroupMembers => Self::Contacts(group_members::read(given, true)?),
            TaskType::RemoveGroupMembers => Self::Contacts(group_members::read(given, false)?),
            TaskType::SetConversationStatus => {
                Self::Contacts(set_conversation_status::read(given)?)
            }
            TaskType::SetSendBlocked => Self::Contacts(set_send_blocked::read(given)?),
            TaskType::DeleteContacts => Self::Contacts(delete_contacts::read(given)?),
            TaskType::UpdateRowVar => Self::Rows(update_row_var::read(given)?),
            TaskType::DeleteRows => Self::Rows(delete_rows::read(given)?),
            TaskType::CancelMessages => Self::Messages(cancel_messages::read(given)?),
            TaskType::ResendMessages => Self::Messages(resend_messages::read(given)?),
            TaskType::AddLabel => Self::Messages(label::read(given, true)?),
            TaskType::RemoveLabel => Self::Messages(label::read(given, false)?),
            TaskType::UpdateMessageVar => Self::Messages(update_message_var::read(given)?),
            TaskType::DeleteMessages => Self::Messages(delete_messages::read(given)?),
            TaskType::ExportContacts => Self::Export(export::read(given, Of::Contacts)?),
            TaskType::ExportRows => Self::Export(export::read(given, Of::Rows)?),
            TaskType::ExportMessages => Self::Export(export::read(given, Of::Messages)?),
            TaskType::ImportContacts => Self::Import(import::read_of_contacts(given)?),
            TaskType::ImportRows => Self::Import(import::read_of_rows(given)?),
        })
    }

    /// As [`OfContacts::begin`].
    pub(super) fn begin(&mut self, work: &mut UnitOfWork<'_, '_>) -> Result<(), Failure> {
        match self {
            Self::Contacts(doing) => doing.begin(work),
            Self::Rows(_) | Self::Export(_) => Ok(()),
            Self::Messages(doing) => doing.begin(work),
            Self::Import(import) => import.check(work),
        }
    }

    /// Says whether it can be done with what a filter finds: what is done with contacts can be done with those
    /// of messages and rows, too.
    pub(super) fn takes(&self, of: Of) -> bool {
        match self {
            Self::Contacts(_) => true,
            Self::Rows(_) => of == Of::Rows,
            Self::Messages(_) => of == Of::Messages,
            Self::Export(export) => export.takes(of),
            Self::Import(_) => false,
        }
    }
}

/// Whoever makes or cancels a task of a type needs what the single operation needs.
pub(super) const fn permission(task_type: TaskType) -> Permission {
    match task_type {
        TaskType::UpdateContactVar
        | TaskType::AddGroupMembers
        | TaskType::RemoveGroupMembers
        | TaskType::SetConversationStatus
        | TaskType::SetSendBlocked
        | TaskType::DeleteContacts
        | TaskType::ImportContacts => contacts::PERMISSION,
        TaskType::UpdateRowVar | TaskType::DeleteRows | TaskType::ImportRows => {
            data_tables::PERMISSION
        }
        TaskType::ExportContacts => contacts::VIEW,
        TaskType::ExportRows => data_tables::VIEW,
        TaskType::ExportMessages => messages::VIEW,
        TaskType::CancelMessages | TaskType::ResendMessages | TaskType::UpdateMessageVar => {
            messages::PERMISSION
        }
        TaskType::AddLabel | TaskType::RemoveLabel => labels::PERMISSION,
        TaskType::DeleteMessages => messages::change::DELETE,
    }
}

/// Says whether making a task of a type is in the audit log: what it does is there, or it hands out much.
pub(super) const fn is_making_audited(task_type: TaskType) -> bool {
    is_audited(task_type)
        || matches!(
            task_type,
            TaskType::ExportContacts | TaskType::ExportRows | TaskType::ExportMessages
        )
}

/// Returns under which name the audit log has the making of a task.
pub(super) const fn action(task_type: TaskType) -> &'static str {
    match task_type {
        TaskType::ExportContacts => "contacts.export",
        TaskType::ExportRows => "rows.export",
        TaskType::ExportMessages => "messages.export",
        _ => "task.create",
    }
}

/// Says whether what a type does is in the audit log.
pub(super) const fn is_audited(task_type: TaskType) -> bool {
    matches!(task_type, TaskType::ResendMessages)
}

/// Says whether a type sends: there must be room in the project's queue.
pub(super) const fn sends(task_type: TaskType) -> bool {
    matches!(task_type, TaskType::ResendMessages)
}

/// Changes a contact as an update by itself would.
fn patch(
    work: &mut UnitOfWork<'_, '_>,
    saving: &mut Saving,
    patch: &ContactPatch,
    before: &Contact,
) -> Result<(), Failure> {
    let mut contact = before.clone();
    patch.apply(&mut contact, false)?;
    saving.save(work.tx, Some(before), contact, &FoundGroups::default())?;
    Ok(())
}

/// Finds the group that contacts are to join or leave.
fn normal_group(work: &mut UnitOfWork<'_, '_>, id: GroupId) -> Result<Group, Failure> {
    groups::normal(work, id).map_err(|failure| match failure {
        Failure::Refused(_) => {
            let rule = "is not the id of a group of this project that contacts can join and leave";
            refused("group_id", rule).into()
        }
        failure => failure,
    })
}

/// Checks the label that messages are to have or not.
fn known_label(work: &mut UnitOfWork<'_, '_>, id: LabelId) -> Result<(), Failure> {
    labels::check(work, id).map_err(|failure| match failure {
        Failure::Refused(_) => {
            refused("label_id", "is not the id of a label of this project").into()
        }
        failure => failure,
    })
}
