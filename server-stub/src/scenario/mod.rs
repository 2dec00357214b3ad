//! What a run shall do: the scenario file, checked, as values.
//!
//! Every table refuses unknown keys. The same tables travel as JSON to the control interface: a
//! `[[step]]` is what `POST /step` takes, a `[[fault]]` what `POST /fault` takes.

mod action;
mod error;
mod fault;
mod settings;
mod wait;

pub use action::{
    Action, ConfigAction, OnUnknownWish, SendAction, StallAction, Step, UnknownAction,
};
pub use error::InvalidScenario;
pub use fault::{
    DialFault, Direction, Fault, FaultKind, FrameFault, Lie, Malformed, Matches, StallSide,
};
pub use settings::{Certificate, EndSettings, EndWhen, Hub, PairingAnswer, PairingSettings};
pub use settings::{Rules, TlsSettings, Trusts};
pub use wait::{StateWait, Wait};

use action::RawStep;
use fault::RawFault;
use serde::Deserialize;
use std::path::Path;
use toml::Spanned;

/// Most steps and most faults of one scenario.
pub const ENTRIES_MAX: usize = 1_000;

/// A checked scenario.
#[derive(Debug, Clone, Default)]
pub struct Scenario {
    /// What it is called in the verdict.
    pub name: String,
    /// How the hub is.
    pub hub: Hub,
    /// How it answers to a phone that wants to join.
    pub pairing: PairingSettings,
    /// Whether it speaks TLS, and how well; plain when absent.
    pub tls: Option<TlsSettings>,
    /// When the run is over.
    pub end: EndSettings,
    /// Which rules are judged, and how strictly.
    pub rules: Rules,
    /// What is done, one after the other.
    pub steps: Vec<Step>,
    /// What is broken on purpose.
    pub faults: Vec<Fault>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawScenario {
    #[serde(default)]
    name: String,
    #[serde(default)]
    hub: Hub,
    #[serde(default)]
    pairing: PairingSettings,
    tls: Option<TlsSettings>,
    #[serde(default)]
    end: EndSettings,
    #[serde(default)]
    rules: Rules,
    #[serde(default)]
    step: Vec<Spanned<RawStep>>,
    #[serde(default)]
    fault: Vec<Spanned<RawFault>>,
}

impl Scenario {
    /// Returns the scenario of a run that only the control interface leads.
    pub fn led_by_hand() -> Self {
        Self {
            end: EndSettings {
                when: EndWhen::Told,
                timeout_s: settings::TIMEOUT_S_MAX,
                ..EndSettings::default()
            },
            ..Self::default()
        }
    }

    /// Reads a scenario from its text.
    ///
    /// # Errors
    /// [`InvalidScenario`] with the line, the field and the rule.
    pub fn parse(text: &str) -> Result<Self, InvalidScenario> {
        let raw: RawScenario =
            toml::from_str(text).map_err(|error| InvalidScenario::of_toml(text, &error))?;
        let (steps, faults) = (raw.step.len(), raw.fault.len());
        if steps > ENTRIES_MAX || faults > ENTRIES_MAX {
            let rule = format!("there may be {ENTRIES_MAX} steps and as many faults");
            return Err(InvalidScenario::new(rule));
        }
        let located =
            |span: std::ops::Range<usize>| move |error: InvalidScenario| error.at(text, span.start);
        let steps = raw.step.into_iter().map(|step| {
            let span = step.span();
            Step::check(step.into_inner()).map_err(located(span))
        });
        let faults = raw.fault.into_iter().map(|fault| {
            let span = fault.span();
            Fault::check(fault.into_inner()).map_err(located(span))
        });
        let scenario = Self {
            name: raw.name,
            hub: raw.hub,
            pairing: raw.pairing,
            tls: raw.tls,
            end: raw.end,
            rules: raw.rules,
            steps: steps.collect::<Result<_, _>>()?,
            faults: faults.collect::<Result<_, _>>()?,
        };
        scenario.check_settings().map_err(|rule| {
            let field = rule.split(' ').next().unwrap_or_default();
            let at = text.find(field).unwrap_or(0);
            InvalidScenario::new(rule).at(text, at)
        })?;
        Ok(scenario)
    }

    /// Reads a scenario file.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a scenario.
    pub fn read(path: &Path) -> Result<Self, InvalidScenario> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            InvalidScenario::new(format!("{} cannot be read: {error}", path.display()))
        })?;
        Self::parse(&text)
    }

    fn check_settings(&self) -> Result<(), String> {
        self.hub.check()?;
        self.pairing.check()?;
        self.end.check()?;
        self.rules.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Scenario::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn an_empty_file_is_a_hub_that_does_nothing_by_itself() {
        let scenario = Scenario::parse("").unwrap();
        assert_eq!(scenario.end.when, EndWhen::Settled);
        assert!(scenario.steps.is_empty() && scenario.faults.is_empty());
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let text = refused("name = \"x\"\n\n[hub]\nheartbeet_s = 3\n");
        assert!(text.starts_with("line 4:"), "{text}");
        assert!(text.contains("heartbeet_s"), "{text}");
    }

    #[test]
    fn a_step_does_exactly_one_thing() {
        let text = refused("[[step]]\ncut = true\n[[step]]\nclose = 4400\ncut = true\n");
        assert!(text.starts_with("line 3:"), "{text}");
        assert!(text.contains("exactly one"), "{text}");
        assert!(refused("[[step]]\nafter_ms = 3\n").contains("exactly one"));
    }

    #[test]
    fn a_fault_says_which_field_it_lacks_or_has_too_much() {
        let text = refused("[[fault]]\ndo = \"delay\"\nframe = \"send\"\n");
        assert!(text.contains("ms") && text.starts_with("line 1:"), "{text}");
        let text = refused("[[fault]]\ndo = \"drop\"\nframe = \"send\"\ncode = 4400\n");
        assert!(text.contains("code"), "{text}");
    }

    #[test]
    fn a_setting_out_of_its_range_is_refused_where_it_stands() {
        let text = refused("[hub]\nwindow = 0\n");
        assert!(text.starts_with("line 2: window"), "{text}");
        assert!(refused("[rules]\noff = [\"holes\"]\n").contains("holes"));
    }

    #[test]
    fn a_wrong_type_is_refused_with_its_line() {
        let text = refused("[[step]]\nafter_ms = \"soon\"\ncut = true\n");
        assert!(text.starts_with("line 2:"), "{text}");
    }
}
