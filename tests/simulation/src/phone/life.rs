//! How a phone's process dies and starts again.

use super::Written;
use crate::{
    log::{Line, Who},
    net::Wire,
    plan::{Death, Point},
    random::Seeded,
    world::{Event, World},
};
use postrider_link::{close::CloseCode, mistake};
use postrider_machine::{Agent, PaceLimits};

/// What a boot takes at least: the boot clock cannot have begun before the power failed.
const BOOT_MS: u64 = 21_000;

impl World {
    /// Springs the trap of a phone, if this is its moment; returns whether the process is dead.
    pub(crate) fn dies_at(&mut self, no: usize, point: Point) -> bool {
        let phone = &mut self.phones[no];
        let Some((death, at, left)) = phone.trap else {
            return phone.agent.is_none();
        };
        if at != point || phone.agent.is_none() {
            return phone.agent.is_none();
        }
        if left > 1 {
            phone.trap = Some((death, at, left - 1));
            return false;
        }
        phone.trap = None;
        self.die(no, death, point);
        true
    }

    /// Ends a phone's process, and perhaps its boot.
    pub(crate) fn die(&mut self, no: usize, death: Death, point: Point) {
        let at = self.at;
        let mut random = self.draw(&[8, no as u64, at]);
        let words = (death.word(), point.word());
        self.coverage.mark("fault", words.0, words.1);
        self.note(Line::new(Who::Phone(no), "{w}").word(words.0));
        self.note(Line::new(Who::Phone(no), "  … {w}").word(words.1));
        let phone = &mut self.phones[no];
        if matches!(point, Point::BeforeWrite) {
            phone.written = Written::default();
        }
        let was_written = matches!(point, Point::BeforeSync);
        match death {
            Death::Power => {
                let is_there = phone.disk.power_failed(&mut random);
                if !is_there {
                    phone.written = Written::default();
                }
                if was_written {
                    let what = if is_there { "kept" } else { "lost" };
                    self.coverage
                        .mark("fault", "power failed before the sync", what);
                }
            }
            Death::Kill | Death::ForceStop | Death::DiskFull => phone.disk.process_died(),
        }
        self.keep_written(no);
        self.end_process(no);
        let phone = &mut self.phones[no];
        let life = phone.life;
        let away_ms = match random.below(4) {
            0 => random.between(100, 2_000),
            1 | 2 => random.between(2_000, 90_000),
            _ => random.between(90_000, 3_600_000),
        };
        match death {
            Death::Kill => self.push_in(away_ms, Event::StartApp { phone: no, life }),
            Death::ForceStop => {
                phone.force_stopped = true;
                phone.platform.intents += 1;
                self.push_in(away_ms, Event::StartApp { phone: no, life });
            }
            Death::DiskFull => {
                phone.full_until = at + away_ms;
                self.push_in(away_ms, Event::StartApp { phone: no, life });
            }
            Death::Power => {
                phone.powered = false;
                phone.platform.intents += 1;
                phone.platform.hang_up();
                let boot = phone.boot;
                self.push_in(away_ms + BOOT_MS, Event::Booted { phone: no, boot });
            }
        }
    }

    /// The process is gone: its connection ends, as the hub may or may not hear.
    pub(crate) fn end_process(&mut self, no: usize) {
        let phone = &mut self.phones[no];
        phone.agent = None;
        phone.life += 1;
        phone.inbox.clear();
        phone.committing = false;
        phone.gives_back = false;
        phone.written = Written::default();
        phone.dialling = None;
        phone.due_at = None;
        let socket = phone.socket.take();
        let is_powered = phone.powered;
        if let Some(socket) = socket {
            self.cut(socket, !is_powered);
            if is_powered {
                self.carry(socket, false, Wire::Close(None));
            }
        }
    }

    /// Boots a phone that lost its power.
    pub(crate) fn booted(&mut self, no: usize, boot: u64) {
        let at = self.at;
        let phone = &mut self.phones[no];
        if phone.boot != boot || phone.scrapped {
            return;
        }
        phone.boot += 1;
        phone.booted_at = at;
        phone.powered = true;
        phone.force_stopped = false;
        self.note(Line::new(Who::Phone(no), "has booted"));
        let life = self.phones[no].life;
        self.push_in(3_000, Event::StartApp { phone: no, life });
    }

    /// Starts the process on its journal.
    pub(crate) fn start_app(&mut self, no: usize) {
        let at = self.at;
        let phone = &mut self.phones[no];
        phone.force_stopped = false;
        if phone.agent.is_some() || !phone.may_start() {
            return;
        }
        if phone.full_until > at {
            let (life, again) = (phone.life, phone.full_until);
            self.coverage.mark("fault", "started on a full disk", "");
            return self.push(again, Event::StartApp { phone: no, life });
        }
        if std::mem::take(&mut phone.wall_untold) {
            // What an earlier boot handed over is as old as the wall clock makes it.
            self.model.forget_pace_before(no, phone.booted_at);
        }
        phone.life += 1;
        phone.redials = 0;
        let now = phone.now(at);
        let mut random = Seeded::keyed(self.plan.seed, &[9, no as u64, phone.life]);
        let mut seed = [0; 32];
        for chunk in seed.chunks_exact_mut(8) {
            chunk.copy_from_slice(&random.next_u64().to_le_bytes());
        }
        if mistake::is("finds_an_older_journal")
            && let Some(older) = phone.copy.replace(phone.disk.rows().clone())
        {
            phone.disk.roll_back(older);
        }
        let snapshot = phone.disk.snapshot();
        // What it was told and had not written down, it does not know any more.
        phone.not_known &= snapshot.link.not_known;
        phone.told_not_known = None;
        let in_hand = snapshot.messages.len() as u64;
        let mut config = phone.config();
        if mistake::is("forgets_its_limits") {
            config.limits = PaceLimits::UNLIMITED;
        }
        phone.agent = Some(Agent::new(config, snapshot, seed, now));
        self.step();
        self.note(
            Line::new(Who::Phone(no), "starts with {} messages in hand").with([in_hand, 0, 0]),
        );
        self.goes_on_leaving(no, now);
        self.end_turn(no);
        self.tell_lines(no);
    }

    /// The hub does not take the phone any more: its owner pairs it again after a while.
    pub(crate) fn stop_for_pairing(&mut self, no: usize, close: CloseCode) {
        self.phones[no].unpaired = Some(close);
        self.end_process(no);
        let name = [10, no as u64, self.at];
        let after_ms = self.draw(&name).between(60_000, 7_200_000);
        let over = crate::world::Over::Unpaired(no);
        self.push_in(after_ms, Event::Over(over));
    }
}
