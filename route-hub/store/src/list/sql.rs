//! The statement of a list.

use super::compare::{
    SECOND_MS, compare_int, compare_real, compare_span, compare_text, compare_time_made,
    compare_variable, escaped, is_true, presence,
};
use super::marker::{Marker, SortValue};
use super::way::Path;
use super::{Column, Filter, Index, Kind, ListQuery, Op, Operand, Other, Scope, Table, Variables};
use crate::Value;
use hub_domain::{Address, fold, numbers};
use sea_query::{
    Cond, Expr, ExprTrait, Func, LikeExpr, NullOrdering, Order, PostgresQueryBuilder, Query,
    SelectStatement,
};
use std::borrow::Cow;

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
        sea_query::Value::Double(Some(value)) => Value::Real(value),
        sea_query::Value::String(Some(text)) => Value::Text(Cow::Owned(text)),
        _ => Value::Null,
    }
}

/// Builds a page: its rows, one more, and behind the columns the place of each.
pub(super) fn page<T>(
    table: &Table<T>,
    scope: &[Scope],
    query: &ListQuery,
    path: Path,
) -> Statement {
    let building = Building::new(table, scope, query, path);
    let mut select = building.rows();
    for column in table.columns.split(',') {
        select.expr(building.column(column.trim()));
    }
    if let Some(computed) = table.computed {
        select.expr(Expr::cust(computed));
    }
    select.expr(building.id());
    if let Some(column) = query.sort.column {
        select.expr(building.column(column.name));
    }
    let order = direction(query);
    if let Some(column) = query.sort.column {
        let expr = building.column(column.name);
        // What has no value is below everything that has one.
        match (column.can_be_null, query.descending) {
            (false, _) => select.order_by_expr(expr, order.clone()),
            (true, true) => select.order_by_expr_with_nulls(expr, Order::Desc, NullOrdering::Last),
            (true, false) => select.order_by_expr_with_nulls(expr, Order::Asc, NullOrdering::First),
        };
    }
    select.order_by_expr(building.id(), order);
    if let Some(marker) = &query.marker {
        select.cond_where(building.beyond(marker));
    }
    select.limit(u64::from(query.page_size));
    if query.offset > 0 {
        select.offset(u64::from(query.offset));
    }
    Statement::of(&select)
}

/// Builds a count of everything that the filters let through.
pub(super) fn count<T>(
    table: &Table<T>,
    scope: &[Scope],
    query: &ListQuery,
    path: Path,
) -> Statement {
    let mut select = Building::new(table, scope, query, path).rows();
    select.expr(Expr::cust("count(*)"));
    Statement::of(&select)
}

/// Builds a count of the same by a column's whole multiples of `length`.
pub(super) fn count_by<T>(
    table: &Table<T>,
    scope: &[Scope],
    query: &ListQuery,
    path: Path,
    column: Column,
    length: i64,
) -> Statement {
    let building = Building::new(table, scope, query, path);
    let span = building.column(column.name).div(length);
    let mut select = building.rows();
    select
        .expr_as(span, "span")
        .expr(Expr::cust("count(*)"))
        .group_by_col("span");
    Statement::of(&select)
}

/// Builds a count of what the filter of a path lets through by itself, up to `most`. Where it is in
/// the order of ids, the count is of the list's first, and the last of their ids is beside it.
pub(super) fn probe<T>(
    table: &Table<T>,
    scope: &[Scope],
    query: &ListQuery,
    path: Path,
    ordered: bool,
    most: u32,
) -> Statement {
    let building = Building::new(table, scope, query, path);
    let mut some = building.entries();
    some.expr_as(building.id(), "id").limit(u64::from(most));
    if ordered {
        some.order_by_expr(building.id(), direction(query));
    }
    let last = if query.descending { "min" } else { "max" };
    let mut select = Query::select();
    select
        .expr(Expr::cust("count(*)"))
        .expr(Expr::cust(format!("{last}(counted.id)")))
        .from_subquery(some, "counted");
    Statement::of(&select)
}

fn direction(query: &ListQuery) -> Order {
    if query.descending {
        Order::Desc
    } else {
        Order::Asc
    }
}

/// A statement in the making.
struct Building<'a, T> {
    table: &'a Table<T>,
    scope: &'a [Scope],
    query: &'a ListQuery,
    path: Path,
}

impl<'a, T> Building<'a, T> {
    fn new(table: &'a Table<T>, scope: &'a [Scope], query: &'a ListQuery, path: Path) -> Self {
        Self {
            table,
            scope,
            query,
            path,
        }
    }

    /// Names a column of the listed table.
    fn column(&self, name: &str) -> Expr {
        Expr::cust(format!("{}.{name}", self.table.name))
    }

    /// Names a column of the listed table; as an expression where its indexes are to stay out of the
    /// engine's choice, so that it follows the path.
    fn compared(&self, column: Column) -> Expr {
        let Column { name, kind, of, .. } = column;
        if let Some(Other { table, on }) = of {
            let listed = self.table.name;
            return Expr::cust(format!(
                "(SELECT {table}.{name} FROM {table} WHERE {table}.id = {listed}.{on} \
                 AND {table}.project_id = {listed}.project_id)"
            ));
        }
        let is_indexed = |index: &Index| index.column == name;
        if !self.table.indexes.iter().any(is_indexed) || self.followed_column() == Some(name) {
            return self.column(name);
        }
        match kind {
            Kind::Text | Kind::Address | Kind::Number { .. } | Kind::Folded => {
                aside_text(self.table.name, name)
            }
            Kind::Int | Kind::Flag | Kind::Time | Kind::TimeMade => {
                aside_int(self.table.name, name)
            }
        }
    }

    fn followed_column(&self) -> Option<&'static str> {
        match self.path {
            Path::Column(at) => match &self.query.filters[at] {
                Filter::Compare { column, .. } => Some(column.name),
                _ => None,
            },
            Path::Walk | Path::Rows(_) => None,
        }
    }

    /// The id by which rows are ordered: that of the pairs where they are what is followed.
    fn id(&self) -> Expr {
        match self.followed_rows() {
            Some(rows) if rows.on == "id" => rows.column(rows.row),
            _ => self.column("id"),
        }
    }

    fn followed_rows(&self) -> Option<Rows> {
        match self.path {
            Path::Rows(at) => self.rows_of(&self.query.filters[at]),
            Path::Walk | Path::Column(_) => None,
        }
    }

    fn rows_of(&self, filter: &Filter) -> Option<Rows> {
        match filter {
            Filter::Linked { link, .. } => Some(Rows {
                table: link.table,
                row: link.held,
                on: link.on,
            }),
            Filter::Variable { .. } => self.table.variables.map(|variables| Rows {
                table: variables.table,
                row: variables.row,
                on: "id",
            }),
            _ => None,
        }
    }

    /// Selects what all conditions let through, without saying which columns.
    fn rows(&self) -> SelectStatement {
        let mut select = self.followed();
        let followed = match self.path {
            Path::Column(at) | Path::Rows(at) => Some(at),
            Path::Walk => None,
        };
        for (at, filter) in self.query.filters.iter().enumerate() {
            if Some(at) != followed {
                select.cond_where(self.condition(filter));
            }
        }
        select
    }

    /// Selects what is counted of a path: pairs and variables by themselves, since the rows that they
    /// are of lie far apart, unless one of them stands for many rows.
    fn entries(&self) -> SelectStatement {
        match (self.followed_rows(), self.path) {
            (Some(rows), Path::Rows(at)) if rows.on == "id" => {
                let mut select = Query::select();
                select.from(rows.table);
                select.cond_where(self.row_condition(&self.query.filters[at], rows.table, true));
                select
            }
            _ => self.followed(),
        }
    }

    /// Selects what the path alone leads to within the scope.
    fn followed(&self) -> SelectStatement {
        let mut select = Query::select();
        let rows = self.followed_rows();
        if let Some(rows) = rows {
            select.from(rows.table);
        }
        select.from(self.table.name);
        let scoped = match self.path {
            Path::Walk => true,
            Path::Rows(_) => false,
            Path::Column(_) => {
                let name = self.followed_column();
                let mut indexes = self.table.indexes.iter();
                indexes.any(|index| Some(index.column) == name && index.scoped)
            }
        };
        for scope in self.scope {
            let column = if scoped {
                self.column(scope.column)
            } else {
                aside_int(self.table.name, scope.column)
            };
            select.and_where(column.eq(scope.key));
        }
        if let Some(hidden) = self.table.hidden {
            // Only the index of the walk holds no hidden rows.
            let hidden = match self.path {
                Path::Walk => self.column(hidden),
                Path::Column(_) | Path::Rows(_) => aside_int(self.table.name, hidden),
            };
            select.and_where(hidden.eq(Expr::cust("0")));
        }
        match (rows, self.path) {
            (Some(rows), Path::Rows(at)) => {
                let filter = &self.query.filters[at];
                // As an expression it keeps the engine from coming the other way.
                let pair = aside_int(rows.table, rows.row);
                select.and_where(self.column(rows.on).eq(pair));
                select.cond_where(self.row_condition(filter, rows.table, true));
            }
            (_, Path::Column(at)) => {
                select.cond_where(self.condition(&self.query.filters[at]));
            }
            _ => {}
        }
        select
    }

    fn condition(&self, filter: &Filter) -> Cond {
        match filter {
            Filter::Compare {
                column,
                op,
                operand,
            } => self.compare(*column, *op, operand),
            Filter::Variable { op, .. } => {
                let any = self.any_row(filter);
                let wanted = !matches!(op, Op::Ne | Op::NotPrefix) && !self.wants_none(filter);
                any.map_or_else(nothing, |any| wanted_or_not(any, wanted))
            }
            Filter::Linked { wanted, .. } => {
                let any = self.any_row(filter);
                any.map_or_else(nothing, |any| wanted_or_not(any, *wanted))
            }
            Filter::Words(words) => {
                let each = words.iter().map(|word| self.word(word));
                each.fold(Cond::all(), Cond::add)
            }
            Filter::Ids(ids) => Cond::all().add(self.column("id").is_in(ids.iter().copied())),
            Filter::Nothing => nothing(),
        }
    }

    /// Says whether a condition on a variable is met by its absence alone.
    fn wants_none(&self, filter: &Filter) -> bool {
        match filter {
            Filter::Variable {
                op: Op::Exists,
                operand,
                ..
            } => !is_true(operand),
            Filter::Variable {
                op: Op::Null,
                operand,
                ..
            } => is_true(operand),
            _ => false,
        }
    }

    /// Selects the pairs or variables of one listed row that meet a condition. They have a name of
    /// their own: those that are followed may be of the same table, and are asked for the row's id so
    /// that only a row that is wanted is fetched.
    fn any_row(&self, filter: &Filter) -> Option<SelectStatement> {
        const ASKED: &str = "asked";
        let rows = self.rows_of(filter)?;
        let row = match rows.on {
            "id" => self.id(),
            on => self.column(on),
        };
        let mut select = Query::select();
        select
            .expr(Expr::cust("1"))
            .from_as(rows.table, ASKED)
            .and_where(Expr::cust(format!("{ASKED}.{}", rows.row)).eq(row))
            .cond_where(self.row_condition(filter, ASKED, false))
            .limit(1);
        Some(select)
    }

    /// What a pair or a variable of a table, by the name it has here, must be, without saying of which
    /// row: as the path along its index, or of a row that is found by itself.
    fn row_condition(&self, filter: &Filter, table: &str, is_path: bool) -> Cond {
        match (filter, self.table.variables) {
            (Filter::Linked { link, holder, .. }, _) => {
                let column = Expr::cust(format!("{table}.{}", link.holder));
                Cond::all().add(column.eq(*holder))
            }
            (Filter::Variable { name, op, operand }, Some(variables)) => {
                let column = |column| Expr::cust(format!("{table}.{column}"));
                let field = column("field_id").eq(self.field(variables, name));
                let compared = match (op, operand) {
                    (Op::Exists | Op::Null, _) => Cond::all(),
                    (_, Operand::Real(number)) => {
                        let own = if is_path {
                            column("number")
                        } else {
                            aside_int(table, "number")
                        };
                        compare_real(own, positive(*op), *number)
                    }
                    (_, operand) => compare_variable(table, is_path, positive(*op), operand),
                };
                Cond::all().add(field).add(compared)
            }
            _ => nothing(),
        }
    }

    /// The id of a variable's field: no other variable's rows are looked at.
    fn field(&self, variables: Variables, name: &str) -> Expr {
        let project = self.scope.iter().find(|scope| scope.column == "project_id");
        let mut select = Query::select();
        select
            .expr(Expr::cust("fields.id"))
            .from("fields")
            .and_where(Expr::cust("fields.project_id").eq(project.map_or(0, |scope| scope.key)))
            .and_where(Expr::cust("fields.owner").eq(variables.owner))
            .and_where(Expr::cust("fields.variable").eq(name))
            .and_where(Expr::cust("fields.clearing = 0"));
        Expr::SubQuery(None, Box::new(select.into()))
    }

    fn word(&self, word: &str) -> Cond {
        let pattern = format!("%{}%", escaped(&fold(word)));
        let like = |column: Expr| column.like(LikeExpr::new(pattern.clone()).escape('!'));
        let mut any = Cond::any();
        for column in self.table.searched {
            any = any.add(like(lower(self.column(column))));
        }
        let Some(variables) = self.table.variables else {
            return any;
        };
        let mut select = Query::select();
        let row = Expr::cust(format!("{}.{}", variables.table, variables.row));
        select
            .expr(Expr::cust("1"))
            .from(variables.table)
            .and_where(row.eq(self.column("id")))
            .and_where(like(Expr::cust(format!("{}.value", variables.table))));
        any.add(Expr::exists(select))
    }

    fn compare(&self, column: Column, op: Op, operand: &Operand) -> Cond {
        let expr = self.compared(column);
        match (op, operand) {
            (Op::Exists, operand) => presence(expr, is_true(operand)),
            (Op::Null, operand) => presence(expr, !is_true(operand)),
            (op, Operand::Text(text)) => match column.kind {
                Kind::Folded => compare_text(expr, op, fold(text)),
                Kind::Number { tail } if op == Op::Eq => self.is_number(column.name, tail, text),
                Kind::Address | Kind::Number { .. } => {
                    compare_text(lower(expr), op, text.to_ascii_lowercase())
                }
                _ => compare_text(expr, op, text.clone()),
            },
            (_, Operand::Flag(flag)) => compare_int(expr, op, i64::from(*flag)),
            (_, Operand::Real(number)) => compare_real(expr, op, *number),
            (_, Operand::Int(value)) => match column.kind {
                Kind::Time => compare_span(expr, op, *value, value.saturating_add(SECOND_MS)),
                Kind::TimeMade => compare_time_made(expr, self.id(), op, *value),
                Kind::Text
                | Kind::Address
                | Kind::Number { .. }
                | Kind::Folded
                | Kind::Int
                | Kind::Flag => compare_int(expr, op, *value),
            },
        }
    }

    fn is_number(&self, name: &str, tail: &str, text: &str) -> Cond {
        let is_followed = self.followed_column() == Some(name);
        let Some(number) = Address::new(text) else {
            return nothing();
        };
        let tails = if is_followed {
            self.column(tail)
        } else {
            aside_text(self.table.name, tail)
        };
        Cond::all()
            .add(tails.eq(numbers::tail(&number).into_owned()))
            .add(lower(self.column(name)).eq(number.as_str().to_ascii_lowercase()))
    }

    /// The rows that follow a marker in the order.
    fn beyond(&self, marker: &Marker) -> Cond {
        let descending = self.query.descending;
        let id = self.id();
        let Some(column) = self.query.sort.column else {
            return Cond::all().add(further(id, marker.id, descending));
        };
        let expr = self.column(column.name);
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
        match (descending, column.can_be_null) {
            (true, true) => Cond::any().add(place.lt(last)).add(expr.is_null()),
            (true, false) => Cond::all().add(place.lt(last)),
            (false, _) => Cond::all().add(place.gt(last)),
        }
    }
}

/// Rows of another table that lead to listed ones.
#[derive(Clone, Copy)]
struct Rows {
    table: &'static str,
    row: &'static str,
    on: &'static str,
}

impl Rows {
    fn column(self, name: &str) -> Expr {
        Expr::cust(format!("{}.{name}", self.table))
    }
}

/// Names a column of numbers in a way that no index answers.
fn aside_int(table: &str, column: &str) -> Expr {
    Expr::cust(format!("({table}.{column} + 0)"))
}

/// Names a column of texts in a way that no index answers.
fn aside_text(table: &str, column: &str) -> Expr {
    Expr::cust(format!("({table}.{column} || '')"))
}

/// Both engines make lower case of A to Z alone.
fn lower(text: Expr) -> Expr {
    Func::lower(text).into()
}

fn nothing() -> Cond {
    Cond::all().add(Expr::cust("1 = 0"))
}

/// Says whether there is such a row. Not by `EXISTS`, which an engine may make a join of: that
/// would leave the path.
fn wanted_or_not(any: SelectStatement, wanted: bool) -> Cond {
    let found = Expr::SubQuery(None, Box::new(any.into()));
    Cond::all().add(if wanted {
        found.is_not_null()
    } else {
        found.is_null()
    })
}

/// The comparison that a row must meet for a condition to hold, or not to hold.
fn positive(op: Op) -> Op {
    match op {
        Op::Ne => Op::Eq,
        Op::NotPrefix => Op::Prefix,
        op => op,
    }
}

fn further(id: Expr, last: i64, descending: bool) -> Expr {
    if descending { id.lt(last) } else { id.gt(last) }
}
