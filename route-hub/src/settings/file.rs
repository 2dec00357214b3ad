//! The TOML file of `--config`: settings by the names of their flags, flat or in tables.

use crate::settings::SettingsError;
use crate::settings::table::{self, Takes};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};
use std::error::Error as _;
use std::fs;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The settings of a file.
#[derive(Debug)]
pub struct SettingsFile {
    path: PathBuf,
    lines: Vec<Line>,
}

/// A setting of a file.
#[derive(Debug)]
pub struct Line {
    /// Where it stands, from 1.
    pub number: usize,
    /// What it is called there.
    key: String,
    /// The variable of the setting.
    variable: String,
    /// Its values, one unless it is a list.
    pub values: Vec<String>,
}

impl SettingsFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is not TOML, or has something that is no setting. The text names the line, and not what
    /// stands there: that may be a password.
    pub fn read(path: &Path) -> Result<Self, SettingsError> {
        let refused = |reason| SettingsError::File {
            path: path.to_owned(),
            reason,
        };
        let text = fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
        Ok(Self {
            path: path.to_owned(),
            lines: lines(&text).map_err(refused)?,
        })
    }

    /// Returns the line of a command's flag, if there is one.
    pub fn line(&self, arg: &Arg) -> Option<&Line> {
        let variable = table::variable(arg)?;
        self.lines.iter().find(|line| line.variable == variable)
    }

    /// Returns where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks the values of the settings that a command takes.
    ///
    /// # Errors
    /// That names the line, the key and the rule.
    pub fn check(&self, command: &Command) -> Result<(), SettingsError> {
        for arg in table::settings(command) {
            let Some(line) = self.line(arg) else { continue };
            let wrong = line.values.iter().find_map(|value| wrong(arg, value));
            if let Some(rule) = wrong {
                return Err(SettingsError::File {
                    path: self.path.clone(),
                    reason: format!("line {}: `{}` {rule}", line.number, line.key),
                });
            }
        }
        Ok(())
    }
}

/// Reads all settings, in the order of their lines.
fn lines(text: &str) -> Result<Vec<Line>, String> {
    let number = |offset: usize| 1 + text[..offset].matches('\n').count();
    let root = DeTable::parse(text).map_err(|error| match error.span() {
        Some(span) => format!("line {}: {}", number(span.start), error.message()),
        None => error.message().to_owned(),
    })?;
    let mut found = Vec::new();
    collect(root.get_ref(), "", &mut found);
    found.sort_by_key(|(offset, ..)| *offset);
    let table = table::table();
    let mut lines: Vec<Line> = Vec::new();
    for (offset, key, value) in found {
        let number = number(offset);
        let line = line(&table, number, key, value)
            .map_err(|(key, rule)| format!("line {number}: `{key}` {rule}"))?;
        if let Some(other) = lines.iter().find(|other| other.variable == line.variable) {
            let (key, other, at) = (&line.key, &other.key, other.number);
            return Err(format!(
                "line {number}: `{key}` is set in line {at} already, as `{other}`"
            ));
        }
        lines.push(line);
    }
    // An empty list sets nothing.
    lines.retain(|line| !line.values.is_empty());
    Ok(lines)
}

/// Collects all values with their names, `table.key`, and where these stand.
fn collect<'d>(
    table: &'d DeTable<'d>,
    within: &str,
    found: &mut Vec<(usize, String, &'d DeValue<'d>)>,
) {
    for (name, value) in table {
        let key = format!("{within}{}", name.get_ref());
        match value.get_ref() {
            DeValue::Table(inner) => collect(inner, &format!("{key}."), found),
            value => found.push((name.span().start, key, value)),
        }
    }
}

/// Reads one setting; what is wrong about it goes with its key.
fn line(
    table: &Command,
    number: usize,
    key: String,
    value: &DeValue<'_>,
) -> Result<Line, (String, String)> {
    let name = key.replace('.', "_");
    let Some(arg) = table::find(table, &name) else {
        let rule = if table::is_only_a_flag(table, &name) {
            "is for the command line alone"
        } else {
            "is no setting: `route-hub settings` lists them"
        };
        return Err((key, rule.to_owned()));
    };
    match values(arg, value) {
        Ok(values) => Ok(Line {
            number,
            key,
            variable: table::variable(arg).unwrap_or_default().to_owned(),
            values,
        }),
        Err(rule) => Err((key, rule.to_owned())),
    }
}

fn values(arg: &Arg, value: &DeValue<'_>) -> Result<Vec<String>, &'static str> {
    match value {
        DeValue::Array(items) if table::is_list(arg) => {
            let items = items.into_iter().map(Spanned::get_ref);
            items.map(|item| one(arg, item)).collect()
        }
        DeValue::Array(_) => Err("takes one value, no list"),
        DeValue::String(text) if table::is_list(arg) => text.split(',').map(given).collect(),
        value => Ok(vec![one(arg, value)?]),
    }
}

/// Returns a value as its flag takes it.
fn one(arg: &Arg, value: &DeValue<'_>) -> Result<String, &'static str> {
    match (value, table::takes(arg)) {
        (DeValue::String(text), _) => given(text),
        (DeValue::Integer(number), Takes::Number) => {
            let read = i64::from_str_radix(number.as_str(), number.radix());
            Ok(read.map_or_else(|_| number.to_string(), |number| number.to_string()))
        }
        (DeValue::Boolean(value), Takes::Truth) => Ok(value.to_string()),
        (_, Takes::Number) => Err("must be a whole number"),
        (_, Takes::Truth) => Err("must be true or false"),
        (_, Takes::Text) => Err("must be a text in quotes"),
    }
}

fn given(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() {
        Err("is empty: leave the line out where nothing is to be set")
    } else {
        Ok(text.to_owned())
    }
}

/// Says which rule of its flag a value breaks.
fn wrong(arg: &Arg, value: &str) -> Option<String> {
    let long = arg.get_long()?.to_owned();
    let flag = format!("--{long}={value}");
    let alone = Arg::new("value")
        .long(long)
        .value_parser(arg.get_value_parser().clone());
    let command = Command::new("settings").no_binary_name(true).arg(alone);
    let error = command.try_get_matches_from([flag]).err()?;
    if let Some(rule) = error.source() {
        return Some(rule.to_string());
    }
    Some(match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(words)) => format!("must be {}", words.join(" or ")),
        _ => "cannot be read".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(usize, String, Vec<String>)>, String> {
        let lines = lines(text)?;
        let file = SettingsFile {
            path: "hub.toml".into(),
            lines,
        };
        file.check(&table::table())
            .map_err(|error| error.to_string())?;
        let told = file.lines.into_iter();
        Ok(told
            .map(|line| (line.number, line.variable, line.values))
            .collect())
    }

    fn refused(text: &str) -> String {
        read(text).unwrap_err()
    }

    #[test]
    fn settings_stand_flat_and_in_tables_in_both_spellings() {
        let one = |text: &str| read(text).unwrap().remove(0);
        for (text, number) in [
            ("database-password-file = \"p\"", 1),
            ("database_password_file = \"p\"", 1),
            ("database.password_file = \"p\"", 1),
            ("[database]\npassword-file = \"p\"", 2),
        ] {
            let variable = "ROUTE_HUB_DATABASE_PASSWORD_FILE".to_owned();
            assert_eq!(one(text), (number, variable, vec!["p".to_owned()]));
        }
        for text in [
            "host = \"a,b\"",
            "hosts = [\"a\", \"b\"]",
            "hosts = \"a,b\"",
        ] {
            assert_eq!(one(text).2, ["a", "b"], "{text}");
        }
        for text in ["webhooks_max = 1_000", "[webhooks]\nmax = 0x3e8"] {
            assert_eq!(one(text).2, ["1000"], "{text}");
        }
        let text = "[log]\nfilter = \"info\"\njson = true\n[tls]\ncert = \"c\"";
        let all = read(text).unwrap();
        let names: Vec<_> = all.iter().map(|(_, name, _)| name.as_str()).collect();
        let wanted = ["ROUTE_HUB_LOG", "ROUTE_HUB_LOG_JSON", "ROUTE_HUB_TLS_CERT"];
        assert_eq!(names, wanted);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, wanted) in [
            ("dir = \"d\"\nproces = 7", "line 2: `proces` is no setting"),
            (
                "[database]\nurll = \"hunter2\"",
                "line 2: `database.urll` is no setting",
            ),
            ("create = true", "line 1: `create` is for the command line"),
            ("config = \"x\"", "line 1: `config` is for the command line"),
            (
                "host = [\"a\"]\nhosts = [\"b\"]",
                "line 2: `hosts` is set in line 1 already, as `host`",
            ),
            ("listen = 8090", "line 1: `listen` must be a text in quotes"),
            (
                "listen = \"here\"",
                "line 1: `listen` must be an address and a port",
            ),
            (
                "operator_listen = \"no\"",
                "line 1: `operator_listen` must be off, or an address and a port",
            ),
            (
                "public_url = [\"a\"]",
                "line 1: `public_url` takes one value, no list",
            ),
            ("drain_s = 1.5", "line 1: `drain_s` must be a whole number"),
            (
                "process = 240",
                "line 1: `process` must be a whole number from 0 to 239",
            ),
            (
                "log_json = \"maybe\"",
                "line 1: `log_json` must be true or false",
            ),
            ("log_json = 1", "line 1: `log_json` must be true or false"),
            (
                "webhook_allow = [\"10.0.0.0/99\"]",
                "line 1: `webhook_allow` is neither a host name",
            ),
            ("dir = \n", "line 1: "),
        ] {
            let said = refused(text);
            assert!(said.contains(wanted), "{text}: {said}");
            assert!(!said.contains("hunter2"), "{said}");
        }
    }

    #[test]
    fn an_empty_text_is_refused_and_an_empty_list_sets_nothing() {
        for empty in [
            "public_url = \"\"",
            "hosts = [\"a\", \" \"]",
            "hosts = \"a,,b\"",
            "log_json = \"\"",
        ] {
            assert!(refused(empty).contains("is empty"), "{empty}");
        }
        assert!(read("hosts = []\n[tls]\n").unwrap().is_empty());
    }
}
