//! What an organization may have and use, as the operator sets it.

use crate::UsageType;
use crate::code::coded;
use crate::price::Rate;
use postrider_model::UnixMs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

const BYTES_PER_MB: u64 = 1 << 20;

coded! {
    /// Something that a plan has or has not.
    Feature {
        /// Connections straight to operators of networks.
        DirectConnectivity = "direct_connectivity" / 1,
        /// Airtime for recipients.
        AirtimeTransfer = "airtime_transfer" / 2,
        /// Links that count who follows them.
        ClickTracking = "click_tracking" / 3,
        /// A gateway of one's own.
        CustomGateway = "custom_gateway" / 4,
        /// A logo of one's own.
        CustomLogo = "custom_logo" / 5,
        /// An address of one's own.
        CustomDomain = "custom_domain" / 6,
        /// Limits that refuse nothing: what is beyond them costs the overage rates.
        SoftLimits = "soft_limits" / 7,
        /// Failed messages that are sent again by themselves.
        AutoResend = "auto_resend" / 8,
        /// Exports to a storage elsewhere.
        ExportStorage = "export_storage" / 9,
        /// An address that stays the same.
        StaticIpAddress = "static_ip_address" / 10,
        /// Scripts that are made of modules.
        ScriptModules = "script_modules" / 11,
        /// Templates of services.
        ServiceTemplates = "service_templates" / 12,
        /// Signing in elsewhere.
        SingleSignOn = "single_sign_on" / 13,
        /// Contacts that are kept the same elsewhere.
        ContactSync = "contact_sync" / 14,
        /// Providers of airtime elsewhere.
        ExternalAirtimeProviders = "external_airtime_providers" / 15,
        /// Payments by wire.
        WirePayments = "wire_payments" / 16,
        /// Dashboards of one's own.
        CustomDashboards = "custom_dashboards" / 17,
        /// Short links at a domain of one's own.
        BrandedShortLinks = "branded_short_links" / 18,
        /// Solutions made for one.
        CustomSolutions = "custom_solutions" / 19,
    }
}

impl Feature {
    /// Says whether a plan has it where the operator has said nothing: what a hub of one's own does.
    pub const fn is_in_every_plan(self) -> bool {
        matches!(
            self,
            Self::ClickTracking
                | Self::CustomDomain
                | Self::AutoResend
                | Self::StaticIpAddress
                | Self::BrandedShortLinks
        )
    }
}

coded! {
    /// What costs an overage rate.
    Overage {
        /// Each message beyond the day's.
        Message = "message" / 1,
        /// Each request beyond the day's.
        ApiRequest = "api_request" / 2,
        /// Each run of a service beyond the day's.
        ServiceInvocation = "service_invocation" / 3,
    }
}

/// What an organization may have and use. Stored as JSON; what is missing there is as here.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Plan {
    /// Its name; the hub's own for nothing.
    pub name: Option<String>,
    /// What it costs each time.
    pub price: Option<Rate>,
    /// When it is paid, as a rule of iCalendar.
    pub rrule: Option<String>,
    /// When it began; with the organization where nothing is said.
    #[serde(with = "moment")]
    pub start_time: Option<UnixMs>,
    /// When it ends.
    #[serde(with = "moment")]
    pub end_time: Option<UnixMs>,
    /// From when on nothing more is sent.
    #[serde(with = "moment")]
    pub suspend_time: Option<UnixMs>,
    /// The most of each thing; what is not in it has no limit.
    pub limits: BTreeMap<UsageType, u64>,
    /// What the operator has said of features.
    pub features: BTreeMap<Feature, bool>,
    /// What is beyond soft limits costs this.
    pub overage_rates: BTreeMap<Overage, Rate>,
}

impl Plan {
    /// Says whether it has a feature.
    pub fn has(&self, feature: Feature) -> bool {
        let said = self.features.get(&feature).copied();
        said.unwrap_or_else(|| feature.is_in_every_plan())
    }

    /// Returns what it limits, or would: messages by the day, unless it limits them by its period.
    pub fn limited(&self) -> impl Iterator<Item = UsageType> + '_ {
        let by_period = self.limits.contains_key(&UsageType::ExternalMessagesPeriod);
        let other = if by_period {
            UsageType::ExternalMessagesDay
        } else {
            UsageType::ExternalMessagesPeriod
        };
        UsageType::ALL
            .iter()
            .copied()
            .filter(move |kind| *kind != other)
    }

    /// Limits something, or takes its limit away with `None`. Messages have one limit, by the day or by the
    /// period: the last one holds.
    pub fn limit(&mut self, kind: UsageType, most: Option<u64>) {
        match most {
            Some(most) => {
                self.limits.insert(kind, most);
                if let Some(other) = kind.instead() {
                    self.limits.remove(&other);
                }
            }
            None => {
                self.limits.remove(&kind);
            }
        }
    }

    /// Returns the limit beyond which something is refused, in single things or bytes.
    pub fn refuses_beyond(&self, kind: UsageType) -> Option<u64> {
        let limit = self.limits.get(&kind).copied();
        let limit = limit.filter(|_| !self.has(Feature::SoftLimits))?;
        Some(match kind {
            UsageType::StoredFileMb => limit.saturating_mul(BYTES_PER_MB),
            _ => limit,
        })
    }

    /// Says whether it refuses anything that is beyond a limit.
    pub fn refuses(&self) -> bool {
        !self.limits.is_empty() && !self.has(Feature::SoftLimits)
    }

    /// Says whether nothing more is sent.
    pub fn is_suspended(&self, now: UnixMs) -> bool {
        self.suspend_time.is_some_and(|from| from <= now)
    }
}

/// Something that would be beyond a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exceeded {
    /// What is limited.
    pub limit: UsageType,
    /// The most that there may be, in single things or bytes.
    pub most: u64,
    /// How much there is, in the same.
    pub used: u64,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |amount| self.limit.shown(amount);
        let (name, most, used) = (self.limit, shown(self.most), shown(self.used));
        write!(
            f,
            "the plan's limit {name} is {most}, {used} are used, and this is more"
        )
    }
}

impl UsageType {
    /// Turns single things or bytes into what is shown: whole megabytes, begun ones too, for files.
    pub const fn shown(self, amount: u64) -> u64 {
        match self {
            Self::StoredFileMb => amount.div_ceil(BYTES_PER_MB),
            _ => amount,
        }
    }
}

mod moment {
    use postrider_model::UnixMs;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde hands the member on like this")]
    pub(super) fn serialize<S: Serializer>(
        moment: &Option<UnixMs>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        moment.map(|moment| moment.0).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<UnixMs>, D::Error> {
        Ok(Option::<i64>::deserialize(deserializer)?.map(UnixMs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited() -> Plan {
        Plan {
            limits: [(UsageType::Contacts, 100), (UsageType::StoredFileMb, 2)].into(),
            ..Plan::default()
        }
    }

    #[test]
    fn what_has_a_limit_is_refused_beyond_it_unless_limits_are_soft() {
        let plan = limited();
        assert_eq!(plan.refuses_beyond(UsageType::Contacts), Some(100));
        assert_eq!(plan.refuses_beyond(UsageType::StoredFileMb), Some(2 << 20));
        assert_eq!(plan.refuses_beyond(UsageType::Phones), None);
        assert!(plan.refuses() && !Plan::default().refuses());
        let soft = Plan {
            features: [(Feature::SoftLimits, true)].into(),
            ..limited()
        };
        assert_eq!(soft.refuses_beyond(UsageType::Contacts), None);
        assert!(!soft.refuses());
    }

    #[test]
    fn a_plan_is_read_as_it_was_written_and_an_empty_one_is_the_hubs_own() {
        let plan = Plan {
            suspend_time: Some(UnixMs(5)),
            price: Some(Rate::new("9.50".parse().unwrap(), "KES".parse().unwrap())),
            features: [(Feature::ClickTracking, false)].into(),
            ..limited()
        };
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
        assert_eq!(serde_json::from_str::<Plan>("{}").unwrap(), Plan::default());
        assert!(plan.is_suspended(UnixMs(5)) && !plan.is_suspended(UnixMs(4)));
        assert!(!plan.has(Feature::ClickTracking) && plan.has(Feature::AutoResend));
    }

    #[test]
    fn who_is_refused_is_told_the_limit_its_value_and_the_use() {
        let exceeded = |limit, most, used| Exceeded { limit, most, used }.to_string();
        let contacts = exceeded(UsageType::Contacts, 100, 99);
        assert_eq!(
            contacts,
            "the plan's limit contacts is 100, 99 are used, and this is more"
        );
        let files = exceeded(UsageType::StoredFileMb, 2 << 20, (1 << 20) + 1);
        assert!(files.contains("stored_file_mb is 2, 2 are used"));
    }
}
