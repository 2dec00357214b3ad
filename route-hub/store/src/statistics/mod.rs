//! Counters of messages, by quarter hours of UTC.
//!
//! Every change of a message is counted in its transaction: a new message is added, a changed one is
//! taken from the counter where it was and added to where it is now. What the jobs of a commit group
//! count is merged, so each counter is written once (`Counts`). Counters only ever add up: messages
//! that are deleted stay in them.

mod backlog;
mod contacts;
mod days;
mod links;
mod sums;
mod written;

pub(crate) use backlog::{counted_up_to, is_counted, range, uncounted_until};
pub use backlog::{is_uncounted, uncounted};
pub use contacts::{contacts_made, members_joined};
pub use days::{Span, add_up, added_up, first_counted};
pub(crate) use links::forget;
pub use links::{count_links, of_links};
pub use sums::{of_days, of_quarters};

use crate::{StoreError, Tx};
use hub_domain::{Counted, Message};

/// Counts a new message.
pub(crate) fn count(tx: &mut Tx<'_>, message: &Message) {
    let counted = Counted::of(message);
    tx.counts().add(counted.by, counted.amounts);
}

/// Counts a message that has changed; `before` is what it was counted as.
pub fn recount(tx: &mut Tx<'_>, before: &Counted, message: &Message) -> Result<(), StoreError> {
    let after = Counted::of(message);
    if *before != after && is_counted(tx, message)? {
        links::recount(tx, before, &after, message)?;
        tx.counts().add(before.by.clone(), -before.amounts);
        tx.counts().add(after.by, after.amounts);
    }
    Ok(())
}
