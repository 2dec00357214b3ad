//! A phone without a phone: the agent with a simulated radio.
