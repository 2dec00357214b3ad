//! How texts are written: as they were given, or with variables put in for each recipient, and with
//! links to media below.

use crate::messages::draft::Place;
use crate::messages::ready::scope;
use crate::messages::sending::{Body, Sending};
use hub_domain::{Contact, Phone, Project};
use hub_rules::{Template, is_property};
use hub_web::{ApiError, Field};
use postrider_text::PARTS_MAX_DEFAULT;
use std::borrow::Cow;

/// Longest text that is counted at all, in characters.
pub const CONTENT_LENGTH_MAX: usize = 20_000;
/// Longest text that a template may make, in bytes; far more than an SMS may have.
const RENDERED_BYTES_MAX: usize = 20_000;
/// Most links of a message.
const LINKS_MAX: usize = 10;

/// What all texts of a request share.
#[derive(Debug, Clone, PartialEq)]
pub struct Writing {
    /// Whether `[[variables]]` are put in.
    pub replaces: bool,
    /// What stands on lines of its own below each text.
    pub links: Vec<String>,
    /// Most SMS parts that a text may need.
    parts_max: u32,
}

impl Writing {
    /// Reads `replace_variables`, by either of its names, and `media_urls` or `media`: of texts
    /// alone.
    pub(crate) fn read(
        place: Place<'_>,
        sending: &Sending,
        project: &Project,
    ) -> Result<Self, ApiError> {
        let replaces = ["replace_variables", "is_template"].map(|name| place.get(name));
        let mut asked = None;
        for field in replaces {
            if field.boolean()? == Some(true) {
                asked = asked.or(Some(field));
            }
        }
        let links = links(place)?;
        if *sending != Sending::Text {
            let media = ["media_urls", "media"].map(|name| place.get(name));
            let linked = media.into_iter().find(|field| !field.is_empty());
            if let Some(field) = asked.or(linked) {
                return Err(field.refuse("is for texts alone"));
            }
        }
        Ok(Self {
            replaces: asked.is_some(),
            links,
            parts_max: parts_max(project),
        })
    }

    /// Reads a text; what is the same for everybody is counted at once.
    pub(crate) fn text(&self, content: &Field<'_>) -> Result<Body, ApiError> {
        let given = match self.links.is_empty() {
            true => content.required_string(CONTENT_LENGTH_MAX)?,
            false => content.string(CONTENT_LENGTH_MAX)?.unwrap_or_default(),
        };
        if self.replaces {
            let template = Template::parse(given).map_err(|bad| content.refuse(bad))?;
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
        let body = counted(text, self.parts_max);
        body.map_err(|rule| content.refuse(rule))
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

/// Reads the addresses of media: `media_urls`, or the `url` of each item of `media`.
pub fn links(place: Place<'_>) -> Result<Vec<String>, ApiError> {
    let (urls, media) = (place.get("media_urls"), place.get("media"));
    if !urls.is_empty() && !media.is_empty() {
        return Err(media.refuse("and media_urls say the same: one of them is enough"));
    }
    let mut links = Vec::new();
    for item in urls.array(LINKS_MAX)?.unwrap_or_default() {
        links.push(link(&item)?);
    }
    for item in media.array(LINKS_MAX)?.unwrap_or_default() {
        let object = item.object()?;
        let object = object.ok_or_else(|| item.refuse("must be an object"))?;
        let file = object.get("file_id");
        if !file.is_empty() {
            return Err(file.refuse("is not offered by this hub yet: url is"));
        }
        links.push(link(&object.get("url"))?);
    }
    Ok(links)
}

fn link(field: &Field<'_>) -> Result<String, ApiError> {
    let text = field.required_string(hub_outgoing::URL_LENGTH_MAX)?;
    if text
        .get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
    {
        return Err(field.refuse("cannot be a data URI: this hub stores no files yet"));
    }
    let is_one_line = !text.contains(char::is_whitespace) && !text.contains(char::is_control);
    let parsed = crate::parse::url(field)?;
    parsed
        .filter(|_| is_one_line)
        .ok_or_else(|| field.refuse("must be an http or https address"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::tests::project;
    use hub_web::Params;

    fn read(body: &str) -> Result<(Writing, Option<String>), Option<String>> {
        let body = Some(("application/json", body.as_bytes()));
        let params = Params::from_parts("", body).unwrap();
        let read = || {
            let writing = Writing::read(Place::Top(&params), &Sending::Text, &project())?;
            let body = writing.text(&params.get("content"))?;
            Ok((writing, body.content.map(|text| text.as_str().to_owned())))
        };
        read().map_err(|error: ApiError| error.param().map(str::to_owned))
    }

    #[test]
    fn links_stand_on_lines_of_their_own() {
        for media in [
            r#""media_urls":["http://a.example/1.jpg","https://b.example/2"]"#,
            r#""media":[{"url":"http://a.example/1.jpg","type":"image/jpeg"},{"url":"https://b.example/2"}]"#,
        ] {
            let (_, text) = read(&format!(r#"{{"content":"See",{media}}}"#)).unwrap();
            let expected = "See\nhttp://a.example/1.jpg\nhttps://b.example/2";
            assert_eq!(text.as_deref(), Some(expected), "{media}");
        }
        let (_, text) = read(r#"{"media_urls":["http://a.example/1"]}"#).unwrap();
        assert_eq!(text.as_deref(), Some("http://a.example/1"));
    }

    #[test]
    fn media_that_cannot_be_linked_are_named() {
        for (media, named) in [
            (r#""media_urls":["ftp://a.example"]"#, "media_urls[0]"),
            (
                r#""media_urls":["data:image/png;base64,AA=="]"#,
                "media_urls[0]",
            ),
            (r#""media_urls":["http://a.example/x\ny"]"#, "media_urls[0]"),
            (r#""media_urls":"http://a.example""#, "media_urls"),
            (r#""media_urls":[""]"#, "media_urls[0]"),
            (r#""media":[{"file_id":"x"}]"#, "media[0][file_id]"),
            (r#""media":[{}]"#, "media[0][url]"),
            (r#""media":["http://a.example"]"#, "media[0]"),
            (
                r#""media":[{"url":"http://a.example"}],"media_urls":["http://a.example"]"#,
                "media",
            ),
        ] {
            let refused = read(&format!(r#"{{"content":"See",{media}}}"#)).unwrap_err();
            assert_eq!(refused.as_deref(), Some(named), "{media}");
        }
    }

    #[test]
    fn a_text_is_a_template_when_that_is_asked_for() {
        let content = r#""content":"Hi [[contact.name]]""#;
        let (_, text) = read(&format!("{{{content}}}")).unwrap();
        assert_eq!(text.as_deref(), Some("Hi [[contact.name]]"));
        for asked in ["replace_variables", "is_template"] {
            let (writing, text) = read(&format!(r#"{{{content},"{asked}":true}}"#)).unwrap();
            assert!(writing.replaces && text.is_none(), "{asked}");
        }
        let refused = read(r#"{"content":"[[a|b]]","replace_variables":true}"#).unwrap_err();
        assert_eq!(refused.as_deref(), Some("content"));
    }
}
