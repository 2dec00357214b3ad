//! Which variables there are where a template is rendered.

use crate::{Fields, Names};
use std::borrow::Cow;

/// The resources and single variables that a template may speak of.
///
/// A resource stands under its own name, as `contact`; a single variable is a name without dots,
/// as `content` or `$answer`. What was put in later goes before what was put in earlier.
#[derive(Default)]
pub struct Scope<'a> {
    resources: Vec<(&'a str, &'a dyn Fields)>,
    variables: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    content: Option<&'a str>,
}

impl<'a> Scope<'a> {
    /// Makes one without variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a resource in.
    #[must_use]
    pub fn with(mut self, name: &'a str, fields: &'a dyn Fields) -> Self {
        self.resources.push((name, fields));
        self
    }

    /// Puts a single variable in.
    #[must_use]
    pub fn with_text(
        mut self,
        name: impl Into<Cow<'a, str>>,
        text: impl Into<Cow<'a, str>>,
    ) -> Self {
        self.variables.push((name.into(), text.into()));
        self
    }

    /// Puts in the text that came in: `content`, its words `word1`, `word2`, … and what follows
    /// them, `remainder1`, ….
    #[must_use]
    pub fn with_content(mut self, content: &'a str) -> Self {
        self.content = Some(content);
        self
    }

    fn of_content(&self, name: &str) -> Option<Cow<'_, str>> {
        let content = self.content?;
        if name == "content" {
            return Some(Cow::Borrowed(content));
        }
        let number = |prefix| -> Option<usize> {
            let digits: &str = name.strip_prefix(prefix)?;
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|n| is_number && *n > 0)
        };
        if let Some(n) = number("word") {
            return content.split_whitespace().nth(n - 1).map(Cow::Borrowed);
        }
        Some(Cow::Borrowed(after_words(content, number("remainder")?)))
    }
}

/// Returns what follows the first `n` words.
fn after_words(content: &str, n: usize) -> &str {
    let mut rest = content.trim_start();
    for _ in 0..n {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        rest = rest[end..].trim_start();
        if rest.is_empty() {
            break;
        }
    }
    rest
}

impl Names for Scope<'_> {
    fn text(&self, path: &[&str]) -> Option<Cow<'_, str>> {
        let (first, rest) = path.split_first()?;
        if rest.is_empty() {
            let variables = self.variables.iter().rev();
            let mut own = variables.filter(|(name, _)| name == first);
            return match own.next() {
                Some((_, text)) => Some(Cow::Borrowed(text.as_ref())),
                None => self.of_content(first),
            };
        }
        let mut resources = self.resources.iter().rev();
        let (_, fields) = resources.find(|(name, _)| name == first)?;
        fields.field(rest)
    }
}
