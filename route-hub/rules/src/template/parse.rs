//! From text to template.
//!
//! ```text
//! variable = "[[" name { "|" filter } "]]"
//! name     = [ "$" ] word { "." word }
//! filter   = word [ ":" arguments | "(" arguments ")" ]
//! argument = "quoted" | 'quoted' | bare
//! ```
//!
//! Blanks may stand between any two of them. In quotes `\` takes what follows it as it is.

use super::filter::{Filter, Kind};
use super::{BadTemplate, DEPTH_MAX, FILTERS_MAX, Piece, TAGS_MAX, Template, Variable};

/// Longest word of a name, in bytes: the longest name of a custom variable.
const WORD_LENGTH_MAX: usize = 32;
/// Most arguments of a filter.
const ARGUMENTS_MAX: usize = 2;

pub(super) fn template(text: &str) -> Result<Template, BadTemplate> {
    let mut pieces = Pieces::default();
    // Behind the last end there can be no variable.
    let last_end = text.rfind("]]").unwrap_or(0);
    let mut rest = text;
    while let Some(open) = rest.find("[[") {
        let at = text.len() - rest.len() + open;
        if at >= last_end {
            break;
        }
        pieces.words(&rest[..open]);
        let mut input = Input(&rest[open + 2..]);
        rest = match variable(&mut input)? {
            Some(variable) => {
                pieces.variable(variable)?;
                input.0
            }
            None => {
                pieces.words("[");
                &rest[open + 1..]
            }
        };
    }
    pieces.words(rest);
    Ok(Template {
        pieces: pieces.list,
    })
}

#[derive(Default)]
struct Pieces {
    list: Vec<Piece>,
    variables: usize,
}

impl Pieces {
    fn words(&mut self, words: &str) {
        match self.list.last_mut() {
            _ if words.is_empty() => {}
            Some(Piece::Words(before)) => before.push_str(words),
            _ => self.list.push(Piece::Words(words.to_owned())),
        }
    }

    fn variable(&mut self, variable: Variable) -> Result<(), BadTemplate> {
        self.variables += 1;
        if self.variables > TAGS_MAX {
            return Err(BadTemplate::TooManyTags);
        }
        self.list.push(Piece::Variable(variable));
        Ok(())
    }
}

/// What is not read yet.
struct Input<'t>(&'t str);

impl<'t> Input<'t> {
    fn blanks(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t', '\u{a0}']);
    }

    fn take(&mut self, token: &str) -> bool {
        match self.0.strip_prefix(token) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<&'t str> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.0.find(|c| !is_word(c)).unwrap_or(self.0.len());
        if end == 0 || end > WORD_LENGTH_MAX {
            return None;
        }
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(word)
    }
}

/// Reads what follows `[[`; `None` when that is no variable.
fn variable(input: &mut Input<'_>) -> Result<Option<Variable>, BadTemplate> {
    input.blanks();
    let Some(path) = name(input) else {
        return Ok(None);
    };
    input.blanks();
    let mut filters = Vec::new();
    while !input.take("]]") {
        if !input.take("|") {
            return if filters.is_empty() {
                Ok(None)
            } else {
                Err(BadTemplate::NotAFilter)
            };
        }
        if filters.len() == FILTERS_MAX {
            return Err(BadTemplate::TooManyFilters);
        }
        filters.push(filter(input)?);
        input.blanks();
    }
    Ok(Some(Variable { path, filters }))
}

fn name(input: &mut Input<'_>) -> Option<Vec<String>> {
    let is_temporary = input.take("$");
    let first = input.word()?;
    if !is_temporary && first.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let sign = if is_temporary { "$" } else { "" };
    let mut path = vec![format!("{sign}{first}")];
    while input.take(".") {
        if path.len() == DEPTH_MAX {
            return None;
        }
        path.push(input.word()?.to_owned());
    }
    Some(path)
}

fn filter(input: &mut Input<'_>) -> Result<Filter, BadTemplate> {
    input.blanks();
    let name = input.word().ok_or(BadTemplate::NotAFilter)?;
    let kind = Kind::find(name).ok_or_else(|| BadTemplate::UnknownFilter {
        name: name.to_owned(),
    })?;
    input.blanks();
    let arguments = if input.take("(") {
        let arguments = arguments(input, kind)?;
        input.blanks();
        if !input.take(")") {
            return Err(kind.incomplete());
        }
        arguments
    } else if input.take(":") {
        arguments(input, kind)?
    } else {
        Vec::new()
    };
    Filter::new(kind, arguments)
}

fn arguments(input: &mut Input<'_>, kind: Kind) -> Result<Vec<String>, BadTemplate> {
    let mut list = Vec::new();
    input.blanks();
    if input.0.starts_with([')', '|']) || input.0.starts_with("]]") {
        return Ok(list);
    }
    loop {
        if list.len() == ARGUMENTS_MAX {
            return Err(kind.incomplete());
        }
        list.push(argument(input).ok_or_else(|| kind.incomplete())?);
        input.blanks();
        if !input.take(",") {
            return Ok(list);
        }
        input.blanks();
    }
}

fn argument(input: &mut Input<'_>) -> Option<String> {
    if let Some(quote) = input.0.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        return quoted(input, quote);
    }
    let ends = |c: char| matches!(c, '|' | ',' | ')' | '(' | '"' | '\'' | '[' | ']' | '\n');
    let end = input.0.find(ends)?;
    let (bare, rest) = input.0.split_at(end);
    input.0 = rest;
    Some(bare.trim_end().to_owned())
}

fn quoted(input: &mut Input<'_>, quote: char) -> Option<String> {
    let mut text = String::new();
    let mut chars = input.0[1..].chars();
    loop {
        match chars.next()? {
            '\\' => text.push(chars.next()?),
            c if c == quote => break,
            c => text.push(c),
        }
    }
    input.0 = chars.as_str();
    Some(text)
}
