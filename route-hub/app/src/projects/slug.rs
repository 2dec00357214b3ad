//! The slug of a project: what it is called in addresses, unique in its organization.

use hub_domain::Project;
use hub_store::{StoreError, Tx, projects};

/// Fewest and most characters of a slug.
pub const SLUG_LENGTH: std::ops::RangeInclusive<usize> = 3..=18;
/// Most characters of a name before a dash and ten digits of a key.
const KEYED_LENGTH: usize = 7;
/// What is kept of a key: ten hexadecimal digits.
const KEY_DIGITS: i64 = 0xff_ffff_ffff;

/// Gives a project that has no slug one of its own: its name's letters and digits, with the end of
/// its key where another project of the organization has those or there are too few.
pub(super) fn give(tx: &mut Tx<'_>, project: &mut Project) -> Result<(), StoreError> {
    if project.url_slug.is_some() {
        return Ok(());
    }
    let mut slug = of_name(&project.name);
    let mut key = project.id.get();
    while !SLUG_LENGTH.contains(&slug.len())
        || projects::by_slug(tx, project.organization_id, &slug)?.is_some()
    {
        slug = keyed(&project.name, key);
        key += 1;
    }
    project.url_slug = Some(slug);
    Ok(())
}

fn of_name(name: &str) -> String {
    let small = name.to_ascii_lowercase();
    let words = small.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let mut slug = words.join("-");
    slug.truncate(*SLUG_LENGTH.end());
    slug
}

fn keyed(name: &str, key: i64) -> String {
    let mut slug = of_name(name);
    slug.truncate(KEYED_LENGTH);
    let slug = format!("{slug}-{:010x}", key & KEY_DIGITS);
    slug.trim_start_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_a_names_letters_and_digits_or_has_a_key() {
        assert_eq!(of_name("The Clinic, No. 2"), "the-clinic-no-2");
        assert_eq!(
            of_name("A very long name of a project"),
            "a-very-long-name-o"
        );
        assert_eq!(keyed("Clinic", 0x12_3456), "clinic-0000123456");
        assert_eq!(keyed("医院", 1), "0000000001");
        for name in ["Clinic", "医院", "A very long name", ""] {
            assert!(SLUG_LENGTH.contains(&keyed(name, i64::MAX).len()), "{name}");
        }
    }
}
