//! The limit of the storage itself: the same rows without HTTP, by an example of hub-store.

use crate::{
    Failure,
    hub::{built, on_disk},
};
use serde_json::Value;
use std::{process::Command, time::Duration};

/// Rows a second of one kind of group.
pub(super) struct Bare {
    /// Messages with their contacts' counters, in groups of 64, as 64 connections can produce together.
    pub(super) plain: f64,
    /// The same, with the row that an `Idempotency-Key` costs.
    pub(super) with_key: f64,
}

/// Measures only the storage, on the same disk as the hub's.
pub(super) fn measure(span: Duration) -> Result<Bare, Failure> {
    let folder = on_disk()?;
    let output = Command::new(built()?.join("examples/bare_inserts"))
        .arg("--seconds")
        .arg(span.as_secs().max(1).to_string())
        .arg("--dir")
        .arg(folder.path())
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    Ok(Bare {
        plain: rate(&text, "plain")?,
        with_key: rate(&text, "idempotency")?,
    })
}

fn rate(lines: &str, with: &str) -> Result<f64, Failure> {
    let parsed = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line = parsed
        .filter(|line| line["group"] == 64)
        .find(|line| line["with"] == with);
    let rate = line.and_then(|line| line["rows_per_s"].as_f64());
    Ok(rate.ok_or("the example bare_inserts said nothing to read")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_right_group_is_read() {
        let lines = r#"{"group":64,"with":"plain","rows_per_s":20000}
{"group":64,"with":"idempotency","rows_per_s":15000}
{"group":256,"with":"plain","rows_per_s":40000}"#;
        assert_eq!(rate(lines, "plain").unwrap(), 20_000.0);
        assert_eq!(rate(lines, "idempotency").unwrap(), 15_000.0);
        assert!(rate(lines, "outbox").is_err());
    }
}
