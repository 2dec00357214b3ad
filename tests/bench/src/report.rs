//! The output: a table for people, JSON for programs.

use serde_json::{Value, json};

/// The limit of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Limit {
    /// Reach it.
    AtLeast(f64),
    /// Stay at or below it.
    AtMost(f64),
    /// None: it explains the other figures.
    None,
}

/// One measured figure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// Its stable name, with the unit last where it has one.
    pub(crate) name: &'static str,
    /// The median of the runs.
    pub(crate) value: f64,
    /// Its unit.
    pub(crate) unit: &'static str,
    /// What it must do.
    pub(crate) limit: Limit,
}

impl Figure {
    pub(crate) const fn new(
        name: &'static str,
        value: f64,
        unit: &'static str,
        limit: Limit,
    ) -> Self {
        Self {
            name,
            value,
            unit,
            limit,
        }
    }

    /// Returns whether the value keeps its limit; `None` if it has none.
    pub(crate) fn holds(&self) -> Option<bool> {
        match self.limit {
            Limit::AtLeast(limit) => Some(self.value >= limit),
            Limit::AtMost(limit) => Some(self.value <= limit),
            Limit::None => None,
        }
    }

    fn to_json(&self) -> Value {
        let limit = match self.limit {
            Limit::AtLeast(limit) | Limit::AtMost(limit) => json!(limit),
            Limit::None => Value::Null,
        };
        json!({
            "name": self.name,
            "value": (self.value * 1000.0).round() / 1000.0,
            "unit": self.unit,
            "limit": limit,
            "holds": self.holds(),
        })
    }

    fn row(&self) -> String {
        let limit = match self.limit {
            Limit::AtLeast(limit) => format!(">= {limit}"),
            Limit::AtMost(limit) => format!("<= {limit}"),
            Limit::None => String::new(),
        };
        let holds = match self.holds() {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "",
        };
        let value = if self.value.abs() >= 100.0 {
            format!("{:.0}", self.value)
        } else {
            format!("{:.3}", self.value)
        };
        let line = format!(
            "{:<44} {value:>12} {:<6} {limit:>12}  {holds}",
            self.name, self.unit
        );
        line.trim_end().to_owned()
    }
}

/// Returns the figures as a table.
pub(crate) fn table(figures: &[Figure]) -> String {
    let head = format!(
        "{:<44} {:>12} {:<6} {:>12}  holds",
        "figure", "median", "unit", "limit"
    );
    let rows = figures.iter().map(Figure::row);
    std::iter::once(head)
        .chain(rows)
        .fold(String::new(), |mut text, row| {
            text.push_str(&row);
            text.push('\n');
            text
        })
}

/// Returns the figures as a JSON list.
pub(crate) fn json(figures: &[Figure]) -> Value {
    figures.iter().map(Figure::to_json).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_kept_on_its_own_side() {
        let figure = |value, limit| Figure {
            name: "x_per_s",
            value,
            unit: "1/s",
            limit,
        };
        assert_eq!(figure(10.0, Limit::AtLeast(10.0)).holds(), Some(true));
        assert_eq!(figure(9.9, Limit::AtLeast(10.0)).holds(), Some(false));
        assert_eq!(figure(9.9, Limit::AtMost(10.0)).holds(), Some(true));
        assert_eq!(figure(10.1, Limit::AtMost(10.0)).holds(), Some(false));
        assert_eq!(figure(1.0, Limit::None).holds(), None);
    }

    #[test]
    fn the_file_has_the_promised_names() {
        let figure = Figure {
            name: "list_at_1m_ratio",
            value: 1.23456,
            unit: "ratio",
            limit: Limit::AtMost(2.0),
        };
        let expected = r#"[{"name":"list_at_1m_ratio","value":1.235,"unit":"ratio","limit":2.0,"holds":true}]"#;
        assert_eq!(json(&[figure]).to_string(), expected);
    }
}
