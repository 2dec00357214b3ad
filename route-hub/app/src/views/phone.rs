//! A phone (basic route).

use crate::views::pages::{Page, write_pages};
use hub_domain::{KindQueue, Phone, PhoneAccount, PhoneType, Project};
use hub_store::{StoreError, Tx, phone_accounts};
use hub_view::{ObjectWriter, Resource};
use postrider_model::UnixMs;
use serde_json::{Value, json};

/// A phone with what its project says in its place.
#[derive(Debug, Clone)]
pub struct PhoneView {
    /// The phone.
    pub phone: Phone,
    /// The project's zone, for a phone without its own.
    pub timezone_id: String,
    /// Its account, for a phone at a provider.
    pub account: Option<PhoneAccount>,
}

impl PhoneView {
    /// Shows a phone of `project`.
    pub fn new(phone: Phone, project: &Project) -> Self {
        Self {
            phone,
            timezone_id: project.timezone_id.clone(),
            account: None,
        }
    }

    /// Shows a phone of `project` with its account, where a provider sends for it.
    pub fn read(tx: &mut Tx<'_>, phone: Phone, project: &Project) -> Result<Self, StoreError> {
        let account = if phone.phone_type.is_provider() {
            Some(phone_accounts::get(tx, phone.id)?.unwrap_or_default())
        } else {
            None
        };
        Ok(Self {
            account,
            ..Self::new(phone, project)
        })
    }

    /// Shows phones of `project`.
    pub fn read_all(
        tx: &mut Tx<'_>,
        phones: Vec<Phone>,
        project: &Project,
    ) -> Result<Vec<Self>, StoreError> {
        let read = |phone| Self::read(tx, phone, project);
        phones.into_iter().map(read).collect()
    }
}

impl Resource for PhoneView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let phone = &self.phone;
        out.put("id", &phone.id);
        out.put("name", &phone.name);
        out.put("phone_number", &phone.phone_number);
        out.put("phone_type", phone.phone_type.as_str());
        out.put("country", &phone.country);
        out.put("send_paused", &phone.send_paused);
        out.put("time_created", &phone.time_created.seconds());
        out.put("last_active_time", &seconds(phone.last_active_time));
        out.put("vars", &phone.vars);
        out.put("project_id", &phone.project_id);
        write_pages(out, &[Page::Shown]);
        if phone.phone_type == PhoneType::Android {
            write_android(phone, out);
        }
        self.write_sending(out);
        out.put("tariff", &phone.tariff);
        if let Some(account) = &self.account {
            write_account(account, out);
        }
    }
}

impl PhoneView {
    fn write_sending(&self, out: &mut ObjectWriter<'_>) {
        let phone = &self.phone;
        out.put("sent_message_limit", &phone.sent_message_limit);
        out.put("sent_message_count", &phone.sent_message_count);
        out.put("sent_message_epoch", &phone.sent_message_epoch.seconds());
        out.put("send_delay", &(phone.send_delay_ms / 1_000));
        let validate = phone.validate_recipient_numbers;
        out.put("validate_recipient_numbers", &validate);
        let countries = &phone.allowed_recipient_countries;
        out.put("allowed_recipient_countries", countries);
        let zone = phone.timezone_id.as_ref().unwrap_or(&self.timezone_id);
        out.put("timezone_id", zone);
        out.put("quiet_mode", phone.quiet_mode.as_str());
        out.put("quiet_start", &phone.quiet_start);
        out.put("quiet_end", &phone.quiet_end);
    }
}

/// Shows an account without its secret. Providers cannot reach this hub yet: there is nowhere to.
fn write_account(account: &PhoneAccount, out: &mut ObjectWriter<'_>) {
    const SETUP: &str =
        r#"{"incoming_message_url":null,"message_status_url":null,"incoming_call_url":null}"#;
    out.put("external_account_id", &account.external_account_id);
    out.put("external_id", &account.external_id);
    out.put_json("external_config", &account.external_config);
    out.put_json("external_setup", SETUP);
}

fn write_android(phone: &Phone, out: &mut ObjectWriter<'_>) {
    out.put("battery", &phone.battery);
    out.put("charging", &phone.charging);
    out.put("internet_type", &phone.internet_type);
    out.put("app_version", &phone.app_version);
    out.put("android_sdk", &phone.android_sdk);
    out.put("mccmnc", &phone.mccmnc);
    out.put("carrier", &phone.carrier);
    out.put("signal", &phone.signal);
    out.put("forwarding", &phone.forwarding);
    out.put("queue", &phone.queue);
    let kinds: Vec<_> = phone.kinds.iter().map(kind_queue).collect();
    out.put("kinds", &kinds);
    out.put("manufacturer", &phone.manufacturer);
    out.put("model", &phone.model);
    out.put("send_limit", &phone.send_limit);
    out.put("send_limit_max", &phone.send_limit_max);
    out.put("device_send_limit_max", &phone.device_send_limit_max);
    out.put("silent_after", &phone.waits.silent_after);
    out.put("unknown_after", &phone.waits.unknown_after);
    out.put("report_window", &phone.waits.report_window);
    out.put("shift_tables", &phone.shift_tables);
    out.put("delivery_reports", &phone.delivery_reports);
    out.put("sim_changed", &phone.sim_changed);
    let waiting_for = phone.waiting_for.map(|reason| reason.as_str());
    out.put("waiting_for", &waiting_for);
    out.put("next_slot_time", &seconds(phone.next_slot_time));
}

fn kind_queue(queue: &KindQueue) -> Value {
    json!({
        "kind": queue.kind.as_str(),
        "queue": queue.queue,
        "waiting_for": queue.waiting_for.map(|reason| reason.as_str()),
        "next_slot_time": seconds(queue.next_slot_time),
    })
}

fn seconds(time: Option<UnixMs>) -> Option<i64> {
    time.map(UnixMs::seconds)
}
