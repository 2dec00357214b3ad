//! The media that a request names.

use crate::parse;
use hub_app::commands::new_message::Given;
use hub_app::files::{is_data_uri, is_type};
use hub_domain::{FILENAME_LENGTH_MAX, MEDIA_MAX, Medium};
use hub_web::{ApiError, Field, Kind, Member};
use postrider_model::kind;

/// Longest type, in characters.
const TYPE_LENGTH_MAX: usize = 127;
/// How long one may be depends on what it is.
const ADDRESS: Kind = Kind::Text(usize::MAX);
const MEDIUM: Kind = Kind::Object(&[
    Member::new(
        "url",
        ADDRESS,
        "Where it is: an http or https address, or a data URI of at most 2 MiB, which becomes a file.",
    ),
    Member::id::<kind::File>("file_id", "A stored file, instead of url."),
    Member::new(
        "type",
        Kind::Text(TYPE_LENGTH_MAX),
        "What it is; of a file that is known.",
    ),
    Member::new(
        "filename",
        Kind::Text(FILENAME_LENGTH_MAX),
        "What it is called; of a file that is known.",
    ),
]);

/// Media by their addresses alone.
pub(crate) const MEDIA_URLS: Member = Member::new(
    "media_urls",
    Kind::Array(&ADDRESS, MEDIA_MAX),
    "Addresses of media, or data URIs.",
);
/// Media with what is known of them.
pub(crate) const MEDIA: Member = Member::new(
    "media",
    Kind::Array(&MEDIUM, MEDIA_MAX),
    "What it carries. A text has a link to each on a line of its own.",
);

/// Reads media: `media_urls`, or the items of `media`; `None` where neither is given. Says which of both
/// says something. Bytes in a data URI become a file later.
pub(crate) fn named(
    urls: &Field<'_>,
    media: &Field<'_>,
) -> Result<Option<Given<Vec<Medium>>>, ApiError> {
    let name = if urls.is_empty() {
        "media"
    } else {
        "media_urls"
    };
    let all = Some(read(urls, media)?).filter(|all| !all.is_empty());
    Ok(all.map(|all| Given::new(name, all)))
}

fn read(urls: &Field<'_>, media: &Field<'_>) -> Result<Vec<Medium>, ApiError> {
    if !urls.is_empty() && !media.is_empty() {
        return Err(media.refuse("and media_urls say the same: one of them is enough"));
    }
    let mut all = Vec::new();
    for item in urls.array()?.unwrap_or_default() {
        all.push(Medium::of_url(address(&item)?));
    }
    all.extend(items(media)?);
    Ok(all)
}

/// Reads media with what is known of them.
pub(crate) fn items(media: &Field<'_>) -> Result<Vec<Medium>, ApiError> {
    let items = media.array()?.unwrap_or_default();
    items.iter().map(medium).collect()
}

fn medium(item: &Field<'_>) -> Result<Medium, ApiError> {
    let object = item.object()?;
    let object = object.ok_or_else(|| item.refuse("must be an object"))?;
    object.check()?;
    let file_id = parse::id(&object.get("file_id"), "file")?;
    if file_id.is_some() {
        return Ok(Medium {
            file_id,
            ..Medium::default()
        });
    }
    let text = |name, is_right: fn(&str) -> bool, rule| {
        let field = object.get(name);
        let text = field.string()?.filter(|text| !text.is_empty());
        if text.is_none_or(is_right) {
            Ok(text.map(str::to_owned))
        } else {
            Err(field.refuse(rule))
        }
    };
    let is_plain = |name: &str| !name.contains(char::is_control);
    Ok(Medium {
        media_type: text("type", is_type, "must be a type such as image/png")?,
        filename: text("filename", is_plain, "must have no control characters")?,
        ..Medium::of_url(address(&object.get("url"))?)
    })
}

fn address(field: &Field<'_>) -> Result<String, ApiError> {
    let text = field.required_string()?;
    if is_data_uri(text) {
        return Ok(text.to_owned());
    }
    if text.chars().count() > hub_outgoing::URL_LENGTH_MAX {
        let most = hub_outgoing::URL_LENGTH_MAX;
        return Err(field.refuse(format_args!("must be at most {most} characters")));
    }
    let is_one_line = !text.contains(char::is_whitespace) && !text.contains(char::is_control);
    let parsed = parse::url(field)?;
    parsed
        .filter(|_| is_one_line)
        .ok_or_else(|| field.refuse("must be an http or https address, or a data URI"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_web::{Params, Takes};

    const TAKEN: Takes = Takes {
        own: &[&[MEDIA_URLS, MEDIA]],
        common: &[],
    };

    fn refused(media: &str) -> Option<String> {
        let body = format!("{{{media}}}");
        let body = Some(("application/json", body.as_bytes()));
        let params = Params::from_parts("", body).unwrap();
        let params = params.taking(TAKEN);
        read(&params.get("media_urls"), &params.get("media"))
            .unwrap_err()
            .param()
            .map(str::to_owned)
    }

    #[test]
    fn media_keep_what_is_said_of_them() {
        let said = r#"{"media":[{"url":"https://a.example","type":"text/x-own; a=1","filename":"Größe.png"}]}"#;
        let params = Params::from_parts("", Some(("application/json", said.as_bytes()))).unwrap();
        let params = params.taking(TAKEN);
        let read = read(&params.get("media_urls"), &params.get("media")).unwrap();
        assert_eq!(read[0].media_type.as_deref(), Some("text/x-own; a=1"));
        assert_eq!(read[0].filename.as_deref(), Some("Größe.png"));
    }

    #[test]
    fn media_that_cannot_be_linked_are_named() {
        for (media, named) in [
            (r#""media_urls":["ftp://a.example"]"#, "media_urls[0]"),
            (r#""media_urls":["http://a.example/x\ny"]"#, "media_urls[0]"),
            (r#""media_urls":"http://a.example""#, "media_urls"),
            (r#""media_urls":[""]"#, "media_urls[0]"),
            (r#""media":[{"file_id":"x"}]"#, "media[0][file_id]"),
            (r#""media":[{}]"#, "media[0][url]"),
            (
                r#""media":[{"url":"https://a.example","type":5}]"#,
                "media[0][type]",
            ),
            (
                r#""media":[{"url":"https://a.example","type":"picture"}]"#,
                "media[0][type]",
            ),
            (
                r#""media":[{"url":"https://a.example","type":"image/png;\u0007"}]"#,
                "media[0][type]",
            ),
            (
                r#""media":[{"url":"https://a.example","filename":"a\nb.png"}]"#,
                "media[0][filename]",
            ),
            (r#""media":["http://a.example"]"#, "media[0]"),
            (
                r#""media":[{"url":"http://a.example"}],"media_urls":["http://a.example"]"#,
                "media",
            ),
        ] {
            assert_eq!(refused(media).as_deref(), Some(named), "{media}");
        }
    }
}
