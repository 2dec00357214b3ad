//! What becomes of a hand-over: drawn once, as a list of what happens when.

use crate::random::Seeded;
use postrider_text::result_code::{Action, RESULT_OK, TABLE};

/// One thing that happens to a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beat {
    /// It goes on the air.
    OnAir(u8),
    /// The platform tells its result.
    Result(u8, i32),
}

/// Everything that happens to a hand-over.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// What it is, as a word.
    pub(super) word: &'static str,
    /// What happens after how many milliseconds.
    pub(super) beats: Vec<(u64, Beat)>,
    /// How many parts the platform makes.
    pub(super) parts: u8,
    /// Whether the provider has a row when all parts went.
    pub(super) writes_row: bool,
}

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;

/// Draws the script of a hand-over of `parts` parts; `trouble` is how often something is wrong, in
/// percent.
pub(super) fn draw(random: &mut Seeded, parts: u8, trouble: u64) -> Script {
    let mut script = Script {
        parts,
        writes_row: true,
        ..Script::default()
    };
    if !random.percent(trouble) {
        script.word = "sent";
        script.all_sent(random, |random| random.between(200, 8_000));
        return script;
    }
    match random.below(30) {
        0..3 => {
            script.word = "sent slowly";
            script.all_sent(random, |random| random.between(20_000, 115_000));
        }
        3 | 4 => {
            script.word = "sent, result after the silence";
            script.all_sent(random, |random| random.between(125_000, 9 * MINUTE));
        }
        5 | 6 => {
            script.word = "sent, result hours late";
            script.all_sent(random, |random| random.between(11 * MINUTE, 10 * HOUR));
        }
        7 | 8 => {
            script.word = "sent, result lost";
            script.all_sent(random, |random| random.between(200, 8_000));
            script
                .beats
                .retain(|(_, beat)| matches!(beat, Beat::OnAir(_)));
        }
        9 => {
            script.word = "sent, no row of it";
            script.writes_row = false;
            script.all_sent(random, |random| random.between(200, 8_000));
            script
                .beats
                .retain(|(_, beat)| matches!(beat, Beat::OnAir(_)));
        }
        10 | 11 => {
            script.word = "sent, result repeated";
            script.all_sent(random, |random| random.between(200, 8_000));
            script.repeat(random);
        }
        12 => {
            script.word = "sent in another number of parts";
            script.parts = if random.percent(50) {
                parts + 1
            } else {
                parts.max(2) - 1
            };
            script.all_sent(random, |random| random.between(200, 8_000));
        }
        13 => {
            script.word = "nothing happens";
            script.writes_row = false;
        }
        14..17 => script.all_failed(random, "held by the radio", Action::HoldSim),
        17 => script.all_failed(random, "limit exceeded", Action::HoldSimAndHalvePace),
        18..22 => script.all_failed(random, "try again", Action::RetryMessage),
        22..24 => script.all_failed(random, "refused", Action::FailWithProof),
        24..27 => script.ambiguous(random),
        _ => script.mixed(random),
    }
    script
}

impl Script {
    fn all_sent(&mut self, random: &mut Seeded, mut wait: impl FnMut(&mut Seeded) -> u64) {
        for part in 0..self.parts {
            let air = random.between(100, 3_000);
            self.beats.push((air, Beat::OnAir(part)));
            self.beats
                .push((air + wait(random), Beat::Result(part, RESULT_OK)));
        }
    }

    fn all_failed(&mut self, random: &mut Seeded, word: &'static str, action: Action) {
        self.word = word;
        self.writes_row = false;
        for part in 0..self.parts {
            let code = code_of(random, action);
            let wait = random.between(50, 20_000);
            self.beats.push((wait, Beat::Result(part, code)));
        }
        if random.percent(20) {
            self.repeat(random);
        }
    }

    /// A failure that proves nothing: it may have gone on the air.
    fn ambiguous(&mut self, random: &mut Seeded) {
        self.word = "failed ambiguously";
        self.writes_row = false;
        let goes = random.percent(50);
        for part in 0..self.parts {
            let wait = random.between(500, 60_000);
            if goes {
                self.beats.push((wait / 2, Beat::OnAir(part)));
            }
            let code = code_of(random, Action::FailAmbiguous);
            self.beats.push((wait, Beat::Result(part, code)));
        }
    }

    /// Each part has a fate of its own.
    fn mixed(&mut self, random: &mut Seeded) {
        self.word = "each part its own way";
        self.writes_row = false;
        for part in 0..self.parts {
            let wait = random.between(500, 30_000);
            let (goes, code) = match random.below(5) {
                0 | 1 => (true, Some(RESULT_OK)),
                2 => (false, Some(code_of(random, Action::HoldSim))),
                3 => (
                    random.percent(50),
                    Some(code_of(random, Action::FailAmbiguous)),
                ),
                _ => (random.percent(50), None),
            };
            if goes {
                self.beats.push((wait / 2, Beat::OnAir(part)));
            }
            let told = code.map(|code| (wait, Beat::Result(part, code)));
            self.beats.extend(told);
        }
    }

    fn repeat(&mut self, random: &mut Seeded) {
        let told = self
            .beats
            .iter()
            .filter(|(_, beat)| matches!(beat, Beat::Result(..)));
        let again: Vec<_> = told
            .map(|(at, beat)| (at + random.between(10, HOUR), *beat))
            .collect();
        self.beats.extend(again);
    }
}

fn code_of(random: &mut Seeded, action: Action) -> i32 {
    let rows = TABLE.iter().filter(|row| row.action == action);
    let codes: Vec<i32> = rows.map(|row| row.code).collect();
    // A code that no table has is ambiguous, too.
    match action {
        Action::FailAmbiguous if random.percent(5) => 4_711,
        _ => random.pick(&codes).unwrap_or(1),
    }
}
