//! Twenty shapes of parameters that a reader could lose its time on, each in any size.

/// Bytes of one pair: as many pairs as a request may have fill its largest body.
const PAIR_BYTES: usize = 56;

/// Parameters of one shape.
pub(crate) struct Shape {
    /// What is nasty about it.
    pub name: &'static str,
    /// The content type of its body.
    pub content_type: &'static str,
    make: fn(usize) -> String,
}

impl Shape {
    /// Makes a body of this many bytes or hardly fewer.
    pub(crate) fn body(&self, bytes: usize) -> String {
        (self.make)(bytes)
    }
}

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

const fn form(name: &'static str, make: fn(usize) -> String) -> Shape {
    Shape {
        name,
        content_type: FORM,
        make,
    }
}

const fn json(name: &'static str, make: fn(usize) -> String) -> Shape {
    Shape {
        name,
        content_type: JSON,
        make,
    }
}

/// The shapes.
pub(crate) const SHAPES: [Shape; 20] = [
    form("numbers from the middle on, then pushes", |bytes| {
        halves(
            bytes,
            |i, half| format!("a[{}]", half + i),
            |_, _| "a[]".into(),
        )
    }),
    form("pushes, then numbers", |bytes| {
        halves(
            bytes,
            |_, _| "a[]".into(),
            |i, half| format!("a[{}]", half + i),
        )
    }),
    form("numbers downwards, then pushes", |bytes| {
        halves(
            bytes,
            |i, half| format!("a[{}]", 2 * half - i),
            |_, _| "a[]".into(),
        )
    }),
    form("every other number, then pushes", |bytes| {
        halves(
            bytes,
            |i, half| format!("a[{}]", half + 2 * i),
            |_, _| "a[]".into(),
        )
    }),
    form("a number far away, then a push, again and again", |bytes| {
        pairs(bytes, |i, n| match i % 2 {
            0 => format!("a[{}]", n + i),
            _ => "a[]".into(),
        })
    }),
    form("pushes alone", |bytes| pairs(bytes, |_, _| "a[]".into())),
    form("pushes into two lists by turns", |bytes| {
        pairs(bytes, |i, _| format!("{}[]", ["a", "b"][i % 2]))
    }),
    form("a push into a list of its own each", |bytes| {
        pairs(bytes, |i, _| format!("a{i}[]"))
    }),
    form("an object for each push", |bytes| {
        pairs(bytes, |i, _| format!("a[][b{i}]"))
    }),
    form("lists of lists of one", |bytes| {
        pairs(bytes, |_, _| "a[][][][][][]".into())
    }),
    form("numbers, then pushes, seven levels down", |bytes| {
        halves(
            bytes,
            |i, half| format!("a[b][c][d][e][f][g][{}]", half + i),
            |_, _| "a[b][c][d][e][f][g][]".into(),
        )
    }),
    form("a tree of names eight deep", |bytes| {
        pairs(bytes, |i, _| {
            format!("a[{}][{}][c][d][e][f][{i}]", i % 7, i % 31)
        })
    }),
    form("names alike up to their ends", |bytes| {
        pairs(bytes, |i, _| format!("{}{i}", "n".repeat(44)))
    }),
    form("everything escaped", |bytes| {
        let escaped = |i: usize, _| format!("%61%5B{i}%5D");
        pairs(bytes, escaped).replace('x', "+")
    }),
    form("percent signs that escape nothing", |bytes| {
        "%".repeat(bytes)
    }),
    form("pairs of nothing", |bytes| "&".repeat(bytes)),
    json("names alike up to their ends, as JSON", |bytes| {
        members(bytes, |i| format!("{}{i}", "n".repeat(36)))
    }),
    json("pushes as names of JSON", |bytes| {
        members(bytes, |i| format!("a[][b{i}]"))
    }),
    json("numbers and pushes as names of JSON", |bytes| {
        members(bytes, |i| match i % 2 {
            0 => format!("a[{}]", 20_000 + i),
            _ => format!("a[][b{i}]"),
        })
    }),
    json("texts of escapes", |bytes| {
        format!(r#"{{"a":"{}"}}"#, r"\u0061".repeat(bytes / 6 - 2))
    }),
];

/// Writes pairs up to `bytes`, each filled up with its value.
fn pairs(bytes: usize, name: impl Fn(usize, usize) -> String) -> String {
    let count = bytes / PAIR_BYTES;
    let mut body = String::with_capacity(bytes);
    for i in 0..count {
        let name = name(i, count);
        let value = "x".repeat(PAIR_BYTES.saturating_sub(name.len() + 2));
        body.push_str(&format!("{name}={value}&"));
    }
    body
}

/// Writes pairs of one kind, then as many of another.
fn halves(
    bytes: usize,
    first: impl Fn(usize, usize) -> String,
    second: impl Fn(usize, usize) -> String,
) -> String {
    pairs(bytes, |i, count| {
        if i < count / 2 {
            first(i, count / 2)
        } else {
            second(i - count / 2, count / 2)
        }
    })
}

/// Writes a JSON object of members up to `bytes`.
fn members(bytes: usize, name: impl Fn(usize) -> String) -> String {
    let member = |i| {
        let name = name(i);
        let value = "x".repeat(PAIR_BYTES.saturating_sub(name.len() + 6));
        format!(r#""{name}":"{value}""#)
    };
    let all: Vec<_> = (0..bytes / PAIR_BYTES).map(member).collect();
    format!("{{{}}}", all.join(","))
}
