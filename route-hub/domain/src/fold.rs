//! Case folding for matches that ignore case.

/// Folds a text for case-blind comparison.
///
/// Databases fold differently beyond ASCII, so folding is done here and both the stored column
/// and the value looked for go through this one function. Lower-casing the upper case catches
/// letters such as `ß` and final sigma, which one pass alone keeps apart.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.to_uppercase().to_lowercase().replace('ς', "σ")
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn texts_that_differ_in_case_alone_fold_alike() {
        for (a, b) in [
            ("Ann", "aNN"),
            ("STRASSE", "straße"),
            ("ΟΔΟΣ", "οδος"),
            ("ÉCOLE", "école"),
            ("ΚΌΣΜΟΣ", "κόσμος"),
        ] {
            assert_eq!(fold(a), fold(b));
        }
        assert_ne!(fold("e"), fold("é"));
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for text in ["İstanbul", "ǅ", "ﬁn", "straße", "ΌΣΟΣ"] {
            assert_eq!(fold(&fold(text)), fold(text), "{text}");
        }
    }
}
