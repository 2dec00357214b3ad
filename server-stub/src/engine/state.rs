//! What the control interface shows.

use super::Engine;
use postrider_link::frame::{Address, InstallId};
use postrider_link::ownership::hub::HubState;
use postrider_model::{DeviceId, MessageId, MessageText, SimSlot};
use serde::Serialize;

/// `GET /state`: no number and no text is in it.
#[derive(Debug, Serialize)]
pub struct State {
    /// The scenario's name.
    pub name: String,
    /// The phone that joined.
    pub device: Option<DeviceId>,
    /// Its installation.
    pub install: Option<InstallId>,
    /// The hub's generation.
    pub generation: u64,
    /// How often a phone asked to join.
    pub pair_requests: u64,
    /// How often it dialled since it joined.
    pub dials: u64,
    /// How often it was connected.
    pub connected: u64,
    /// Steps that are still to be done.
    pub steps_left: usize,
    /// Whether every message has its result.
    pub settled: bool,
    /// The connections that there are.
    pub connections: Vec<ConnectionView>,
    /// The messages.
    pub messages: Vec<MessageView>,
    /// How many messages and calls came in.
    pub inbound: u64,
    /// How many facts were stored.
    pub facts: u64,
}

/// One connection.
#[derive(Debug, Serialize)]
pub struct ConnectionView {
    /// The dial that made it.
    pub dial: u64,
    /// Whether messages may be exposed on it.
    pub open: bool,
}

/// One message.
#[derive(Debug, Clone, Serialize)]
pub struct MessageView {
    /// Its id.
    pub id: MessageId,
    /// Its label.
    pub label: String,
    /// What the hub believes: a status of the API, or `forgotten`.
    pub status: String,
    /// Its present exposure.
    pub exposure: u32,
    /// The states that were reported of its last exposure.
    pub states: Vec<&'static str>,
    /// The code that came with the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// One thing that came in, for `GET /inbound`: the one place where numbers and texts are shown.
#[derive(Debug, Serialize)]
pub struct InboundView {
    /// The phone's own number of it.
    pub n: u64,
    /// What it is.
    pub kind: String,
    /// The SIM that took it in.
    pub sim: SimSlot,
    /// The sender.
    pub from: Address,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<MessageText>,
    /// The payload of a data message, as the frame has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<postrider_link::frame::Data>,
    /// How many parts it came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<u16>,
    /// A call's length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<i64>,
    /// How long a call rang.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ring_s: Option<i64>,
}

impl Engine {
    /// Returns what the control interface shows.
    pub fn state(&self) -> State {
        let connections = self.links.iter().map(|(dial, link)| ConnectionView {
            dial: *dial,
            open: link.is_open(),
        });
        State {
            name: self.scenario.name.clone(),
            device: self.device.as_ref().map(|device| device.id),
            install: self.device.as_ref().map(|device| device.install.clone()),
            generation: self.memory.generation,
            pair_requests: self.counts.pair_requests,
            dials: self.counts.dials,
            connected: self.counts.connected,
            steps_left: self.steps.len(),
            settled: self.is_settled(),
            connections: connections.collect(),
            messages: self.made.keys().map(|id| self.message_view(*id)).collect(),
            inbound: self.counts.inbound,
            facts: self.counts.facts,
        }
    }

    /// Returns what came in.
    pub fn inbound(&self) -> Vec<InboundView> {
        let view = |it: &postrider_link::frame::Inbound| InboundView {
            n: it.n,
            kind: it.kind.as_str().to_owned(),
            sim: it.sim,
            from: it.from.clone(),
            text: it.text.clone(),
            data: it.data.clone(),
            parts: it.parts,
            duration_s: it.duration_s,
            ring_s: it.ring_s,
        };
        self.inbound.iter().map(view).collect()
    }

    /// Returns the code of the run.
    pub const fn code(&self) -> &super::Code {
        &self.setting.code
    }

    pub(super) fn message_view(&self, id: MessageId) -> MessageView {
        let label = self
            .made
            .get(&id)
            .map_or_else(String::new, |made| made.label.clone());
        let last = self.watch.exposures().of(id).last();
        let states = last.map(|(_, it)| it.states.iter().map(|state| state.as_str()).collect());
        let known = self.memory.messages.get(&id);
        let exposure = known.map(|message| message.owned.ep);
        MessageView {
            id,
            label,
            status: self.status(id),
            exposure: exposure.or(last.map(|(ep, _)| ep)).unwrap_or(0),
            states: states.unwrap_or_default(),
            code: last.and_then(|(_, it)| it.code.clone()),
        }
    }

    fn status(&self, id: MessageId) -> String {
        let Some(message) = self.memory.messages.get(&id) else {
            return "forgotten".to_owned();
        };
        if message.withheld && message.owned.state == HubState::Waiting {
            return "revoked".to_owned();
        }
        let (status, error) = message.owned.shown();
        match error.and_then(|error| error.as_str()) {
            Some(error) => format!("{status} ({error})"),
            None => status.to_string(),
        }
    }
}
