//! Conditions that people wrote down, as filters of a list.

use crate::list::{Column, Filter, Op, Operand};
use hub_domain::{Compare, Comparison, Term};

/// What a condition compares, to a list.
pub(crate) enum Compared<'s> {
    Column(Column),
    /// A custom variable, by its name.
    Variable(&'s str),
}

/// Returns what a condition is to a list; `compared` says what its subject is there.
pub(crate) fn filter<S>(
    comparison: &Comparison<S>,
    compared: impl FnOnce(&S) -> Compared<'_>,
) -> Filter {
    let (op, operand) = (op(comparison.compare), operand(&comparison.term));
    match compared(&comparison.subject) {
        Compared::Column(column) => Filter::new(column, op, operand),
        Compared::Variable(name) => Filter::Variable {
            name: name.to_owned(),
            op,
            operand,
        },
    }
}

fn op(compare: Compare) -> Op {
    match compare {
        Compare::Eq => Op::Eq,
        Compare::Ne => Op::Ne,
        Compare::Prefix => Op::Prefix,
        Compare::Gte => Op::Gte,
        Compare::Lt => Op::Lt,
        Compare::Gt => Op::Gt,
        Compare::Lte => Op::Lte,
        Compare::Exists => Op::Exists,
        Compare::NotExists => Op::Null,
    }
}

fn operand(term: &Term) -> Operand {
    match term {
        Term::Text(text) => Operand::Text(text.clone()),
        Term::Number(number) => Operand::Real(*number),
        Term::Whole(number) => Operand::Int(*number),
        Term::Time(time) => Operand::Int(time.0),
        Term::Flag(flag) => Operand::Flag(*flag),
    }
}
