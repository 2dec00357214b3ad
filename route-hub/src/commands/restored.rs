//! `route-hub restored`: a PostgreSQL database was brought back, and the phones say what it forgot.

use crate::admin::output::Output;
use crate::config_file::ConfigFile;
use crate::database::DatabaseSettings;
use clap::Args;
use hub_app::actor::Who;
use hub_app::data_folder::error::CommandError;
use hub_app::data_folder::{Data, hub_of};
use hub_app::restored::{self, Beginning, Word};
use serde_json::json;
use std::path::Path;

/// Prepares a PostgreSQL database that was brought back from a dump or to an earlier moment.
///
/// No hub and no other command may run on it. Queued messages then wait until the phones have said what
/// they got since: nothing is sent twice. Until this was run, `serve` refuses the database where it can
/// tell.
#[derive(Debug, Args)]
pub struct RestoredArgs {
    /// The file with the hub's settings.
    #[command(flatten)]
    pub file: ConfigFile,
    /// The database.
    #[command(flatten)]
    pub database: DatabaseSettings,
    /// Send scheduled messages whose time has passed, once. Without this flag they are skipped: a hub may
    /// have sent them since. Give it if no hub ran since then.
    #[arg(long)]
    pub send_missed: bool,
    /// Print the answer as one line of JSON.
    #[arg(long)]
    pub json: bool,
}

/// Freezes what the database has queued.
///
/// # Errors
/// When the database is in use or cannot be used, or is a file.
pub fn restored(args: &RestoredArgs) -> Result<(), CommandError> {
    // The folder is nobody's: without a database there is nothing to do.
    let data = args.database.data(Path::new(""))?;
    if matches!(data, Data::Folder(_)) {
        return Err(CommandError::new(
            "restored is for a PostgreSQL database, which --database names; a backup of a data folder \
             is brought back by route-hub restore",
        ));
    }
    let hub = hub_of(data.open_restored()?)?;
    let word = Word {
        replaced: 0,
        send_missed: args.send_missed,
    };
    let begun = restored::begin(&hub, &Who::Operator, word)?;
    drop(hub);
    show(args, begun);
    Ok(())
}

fn show(args: &RestoredArgs, begun: Beginning) {
    let view = json!({
        "generation": begun.generation,
        "phones_to_answer": begun.phones_to_answer,
        "phones_asked_before": begun.phones_asked_before,
        "schedules_passed_over": begun.schedules_passed_over,
    });
    let out = Output { json: args.json };
    out.show(&view, || {
        let to_send = "bring the database back again, and run this command with --send-missed";
        format!("The database is ready.\n{}", in_words(begun, to_send))
    });
}

/// Says what follows when the hub starts; `to_send` is how missed messages are sent after all.
pub(super) fn in_words(begun: Beginning, to_send: &str) -> String {
    let mut text = format!("Generation {}. ", begun.generation);
    text.push_str(&match begun.phones_to_answer {
        0 => "Start the hub: there is no device that was given anything.".to_owned(),
        phones => format!(
            "Start the hub: {phones} devices will say what they were given since the backup, and what it \
             had queued waits for them."
        ),
    });
    if begun.phones_asked_before > 0 {
        text.push_str(&format!(
            "\n{} of them were to say so before, as after an earlier run of this command. Scheduled messages \
             that were passed over then stay so.",
            begun.phones_asked_before
        ));
    }
    if begun.schedules_passed_over > 0 {
        text.push_str(&format!(
            "\n{} scheduled messages had their time before now and were passed over: they may have been \
             sent since the backup. To have them sent, {to_send}.",
            begun.schedules_passed_over
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_second_run_did_is_told() {
        let mut begun = Beginning {
            generation: 2,
            phones_to_answer: 3,
            phones_asked_before: 0,
            schedules_passed_over: 1,
        };
        let first = in_words(begun, "do this");
        assert!(first.contains("3 devices will say"), "{first}");
        assert!(first.contains("1 scheduled messages") && first.contains("do this."));
        assert!(!first.contains("before, as"), "{first}");
        (begun.phones_asked_before, begun.schedules_passed_over) = (3, 0);
        let second = in_words(begun, "do this");
        assert!(second.contains("3 devices will say"), "{second}");
        assert!(
            second.contains("3 of them were to say so before"),
            "{second}"
        );
        assert!(!second.contains("do this"), "{second}");
        begun.phones_to_answer = 0;
        assert!(in_words(begun, "").contains("no device"));
    }
}
