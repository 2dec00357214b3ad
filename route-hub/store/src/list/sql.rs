//! The statement of a list.

use super::marker::{Marker, SortValue};
use super::{Column, Filter, Kind, ListQuery, Op, Operand, Scope, Sort, Table};
use crate::Value;
use hub_domain::fold;
use postrider_model::Key;
use sea_query::{
    Cond, Expr, ExprTrait, NullOrdering, Order, PostgresQueryBuilder, Query, SelectStatement,
};
use std::borrow::Cow;

/// Whole seconds, in milliseconds.
const SECOND_MS: i64 = 1_000;

/// A statement with its values.
pub(super) struct Statement {
    pub(super) text: String,
    values: Vec<Value<'static>>,
}

impl Statement {
    fn of(select: &SelectStatement) -> Self {
        let (text, values) = select.build(PostgresQueryBuilder);
        let values = values.0.into_iter().map(convert).collect();
        Self { text, values }
    }

    pub(super) fn values(&self) -> &[Value<'static>] {
        &self.values
    }
}

/// Only these are ever put into a statement.
fn convert(value: sea_query::Value) -> Value<'static> {
    match value {
        sea_query::Value::BigInt(Some(value)) => Value::Int(value),
        sea_query::Value::BigUnsigned(Some(value)) => Value::from(value),
        sea_query::Value::String(Some(text)) => Value::Text(Cow::Owned(text)),
        _ => Value::Null,
    }
}

/// Builds a page: its rows, one more, and behind the columns the place of each.
pub(super) fn page<T>(table: &Table<T>, scope: &[Scope], query: &ListQuery) -> Statement {
    let mut select = Query::select();
    select
        .expr(Expr::cust(table.columns))
        .expr(Expr::cust("id"));
    if let Some(column) = query.sort.column {
        select.expr(Expr::cust(column.name));
    }
    select.from(table.name);
    let order = if query.descending {
        Order::Desc
    } else {
        Order::Asc
    };
    if let Some(column) = query.sort.column {
        // What has no value is below everything that has one.
        let nulls = if query.descending {
            NullOrdering::Last
        } else {
            NullOrdering::First
        };
        select.order_by_expr_with_nulls(Expr::cust(column.name), order.clone(), nulls);
    }
    select.order_by_expr(Expr::cust("id"), order);
    select.cond_where(conditions(table, scope, query));
    if let Some(marker) = &query.marker {
        select.cond_where(beyond(marker, query.sort, query.descending));
    }
    select.limit(u64::from(query.page_size) + 1);
    if query.offset > 0 {
        select.offset(u64::from(query.offset));
    }
    Statement::of(&select)
}

/// Builds a count of everything that the filters let through.
pub(super) fn count<T>(table: &Table<T>, scope: &[Scope], query: &ListQuery) -> Statement {
    let mut select = Query::select();
    select
        .expr(Expr::cust("count(*)"))
        .from(table.name)
        .cond_where(conditions(table, scope, query));
    Statement::of(&select)
}

fn conditions<T>(table: &Table<T>, scope: &[Scope], query: &ListQuery) -> Cond {
    let driven = (table.drive)(&query.filters);
    let mut all = Cond::all();
    for scope in scope {
        let column = Column::new(scope.column, Kind::Int);
        all = all.add(left(column, driven).eq(scope.key));
    }
    if let Some(visible) = table.visible {
        all = all.add(Expr::cust(visible));
    }
    for filter in &query.filters {
        if let Filter::Compare {
            column,
            op,
            operand,
        } = filter
        {
            all = all.add(compare(*column, *op, operand, driven));
        }
    }
    all
}

/// Names a column; a `+` before a number keeps its indexes out of the engine's choice.
fn left(column: Column, driven: &[&str]) -> Expr {
    let plain = column.kind != Kind::Int || driven.is_empty() || driven.contains(&column.name);
    if plain {
        Expr::cust(column.name)
    } else {
        Expr::cust(format!("+{}", column.name))
    }
}

fn compare(column: Column, op: Op, operand: &Operand, driven: &[&str]) -> Cond {
    let expr = left(column, driven);
    match (op, operand) {
        (Op::Exists, operand) => presence(expr, is_true(operand)),
        (Op::Null, operand) => presence(expr, !is_true(operand)),
        (_, Operand::Text(text)) if column.kind == Kind::Folded => {
            compare_text(expr, op, fold(text))
        }
        (_, Operand::Text(text)) => compare_text(expr, op, text.clone()),
        (_, Operand::Flag(flag)) => compare_int(expr, op, i64::from(*flag)),
        (_, Operand::Int(value)) => match column.kind {
            Kind::Time => compare_span(expr, op, *value, value.saturating_add(SECOND_MS)),
            Kind::TimeMade => compare_time_made(expr, op, *value),
            Kind::Text | Kind::Folded | Kind::Int | Kind::Flag => compare_int(expr, op, *value),
        },
    }
}

fn compare_time_made(expr: Expr, op: Op, second: i64) -> Cond {
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
    compared.add(Expr::cust("id").gte(Key::first_of_ms(earliest).get()))
}

fn is_true(operand: &Operand) -> bool {
    match operand {
        Operand::Flag(flag) => *flag,
        Operand::Int(value) => *value != 0,
        Operand::Text(text) => !text.is_empty(),
    }
}

fn presence(expr: Expr, present: bool) -> Cond {
    Cond::all().add(if present {
        expr.is_not_null()
    } else {
        expr.is_null()
    })
}

fn compare_int(expr: Expr, op: Op, value: i64) -> Cond {
    compare_span(expr, op, value, value.saturating_add(1))
}

/// Compares with a span of whole numbers that stands for one value: from `start` to before `end`.
fn compare_span(expr: Expr, op: Op, start: i64, end: i64) -> Cond {
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

fn compare_text(expr: Expr, op: Op, text: String) -> Cond {
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

/// The rows that follow a marker in the order.
fn beyond(marker: &Marker, sort: Sort, descending: bool) -> Cond {
    let id = Expr::cust("id");
    let Some(column) = sort.column else {
        return Cond::all().add(further(id, marker.id, descending));
    };
    let expr = Expr::cust(column.name);
    let value: sea_query::Value = match &marker.value {
        SortValue::Int(value) => (*value).into(),
        SortValue::Text(text) => text.clone().into(),
        SortValue::Null => {
            let rest = Cond::all()
                .add(expr.clone().is_null())
                .add(further(id, marker.id, descending));
            return if descending {
                rest
            } else {
                Cond::any().add(rest).add(expr.is_not_null())
            };
        }
    };
    let place = Expr::tuple([expr.clone(), id]);
    let last = Expr::tuple([Expr::val(value), Expr::val(marker.id)]);
    if descending {
        Cond::any().add(place.lt(last)).add(expr.is_null())
    } else {
        Cond::all().add(place.gt(last))
    }
}

fn further(id: Expr, last: i64, descending: bool) -> Expr {
    if descending { id.lt(last) } else { id.gt(last) }
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
