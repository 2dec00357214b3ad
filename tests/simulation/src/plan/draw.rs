//! Drawing a plan from a seed.

use super::{
    Action, Death, Flaw, Fleet, HubPoint, Older, Plan, Point, Route, Setting, Sort, Step, Telling,
    Wanted,
};
use crate::random::Seeded;
use postrider_machine::{Guard, PaceLimits};

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const YEAR: u64 = 365 * 24 * HOUR;
/// In how many runs of several phones one lies, in percent.
const LIARS_PERCENT: u64 = 20;
/// In how many runs of several phones one joins late, in percent.
const LATE_PERCENT: u64 = 30;
/// In how many runs of several phones the hub's rows are put back right after messages were moved,
/// in percent.
const MOVED_PERCENT: u64 = 20;

/// Draws the plan of a seed: about `messages` messages, with the faults that a seed has drawn.
pub fn draw(seed: u64, messages: u64, real_journal: bool) -> Plan {
    let mut random = Seeded::keyed(seed, &[1]);
    let mut fleet = fleet(&mut random, real_journal);
    fleet.liar = liar(seed, fleet.sims.len());
    fleet.late = late(seed, fleet.sims.len());
    let span = random.between(2, 14) * HOUR;
    let mut drawing = Drawing {
        random,
        fleet: &fleet,
        span,
        steps: Vec::new(),
        next_no: 1,
    };
    drawing.traffic(messages);
    drawing.weather();
    drawing.random = Seeded::keyed(seed, &[23]);
    drawing.owners();
    drawing.random = Seeded::keyed(seed, &[38]);
    drawing.latecomer();
    drawing.random = Seeded::keyed(seed, &[39]);
    drawing.put_back_amid_moves();
    let mut steps = drawing.steps;
    steps.sort_by_key(|step| step.at);
    Plan {
        seed,
        fleet,
        steps,
        calm_at: span,
    }
}

/// One phone of several lies in some of the runs.
fn liar(seed: u64, phones: usize) -> Option<usize> {
    let mut random = Seeded::keyed(seed, &[31]);
    let lies = phones > 1 && random.percent(LIARS_PERCENT);
    let no = usize::try_from(random.below(phones as u64)).unwrap_or(0);
    lies.then_some(no)
}

/// One phone of several joins later than the others in some of the runs.
fn late(seed: u64, phones: usize) -> Option<usize> {
    let mut random = Seeded::keyed(seed, &[37]);
    let is_late = phones > 1 && random.percent(LATE_PERCENT);
    let no = usize::try_from(random.below(phones as u64)).unwrap_or(0);
    is_late.then_some(no)
}

fn limits(random: &mut Seeded) -> PaceLimits {
    let limited = random.percent(50);
    let guard = |(parts_max, span_ms)| Guard { parts_max, span_ms };
    PaceLimits {
        sim_parts_per_hour: limited.then(|| u32::try_from(random.between(10, 120)).unwrap_or(60)),
        phone_parts_per_hour: random
            .percent(20)
            .then(|| u32::try_from(random.between(20, 150)).unwrap_or(60)),
        guard: random
            .percent(80)
            .then(|| random.pick(&[(24, MINUTE), (24, 30 * MINUTE), (6, MINUTE)]))
            .flatten()
            .map(guard),
    }
}

fn fleet(random: &mut Seeded, real_journal: bool) -> Fleet {
    let phones = random.between(1, 3);
    let sims = (0..phones).map(|_| if random.percent(40) { 2 } else { 1 });
    let sims: Vec<u8> = sims.collect();
    Fleet {
        sims,
        limits: limits(random),
        report_window_ms: random
            .pick(&[2 * HOUR, 12 * HOUR, 72 * HOUR])
            .unwrap_or(HOUR),
        window: random.pick(&[2, 8, 64, 64]).unwrap_or(64),
        radio_trouble: random.pick(&[5, 25, 60]).unwrap_or(25),
        real_journal,
        liar: None,
        late: None,
    }
}

struct Drawing<'a> {
    random: Seeded,
    fleet: &'a Fleet,
    span: u64,
    steps: Vec<Step>,
    next_no: i64,
}

impl Drawing<'_> {
    fn at(&mut self) -> u64 {
        self.random.between(5 * SECOND, self.span)
    }

    fn add(&mut self, at: u64, action: Action) {
        self.steps.push(Step { at, action });
    }

    fn phone(&mut self) -> usize {
        let last = self.fleet.sims.len() as u64;
        usize::try_from(self.random.below(last)).unwrap_or(0)
    }

    fn route(&mut self) -> Route {
        let phone = self.phone();
        let sims = self.fleet.sims.get(phone).copied().unwrap_or(1);
        let sim = u8::try_from(self.random.below(u64::from(sims))).unwrap_or(0);
        Route { phone, sim }
    }

    /// Messages come alone and in bursts, and some of them are meddled with.
    fn traffic(&mut self, messages: u64) {
        let mut left = messages;
        while left > 0 {
            let burst = match self.random.below(4) {
                0 => self.random.between(2, 30).min(left),
                _ => 1,
            };
            left -= burst;
            let (at, route) = (self.at(), self.route());
            for nth in 0..burst {
                let spread = self.random.below(2 * SECOND);
                self.send(at + nth * 50 + spread, route);
            }
        }
        let incoming = self.random.between(0, messages / 4);
        for _ in 0..incoming {
            let (at, route) = (self.at(), self.route());
            let sort = match self.random.below(10) {
                0..6 => Sort::Text,
                6 => Sort::Data,
                7 => Sort::Picture,
                _ => Sort::Call,
            };
            let is_doubled = sort == Sort::Text && self.random.percent(15);
            let copies = if is_doubled { 2 } else { 1 };
            let telling = match self.random.below(10) {
                0..7 => Telling::Broadcast,
                7 => Telling::Repeated,
                _ => Telling::Missing,
            };
            self.add(at, Action::Incoming(route, sort, copies, telling));
        }
    }

    fn send(&mut self, at: u64, route: Route) {
        let no = self.next_no;
        self.next_no += 1;
        let random = &mut self.random;
        let parts = match random.below(12) {
            0..8 => 1,
            8..11 => u8::try_from(random.between(2, 4)).unwrap_or(2),
            _ => u8::try_from(random.between(5, 30)).unwrap_or(5),
        };
        let sort = match random.below(20) {
            0..16 => Sort::Text,
            16 => Sort::Data,
            17 | 18 => Sort::Code,
            _ => Sort::Call,
        };
        let parts = if sort == Sort::Text { parts } else { 1 };
        let text = if random.percent(10) {
            random.below(2)
        } else {
            1_000 + no.unsigned_abs()
        };
        let life_ms = match random.below(6) {
            0 => random.between(0, 5 * MINUTE),
            1..4 => random.between(10 * MINUTE, 4 * HOUR),
            _ => random.between(4 * HOUR, 30 * HOUR),
        };
        let flaw = match random.below(60) {
            0 => Flaw::Recipient,
            1 => Flaw::Kind,
            2 => Flaw::Slot,
            _ => Flaw::None,
        };
        let wanted = Wanted {
            no,
            sort,
            route,
            parts,
            text,
            priority: if random.percent(20) { 2 } else { 1 },
            life_ms,
            resend_unknown: random.percent(20),
            movable: random.percent(15),
            flaw,
        };
        self.add(at, Action::Send(wanted));
        self.meddle(at, no);
    }

    fn meddle(&mut self, at: u64, no: i64) {
        let soon = |random: &mut Seeded| {
            at + match random.below(3) {
                0 => random.below(3 * SECOND),
                1 => random.below(5 * MINUTE),
                _ => random.below(6 * HOUR),
            }
        };
        if self.random.percent(12) {
            let at = soon(&mut self.random);
            self.add(at, Action::Cancel(no));
        }
        if self.random.percent(15) {
            let at = soon(&mut self.random);
            let route = self.random.percent(60).then(|| self.route());
            self.add(at, Action::Resend(no, route));
        }
        if self.random.percent(4) {
            let at = soon(&mut self.random);
            self.add(at, Action::Delete(no));
        }
    }

    fn weather(&mut self) {
        let faults = match self.random.below(4) {
            0 => self.random.below(4),
            1 => self.random.between(4, 15),
            _ => self.random.between(15, 60),
        };
        for _ in 0..faults {
            let at = self.at();
            self.fault(at);
        }
    }

    /// Owners change limits, and now and then one unpairs a phone.
    fn owners(&mut self) {
        for _ in 0..self.random.below(4) {
            let (at, phone) = (self.at(), self.phone());
            let limits = limits(&mut self.random);
            self.add(at, Action::OwnerLimits(phone, limits));
        }
        if self.random.percent(25) {
            let (at, phone) = (self.at(), self.phone());
            let within_ms = match self.random.below(4) {
                0 => self.random.below(SECOND),
                1 => self.random.between(SECOND, MINUTE),
                _ => self.random.between(MINUTE, 5 * MINUTE),
            };
            self.add(at, Action::OwnerUnpairs(phone, within_ms));
            if self.random.percent(30) {
                let death = self.death(phone);
                let soon = self.random.below(within_ms);
                self.add(at + soon, death);
            }
        }
    }

    /// The phone that joins late does so, and then the hub may go back to before that.
    fn latecomer(&mut self) {
        let Some(phone) = self.fleet.late else {
            return;
        };
        let joins = self.random.between(5 * MINUTE, self.span / 2);
        self.add(joins, Action::Joins(phone));
        if self.random.percent(25) {
            return;
        }
        let ago = self.random.between(SECOND, 4 * MINUTE);
        self.add(joins - ago, Action::Backup);
        let at = self.random.between(joins + MINUTE, self.span);
        let older = Older {
            phone,
            raised: self.random.percent(50),
            while_ms: self.random.between(MINUTE, 3 * HOUR),
            puts_back: self.random.percent(60),
        };
        self.add(at, Action::RestoreOlder(older));
    }

    /// What waits for a paused phone is moved to another one or goes out; then the rows are put back
    /// behind the hub's back to before that, and the other one comes later than the first.
    fn put_back_amid_moves(&mut self) {
        let phones = self.fleet.sims.len();
        if phones < 2 || !self.random.percent(MOVED_PERCENT) {
            return;
        }
        let (first, at) = (self.phone(), self.at());
        let to = |phone| Route { phone, sim: 0 };
        let other = (first + 1) % phones;
        self.add(at, Action::Set(to(first), Setting::Pause(true)));
        let messages = self.random.between(4, 12);
        for _ in 0..messages {
            let no = self.next_no;
            self.send(at + SECOND, to(first));
            if self.random.percent(50) {
                self.add(at + 2 * MINUTE, Action::Resend(no, Some(to(other))));
            }
        }
        self.add(at + MINUTE, Action::Backup);
        let goes_on = Action::Set(to(first), Setting::Pause(false));
        self.add(at + 2 * MINUTE, goes_on.clone());
        self.add(at + 20 * MINUTE, Action::NoData(other, 2 * HOUR));
        self.add(at + 21 * MINUTE, Action::Restore(false));
        self.add(at + 40 * MINUTE, goes_on);
    }

    fn fault(&mut self, at: u64) {
        let phone = self.phone();
        let route = self.route();
        let while_ms = match self.random.below(3) {
            0 => self.random.between(SECOND, 2 * MINUTE),
            1 => self.random.between(2 * MINUTE, 20 * MINUTE),
            _ => self.random.between(20 * MINUTE, 3 * HOUR),
        };
        let flip = self.random.percent(50);
        let action = match self.random.below(100) {
            0..23 => self.death(phone),
            23 => Action::WrongName(while_ms),
            24..27 => Action::SlowDisk(phone, self.random.between(50, 8 * SECOND), while_ms),
            27..33 => Action::KillHub(
                self.random
                    .pick(&[
                        HubPoint::Idle,
                        HubPoint::BeforeCommit,
                        HubPoint::AfterCommit,
                    ])
                    .unwrap_or(HubPoint::Idle),
            ),
            33..35 => Action::HubDiskFull(while_ms / 10),
            35..39 => return self.restore(at),
            39..41 => Action::Drain,
            41 => Action::Unfreeze(phone),
            42 => Action::Remove(phone),
            43 => Action::NewerHub(while_ms, flip),
            44..53 => Action::Cut(phone, flip),
            53..57 => Action::NoData(phone, while_ms),
            57..60 => Action::NetworkChange(phone),
            60..63 => Action::Lag(phone, self.random.between(SECOND, 40 * SECOND), while_ms),
            63..65 => return self.noise(at, phone, flip),
            65..69 => Action::WallJump(phone, self.jump()),
            69 => Action::HubWallJump(self.jump() / 10),
            70..73 => Action::PullSim(route, while_ms),
            73..75 => Action::ChangeSim(route, while_ms),
            75..78 => Action::Airplane(phone, while_ms),
            78..82 => Action::NoService(route, while_ms, flip),
            82..84 => Action::Dialog(phone, while_ms),
            84 => return self.roll_back(at, phone, while_ms),
            85 => Action::Clone(phone),
            86 => Action::Reinstall(phone),
            87..89 => Action::Update(phone),
            89..91 => Action::Condition(phone, flip),
            91..96 => Action::Set(route, self.setting(while_ms)),
            96..98 => Action::OwnerPause(phone, flip),
            _ => Action::OwnerLooks(route),
        };
        self.add(at, action);
    }

    fn death(&mut self, phone: usize) -> Action {
        let death = match self.random.below(10) {
            0..5 => Death::Kill,
            5 => Death::ForceStop,
            6..9 => Death::Power,
            _ => Death::DiskFull,
        };
        let points = [
            Point::Idle,
            Point::BeforeWrite,
            Point::BeforeSync,
            Point::AfterSync,
            Point::BeforeEffect,
            Point::AfterEffect,
            Point::BeforeHandOver,
            Point::AfterHandOver,
        ];
        let point = match death {
            Death::DiskFull => Point::BeforeWrite,
            Death::Kill | Death::ForceStop | Death::Power => {
                self.random.pick(&points).unwrap_or(Point::Idle)
            }
        };
        let nth = u32::try_from(self.random.between(1, 4)).unwrap_or(1);
        Action::Die(phone, death, point, nth)
    }

    fn restore(&mut self, at: u64) {
        let ago = self.random.between(MINUTE, 4 * HOUR);
        self.add(at.saturating_sub(ago), Action::Backup);
        let raised = self.random.percent(50);
        self.add(at, Action::Restore(raised));
        if self.random.percent(30) {
            let phone = self.phone();
            let after = self.random.between(MINUTE, 2 * HOUR);
            self.add(at + after, Action::Unfreeze(phone));
        }
    }

    /// Noise on one connection, or on one after the other.
    fn noise(&mut self, at: u64, phone: usize, at_phone: bool) {
        let times = if self.random.percent(30) { 8 } else { 1 };
        for nth in 0..times {
            self.add(at + nth * 4 * SECOND, Action::Noise(phone, at_phone));
        }
    }

    fn roll_back(&mut self, at: u64, phone: usize, while_ms: u64) {
        let ago = self.random.between(SECOND, 2 * HOUR);
        self.add(at.saturating_sub(ago), Action::CopyJournal(phone));
        self.add(at, Action::RollBack(phone, while_ms));
    }

    fn jump(&mut self) -> i64 {
        let by = match self.random.below(3) {
            0 => self.random.between(1, 10 * MINUTE),
            1 => self.random.between(10 * MINUTE, 48 * HOUR),
            _ => self.random.between(48 * HOUR, YEAR),
        };
        let by = i64::try_from(by).unwrap_or(0);
        if self.random.percent(50) { by } else { -by }
    }

    fn setting(&mut self, while_ms: u64) -> Setting {
        match self.random.below(6) {
            0 => Setting::Pause(true),
            1 => Setting::Pause(false),
            2 | 3 => Setting::QuietFor(while_ms),
            4 => Setting::Delay(self.random.below(20 * SECOND)),
            _ => Setting::Limit(u32::try_from(self.random.below(60)).unwrap_or(0)),
        }
    }
}
