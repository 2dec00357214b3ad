//! What a command is given: its flags, then variables, then the file of `--config`.
//!
//! The file's values become the defaults of the flags, so that clap itself says which of the three wins.

use crate::environment;
use crate::settings::SettingsError;
use crate::settings::file::{Line, SettingsFile};
use crate::settings::table;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, Error};
use std::ffi::OsString;
use std::path::PathBuf;

/// What a command was given.
#[derive(Debug)]
pub struct Given {
    /// What clap made of it.
    pub matches: ArgMatches,
    /// The command within others.
    command: Command,
    file: Option<SettingsFile>,
}

/// Where a setting comes from.
#[derive(Debug, Clone, Copy)]
pub enum Origin<'g> {
    /// The command line.
    Flag,
    /// A variable.
    Variable,
    /// The file of `--config`.
    File(&'g SettingsFile, &'g Line),
    /// Nobody has said.
    Default,
}

/// Why a command was not given what it needs.
#[derive(Debug)]
pub enum NotGiven {
    /// What the command line or a variable says is wrong, or asks for help.
    Usage(Error),
    /// The file cannot be used; without it this was given.
    File(SettingsError, Box<Given>),
}

impl From<Error> for NotGiven {
    fn from(error: Error) -> Self {
        Self::Usage(error)
    }
}

impl Given {
    /// Reads the command line, variables and the file.
    ///
    /// # Errors
    /// [`NotGiven`], also for `--help`.
    pub fn read(command: &Command, line: &[OsString]) -> Result<Self, NotGiven> {
        let parse = |command: Command| command.try_get_matches_from(line);
        let given = match parse(environment::without_empty(command.clone())) {
            // The help names variables that are empty, too.
            Err(error) if error.kind() == ErrorKind::DisplayHelp => {
                return Err(parse(command.clone()).err().unwrap_or(error).into());
            }
            given => given?,
        };
        let mut found = innermost_command(command.clone(), &given);
        refuse_empty(&mut found, innermost(&given))?;
        let path = config(innermost(&given));
        let mut given = Self {
            matches: given,
            command: found,
            file: None,
        };
        let Some(path) = path else { return Ok(given) };
        let file =
            SettingsFile::read(&path).and_then(|file| file.check(&given.command).map(|()| file));
        match file {
            Ok(file) => {
                let with_file = with_defaults(command.clone(), &file);
                given.matches = parse(environment::without_empty(with_file))?;
                given.file = Some(file);
                Ok(given)
            }
            Err(error) => Err(NotGiven::File(error, Box::new(given))),
        }
    }

    /// Returns the settings that the command takes.
    pub fn settings(&self) -> impl Iterator<Item = &Arg> {
        table::settings(&self.command)
    }

    /// Returns the values of a setting as they were given; none where nobody has said.
    pub fn values(&self, arg: &Arg) -> Vec<String> {
        let raw = innermost(&self.matches).get_raw(arg.get_id().as_str());
        let raw = raw.into_iter().flatten();
        raw.map(|value| value.to_string_lossy().into_owned())
            .collect()
    }

    /// Returns where a setting comes from.
    pub fn origin(&self, arg: &Arg) -> Origin<'_> {
        match innermost(&self.matches).value_source(arg.get_id().as_str()) {
            Some(ValueSource::CommandLine) => Origin::Flag,
            Some(ValueSource::EnvVariable) => Origin::Variable,
            _ => {
                let line = self.file.as_ref().and_then(|it| Some((it, it.line(arg)?)));
                line.map_or(Origin::Default, |(file, line)| Origin::File(file, line))
            }
        }
    }

    /// Adds to an error where the settings stand that it names, unless that is the command line.
    pub fn explain(&self, error: &str) -> String {
        let mut text = error.to_owned();
        for arg in self.settings() {
            let flag = format!("--{}", arg.get_long().unwrap_or_default());
            if !names(error, &flag) {
                continue;
            }
            match self.origin(arg) {
                Origin::Variable => {
                    let variable = table::variable(arg).unwrap_or_default();
                    text.push_str(&format!(" ({flag} is the variable {variable})"));
                }
                Origin::File(file, line) => {
                    let (file, number) = (file.path().display(), line.number);
                    text.push_str(&format!(" ({flag} is in {file}, line {number})"));
                }
                Origin::Flag | Origin::Default => {}
            }
        }
        text
    }
}

/// Says whether a text names a flag, and not a longer one that begins as it does.
fn names(text: &str, flag: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
    let mut found = text.match_indices(flag);
    found.any(|(at, _)| !goes_on(&text[at + flag.len()..]))
}

/// Returns what was given to the innermost command.
fn innermost(matches: &ArgMatches) -> &ArgMatches {
    let mut innermost = matches;
    while let Some((_, within)) = innermost.subcommand() {
        innermost = within;
    }
    innermost
}

/// Returns the innermost command that was given.
fn innermost_command(mut command: Command, matches: &ArgMatches) -> Command {
    command.build();
    let (mut found, mut matches) = (&command, matches);
    while let Some((name, within)) = matches.subcommand() {
        let Some(next) = found.find_subcommand(name) else {
            break;
        };
        (found, matches) = (next, within);
    }
    found.clone()
}

fn config(matches: &ArgMatches) -> Option<PathBuf> {
    matches.try_get_one::<PathBuf>("config").ok()?.cloned()
}

/// Refuses a setting without a value: a variable in quotes that nobody has set leaves that.
fn refuse_empty(command: &mut Command, given: &ArgMatches) -> Result<(), Error> {
    let is_empty = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        let is_flag = given.value_source(id) == Some(ValueSource::CommandLine);
        let mut raw = given.get_raw(id).into_iter().flatten();
        is_flag && raw.any(|value| value.to_string_lossy().trim().is_empty())
    };
    let Some(empty) = table::settings(command).find(is_empty) else {
        return Ok(());
    };
    let flag = empty.get_long().unwrap_or_default();
    let text = format!("--{flag} is empty: leave it out where nothing is to be set");
    Err(command.error(ErrorKind::ValueValidation, text))
}

fn with_defaults(command: Command, file: &SettingsFile) -> Command {
    let command = command.mut_args(|arg| match file.line(&arg) {
        Some(line) => arg.default_values(line.values.clone()),
        None => arg,
    });
    command.mut_subcommands(|within| with_defaults(within, file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ServeSettings;
    use clap::{Args as _, FromArgMatches as _};

    fn command() -> Command {
        Command::new("route-hub").subcommand(ServeSettings::augment_args(Command::new("serve")))
    }

    fn given(line: &[&str]) -> Result<Given, NotGiven> {
        let line = ["route-hub", "serve"].iter().chain(line);
        let line: Vec<_> = line.map(OsString::from).collect();
        Given::read(&command(), &line)
    }

    fn serve(given: &Given) -> ServeSettings {
        ServeSettings::from_arg_matches(innermost(&given.matches)).unwrap()
    }

    fn with_file(text: &str, line: &[&str]) -> Result<Given, NotGiven> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hub.toml");
        std::fs::write(&path, text).unwrap();
        let config = ["--config", path.to_str().unwrap()];
        given(&[&config[..], line].concat())
    }

    #[test]
    fn a_flag_wins_over_the_file_and_the_file_over_the_default() {
        let text = "process = 7\ndrain_s = 3\nhosts = [\"a.example\", \"b.example\"]\n";
        let given = with_file(text, &["--process", "1"]).unwrap();
        let settings = serve(&given);
        assert_eq!((settings.process, settings.drain_s), (Some(1), Some(3)));
        assert_eq!(settings.hosts, ["a.example", "b.example"]);
        assert_eq!(settings.listen_addr().port(), 8090);
        let origin = |name| {
            let mut all = given.settings();
            given.origin(all.find(|arg| arg.get_long() == Some(name)).unwrap())
        };
        assert!(matches!(origin("process"), Origin::Flag));
        assert!(matches!(origin("drain-s"), Origin::File(_, line) if line.number == 2));
        assert!(matches!(origin("listen"), Origin::Default));
    }

    #[test]
    fn a_list_of_the_command_line_takes_the_place_of_the_files() {
        let text = "hosts = [\"a.example\"]\nallow_plain_http = true\n";
        let line = ["--host", "c.example", "--allow-plain-http=false"];
        let settings = serve(&with_file(text, &line).unwrap());
        assert_eq!(settings.hosts, ["c.example"]);
        assert_eq!(settings.allow_plain_http, Some(false));
    }

    #[test]
    fn an_error_says_where_the_settings_stand_that_it_names() {
        let text = "tls_cert = \"cert.pem\"\n[database]\nca = \"ca.pem\"\n";
        let given = with_file(text, &["--nats", "nats://x"]).unwrap();
        let said = given.explain("--tls-cert needs --tls-key beside it");
        let end = "hub.toml, line 1)";
        assert!(
            said.contains("(--tls-cert is in ") && said.ends_with(end),
            "{said}"
        );
        assert_eq!(given.explain("--nats is refused"), "--nats is refused");
        assert_eq!(given.explain("--database-caller"), "--database-caller");
        let said = given.explain("--database-ca needs --database beside it");
        assert!(said.ends_with("hub.toml, line 3)"), "{said}");
    }

    #[test]
    fn an_empty_flag_is_refused_by_name() {
        for line in [
            ["--files-region", ""],
            ["--host", "a,,b"],
            ["--database", " "],
        ] {
            let Err(NotGiven::Usage(error)) = given(&line) else {
                panic!("{line:?} is taken");
            };
            let said = error.to_string();
            assert!(said.contains(&format!("{} is empty", line[0])), "{said}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let Err(NotGiven::File(error, _)) = given(&["--config", "no-such-file"]) else {
            panic!("it is read");
        };
        assert!(
            error.to_string().contains("--config no-such-file"),
            "{error}"
        );
    }
}
