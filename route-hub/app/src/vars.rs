//! Custom variables of what people change.

use hub_domain::{Vars, VarsChange};
use hub_view::Refusal;

/// Applies a change of custom variables; an object may have at most a hundred.
pub(crate) fn apply(vars: &mut Vars, change: &VarsChange) -> Result<(), Refusal> {
    vars.apply(change.clone()).map_err(|invalid| {
        Refusal::invalid_param("vars", format_args!("cannot be taken: {invalid}"))
    })
}
