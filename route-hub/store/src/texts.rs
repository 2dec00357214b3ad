//! Every statement that the store's source holds is one that PostgreSQL takes, with parameters and
//! columns of the types that we read and write.

use crate::testing::{PostgresDatabase, server};
use crate::{PostgresSettings, postgres};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, iter};

/// What only SQLite runs, or PostgreSQL in words of its own, or what is put together table by table.
const APART: &[&str] = &[
    "backup.rs",
    "migrations.rs",
    "moving",
    "plans.rs",
    "postgres",
    "sqlite.rs",
    "testing.rs",
    "texts.rs",
];

/// Macros without parameters, by name.
type Macros = BTreeMap<String, TokenStream>;

#[test]
fn postgresql_takes_every_statement() {
    let Some(server) = server() else {
        return;
    };
    let texts = texts();
    assert!(texts.len() > 250, "{} texts", texts.len());
    let database = PostgresDatabase::fresh(&server);
    let shapes = postgres::shapes(&PostgresSettings::new(database.url()), &texts).unwrap();
    let known = ["int8", "int4", "text", "float8"];
    let wrong = shapes.iter().zip(&texts).filter(|(shape, _)| match shape {
        Ok(types) => types.iter().any(|kind| !known.contains(&&**kind)),
        Err(_) => true,
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns the texts of all statements in the source.
fn texts() -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let codes = codes(&tokens(&source.join("codes.rs")));
    let mut texts = Vec::new();
    for file in files(&source) {
        let stream = tokens(&file);
        let mut macros = macros(&stream);
        if let Some(parent) = file.parent().map(|folder| folder.join("mod.rs"))
            && parent.exists()
        {
            for (name, body) in self::macros(&tokens(&parent)) {
                macros.entry(name).or_insert(body);
            }
        }
        collect(
            stream,
            &Reading {
                macros,
                codes: &codes,
            },
            &mut texts,
        );
    }
    texts
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let kept = entries.filter(|path| !APART.iter().any(|apart| path.ends_with(apart)));
    kept.flat_map(|path| {
        if path.is_dir() {
            files(&path)
        } else {
            vec![path]
        }
    })
    .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
    .collect()
}

fn tokens(file: &Path) -> TokenStream {
    fs::read_to_string(file).unwrap().parse().unwrap()
}

/// Returns the bodies of `macro_rules! name { () => { … } }`.
fn macros(stream: &TokenStream) -> Macros {
    rules(stream)
        .filter_map(|(name, rules)| {
            let mut rules = rules.into_iter();
            let is_plain =
                matches!(rules.next(), Some(TokenTree::Group(group)) if group.stream().is_empty());
            let body = rules.nth(2).and_then(group)?;
            is_plain.then(|| (name, body.stream()))
        })
        .collect()
}

/// Returns every macro that is defined, with its rules.
fn rules(stream: &TokenStream) -> impl Iterator<Item = (String, TokenStream)> {
    let tokens: Vec<TokenTree> = stream.clone().into_iter().collect();
    let found = tokens.windows(4).filter_map(|four| {
        let [TokenTree::Ident(word), _, name, TokenTree::Group(rules)] = four else {
            return None;
        };
        (word == "macro_rules").then(|| (name.to_string(), rules.stream()))
    });
    found.collect::<Vec<_>>().into_iter()
}

/// Returns the codes that `code!` names.
fn codes(stream: &TokenStream) -> BTreeMap<String, String> {
    let (_, rules) = rules(stream).next().unwrap();
    let groups: Vec<Group> = rules.into_iter().filter_map(group).collect();
    let pairs = groups.chunks(2).map(|pair| {
        let code = pair[1].stream().into_iter().find_map(literal);
        (pair[0].stream().to_string(), code.unwrap())
    });
    pairs.collect()
}

fn group(token: TokenTree) -> Option<Group> {
    match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    }
}

fn literal(token: TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else {
        return None;
    };
    let text = syn::parse2::<syn::LitStr>(TokenTree::Literal(literal).into());
    text.ok().map(|text| text.value())
}

/// What texts are put together with.
struct Reading<'c> {
    macros: Macros,
    codes: &'c BTreeMap<String, String>,
}

impl Reading<'_> {
    /// Puts together what stands in a `concat!`; `None` where it holds something else.
    fn joined(&self, stream: TokenStream) -> Option<String> {
        let mut text = String::new();
        let mut tokens = stream.into_iter();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Literal(_) => text.push_str(&literal(token)?),
                TokenTree::Ident(name) => {
                    let arguments = tokens.nth(1).and_then(group)?.stream();
                    text.push_str(&self.expanded(&name.to_string(), arguments)?);
                }
                TokenTree::Punct(_) => {}
                TokenTree::Group(_) => return None,
            }
        }
        Some(text)
    }

    fn expanded(&self, name: &str, arguments: TokenStream) -> Option<String> {
        match name {
            "concat" => self.joined(arguments),
            "code" => self.codes.get(&arguments.to_string()).cloned(),
            name => self.joined(self.macros.get(name)?.clone()),
        }
    }
}

/// Adds the statements of a piece of source, those of its tests and macros left out, and pieces of
/// larger ones too.
fn collect(stream: TokenStream, reading: &Reading<'_>, texts: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let word = token.to_string();
        let next = || tokens.get(at + 2).cloned().and_then(group);
        let mut found = None;
        match token {
            TokenTree::Ident(_) if word == "macro_rules" => at += 3,
            TokenTree::Group(group) if is_test(group) => {
                // The module that it stands for.
                while tokens.get(at + 1).is_some_and(|token| !is_braces(token)) {
                    at += 1;
                }
                at += 1;
            }
            TokenTree::Ident(_) if word == "concat" => {
                found = next().and_then(|inner| reading.joined(inner.stream()));
                at += 2;
            }
            TokenTree::Group(group) => collect(group.stream(), reading, texts),
            token => found = literal(token.clone()),
        }
        let verbs = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "];
        texts.extend(found.filter(|text| {
            let is_piece = ["column1", " {} "].iter().any(|gap| text.contains(gap))
                || text.ends_with([' ', '(']);
            !is_piece && verbs.iter().any(|verb| text.starts_with(verb))
        }));
        at += 1;
    }
}

fn is_test(group: &Group) -> bool {
    group.delimiter() == Delimiter::Bracket
        && group.stream().to_string().replace(' ', "") == "cfg(test)"
}

fn is_braces(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

#[test]
fn texts_are_put_together_as_the_compiler_does() {
    let source = r#"
        macro_rules! columns { () => { "id, name" }; }
        fn get() { tx.query(concat!("SELECT ", columns!(), " FROM t WHERE s = ", code!(state Waiting)), &[]) }
        const GONE: &str = "DELETE FROM t \
            WHERE id = $1";
        const OTHER: &str = "Selected";
        #[cfg(test)]
        mod tests { const TEXT: &str = "SELECT 1"; }
    "#;
    let stream: TokenStream = source.parse().unwrap();
    let codes = iter::once(("state Waiting".to_owned(), "10".to_owned())).collect();
    let macros = macros(&stream);
    let mut texts = Vec::new();
    collect(
        stream,
        &Reading {
            macros,
            codes: &codes,
        },
        &mut texts,
    );
    assert_eq!(
        texts,
        [
            "SELECT id, name FROM t WHERE s = 10",
            "DELETE FROM t WHERE id = $1"
        ]
    );
}
