//! Scenarios through the agent's surface alone; time jumps from deadline to deadline.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test stops the test where it cannot go on"
)]

mod clock;
mod disk;
mod inbound;
mod life;
mod link;
mod pace;
mod property;
mod recovery;
mod results;
mod twins;
mod world;
