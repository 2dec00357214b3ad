//! What kind of message a request sends, and what each kind needs.

use crate::messages::writing::Writing;
use hub_domain::{DATA_BYTES_MAX, DataSms, Encoding, MessageType, ussd};
use hub_rules::Template;
use hub_web::{ApiError, Field, Params};
use postrider_model::{MessageText, NumberShape, PhoneNumber};

/// Longest payload that is looked at, in characters; the longest that fits has far fewer.
const DATA_LENGTH_MAX: usize = 1_000;

/// What all messages of a request are.
#[derive(Debug, Clone, PartialEq)]
pub enum Sending {
    /// Texts.
    Text,
    /// The same payload for everybody.
    Data(DataSms),
    /// A USSD request.
    Ussd,
    /// Plain calls: no service speaks in them.
    Call,
}

/// Which operation asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `send`.
    Single,
    /// `send_multi`.
    Multi,
}

/// What a single message carries.
#[derive(Debug, Clone, Default)]
pub struct Body {
    pub content: Option<MessageText>,
    /// Its SMS parts, where there are any.
    pub num_parts: Option<u32>,
    /// The payload of a data message, as `route_params` show it.
    pub route_params: Option<String>,
    /// What the text is made of, where each recipient gets another.
    pub template: Option<Template>,
    /// What stands on lines of its own below such a text.
    pub links: Vec<String>,
    /// What those see of it who may not view contacts, where it tells more of one than they may.
    pub shown: Option<MessageText>,
}

impl Sending {
    /// Reads `message_type` and `route_params`.
    pub(crate) fn read(params: &Params, operation: Operation) -> Result<Self, ApiError> {
        let field = params.get("message_type");
        let asked = field.one_of(&[
            ("text", Some(Kind::Text)),
            ("sms", Some(Kind::Text)),
            ("ussd", Some(Kind::Ussd)),
            ("call", Some(Kind::Call)),
            ("mms", None),
            ("chat", None),
            ("service", None),
        ])?;
        let kind = asked.unwrap_or(Some(Kind::Text)).ok_or_else(|| {
            field.refuse("is not offered by this hub yet: only text, sms, ussd and call are")
        })?;
        let params_field = params.get("route_params");
        match kind {
            Kind::Ussd if operation == Operation::Multi => {
                Err(field.refuse("cannot be ussd here: a code is sent by itself, by messages/send"))
            }
            Kind::Text => Ok(payload(&params_field)?.map_or(Self::Text, Self::Data)),
            _ if !params_field.is_empty() => {
                Err(params_field.refuse("are for text messages alone"))
            }
            Kind::Ussd => Ok(Self::Ussd),
            Kind::Call => Ok(Self::Call),
        }
    }

    /// Returns the type of the messages.
    pub const fn message_type(&self) -> MessageType {
        match self {
            Self::Text | Self::Data(_) => MessageType::Sms,
            Self::Ussd => MessageType::Ussd,
            Self::Call => MessageType::Call,
        }
    }

    /// Reads what a message of this kind carries from its `content`.
    pub fn body(&self, content: &Field<'_>, writing: &Writing) -> Result<Body, ApiError> {
        match self {
            Self::Text => writing.text(content),
            Self::Data(data) => {
                nothing_in(content, "must be empty: route_params carry the payload")?;
                Ok(Body {
                    num_parts: Some(1),
                    route_params: Some(data.to_params()),
                    ..Body::default()
                })
            }
            Self::Ussd => {
                nothing_in(content, "must be empty: the code to dial is to_number")?;
                Ok(Body::default())
            }
            Self::Call => {
                nothing_in(
                    content,
                    "must be empty: a call is placed, and nothing speaks in it yet",
                )?;
                Ok(Body::default())
            }
        }
    }

    /// Says what is wrong with a number as a recipient of this kind.
    pub(crate) fn refuses(&self, number: &PhoneNumber) -> Option<&'static str> {
        let shape = number.shape();
        match self {
            Self::Call if !matches!(shape, NumberShape::E164 | NumberShape::National) => {
                Some("must be a full phone number: short codes are not called")
            }
            _ if shape == NumberShape::Alphanumeric => Some("is a name that nobody can answer"),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Ussd,
    Call,
}

fn nothing_in(field: &Field<'_>, rule: &str) -> Result<(), ApiError> {
    match field.is_empty() {
        true => Ok(()),
        false => Err(field.refuse(rule)),
    }
}

/// Reads the payload of a data message: `port`, `data` and `encoding`.
fn payload(field: &Field<'_>) -> Result<Option<DataSms>, ApiError> {
    let Some(params) = field.object()?.filter(|_| !field.is_empty()) else {
        return Ok(None);
    };
    let mut members = params.members();
    if let Some((_, unknown)) =
        members.find(|(name, _)| !["port", "data", "encoding"].contains(name))
    {
        return Err(unknown.refuse("is not offered by this hub: port, data and encoding are"));
    }
    let port = params.get("port");
    let port_number = port
        .integer(1..=i64::from(u16::MAX))?
        .and_then(|port| u16::try_from(port).ok())
        .ok_or_else(|| port.refuse("is required"))?;
    let encodings = [("base64", Encoding::Base64), ("hex", Encoding::Hex)];
    let encoding = params.get("encoding").one_of(&encodings)?;
    let data = params.get("data");
    let text = data.string(DATA_LENGTH_MAX)?.unwrap_or_default();
    if text.is_empty() {
        return Err(data.refuse(format_args!("must be 1 to {DATA_BYTES_MAX} bytes")));
    }
    DataSms::read(port_number, text, encoding.unwrap_or(Encoding::Base64))
        .map(Some)
        .map_err(|invalid| data.refuse(invalid))
}

/// Reads the code of a USSD request.
pub fn code(to: &Field<'_>) -> Result<hub_domain::Address, ApiError> {
    let typed = to.string(ussd::CODE_LENGTH_MAX)?.unwrap_or_default();
    if typed.is_empty() {
        return Err(to.refuse("is required: the code to dial"));
    }
    ussd::read(typed).map_err(|invalid| to.refuse(invalid))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str, operation: Operation) -> Result<Sending, Option<String>> {
        let body = Some(("application/json", body.as_bytes()));
        let params = Params::from_parts("", body).unwrap();
        Sending::read(&params, operation).map_err(|error| error.param().map(str::to_owned))
    }

    fn refused(body: &str) -> Option<String> {
        read(body, Operation::Single).unwrap_err()
    }

    #[test]
    fn a_type_that_comes_later_is_refused_by_name() {
        assert_eq!(read("{}", Operation::Multi), Ok(Sending::Text));
        let call = r#"{"message_type":"call"}"#;
        assert_eq!(read(call, Operation::Multi), Ok(Sending::Call));
        let ussd = r#"{"message_type":"ussd"}"#;
        assert_eq!(read(ussd, Operation::Single), Ok(Sending::Ussd));
        let named = Err(Some("message_type".to_owned()));
        assert_eq!(read(ussd, Operation::Multi), named);
        for later in ["mms", "chat", "service", "pigeon"] {
            let body = format!(r#"{{"message_type":"{later}"}}"#);
            assert_eq!(read(&body, Operation::Single), named, "{later}");
        }
    }

    #[test]
    fn route_params_are_a_payload_or_are_refused_by_name() {
        let payload = r#"{"route_params":{"port":16000,"data":"00ff","encoding":"hex"}}"#;
        let Ok(Sending::Data(data)) = read(payload, Operation::Multi) else {
            panic!("no payload");
        };
        assert_eq!((data.port, data.bytes.0), (16_000, vec![0, 255]));
        for (params, named) in [
            (r#"{"port":0,"data":"AA=="}"#, "route_params[port]"),
            (r#"{"data":"AA=="}"#, "route_params[port]"),
            (r#"{"port":1}"#, "route_params[data]"),
            (r#"{"port":1,"data":"?"}"#, "route_params[data]"),
            (r#"{"port":1,"data":7}"#, "route_params[data]"),
            (
                r#"{"port":1,"data":"00","encoding":"utf8"}"#,
                "route_params[encoding]",
            ),
            (r#"{"quick_replies":["a"]}"#, "route_params[quick_replies]"),
            (r#""x""#, "route_params"),
        ] {
            let body = format!(r#"{{"route_params":{params}}}"#);
            assert_eq!(refused(&body).as_deref(), Some(named), "{params}");
        }
        let call = r#"{"message_type":"call","route_params":{"port":1,"data":"AA=="}}"#;
        assert_eq!(refused(call).as_deref(), Some("route_params"));
    }
}
