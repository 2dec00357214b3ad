//! Hand-overs, results, reports and rows of the provider.

use super::{
    InHand, SentRow,
    script::{self, Beat},
};
use crate::{
    log::{Line, Who},
    mistakes,
    phone::Input,
    random::Seeded,
    world::{Event, RadioEvent, World},
};
use postrider_link::frame::Address;
use postrider_machine::{self as machine, RadioFact, ReportStatus, SendParts, SendToken};
use postrider_model::UnixMs;
use postrider_text::{result_code::look_up, tp_status, ussd};

impl World {
    /// The platform takes a hand-over.
    pub(crate) fn send_parts(&mut self, no: usize, task: &SendParts) {
        let token = task.token;
        let name = [
            11,
            no as u64,
            token.message.id.get().unsigned_abs(),
            u64::from(token.message.ep),
            u64::from(token.attempt),
        ];
        let mut random = self.draw(&name);
        let (at, trouble) = (self.at, self.plan.fleet.radio_trouble);
        let trouble = if self.calm { 0 } else { trouble };
        let mut script = script::draw(&mut random, task.parts, trouble);
        if task.body.text().is_none() {
            // The platform keeps no row of a data message.
            script.writes_row = false;
            self.coverage.mark("radio", "a data message", script.word);
        }
        let since = self.phones[no].now(at).unix.0;
        let platform = &mut self.phones[no].platform;
        let mut wait_ms = 0;
        if platform.dialog_until > at {
            wait_ms = platform.dialog_until - at;
            script = self.under_dialog(&mut random, task.parts);
        } else if let Some(code) = platform.obstacle(task.sim.get(), random.next_u64()) {
            script.word = "there is no radio for it";
            script.parts = task.parts;
            script.writes_row = false;
            let refused = (0..task.parts).map(|part| (300, Beat::Result(part, code)));
            script.beats = refused.collect();
        }
        let platform = &mut self.phones[no].platform;
        platform.in_hand.push(InHand {
            token,
            sim: task.sim.get(),
            to: task.to.as_str().to_owned(),
            text: text_of(task),
            parts: script.parts,
            on_air: vec![false; usize::from(script.parts)],
            since,
            writes_row: script.writes_row,
        });
        self.coverage.mark("radio", script.word, "");
        let line = Line::new(Who::Radio(no), "will have exposure {} {w}");
        self.note(line.of_exposure(token.message).word(script.word));
        self.play(no, token, &script, wait_ms);
        self.plan_reports(no, task, &script, wait_ms, &mut random);
        if let Some(after_ms) = mistakes::sends_all_the_same(script.word) {
            let sent = (0..script.parts).map(|part| (after_ms, Beat::OnAir(part)));
            script.beats = sent.collect();
            self.play(no, token, &script, wait_ms);
        }
    }

    fn under_dialog(&mut self, random: &mut Seeded, parts: u8) -> script::Script {
        self.coverage
            .mark("fault", "handed over under a dialog", "");
        if random.percent(50) {
            return script::draw(random, parts, 0);
        }
        let refused = (0..parts).map(|part| (300, Beat::Result(part, 5)));
        script::Script {
            word: "refused in a dialog",
            beats: refused.collect(),
            parts,
            writes_row: false,
        }
    }

    fn play(&mut self, no: usize, token: SendToken, script: &script::Script, wait_ms: u64) {
        let platform = &self.phones[no].platform;
        let (modem, intents) = (platform.modem, platform.intents);
        for (after, beat) in &script.beats {
            let (epoch, event) = match *beat {
                Beat::OnAir(part) => (modem, RadioEvent::OnAir(token, part)),
                Beat::Result(part, code) => {
                    let fact = RadioFact::PartSent {
                        token,
                        part,
                        of: script.parts,
                        code,
                        cause: (code == 1).then_some(38),
                    };
                    (intents, RadioEvent::Tells(fact))
                }
            };
            let radio = Event::Radio {
                phone: no,
                epoch,
                event,
            };
            self.push_in(wait_ms + after + mistakes::own_time_ms(), radio);
        }
    }

    /// The network reports on parts that go on the air.
    fn plan_reports(
        &mut self,
        no: usize,
        task: &SendParts,
        script: &script::Script,
        wait_ms: u64,
        random: &mut Seeded,
    ) {
        if !task.report {
            return;
        }
        let epoch = self.phones[no].platform.intents;
        for (after, beat) in &script.beats {
            let Beat::OnAir(part) = *beat else { continue };
            let mut at = wait_ms + after + random.between(500, 20_000);
            for status in statuses(random) {
                let fact = RadioFact::ReportArrived {
                    token: task.token,
                    part,
                    status,
                    recipient: recipient(random, &task.to),
                };
                let event = RadioEvent::Tells(fact);
                let radio = Event::Radio {
                    phone: no,
                    epoch,
                    event,
                };
                self.push_in(at, radio);
                at += match random.below(3) {
                    0 => random.between(10, 5_000),
                    1 => random.between(5_000, 600_000),
                    _ => random.between(600_000, 36_000_000),
                };
            }
        }
    }

    /// Something of the radio or the platform happens.
    pub(crate) fn radio(&mut self, no: usize, epoch: u64, event: RadioEvent) {
        let platform = &self.phones[no].platform;
        let is_of_modem = matches!(event, RadioEvent::OnAir(..) | RadioEvent::Call(..));
        let present = if is_of_modem {
            platform.modem
        } else {
            platform.intents
        };
        if present != epoch {
            self.coverage
                .mark("radio", "lost with the boot or by force", "");
            return;
        }
        match event {
            RadioEvent::OnAir(token, part) => self.goes_on_air(no, token, part),
            RadioEvent::Tells(fact) => self.tells(no, fact),
            RadioEvent::CallsBack(life, fact) => {
                if self.phones[no].life == life {
                    self.tells(no, fact);
                } else {
                    self.coverage.mark("radio", "who asked is gone", "");
                }
            }
            RadioEvent::Call(index, beat) => self.call_goes_on(no, index, beat),
            RadioEvent::LooksUp(token) => self.looks_up(no, token),
            RadioEvent::Reads(log, from) => self.reads_log(no, log, from),
        }
    }

    pub(super) fn goes_on_air(&mut self, no: usize, token: SendToken, part: u8) {
        let date = self.phones[no].now(self.at).unix.0;
        let platform = &mut self.phones[no].platform;
        let of = platform
            .in_hand
            .iter_mut()
            .rev()
            .find(|of| of.token == token);
        let Some(of) = of else {
            return self.is_dialled(no, token);
        };
        if let Some(on_air) = of.on_air.get_mut(usize::from(part)) {
            *on_air = true;
        }
        let is_whole = of.on_air.iter().all(|on_air| *on_air);
        let parts = of.parts;
        if is_whole && of.writes_row {
            platform.sent.push(SentRow {
                token,
                sim: of.sim,
                to: of.to.clone(),
                text: of.text.clone(),
                date,
                claimed: false,
                forgotten: false,
            });
        }
        let line = Line::new(Who::Radio(no), "part {} of exposure {} is on the air");
        let numbers = [u64::from(part) + 1, u64::from(token.message.ep), 0];
        self.note(line.of(token.message.id).with(numbers));
        let claims = self.hub.claims_unsent(token.message.id);
        let found = self.model.on_air(no, token, parts, part, claims);
        self.judge(found);
    }

    /// A code or a call does what it does.
    fn is_dialled(&mut self, no: usize, token: SendToken) {
        let line = Line::new(Who::Radio(no), "exposure {} is dialled");
        self.note(line.of_exposure(token.message));
        let claims = self.hub.claims_unsent(token.message.id);
        let found = self.model.on_air(no, token, 1, 0, claims);
        self.judge(found);
    }

    /// Tells the app something; starts it where it may be started.
    pub(crate) fn tells(&mut self, no: usize, fact: RadioFact) {
        if self.phones[no].agent.is_none() {
            if !self.phones[no].may_start() {
                self.coverage.mark("radio", "told to nobody", "");
                return;
            }
            self.coverage.mark("radio", "an intent starts the app", "");
            self.start_app(no);
        }
        match &fact {
            RadioFact::PartSent {
                token, part, code, ..
            } => {
                self.coverage.mark("result code", look_up(*code).name, "");
                let line = Line::new(Who::Radio(no), "tells of exposure {}, part {}: {w}");
                let numbers = [u64::from(token.message.ep), u64::from(*part) + 1, 0];
                let line = line.of(token.message.id).with(numbers);
                self.note(line.word(look_up(*code).name));
                let sent = self.phones[no].platform.sent.iter_mut();
                let row = sent.rev().find(|row| row.token == *token);
                if let (Some(row), -1) = (row, *code) {
                    row.claimed = true;
                }
            }
            RadioFact::ReportArrived {
                token,
                part,
                status,
                recipient,
            } => {
                let report = decoded(*status);
                self.coverage.mark("report", report.code, "");
                let line = Line::new(
                    Who::Radio(no),
                    "the network reports on exposure {}, part {}: {w}",
                );
                let numbers = [u64::from(token.message.ep), u64::from(*part) + 1, 0];
                self.note(line.of(token.message.id).with(numbers).word(report.code));
                if is_of_somebody_else(recipient.as_ref()) {
                    self.coverage.mark("report", "of somebody else", "");
                }
            }
            RadioFact::UssdFailed { token, code } => {
                self.is_answered(no, *token);
                let line = Line::new(Who::Radio(no), "the code of exposure {} failed: {w}");
                let line = line.of_exposure(token.message);
                self.note(line.word(ussd::failure(*code).code));
            }
            RadioFact::UssdAnswered { token, .. } => {
                self.is_answered(no, *token);
                let line = Line::new(Who::Radio(no), "the code of exposure {} has its answer");
                self.note(line.of_exposure(token.message));
            }
            RadioFact::CallRefused { token, why } => {
                let line = Line::new(Who::Radio(no), "the call of exposure {}: {w}");
                self.note(line.of_exposure(token.message).word(why.as_str()));
            }
            _ => {}
        }
        self.phone_input(no, Input::Fact(fact));
    }

    /// The machine hears a fact: from now on it has to know. Returns it as a wrong phone hears it.
    pub(crate) fn hears(&mut self, no: usize, fact: RadioFact) -> Option<RadioFact> {
        match &fact {
            RadioFact::PartSent {
                token,
                part,
                of,
                code,
                ..
            } => self.model.told(no, *token, (*part, *of), *code),
            RadioFact::ReportArrived {
                token,
                part,
                status,
                recipient,
            } if !is_of_somebody_else(recipient.as_ref()) => {
                let outcome = decoded(*status).outcome;
                self.model.reported(no, *token, *part, outcome);
            }
            RadioFact::UssdFailed { token, code } => {
                let is_proof = ussd::failure(*code).is_proof;
                self.model.refused(no, *token, is_proof);
            }
            RadioFact::CallRefused { token, .. } => self.model.refused(no, *token, true),
            _ => {}
        }
        self.heard(fact)
    }

    /// Looks a hand-over up by recipient, text and time; the machine claims each row once.
    fn looks_up(&mut self, no: usize, token: SendToken) {
        let platform = &mut self.phones[no].platform;
        let of = platform.in_hand.iter().rev().find(|of| of.token == token);
        let mut is_of_nobody = false;
        let rows: Vec<_> = of.cloned().map_or_else(Vec::new, |of| {
            let alike = (1..).zip(&platform.sent).filter(|(_, row)| {
                let says_the_same = row.sim == of.sim && row.to == of.to && row.text == of.text;
                says_the_same && row.date >= of.since
            });
            let found = alike.map(|(row, sent)| {
                is_of_nobody |= sent.forgotten;
                machine::SentRow {
                    row,
                    at: UnixMs(sent.date),
                }
            });
            found.collect()
        });
        if is_of_nobody {
            // Dates that the clock passes again, and the journal that knows them is gone: such a
            // phone takes another message's row for its own.
            self.coverage
                .mark("radio", "the row of a forgotten installation", "");
            self.model.taint_messages(vec![token.message.id]);
        }
        let word = if rows.is_empty() {
            "not found"
        } else {
            "found"
        };
        self.coverage.mark("radio", "the provider's row", word);
        let line = Line::new(Who::Radio(no), "the row of exposure {} is {w}");
        self.note(line.of_exposure(token.message).word(word));
        self.tells(no, RadioFact::SentRowRead { token, rows });
    }
}

fn decoded(status: ReportStatus) -> tp_status::DeliveryReport {
    match status {
        ReportStatus::Gsm(status) => tp_status::decode_3gpp(status),
        ReportStatus::Cdma(status) => tp_status::decode_3gpp2(status),
    }
}

fn is_of_somebody_else(recipient: Option<&Address>) -> bool {
    recipient.is_some_and(|to| to.as_str().ends_with("59999"))
}

/// Returns the text of a hand-over.
fn text_of(task: &SendParts) -> postrider_model::MessageText {
    task.body.text().cloned().unwrap_or_default()
}

/// The reports of one part, in their order: perhaps none, perhaps more than one final one.
fn statuses(random: &mut Seeded) -> Vec<ReportStatus> {
    let mut list = Vec::new();
    for _ in 0..random.below(3) {
        let pending = random.between(0x20, 0x3f);
        list.push(ReportStatus::Gsm(u8::try_from(pending).unwrap_or(0x20)));
    }
    let last = match random.below(20) {
        0 => None,
        1 => Some(ReportStatus::Gsm(0x01)),
        2 => Some(ReportStatus::Gsm(
            u8::try_from(random.between(0x40, 0x5f)).unwrap_or(0x40),
        )),
        3 => Some(ReportStatus::Gsm(
            u8::try_from(random.between(0x60, 0x7f)).unwrap_or(0x60),
        )),
        4 => Some(ReportStatus::Gsm(
            u8::try_from(random.between(0x80, 0xff)).unwrap_or(0x80),
        )),
        5 => {
            let (class, status) = (random.below(4), random.below(16));
            let value = (class << 24) | (status << 16);
            Some(ReportStatus::Cdma(u32::try_from(value).unwrap_or(0)))
        }
        6 => Some(ReportStatus::Gsm(0x02)),
        _ => Some(ReportStatus::Gsm(0x00)),
    };
    list.extend(last);
    if random.percent(15) {
        list.extend(list.clone());
    }
    list
}

fn recipient(random: &mut Seeded, to: &Address) -> Option<Address> {
    match random.below(20) {
        0 => Some(Address::new("+15005559999")),
        1..10 => Some(to.clone()),
        _ => None,
    }
}
