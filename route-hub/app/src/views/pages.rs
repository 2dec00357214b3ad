//! Pages where people look at resources: this hub has none yet.

use hub_view::ObjectWriter;

/// A page of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    /// Where it is shown.
    Shown,
    /// Where it is changed.
    Edit,
    /// Where it is sent.
    Send,
}

impl Page {
    const fn member(self) -> &'static str {
        match self {
            Self::Shown => "url",
            Self::Edit => "url_edit",
            Self::Send => "url_send",
        }
    }

    /// Returns its address: none, as long as no page answers there.
    const fn address(self) -> Option<&'static str> {
        match self {
            Self::Shown | Self::Edit | Self::Send => None,
        }
    }
}

/// Writes where a resource's pages are.
pub(super) fn write_pages(out: &mut ObjectWriter<'_>, pages: &[Page]) {
    for page in pages {
        out.put(page.member(), &page.address());
    }
}
