//! What kind of message a request sends, and what each kind needs.

use crate::commands::new_message::{Kind, Payload, SendOptions};
use crate::messages::linking::Linked;
use crate::messages::writing::Writing;
use hub_domain::{DataSms, Encoding, MessageType};
use hub_rules::Template;
use hub_view::Refusal;
use postrider_model::{NumberShape, PhoneNumber};

/// What all messages of a request are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Sending {
    /// Texts.
    Text,
    /// The same payload for everybody.
    Data(DataSms),
    /// A USSD request.
    Ussd,
    /// Plain calls: no service speaks in them.
    Call,
    /// Multimedia messages.
    Mms,
}

/// Which operation asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// `send`.
    Single,
    /// `send_multi`.
    Multi,
}

/// What a single message carries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Body {
    /// Its text.
    pub content: Option<Linked>,
    /// Its SMS parts, where there are any.
    pub num_parts: Option<u32>,
    /// The payload of a data message, as `route_params` show it.
    pub route_params: Option<String>,
    /// What the text is made of, where each recipient gets another.
    pub template: Option<Template>,
    /// What those see of it who may not view contacts, where it tells more of one than they may.
    pub shown: Option<Linked>,
}

impl Sending {
    /// Says what is asked for.
    pub(crate) fn of(options: &SendOptions, operation: Operation) -> Result<Self, Refusal> {
        match (options.kind, &options.payload) {
            (Kind::Ussd, _) if operation == Operation::Multi => {
                let rule = "cannot be ussd here: a code is sent by itself, by messages/send";
                Err(Refusal::invalid_param("message_type", rule))
            }
            (Kind::Text, None) => Ok(Self::Text),
            (Kind::Text, Some(payload)) => data(payload).map(Self::Data),
            (_, Some(_)) => {
                let rule = "are for text messages alone";
                Err(Refusal::invalid_param("route_params", rule))
            }
            (Kind::Ussd, None) => Ok(Self::Ussd),
            (Kind::Call, None) => Ok(Self::Call),
            (Kind::Mms, None) => Ok(Self::Mms),
        }
    }

    /// Returns the type of the messages.
    pub(crate) const fn message_type(&self) -> MessageType {
        match self {
            Self::Text | Self::Data(_) => MessageType::Sms,
            Self::Ussd => MessageType::Ussd,
            Self::Call => MessageType::Call,
            Self::Mms => MessageType::Mms,
        }
    }

    /// Returns what a message of this kind carries.
    ///
    /// # Errors
    /// What is wrong with its `content`.
    pub(crate) fn body(&self, content: &str, writing: &Writing) -> Result<Body, String> {
        match self {
            Self::Text | Self::Mms => writing.text(content),
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

fn nothing_in(content: &str, rule: &str) -> Result<(), String> {
    if content.is_empty() {
        Ok(())
    } else {
        Err(rule.to_owned())
    }
}

fn data(payload: &Payload) -> Result<DataSms, Refusal> {
    let encoding = payload.encoding.unwrap_or(Encoding::Base64);
    DataSms::read(payload.port, payload.data.as_str(), encoding)
        .map_err(|invalid| Refusal::invalid_param("route_params[data]", invalid))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Kind, payload: Option<&str>, operation: Operation) -> Result<Sending, String> {
        let payload = payload.map(|data| Payload {
            port: 16_000,
            data: data.into(),
            encoding: Some(Encoding::Hex),
        });
        let options = SendOptions {
            kind,
            payload,
            ..SendOptions::default()
        };
        let refused = |refusal: Refusal| refusal.param().unwrap_or_default().to_owned();
        Sending::of(&options, operation).map_err(refused)
    }

    #[test]
    fn a_code_is_sent_by_itself_and_a_payload_by_texts_alone() {
        use Operation::{Multi, Single};
        assert_eq!(of(Kind::Text, None, Multi), Ok(Sending::Text));
        assert_eq!(of(Kind::Call, None, Multi), Ok(Sending::Call));
        assert_eq!(of(Kind::Ussd, None, Single), Ok(Sending::Ussd));
        assert_eq!(of(Kind::Ussd, None, Multi), Err("message_type".to_owned()));
        let Ok(Sending::Data(data)) = of(Kind::Text, Some("00ff"), Multi) else {
            panic!("no payload");
        };
        assert_eq!((data.port, data.bytes.0), (16_000, vec![0, 255]));
        let param = Err("route_params[data]".to_owned());
        assert_eq!(of(Kind::Text, Some("?"), Single), param);
        let params = Err("route_params".to_owned());
        assert_eq!(of(Kind::Call, Some("00"), Single), params);
    }
}
