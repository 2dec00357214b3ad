//! Statistics: what is counted, and how what was counted is asked for.

mod asked;
mod counted;
mod intervals;
mod linked;

pub use asked::{CountFilters, Metric, Property};
pub use counted::{Amounts, Counted, CountedBy, Quarter};
pub use intervals::{Interval, Rollup, intervals};
pub use linked::{CountedLink, destinations_of_day};
