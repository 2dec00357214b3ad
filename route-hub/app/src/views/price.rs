//! What something cost.

use hub_domain::Price;
use hub_view::ObjectWriter;

/// Writes a price as a number, with its currency; both are null where nothing is known.
pub(super) fn write_price(out: &mut ObjectWriter<'_>, price: Option<Price>) {
    out.put("price", &price.map(|price| price.amount().to_f64()));
    out.put(
        "price_currency",
        &price.map(|price| price.currency.to_string()),
    );
}
