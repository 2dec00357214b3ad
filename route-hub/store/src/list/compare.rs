//! How a column is compared with what is asked for.

use super::{Op, Operand};
use crate::variables::{INDEXED_CHARS, indexed};
use hub_domain::fold;
use postrider_model::Key;
use sea_query::{Cond, Expr, ExprTrait};

/// Whole seconds, in milliseconds.
pub(super) const SECOND_MS: i64 = 1_000;

/// Compares the text of a variable in a table of variables, whose index holds its beginning.
///
/// That is followed only where it is the path: otherwise an engine without statistics may look through all that
/// it holds, for each row anew.
pub(super) fn compare_variable(table: &str, is_path: bool, op: Op, operand: &Operand) -> Cond {
    let beginning = format!("substr({table}.value, 1, 300)");
    let beginning = Expr::cust(if is_path {
        beginning
    } else {
        format!("({beginning} || '')")
    });
    let text = fold(&text_of(operand));
    let start = indexed(&text).to_owned();
    match (op, text.as_str()) {
        // A truth value is written in two ways: what asks for one of them finds both.
        (Op::Eq, "1") => Cond::all().add(beginning.is_in(["1", "true"])),
        (Op::Eq, "0") => Cond::all().add(beginning.is_in(["0", "false"])),
        (Op::Eq, _) if text.len() >= INDEXED_CHARS => {
            let whole = Expr::cust(format!("{table}.value"));
            Cond::all().add(beginning.eq(start)).add(whole.eq(text))
        }
        _ => compare_text(beginning, op, start),
    }
}

pub(super) fn text_of(operand: &Operand) -> String {
    match operand {
        Operand::Text(text) => text.clone(),
        Operand::Int(value) => value.to_string(),
        Operand::Real(value) => value.to_string(),
        Operand::Flag(flag) => flag.to_string(),
    }
}

/// Escapes what `LIKE` would take for a wildcard.
pub(super) fn escaped(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    for c in word.chars() {
        if matches!(c, '%' | '_' | '!') {
            text.push('!');
        }
        text.push(c);
    }
    text
}

pub(super) fn compare_real(expr: Expr, op: Op, value: f64) -> Cond {
    let all = Cond::all();
    // The column may hold whole numbers.
    let value = Expr::val(value).cast_as("double precision");
    match op {
        Op::Eq | Op::Prefix => all.add(expr.eq(value)),
        Op::Ne | Op::NotPrefix => Cond::any().add(expr.clone().ne(value)).add(expr.is_null()),
        Op::Gte | Op::Min => all.add(expr.gte(value)),
        Op::Gt => all.add(expr.gt(value)),
        Op::Lt | Op::Max => all.add(expr.lt(value)),
        Op::Lte => all.add(expr.lte(value)),
        // Dealt with before.
        Op::Exists | Op::Null => all,
    }
}

pub(super) fn compare_time_made(expr: Expr, id: Expr, op: Op, second: i64) -> Cond {
    let next = second.saturating_add(SECOND_MS);
    let compared = compare_span(expr, op, second, next);
    let earliest = match op {
        Op::Eq | Op::Gte | Op::Min => second,
        Op::Gt => next,
        Op::Ne
        | Op::Prefix
        | Op::NotPrefix
        | Op::Exists
        | Op::Null
        | Op::Lt
        | Op::Lte
        | Op::Max => {
            return compared;
        }
    };
    compared.add(id.gte(Key::first_of_ms(earliest).get()))
}

pub(super) fn is_true(operand: &Operand) -> bool {
    match operand {
        Operand::Flag(flag) => *flag,
        Operand::Int(value) => *value != 0,
        Operand::Real(value) => *value != 0.0,
        Operand::Text(text) => !text.is_empty(),
    }
}

pub(super) fn presence(expr: Expr, present: bool) -> Cond {
    Cond::all().add(if present {
        expr.is_not_null()
    } else {
        expr.is_null()
    })
}

pub(super) fn compare_int(expr: Expr, op: Op, value: i64) -> Cond {
    compare_span(expr, op, value, value.saturating_add(1))
}

/// Compares with a span of whole numbers that stands for one value: from `start` to before `end`.
pub(super) fn compare_span(expr: Expr, op: Op, start: i64, end: i64) -> Cond {
    let one = end == start.saturating_add(1);
    let all = Cond::all();
    match op {
        Op::Eq | Op::Prefix if one => all.add(expr.eq(start)),
        Op::Eq | Op::Prefix => all.add(expr.clone().gte(start)).add(expr.lt(end)),
        Op::Ne | Op::NotPrefix => Cond::any()
            .add(expr.clone().lt(start))
            .add(expr.clone().gte(end))
            .add(expr.is_null()),
        Op::Gte | Op::Min => all.add(expr.gte(start)),
        Op::Gt => all.add(expr.gte(end)),
        Op::Lt | Op::Max => all.add(expr.lt(start)),
        Op::Lte => all.add(expr.lt(end)),
        // Dealt with before.
        Op::Exists | Op::Null => all,
    }
}

pub(super) fn compare_text(expr: Expr, op: Op, text: String) -> Cond {
    let all = Cond::all();
    match op {
        Op::Eq => all.add(expr.eq(text)),
        Op::Ne => Cond::any().add(expr.clone().ne(text)).add(expr.is_null()),
        Op::Prefix => match after_prefix(&text) {
            Some(end) => all.add(expr.clone().gte(text)).add(expr.lt(end)),
            None => all.add(expr.gte(text)),
        },
        Op::NotPrefix => {
            let below = Cond::any().add(expr.clone().is_null());
            let below = below.add(expr.clone().lt(text.clone()));
            match after_prefix(&text) {
                Some(end) => below.add(expr.gte(end)),
                None => below,
            }
        }
        Op::Gte | Op::Min => all.add(expr.gte(text)),
        Op::Gt => all.add(expr.gt(text)),
        Op::Lt | Op::Max => all.add(expr.lt(text)),
        Op::Lte => all.add(expr.lte(text)),
        Op::Exists | Op::Null => all,
    }
}

/// Returns the lowest text above all that begin with `prefix`, in the order of their bytes.
///
/// `None` when there is none: the prefix is empty or of the highest characters alone.
fn after_prefix(prefix: &str) -> Option<String> {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        let next = match last {
            '\u{d7ff}' => Some('\u{e000}'),
            other => char::from_u32(u32::from(other) + 1),
        };
        if let Some(next) = next {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix_is_above_all_that_begin_with_it() {
        assert_eq!(after_prefix("ab").as_deref(), Some("ac"));
        assert_eq!(after_prefix("a\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(after_prefix("\u{d7ff}").as_deref(), Some("\u{e000}"));
        assert_eq!(after_prefix(""), None);
        assert_eq!(after_prefix("\u{10ffff}"), None);
    }
}
