//! The parameters of a planned message, as they are kept until it is sent.
//!
//! They are kept as the JSON of a request to send, so that what goes out is read by the same code,
//! with the same checks, as what is sent at once.

use crate::auth::Call;
use crate::failure::Failure;
use crate::hub::Hub;
use crate::messages::links_of;
use crate::messages::planned::Planned;
use crate::parse;
use hub_domain::{Project, Vars, VarsChange};
use hub_web::{ApiError, Field, Params};
use postrider_model::Now;
use serde_json::{Map, Value as Json, json};

/// Under which name it is kept whether the maker could view contacts: no parameter of a request.
const MAKER_SEES: &str = "maker sees contacts";
/// Longest text of a parameter; each is checked again as what it is.
const TEXT_LENGTH_MAX: usize = 20_000;
/// Most items of a list of texts.
const TEXTS_MAX: usize = 20;

/// How a parameter is kept.
#[derive(Clone, Copy)]
enum Kept {
    Text,
    Flag,
    Number,
    Texts,
    /// As it came; from a form, numbers among its members become numbers.
    Object,
}

/// Each parameter that is kept, with all its names: it is kept under the one that was given, which
/// errors name.
const PARAMETERS: &[(&[&str], Kept)] = &[
    (&["message_type"], Kept::Text),
    (&["content"], Kept::Text),
    (&["route_id", "phone_id"], Kept::Text),
    (&["replace_variables", "is_template"], Kept::Flag),
    (&["route_params"], Kept::Object),
    (&["label_ids"], Kept::Texts),
    (&["track_clicks"], Kept::Flag),
    (&["short_link_params"], Kept::Object),
    (&["service_id"], Kept::Text),
    (&["audio_url"], Kept::Text),
    (&["tts_lang"], Kept::Text),
    (&["tts_voice"], Kept::Text),
    (&["on_unknown"], Kept::Text),
    (&["ttl_sec"], Kept::Number),
    (&["priority"], Kept::Number),
    (&["status_url"], Kept::Text),
    (&["status_secret"], Kept::Text),
    (&["simulated"], Kept::Flag),
];

/// The kept parameters of a message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message(Map<String, Json>);

impl Message {
    /// Reads what was stored; nothing of what is none.
    pub fn stored(text: &str) -> Self {
        Self(serde_json::from_str(text).unwrap_or_default())
    }

    /// Returns what is stored.
    pub fn to_text(&self) -> String {
        Json::Object(self.0.clone()).to_string()
    }

    /// Returns them as the parameters of a request.
    ///
    /// # Errors
    /// When what was stored has been damaged.
    pub fn to_params(&self) -> Result<Params, ApiError> {
        Params::from_parts("", Some(("application/json", self.to_text().as_bytes())))
    }

    /// Reads what was checked before: labels that are gone since are left out.
    ///
    /// # Errors
    /// As [`Planned::read`].
    pub async fn planned_again(
        &mut self,
        hub: &Hub,
        project: &Project,
        now: Now,
    ) -> Result<Planned, Failure> {
        loop {
            match Planned::read(hub, &self.to_params()?, project, now).await {
                Err(Failure::Refused(error))
                    if self.drop_label(error.param().unwrap_or_default()) => {}
                read => return read.map(|planned| planned.made_by(self.maker_sees())),
            }
        }
    }

    /// Reads what is to be sent now, or says why it cannot be; `None` when that may be over in a
    /// moment.
    pub(crate) async fn ready(
        &mut self,
        hub: &Hub,
        project: &Project,
        now: Now,
    ) -> Option<Result<Planned, String>> {
        match self.planned_again(hub, project, now).await {
            Ok(planned) => Some(Ok(planned)),
            Err(failure) => {
                let error = failure.into_refusal();
                let is_its_own = error.code() == hub_view::RefusalCode::InvalidParam;
                is_its_own.then(|| Err(error.message().to_owned()))
            }
        }
    }

    /// Takes away the label that an error names; says whether it named one.
    fn drop_label(&mut self, param: &str) -> bool {
        let index = param.strip_prefix("label_ids[");
        let index = index.and_then(|rest| rest.strip_suffix(']')?.parse::<usize>().ok());
        match (
            index,
            self.0.get_mut("label_ids").and_then(Json::as_array_mut),
        ) {
            (Some(index), Some(labels)) if index < labels.len() => {
                labels.remove(index);
                true
            }
            _ => false,
        }
    }

    /// Returns one of them.
    pub fn get(&self, name: &str) -> &Json {
        let same = PARAMETERS.iter().find(|(names, _)| names.contains(&name));
        let names = same.map_or(&[][..], |(names, _)| names);
        let kept = names.iter().find_map(|name| self.0.get(*name));
        kept.or_else(|| self.0.get(name)).unwrap_or(&Json::Null)
    }

    /// Returns the addresses of its media.
    pub fn links(&self) -> impl Iterator<Item = &str> {
        let links = self.get("media_urls").as_array();
        links.into_iter().flatten().filter_map(Json::as_str)
    }

    /// Returns its variables.
    pub fn vars(&self) -> Vars {
        let change = VarsChange::parse(self.get("vars"));
        Vars::from_change(change.unwrap_or_default())
    }

    /// Says whether who gave its parameters could view contacts; `None` where that was not kept.
    pub fn maker_sees(&self) -> Option<bool> {
        self.0.get(MAKER_SEES).and_then(Json::as_bool)
    }

    /// Takes in what a call gives, and whether its caller may view contacts.
    ///
    /// Reports go to the address that was given last: from then on they tell as much as who gave it
    /// may see, and never more than who changed anything may.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub fn take_from(&mut self, call: &Call) -> Result<(), ApiError> {
        let is_new = self.0.is_empty();
        self.take(&call.params)?;
        let gives_address = call.params.get("status_url").is_present();
        let sees = call.caller.sight().sees_contacts();
        if is_new || gives_address || !sees {
            self.0.insert(MAKER_SEES.to_owned(), sees.into());
        }
        Ok(())
    }

    /// Takes in what a request gives; what it gives as nothing is taken away, what it does not name
    /// stays.
    ///
    /// # Errors
    /// `invalid_param` for what is of the wrong type.
    pub fn take(&mut self, params: &Params) -> Result<(), ApiError> {
        for (names, kept) in PARAMETERS {
            let given = names.iter().find(|name| params.get(name).is_present());
            if let Some(given) = given {
                let value = kept.read(&params.get(given))?;
                self.0.retain(|name, _| !names.contains(&name.as_str()));
                self.put(given, value);
            }
        }
        let media = ["media_urls", "media"].map(|name| params.get(name));
        if media.iter().any(Field::is_present) {
            self.put("media_urls", links_of(params)?.into());
        }
        let field = params.get("vars");
        let mut vars = self.vars();
        let applied = vars.apply(parse::vars(&field)?);
        applied.map_err(|invalid| field.refuse(format_args!("cannot be taken: {invalid}")))?;
        self.put("vars", vars.to_value());
        Ok(())
    }

    fn put(&mut self, name: &str, value: Json) {
        let is_nothing = match &value {
            Json::Null => true,
            Json::String(text) => text.is_empty(),
            Json::Array(items) => items.is_empty(),
            Json::Object(members) => members.is_empty(),
            Json::Bool(_) | Json::Number(_) => false,
        };
        if is_nothing {
            self.0.remove(name);
        } else {
            self.0.insert(name.to_owned(), value);
        }
    }
}

impl Kept {
    fn read(self, field: &Field<'_>) -> Result<Json, ApiError> {
        Ok(match self {
            Self::Text => json!(field.string(TEXT_LENGTH_MAX)?),
            Self::Flag => json!(field.boolean()?),
            Self::Number => json!(field.integer(i64::MIN..=i64::MAX)?),
            Self::Texts => {
                let items = field.array(TEXTS_MAX)?.unwrap_or_default();
                let texts = items.iter().map(|item| item.string(TEXT_LENGTH_MAX));
                json!(texts.collect::<Result<Vec<_>, _>>()?)
            }
            Self::Object => object(field)?,
        })
    }
}

fn object(field: &Field<'_>) -> Result<Json, ApiError> {
    let Some(object) = field.object()? else {
        return Ok(Json::Null);
    };
    let members = object.members().map(|(name, member)| {
        let value = match (name, member.to_json()) {
            ("port" | "expiration_sec", Json::String(text)) => match text.parse::<i64>() {
                Ok(number) => json!(number),
                Err(_) => json!(text),
            },
            (_, value) => value,
        };
        (name.to_owned(), value)
    });
    Ok(Json::Object(members.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> Params {
        let body = Some(("application/x-www-form-urlencoded", text.as_bytes()));
        Params::from_parts("", body).unwrap()
    }

    fn json_params(text: &str) -> Params {
        Params::from_parts("", Some(("application/json", text.as_bytes()))).unwrap()
    }

    #[test]
    fn a_form_and_json_are_kept_alike() {
        let mut a = Message::default();
        let text = "content=x&replace_variables=1&ttl_sec=60&media_urls[0]=http://a.example/1\
            &route_params[port]=7&route_params[data]=AA==&vars[a]=1&label_ids[]=LB1&unknown=1";
        a.take(&form(text)).unwrap();
        let mut b = Message::default();
        let text = r#"{"content":"x","replace_variables":true,"ttl_sec":60,
            "media":[{"url":"http://a.example/1"}],"route_params":{"port":7,"data":"AA=="},
            "vars":{"a":"1"},"label_ids":["LB1"]}"#;
        b.take(&json_params(text)).unwrap();
        assert_eq!(a, b);
        assert_eq!(Message::stored(&a.to_text()), a);
        assert_eq!(a.links().collect::<Vec<_>>(), ["http://a.example/1"]);
    }

    #[test]
    fn what_has_two_names_is_kept_once_under_the_one_that_was_given() {
        let mut message = Message::default();
        message
            .take(&form("replace_variables=1&route_id=RT1"))
            .unwrap();
        message.take(&form("is_template=0&phone_id=PN1")).unwrap();
        for name in ["replace_variables", "is_template"] {
            assert_eq!(message.get(name), &json!(false), "{name}");
        }
        let expected = json!({ "is_template": false, "phone_id": "PN1" });
        assert_eq!(Json::Object(message.0), expected);
    }

    #[test]
    fn a_change_keeps_what_it_does_not_name() {
        let mut message = Message::default();
        let text = r#"{"content":"x","ttl_sec":60,"vars":{"a":1,"b":2},"media_urls":["http://a.example/1"]}"#;
        message.take(&json_params(text)).unwrap();
        let text = r#"{"ttl_sec":null,"vars":{"a":null,"c":true},"media_urls":[]}"#;
        message.take(&json_params(text)).unwrap();
        let expected = json!({ "content": "x", "vars": { "b": 2, "c": true } });
        assert_eq!(Json::Object(message.0), expected);
    }

    #[test]
    fn what_is_of_the_wrong_type_is_named() {
        for (text, named) in [
            (r#"{"content":5}"#, "content"),
            (r#"{"replace_variables":"x"}"#, "replace_variables"),
            (r#"{"vars":{"a":[]}}"#, "vars[a]"),
            (r#"{"media":[{"url":5}]}"#, "media[0][url]"),
            (r#"{"label_ids":[5]}"#, "label_ids[0]"),
            (r#"{"route_params":"x"}"#, "route_params"),
        ] {
            let refused = Message::default().take(&json_params(text)).unwrap_err();
            assert_eq!(refused.param(), Some(named), "{text}");
        }
    }
}
