//! How much of some kinds a project may have; the operator's settings.
//!
//! What is there already stays when a cap is lowered.

/// Caps for each project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Webhook objects.
    pub webhooks: u64,
    /// Events that wait for their delivery.
    pub webhooks_waiting: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            webhooks: 100,
            webhooks_waiting: 1_000_000,
        }
    }
}
