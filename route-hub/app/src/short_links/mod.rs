//! Short links: where they lead, what a click does, and the domains that they may be at.

pub mod domains;
pub mod follow;

#[cfg(test)]
mod tests;
