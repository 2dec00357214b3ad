//! A text with variables: what is parsed, and how it is rendered.

mod filter;
mod parse;

use filter::Filter;
use std::borrow::Cow;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Most variables of one text; with more it is refused.
pub(crate) const TAGS_MAX: usize = 200;
/// Most filters behind one variable; with more the text is refused.
pub const FILTERS_MAX: usize = 8;
/// Most names with dots between them, as in `contact.vars.city.upper`; more are no variable.
pub const DEPTH_MAX: usize = 5;

/// What variables stand for where a template is rendered.
pub trait Names {
    /// Returns the text of a variable by its name's parts; `None` for one that is not there.
    fn text(&self, path: &[&str]) -> Option<Cow<'_, str>>;
}

/// A text that was parsed: its own words, and variables with their filters.
///
/// Prints how many variables it has, and nothing of its words.
#[derive(Clone, PartialEq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, PartialEq)]
enum Piece {
    Words(String),
    Variable(Variable),
}

/// A variable with what is done to it, one thing after the other.
#[derive(Clone, PartialEq)]
struct Variable {
    path: Vec<String>,
    filters: Vec<Filter>,
}

/// Says why a text is no template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadTemplate {
    /// More variables than a text may have.
    TooManyTags,
    /// More filters than a variable may have.
    TooManyFilters,
    /// A filter that does not exist.
    UnknownFilter {
        /// What it is called.
        name: String,
    },
    /// A filter that is not written as its kind is.
    BadFilter {
        /// What it is called.
        name: &'static str,
        /// What it takes.
        takes: &'static str,
    },
    /// Something behind a variable that is no filter.
    NotAFilter,
}

impl fmt::Display for BadTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyTags => write!(f, "may have at most {TAGS_MAX} variables"),
            Self::TooManyFilters => {
                write!(
                    f,
                    "may have at most {FILTERS_MAX} filters behind a variable"
                )
            }
            Self::UnknownFilter { name } => {
                write!(f, "has a filter that does not exist: {name}")
            }
            Self::BadFilter { name, takes } => {
                write!(f, "has a filter that is not complete: {name} takes {takes}")
            }
            Self::NotAFilter => f.write_str("has something after a | that is not a filter"),
        }
    }
}

impl std::error::Error for BadTemplate {}

/// Most bytes that the variables and filters of one text may go through, all together.
pub(crate) const WORK_BYTES_MAX: usize = 256 * 1024;

/// Says why a text cannot be rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unrendered {
    /// It, or a text on the way, would be longer than it may be.
    TooLong,
    /// Its variables and filters go through more than `WORK_BYTES_MAX`.
    TooMuchWork,
}

impl fmt::Display for Unrendered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "is too long with its variables",
            Self::TooMuchWork => {
                "takes too much work: its variables and filters go through more than 256 KiB"
            }
        })
    }
}

impl std::error::Error for Unrendered {}

/// What one rendering has gone through, in bytes.
#[derive(Default)]
struct Spent(usize);

impl Spent {
    fn add(&mut self, bytes: usize) -> Result<(), Unrendered> {
        self.0 = self.0.saturating_add(bytes);
        if self.0 <= WORK_BYTES_MAX {
            Ok(())
        } else {
            Err(Unrendered::TooMuchWork)
        }
    }
}

impl Template {
    /// Parses a text; its length is the caller's to limit, the time taken grows with it alone.
    ///
    /// `[[` that no variable's name follows is a text's own and stays as it is.
    ///
    /// # Errors
    /// Filters that do not exist or lack something, and more of anything than may be.
    pub fn parse(text: &str) -> Result<Self, BadTemplate> {
        parse::template(text)
    }

    /// Says whether there is nothing to put in.
    pub fn is_plain(&self) -> bool {
        !self
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Variable(_)))
    }

    /// Returns the names of its variables, each in its parts, with the properties that stand behind
    /// them.
    pub fn variables(&self) -> impl Iterator<Item = Vec<&str>> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Words(_) => None,
            Piece::Variable(variable) => Some(variable.path.iter().map(String::as_str).collect()),
        })
    }

    /// Returns what tells the texts of its variables from others: the same number while none of them
    /// has changed. It goes no further than a rendering could.
    pub fn fingerprint(&self, names: &dyn Names) -> u64 {
        let mut hasher = DefaultHasher::new();
        let mut spent = Spent::default();
        for path in self.variables() {
            let text = look_up(names, &path);
            text.hash(&mut hasher);
            if spent.add(text.map_or(0, |text| text.len())).is_err() {
                break;
            }
        }
        hasher.finish()
    }

    /// Returns the text with what its variables hold.
    ///
    /// A variable that is not there is empty. No text on the way, nor the whole, grows beyond
    /// `bytes_max`.
    ///
    /// # Errors
    /// [`Unrendered::TooLong`] when one would, [`Unrendered::TooMuchWork`] when the way there is too
    /// long.
    pub fn render(&self, names: &dyn Names, bytes_max: usize) -> Result<String, Unrendered> {
        let mut out = String::new();
        let mut spent = Spent::default();
        for piece in &self.pieces {
            let words: Cow<'_, str> = match piece {
                Piece::Words(words) => Cow::Borrowed(words),
                Piece::Variable(variable) => variable.render(names, bytes_max, &mut spent)?,
            };
            if out.len() + words.len() > bytes_max {
                return Err(Unrendered::TooLong);
            }
            out.push_str(&words);
        }
        Ok(out)
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variables = self.pieces.iter();
        let count = variables.filter(|piece| matches!(piece, Piece::Variable(_)));
        write!(f, "Template({} variables)", count.count())
    }
}

impl Variable {
    fn render<'n>(
        &self,
        names: &'n dyn Names,
        bytes_max: usize,
        spent: &mut Spent,
    ) -> Result<Cow<'n, str>, Unrendered> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let mut text = look_up(names, &path).unwrap_or_default();
        spent.add(text.len())?;
        for filter in &self.filters {
            // What it reads is counted before it is read, and what it makes is at most `bytes_max`.
            spent.add(text.len())?;
            text = Cow::Owned(filter.apply(&text, bytes_max)?);
        }
        Ok(text)
    }
}

/// Says whether a name is a property that every variable has.
pub fn is_property(name: &str) -> bool {
    matches!(name, "length" | "lower" | "upper")
}

/// Finds a variable, or the property of one: a variable that is itself called `lower` goes first.
fn look_up<'n>(names: &'n dyn Names, path: &[&str]) -> Option<Cow<'n, str>> {
    if let Some(text) = names.text(path) {
        return Some(text);
    }
    let (property, of) = path.split_last()?;
    if of.is_empty() {
        return None;
    }
    let text = names.text(of);
    match *property {
        "length" => Some(Cow::Owned(
            text.unwrap_or_default().chars().count().to_string(),
        )),
        "lower" => Some(Cow::Owned(text?.to_lowercase())),
        "upper" => Some(Cow::Owned(text?.to_uppercase())),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
