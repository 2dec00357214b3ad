//! The route hub: REST API, webhooks and the phones' links.
