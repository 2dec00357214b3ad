//! Contacts.

use crate::list::{self, Column, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{
    Address, Contact, ConversationStatus, Direction, Message, RouteId, Vars, fold, numbers,
};
use postrider_model::{ContactId, MessageId, PhoneNumber, ProjectId, UnixMs};
use std::collections::BTreeMap;

/// Most contacts that are compared by their last digits; with more there is no single match.
const CANDIDATES_MAX: i64 = 64;

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, name, phone_number, number_e164, send_blocked, conversation_status, \
         default_route_id, vars, time_created, time_updated, last_message_time, \
         last_incoming_message_time, last_outgoing_message_time, message_count, \
         incoming_message_count, outgoing_message_count, last_message_id"
    };
}

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The id.
    pub const ID: Column = Column::new("id", Kind::Int);
    /// The name, without regard to case.
    pub const NAME: Column = Column::new("name_folded", Kind::Folded);
    /// The number.
    pub const PHONE_NUMBER: Column = Column::new("phone_number", Kind::Text);
    /// When it was made.
    pub const TIME_CREATED: Column = Column::new("time_created", Kind::TimeMade);
    /// Whether nothing may be sent to it.
    pub const SEND_BLOCKED: Column = Column::new("send_blocked", Kind::Flag);
    /// When the last message was made.
    pub const LAST_MESSAGE_TIME: Column = Column::new("last_message_time", Kind::Time);
    /// When the last incoming message was made.
    pub const LAST_INCOMING_MESSAGE_TIME: Column =
        Column::new("last_incoming_message_time", Kind::Time);
    /// When the last outgoing message was made.
    pub const LAST_OUTGOING_MESSAGE_TIME: Column =
        Column::new("last_outgoing_message_time", Kind::Time);
    /// Messages that came in.
    pub const INCOMING_MESSAGE_COUNT: Column = Column::new("incoming_message_count", Kind::Int);
    /// Messages that went out.
    pub const OUTGOING_MESSAGE_COUNT: Column = Column::new("outgoing_message_count", Kind::Int);
}

const TABLE: Table<Contact> = Table {
    name: "contacts",
    columns: columns!(),
    read,
    visible: None,
    drive: |_| &[],
};

/// Stores a new contact.
///
/// # Errors
/// What the database says.
pub fn insert(tx: &mut Tx<'_>, contact: &Contact) -> Result<(), StoreError> {
    tx.execute(
        concat!(
            "INSERT INTO contacts (",
            columns!(),
            ", name_folded, number_tail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, \
             $12, $13, $14, $15, $16, $17, $18, $19, $20)"
        ),
        &values![
            contact.id,
            contact.project_id,
            &contact.name,
            &contact.phone_number,
            &contact.number_e164,
            contact.send_blocked,
            contact.conversation_status.code(),
            contact.default_route_id,
            contact.vars.to_json(),
            contact.time_created,
            contact.time_updated,
            contact.last_message_time,
            contact.last_incoming_message_time,
            contact.last_outgoing_message_time,
            contact.message_count,
            contact.incoming_message_count,
            contact.outgoing_message_count,
            contact.last_message_id,
            contact.name.as_deref().map(fold),
            contact.phone_number.as_ref().map(numbers::tail),
        ],
    )?;
    Ok(())
}

/// Stores what people may change; counters and last times stay.
///
/// # Errors
/// What the database says.
pub fn update(tx: &mut Tx<'_>, contact: &Contact) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE contacts SET name = $3, name_folded = $4, phone_number = $5, number_e164 = $6, \
         number_tail = $7, send_blocked = $8, conversation_status = $9, default_route_id = $10, \
         vars = $11, time_updated = $12 WHERE id = $1 AND project_id = $2",
        &values![
            contact.id,
            contact.project_id,
            &contact.name,
            contact.name.as_deref().map(fold),
            &contact.phone_number,
            &contact.number_e164,
            contact.phone_number.as_ref().map(numbers::tail),
            contact.send_blocked,
            contact.conversation_status.code(),
            contact.default_route_id,
            contact.vars.to_json(),
            contact.time_updated,
        ],
    )?;
    Ok(changed == 1)
}

/// Returns a project's contact.
///
/// # Errors
/// What the database says.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: ContactId,
) -> Result<Option<Contact>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM contacts WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns the contact that a number belongs to.
///
/// The same number in E.164 comes first; else the one contact whose number ends alike, in eight
/// digits or more, where at least one of the two is not known in full.
///
/// # Errors
/// What the database says.
pub fn find_by_number(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    number: &Address,
) -> Result<Option<Contact>, StoreError> {
    let tail = numbers::tail(number);
    let exact = tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM contacts WHERE project_id = $1 AND number_tail = $2 AND phone_number = $3 \
             ORDER BY id LIMIT 1"
        ),
        &values![project_id, &*tail, number],
        read,
    )?;
    if exact.is_some() || !numbers::has_comparable_tail(number) {
        return Ok(exact);
    }
    let candidates = tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM contacts WHERE project_id = $1 AND number_tail = $2 ORDER BY id LIMIT $3"
        ),
        &values![project_id, &*tail, CANDIDATES_MAX],
        read,
    )?;
    if candidates.len() as i64 == CANDIDATES_MAX {
        return Ok(None);
    }
    let mut alike = candidates.into_iter().filter(|contact| {
        let theirs = contact.phone_number.as_ref();
        theirs.is_some_and(|theirs| numbers::are_one(theirs, number))
    });
    let first = alike.next();
    Ok(if alike.next().is_none() { first } else { None })
}

/// Returns the contact that a number belongs to, or stores `fresh` and returns it.
///
/// The second value says whether it is new.
///
/// # Errors
/// What the database says.
pub fn get_or_create(
    tx: &mut Tx<'_>,
    number: &Address,
    fresh: impl FnOnce() -> Contact,
    project_id: ProjectId,
) -> Result<(Contact, bool), StoreError> {
    if let Some(contact) = find_by_number(tx, project_id, number)? {
        return Ok((contact, false));
    }
    let contact = fresh();
    insert(tx, &contact)?;
    Ok((contact, true))
}

/// Returns the oldest contact of a name, without regard to case.
///
/// # Errors
/// What the database says.
pub fn find_by_name(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    name: &str,
) -> Result<Option<Contact>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM contacts WHERE project_id = $1 AND name_folded = $2 ORDER BY id LIMIT 1"
        ),
        &values![project_id, fold(name)],
        read,
    )
}

/// What the messages of one job do to contacts, so that each is written once.
#[derive(Debug, Clone, Default)]
pub struct Touches {
    by_contact: BTreeMap<ContactId, Touch>,
}

#[derive(Debug, Clone)]
struct Touch {
    incoming: i64,
    outgoing: i64,
    last_incoming: Option<UnixMs>,
    last_outgoing: Option<UnixMs>,
    last_time: UnixMs,
    last_message: MessageId,
}

impl Touches {
    /// Counts a new message; one without a contact counts nowhere.
    pub fn add(&mut self, message: &Message) {
        let Some(contact_id) = message.contact_id else {
            return;
        };
        let touch = self.by_contact.entry(contact_id).or_insert(Touch {
            incoming: 0,
            outgoing: 0,
            last_incoming: None,
            last_outgoing: None,
            last_time: message.time_created,
            last_message: message.id,
        });
        match message.direction {
            Direction::Incoming => {
                touch.incoming += 1;
                touch.last_incoming = touch.last_incoming.max(Some(message.time_created));
            }
            Direction::Outgoing => {
                touch.outgoing += 1;
                touch.last_outgoing = touch.last_outgoing.max(Some(message.time_created));
            }
        }
        touch.last_time = touch.last_time.max(message.time_created);
        touch.last_message = message.id;
    }
}

/// Stores counters and last times, which only rise; an incoming message makes the conversation active.
///
/// # Errors
/// What the database says.
pub fn touch(tx: &mut Tx<'_>, touches: &Touches) -> Result<(), StoreError> {
    for (contact_id, touch) in &touches.by_contact {
        let active = (touch.incoming > 0).then_some(ConversationStatus::Active.code());
        tx.execute(
            "UPDATE contacts SET incoming_message_count = incoming_message_count + $2, \
             outgoing_message_count = outgoing_message_count + $3, \
             message_count = message_count + $2 + $3, \
             last_incoming_message_time = CASE WHEN $4 IS NULL OR last_incoming_message_time > $4 \
             THEN last_incoming_message_time ELSE $4 END, \
             last_outgoing_message_time = CASE WHEN $5 IS NULL OR last_outgoing_message_time > $5 \
             THEN last_outgoing_message_time ELSE $5 END, \
             last_message_time = CASE WHEN last_message_time > $6 THEN last_message_time \
             ELSE $6 END, last_message_id = $7, \
             conversation_status = COALESCE($8, conversation_status) WHERE id = $1",
            &values![
                *contact_id,
                touch.incoming,
                touch.outgoing,
                touch.last_incoming,
                touch.last_outgoing,
                touch.last_time,
                touch.last_message,
                active,
            ],
        )?;
    }
    Ok(())
}

/// Takes a deleted message out of its contact's counts and last message.
///
/// # Errors
/// What the database says.
pub fn forget_message(tx: &mut Tx<'_>, message: &Message) -> Result<(), StoreError> {
    let Some(contact_id) = message.contact_id else {
        return Ok(());
    };
    let (incoming, outgoing) = match message.direction {
        Direction::Incoming => (1, 0),
        Direction::Outgoing => (0, 1),
    };
    tx.execute(
        "UPDATE contacts SET incoming_message_count = incoming_message_count - $2, \
         outgoing_message_count = outgoing_message_count - $3, message_count = message_count - 1, \
         last_message_id = (SELECT id FROM messages WHERE contact_id = $1 AND hidden = 0 \
         ORDER BY id DESC LIMIT 1) WHERE id = $1",
        &values![contact_id, incoming, outgoing],
    )?;
    Ok(())
}

/// Returns a page of a project's contacts.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<Contact>, StoreError> {
    list::page(tx, &TABLE, &[within(project_id)], query)
}

/// Counts a project's contacts that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[within(project_id)], query)
}

fn within(project_id: ProjectId) -> Scope {
    Scope {
        column: "project_id",
        key: project_id.get(),
    }
}

pub(crate) fn read(row: &Row<'_>) -> Result<Contact, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Contact {
        id: columns.id()?,
        project_id: columns.id()?,
        name: columns.opt_text()?,
        phone_number: columns.opt_parsed(|text| text.parse::<Address>().ok())?,
        number_e164: columns.opt_parsed(|text| text.parse::<PhoneNumber>().ok())?,
        send_blocked: columns.flag()?,
        conversation_status: columns.coded(ConversationStatus::from_code)?,
        default_route_id: columns.opt_coded(RouteId::from_code)?,
        vars: columns.parsed(Vars::from_json)?,
        time_created: columns.time()?,
        time_updated: columns.time()?,
        last_message_time: columns.opt_time()?,
        last_incoming_message_time: columns.opt_time()?,
        last_outgoing_message_time: columns.opt_time()?,
        message_count: columns.int()?,
        incoming_message_count: columns.int()?,
        outgoing_message_count: columns.int()?,
        last_message_id: columns.opt_id()?,
    })
}
