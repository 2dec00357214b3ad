//! What the simulated network answers to USSD codes.

/// The code that asks for the balance.
const BALANCE: &str = "*100#";
/// The answer to it.
const BALANCE_IS: &str = "Your balance is 12.50. It is valid for 30 days.";
/// The answer to every other code.
const DONE: &str = "OK";

/// Returns the network's answer to a code.
pub(crate) fn answer(code: &str) -> &'static str {
    match code {
        BALANCE => BALANCE_IS,
        _ => DONE,
    }
}
