//! The addresses of media that a request names.

use crate::parse;
use hub_web::{ApiError, Field, Params};

/// Most links of a message.
const LINKS_MAX: usize = 10;

/// Reads the addresses of media: `media_urls`, or the `url` of each item of `media`.
pub(super) fn read(params: &Params) -> Result<Vec<String>, ApiError> {
    let (urls, media) = (params.get("media_urls"), params.get("media"));
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
    let parsed = parse::url(field)?;
    parsed
        .filter(|_| is_one_line)
        .ok_or_else(|| field.refuse("must be an http or https address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(media: &str) -> Option<String> {
        let body = format!("{{{media}}}");
        let body = Some(("application/json", body.as_bytes()));
        let params = Params::from_parts("", body).unwrap();
        read(&params).unwrap_err().param().map(str::to_owned)
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
            assert_eq!(refused(media).as_deref(), Some(named), "{media}");
        }
    }
}
