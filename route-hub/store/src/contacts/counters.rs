//! What messages do to their contacts: counters and last times.

use crate::{StoreError, Tx, values};
use hub_domain::{ConversationStatus, Direction, Message};
use postrider_model::{BroadcastId, ContactId, MessageId, UnixMs};
use std::collections::BTreeMap;

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
    last_broadcast: Option<BroadcastId>,
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
            last_broadcast: None,
        });
        match message.direction {
            Direction::Incoming => {
                touch.incoming += 1;
                touch.last_incoming = touch.last_incoming.max(Some(message.time_created));
            }
            Direction::Outgoing => {
                touch.outgoing += 1;
                touch.last_outgoing = touch.last_outgoing.max(Some(message.time_created));
                touch.last_broadcast = message.broadcast_id;
            }
        }
        touch.last_time = touch.last_time.max(message.time_created);
        touch.last_message = message.id;
    }
}

/// Stores counters and last times, which only rise; an incoming message makes the conversation active.
pub fn touch(tx: &mut Tx<'_>, touches: &Touches) -> Result<(), StoreError> {
    for (contact_id, touch) in &touches.by_contact {
        let active = (touch.incoming > 0).then_some(ConversationStatus::Active.code());
        tx.run(
            "UPDATE contacts SET incoming_message_count = incoming_message_count + $2, \
             outgoing_message_count = outgoing_message_count + $3, \
             message_count = message_count + $2 + $3, \
             last_incoming_message_time = CASE WHEN CAST($4 AS BIGINT) IS NULL OR last_incoming_message_time > $4 \
             THEN last_incoming_message_time ELSE $4 END, \
             last_outgoing_message_time = CASE WHEN CAST($5 AS BIGINT) IS NULL OR last_outgoing_message_time > $5 \
             THEN last_outgoing_message_time ELSE $5 END, \
             last_message_time = CASE WHEN last_message_time > $6 THEN last_message_time \
             ELSE $6 END, last_message_id = $7, \
             conversation_status = COALESCE($8, conversation_status), \
             last_broadcast_id = CASE WHEN $3 > 0 THEN $9 ELSE last_broadcast_id END \
             WHERE id = $1",
            &values![
                *contact_id,
                touch.incoming,
                touch.outgoing,
                touch.last_incoming,
                touch.last_outgoing,
                touch.last_time,
                touch.last_message,
                active,
                touch.last_broadcast,
            ],
        )?;
    }
    Ok(())
}

/// Takes a deleted message out of its contact's counts, last times and last message.
pub fn forget_message(tx: &mut Tx<'_>, message: &Message) -> Result<(), StoreError> {
    let Some(contact_id) = message.contact_id else {
        return Ok(());
    };
    match message.direction {
        Direction::Incoming => forget_messages(tx, contact_id, 1, 0),
        Direction::Outgoing => forget_messages(tx, contact_id, 0, 1),
    }
}

/// Takes so many messages, which are there no more, out of a contact's counts, last times and last
/// message.
pub fn forget_messages(
    tx: &mut Tx<'_>,
    contact_id: ContactId,
    incoming: i64,
    outgoing: i64,
) -> Result<(), StoreError> {
    tx.run(
        "UPDATE contacts SET incoming_message_count = incoming_message_count - $2, \
         outgoing_message_count = outgoing_message_count - $3, \
         message_count = message_count - $2 - $3, \
         last_message_id = (SELECT id FROM messages WHERE contact_id = $1 AND hidden = 0 \
         ORDER BY id DESC LIMIT 1), \
         last_message_time = (SELECT time_created FROM messages WHERE contact_id = $1 \
         AND hidden = 0 ORDER BY id DESC LIMIT 1), \
         last_incoming_message_time = CASE WHEN $2 = 0 THEN last_incoming_message_time \
         WHEN incoming_message_count <= $2 THEN NULL \
         ELSE (SELECT time_created FROM messages WHERE contact_id = $1 AND hidden = 0 \
         AND direction = $4 ORDER BY id DESC LIMIT 1) END, \
         last_outgoing_message_time = CASE WHEN $3 = 0 THEN last_outgoing_message_time \
         WHEN outgoing_message_count <= $3 THEN NULL \
         ELSE (SELECT time_created FROM messages WHERE contact_id = $1 AND hidden = 0 \
         AND direction = $5 ORDER BY id DESC LIMIT 1) END WHERE id = $1",
        &values![
            contact_id,
            incoming,
            outgoing,
            Direction::Incoming.code(),
            Direction::Outgoing.code(),
        ],
    )?;
    Ok(())
}
