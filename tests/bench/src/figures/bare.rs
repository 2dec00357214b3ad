//! The bare limit of the storage: the same rows without HTTP, by an example of hub-store.

use super::Scale;
use crate::{
    Failure,
    report::{Figure, Limit},
};
use serde_json::Value;
use std::process::Command;

pub(super) const NAMES: &[&str] = &["bare_inserts_per_s"];

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let seconds = scale.span.as_secs().max(1).to_string();
    let output = Command::new("cargo")
        .args(["run", "--quiet", "--locked", "-p", "hub-store"])
        .args(["--example", "bare_inserts", "--", "--json", "--seconds"])
        .arg(seconds)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    let figures: Value = serde_json::from_str(last).map_err(|_| {
        let words = String::from_utf8_lossy(&output.stderr);
        format!("the example of bare inserts said nothing to read: {words}")
    })?;
    let value = figures["messages_per_s"]
        .as_f64()
        .ok_or("the example of bare inserts named no rate")?;
    Ok(vec![Figure {
        name: NAMES[0],
        value,
        unit: "1/s",
        limit: Limit::None,
    }])
}
