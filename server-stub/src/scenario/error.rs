//! What is wrong with a scenario, and where.

use std::fmt;

/// Returns why a scenario cannot be played: the line, the field, and the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidScenario {
    /// The line in the file, counted from 1; `None` for what came by the control interface.
    pub line: Option<usize>,
    /// What is wrong, with the field's name in front.
    pub rule: String,
}

impl InvalidScenario {
    /// Makes an error without a place.
    pub(super) fn new(rule: impl Into<String>) -> Self {
        Self {
            line: None,
            rule: rule.into(),
        }
    }

    /// Names the line that byte `at` of `text` is in.
    pub(super) fn at(mut self, text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        self.line = Some(before.matches('\n').count() + 1);
        self
    }

    pub(super) fn of_toml(text: &str, error: &toml::de::Error) -> Self {
        let it = Self::new(error.message());
        match error.span() {
            Some(span) => it.at(text, span.start),
            None => it,
        }
    }
}

impl fmt::Display for InvalidScenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.rule),
            None => f.write_str(&self.rule),
        }
    }
}

impl std::error::Error for InvalidScenario {}
