//! A seeded walk through a world that is too wide for a search.

use crate::{hash::fingerprint, system::System, world::World};

/// What a walk saw.
#[derive(Debug)]
pub struct Walked {
    /// States visited, each checked.
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
    while walked.states < states && walked.broken.is_none() {
        let mut world = World::START;
        names.clear();
        for _ in 0..way {
            system.steps(&world, &mut next);
            if next.is_empty() {
                break;
            }
            let (step, after) = next[dice.below(next.len())];
            next.clear();
            names.push(step.name);
            world = after;
            walked.states += 1;
            let mark = fingerprint(&world) as usize % MARKS;
            let (word, bit) = (mark / 64, 1 << (mark % 64));
            marked += u64::from(marks[word] & bit == 0);
            marks[word] |= bit;
            if let Some(why) = system.broken(&world) {
                walked.broken = Some((why, names.clone()));
                break;
            }
        }
        walked.ends += u64::from(system.is_end(&world));
    }
    let free = (MARKS as f64 - marked as f64).max(1.0) / MARKS as f64;
    walked.different = (-(MARKS as f64) * free.ln()) as u64;
    walked
}
