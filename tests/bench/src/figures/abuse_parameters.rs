//! How the steps of reading parameters grow, for the shape where they grow most.

use super::Scale;
use crate::{
    Failure,
    report::{Figure, Limit},
};
use hub_web::Params;
use nasty::SHAPES;

#[path = "../../../../route-hub/web/tests/nasty/mod.rs"]
mod nasty;

/// The names of these figures.
pub(super) const NAMES: &[&str] = &["abuse_parameter_steps_ratio"];

const SMALL_BYTES: usize = 100 * 1024;
const LARGE_BYTES: usize = 1024 * 1024;

/// Reads each shape at both sizes. Steps are counted, so one run is enough.
pub(super) fn measure(_: Scale) -> Result<Vec<Figure>, Failure> {
    let mut worst = 0.0_f64;
    for shape in &SHAPES {
        let steps = |bytes| {
            let body = shape.body(bytes);
            let read = Params::from_parts("", Some((shape.content_type, body.as_bytes())))?;
            Ok::<_, Failure>(read.steps() as f64)
        };
        let ratio = steps(LARGE_BYTES)? / steps(SMALL_BYTES)?;
        if ratio > worst {
            worst = ratio;
            eprintln!("{ratio:.3}: {}", shape.name);
        }
    }
    Ok(vec![Figure::new(
        NAMES[0],
        worst,
        "ratio",
        Limit::AtMost(12.0),
    )])
}
