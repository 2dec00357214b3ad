//! A seeded walk through a world that is too wide for a search.
//!
//! It looks at every state that follows each one on its way, and goes on with one of them.

use crate::{
    hash::fingerprint,
    system::{Step, System},
    world::World,
};

/// What a walk saw.
#[derive(Debug)]
pub struct Walked {
    /// States that were looked at: all that follow those on the way.
    pub states: u64,
    /// Different ones among them, as a count of marks estimates.
    pub different: u64,
    /// Ways that came to an end.
    pub ends: u64,
    /// The promise that was broken, and the story of it.
    pub broken: Option<(&'static str, Vec<&'static str>)>,
}

const MARKS: usize = 1 << 27;

/// A generator of numbers that is the same everywhere (SplitMix64).
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * end as u128) >> 64) as usize
    }
}

/// Most accidents are passed over, so that a way comes far between them.
fn choose(next: &[(Step, World)], dice: &mut Dice) -> (Step, World) {
    loop {
        let chosen = next[dice.below(next.len())];
        let is_accident = ACCIDENTS.contains(&chosen.0.name);
        if !is_accident || next.len() < 2 || dice.below(ACCIDENTS_PASSED_OVER) == 0 {
            return chosen;
        }
    }
}

const ACCIDENTS: [&str; 11] = [
    "connects",
    "the hub dies",
    "the app dies",
    "reboots",
    "its life ends",
    "its journal goes back",
    "is installed anew",
    "its operator removes the phone",
    "the sender deletes",
    "the sender cancels",
    "the hub wants it back",
];

/// One accident in so many happens.
const ACCIDENTS_PASSED_OVER: usize = 12;

/// Walks `states` states, in ways of at most `way` steps from the start.
pub fn walk(system: &System, seed: u64, states: u64, way: usize) -> Walked {
    let mut dice = Dice(seed);
    let mut marks = vec![0_u64; MARKS / 64];
    let mut walked = Walked {
        states: 0,
        different: 0,
        ends: 0,
        broken: None,
    };
    let (mut marked, mut next, mut names) = (0_u64, Vec::new(), Vec::new());
    while walked.states < states {
        let mut world = World::START;
        names.clear();
        for _ in 0..way {
            system.steps(&world, &mut next);
            if next.is_empty() {
                break;
            }
            for (step, after) in &next {
                walked.states += 1;
                let mark = fingerprint(after) as usize % MARKS;
                let (word, bit) = (mark / 64, 1 << (mark % 64));
                marked += u64::from(marks[word] & bit == 0);
                marks[word] |= bit;
                if let Some(why) = system.broken(after) {
                    names.push(step.name);
                    walked.broken = Some((why, names));
                    return walked;
                }
            }
            let (step, after) = choose(&next, &mut dice);
            next.clear();
            names.push(step.name);
            world = after;
        }
        walked.ends += u64::from(system.is_end(&world));
    }
    let free = (MARKS as f64 - marked as f64).max(1.0) / MARKS as f64;
    walked.different = (-(MARKS as f64) * free.ln()) as u64;
    walked
}
