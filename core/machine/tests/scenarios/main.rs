//! Scenarios through the agent's interface only; time jumps from deadline to deadline.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test stops the test where it cannot go on"
)]

mod asleep;
mod calls;
mod clock;
mod data;
#[expect(dead_code, unreachable_pub, reason = "the simulation asks more of it")]
#[path = "../../../../tests/simulation/src/journal/memory.rs"]
mod disk;
mod ended_on_disk;
mod health;
mod inbound;
mod lifecycle;
mod link;
mod logs;
mod pace;
mod permits;
mod property;
mod quiet;
mod reasons;
mod recovery;
mod reports;
mod restored;
mod results;
mod scan;
mod sims;
mod slots;
mod told;
mod trial;
mod twins;
mod unpair;
mod ussd;
mod words;
mod world;
