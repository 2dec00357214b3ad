//! Lists of contacts with a million stored, against ten thousand.

use super::Scale;
use super::lists::{List, compare, list};
use super::people::{IMPORT, import_all, make_group};
use crate::{
    Failure,
    hub::Hub,
    load::block_on,
    report::{Figure, Limit},
};

pub(super) const NAMES: &[&str] = &["contact_list_at_1m_ratio", "contact_list_at_1m_p99_ms"];

/// How many contacts the small store holds.
const FEW: u64 = 10_000;

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    block_on(async {
        let hub = Hub::start_paused(1).await?;
        let group = make_group(&hub, r#"{"name":"Everybody"}"#).await?;
        let few = FEW.min(scale.many) / IMPORT;
        import_all(&hub, &group, 0..few).await?;
        let few_lists = lists(&hub, &group).await?;
        import_all(&hub, &group, few..scale.many / IMPORT).await?;
        let (worst, slowest_ms) = compare(&few_lists, &lists(&hub, &group).await?);
        Ok(vec![
            Figure::new(NAMES[0], worst, "ratio", Limit::AtMost(2.0)),
            Figure::new(NAMES[1], slowest_ms, "ms", Limit::AtMost(10.0)),
        ])
    })
}

/// Lists fifty contacts by each pair of filters that people use, in both directions.
async fn lists(hub: &Hub, group: &str) -> Result<Vec<List>, Failure> {
    let mut measured = Vec::new();
    for pair in [
        "phone_number=%2B15005000042&time_created[min]=1".to_owned(),
        format!("group_id={group}&name=N4242"),
        format!("vars[city]=oslo&group_id={group}"),
        format!("group_id={group}&send_blocked=false"),
        "name[prefix]=n42&sort=name".to_owned(),
    ] {
        for direction in ["asc", "desc"] {
            let path = format!("contacts?{pair}&sort_dir={direction}");
            measured.push(list(hub, path).await?);
        }
    }
    Ok(measured)
}
