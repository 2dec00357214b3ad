//! `route-hub migrate --from … --to …`: all data of a hub go to another database.

use crate::database::{DatabaseSettings, is_postgres, none_given, secret};
use clap::Args;
use hub_app::clock::SystemClock;
use hub_app::data_folder::error::CommandError;
use hub_app::data_folder::{self, Data, database};
use hub_app::data_folder::{folder_lock, replacement};
use hub_app::random::Random;
use hub_store::backup;
use hub_store::moving::{self, Names, Place, Step};
use postrider_model::Secret;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The two databases of a move.
#[derive(Debug, Args)]
pub struct MoveArgs {
    /// Move all data of a hub from this database: `postgres://…`, or a data folder. No hub and no
    /// other command may run on either database.
    #[arg(long, value_name = "URL|DIR", value_parser = secret, requires = "to")]
    pub from: Option<Secret>,
    /// Move them to this one, which is empty.
    #[arg(long, value_name = "URL|DIR", value_parser = secret, requires = "from")]
    pub to: Option<Secret>,
    /// Take a move back, unless the new database has been served.
    #[arg(long, requires = "from")]
    pub undo: bool,
    /// File whose first line is the password of the database of --from.
    #[arg(long, value_name = "FILE", requires = "from")]
    pub from_password_file: Option<PathBuf>,
    /// File whose first line is the password of the database of --to.
    #[arg(long, value_name = "FILE", requires = "from")]
    pub to_password_file: Option<PathBuf>,
}

impl MoveArgs {
    /// Returns where the data come from and where they go to, if they are to be moved. What is set for
    /// `database` counts for both.
    ///
    /// # Errors
    /// When the file of a password cannot be read, or a setting has no database.
    pub(super) fn ends(
        &self,
        database: &DatabaseSettings,
    ) -> Result<Option<(Data, Data)>, CommandError> {
        let (Some(from), Some(to)) = (&self.from, &self.to) else {
            return Ok(None);
        };
        if folder(from.as_str()).is_some() && folder(to.as_str()).is_some() {
            database.refused_without("a postgres:// URL in --from or --to")?;
        }
        let from = end(database, ("--from", from), &self.from_password_file)?;
        let to = end(database, ("--to", to), &self.to_password_file)?;
        Ok(Some((from, to)))
    }
}

/// Returns where one end of a move is.
fn end(
    database: &DatabaseSettings,
    (flag, named): (&str, &Secret),
    password_file: &Option<PathBuf>,
) -> Result<Data, CommandError> {
    if let Some(folder) = folder(named.as_str()) {
        let own = format!("{flag}-password-file");
        let needed = format!("a postgres:// URL in {flag}");
        none_given(&needed, &[(&own, password_file.is_some())])?;
        return Ok(Data::Folder(folder.to_owned()));
    }
    if !is_postgres(named.as_str()) {
        return Err(CommandError::new(format!(
            "{flag} must be a data folder, or a URL such as postgres://USER@HOST:PORT/NAME"
        )));
    }
    let settings = DatabaseSettings {
        url: Some(named.clone()),
        password_file: password_file.clone().or(database.password_file.clone()),
        ..database.clone()
    };
    settings.data(Path::new(""))
}

/// Returns the data folder that is named, by itself or by its database's file; `None` for what has a URL of another kind.
fn folder(named: &str) -> Option<&Path> {
    let path = named.strip_prefix("sqlite:").unwrap_or(named);
    if is_postgres(named) || path.contains("://") {
        return None;
    }
    let path = Path::new(path.strip_prefix("//").unwrap_or(path));
    if path.file_name() == database(Path::new("")).file_name() {
        path.parent()
    } else {
        Some(path)
    }
}

/// Moves the data, or takes that back.
///
/// # Errors
/// When they cannot be moved; the same command goes on.
pub(super) fn run(from: Data, to: Data, undo: bool) -> Result<(), CommandError> {
    let clock = SystemClock::start();
    let _alone = [alone(&from, false)?, alone(&to, !undo)?];
    let [from, to] = [from, to].map(place);
    let mut out = std::io::stdout().lock();
    if undo {
        moving::undo(&from, &to).map_err(|error| CommandError::of("migrate", &error))?;
        writeln!(out, "{from} may be served again, and {to} may not.")?;
        return Ok(());
    }
    let names = Names {
        id: Random::new().token::<12>(),
        run: Random::new().token::<12>(),
        now: clock.now().unix,
    };
    let mut progress = Progress::default();
    let told = &mut |step| {
        let text = progress.text(step, clock.since_start(), (&from, &to));
        text.is_none_or(|text| writeln!(out, "{text}").and_then(|()| out.flush()).is_ok())
    };
    moving::run(&from, &to, &names, told).map_err(|error| CommandError::of("migrate", &error))
}

fn place(data: Data) -> Place {
    match data {
        Data::Folder(folder) => Place::Sqlite(database(&folder)),
        Data::Postgres(settings) => Place::Postgres(Box::new(settings)),
    }
}

/// Takes the only place in a data folder; a server's database has other means.
fn alone(data: &Data, create: bool) -> Result<Option<folder_lock::Place>, CommandError> {
    let Data::Folder(folder) = data else {
        return Ok(None);
    };
    if create {
        data_folder::make(folder)?;
    } else if !folder.is_dir() {
        return Ok(None);
    }
    replacement::finish(folder)?;
    let place = folder_lock::alone(folder)?;
    match place {
        Some(place) if !backup::is_open(&database(folder))? => Ok(Some(place)),
        _ => Err(CommandError::new(format!(
            "{} is in use: first stop the hub and whatever else works on it",
            folder.display()
        ))),
    }
}

/// What has been moved so far.
#[derive(Default)]
struct Progress {
    rows: u64,
}

impl Progress {
    /// Says what a step did, if somebody is to be told.
    fn text(&mut self, step: Step, took: Duration, (from, to): (&Place, &Place)) -> Option<String> {
        Some(match step {
            Step::TargetMarked => format!("{to} is empty; nobody can serve it before the end"),
            Step::SourceMarked => format!("{from} cannot be served from now on"),
            Step::Rows { .. } => return None,
            Step::Copied { table, rows } => {
                self.rows += rows;
                format!("{table}: {rows} rows copied")
            }
            Step::Compared { table, sha256 } => {
                format!("{table}: the same, SHA-256 {}", hex(&sha256))
            }
            Step::Finished => {
                let (rows, seconds) = (self.rows, took.as_secs_f64());
                format!(
                    "{rows} rows were moved in {seconds:.1} s. Now serve {to}, with --files where the \
                     hub's files are: they stay there. Until then --undo takes it back. {from} is kept \
                     as it was, and refuses to be served."
                )
            }
            Step::WasFinished => format!("the data are in {to} already: serve that"),
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_in_several_ways_and_a_server_by_its_url() {
        for named in [
            "/data",
            "/data/hub.db",
            "sqlite:/data",
            "sqlite:///data/hub.db",
        ] {
            assert_eq!(folder(named), Some(Path::new("/data")), "{named}");
        }
        assert_eq!(folder("postgres://hub@db/hub.db"), None);
        assert_eq!(folder("postgresql://hub@db/hub"), None);
    }

    fn ends(
        (from, to): (&str, &str),
        password_files: [Option<PathBuf>; 2],
        database: &DatabaseSettings,
    ) -> Result<Option<(Data, Data)>, String> {
        let [from_password_file, to_password_file] = password_files;
        let args = MoveArgs {
            from: Some(Secret::new(from)),
            to: Some(Secret::new(to)),
            undo: false,
            from_password_file,
            to_password_file,
        };
        args.ends(database).map_err(|error| error.to_string())
    }

    #[test]
    fn how_to_reach_a_server_is_refused_where_an_end_is_none() {
        let (none, file) = (DatabaseSettings::default(), Some("password".into()));
        let refused = ends(("/data", "postgres://db/hub"), [file, None], &none);
        let why = "--from-password-file needs a postgres:// URL in --from beside it";
        assert_eq!(refused.unwrap_err(), why);
        let plain = DatabaseSettings {
            plain: Some(true),
            ..none
        };
        let refused = ends(("/data", "/other"), [None, None], &plain);
        let why = "--database-plain needs a postgres:// URL in --from or --to beside it";
        assert_eq!(refused.unwrap_err(), why);
        assert!(ends(("/data", "postgres://db/hub"), [None, None], &plain).is_ok());
    }

    #[test]
    fn the_database_s_password_file_counts_for_an_end_that_has_none() {
        let dir = tempfile::tempdir().unwrap();
        let (both, own) = (dir.path().join("both"), dir.path().join("own"));
        std::fs::write(&both, "open sesame\n").unwrap();
        std::fs::write(&own, "another\n").unwrap();
        let database = DatabaseSettings {
            password_file: Some(both),
            ..DatabaseSettings::default()
        };
        let servers = ("postgres://one/hub", "postgres://two/hub");
        let (from, to) = ends(servers, [Some(own), None], &database)
            .unwrap()
            .unwrap();
        let password = |data| match data {
            Data::Postgres(settings) => settings.password,
            Data::Folder(_) => None,
        };
        assert_eq!(password(from).as_deref(), Some("another"));
        assert_eq!(password(to).as_deref(), Some("open sesame"));
    }
}
