//! How texts are written: as they were given, or with variables put in for each recipient; with short
//! links in them, and with links to media below.

use crate::commands::new_message::SendOptions;
use crate::messages::linking::{Line, Linked, Linking};
use crate::messages::ready::scope;
use crate::messages::sending::{Body, Sending};
use hub_domain::{Contact, Medium, Phone, Project};
use hub_rules::{Template, is_property};
use hub_view::Refusal;
use postrider_text::PARTS_MAX_DEFAULT;
use postrider_text::parts::count_within;

/// Longest text that a template may make, in bytes; far more than an SMS may have.
const RENDERED_BYTES_MAX: usize = 20_000;

/// What all texts of a request share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Writing {
    /// Whether `[[variables]]` are put in.
    pub replaces: bool,
    /// What the messages carry.
    pub media: Vec<Medium>,
    /// How the short links in them are made.
    pub links: Linking,
    /// What stands on lines of its own below each text.
    lines: Vec<Line>,
    /// Most SMS parts that a text may need; `None`: it has none.
    parts_max: Option<u32>,
}

impl Writing {
    /// Says how texts are written: what is asked for is of texts alone.
    pub(crate) fn of(
        options: &SendOptions,
        sending: &Sending,
        project: &Project,
        links: Linking,
    ) -> Result<Self, Refusal> {
        let asked = options.replaces_variables.as_ref();
        let asked = asked.filter(|asked| asked.value);
        let media = options.media.as_ref();
        let media = media.filter(|media| !media.value.is_empty());
        let is_whole = *sending == Sending::Mms;
        if !is_whole && *sending != Sending::Text {
            let asked = asked.map(|asked| &asked.param);
            if let Some(param) = asked.or(media.map(|media| &media.param)) {
                return Err(Refusal::invalid_param(param, "is for texts alone"));
            }
        }
        let media = media.map(|media| media.value.clone()).unwrap_or_default();
        let lines = (0..).zip(&media).filter(|_| !is_whole);
        let lines = lines.filter_map(|(index, medium)| Line::of(index, medium, links.tracks));
        Ok(Self {
            replaces: asked.is_some(),
            lines: lines.collect(),
            media,
            links,
            parts_max: (!is_whole).then(|| parts_max(project)),
        })
    }

    /// Writes a text; what is the same for everybody is counted at once.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn text(&self, given: &str) -> Result<Body, String> {
        if given.is_empty() && self.media.is_empty() {
            return Err("is required".to_owned());
        }
        if self.replaces {
            let template = Template::parse(given).map_err(|bad| bad.to_string())?;
            if !template.is_plain() {
                let shown = || Linked::of_template(given, &self.lines, &self.links);
                return Ok(Body {
                    shown: tells_more(&template).then(shown),
                    template: Some(template),
                    ..Body::default()
                });
            }
        }
        let text = Linked::of(given, &self.lines, &self.links)?;
        counted(text, self.parts_max)
    }

    /// Writes the text of one recipient's message.
    ///
    /// # Errors
    /// What is wrong with it: it is empty or too long.
    pub(crate) fn written(
        &self,
        template: &Template,
        contact: &Contact,
        phone: &Phone,
        project: &Project,
    ) -> Result<Body, String> {
        let scope = scope(contact, phone, project);
        let text = template.render(&scope, RENDERED_BYTES_MAX);
        let text = text.map_err(|too_long| too_long.to_string())?;
        let text = Linked::of(&text, &self.lines, &self.links)?;
        if text.blank().is_empty() && self.parts_max.is_some() {
            return Err("is empty with its variables".to_owned());
        }
        counted(text, self.parts_max.map(|_| parts_max(project)))
    }
}

/// Says whether a template tells more than who its recipient is: their id, name and number.
fn tells_more(template: &Template) -> bool {
    let is_known = |path: Vec<&str>| match path.as_slice() {
        ["contact", "id" | "name" | "phone_number"] => true,
        ["contact", "id" | "name" | "phone_number", property] => is_property(property),
        _ => false,
    };
    !template.variables().all(is_known)
}

/// Returns how many SMS parts a text of a project may need.
fn parts_max(project: &Project) -> u32 {
    let own = project.sms_parts_max.unwrap_or(PARTS_MAX_DEFAULT);
    own.min(PARTS_MAX_DEFAULT)
}

/// Returns what carries a text, with its SMS parts where it has any.
fn counted(text: Linked, parts_max: Option<u32>) -> Result<Body, String> {
    let num_parts = match parts_max {
        None => None,
        Some(parts_max) => {
            let counted = count_within(text.blank(), &[], parts_max)
                .map_err(|_| format!("needs more than {parts_max} SMS parts"))?;
            Some(counted.parts)
        }
    };
    let is_there = num_parts.is_some() || !text.blank().is_empty();
    Ok(Body {
        content: is_there.then_some(text),
        num_parts,
        ..Body::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::new_message::Given;
    use crate::messages::tests::project;

    fn writing(options: &SendOptions, sending: &Sending) -> Result<Writing, Refusal> {
        Writing::of(options, sending, &project(), Linking::plain(false))
    }

    fn write(content: &str, options: &SendOptions) -> Result<Body, String> {
        writing(options, &Sending::Text).unwrap().text(content)
    }

    fn text(content: &str, options: &SendOptions) -> Option<String> {
        let body = write(content, options).unwrap();
        body.content.map(|text| text.blank().to_owned())
    }

    fn replacing() -> SendOptions {
        SendOptions {
            replaces_variables: Some(Given::new("is_template", true)),
            ..SendOptions::default()
        }
    }

    #[test]
    fn links_stand_on_lines_of_their_own() {
        let links = ["http://a.example/1.jpg", "https://b.example/2"];
        let options = SendOptions {
            media: Some(Given::new("media", links.map(Medium::of_url).to_vec())),
            ..SendOptions::default()
        };
        let below = "http://a.example/1.jpg\nhttps://b.example/2";
        assert_eq!(text("See", &options), Some(format!("See\n{below}")));
        assert_eq!(text("", &options).as_deref(), Some(below));
        let refused = writing(&options, &Sending::Call).unwrap_err();
        assert_eq!(refused.param(), Some("media"));
        assert!(write("", &SendOptions::default()).is_err());
    }

    #[test]
    fn a_text_is_a_template_when_that_is_asked_for() {
        let content = "Hi [[contact.name]]";
        let plain = SendOptions::default();
        assert_eq!(text(content, &plain).as_deref(), Some(content));
        assert!(write(content, &replacing()).unwrap().template.is_some());
        assert!(write("[[a|b]]", &replacing()).is_err());
        let refused = writing(&replacing(), &Sending::Ussd).unwrap_err();
        assert_eq!(refused.param(), Some("is_template"));
    }
}
