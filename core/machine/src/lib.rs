//! The phone's machines: outbound queue, pacing, delivery, inbound.
