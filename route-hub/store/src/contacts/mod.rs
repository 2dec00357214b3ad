//! Contacts: their rows and lists here, and beside them how they are looked up (`lookup`), what
//! messages do to them (`counters`) and which of them are in a dynamic group (`dynamic_groups`).

use crate::fields::Fields;
use crate::list::{
    self, Column, Index, Kind, Link, ListQuery, Names, Page, Scope, Table, Variables,
};
use crate::row::Cursor;
use crate::variables::OF_CONTACTS;
use crate::{Row, StoreError, Tx, groups, usage, values, variables};
use hub_domain::{
    Address, Contact, ConversationStatus, FieldOwner, RouteId, UsageType, Vars, fold, numbers,
};
use postrider_model::{ContactId, PhoneNumber, ProjectId, UnixMs};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, name, phone_number, number_e164, send_blocked, conversation_status, \
         default_route_id, vars, time_created, time_updated, last_message_time, \
         last_incoming_message_time, last_outgoing_message_time, message_count, \
         incoming_message_count, outgoing_message_count, last_message_id, \
         last_broadcast_id"
    };
}

/// The variables of a contact that are still being cleared, which [`read`] leaves out.
macro_rules! gone {
    () => {
        crate::variables::gone!("contact_vars", "contacts", "1")
    };
}

mod counters;
mod dynamic_groups;
mod known;
mod lookup;

pub use counters::{Touches, forget_message, forget_messages, touch};
pub use dynamic_groups::{Counted, count_among, filter_of_contact, is_in, meets};
pub use known::Known;
pub use lookup::{find_by_name, find_by_number, find_by_variable, find_to_send_to};

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    const NUMBER: Kind = Kind::Number {
        tail: "number_tail",
    };

    /// The id.
    pub const ID: Column = Column::new("id", Kind::Int);
    /// The name, without regard to case.
    pub const NAME: Column = Column::new("name_folded", Kind::Folded);
    /// The number.
    pub const PHONE_NUMBER: Column = Column::new("phone_number", NUMBER);
    /// Whether somebody still has to answer, as a code.
    pub(crate) const CONVERSATION_STATUS: Column = Column::new("conversation_status", Kind::Int);
    /// When it was changed last.
    pub(crate) const TIME_UPDATED: Column = Column::new("time_updated", Kind::Time);
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
    /// The groups that it is in; of a dynamic one, whose conditions it meets.
    pub const GROUP: super::Link = super::Link {
        table: "group_members",
        holder: "group_id",
        held: "member_id",
        on: "id",
    };
}

/// What kept conditions on contacts may name.
pub const NAMES: Names = Names {
    columns: &[
        by::ID,
        by::NAME,
        by::PHONE_NUMBER,
        by::CONVERSATION_STATUS,
        by::TIME_UPDATED,
        by::TIME_CREATED,
        by::SEND_BLOCKED,
        by::LAST_MESSAGE_TIME,
        by::LAST_INCOMING_MESSAGE_TIME,
        by::LAST_OUTGOING_MESSAGE_TIME,
        by::INCOMING_MESSAGE_COUNT,
        by::OUTGOING_MESSAGE_COUNT,
    ],
    links: &[by::GROUP],
};

const TABLE: Table<Contact> = Table {
    name: "contacts",
    columns: columns!(),
    computed: Some(gone!()),
    read,
    hidden: None,
    indexes: &[Index::scoped("phone_number"), Index::scoped("name_folded")],
    variables: Some(Variables {
        table: "contact_vars",
        row: "bearer_id",
        owner: FieldOwner::Contact.code(),
    }),
    searched: &["name_folded", "phone_number"],
};

/// Stores a new contact with its variables.
pub fn create(tx: &mut Tx<'_>, fields: &mut Fields, contact: &Contact) -> Result<(), StoreError> {
    insert(tx, contact)?;
    OF_CONTACTS.keep(
        tx,
        fields,
        contact.id.get(),
        &Vars::default(),
        &contact.vars,
    )
}

/// Stores what people change of a contact, and of its variables those that differ.
pub fn change(
    tx: &mut Tx<'_>,
    fields: &mut Fields,
    before: &Contact,
    contact: &Contact,
) -> Result<(), StoreError> {
    update(tx, contact)?;
    OF_CONTACTS.keep(tx, fields, contact.id.get(), &before.vars, &contact.vars)
}

/// Removes a contact with its variables and memberships; says whether it was there. Its messages
/// stay.
pub fn delete(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: ContactId,
    now: UnixMs,
) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM contacts WHERE id = $1 AND project_id = $2",
        &values![id, project_id],
    )?;
    if removed == 0 {
        return Ok(false);
    }
    usage::count(tx, project_id, UsageType::Contacts, -1, now)?;
    OF_CONTACTS.remove_all(tx, id.get())?;
    groups::leave_all(tx, id)?;
    Ok(true)
}

/// Stores a new contact that has no variables.
pub fn insert(tx: &mut Tx<'_>, contact: &Contact) -> Result<(), StoreError> {
    usage::count_made(
        tx,
        contact.project_id,
        UsageType::Contacts,
        contact.id.key(),
    )?;
    tx.run(
        concat!(
            "INSERT INTO contacts (",
            columns!(),
            ", name_folded, number_tail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, \
             $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)"
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
            contact.last_broadcast_id,
            contact.name.as_deref().map(fold),
            contact.phone_number.as_ref().map(numbers::tail),
        ],
    )?;
    Ok(())
}

/// Stores what people may change; counters and last times stay.
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
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: ContactId,
) -> Result<Option<Contact>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            ", ",
            gone!(),
            " FROM contacts WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns a page of a project's contacts; a group among the filters may be a dynamic one.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<Contact>, StoreError> {
    let query = dynamic_groups::meant(tx, project_id, query)?;
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], &query)
}

/// Counts a project's contacts that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    let query = dynamic_groups::meant(tx, project_id, query)?;
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], &query)
}

pub(crate) fn read(row: &Row<'_>) -> Result<Contact, StoreError> {
    let mut columns = Cursor::new(row);
    let mut contact = Contact {
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
        last_broadcast_id: columns.opt_id()?,
    };
    variables::leave_out(&mut contact.vars, columns.opt_text()?);
    Ok(contact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::list::{Filter, Op, Operand, Sort};
    use crate::plans::Way;
    use crate::testing::TestDatabase;
    use postrider_model::{Id, Key};

    const GROUP: i64 = 7;
    const FEW: i64 = 8;
    const MANY: &str = "oslo";

    /// Returns a store with 3,000 contacts: group 7 and the city Oslo have every second one, group
    /// 8 every five hundredth, and each has a name and a code of its own.
    fn filled() -> (TestDatabase, Store) {
        let database = TestDatabase::fresh();
        let store = database.open();
        const COUNT: &str = "WITH RECURSIVE n(i) AS \
            (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)";
        let contacts = format!(
            "INSERT INTO contacts (id, project_id, name, name_folded, phone_number, number_tail, \
             send_blocked, conversation_status, vars, time_created, time_updated, message_count, \
             incoming_message_count, outgoing_message_count) {COUNT} SELECT i, 0, 'N' || i, \
             'n' || i, '+1500555' || (1000 + i), '0555' || (1000 + i), 0, 3, '{{}}', 0, 0, 0, 0, 0 \
             FROM n"
        );
        let members = format!(
            "INSERT INTO group_members (group_id, member_id, time_joined) {COUNT} \
             SELECT 7, i, 0 FROM n WHERE i % 2 = 0 UNION ALL SELECT 8, i, 0 FROM n WHERE i % 500 = 0"
        );
        let cities = format!(
            "INSERT INTO contact_vars (bearer_id, field_id, value, number) {COUNT} \
             SELECT i, 1, CASE WHEN i % 2 = 0 THEN 'oslo' ELSE 'bergen' END, NULL FROM n"
        );
        let codes = format!(
            "INSERT INTO contact_vars (bearer_id, field_id, value, number) {COUNT} \
             SELECT i, 2, i, i FROM n"
        );
        let filled: Result<_, StoreError> = store.write_blocking(move |tx| {
            for (key, variable) in [(1, "city"), (2, "code")] {
                let (project, owner) = (Id::new(Key::default()), FieldOwner::Contact);
                let field = hub_domain::CustomField::new(key, project, owner, variable, key);
                crate::fields::insert(tx, &field)?;
            }
            for sql in [&contacts, &members, &cities, &codes] {
                tx.query_built(sql, &[], |_| Ok(()))?;
            }
            Ok(())
        });
        filled.unwrap();
        (database, store)
    }

    fn plan(store: &Store, filters: Vec<Filter>, sort: Sort) -> Way {
        let query = ListQuery {
            filters,
            sort,
            ..ListQuery::default()
        };
        let scope = [Scope::of_project(Id::new(Key::default()))];
        let plan = store.read_blocking(move |tx| list::explain(tx, &TABLE, &scope, &query));
        plan.unwrap()
    }

    fn text(column: Column, op: Op, text: &str) -> Filter {
        Filter::new(column, op, Operand::Text(text.to_owned()))
    }

    fn variable(name: &str, op: Op, operand: Operand) -> Filter {
        let name = name.to_owned();
        Filter::Variable { name, op, operand }
    }

    #[test]
    fn each_pair_that_people_use_goes_along_an_index() {
        let (_database, store) = filled();
        let since = || Filter::new(by::LAST_MESSAGE_TIME, Op::Min, Operand::Int(5));
        let oslo = || variable("city", Op::Eq, Operand::Text(MANY.to_owned()));
        let code = |op, number| variable("code", op, Operand::Real(number));
        let group = |key| Filter::within(by::GROUP, key);
        let by_name = Sort::by(by::NAME);
        for (filters, sort, index) in [
            (vec![], Sort::BY_ID, "contacts_by_project"),
            (vec![], by_name, "contacts_by_name (project_id=?)"),
            (
                vec![text(by::PHONE_NUMBER, Op::Eq, "+15005551005"), since()],
                Sort::BY_ID,
                "contacts_by_tail (project_id=? AND number_tail=?)",
            ),
            (
                vec![text(by::PHONE_NUMBER, Op::Eq, "Google"), since()],
                Sort::BY_ID,
                "contacts_by_tail (project_id=? AND number_tail=?)",
            ),
            (
                vec![group(GROUP), text(by::NAME, Op::Eq, "N20")],
                Sort::BY_ID,
                "contacts_by_name (project_id=? AND name_folded=?)",
            ),
            (
                vec![group(FEW), text(by::NAME, Op::Prefix, "N")],
                Sort::BY_ID,
                "SEARCH group_members USING PRIMARY KEY (group_id=?)",
            ),
            (
                vec![group(GROUP), text(by::NAME, Op::Prefix, "N")],
                Sort::BY_ID,
                "SEARCH group_members USING PRIMARY KEY (group_id=?)",
            ),
            (
                vec![group(GROUP), text(by::NAME, Op::Prefix, "N")],
                by_name,
                "contacts_by_name (project_id=? AND name_folded>? AND name_folded<?)",
            ),
            (
                vec![oslo(), group(GROUP)],
                Sort::BY_ID,
                "contact_vars_by_value (field_id=? AND <expr>=?)",
            ),
            (
                vec![oslo(), group(FEW)],
                Sort::BY_ID,
                "SEARCH group_members USING PRIMARY KEY (group_id=?)",
            ),
            (
                vec![code(Op::Min, 2_990.0), group(GROUP)],
                Sort::BY_ID,
                "contact_vars_by_number (field_id=? AND number>?)",
            ),
            (
                vec![code(Op::Min, 5.0)],
                by_name,
                "contacts_by_name (project_id=?)",
            ),
            (
                vec![code(Op::Min, 5.0), text(by::NAME, Op::Gte, "a")],
                Sort::BY_ID,
                "contacts_by_project",
            ),
        ] {
            let shown = format!("{filters:?} {sort:?}");
            let sorts_few = filters.len() == 2 && index.contains("number>");
            let plan = plan(&store, filters, sort);
            assert!(plan.takes(index), "{shown}: {plan:?}");
            assert_eq!(plan.sorts(), sorts_few, "{shown}: {plan:?}");
        }
    }
}
