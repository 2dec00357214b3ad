//! Breadth-first search over every state of a scope, and whether each can reach an end.
//!
//! The usual explorer of the language, stateright, was looked at and not taken: it keeps whole
//! states beside their fingerprints, and its liveness check gives up where paths join or turn in
//! a circle, which here is everywhere. This one keeps eight bytes of fingerprint, four bytes of
//! predecessor and four bytes for each transition, so that twenty million states fit a laptop, and
//! it walks backwards from the ends over the whole graph.
//!
//! Two states with one fingerprint of 64 bits would be taken for one: with ten million states
//! that happens once in 300,000 searches.

use crate::{
    hash::fingerprint,
    system::{Step, System},
    world::World,
};
use std::collections::VecDeque;

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// Different states.
    pub states: usize,
    /// Transitions between them.
    pub transitions: usize,
    /// The promise that was broken, and the shortest story of it.
    pub broken: Option<(&'static str, Vec<String>)>,
    /// States from which no end can be reached, and the shortest story of one.
    pub stuck: (usize, Vec<String>),
}

/// Fingerprints to the order of their states: open addressing, a fragment of the fingerprint
/// beside each number so that a miss seldom looks further.
struct Seen {
    slots: Vec<(u32, u32)>,
    prints: Vec<u64>,
}

const FREE: u32 = u32::MAX;

impl Seen {
    fn new() -> Self {
        Self {
            slots: vec![(0, FREE); 1 << 12],
            prints: Vec::new(),
        }
    }

    /// Returns the number of a state, and whether it is new.
    fn insert(&mut self, print: u64) -> (u32, bool) {
        if self.prints.len() * 10 >= self.slots.len() * 7 {
            self.grow();
        }
        let (mask, fragment) = (self.slots.len() - 1, (print >> 32) as u32);
        let mut i = print as usize & mask;
        loop {
            let (held, number) = self.slots[i];
            if number == FREE {
                let number = u32::try_from(self.prints.len()).expect("fewer states");
                self.slots[i] = (fragment, number);
                self.prints.push(print);
                return (number, true);
            }
            if held == fragment && self.prints[number as usize] == print {
                return (number, false);
            }
            i = (i + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let mut slots = vec![(0, FREE); self.slots.len() * 2];
        let mask = slots.len() - 1;
        for (number, print) in self.prints.iter().enumerate() {
            let mut i = *print as usize & mask;
            while slots[i].1 != FREE {
                i = (i + 1) & mask;
            }
            slots[i] = ((print >> 32) as u32, number as u32);
        }
        self.slots = slots;
    }
}

/// The graph: where each state came from, where it leads, and which are ends.
struct Graph {
    seen: Seen,
    from: Vec<u32>,
    first: Vec<u64>,
    to: Vec<u32>,
    ends: Vec<bool>,
}

/// Searches a scope; stops at a broken promise, or panics above `states_max` states.
///
/// # Panics
/// When there are more states than allowed: a mistake in the scope's bounds.
pub fn search(system: &System, states_max: usize) -> Found {
    let start = World::START;
    let mut graph = Graph {
        seen: Seen::new(),
        from: vec![0],
        first: vec![0],
        to: Vec::new(),
        ends: Vec::new(),
    };
    graph.seen.insert(fingerprint(&start));
    let mut todo = VecDeque::from([start]);
    let mut next = Vec::new();
    let mut number = 0_u32;
    while let Some(world) = todo.pop_front() {
        if let Some(why) = system.broken(&world) {
            let story = story(system, &graph, number);
            return Found {
                states: graph.from.len(),
                transitions: graph.to.len(),
                broken: Some((why, story)),
                stuck: (0, Vec::new()),
            };
        }
        graph.ends.push(system.is_end(&world));
        system.steps(&world, &mut next);
        for (_, after) in next.drain(..) {
            let (to, is_new) = graph.seen.insert(fingerprint(&after));
            if is_new {
                graph.from.push(number);
                todo.push_back(after);
            }
            graph.to.push(to);
        }
        graph.first.push(graph.to.len() as u64);
        number += 1;
        assert!(
            graph.from.len() <= states_max,
            "{}: more than {states_max} states",
            system.scope.name
        );
    }
    let stuck = stuck(&graph);
    let first = stuck.first().map(|number| story(system, &graph, *number));
    Found {
        states: graph.from.len(),
        transitions: graph.to.len(),
        broken: None,
        stuck: (stuck.len(), first.unwrap_or_default()),
    }
}

/// Returns the states from which no end can be reached.
///
/// Sweeps from the last state to the first until nothing changes: most states come after those
/// that they were found from, so that few sweeps are needed.
fn stuck(graph: &Graph) -> Vec<u32> {
    let mut can_end = graph.ends.clone();
    loop {
        let mut changed = false;
        for state in (0..can_end.len()).rev() {
            if can_end[state] {
                continue;
            }
            let range = graph.first[state] as usize..graph.first[state + 1] as usize;
            if graph.to[range].iter().any(|to| can_end[*to as usize]) {
                can_end[state] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let stuck = can_end.iter().enumerate().filter(|(_, can)| !**can);
    stuck.map(|(state, _)| state as u32).collect()
}

/// Returns how a state was reached, by going that way again.
fn story(system: &System, graph: &Graph, mut number: u32) -> Vec<String> {
    let mut way = Vec::new();
    while number != 0 {
        way.push(graph.seen.prints[number as usize]);
        number = graph.from[number as usize];
    }
    let mut world = World::START;
    let mut told = Vec::new();
    let mut next = Vec::new();
    for print in way.iter().rev() {
        system.steps(&world, &mut next);
        let step = next
            .drain(..)
            .find(|(_, after)| fingerprint(after) == *print);
        let (step, after) = step.expect("the way is known");
        told.push(tell(system, &step));
        world = after;
    }
    told
}

fn tell(system: &System, step: &Step) -> String {
    let mut told = String::new();
    if step.p < 8 && system.scope.phones > 1 {
        told.push_str(["phone A: ", "phone B: "][step.p]);
    }
    told.push_str(step.name);
    if step.m < 8 && system.scope.messages > 1 {
        told.push_str([" (message 1", " (message 2"][step.m]);
        told.push(')');
    }
    if step.ep > 0 && system.scope.eps > 1 {
        told.push_str(&format!(" [{}]", step.ep));
    }
    told
}
