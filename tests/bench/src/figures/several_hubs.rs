//! Two and three hubs on one project, beside one that has its own database to itself.

use super::postgres::CONNECTIONS;
use super::{Scale, fresh_numbers, postgres_hub, single_send};
use crate::{
    Failure,
    http::Caller,
    load::{Loaded, block_on, closed_loop_over},
    report::{Figure, Limit},
    stats::{median, percentile},
};

pub(super) const NAMES: &[&str] = &[
    "hubs_2_sends_ratio",
    "hubs_2_sends_p99_ratio",
    "hubs_2_slowest_share",
    "hubs_3_sends_ratio",
    "hubs_3_sends_p99_ratio",
    "hubs_3_slowest_share",
];

/// What several hubs did, compared with one.
#[derive(Default)]
struct Runs {
    rates: Vec<f64>,
    p99: Vec<f64>,
    slowest: Vec<f64>,
}

impl Runs {
    fn add(&mut self, one: &Loaded, several: &Loaded) {
        let p99 = |of: &Loaded| percentile(&of.latencies_us, 99.0) as f64;
        let answers = || several.by_hub.iter().map(|answers| *answers as f64);
        let fastest = answers().fold(0.0, f64::max);
        self.rates.push(several.per_s / one.per_s);
        self.p99.push(p99(several) / p99(one));
        self.slowest
            .push(answers().fold(fastest, f64::min) / fastest);
    }

    fn figures(self, names: &'static [&'static str]) -> impl Iterator<Item = Figure> {
        let values = [self.rates, self.p99, self.slowest];
        let limits = [Limit::AtLeast(0.7), Limit::AtMost(3.0), Limit::AtLeast(0.5)];
        let all = names.iter().zip(values.into_iter().zip(limits));
        all.map(|(name, (values, limit))| Figure::new(name, median(values), "ratio", limit))
    }
}

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    block_on(async {
        let alone = postgres_hub(1).await?;
        let first = postgres_hub(1).await?;
        let others = [first.serve(0, &[]).await?, first.serve(0, &[]).await?];
        let others = others.each_ref().map(|other| Caller {
            address: other.address,
            ..first.caller.clone()
        });
        let hubs: Vec<_> = [first.caller.clone()].into_iter().chain(others).collect();
        let numbers = fresh_numbers();
        let load = async |hubs: &[Caller], project: &str| {
            let sends = single_send(project);
            closed_loop_over(hubs, CONNECTIONS, scale.span, &numbers, &sends).await
        };
        let (mut two, mut three) = (Runs::default(), Runs::default());
        for _ in 0..scale.runs {
            let one = load(std::slice::from_ref(&alone.caller), &alone.project).await?;
            two.add(&one, &load(&hubs[..2], &first.project).await?);
            three.add(&one, &load(&hubs, &first.project).await?);
        }
        let figures = two.figures(&NAMES[..3]).chain(three.figures(&NAMES[3..]));
        Ok(figures.collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_hub_is_compared_with_the_fastest() {
        let loaded = |per_s, by_hub: &[usize]| Loaded {
            per_s,
            latencies_us: vec![per_s as u64],
            by_hub: by_hub.to_vec(),
        };
        let mut runs = Runs::default();
        runs.add(&loaded(100.0, &[100]), &loaded(80.0, &[20, 40, 30]));
        assert_eq!(
            (runs.rates[0], runs.p99[0], runs.slowest[0]),
            (0.8, 0.8, 0.5)
        );
    }
}
