//! The ways to a list's rows.

/// The way to a list's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Path {
    /// Through all of the scope's rows, in the list's order.
    Walk,
    /// Along the index of this filter's column.
    Column(usize),
    /// Along the pairs or variables of this filter.
    Rows(usize),
}
