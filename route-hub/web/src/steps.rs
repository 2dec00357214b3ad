//! How much work reading a request was, in steps that no clock is needed for.

/// Steps of reading: one for each byte, and for each look into a list or object as many as the
/// comparisons that a search among its names takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Steps(u64);

impl Steps {
    /// Counts bytes that were gone through.
    pub(crate) fn bytes(&mut self, count: usize) {
        self.0 += count as u64;
    }

    /// Counts a look for one of `among` names.
    pub(crate) fn look(&mut self, among: usize) {
        self.0 += u64::from((among + 1).ilog2()) + 1;
    }

    /// Returns how many there were.
    pub(crate) fn count(self) -> u64 {
        self.0
    }
}
