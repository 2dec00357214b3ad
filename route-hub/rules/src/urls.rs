//! The URLs in a text.

use linkify::{LinkFinder, LinkKind};
use std::ops::Range;
use url::{Host, Url};

/// Returns where the http and https URLs of a text stand, in its order. What no browser could open is
/// none.
///
/// Blanks and punctuation of any script end a URL. Text of a script that is written without blanks may follow
/// it directly, so such a letter ends it, too, unless other letters beyond ASCII came before it in its path.
/// Names of hosts keep their letters.
pub fn urls(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for part in text.split_inclusive(ends_a_url) {
        let part_end = start + part.len();
        while let Some((url, next)) = first(&text[start..part_end]) {
            found.extend(url.map(|url| start + url.start..start + url.end));
            start += next;
        }
        start = part_end;
    }
    found
}

/// Returns the first URL of a text without blanks, if a browser could open it, and where to look on for others.
fn first(text: &str) -> Option<(Option<Range<usize>>, usize)> {
    let text = text.trim_end_matches(ends_a_url);
    let host = text.find("://")? + 3;
    let end = host + length(&text[host..]);
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    let Some(link) = finder.links(&text[..end]).next() else {
        return Some((None, host));
    };
    let url = parsed(link.as_str()).map(|_| link.start()..link.end());
    Some((url, link.end()))
}

/// Returns how much belongs to a URL of what begins with its host, where text may follow it without a blank.
fn length(rest: &str) -> usize {
    let ends_a_host = |letter: char| {
        letter.is_ascii() && !letter.is_ascii_alphanumeric() && !"-.:@_~".contains(letter)
    };
    let path = rest.find(ends_a_host).unwrap_or(rest.len());
    let top = top_level(&rest[..path]);
    let in_host = cut(&rest[top.clone()]).map(|at| top.start + at);
    let in_path = || cut(&rest[path..]).map(|at| path + at);
    in_host.or_else(in_path).unwrap_or(rest.len())
}

/// Returns the last label of a host that begins with ASCII. A top-level domain that does has nothing else.
fn top_level(host: &str) -> Range<usize> {
    let (mut top, mut start) = (0..0, 0);
    for label in host.split(['.', '@']) {
        let end = start + label.len();
        if label.starts_with(|letter: char| letter.is_ascii()) {
            top = start..end;
        }
        start = end + 1;
    }
    top
}

/// Returns where the first character beyond ASCII stands, if it may follow a word without a blank.
fn cut(text: &str) -> Option<usize> {
    let at = text.find(|letter: char| !letter.is_ascii())?;
    text[at..].starts_with(follows_directly).then_some(at)
}

/// Says whether a character is never part of a URL: a blank, an invisible mark, or punctuation that closes,
/// opens or divides sentences. Hyphens and the marks within words of some scripts are not among them.
fn ends_a_url(letter: char) -> bool {
    match letter {
        // Soft and zero-width marks of direction and of lines; a joiner belongs to its word.
        '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => true,
        '¡' | '«' | '»' | '¿' => true,
        '\u{2014}'..='\u{201f}' | '\u{2022}'..='\u{2027}' | '‹' | '›' => true,
        '\u{203c}'..='\u{203d}' | '\u{2047}'..='\u{2049}' => true,
        // Arabic, Urdu, Armenian, Hindi, Burmese, Amharic and Khmer.
        '،' | '؛' | '؟' | '۔' | '։' | '।' | '॥' => true,
        '\u{104a}'..='\u{104b}' | '\u{1361}'..='\u{1368}' | '\u{17d4}'..='\u{17d6}' => true,
        // Chinese, Japanese and Korean, with upright, small and full-width forms.
        '\u{3000}'..='\u{303f}' | '\u{fe10}'..='\u{fe19}' | '\u{fe30}'..='\u{fe6f}' => {
            !letter.is_alphanumeric()
        }
        '\u{ff01}'..='\u{ff65}' => !letter.is_alphanumeric(),
        _ => letter.is_whitespace(),
    }
}

/// Says whether a character may follow a word without a blank: a letter of a script that has none between
/// words, or that joins particles to words of other scripts, and a picture.
fn follows_directly(letter: char) -> bool {
    matches!(letter,
        // Thai, Lao, Tibetan, Burmese and Khmer.
        '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        // Arrows, pictures and signs.
        | '\u{2190}'..='\u{21ff}' | '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}'
        // Hangul, kana, Han, and forms of them.
        | '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff10}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns a URL as a header of HTTP may carry it: as it is, unless it has letters of other scripts.
pub fn in_ascii(url: &str) -> Option<String> {
    if url.bytes().all(|byte| byte.is_ascii_graphic()) {
        Some(url.to_owned())
    } else {
        parsed(url).map(String::from)
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
    fn punctuation_and_blanks_of_any_script_end_a_url() {
        for end in "“”„‘’‚…—―«»‹›•‼¡¿！、），：；？。「」【】《》﹐،؛؟۔।։".chars()
        {
            for url in [
                "https://j.example",
                "https://j.example/q",
                "https://例え.jp/?q=1",
            ] {
                let text = format!("{end}{url}{end}谢谢 or {url}.{end}{url}");
                assert_eq!(found(&text), [url, url, url], "{text}");
            }
        }
        for blank in [
            "\u{a0}", "\u{202f}", "\u{2028}", "\u{3000}", "\u{200b}", "\u{2069}",
        ] {
            for url in ["https://g.example", "https://g.example/größe"] {
                let text = format!("see{blank}{url}{blank}y z");
                assert_eq!(found(&text), [url], "{blank:?}");
            }
        }
    }

    #[test]
    fn text_of_a_script_without_blanks_follows_a_url_directly() {
        for (text, urls) in [
            (
                "请访问https://a.example/x查看详情，回复1退订",
                vec!["https://a.example/x"],
            ),
            ("见https://c.example/q。谢谢", vec!["https://c.example/q"]),
            (
                "https://a.example/查https://b.example/?q=1看",
                vec!["https://a.example/", "https://b.example/?q=1"],
            ),
            ("https://a.example/x,查看", vec!["https://a.example/x"]),
            ("https://a.example查,b.c/x", vec!["https://a.example"]),
            ("https://a.example查看.更多", vec!["https://a.example"]),
            ("https://例え.example見.", vec!["https://例え.example"]),
            (
                "(https://a.example/x)查<https://b.example/ü>",
                vec!["https://a.example/x", "https://b.example/ü"],
            ),
            (
                "https://a.example査https://b.example:80見",
                vec!["https://a.example", "https://b.example:80"],
            ),
            ("https://a.example/xをクリック", vec!["https://a.example/x"]),
            ("ดูhttps://a.example/xที่นี่", vec!["https://a.example/x"]),
            ("https://a.example/x에서 확인", vec!["https://a.example/x"]),
            (
                "https://a.example/x👉 https://b.example/→",
                vec!["https://a.example/x", "https://b.example/"],
            ),
        ] {
            assert_eq!(found(text), urls, "{text}");
        }
    }

    #[test]
    fn letters_beyond_ascii_stay_in_hosts_and_in_words_of_paths() {
        for url in [
            "https://例え.jp/",
            "https://例え.example:80/x",
            "https://佐々木no1.example",
            "https://한국.example/x?q=1",
            "https://a.example/größe",
            "https://a.example/größe/中",
            "https://a.example/путь?в=ё#é",
            "https://a.example/A–B",
        ] {
            assert_eq!(found(&format!("→ {url} ok")), [url]);
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
