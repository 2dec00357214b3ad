//! Switch points for deliberate mistakes, as in `postrider-link`; none of them ships.

#[cfg(not(feature = "mutants"))]
pub(crate) const fn is(_name: &str) -> bool {
    false
}

#[cfg(feature = "mutants")]
pub(crate) use postrider_link::mutant::is;
