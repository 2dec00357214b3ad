//! UCS-2: counting in UTF-16 units, and where a text is cut.
//!
//! A cut falls between grapheme clusters, so that an emoji of several characters or a letter with
//! its accents stays whole, unless a single cluster is larger than a part; then it falls between
//! two characters of it, never inside a surrogate pair. Which characters form a cluster follows
//! the Unicode version at hand, which differs between releases of the platform; on a phone the
//! platform's own division decides.
//!
//! Source: Unicode Standard Annex #29; `SmsMessage.fragmentText` of Android.

use unicode_segmentation::UnicodeSegmentation;

/// Returns how many UTF-16 units a text takes.
pub fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Returns the octets of a text, big end first, as they travel.
pub fn encode(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

/// Decodes octets, big end first; a lone surrogate becomes U+FFFD, an odd last octet is dropped.
pub fn decode(octets: &[u8]) -> String {
    let pairs = octets.chunks_exact(2);
    let units = pairs.map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    char::decode_utf16(units)
        .map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// A place in a text, counted both ways.
#[derive(Clone, Copy, Default)]
struct Place {
    unit: usize,
    byte: usize,
}

impl Place {
    fn after(self, text: &str) -> Self {
        Self {
            unit: self.unit + units(text),
            byte: self.byte + text.len(),
        }
    }
}

/// Cuts a text into parts of at most `size` units; `part` gets each part's end in bytes and its
/// units.
pub(crate) fn cut(text: &str, size: usize, mut part: impl FnMut(usize, usize)) {
    let mut start = Place::default();
    let mut cluster_start = Place::default();
    for cluster in text.graphemes(true) {
        let cluster_end = cluster_start.after(cluster);
        while cluster_end.unit > start.unit + size {
            let end = last_cut(cluster, cluster_start, start, start.unit + size);
            part(end.byte, end.unit - start.unit);
            start = end;
        }
        cluster_start = cluster_end;
    }
    if cluster_start.unit > start.unit {
        part(cluster_start.byte, cluster_start.unit - start.unit);
    }
}

/// Returns the last good cut at or before `limit`, which lies within the cluster or at its start.
fn last_cut(cluster: &str, cluster_start: Place, part_start: Place, limit: usize) -> Place {
    let whole = after_flag(cluster, cluster_start, limit);
    if whole.unit > part_start.unit {
        return whole;
    }
    let mut end = cluster_start;
    for character in cluster.chars() {
        let next = end.after(character.encode_utf8(&mut [0; 4]));
        if next.unit > limit {
            break;
        }
        end = next;
    }
    end
}

/// Returns the cluster's start, or the end of a flag that begins it and still fits: the platform
/// cuts behind a flag even where more belongs to the cluster.
fn after_flag(cluster: &str, start: Place, limit: usize) -> Place {
    let is_indicator = |character: &char| ('\u{1F1E6}'..='\u{1F1FF}').contains(character);
    let flag = Place {
        unit: start.unit + 4,
        byte: start.byte + 8,
    };
    if flag.unit <= limit && cluster.chars().take_while(is_indicator).count() >= 2 {
        flag
    } else {
        start
    }
}
