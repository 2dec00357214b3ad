//! A campaign.

use crate::commands::campaign_items::{self, CampaignItem};
use crate::commands::new_message::SendOptions;
use crate::commands::stored_message::StoredMessage;
use crate::holds::{self, Hold, Holds};
use crate::hub::files::Addresses;
use crate::views::file;
use crate::views::pages::{Page, write_pages};
use crate::views::stored_message::{media, write_message};
use hub_domain::{Campaign, CampaignType, MessageType};
use hub_store::{StoreError, Tx, broadcasts, groups};
use hub_view::{ObjectWriter, Resource};
use postrider_model::UnixMs;
use serde_json::{Value as Json, json};

/// A campaign with its numbers.
#[derive(Debug, Clone)]
pub struct CampaignView {
    /// The campaign.
    pub campaign: Campaign,
    message: StoredMessage,
    items: Vec<CampaignItem>,
    estimated_count: Option<i64>,
    message_count: i64,
    pub(crate) hold: Option<Hold>,
    addresses: Addresses,
}

impl CampaignView {
    /// Looks up how many messages a campaign has, and what it waits for.
    pub(crate) fn read(
        tx: &mut Tx<'_>,
        campaign: Campaign,
        addresses: &Addresses,
        holds: &mut Holds<'_>,
    ) -> Result<Self, StoreError> {
        let project = campaign.project_id;
        let message = StoredMessage::read(&campaign.message).unwrap_or_default();
        let broadcast = match campaign.broadcast_id {
            Some(id) => broadcasts::get(tx, project, id)?,
            None => None,
        };
        let group = match campaign.group_id {
            Some(id) if broadcast.is_none() => groups::get(tx, project, id)?,
            _ => None,
        };
        let members = group.filter(|group| !group.is_dynamic());
        let members = members.map(|group| group.num_members);
        let hold = holds.of_campaign(tx, &campaign, broadcast.as_ref(), &message)?;
        let estimated = broadcast
            .as_ref()
            .map(|broadcast| broadcast.estimated_count);
        let sent = broadcast.map(|broadcast| broadcast.counts.total());
        Ok(Self {
            message,
            hold,
            items: campaign_items::read(&campaign.items).unwrap_or_default(),
            estimated_count: estimated.or(members),
            message_count: sent.unwrap_or(campaign.message_count),
            addresses: addresses.clone(),
            campaign,
        })
    }

    fn items(&self) -> Vec<Json> {
        let items = self.items.iter().map(|item| {
            let media = item.media.as_ref();
            let media = media.map_or(&[][..], |media| &media.value);
            json!({
                "offset_scale": item.offset_scale.as_str(),
                "offset_count": item.offset_count,
                "time_of_day": item.time_of_day.to_string(),
                "content": item.content.as_ref().map(|content| content.as_str()),
                "media": file::media(media, &self.addresses, true),
            })
        });
        items.collect()
    }
}

fn short_link_params(options: &SendOptions) -> Option<Json> {
    let params = options.short_links.as_ref()?;
    Some(json!({ "domain": params.domain, "expiration_sec": params.expiration_sec }))
}

/// The value of what no campaign can have yet.
const NOTHING: Option<&str> = None;

impl Resource for CampaignView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let campaign = &self.campaign;
        let message_type = match campaign.campaign_type {
            CampaignType::BroadcastCall => MessageType::Call,
            CampaignType::BroadcastText | CampaignType::Relative | CampaignType::Anniversary => {
                MessageType::Sms
            }
        };
        out.put("id", &campaign.id);
        out.put("campaign_type", campaign.campaign_type.as_str());
        out.put("name", &campaign.name);
        out.put("status", campaign.status.as_str());
        holds::write(out, self.hold);
        out.put_some("error_message", campaign.problem.as_deref());
        out.put("group_id", &campaign.group_id);
        out.put("exclude_group_id", &campaign.exclude_group_id);
        out.put("respondent_group_id", &campaign.respondent_group_id);
        let options = &self.message.options;
        out.put("clicked_group_id", &options.clicked_group_id);
        let mode = if campaign.at_time {
            "at_time"
        } else {
            "immediate"
        };
        out.put("schedule_mode", mode);
        let schedule_time = campaign.schedule_time.map(UnixMs::seconds);
        out.put("schedule_time", &schedule_time);
        out.put("timezone_id", &campaign.timezone_id);
        out.put("date_variable", &campaign.date_variable);
        out.put("items", &self.items());
        write_message(out, &self.message, message_type.as_str());
        out.put("media", &media(&self.message, &self.addresses));
        out.put("short_link_params", &short_link_params(options));
        out.put("broadcast_id", &campaign.broadcast_id);
        out.put("estimated_count", &self.estimated_count);
        out.put("message_count", &self.message_count);
        out.put("time_created", &campaign.time_created.seconds());
        out.put("time_updated", &campaign.time_updated.seconds());
        write_pages(out, &[Page::Shown, Page::Edit, Page::Send]);
        out.put("user_id", &NOTHING);
        out.put("project_id", &campaign.project_id);
    }
}
