//! The machines, with their journal if that is built in.

use postrider_link::{codec, frame::SimInfo};
use postrider_machine::{Agent, AgentConfig, BootId, Condition, PaceLimits, RadioFact, WaitChoice};
use postrider_model::{DeviceId, Key, Now};
use std::error::Error;

/// Treats every word as a frame of the hub.
pub(crate) fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    #[cfg(feature = "journal")]
    let (mut journal, snapshot) = postrider_store::Journal::open(words[0].as_ref())?;
    #[cfg(not(feature = "journal"))]
    let snapshot = postrider_machine::Snapshot::default();
    let now = Now::new(1, 2);
    let mut agent = Agent::new(config()?, snapshot, [7; 32], now);
    for word in words {
        agent.handle_frame(codec::decode_hub(word.as_bytes())?, now);
        agent.handle_radio(RadioFact::ConditionChanged(Condition::default()), now);
        agent.handle_timeout(now);
        while let Some(change) = agent.poll_change() {
            #[cfg(feature = "journal")]
            journal.commit(&[change])?;
            #[cfg(not(feature = "journal"))]
            println!("{change:?}");
        }
        agent.handle_committed(now);
        while let Some(effect) = agent.poll_effect() {
            println!("{effect:?}");
        }
        while let Some(event) = agent.poll_event() {
            println!("{event:?}");
        }
    }
    Ok(())
}

fn config() -> Result<AgentConfig, Box<dyn Error>> {
    Ok(AgentConfig {
        boot_id: BootId::new("boot"),
        device: DeviceId::new(Key::new(1).ok_or("a key")?),
        host: "hub.example".to_owned(),
        hub: None,
        sims: vec![SimInfo::default()],
        condition: Condition::default(),
        limits: PaceLimits::UNLIMITED,
        quiet_hours: Vec::new(),
        waits: WaitChoice::default(),
    })
}
