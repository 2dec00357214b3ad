//! Medians and percentiles.

/// Returns the value below which `percent` of the sorted values lie; 0 of none.
pub(crate) fn percentile(sorted: &[u64], percent: f64) -> u64 {
    if sorted.is_empty() {
        return 0;
    }
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// Returns the median; the upper one of an even number.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_value_that_was_measured() {
        let sorted: Vec<u64> = (1..=200).collect();
        assert_eq!(percentile(&sorted, 50.0), 100);
        assert_eq!(percentile(&sorted, 99.0), 198);
        assert_eq!(percentile(&sorted, 100.0), 200);
        assert_eq!(percentile(&[7], 50.0), 7);
        assert_eq!(percentile(&[], 50.0), 0);
    }

    #[test]
    fn the_median_does_not_mind_one_bad_run() {
        assert_eq!(median(vec![10.0, 1.0, 11.0, 12.0, 99.0]), 11.0);
    }
}
