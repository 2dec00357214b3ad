//! `ROUTE_HUB_*` variables. One that is empty is not set: compose and unit files leave it so where nobody filled it in.

use clap::Command;
use std::env;

/// Returns the value of a variable that has no flag.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Has a command, and those below it, read no variable that is empty.
pub fn without_empty(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let value = arg.get_env().and_then(env::var_os);
        if value.is_some_and(|value| value.is_empty()) {
            arg.env(None::<&'static str>)
        } else {
            arg
        }
    });
    command.mut_subcommands(without_empty)
}
