//! What the admin commands print: lines for people, or one line of JSON for each answer.

use serde_json::Value;
use std::io::{self, Write as _};

/// How answers are printed.
pub(crate) struct Output {
    /// As JSON.
    pub(crate) json: bool,
}

impl Output {
    /// Prints an answer, flushed.
    pub(crate) fn show(&self, json: &Value, people: impl FnOnce() -> String) {
        let text = if self.json {
            json.to_string()
        } else {
            people()
        };
        let mut out = io::stdout().lock();
        // If standard output is closed, nobody is left to tell.
        let _ = writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush());
    }
}

/// Lays out rows in columns under a heading, or says that there are none.
pub(crate) fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return "none".to_owned();
    }
    let heading: Vec<String> = heading.iter().map(|name| (*name).to_owned()).collect();
    let lines: Vec<&Vec<String>> = std::iter::once(&heading).chain(rows).collect();
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(&widths);
        let row: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        text.push_str(row.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Returns a text for people where there may be none.
pub(super) fn or_dash(text: Option<impl ToString>) -> String {
    text.map_or_else(|| "-".to_owned(), |text| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_their_heading() {
        let rows = [
            vec!["PJ1".to_owned(), "A".to_owned()],
            vec!["PJ22".to_owned(), "Büro".to_owned()],
        ];
        assert_eq!(
            table(&["id", "name"], &rows),
            "id    name\nPJ1   A\nPJ22  Büro\n"
        );
        assert_eq!(table(&["id"], &[]), "none");
    }
}
