//! Whose a data folder is. Root keeps out of another user's, who could not use what root makes in it.

use crate::data_folder::error::CommandError;
use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Where the system lists its users.
const USERS_FILE: &str = "/etc/passwd";
/// How the names of the hub's variables begin.
const VARIABLES: &str = "ROUTE_HUB_";
/// What a shell takes as it is, beside letters and digits.
const PLAIN: &str = "_@%+=:,./-";

/// Refuses root in a folder of another user.
///
/// # Errors
/// With the command line that does the same as that user.
pub fn refuse_root(folder: &Path) -> Result<(), CommandError> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let owner = match fs::metadata(folder) {
        Ok(found) if found.uid() != 0 => found.uid(),
        // Root's own, or one that is yet to be made.
        _ => return Ok(()),
    };
    let users = fs::read_to_string(USERS_FILE).unwrap_or_default();
    let user = user(&users, owner);
    let variables = env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let arguments = env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    Err(CommandError::new(format!(
        "{} belongs to {user}, who could not use what root makes in it. Run this as that user:\n  {}",
        folder.display(),
        command_line(&user, variables, arguments)
    )))
}

/// Returns how `sudo` names a user: by the name that the system's list has, else by the number.
fn user(users: &str, number: u32) -> String {
    let named = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, own) = (fields.next()?, fields.nth(1)?);
        (own.parse::<u32>() == Ok(number)).then_some(name)
    });
    named.map_or_else(|| format!("#{number}"), str::to_owned)
}

/// Writes a command for a shell, as a user runs it. `sudo` keeps only variables that it is told to; their
/// values, which may be secret, are not shown.
fn command_line(
    user: &str,
    variables: impl Iterator<Item = String>,
    arguments: impl Iterator<Item = String>,
) -> String {
    let mut kept: Vec<_> = variables
        .filter(|name| name.starts_with(VARIABLES))
        .collect();
    kept.sort_unstable();
    let mut words = vec!["sudo".to_owned(), "-u".to_owned(), user.to_owned()];
    if !kept.is_empty() {
        words.push(format!("--preserve-env={}", kept.join(",")));
    }
    words.extend(arguments);
    let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || PLAIN.contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(user: &str, variables: &[&str], arguments: &[&str]) -> String {
        let owned = |word: &&str| (*word).to_owned();
        command_line(
            user,
            variables.iter().map(owned),
            arguments.iter().map(owned),
        )
    }

    #[test]
    fn a_user_is_named_as_the_system_lists_it_or_by_its_number() {
        let users =
            "root:x:0:0:root:/root:/bin/sh\nbroken\n\nhub:x:998:997::/var/lib/hub:/bin/false\n";
        assert_eq!(user(users, 998), "hub");
        assert_eq!(user(users, 0), "root");
        assert_eq!(user(users, 997), "#997");
        assert_eq!(user("", 998), "#998");
    }

    #[test]
    fn the_line_has_the_same_arguments_for_a_shell() {
        let same = ["route-hub", "migrate", "--dir", "/var/lib/route-hub"];
        assert_eq!(
            line("hub", &["HOME", "PATH"], &same),
            "sudo -u hub route-hub migrate --dir /var/lib/route-hub"
        );
        let hard = [
            "./route-hub",
            "--name",
            "Ann's & Bob's",
            "",
            "$HOME",
            "a\nb",
        ];
        assert_eq!(
            line("#12345", &[], &hard),
            "sudo -u '#12345' ./route-hub --name 'Ann'\\''s & Bob'\\''s' '' '$HOME' 'a\nb'"
        );
    }

    #[test]
    fn the_line_keeps_the_hubs_variables_by_their_names() {
        let variables = ["ROUTE_HUB_FILES", "LANG", "ROUTE_HUB_DIR"];
        assert_eq!(
            line("hub", &variables, &["route-hub", "serve"]),
            "sudo -u hub --preserve-env=ROUTE_HUB_DIR,ROUTE_HUB_FILES route-hub serve"
        );
    }

    #[test]
    fn a_missing_folder_and_ones_own_are_nobody_elses() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(refuse_root(dir.path()), Ok(()));
        assert_eq!(refuse_root(&dir.path().join("missing")), Ok(()));
    }
}
