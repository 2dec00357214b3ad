//! How texts are written: as they were given, or with variables put in for each recipient, and with
//! links to media below.

use crate::commands::new_message::SendOptions;
use crate::messages::ready::scope;
use crate::messages::sending::{Body, Sending};
use hub_domain::{Contact, Phone, Project};
use hub_rules::{Template, is_property};
use hub_view::Refusal;
use postrider_text::PARTS_MAX_DEFAULT;
use std::borrow::Cow;

/// Longest text that a template may make, in bytes; far more than an SMS may have.
const RENDERED_BYTES_MAX: usize = 20_000;

/// What all texts of a request share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Writing {
    /// Whether `[[variables]]` are put in.
    pub replaces: bool,
    /// What stands on lines of its own below each text.
    pub links: Vec<String>,
    /// Most SMS parts that a text may need.
    parts_max: u32,
}

impl Writing {
    /// Says how texts are written: what is asked for is of texts alone.
    pub(crate) fn of(
        options: &SendOptions,
        sending: &Sending,
        project: &Project,
    ) -> Result<Self, Refusal> {
        let asked = options.replaces_variables.as_ref();
        let asked = asked.filter(|asked| asked.value);
        let links = options.links.as_ref();
        let links = links.filter(|links| !links.value.is_empty());
        if *sending != Sending::Text {
            let asked = asked.map(|asked| &asked.param);
            if let Some(param) = asked.or(links.map(|links| &links.param)) {
                return Err(Refusal::invalid_param(param, "is for texts alone"));
            }
        }
        Ok(Self {
            replaces: asked.is_some(),
            links: links.map(|links| links.value.clone()).unwrap_or_default(),
            parts_max: parts_max(project),
        })
    }

    /// Writes a text; what is the same for everybody is counted at once.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn text(&self, given: &str) -> Result<Body, String> {
        if given.is_empty() && self.links.is_empty() {
            return Err("is required".to_owned());
        }
        if self.replaces {
            let template = Template::parse(given).map_err(|bad| bad.to_string())?;
            if !template.is_plain() {
                let shown = || with_links(Cow::Borrowed(given), &self.links).into_owned();
                return Ok(Body {
                    shown: tells_more(&template).then(|| shown().into()),
                    template: Some(template),
                    links: self.links.clone(),
                    ..Body::default()
                });
            }
        }
        let text = with_links(Cow::Borrowed(given), &self.links).into_owned();
        counted(text, self.parts_max)
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

impl Body {
    /// Returns what one recipient's message carries.
    ///
    /// # Errors
    /// What is wrong with its text: it is empty or too long.
    pub(crate) fn written(
        &self,
        contact: &Contact,
        phone: &Phone,
        project: &Project,
    ) -> Result<Cow<'_, Self>, String> {
        let Some(template) = &self.template else {
            return Ok(Cow::Borrowed(self));
        };
        let scope = scope(contact, phone, project);
        let text = template.render(&scope, RENDERED_BYTES_MAX);
        let text = text.map_err(|too_long| too_long.to_string())?;
        let text = with_links(Cow::Owned(text), &self.links);
        if text.is_empty() {
            return Err("is empty with its variables".to_owned());
        }
        counted(text.into_owned(), parts_max(project)).map(Cow::Owned)
    }
}

/// Returns how many SMS parts a text of a project may need.
fn parts_max(project: &Project) -> u32 {
    let own = project.sms_parts_max.unwrap_or(PARTS_MAX_DEFAULT);
    own.min(PARTS_MAX_DEFAULT)
}

fn counted(text: String, parts_max: u32) -> Result<Body, String> {
    let counted = postrider_text::parts::count_within(&text, &[], parts_max)
        .map_err(|_| format!("needs more than {parts_max} SMS parts"))?;
    Ok(Body {
        content: Some(text.as_str().into()),
        num_parts: Some(counted.parts),
        ..Body::default()
    })
}

fn with_links<'t>(text: Cow<'t, str>, links: &[String]) -> Cow<'t, str> {
    if links.is_empty() {
        return text;
    }
    let mut lines = vec![text.as_ref()];
    lines.retain(|line| !line.is_empty());
    lines.extend(links.iter().map(String::as_str));
    Cow::Owned(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::new_message::Given;
    use crate::messages::tests::project;

    fn write(content: &str, options: &SendOptions) -> Result<Body, String> {
        let writing = Writing::of(options, &Sending::Text, &project());
        writing.unwrap().text(content)
    }

    fn text(content: &str, options: &SendOptions) -> Option<String> {
        let body = write(content, options).unwrap();
        body.content.map(|text| text.as_str().to_owned())
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
            links: Some(Given::new("media", links.map(str::to_owned).to_vec())),
            ..SendOptions::default()
        };
        let below = "http://a.example/1.jpg\nhttps://b.example/2";
        assert_eq!(text("See", &options), Some(format!("See\n{below}")));
        assert_eq!(text("", &options).as_deref(), Some(below));
        let refused = Writing::of(&options, &Sending::Call, &project()).unwrap_err();
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
        let refused = Writing::of(&replacing(), &Sending::Ussd, &project()).unwrap_err();
        assert_eq!(refused.param(), Some("is_template"));
    }
}
