//! The URLs in a text.

use linkify::{LinkFinder, LinkKind};
use std::ops::Range;
use url::{Host, Url};

/// Returns where the http and https URLs of a text stand, in its order. What no browser could open is
/// none.
pub fn urls(text: &str) -> Vec<Range<usize>> {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    let links = finder.links(text);
    let urls = links.filter(|link| parsed(link.as_str()).is_some());
    urls.map(|link| link.start()..link.end()).collect()
}

/// Returns a URL as a header of HTTP may carry it: as it is, unless it has letters of other scripts.
pub fn in_ascii(url: &str) -> Option<String> {
    match url.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Some(url.to_owned()),
        false => parsed(url).map(String::from),
    }
}

fn parsed(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https");
    let has_host = url.host().is_some_and(|host| host != Host::Domain(""));
    (is_web && has_host).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        urls(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn punctuation_around_a_url_is_none_of_it() {
        for (text, urls) in [
            ("See https://a.example/1.", vec!["https://a.example/1"]),
            (
                "(http://a.example/x_(y)), ok?",
                vec!["http://a.example/x_(y)"],
            ),
            (
                "HTTPS://A.example?q=1&r=2!",
                vec!["HTTPS://A.example?q=1&r=2"],
            ),
            (
                "<https://a.example/a#b>\nhttp://b.example",
                vec!["https://a.example/a#b", "http://b.example"],
            ),
            (
                "siehe https://bücher.example/größe",
                vec!["https://bücher.example/größe"],
            ),
        ] {
            assert_eq!(found(text), urls, "{text}");
        }
    }

    #[test]
    fn what_is_no_web_address_stays() {
        for text in [
            "a.example/x www.a.example",
            "ftp://a.example tel:+15005550101 mailto:a@a.example",
            "https:// http:///x https://a.example:99999/",
            "javascript:alert(1)",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn a_header_gets_letters_of_other_scripts_encoded_and_all_else_as_it_is() {
        let same = "HTTP://A.example:80/%7e?q=%C3%A4&x=[1]#f";
        assert_eq!(in_ascii(same).as_deref(), Some(same));
        let coded = "https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe";
        assert_eq!(
            in_ascii("https://bücher.example/größe").as_deref(),
            Some(coded)
        );
    }
}
