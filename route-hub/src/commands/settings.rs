//! `route-hub settings`: what a hub would run with, and who says so.

use crate::admin::output::{Output, table};
use crate::database::PASSWORD_VARIABLE as DATABASE_PASSWORD;
use crate::environment;
use crate::files::SECRET_VARIABLE as FILES_SECRET_KEY;
use crate::nats::PASSWORD_VARIABLE as NATS_PASSWORD;
use crate::settings::ServeSettings;
use crate::settings::given::{Given, Origin};
use crate::settings::table::{self as settings_table, Takes};
use clap::{Arg, Args};
use hub_app::data_folder::error::CommandError;
use serde_json::{Value, json};

/// What nobody is shown.
const MASK: &str = "***";
/// The variables that have no flag, all of them secrets.
const SECRETS: [&str; 3] = [DATABASE_PASSWORD, FILES_SECRET_KEY, NATS_PASSWORD];

/// Prints settings.
#[derive(Debug, Args)]
pub struct SettingsArgs {
    /// Those that `serve` takes.
    #[command(flatten)]
    pub settings: ServeSettings,
    /// Print the answer as one line of JSON.
    #[arg(long)]
    pub json: bool,
}

/// Prints each setting, its value and where it comes from; secrets are masked.
///
/// # Errors
/// None; what cannot be read is refused before.
pub fn settings(args: &SettingsArgs, given: &Given) -> Result<(), CommandError> {
    let mut shown: Vec<Shown> = given.settings().map(|arg| Shown::new(given, arg)).collect();
    let secrets = SECRETS
        .iter()
        .filter(|name| environment::variable(name).is_some());
    shown.extend(secrets.map(|name| Shown::secret(name)));
    shown.sort_by(|one, other| one.name.cmp(&other.name));
    let view = shown.iter().map(Shown::view).collect();
    Output { json: args.json }.show(&view, || {
        let rows: Vec<_> = shown.iter().map(Shown::row).collect();
        table(&["setting", "value", "from"], &rows)
    });
    Ok(())
}

/// A setting as it is shown.
struct Shown {
    name: String,
    flag: Option<String>,
    variable: String,
    value: Value,
    from: &'static str,
    /// The file and the line.
    place: Option<(String, usize)>,
}

impl Shown {
    fn new(given: &Given, arg: &Arg) -> Self {
        let origin = given.origin(arg);
        let (from, place) = match origin {
            Origin::Flag => ("flag", None),
            Origin::Variable => ("variable", None),
            Origin::File(file, line) => {
                let path = file.path().display().to_string();
                ("file", Some((path, line.number)))
            }
            Origin::Default => ("default", None),
        };
        let value = match origin {
            Origin::Default => default(arg),
            Origin::Flag | Origin::Variable | Origin::File(..) => value(arg, &given.values(arg)),
        };
        Self {
            name: settings_table::key(arg),
            flag: arg.get_long().map(|long| format!("--{long}")),
            variable: settings_table::variable(arg).unwrap_or_default().to_owned(),
            value,
            from,
            place,
        }
    }

    fn secret(variable: &str) -> Self {
        let name = variable.trim_start_matches("ROUTE_HUB_").to_lowercase();
        Self {
            name,
            flag: None,
            variable: variable.to_owned(),
            value: Value::from(MASK),
            from: "variable",
            place: None,
        }
    }

    fn view(&self) -> Value {
        json!({
            "name": self.name,
            "flag": self.flag,
            "variable": self.variable,
            "value": self.value,
            "from": self.from,
            "file": self.place.as_ref().map(|(file, _)| file),
            "line": self.place.as_ref().map(|(_, line)| line),
        })
    }

    fn row(&self) -> Vec<String> {
        let value = match &self.value {
            Value::Null => "-".to_owned(),
            Value::String(text) => text.clone(),
            Value::Array(items) => {
                let texts: Vec<_> = items.iter().filter_map(Value::as_str).collect();
                texts.join(",")
            }
            other => other.to_string(),
        };
        let from = match (&self.place, self.from, &self.flag) {
            (Some((file, line)), ..) => format!("{file}, line {line}"),
            (None, "flag", Some(flag)) => flag.clone(),
            (None, "variable", _) => self.variable.clone(),
            (None, from, _) => from.to_owned(),
        };
        vec![self.name.clone(), value, from]
    }
}

fn default(arg: &Arg) -> Value {
    match settings_table::default(arg) {
        Some(said) => typed(arg, &said),
        None if settings_table::takes(arg) == Takes::Truth => Value::from(false),
        None if settings_table::is_list(arg) => json!([]),
        None => Value::Null,
    }
}

fn value(arg: &Arg, given: &[String]) -> Value {
    let mut shown = given.iter().map(|value| typed(arg, &masked(arg, value)));
    if settings_table::is_list(arg) {
        shown.collect()
    } else {
        shown.next().unwrap_or_default()
    }
}

fn typed(arg: &Arg, text: &str) -> Value {
    let read = match settings_table::takes(arg) {
        Takes::Truth => text.parse().ok().map(Value::Bool),
        Takes::Number => text.trim().parse::<u64>().ok().map(Value::from),
        Takes::Text => None,
    };
    read.unwrap_or_else(|| Value::from(text))
}

/// Leaves of a URL what is no secret: the scheme, the host and the path. Other secrets are masked as a whole.
fn masked(arg: &Arg, value: &str) -> String {
    let is_secret = settings_table::is_secret(arg);
    match value.split_once("://") {
        Some((scheme, rest)) if is_secret || rest.contains('@') => without_secrets(scheme, rest),
        None if is_secret => MASK.to_owned(),
        _ => value.to_owned(),
    }
}

fn without_secrets(scheme: &str, rest: &str) -> String {
    let (user, place) = match rest.rsplit_once('@') {
        Some((user, place)) => (Some(user), place),
        None => (None, rest),
    };
    // Where the user ends is not sure then.
    if user.is_some_and(|user| user.contains(['?', '#'])) {
        return format!("{scheme}://{MASK}");
    }
    let user = user.map_or_else(String::new, |_| format!("{MASK}@"));
    match place.split_once(['?', '#']) {
        Some((place, _)) => format!("{scheme}://{user}{place}?{MASK}"),
        None => format!("{scheme}://{user}{place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, value: &str) -> String {
        let table = settings_table::table();
        masked(settings_table::find(&table, name).unwrap(), value)
    }

    #[test]
    fn of_a_url_no_secret_is_shown() {
        for (given, wanted) in [
            (
                "postgres://hub:hunter2@db:5433/hub",
                "postgres://***@db:5433/hub",
            ),
            ("postgres://hub:hun/te@r2@db/hub", "postgres://***@db/hub"),
            ("postgres://hub:hun?ter2@db/hub", "postgres://***"),
            (
                "postgres://db/hub?password=hunter2",
                "postgres://db/hub?***",
            ),
            ("postgres://db/hub?password=hunter@2", "postgres://***"),
            ("host=db password=hunter2", "***"),
        ] {
            assert_eq!(shown("database", given), wanted);
        }
        assert_eq!(shown("nats", "nats://token@one,two"), "nats://***@one,two");
        assert_eq!(shown("files_access_key", "AKIA"), "***");
        let endpoint = "https://minio:9000";
        assert_eq!(shown("files_endpoint", endpoint), endpoint);
        assert_eq!(
            shown("files_endpoint", "https://me:hunter2@minio"),
            "https://***@minio"
        );
    }

    #[test]
    fn a_default_is_of_the_settings_kind() {
        let table = settings_table::table();
        let shown = |name| default(settings_table::find(&table, name).unwrap());
        assert_eq!(shown("drain_s"), json!(10));
        assert_eq!(shown("log_json"), json!(false));
        assert_eq!(shown("hosts"), json!([]));
        assert_eq!(shown("tls_cert"), Value::Null);
        assert_eq!(shown("listen"), json!("127.0.0.1:8090"));
    }
}
