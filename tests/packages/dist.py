"""What scripts/package has built."""

import hashlib

from support.paths import ROOT

DIST = ROOT / "dist"


def built(pattern):
    """Returns the one file of `dist` with such a name, or None."""
    found = list(DIST.glob(pattern))
    return found[0] if len(found) == 1 else None


def checksums():
    """Returns the names in SHA256SUMS, and whether each is right."""
    lines = (line.split("  ", 1) for line in (DIST / "SHA256SUMS").read_text().splitlines())
    return {name: hashlib.sha256((DIST / name).read_bytes()).hexdigest() == wanted for wanted, name in lines}
