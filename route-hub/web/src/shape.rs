//! What a value may be, said once: for whoever reads requests, shows answers, and describes both.

use postrider_model::IdKind;

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Anything that JSON can say.
    Any,
    /// Nothing: `null`.
    Null,
    /// A text of at most so many characters.
    Text(usize),
    /// One of these texts.
    Word(&'static [&'static str]),
    /// An id that begins with these two letters.
    Id(&'static str),
    /// An http or https address of at most so many characters.
    Url(usize),
    /// A zone of the tz database.
    Zone,
    /// A day, as `2024-02-29`.
    Date,
    /// A time of day, as `08:30`.
    TimeOfDay,
    /// A whole number from the first to the second.
    Integer(i64, i64),
    /// A number, with a fraction or without.
    Number,
    /// A truth value.
    Boolean,
    /// A UNIX timestamp in seconds.
    Time,
    /// Custom variables by name: texts, numbers, truth values and, in a request, `null`.
    Vars,
    /// At most so many of a kind.
    Array(&'static Self, usize),
    /// An object with these members.
    Object(&'static [Member]),
    /// An object with free names, each of a kind.
    Map(&'static Self),
    /// A named object.
    Of(&'static Shape),
    /// One of several kinds.
    Either(&'static [Self]),
    /// What comes later: taken only where it says nothing.
    Later(Later),
    /// What a request may not change.
    ReadOnly,
    /// What a request gives elsewhere, and the rule that it breaks here.
    Elsewhere(&'static str),
}

/// What a parameter whose feature comes later may say besides nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    /// Only nothing: missing, `null`, empty text, array or object.
    Empty,
    /// False.
    False,
    /// Exactly this text.
    Text(&'static str),
}

/// One member of an object, or one parameter of a request.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// Whether a request must give it.
    pub is_required: bool,
    /// What it is when a request leaves it out, as JSON; empty where nothing stands for it.
    pub default: &'static str,
    /// Whether a request may not give `null` for it.
    pub is_never_null: bool,
    /// Whether an answer may show `null`.
    pub is_nullable: bool,
    /// Whether an answer may lack it.
    pub is_optional: bool,
}

impl Member {
    /// Makes a member that a request may leave out and an answer always has.
    pub const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self {
            name,
            kind,
            about,
            is_required: false,
            default: "",
            is_never_null: false,
            is_nullable: false,
            is_optional: false,
        }
    }

    /// Makes a member that is the id of a `K`.
    pub const fn id<K: IdKind>(name: &'static str, about: &'static str) -> Self {
        Self::new(name, Kind::Id(K::PREFIX), about)
    }

    /// Makes a field that callers may read but not write.
    pub const fn read_only(name: &'static str) -> Self {
        Self::new(name, Kind::ReadOnly, "Cannot be changed.")
    }

    /// Makes a parameter of a feature that comes later.
    pub const fn later(name: &'static str, default: Later) -> Self {
        Self::new(name, Kind::Later(default), "Not offered by this hub yet.")
    }

    /// Makes what a request gives elsewhere; here it breaks the rule.
    pub const fn elsewhere(name: &'static str, rule: &'static str) -> Self {
        Self::new(name, Kind::Elsewhere(rule), rule)
    }

    /// A request must give it.
    pub const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// What it is when a request leaves it out, as JSON.
    pub const fn or(mut self, default: &'static str) -> Self {
        self.default = default;
        self
    }

    /// A request may leave it out, and not give `null` for it.
    pub const fn never_null(mut self) -> Self {
        self.is_never_null = true;
        self
    }

    /// An answer may show `null`.
    pub const fn nullable(mut self) -> Self {
        self.is_nullable = true;
        self
    }

    /// An answer may lack it.
    pub const fn optional(mut self) -> Self {
        self.is_optional = true;
        self
    }
}

/// A named object of the interface.
#[derive(Debug)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// Its members, in the order of the JSON object.
    pub members: &'static [Member],
}
