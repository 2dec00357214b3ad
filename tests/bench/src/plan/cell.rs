//! One cell in virtual time: what waits, and how long, while hubs, the database or phones are away.
//!
//! Work flows like water: in each step the hubs and the database share their processor time among
//! links that come up, messages that are accepted and messages that go to phones. Phones are single:
//! each draws its waits between two dials from the seed. Nothing here reads a clock.

use std::{cmp::Reverse, collections::BinaryHeap};

/// Steps of a second.
const STEPS_PER_S: u64 = 10;
/// The longest wait between two dials.
const REDIAL_S_MAX: u64 = 60;
/// Links that come up do not take more than this share while messages wait.
const SHARE_OF_LINKS: f64 = 0.5;

/// Processor time that something takes, in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Work {
    pub(crate) hub_us: f64,
    pub(crate) database_us: f64,
}

/// What a message and a link cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Costs {
    /// A message, until its sender has the answer.
    pub(crate) accept: Work,
    /// A message from the queue to the phone, and its reports.
    pub(crate) deliver: Work,
    /// A link that comes up.
    pub(crate) link: Work,
}

/// A cell, and what is asked of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cell {
    pub(crate) hubs: u32,
    pub(crate) cores_of_hub: f64,
    pub(crate) cores_of_database: f64,
    pub(crate) phones: u32,
    pub(crate) messages_per_s: f64,
}

/// What happens to it, from `FAULT_AT_S` on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    None,
    /// One hub ends, and stays away.
    HubLost,
    /// The database answers nobody for so long.
    DatabaseAway {
        seconds: u64,
    },
    /// So many phones have no network for so long, and then come back at once.
    PhonesAway {
        phones: u32,
        seconds: u64,
    },
}

/// When the fault begins.
pub(crate) const FAULT_AT_S: u64 = 5;

/// The cell at the end of a second.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Moment {
    /// Messages that programs have sent so far, that were accepted, and that phones have.
    pub(crate) sent: f64,
    pub(crate) accepted: f64,
    pub(crate) delivered: f64,
    /// Phones without a link.
    pub(crate) away: u32,
    /// What the newest message will wait for its answer, and the newest accepted one for a phone that is there.
    pub(crate) answer_s: f64,
    pub(crate) phone_s: f64,
}

impl Moment {
    /// Messages whose senders wait, or ask again.
    pub(crate) fn unanswered(&self) -> f64 {
        self.sent - self.accepted
    }

    /// Messages in the hubs' queues.
    pub(crate) fn queued(&self) -> f64 {
        self.accepted - self.delivered
    }
}

/// Runs a cell for so many seconds.
pub(crate) fn run(cell: Cell, costs: Costs, fault: Fault, seconds: u64, seed: u64) -> Vec<Moment> {
    let mut state = State::new(cell, costs, fault, seed);
    let mut moments = Vec::new();
    for step in 0..seconds * STEPS_PER_S {
        state.step(step);
        if (step + 1) % STEPS_PER_S == 0 {
            moments.push(state.moment());
        }
    }
    moments
}

struct State {
    cell: Cell,
    costs: Costs,
    fault: Fault,
    random: u64,
    now: Moment,
    /// Messages in the queue whose phone is away.
    held: f64,
    /// When each phone that is away dials again, and how often it did.
    dials: BinaryHeap<Reverse<(u64, u32)>>,
    /// Phones that wait for their link to come up.
    coming: f64,
    /// The rates of the last step.
    accepts_per_s: f64,
    delivers_per_s: f64,
}

impl State {
    fn new(cell: Cell, costs: Costs, fault: Fault, seed: u64) -> Self {
        Self {
            cell,
            costs,
            fault,
            random: seed,
            now: Moment::default(),
            held: 0.0,
            dials: BinaryHeap::new(),
            coming: 0.0,
            accepts_per_s: cell.messages_per_s,
            delivers_per_s: cell.messages_per_s,
        }
    }

    fn step(&mut self, step: u64) {
        self.begin_fault(step);
        self.now.sent += self.cell.messages_per_s / STEPS_PER_S as f64;
        let mut budget = self.budget(step);
        while let Some(Reverse((at, tries))) = self.dials.peek().copied()
            && at <= step
        {
            self.dials.pop();
            if budget.database_us > 0.0 {
                self.coming += 1.0;
            } else {
                self.dial(step, tries + 1);
            }
        }
        let links = fitting(self.coming, self.costs.link, &mut budget, SHARE_OF_LINKS).floor();
        self.coming -= links;
        self.come_back(links);
        let waiting = self.now.unanswered();
        let accepted = fitting(waiting, self.costs.accept, &mut budget, 1.0);
        self.now.accepted += accepted;
        self.held += accepted * self.share_away();
        let ready = (self.now.queued() - self.held).max(0.0);
        let delivered = fitting(ready, self.costs.deliver, &mut budget, 1.0);
        self.now.delivered += delivered;
        self.accepts_per_s = accepted * STEPS_PER_S as f64;
        self.delivers_per_s = delivered * STEPS_PER_S as f64;
    }

    fn begin_fault(&mut self, step: u64) {
        if step != FAULT_AT_S * STEPS_PER_S {
            return;
        }
        let (phones, from) = match self.fault {
            Fault::None | Fault::DatabaseAway { .. } => return,
            Fault::HubLost => (self.cell.phones / self.cell.hubs, step),
            Fault::PhonesAway { phones, seconds } => (phones, step + seconds * STEPS_PER_S),
        };
        self.now.away = phones.min(self.cell.phones);
        self.held = 0.0;
        for _ in 0..self.now.away {
            self.dial(from, 0);
        }
    }

    /// Processor time in this step.
    fn budget(&self, step: u64) -> Work {
        let since = step.checked_sub(FAULT_AT_S * STEPS_PER_S);
        let hubs = match (self.fault, since) {
            (Fault::HubLost, Some(_)) => self.cell.hubs - 1,
            _ => self.cell.hubs,
        };
        let is_away = matches!((self.fault, since), (Fault::DatabaseAway { seconds }, Some(since))
            if since < seconds * STEPS_PER_S);
        let us = |cores: f64| cores * 1e6 / STEPS_PER_S as f64;
        Work {
            hub_us: us(f64::from(hubs) * self.cell.cores_of_hub),
            database_us: if is_away {
                0.0
            } else {
                us(self.cell.cores_of_database)
            },
        }
    }

    /// Draws when a phone dials: anything up to a second, doubled with each try, up to a minute.
    fn dial(&mut self, from: u64, tries: u32) {
        let most = (1 << tries.min(6)).min(REDIAL_S_MAX) * STEPS_PER_S;
        let at = from + 1 + self.draw() % most;
        self.dials.push(Reverse((at, tries)));
    }

    /// SplitMix64.
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn come_back(&mut self, links: f64) {
        if self.now.away == 0 {
            return;
        }
        self.held *= 1.0 - links / f64::from(self.now.away);
        self.now.away -= links as u32;
    }

    fn share_away(&self) -> f64 {
        f64::from(self.now.away) / f64::from(self.cell.phones)
    }

    fn moment(&self) -> Moment {
        let wait = |waiting: f64, per_s: f64| if waiting > 0.5 { waiting / per_s } else { 0.0 };
        Moment {
            answer_s: wait(self.now.unanswered(), self.accepts_per_s),
            phone_s: wait(self.now.queued() - self.held, self.delivers_per_s),
            ..self.now
        }
    }
}

/// Returns how many of those that wait can be done, and takes what they cost; at most this share of
/// what is left.
fn fitting(waiting: f64, cost: Work, budget: &mut Work, share: f64) -> f64 {
    let of_hubs = budget.hub_us * share / cost.hub_us;
    let of_database = budget.database_us * share / cost.database_us;
    let done = waiting.min(of_hubs).min(of_database);
    budget.hub_us -= done * cost.hub_us;
    budget.database_us -= done * cost.database_us;
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: Costs = Costs {
        accept: work(100.0, 150.0),
        deliver: work(200.0, 250.0),
        link: work(500.0, 500.0),
    };
    /// Both can do twice what is asked.
    const CELL: Cell = Cell {
        hubs: 2,
        cores_of_hub: 4.0,
        cores_of_database: 8.0,
        phones: 10_000,
        messages_per_s: 10_000.0,
    };

    const fn work(hub_us: f64, database_us: f64) -> Work {
        Work {
            hub_us,
            database_us,
        }
    }

    fn ran(fault: Fault) -> Vec<Moment> {
        run(CELL, COSTS, fault, 120, 7)
    }

    fn most(moments: &[Moment], of: impl Fn(&Moment) -> f64) -> f64 {
        moments.iter().map(of).fold(0.0, f64::max)
    }

    #[test]
    fn nothing_waits_where_there_is_room() {
        let moments = ran(Fault::None);
        assert_eq!(most(&moments, Moment::unanswered), 0.0);
        assert!(most(&moments, Moment::queued) < 1.0);
        assert!((moments[119].delivered - 1_200_000.0).abs() < 1.0);
    }

    #[test]
    fn what_came_while_the_database_was_away_waits_and_is_then_done() {
        let moments = ran(Fault::DatabaseAway { seconds: 30 });
        let most = most(&moments, Moment::unanswered);
        assert!((most - 300_000.0).abs() < 1.0, "{most}");
        assert!(moments[119].unanswered() < 1.0, "{:?}", moments[119]);
        assert!((moments[119].delivered - 1_200_000.0).abs() < 1.0);
    }

    #[test]
    fn a_cell_that_is_too_small_falls_behind_for_ever() {
        let small = Cell {
            cores_of_database: 3.0,
            ..CELL
        };
        let moments = run(small, COSTS, Fault::None, 60, 7);
        let last = &moments[59];
        assert!(last.queued() + last.unanswered() > 100_000.0, "{last:?}");
        assert!(last.phone_s > moments[10].phone_s);
    }

    #[test]
    fn messages_for_phones_that_are_away_wait_for_them_alone() {
        let fault = Fault::PhonesAway {
            phones: 3_000,
            seconds: 60,
        };
        let moments = ran(fault);
        let gone = &moments[64];
        assert_eq!(gone.away, 3_000);
        // Three of ten messages of 60 seconds.
        assert!((gone.queued() - 180_000.0).abs() < 3_000.0, "{gone:?}");
        assert_eq!(moments[119].away, 0);
        assert!(moments[119].queued() < 1.0, "{:?}", moments[119]);
    }

    #[test]
    fn the_phones_of_a_lost_hub_come_back_to_the_others() {
        let moments = ran(Fault::HubLost);
        assert!(moments[5].away > 0);
        assert_eq!(moments[119].away, 0);
    }

    #[test]
    fn what_was_sent_is_somewhere_and_nothing_comes_twice() {
        for fault in [
            Fault::None,
            Fault::HubLost,
            Fault::DatabaseAway { seconds: 5 },
        ] {
            for moment in ran(fault) {
                assert!(moment.delivered <= moment.accepted, "{moment:?}");
                assert!(moment.accepted <= moment.sent, "{moment:?}");
            }
        }
    }

    #[test]
    fn a_seed_gives_one_course() {
        let costs = Costs {
            link: work(1.0, 1.0),
            ..COSTS
        };
        let back = |seed| run(CELL, costs, Fault::HubLost, 30, seed);
        assert_eq!(back(1), back(1));
        assert_ne!(back(1), back(2));
    }
}
