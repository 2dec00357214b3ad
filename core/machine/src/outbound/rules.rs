//! What the owner and the hub allow: pause, gap, quiet hours, limit.

use super::queue::Obstacle;
use crate::config::Spell;
use postrider_link::frame::Config;
use postrider_model::{Now, SimSlot};
use postrider_text::gsm7::Language;
use std::collections::{BTreeMap, BTreeSet};

/// The rules in force.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// The hub does not know this phone: none of its messages is sent, of any kind.
    pub(super) not_known: bool,
    /// The phone's owner does not let the app send messages.
    pub(super) no_sending: bool,
    /// The phone's owner does not let the app call and dial codes.
    pub(super) no_calling: bool,
    /// The owner's choice of delivery reports, which comes before the hub's.
    pub(super) reports: BTreeMap<SimSlot, bool>,
    /// The owner's choice of national shift tables, which comes before the hub's.
    pub(super) shift_tables: Option<Vec<u8>>,
    /// The owner's own pause, which the hub cannot lift.
    pub(super) paused: bool,
    /// The owner's own quiet hours, in addition to the hub's.
    pub(super) quiet: Vec<Spell>,
    /// Slots with another SIM, which nobody has confirmed.
    pub(super) changed: BTreeSet<SimSlot>,
    for_all: Config,
    for_sim: BTreeMap<SimSlot, Config>,
}

impl Rules {
    /// Applies the hub's settings: for one SIM, or for all of them, which replaces those of single
    /// SIMs.
    pub(super) fn set(&mut self, config: Config) {
        match config.sim {
            Some(sim) => {
                self.for_sim.insert(sim, config);
            }
            None => {
                self.for_sim.clear();
                self.for_all = config;
            }
        }
    }

    /// Returns what the hub set for a SIM.
    pub(super) fn of(&self, sim: SimSlot) -> &Config {
        self.for_sim.get(&sim).unwrap_or(&self.for_all)
    }

    /// Returns the lowest limit that the hub set for all SIMs together.
    pub(super) fn device_limit(&self) -> Option<u32> {
        let configs = self.for_sim.values().chain([&self.for_all]);
        configs
            .filter_map(|config| config.device_send_limit_max)
            .min()
    }

    /// Returns the languages whose shift tables the platform uses for a SIM's texts.
    pub(super) fn languages(&self, sim: SimSlot) -> Vec<Language> {
        let owners = self.shift_tables.as_ref();
        Language::of_identifiers(owners.unwrap_or(&self.of(sim).shift_tables))
    }

    /// Returns what keeps a SIM from sending.
    pub(super) fn obstacle(&self, sim: SimSlot, now: Now) -> Option<Obstacle> {
        if self.not_known {
            return Some(Obstacle::NotKnown);
        }
        if self.changed.contains(&sim) {
            return Some(Obstacle::SimChanged);
        }
        let config = self.of(sim);
        if self.paused || config.pause {
            return Some(Obstacle::Paused);
        }
        let hubs = config.quiet.iter().copied();
        let owners = self.quiet.iter().map(|spell| (spell.from.0, spell.until.0));
        let is_quiet = |(from, to): &(i64, i64)| (*from..*to).contains(&now.unix.0);
        let (_, to) = hubs.chain(owners).find(is_quiet)?;
        let left = u64::try_from(to.saturating_sub(now.unix.0)).unwrap_or(0);
        Some(Obstacle::Quiet {
            until: now.boot.plus_ms(left),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::BootMs;

    const NOW: Now = Now::new(1_000, 50_000);

    fn sim(slot: u8) -> SimSlot {
        SimSlot::new(slot).unwrap()
    }

    #[test]
    fn what_is_set_for_all_replaces_what_was_set_for_one() {
        let mut rules = Rules::default();
        let paused = Config {
            pause: true,
            ..Config::default()
        };
        rules.set(Config {
            sim: Some(sim(1)),
            ..paused.clone()
        });
        assert_eq!(rules.obstacle(sim(0), NOW), None);
        assert_eq!(rules.obstacle(sim(1), NOW), Some(Obstacle::Paused));
        rules.set(Config::default());
        assert_eq!(rules.obstacle(sim(1), NOW), None);
        rules.set(paused);
        assert_eq!(rules.obstacle(sim(1), NOW), Some(Obstacle::Paused));
    }

    #[test]
    fn a_phone_that_its_hub_does_not_know_hands_nothing_over() {
        let rules = Rules {
            not_known: true,
            ..Rules::default()
        };
        assert_eq!(rules.obstacle(sim(0), NOW), Some(Obstacle::NotKnown));
    }

    #[test]
    fn quiet_hours_hold_until_their_end() {
        let mut rules = Rules::default();
        rules.set(Config {
            quiet: vec![(0, 50_000), (50_000, 53_000)],
            ..Config::default()
        });
        let until = BootMs(4_000);
        assert_eq!(rules.obstacle(sim(0), NOW), Some(Obstacle::Quiet { until }));
        assert_eq!(rules.obstacle(sim(0), NOW.plus_ms(3_000)), None);
    }
}
