//! The rows of data tables.

use crate::conditions::{self, Compared};
use crate::fields::{self, Fields};
use crate::list::{
    self, Column, Filter, Index, Kind, Link, ListQuery, Names, Other, Page, Scope, Table, Variables,
};
use crate::row::Cursor;
use crate::variables::OF_ROWS;
use crate::{Row, StoreError, Tx, values, variables};
use hub_domain::{Address, DataRow, FieldOwner, Quarter, RowSubject, VarValue, Vars, ViewFilters};
use postrider_model::{ContactId, DataRowId, DataTableId, ProjectId};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, table_id, contact_id, from_number, vars, time_created, time_updated"
    };
}

/// The variables of a row that are still being cleared, which [`read`] leaves out.
macro_rules! gone {
    () => {
        variables::gone!("row_vars", "data_rows", "data_rows.table_id")
    };
}

/// What lists may be filtered by.
pub mod by {
    use super::{Column, Kind, Link, Other};

    /// The id.
    pub const ID: Column = Column::new("id", Kind::Int);
    /// When it was made.
    pub const TIME_CREATED: Column = Column::new("time_created", Kind::TimeMade);
    /// When it was changed last.
    pub(crate) const TIME_UPDATED: Column = Column::new("time_updated", Kind::Time);
    /// The contact that it is about.
    pub const CONTACT: Column = Column::new("contact_id", Kind::Int);
    /// That contact's name, without regard to case.
    pub(crate) const CONTACT_NAME: Column = Column::of(CONTACTS, "name_folded", Kind::Folded);
    /// The number that it came from.
    pub(crate) const FROM_NUMBER: Column = Column::new("from_number", Kind::Address);

    const CONTACTS: Other = Other {
        table: "contacts",
        on: "contact_id",
    };
    /// The table that it is in, by whether that is deleted.
    pub(super) const TABLE_HIDDEN: Link = Link {
        table: "data_tables",
        holder: "hidden",
        held: "id",
        on: "table_id",
    };
}

/// What kept conditions on rows may name.
pub const NAMES: Names = Names {
    columns: &[
        by::ID,
        by::TIME_CREATED,
        by::TIME_UPDATED,
        by::CONTACT,
        by::CONTACT_NAME,
        by::FROM_NUMBER,
    ],
    links: &[],
};

const OF_TABLE: &[Index] = &[Index::scoped("contact_id")];

/// The rows of one table.
fn of_table(table_id: DataTableId) -> Table<DataRow> {
    Table {
        indexes: OF_TABLE,
        variables: Some(Variables {
            table: "row_vars",
            row: "bearer_id",
            owner: FieldOwner::Table(table_id).code(),
        }),
        computed: Some(gone!()),
        ..Table::plain("data_rows", columns!(), read)
    }
}

/// The rows of all tables.
const TABLE: Table<DataRow> = Table {
    indexes: &[Index::alone("contact_id")],
    computed: Some(gone!()),
    ..Table::plain("data_rows", columns!(), read)
};

/// Stores a new row with its variables. How many rows the table has is the caller's to note.
pub fn create(tx: &mut Tx<'_>, fields: &mut Fields, row: &DataRow) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO data_rows (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
        ),
        &values![
            row.id,
            row.project_id,
            row.table_id,
            row.contact_id,
            &row.from_number,
            row.vars.to_json(),
            row.time_created,
            row.time_updated,
        ],
    )?;
    OF_ROWS.keep(tx, fields, row.id.get(), &Vars::default(), &row.vars)
}

/// Stores what people change of a row, and of its variables those that differ.
pub fn change(
    tx: &mut Tx<'_>,
    fields: &mut Fields,
    before: &DataRow,
    row: &DataRow,
) -> Result<(), StoreError> {
    update(tx, row)?;
    OF_ROWS.keep(tx, fields, row.id.get(), &before.vars, &row.vars)
}

/// Stores a row's own columns.
pub fn update(tx: &mut Tx<'_>, row: &DataRow) -> Result<(), StoreError> {
    tx.run(
        "UPDATE data_rows SET contact_id = $3, from_number = $4, vars = $5, time_updated = $6 \
         WHERE id = $1 AND project_id = $2",
        &values![
            row.id,
            row.project_id,
            row.contact_id,
            &row.from_number,
            row.vars.to_json(),
            row.time_updated,
        ],
    )
}

/// Removes a row with its variables, and says whether it was there. How many rows the table has is the
/// caller's to note.
pub fn delete(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    id: DataRowId,
) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM data_rows WHERE id = $1 AND project_id = $2 AND table_id = $3",
        &values![id, project_id, table_id],
    )?;
    if removed == 1 {
        OF_ROWS.remove_all(tx, id.get())?;
    }
    Ok(removed == 1)
}

/// Removes up to so many rows of a deleted table, and says how many went.
pub(crate) fn remove_some(
    tx: &mut Tx<'_>,
    table_id: DataTableId,
    most: u32,
) -> Result<usize, StoreError> {
    let keys = tx.query(
        "SELECT id FROM data_rows WHERE table_id = $1 ORDER BY id LIMIT $2",
        &values![table_id, most],
        |row| row.int(0),
    )?;
    for key in &keys {
        tx.run("DELETE FROM data_rows WHERE id = $1", &values![*key])?;
        OF_ROWS.remove_all(tx, *key)?;
    }
    Ok(keys.len())
}

/// Returns a table's row.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    id: DataRowId,
) -> Result<Option<DataRow>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            ", ",
            gone!(),
            " FROM data_rows WHERE id = $1 AND project_id = $2 AND table_id = $3"
        ),
        &values![id, project_id, table_id],
        read,
    )
}

/// Returns a table's oldest row that is about a contact.
pub fn find_by_contact(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    contact_id: ContactId,
) -> Result<Option<DataRow>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            ", ",
            gone!(),
            " FROM data_rows WHERE table_id = $1 AND contact_id = $2 AND project_id = $3 \
             ORDER BY id LIMIT 1"
        ),
        &values![table_id, contact_id, project_id],
        read,
    )
}

/// Returns a table's oldest row whose variable has a value, without regard to case.
pub fn find_by_variable(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    variable: &str,
    value: &VarValue,
) -> Result<Option<DataRow>, StoreError> {
    let owner = FieldOwner::Table(table_id);
    let Some(field) = fields::key(tx, project_id, owner, variable)? else {
        return Ok(None);
    };
    let id = OF_ROWS.oldest(tx, field, value)?;
    match id.and_then(DataRowId::from_i64) {
        Some(id) => get(tx, project_id, table_id, id),
        None => Ok(None),
    }
}

/// Counts a table's rows by the value of a variable, as it was written; `None` where there are more
/// than `most` different ones.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count_by_value(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    variable: &str,
    most: u32,
) -> Result<Option<Vec<(String, i64)>>, StoreError> {
    let owner = FieldOwner::Table(table_id);
    let Some(field) = fields::key(tx, project_id, owner, variable)? else {
        return Ok(Some(Vec::new()));
    };
    let counted = tx.within(list::TIME_MAX, |tx| {
        tx.query(
            "SELECT COALESCE(written, value), count(*) FROM row_vars WHERE field_id = $1 \
             GROUP BY COALESCE(written, value) LIMIT $2",
            &values![field, most + 1],
            |row| Ok((row.text(0)?, row.int(1)?)),
        )
    })?;
    Ok(Some(counted).filter(|counted| counted.len() <= most as usize))
}

/// Returns a page of a table's rows.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    query: &ListQuery,
) -> Result<Page<DataRow>, StoreError> {
    list::page(tx, &of_table(table_id), &scope(project_id, table_id), query)
}

/// Counts a table's rows that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    query: &ListQuery,
) -> Result<u64, StoreError> {
    list::count(tx, &of_table(table_id), &scope(project_id, table_id), query)
}

/// Counts a table's rows that a view's conditions let through, by the quarter hour in which they were
/// made; without conditions all of them.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn made(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    conditions: Option<&ViewFilters>,
) -> Result<Vec<(Quarter, i64)>, StoreError> {
    let query = ListQuery {
        filters: conditions.into_iter().flat_map(filters).collect(),
        ..ListQuery::default()
    };
    let (table, scope) = (of_table(table_id), scope(project_id, table_id));
    let quarter_ms = Quarter(1).start().0;
    let counted = list::count_by(tx, &table, &scope, &query, by::TIME_CREATED, quarter_ms)?;
    let counted = counted.into_iter();
    Ok(counted
        .map(|(quarter, count)| (Quarter(quarter), count))
        .collect())
}

const fn scope(project_id: ProjectId, table_id: DataTableId) -> [Scope; 2] {
    [Scope::of_project(project_id), Scope::of_table(table_id)]
}

/// Returns a page of the rows that are about a contact, of all tables.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list_of_contact(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    contact_id: ContactId,
    query: &ListQuery,
) -> Result<Page<DataRow>, StoreError> {
    let query = about(contact_id, query);
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], &query)
}

/// Counts the rows that are about a contact and that a query lets through, of all tables.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count_of_contact(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    contact_id: ContactId,
    query: &ListQuery,
) -> Result<u64, StoreError> {
    let query = about(contact_id, query);
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], &query)
}

/// Adds to a query that rows are about a contact, and that their table is not deleted.
fn about(contact_id: ContactId, query: &ListQuery) -> ListQuery {
    let mut query = query.clone();
    let is_its = list::Operand::Int(contact_id.get());
    query
        .filters
        .push(Filter::new(by::CONTACT, list::Op::Eq, is_its));
    query.filters.push(Filter::Linked {
        link: by::TABLE_HIDDEN,
        holder: 1,
        wanted: false,
    });
    query
}

/// Returns what a view's conditions are to a list of its table's rows.
pub fn filters(conditions: &ViewFilters) -> impl Iterator<Item = Filter> + '_ {
    let conditions = conditions.conditions().iter();
    conditions.map(|comparison| conditions::filter(comparison, compared))
}

fn compared(subject: &RowSubject) -> Compared<'_> {
    Compared::Column(match subject {
        RowSubject::Variable(name) => return Compared::Variable(name),
        RowSubject::Id => by::ID,
        RowSubject::TimeCreated => by::TIME_CREATED,
        RowSubject::TimeUpdated => by::TIME_UPDATED,
        RowSubject::ContactId => by::CONTACT,
        RowSubject::ContactName => by::CONTACT_NAME,
        RowSubject::FromNumber => by::FROM_NUMBER,
    })
}

fn read(row: &Row<'_>) -> Result<DataRow, StoreError> {
    let mut columns = Cursor::new(row);
    let mut row = DataRow {
        id: columns.id()?,
        project_id: columns.id()?,
        table_id: columns.id()?,
        contact_id: columns.opt_id()?,
        from_number: columns.opt_parsed(|text| text.parse::<Address>().ok())?,
        vars: columns.parsed(Vars::from_json)?,
        time_created: columns.time()?,
        time_updated: columns.time()?,
    };
    variables::leave_out(&mut row.vars, columns.opt_text()?);
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::list::{Op, Operand};
    use crate::plans::Way;
    use crate::testing::TestDatabase;
    use hub_domain::CustomField;
    use postrider_model::{Id, Key};

    const TABLE: i64 = 70;

    fn id<K>(key: i64) -> Id<K> {
        Id::new(Key::new(key).unwrap())
    }

    /// Returns a store with 3,000 rows of a table: every second one is about contact 7, every five
    /// hundredth about contact 8; every second one has the city Oslo, every fourth one the age 0, and
    /// each has a code of its own.
    fn filled() -> (TestDatabase, Store) {
        let database = TestDatabase::fresh();
        let store = database.open();
        const COUNT: &str = "WITH RECURSIVE n(i) AS \
            (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)";
        let rows = format!(
            "INSERT INTO data_rows (id, project_id, table_id, contact_id, vars, time_created, \
             time_updated) {COUNT} SELECT i, 0, 70, CASE WHEN i % 500 = 0 THEN 8 \
             WHEN i % 2 = 0 THEN 7 END, '{{}}', 0, 0 FROM n"
        );
        let cities = format!(
            "INSERT INTO row_vars (bearer_id, field_id, value) {COUNT} \
             SELECT i, 1, CASE WHEN i % 2 = 0 THEN 'oslo' ELSE 'bergen' END FROM n"
        );
        let codes = format!(
            "INSERT INTO row_vars (bearer_id, field_id, value, number) {COUNT} SELECT i, 2, i, i FROM n"
        );
        let ages = format!(
            "INSERT INTO row_vars (bearer_id, field_id, value, number) {COUNT} \
             SELECT i, 3, i % 4, i % 4 FROM n"
        );
        let filled: Result<_, StoreError> = store.write_blocking(move |tx| {
            for (key, variable) in [(1, "city"), (2, "code"), (3, "age")] {
                let owner = FieldOwner::Table(id(TABLE));
                let field = CustomField::new(key, id(0), owner, variable, key);
                fields::insert(tx, &field)?;
            }
            for sql in [&rows, &cities, &codes, &ages] {
                tx.query_built(sql, &[], |_| Ok(()))?;
            }
            Ok(())
        });
        filled.unwrap();
        (database, store)
    }

    fn variable(name: &str, op: Op, operand: Operand) -> Filter {
        let name = name.to_owned();
        Filter::Variable { name, op, operand }
    }

    #[test]
    fn the_rows_of_a_deleted_table_take_their_variables_along() {
        let (_database, store) = filled();
        let gone: Result<usize, StoreError> =
            store.write_blocking(|tx| remove_some(tx, id(TABLE), 3_000));
        assert_eq!(gone.unwrap(), 3_000);
        let left = store.read_blocking(|tx| {
            tx.query_one("SELECT count(*) FROM row_vars", &values![], |row| {
                row.int(0)
            })
        });
        assert_eq!(left.unwrap(), Some(0));
    }

    #[test]
    fn a_row_is_fetched_only_when_its_variables_are_those_that_are_wanted() {
        let (_database, store) = filled();
        let query = ListQuery {
            filters: vec![
                variable("city", Op::Eq, Operand::Text("oslo".to_owned())),
                variable("age", Op::Eq, Operand::Real(2.0)),
                variable("code", Op::Prefix, Operand::Text("2".to_owned())),
            ],
            ..ListQuery::default()
        };
        let (table, scope) = (of_table(id(TABLE)), scope(id(0), id(TABLE)));
        let (page, counts, found) = store
            .read_blocking(move |tx| {
                let page = list::explain(tx, &table, &scope, &query)?;
                let counts = list::explain_counts(tx, &table, &scope, &query)?;
                Ok::<_, StoreError>((page, counts, list::count(tx, &table, &scope, &query)?))
            })
            .unwrap();
        assert!(page.reads_before("asked", "data_rows"), "{page:?}");
        assert_eq!(counts.len(), 3);
        for count in counts {
            assert!(count.reads("row_vars_by_"), "{count:?}");
            assert!(!count.reads("data_rows"), "{count:?}");
            assert!(!count.sorts(), "{count:?}");
        }
        // 2, 22, 26, 202 … 298 and 2002 … 2998.
        assert_eq!(found, 3 + 25 + 250);
    }

    #[test]
    fn each_pair_that_people_use_goes_along_an_index() {
        let (_database, store) = filled();
        let oslo = || variable("city", Op::Eq, Operand::Text("oslo".to_owned()));
        let code = |op, number| variable("code", op, Operand::Real(number));
        let age = |number| variable("age", Op::Eq, Operand::Real(number));
        let contact = |key| Filter::new(by::CONTACT, Op::Eq, Operand::Int(key));
        let since = || Filter::new(by::TIME_CREATED, Op::Min, Operand::Int(1_000));
        for (filters, index) in [
            (vec![], "data_rows_by_table (table_id=?)"),
            (vec![since()], "data_rows_by_table (table_id=? AND id>?)"),
            (
                vec![oslo(), since()],
                "row_vars_by_value (field_id=? AND <expr>=? AND bearer_id>?)",
            ),
            (
                vec![oslo(), contact(8)],
                "data_rows_by_contact_of_table (table_id=? AND contact_id=?)",
            ),
            (
                vec![oslo(), contact(7)],
                "data_rows_by_contact_of_table (table_id=? AND contact_id=?)",
            ),
            (
                vec![oslo(), age(0.0)],
                "row_vars_by_number (field_id=? AND number=?)",
            ),
            (
                vec![age(2.0), oslo()],
                "row_vars_by_number (field_id=? AND number=?)",
            ),
            (
                vec![oslo(), code(Op::Min, 2_990.0)],
                "row_vars_by_number (field_id=? AND number>?)",
            ),
            (
                vec![code(Op::Min, 5.0), code(Op::Max, 2_900.0)],
                "data_rows_by_table (table_id=?)",
            ),
        ] {
            let shown = format!("{filters:?}");
            let query = ListQuery {
                filters,
                ..ListQuery::default()
            };
            let plan = store.read_blocking(move |tx| {
                list::explain(tx, &of_table(id(TABLE)), &scope(id(0), id(TABLE)), &query)
            });
            let plan: Way = plan.unwrap();
            assert!(plan.takes(index), "{shown}: {plan:?}");
            assert_eq!(plan.sorts(), index.contains("number>"), "{shown}: {plan:?}");
        }
        let plan = store.read_blocking(move |tx| {
            let query = about(id(7), &ListQuery::default());
            list::explain(tx, &super::TABLE, &[Scope::of_project(id(0))], &query)
        });
        let plan: Way = plan.unwrap();
        assert!(
            plan.takes("data_rows_by_contact (contact_id=?)"),
            "{plan:?}"
        );
        assert!(!plan.sorts(), "{plan:?}");
    }
}
