//! The settings, as `serve` would take them.

use super::finding::Finding;
use crate::commands::serve;
use crate::settings::ServeSettings;
use crate::tls::Tls;
use crate::transport::Transport;
use hub_app::data_folder::error::CommandError;
use std::path::Path;

const TO_DO: &str = "Correct it: `serve` does not start with it";

type Check = fn(&ServeSettings) -> Result<(), CommandError>;

/// Looks at flags, variables and the file together.
pub(super) fn look(settings: &ServeSettings) -> Vec<Finding> {
    let checks: [Check; 5] = [
        |it| Ok(it.process().map(drop)?),
        certificate,
        |it| serve::app(it).map(drop),
        |it| it.data().map(drop),
        |it| it.files.in_bucket().map(drop),
    ];
    let refused = checks.iter().filter_map(|check| check(settings).err());
    judge(
        refused.map(|error| error.to_string()).collect(),
        settings.file.config.as_deref(),
    )
}

/// Says that the file of the settings cannot be read.
pub(super) fn unreadable(error: &dyn std::error::Error) -> Finding {
    Finding::bad(error.to_string(), TO_DO)
}

fn certificate(settings: &ServeSettings) -> Result<(), CommandError> {
    match Transport::chosen(settings)? {
        // A key of the hub's own is made at its start, and certificates from an authority are asked for then.
        Transport::Plain | Transport::SelfSigned | Transport::Acme(_) => Ok(()),
        Transport::Files { cert, key } => Ok(Tls::with_files(&cert, &key).map(drop)?),
    }
}

fn judge(refused: Vec<String>, file: Option<&Path>) -> Vec<Finding> {
    if refused.is_empty() {
        let from = match file {
            Some(file) => format!("flags, variables and {}", file.display()),
            None => "flags and variables, without a file".to_owned(),
        };
        return vec![Finding::good(from)];
    }
    let bad = |error: String| Finding::bad(error, TO_DO);
    refused.into_iter().map(bad).collect()
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn each_setting_that_serve_refuses_has_a_line_of_its_own() {
        assert_eq!(look(&ServeSettings::default())[0].verdict, Verdict::Good);
        let wrong = ServeSettings {
            listen: Some("0.0.0.0:80".parse().unwrap()),
            app_file: Some("no-such-file".into()),
            ..ServeSettings::default()
        };
        let found = look(&wrong);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|finding| finding.verdict == Verdict::Bad));
        let flags = ["--allow-plain-http", "--app-file"];
        for (finding, flag) in found.iter().zip(flags) {
            assert!(finding.says.contains(flag), "{finding:?}");
        }
    }
}
