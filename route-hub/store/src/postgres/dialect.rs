//! The migrations as PostgreSQL reads them.
//!
//! - texts are compared by their bytes, as SQLite does, whatever the database's own order is;
//! - NULL comes first in an index, as lists have it: a column that can be NULL says so;
//! - migrations that move rows with SQLite's functions have a text of their own;
//! - indexes that come after [`BASE`] are made apart from their migration: on a table in use that is
//!   done without a lock on it, which no transaction can.

use std::collections::BTreeSet;

/// The newest schema that an empty database gets at once, indexes and all.
const BASE: i64 = 24;

/// What differs from SQLite's text: no database of this engine had the rows that move there.
const OWN: &[(&str, &str)] = &[
    ("V22__commands_for_later", ""),
    (
        "V23__freezes_and_lost_installs",
        include_str!("../../migrations/V23__freezes_and_lost_installs.postgres.sql"),
    ),
];

/// The migrations in PostgreSQL's words.
#[derive(Default)]
pub(super) struct Dialect {
    /// Names and texts, in order.
    pub(super) migrations: Vec<(String, String)>,
    /// The indexes that are made apart.
    pub(super) indexes: Vec<Index>,
    /// Tables with those of their columns that can be NULL.
    nullable: BTreeSet<(String, String)>,
}

/// An index that is made while its table is in use.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Index {
    pub(super) name: String,
    /// What makes it.
    pub(super) statement: String,
}

impl Dialect {
    /// Reads all migrations.
    pub(super) fn of(all: &[(&str, &str)]) -> Self {
        let mut dialect = Self::default();
        for (name, text) in all {
            let own = OWN.iter().find(|(own, _)| own == name);
            let text = own.map_or(*text, |(_, text)| text);
            let is_base = number(name) <= BASE;
            let statements = statements(text);
            let kept = statements
                .iter()
                .filter_map(|statement| dialect.statement(statement, is_base));
            let text = kept.collect::<Vec<_>>().join(";\n");
            dialect.migrations.push(((*name).to_owned(), text));
        }
        dialect
    }

    /// Returns the newest migration's number.
    pub(super) fn newest(&self) -> i64 {
        self.migrations.last().map_or(0, |(name, _)| number(name))
    }

    /// Translates one statement; `None` for one that is done apart.
    fn statement(&mut self, text: &str, is_base: bool) -> Option<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match *words {
            ["CREATE", "TABLE", table, ..] => {
                for line in text.lines().skip(1) {
                    self.note(table, line);
                }
                Some(typed(text))
            }
            ["ALTER", "TABLE", table, "ADD", "COLUMN", ..] => {
                let (_, column) = text.split_once(" ADD COLUMN ")?;
                self.note(table, column);
                Some(typed(text))
            }
            ["CREATE", "INDEX", name, "ON", table, ..]
            | ["CREATE", "UNIQUE", "INDEX", name, "ON", table, ..] => {
                let statement = self.nulls_first(table, text);
                if is_base {
                    return Some(statement);
                }
                self.indexes.push(Index {
                    name: name.to_owned(),
                    statement: statement.replacen(" INDEX ", " INDEX CONCURRENTLY ", 1),
                });
                None
            }
            ["DROP", "INDEX", name] => {
                self.indexes.retain(|index| index.name != name);
                Some(format!("DROP INDEX IF EXISTS {name}"))
            }
            _ => Some(text.to_owned()),
        }
    }

    /// Notes a column that can be NULL, by its definition.
    fn note(&mut self, table: &str, definition: &str) {
        let is_column = definition
            .trim()
            .starts_with(|c: char| c.is_ascii_lowercase());
        let never_null = ["NOT NULL", "PRIMARY KEY"].map(|rule| definition.contains(rule));
        if let Some(column) = definition.split_whitespace().next()
            && is_column
            && never_null == [false, false]
        {
            self.nullable.insert((table.to_owned(), column.to_owned()));
        }
    }

    /// Puts NULL first in an index's columns that can be NULL.
    fn nulls_first(&self, table: &str, text: &str) -> String {
        let Some((head, rest)) = text.split_once('(') else {
            return text.to_owned();
        };
        let Some((columns, tail)) = rest.split_once(')') else {
            return text.to_owned();
        };
        let columns = columns.split(", ").map(|column| {
            let key = (table.to_owned(), column.to_owned());
            let nulls = if self.nullable.contains(&key) {
                " NULLS FIRST"
            } else {
                ""
            };
            format!("{column}{nulls}")
        });
        format!("{head}({}){tail}", columns.collect::<Vec<_>>().join(", "))
    }
}

/// Returns the number in a migration's name.
pub(super) fn number(name: &str) -> i64 {
    let number = name.trim_start_matches('V').split("__").next();
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Cuts a text into its statements, without its comments.
pub(super) fn statements(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .map(|line| line.split_once("--").map_or(line, |(line, _)| line));
    let text = lines.collect::<Vec<_>>().join("\n");
    let statements = text
        .split(';')
        .map(str::trim)
        .filter(|statement| !statement.is_empty());
    statements.map(str::to_owned).collect()
}

/// Translates the types of columns.
fn typed(definition: &str) -> String {
    definition
        .replace(" TEXT", " TEXT COLLATE \"C\"")
        .replace(" BLOB", " BYTEA")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(name: &str, text: &str) -> Dialect {
        Dialect::of(&[(name, text)])
    }

    #[test]
    fn columns_and_indexes_get_the_order_that_sqlite_has() {
        let text = "-- A comment; no statement.\n\
            CREATE TABLE things (\n    id BIGINT PRIMARY KEY,\n    name TEXT,\n    seen BIGINT,\n    \
            rank BIGINT NOT NULL,\n    PRIMARY KEY (id)\n); -- clustered\n\
            ALTER TABLE things ADD COLUMN added TEXT NOT NULL;\n\
            CREATE INDEX by_name ON things (name, rank DESC, added) WHERE name IS NOT NULL;\n\
            UPDATE things SET name = CAST(id AS TEXT);";
        let dialect = translated("V1__things", text);
        let expected = "CREATE TABLE things (\n    id BIGINT PRIMARY KEY,\n    \
            name TEXT COLLATE \"C\",\n    seen BIGINT,\n    rank BIGINT NOT NULL,\n    \
            PRIMARY KEY (id)\n);\n\
            ALTER TABLE things ADD COLUMN added TEXT COLLATE \"C\" NOT NULL;\n\
            CREATE INDEX by_name ON things (name NULLS FIRST, rank DESC, added) \
            WHERE name IS NOT NULL;\n\
            UPDATE things SET name = CAST(id AS TEXT)";
        assert_eq!(
            dialect.migrations,
            [("V1__things".to_owned(), expected.to_owned())]
        );
        assert!(dialect.indexes.is_empty());
    }

    #[test]
    fn a_later_index_is_made_apart_until_it_is_dropped() {
        let create = "CREATE UNIQUE INDEX by_name ON things (name)";
        let dialect = translated("V999__later", create);
        let statement = "CREATE UNIQUE INDEX CONCURRENTLY by_name ON things (name)";
        let (name, statement) = ("by_name".to_owned(), statement.to_owned());
        assert_eq!(dialect.migrations[0].1, "");
        assert_eq!(dialect.indexes, [Index { name, statement }]);
        let dropped = translated("V999__later", &format!("{create}; DROP INDEX by_name"));
        assert!(dropped.indexes.is_empty());
    }
}
