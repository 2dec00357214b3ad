//! What somebody gives of a campaign.

use crate::actor::Actor;
use crate::commands::campaign_items::{self, CampaignItem};
use crate::commands::new_message::{Given, Kind};
use crate::commands::stored_message::{MessagePatch, StoredMessage};
use crate::failure::Failure;
use crate::files;
use crate::labels;
use crate::messages::linking;
use crate::messages::sender::Sender;
use crate::messages::sending::{Operation, Sending};
use hub_domain::{Campaign, CampaignType, Project};
use hub_store::campaigns;
use hub_view::Refusal;
use postrider_model::{GroupId, UnixMs};

/// A campaign that is to be made, or what is to be changed of one: `None` stays, an inner `None` is taken
/// away.
#[derive(Debug, Clone, Default)]
pub struct CampaignPatch {
    /// Its name.
    pub name: Option<String>,
    /// What its messages say.
    pub message: MessagePatch,
    /// Whom it is for.
    pub group_id: Option<Option<GroupId>>,
    /// Who of them gets nothing.
    pub exclude_group_id: Option<Option<GroupId>>,
    /// Where those go who answer.
    pub respondent_group_id: Option<Option<GroupId>>,
    /// Where those go who click.
    pub clicked_group_id: Option<Option<GroupId>>,
    /// The name of a zone; an empty one is the project's.
    pub timezone_id: Option<String>,
    /// Whether it is sent at a time rather than at once.
    pub at_time: Option<bool>,
    /// That time.
    pub schedule_time: Option<Option<UnixMs>>,
    /// The contact variable with the date.
    pub date_variable: Option<Option<String>>,
    /// What it sends by that date.
    pub items: Option<Vec<CampaignItem>>,
}

impl CampaignPatch {
    /// Makes files of the bytes that it brings.
    pub(super) async fn keep_files(&mut self, actor: &Actor) -> Result<(), Failure> {
        let media = self.message.media.as_mut();
        files::keep(actor, media.and_then(Option::as_mut)).await?;
        for (index, item) in self.items.iter_mut().flatten().enumerate() {
            let kept = files::keep(actor, item.media.as_mut()).await;
            kept.map_err(|failure| failure.within(format_args!("items[{index}]")))?;
        }
        Ok(())
    }

    /// Checks that the labels, the route and the short domain that it names are there.
    pub(super) async fn check(&self, actor: &Actor) -> Result<(), Failure> {
        let (hub, project) = (&actor.hub, &actor.project);
        if let Some(named) = self.message.sender.iter().flatten().next() {
            Sender::named(hub, named, project).await?;
        }
        if let Some(params) = self.message.short_links.iter().flatten().next() {
            linking::domain(hub, project, params).await?;
        }
        let named = self.message.labels.clone().unwrap_or_default();
        labels::all_known(hub, project, named).await?;
        Ok(())
    }

    /// Puts it into a campaign.
    pub(super) fn apply(
        &self,
        project: &Project,
        campaign: &mut Campaign,
        sees: bool,
    ) -> Result<(), Failure> {
        self.refuse_what_does_not_fit(campaign.campaign_type)?;
        let mut message = StoredMessage::read(&campaign.message)
            .map_err(|unreadable| unreadable.in_column(campaigns::MESSAGE))?;
        self.message.clone().change(&mut message, sees)?;
        message.options.kind = match campaign.campaign_type {
            CampaignType::BroadcastCall => Kind::Call,
            CampaignType::BroadcastText | CampaignType::Relative | CampaignType::Anniversary => {
                Kind::Text
            }
        };
        let options = &mut message.options;
        set(
            &mut options.clicked_group_id,
            self.clicked_group_id.as_ref(),
        );
        let has_text = options.kind == Kind::Text && options.payload.is_none();
        if self.message.replaces_variables.is_none() {
            // The text of a campaign has variables unless somebody wants none.
            let before = options.replaces_variables.take();
            let replaces = before.unwrap_or(Given::new("replace_variables", true));
            options.replaces_variables = has_text.then_some(replaces);
        }
        Sending::of(&message.options, Operation::Multi)?;
        campaign.message = message.to_text();
        set(&mut campaign.name, self.name.as_ref());
        set(&mut campaign.group_id, self.group_id.as_ref());
        set(
            &mut campaign.exclude_group_id,
            self.exclude_group_id.as_ref(),
        );
        set(
            &mut campaign.respondent_group_id,
            self.respondent_group_id.as_ref(),
        );
        set(&mut campaign.date_variable, self.date_variable.as_ref());
        if let Some(items) = &self.items {
            campaign.items = campaign_items::to_text(items);
        }
        if let Some(zone) = &self.timezone_id {
            campaign.timezone_id = if zone.is_empty() {
                project.timezone_id.clone()
            } else {
                zone.clone()
            };
        }
        self.apply_time(campaign);
        Ok(())
    }

    /// A time says when it is sent; without a time nothing does, unless that is said beside it.
    fn apply_time(&self, campaign: &mut Campaign) {
        if let Some(at) = self.schedule_time {
            campaign.schedule_time = at;
            campaign.at_time = at.is_some();
        }
        match self.at_time {
            Some(true) => campaign.at_time = true,
            Some(false) if self.schedule_time.flatten().is_none() => {
                campaign.at_time = false;
                campaign.schedule_time = None;
            }
            Some(false) | None => {}
        }
    }

    /// Refuses what campaigns of a type have not.
    fn refuse_what_does_not_fit(&self, of: CampaignType) -> Result<(), Refusal> {
        let has_items = self.items.as_ref().is_some_and(|items| !items.is_empty());
        let has_media = matches!(self.message.media, Some(Some(_)));
        let (rule, given) = if of.is_broadcast() {
            (
                "is for campaigns of the types relative and anniversary",
                vec![
                    ("date_variable", matches!(self.date_variable, Some(Some(_)))),
                    ("items", has_items),
                ],
            )
        } else {
            (
                "is for campaigns that are sent once: here each of items has its own",
                vec![
                    ("content", matches!(self.message.content, Some(Some(_)))),
                    ("media", has_media),
                    (
                        "route_params",
                        matches!(self.message.payload, Some(Some(_))),
                    ),
                    ("schedule_time", matches!(self.schedule_time, Some(Some(_)))),
                    ("schedule_mode", self.at_time == Some(true)),
                ],
            )
        };
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Refusal::invalid_param(name, rule)),
            None => Ok(()),
        }
    }
}

fn set<T: Clone>(place: &mut T, given: Option<&T>) {
    if let Some(given) = given {
        place.clone_from(given);
    }
}
