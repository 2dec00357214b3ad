//! What happened in a run, line by line: ids, words and numbers, never numbers of people or texts.

use postrider_machine::MessageRef;
use postrider_model::MessageId;
use std::fmt::{self, Write};

/// Who did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The weather: faults and the plan.
    World,
    /// Whoever sends messages through the hub.
    Sender,
    /// The hub.
    Hub,
    /// A phone, by its number.
    Phone(usize),
    /// A phone's radio and platform.
    Radio(usize),
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World => f.write_str("world"),
            Self::Sender => f.write_str("sender"),
            Self::Hub => f.write_str("hub"),
            Self::Phone(no) => write!(f, "phone {no}"),
            Self::Radio(no) => write!(f, "radio {no}"),
        }
    }
}

/// One line. `what` has a place `{}` for each number and `{w}` for the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Milliseconds since the run began.
    pub at: u64,
    /// Who.
    pub who: Who,
    /// What.
    pub what: &'static str,
    /// About which message.
    pub message: Option<MessageId>,
    /// What stands in its places.
    pub numbers: [u64; 3],
    /// The word that belongs to it.
    pub word: &'static str,
}

impl Line {
    /// Begins a line.
    pub const fn new(who: Who, what: &'static str) -> Self {
        Self {
            at: 0,
            who,
            what,
            message: None,
            numbers: [0; 3],
            word: "",
        }
    }

    /// Returns which message it is about.
    #[must_use]
    pub const fn of(mut self, message: MessageId) -> Self {
        self.message = Some(message);
        self
    }

    /// Returns which exposure it is about: `{}` is its number.
    #[must_use]
    pub const fn of_exposure(mut self, message: MessageRef) -> Self {
        self.message = Some(message.id);
        self.numbers[0] = message.ep as u64;
        self
    }

    /// Gives the numbers of its places.
    #[must_use]
    pub const fn with(mut self, numbers: [u64; 3]) -> Self {
        self.numbers = numbers;
        self
    }

    /// Gives its word.
    #[must_use]
    pub const fn word(mut self, word: &'static str) -> Self {
        self.word = word;
        self
    }
}

/// A moment of a run, in milliseconds since it began, as hours, minutes and seconds.
#[derive(Debug, Clone, Copy)]
pub struct Clock(pub u64);

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, ms) = (self.0 / 1_000, self.0 % 1_000);
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
        write!(f, "{hours:03}:{minutes:02}:{:02}.{ms:03}", seconds % 60)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {:<8}  ", Clock(self.at), self.who.to_string())?;
        if let Some(message) = self.message {
            write!(f, "message {}: ", message.get())?;
        }
        let mut numbers = self.numbers.iter();
        let mut rest = self.what;
        while let Some(open) = rest.find('{') {
            f.write_str(&rest[..open])?;
            let close = rest[open..]
                .find('}')
                .map_or(rest.len(), |at| open + at + 1);
            match &rest[open..close] {
                "{w}" => f.write_str(self.word)?,
                _ => write!(f, "{}", numbers.next().copied().unwrap_or(0))?,
            }
            rest = &rest[close..];
        }
        f.write_str(rest)
    }
}

/// The lines of a run, or only what they come to.
#[derive(Debug)]
pub struct Log {
    lines: Vec<Line>,
    keeps: bool,
    digest: u64,
    count: u64,
}

impl Log {
    /// Makes a log that keeps its lines, or only their digest.
    pub const fn new(keeps: bool) -> Self {
        Self {
            lines: Vec::new(),
            keeps,
            digest: 0xcbf2_9ce4_8422_2325,
            count: 0,
        }
    }

    /// Adds a line.
    pub fn add(&mut self, line: Line) {
        self.count += 1;
        let about = line.message.map_or(0, |id| id.get().unsigned_abs());
        let [one, two, three] = line.numbers;
        let words = [line.at, about, one, two, three];
        let text = line.what.bytes().chain(line.word.bytes()).map(u64::from);
        for word in words.into_iter().chain(text) {
            self.digest = (self.digest ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        }
        if self.keeps {
            self.lines.push(line);
        }
    }

    /// Returns the lines that were kept.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns how many lines there were.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns a number that two equal logs share.
    pub const fn digest(&self) -> u64 {
        self.digest
    }

    /// Returns every line as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            // Writing to a string does not fail.
            let _written = writeln!(text, "{line}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_as_a_sentence() {
        let line = Line {
            at: 3_723_004,
            ..Line::new(Who::Phone(1), "hands exposure {} over as attempt {} ({w})")
        };
        let line = line.with([2, 1, 0]).word("ok");
        assert_eq!(
            line.to_string(),
            "001:02:03.004  phone 1   hands exposure 2 over as attempt 1 (ok)"
        );
    }
}
