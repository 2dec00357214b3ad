//! The one table of settings: the flags of `serve` that have a variable. The file of `--config` has them by the same
//! names.

use crate::settings::ServeSettings;
use clap::{Arg, Args as _, Command};
use std::any::TypeId;

/// How the variables begin.
const PREFIX: &str = "ROUTE_HUB_";
/// What names the file, and so cannot stand in it.
const CONFIG: &str = "config";
/// What `files` is called in the table of that name.
const FILES: (&str, &str) = ("files_at", "files");

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// True or false.
    Truth,
    /// A whole number.
    Number,
    /// A text.
    Text,
}

/// Returns the command whose flags are the table.
pub fn table() -> Command {
    ServeSettings::augment_args(Command::new("serve"))
}

/// Returns the settings among a command's flags.
pub fn settings(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|arg| arg.get_long().is_some() && variable(arg).is_some() && arg.get_id() != CONFIG)
}

/// Returns the variable of a setting.
pub fn variable(arg: &Arg) -> Option<&str> {
    let name = arg.get_env()?.to_str()?;
    name.starts_with(PREFIX).then_some(name)
}

/// Returns what a setting is called in a file.
pub fn key(arg: &Arg) -> String {
    arg.get_long().unwrap_or_default().replace('-', "_")
}

/// Finds a setting by what it is called in a file: its flag or its variable, dashes as underscores. One that also begins
/// the names of others, and so of a table, is called there by what it takes: `[database]` has `url`.
pub fn find<'t>(table: &'t Command, name: &str) -> Option<&'t Arg> {
    let name = name.replace('-', "_");
    let name = if name == FILES.0 { FILES.1 } else { &*name };
    let has_name = |arg: &&Arg| {
        let of_variable = variable(arg).and_then(|variable| variable.strip_prefix(PREFIX));
        key(arg) == name || of_variable.is_some_and(|other| other.eq_ignore_ascii_case(name))
    };
    let is_head =
        |arg: &&Arg| is_table(table, arg) && format!("{}_{}", key(arg), takes_what(arg)) == name;
    settings(table)
        .find(has_name)
        .or_else(|| settings(table).find(is_head))
}

/// Says whether the names of other settings begin with this one's.
fn is_table(table: &Command, head: &Arg) -> bool {
    let start = key(head) + "_";
    settings(table).any(|arg| key(arg).starts_with(&start))
}

/// Returns what the help calls a setting's value, in small letters.
fn takes_what(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    names
        .first()
        .map_or_else(String::new, |name| name.to_lowercase())
}

/// Says whether a flag of the table is for the command line alone.
pub fn is_only_a_flag(table: &Command, name: &str) -> bool {
    let mut flags = table.get_arguments();
    find(table, name).is_none() && flags.any(|arg| key(arg) == name.replace('-', "_"))
}

/// Says whether a setting takes several values.
pub fn is_list(arg: &Arg) -> bool {
    arg.get_value_delimiter().is_some()
}

/// Says what a setting takes.
pub fn takes(arg: &Arg) -> Takes {
    let numbers = [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
    ];
    let read = arg.get_value_parser().type_id();
    if read == TypeId::of::<bool>() {
        Takes::Truth
    } else if numbers.iter().any(|number| read == *number) {
        Takes::Number
    } else {
        Takes::Text
    }
}

/// Says whether a setting's value is nobody's to see.
pub fn is_secret(arg: &Arg) -> bool {
    arg.is_hide_env_values_set()
}

/// Returns what holds where a setting is not given, as its help says.
pub fn default(arg: &Arg) -> Option<String> {
    let help = arg.get_long_help().or(arg.get_help())?.to_string();
    let (_, said) = help.rsplit_once("[default: ")?;
    let (said, _) = said.split_once(']')?;
    Some(said.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_found_by_its_flag_its_variable_and_within_its_table() {
        let table = table();
        for (name, flag) in [
            ("host", "host"),
            ("hosts", "host"),
            ("dns_server", "dns-server"),
            ("dns-servers", "dns-server"),
            ("database", "database"),
            ("database_url", "database"),
            ("database-password-file", "database-password-file"),
            ("nats_url", "nats"),
            ("files_at", "files"),
            ("log_filter", "log"),
            ("log_json", "log-json"),
        ] {
            let found = find(&table, name).and_then(Arg::get_long);
            assert_eq!(found, Some(flag), "{name}");
        }
        for none in ["config", "create", "nothing_lost", "files_here", "Host"] {
            assert!(find(&table, none).is_none(), "{none}");
        }
        assert!(is_only_a_flag(&table, "create"));
        assert!(!is_only_a_flag(&table, "hosts"));
    }

    #[test]
    fn no_two_settings_have_one_name() {
        let table = table();
        let names = settings(&table).flat_map(|arg| {
            let variable = variable(arg).unwrap_or_default();
            [key(arg), variable[PREFIX.len()..].to_lowercase()].map(|name| (name, arg.get_id()))
        });
        for (name, id) in names {
            assert_eq!(find(&table, &name).map(Arg::get_id), Some(id), "{name}");
        }
    }

    #[test]
    fn a_default_is_what_the_help_says() {
        let table = table();
        let said = |name| default(find(&table, name).unwrap());
        assert_eq!(said("listen").as_deref(), Some("127.0.0.1:8090"));
        assert_eq!(said("relative_schedules_max").as_deref(), Some("1000"));
        assert_eq!(said("tls_cert"), None);
    }

    #[test]
    fn what_a_setting_takes_is_what_its_reader_makes() {
        let table = table();
        let kind = |name| takes(find(&table, name).unwrap());
        assert_eq!(kind("log_json"), Takes::Truth);
        assert_eq!(kind("drain_s"), Takes::Number);
        assert_eq!(kind("listen"), Takes::Text);
        assert!(is_list(find(&table, "hosts").unwrap()));
        assert!(is_secret(find(&table, "database").unwrap()));
    }
}
