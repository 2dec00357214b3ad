//! The database: there, of which schema, sound as far as a look shows.

use super::finding::{Finding, counted};
use hub_app::data_folder::{Data, database};
use hub_store::look::{self, Look};
use hub_store::{StoreError, look_on_server};
use std::time::Duration;

/// How long a file is looked through.
const LOOKED_FOR: Duration = Duration::from_secs(10);

/// Looks at the database, also for what the other checks want to know of it.
pub(super) fn look(data: &Data) -> (Finding, Option<Look>) {
    let looked = match data {
        Data::Folder(folder) => look::at_file(&database(folder), LOOKED_FOR),
        Data::Postgres(settings) => look_on_server(settings),
    };
    match looked {
        Ok(look) => (judge(&look), Some(look)),
        Err(error) => (refused(&error), None),
    }
}

fn judge(look: &Look) -> Finding {
    let Look { schema, newest, .. } = look;
    let of = match &look.server {
        Some(version) => format!("PostgreSQL {version}, schema {schema}"),
        None => format!("schema {schema}"),
    };
    if !look.faults.is_empty() {
        let faults = look.faults.join("; ");
        return Finding::bad(
            format!("{of}, damaged: {faults}"),
            "Stop the hub, restore a backup (docs/operating.md, Restore), and look at the disk",
        );
    }
    if *schema == 0 {
        return Finding::bad(
            "it is empty",
            "`route-hub migrate` makes it a hub's; is it the right one?",
        );
    }
    if schema > newest {
        return Finding::bad(
            format!("{of}, and this program knows {newest}"),
            "Use the program that wrote it, or a newer one",
        );
    }
    if schema < newest {
        let copied = match look.server {
            Some(_) => "Take a backup first",
            None => "The file is copied first (docs/operating.md, Upgrades)",
        };
        return Finding::doubtful(format!("{of}: the next start makes it {newest}"), copied);
    }
    match (&look.server, look.is_whole) {
        (Some(_), _) => Finding::good(of),
        (None, true) => Finding::good(format!("{of}, sound")),
        (None, false) => {
            let seconds = counted(LOOKED_FOR.as_secs() as usize, "second", "seconds");
            Finding::good(format!(
                "{of}, no fault in {seconds}, which saw a part of it"
            ))
        }
    }
}

/// Says what is to be done about a database that cannot be looked at.
fn refused(error: &StoreError) -> Finding {
    let mut says = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        says = format!("{says}: {error}");
        cause = error.source();
    }
    let to_do = match error {
        StoreError::Missing { .. } => {
            "Is its disk mounted, is --dir right? `route-hub migrate` makes a new one"
        }
        StoreError::Foreign { .. } => "Name the hub's own folder with --dir",
        StoreError::Newer { .. } => "Use the program that wrote it, or a newer one",
        StoreError::Unreachable(_) => "Does it run, and are --database and its password right?",
        StoreError::Damaged(_) => {
            "Stop the hub, restore a backup (docs/operating.md, Restore), and look at the disk"
        }
        StoreError::Refused { .. } => "See docs/postgresql.md",
        _ => "Try again, and look at the disk and its rights",
    };
    Finding::bad(says, to_do)
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;
    use std::path::PathBuf;
    use std::sync::Arc;

    type Case = (fn(&mut Look), Verdict, &'static str);

    fn good() -> Look {
        Look {
            schema: 42,
            newest: 42,
            server: None,
            faults: Vec::new(),
            is_whole: true,
            filters: Vec::new(),
        }
    }

    #[test]
    fn a_database_is_judged_by_its_schema_and_its_faults() {
        use Verdict::{Bad, Doubtful, Good};
        let cases: [Case; 7] = [
            (|_| {}, Good, "schema 42, sound"),
            (|it| it.is_whole = false, Good, "a part of it"),
            (
                |it| it.server = Some("15.4".into()),
                Good,
                "PostgreSQL 15.4, schema 42",
            ),
            (|it| it.schema = 41, Doubtful, "makes it 42"),
            (|it| it.schema = 43, Bad, "knows 42"),
            (|it| it.schema = 0, Bad, "empty"),
            (
                |it| it.faults = vec!["page 7".into()],
                Bad,
                "damaged: page 7",
            ),
        ];
        for (change, verdict, words) in cases {
            let mut look = good();
            change(&mut look);
            let found = judge(&look);
            assert_eq!(found.verdict, verdict, "{found:?}");
            assert!(found.says.contains(words), "{found:?}");
        }
    }

    #[test]
    fn what_cannot_be_looked_at_is_bad_and_says_why() {
        let missing = refused(&StoreError::Missing {
            path: PathBuf::from("data/hub.db"),
        });
        assert_eq!(missing.verdict, Verdict::Bad);
        assert!(missing.says.contains("data/hub.db"));
        let gone = StoreError::Unreachable(Arc::new(std::io::Error::other("refused")));
        assert!(refused(&gone).to_do.unwrap().contains("--database"));
    }
}
