//! Short links in texts: for the URLs of who wants to know of clicks, and for media below a text.
//!
//! A code has the same length for everybody, so a text is written and its parts are counted once, with
//! blank codes. Each message gets codes of its own when it is stored.

use crate::commands::new_message::{SendOptions, ShortLinkParams};
use crate::failure::Failure;
use crate::hub::Hub;
use crate::messages::sending::Sending;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{
    CODE_LENGTH, LinkCode, LinkTarget, Medium, Message, Project, ShortDomain, ShortLink,
};
use hub_rules::urls;
use hub_store::{StoreError, short_links, statistics};
use hub_view::Refusal;
use postrider_model::{GroupId, MessageText};
use std::collections::BTreeMap;

/// Most short links in one text.
const LINKS_MAX: usize = 100;

/// How the short links of a request's messages are made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Linking {
    /// Whether URLs in texts become short links, and clicks count.
    pub tracks: bool,
    domain: Option<String>,
    prefix: String,
    expiration_sec: Option<i64>,
    clicked_group_id: Option<GroupId>,
}

impl Linking {
    /// Checks what is asked for, and looks up the domain.
    pub(crate) async fn of(
        hub: &Hub,
        project: &Project,
        options: &SendOptions,
        sending: &Sending,
    ) -> Result<Self, Failure> {
        let refused = |param, rule| Err(Refusal::invalid_param(param, rule).into());
        if options.track_clicks && !matches!(sending, Sending::Text | Sending::Mms) {
            return refused("track_clicks", "is for texts alone");
        }
        let params = options.short_links.clone().unwrap_or_default();
        let domain = domain(hub, project, &params).await?;
        Ok(Self {
            tracks: options.track_clicks,
            prefix: prefix(hub, project, domain.as_deref()),
            domain,
            expiration_sec: params.expiration_sec,
            clicked_group_id: options.clicked_group_id,
        })
    }

    #[cfg(test)]
    pub(crate) fn plain(tracks: bool) -> Self {
        Self {
            tracks,
            domain: None,
            prefix: "https://hub.example/s/".to_owned(),
            expiration_sec: None,
            clicked_group_id: None,
        }
    }

    /// Makes the links of a message, each with a code that nobody had before.
    pub(crate) fn make(
        &self,
        work: &UnitOfWork<'_, '_>,
        message: &Message,
        text: &Linked,
    ) -> Vec<ShortLink> {
        let life_ms = self.expiration_sec.map(|sec| sec.saturating_mul(1_000));
        let places = (0..).zip(&text.slots);
        let links = places.map(|(place, slot)| ShortLink {
            project_id: message.project_id,
            message_id: message.id,
            place,
            code: drawn(work),
            prefix: self.prefix.clone(),
            domain: self.domain.clone(),
            target: slot.target.clone(),
            is_counted: self.tracks,
            expiration_time: life_ms.map(|life_ms| message.time_created.plus_ms(life_ms)),
            life_ms,
            time_clicked: None,
            broadcast_id: message.broadcast_id,
            clicked_group_id: self.clicked_group_id,
        });
        links.collect()
    }
}

fn drawn(work: &UnitOfWork<'_, '_>) -> LinkCode {
    LinkCode::of_number(u128::from_le_bytes(work.hub.random.bytes()))
}

/// Returns the short domain that links are asked to be at.
pub(crate) async fn domain(
    hub: &Hub,
    project: &Project,
    params: &ShortLinkParams,
) -> Result<Option<String>, Failure> {
    let Some(name) = &params.domain else {
        return Ok(None);
    };
    let rule = "is not a short domain that the operator registered for this project";
    let unknown = || Refusal::invalid_param("short_link_params[domain]", rule);
    let found = registered(hub, project, name).await?;
    Ok(Some(found.ok_or_else(unknown)?.name))
}

async fn registered(
    hub: &Hub,
    project: &Project,
    name: &str,
) -> Result<Option<ShortDomain>, Failure> {
    let Some(name) = ShortDomain::read_name(name) else {
        return Ok(None);
    };
    let found = hub.short_domain(&name).await?;
    Ok(found.filter(|domain| domain.is_for(project.id, project.organization_id)))
}

/// Returns what stands before the codes of a project's links.
fn prefix(hub: &Hub, project: &Project, domain: Option<&str>) -> String {
    let whole = match domain {
        Some(domain) => format!("https://{domain}/"),
        None => format!("{}/s/", hub.base_url),
    };
    match (project.short_link_scheme, whole.split_once("://")) {
        (false, Some((_, rest))) => rest.to_owned(),
        _ => whole,
    }
}

/// What stands on a line of its own below a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Line {
    /// An address as it is.
    Address(String),
    /// A short link.
    Short(LinkTarget),
}

impl Line {
    /// Returns what stands for a medium: the address of somebody else as it is, unless its clicks count;
    /// a link to a stored file.
    pub(crate) fn of(index: u32, medium: &Medium, tracks: bool) -> Option<Self> {
        match (medium.file_id, medium.url.clone()) {
            (Some(id), _) => Some(Self::Short(LinkTarget::File { index, id })),
            (None, Some(address)) if tracks => {
                Some(Self::Short(LinkTarget::Medium { index, address }))
            }
            (None, address) => address.map(Self::Address),
        }
    }
}

/// A text with places for the codes of its short links.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Linked {
    text: MessageText,
    slots: Vec<Slot>,
}

/// Where the code of a link stands in a text, and where the link leads.
#[derive(Debug, Clone, PartialEq)]
struct Slot {
    target: LinkTarget,
    at: Vec<usize>,
}

impl Linked {
    /// Puts links in for the URLs of a text where their clicks count, and lines below it.
    ///
    /// # Errors
    /// What is wrong with it: it has too many links.
    pub(crate) fn of(text: &str, lines: &[Line], by: &Linking) -> Result<Self, String> {
        let mut writer = Writer::new(&by.prefix);
        if by.tracks {
            writer.shortened(text);
        } else {
            writer.out.push_str(text);
        }
        for line in lines {
            writer.line(line);
        }
        if writer.slots.len() > LINKS_MAX {
            Err(format!("has more than {LINKS_MAX} links"))
        } else {
            Ok(Self {
                text: MessageText::new(writer.out),
                slots: writer.slots,
            })
        }
    }

    /// As [`Self::of`], of a template as it stands: what its URLs will be is not known yet.
    pub(crate) fn of_template(text: &str, lines: &[Line], by: &Linking) -> Self {
        let mut writer = Writer::new(&by.prefix);
        writer.out.push_str(text);
        for line in lines {
            writer.line(line);
        }
        Self {
            text: MessageText::new(writer.out),
            slots: writer.slots,
        }
    }

    /// Returns it with blank codes, which are as long as all others.
    pub(crate) fn blank(&self) -> &str {
        self.text.as_str()
    }

    /// Returns it with the codes of these links.
    pub(crate) fn with(&self, links: &[ShortLink]) -> MessageText {
        if self.slots.is_empty() {
            return self.text.clone();
        }
        let mut text = self.text.as_str().to_owned();
        for slot in &self.slots {
            let Some(link) = links.iter().find(|link| link.target == slot.target) else {
                continue;
            };
            for at in &slot.at {
                text.replace_range(*at..at + CODE_LENGTH, link.code.as_str());
            }
        }
        MessageText::new(text)
    }
}

/// A text with links while it is written.
struct Writer<'p> {
    prefix: &'p str,
    out: String,
    slots: Vec<Slot>,
    known: BTreeMap<LinkTarget, usize>,
}

impl<'p> Writer<'p> {
    fn new(prefix: &'p str) -> Self {
        Self {
            prefix,
            out: String::new(),
            slots: Vec::new(),
            known: BTreeMap::new(),
        }
    }

    /// Writes a text with a link for each URL; one that stands there twice has one link.
    fn shortened(&mut self, text: &str) {
        let mut end = 0;
        for url in urls(text) {
            self.out.push_str(&text[end..url.start]);
            end = url.end;
            self.link(&LinkTarget::Address(text[url].to_owned()));
        }
        self.out.push_str(&text[end..]);
    }

    fn line(&mut self, line: &Line) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        match line {
            Line::Address(address) => self.out.push_str(address),
            Line::Short(target) => self.link(target),
        }
    }

    fn link(&mut self, target: &LinkTarget) {
        self.out.push_str(self.prefix);
        let at = self.out.len();
        self.out.push_str(LinkCode::BLANK.as_str());
        match self.known.get(target) {
            Some(place) => self.slots[*place].at.push(at),
            None => {
                self.known.insert(target.clone(), self.slots.len());
                self.slots.push(Slot {
                    target: target.clone(),
                    at: vec![at],
                });
            }
        }
    }
}

/// Has the links of a message that is queued again last as long as from its first queueing on.
pub(crate) fn renew(work: &mut UnitOfWork<'_, '_>, message: &Message) -> Result<(), StoreError> {
    if !message.may_have_links() {
        return Ok(());
    }
    let (project, made) = (message.project_id, message.time_created);
    short_links::renew(work.tx, project, message.id, made, work.now.unix)
}

/// Gives a message that was copied from another links of its own.
pub(crate) fn copy(
    work: &mut UnitOfWork<'_, '_>,
    from: &Message,
    to: &mut Message,
) -> Result<(), StoreError> {
    if !from.may_have_links() {
        return Ok(());
    }
    let links = short_links::of_message(work.tx, from.project_id, from.id)?;
    let mut copies = Vec::with_capacity(links.len());
    for link in links {
        let life_ms = link.life_of(from.time_created);
        let copy = ShortLink {
            message_id: to.id,
            code: drawn(work),
            expiration_time: life_ms.map(|life_ms| to.time_created.plus_ms(life_ms)),
            life_ms,
            time_clicked: None,
            broadcast_id: None,
            ..link.clone()
        };
        let renew = |text: MessageText| {
            MessageText::new(text.as_str().replace(&link.short_url(), &copy.short_url()))
        };
        to.content = to.content.take().map(renew);
        to.disclosure.template = to.disclosure.template.take().map(renew);
        copies.push(copy);
    }
    short_links::insert_all(work.tx, &copies)?;
    statistics::count_links(work.tx, std::slice::from_ref(to), &copies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::{Id, Key, UnixMs};
    use proptest::prelude::*;

    fn links_of(text: &Linked, by: &Linking) -> Vec<ShortLink> {
        let id = |key| Id::new(Key::new(key).unwrap());
        let places = (0..).zip(&text.slots);
        let links = places.map(|(place, slot)| ShortLink {
            project_id: Id::new(Key::default()),
            message_id: Id::new(Key::default()),
            place,
            code: LinkCode::of_number(u128::from(place) + 1),
            prefix: by.prefix.clone(),
            domain: None,
            target: slot.target.clone(),
            is_counted: true,
            expiration_time: None::<UnixMs>,
            life_ms: None,
            time_clicked: None,
            broadcast_id: Some(id(1)),
            clicked_group_id: None,
        });
        links.collect()
    }

    /// What people write, with URLs among it.
    fn text() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            3 => "[a-zA-Zäöü中😀.,!?()<>\"' \n/:]{0,8}",
            2 => "https?://[a-c]\\.example(/[a-z0-9_%()~-]{0,6}){0,2}(\\?[a-z]=[0-9&]{0,3})?(#[a-z]{0,3})?",
            1 => Just("https://hub.example/s/00000000000".to_owned()),
            1 => "(www\\.|ftp://|mailto:)?[a-c]\\.example",
        ];
        prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
    }

    /// What may stand directly before or after a URL without being part of it.
    const BESIDE: &[&str] = &[
        " ", "\n", "\u{a0}", "\u{3000}", "\u{2028}", "“", "”", "‘", "’", "«", "»", "…", "—", "。",
        "，", "、", "！", "（", "）", "،", "।", ", ", ". ", "\" ", ") ",
    ];
    /// What may follow one, too, unless its path has letters beyond ASCII.
    const DIRECTLY: &[&str] = &["查看", "を", "ที่", "😀"];

    /// A text with the URLs that its author meant, in its order.
    fn text_and_urls() -> impl Strategy<Value = (String, Vec<String>)> {
        let url = "https?://(例え|[a-c])\\.example((/[a-z0-9_~-]{1,6}){0,2}(\\?[a-z]=[0-9]{1,3})?|/größe)";
        let beside = || proptest::sample::select([BESIDE, DIRECTLY].concat());
        let piece = (beside(), url, beside(), "[a-zäé中 ]{0,8}");
        prop::collection::vec(piece, 0..8).prop_map(|pieces| {
            let mut text = String::new();
            let mut urls = Vec::new();
            for (before, url, after, words) in pieces {
                let is_open = url.ends_with("größe") && DIRECTLY.contains(&after);
                let after = if is_open { "。" } else { after };
                text.extend([before, &url, after, &words]);
                urls.push(url);
            }
            (text, urls)
        })
    }

    proptest! {
        #[test]
        fn a_link_leads_where_its_author_meant_and_no_text_is_lost((text, meant) in text_and_urls()) {
            let by = Linking::plain(true);
            let linked = Linked::of(&text, &[], &by).unwrap();
            let short = format!("{}{}", by.prefix, LinkCode::BLANK.as_str());
            let mut rest = linked.blank();
            let mut whole = text.as_str();
            for url in &meant {
                let (before, after) = whole.split_once(url.as_str()).unwrap();
                let after_link = rest.strip_prefix(before).and_then(|rest| rest.strip_prefix(&short));
                prop_assert!(after_link.is_some(), "{url} is no link, or text before it is lost: {rest}");
                (rest, whole) = (after_link.unwrap_or_default(), after);
            }
            prop_assert_eq!(rest, whole);
            let mut different = meant;
            different.sort_unstable();
            different.dedup();
            let mut targets: Vec<_> = linked.slots.iter().map(|slot| slot.target.address().unwrap().to_owned()).collect();
            targets.sort_unstable();
            prop_assert_eq!(targets, different);
        }

        /// A plain look: putting each URL back in the place of its link makes the text again.
        #[test]
        fn links_stand_for_the_urls_of_a_text_and_change_nothing_else(text in text()) {
            let by = Linking::plain(true);
            let linked = Linked::of(&text, &[], &by).unwrap();
            let links = links_of(&linked, &by);
            let written = linked.with(&links);
            prop_assert_eq!(written.as_str().len(), linked.blank().len());
            let mut back = written.as_str().to_owned();
            for link in &links {
                let short = link.short_url();
                prop_assert!(back.contains(&short), "a link that stands nowhere");
                back = back.replace(&short, link.target.address().unwrap());
            }
            prop_assert_eq!(&back, &text);
            let mut different: Vec<_> = urls(&text).into_iter().map(|url| &text[url]).collect();
            different.sort_unstable();
            different.dedup();
            prop_assert_eq!(links.len(), different.len());
        }
    }
}
