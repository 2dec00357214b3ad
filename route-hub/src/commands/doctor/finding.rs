//! What a check found.

use serde::Serialize;
use std::fmt;

/// How good it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Good,
    /// A hub works with it, and it may cause trouble.
    Doubtful,
    /// A hub does not work with it.
    Bad,
}

impl Verdict {
    fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Doubtful => "doubtful",
            Self::Bad => "bad",
        }
    }
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) verdict: Verdict,
    /// What is so.
    pub(super) says: String,
    /// What the operator is to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to_do: Option<String>,
}

impl Finding {
    pub(super) fn good(says: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Good,
            says: says.into(),
            to_do: None,
        }
    }

    pub(super) fn doubtful(says: impl Into<String>, to_do: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Doubtful,
            says: says.into(),
            to_do: Some(to_do.into()),
        }
    }

    pub(super) fn bad(says: impl Into<String>, to_do: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Bad,
            ..Self::doubtful(says, to_do)
        }
    }
}

/// What a check is called, and what it found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Line {
    pub(super) check: &'static str,
    #[serde(flatten)]
    pub(super) finding: Finding,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding {
            verdict,
            says,
            to_do,
        } = &self.finding;
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        write!(
            f,
            "{:<8}  {:<11}  {}",
            verdict.as_str(),
            self.check,
            one_line(says)
        )?;
        match to_do {
            Some(to_do) => write!(f, ". {}", one_line(to_do)),
            None => Ok(()),
        }
    }
}

/// Says how many things there are.
pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    }
}

/// Writes a number of bytes for people.
pub(super) fn readable(bytes: u64) -> String {
    match bytes {
        0..10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_with_what_to_do_at_its_end() {
        let line = |finding| Line {
            check: "clock",
            finding,
        };
        let good = line(Finding::good("it is\n  right"));
        assert_eq!(good.to_string(), "good      clock        it is right");
        let bad = line(Finding::bad("it is wrong", "Set it"));
        assert_eq!(
            bad.to_string(),
            "bad       clock        it is wrong. Set it"
        );
        assert!(Verdict::Bad > Verdict::Doubtful && Verdict::Doubtful > Verdict::Good);
        let json = serde_json::to_value(&bad).unwrap();
        let expected = serde_json::json!({
            "check": "clock", "verdict": "bad", "says": "it is wrong", "to_do": "Set it",
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn numbers_are_for_people() {
        assert_eq!(counted(1, "group", "groups"), "1 group");
        assert_eq!(counted(0, "group", "groups"), "0 groups");
        assert_eq!(readable(9_999_999_999), "9999 MB");
        assert_eq!(readable(10_000_000_000), "10 GB");
    }
}
