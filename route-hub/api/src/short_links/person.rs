//! Whether a person opens a link, or something that looks ahead.

use http::request::Parts;
use http::{HeaderMap, Method, header};
use isbot::Bots;
use std::sync::LazyLock;

/// What messengers and phones call themselves when they look at a link for a preview, besides those that
/// the list of robots has.
const PREVIEWERS: &[&str] = &[
    "whatsapp/",
    "telegrambot",
    "signal-",
    "viber/",
    "kakaotalk-scrap",
    "line-poker",
    "facebot",
    "imessagelinkextension",
    "google-messages",
    "messageslinkpreview",
];
/// By what a browser says that it looks ahead.
const AHEAD: [&str; 4] = ["sec-purpose", "purpose", "x-purpose", "x-moz"];
const AHEAD_WORDS: [&str; 3] = ["prefetch", "prerender", "preview"];
/// How much of a program's name is looked at.
const AGENT_LENGTH_MAX: usize = 512;

static ROBOTS: LazyLock<Bots> = LazyLock::new(Bots::default);

/// Says whether a request is a person's click.
pub(super) fn clicks(request: &Parts) -> bool {
    let headers = &request.headers;
    request.method == Method::GET && !looks_ahead(headers) && !is_robot(headers)
}

fn looks_ahead(headers: &HeaderMap) -> bool {
    let values = AHEAD.iter().flat_map(|name| headers.get_all(*name));
    let mut values = values.map(|value| value.as_bytes().to_ascii_lowercase());
    values.any(|value| {
        let text = String::from_utf8_lossy(&value);
        AHEAD_WORDS.iter().any(|word| text.contains(word))
    })
}

fn is_robot(headers: &HeaderMap) -> bool {
    let Some(agent) = headers.get(header::USER_AGENT) else {
        return false;
    };
    let agent = String::from_utf8_lossy(agent.as_bytes()).to_ascii_lowercase();
    let agent: String = agent.chars().take(AGENT_LENGTH_MAX).collect();
    PREVIEWERS.iter().any(|name| agent.contains(name)) || ROBOTS.is_bot(&agent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn clicks_with(method: Method, name: &str, value: &str) -> bool {
        let request = Request::builder().method(method).header(name, value);
        clicks(&request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn people_click_with_whatever_browser() {
        for agent in [
            "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) \
             Chrome/126.0.0.0 Mobile Safari/537.36",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, \
             like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
            "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
            "Opera/9.80 (J2ME/MIDP; Opera Mini/7.1) Presto/2.12 Version/12.16",
            "",
        ] {
            assert!(clicks_with(Method::GET, "user-agent", agent), "{agent}");
        }
        assert!(clicks_with(Method::GET, "sec-purpose", ""));
    }

    #[test]
    fn previews_prefetches_and_robots_do_not() {
        for agent in [
            "WhatsApp/2.23.20.0",
            "WhatsApp/2.2413.51 W",
            "TelegramBot (like TwitterBot)",
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) \
             Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
            "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
            "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
            "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
            "Googlebot/2.1 (+http://www.google.com/bot.html)",
            "curl/8.5.0",
        ] {
            assert!(!clicks_with(Method::GET, "user-agent", agent), "{agent}");
        }
        for (name, value) in [
            ("Sec-Purpose", "prefetch;prerender"),
            ("Purpose", "Prefetch"),
            ("X-Purpose", "preview"),
            ("X-Moz", "prefetch"),
        ] {
            assert!(!clicks_with(Method::GET, name, value), "{name}");
        }
        assert!(!clicks_with(Method::HEAD, "accept", "*/*"));
    }
}
