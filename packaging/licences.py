#!/usr/bin/env python3
"""Prints what is in the program `route-hub` for a target, and the licence texts of all of it.

    licences.py TARGET [DEBIAN_PACKAGE…]

The Debian packages are those whose files go with it, as into a container; their copyright files are printed, too.
Each text is written once, below the names of those that bring it.
"""

import html
import json
import re
import subprocess
import sys
from pathlib import Path

from crates import ROOT, crates, heading, normal, texts, written

OURS = ["LICENSE-MIT", "LICENSE-APACHE"]
DOCS = ROOT / "route-hub" / "docs"


def page_packages():
    """Returns the packages of Node that the page of `/docs` is made of, as `crates` does."""
    lock = json.loads((DOCS / "package-lock.json").read_text())
    shipped = [(path, one) for path, one in lock["packages"].items() if path and not (one.get("dev") or one.get("optional"))]
    names = [(path.rpartition("node_modules/")[2], path, one) for path, one in shipped]
    return [(name, one["version"], one.get("license", "see its licence file"), DOCS / path) for name, path, one in sorted(names)]


def standard_library():
    """Returns the name and the notices of Rust's standard library."""
    root = Path(run("rustc", "--print", "sysroot").strip())
    release = run("rustc", "--version").split()[1]
    notices = (root / "share/doc/rust/COPYRIGHT-library.html").read_text()
    notices = re.sub(r"<(head|style)\b.*?</\1>", "", notices, flags=re.DOTALL)
    return f"Rust's standard library {release}: MIT OR Apache-2.0", normal(html.unescape(re.sub(r"<[^>]+>", "", notices)))


def debian_package(name):
    """Returns the same of a package of Debian that is installed here."""
    version = run("dpkg-query", "--show", "--showformat", "${Version}", name)
    notices = Path("/usr/share/doc", name.partition(":")[0], "copyright").read_text(errors="replace")
    return f"{name} {version} (Debian): see its text", normal(notices)


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main(target, *debian):
    packages = crates("route-hub", [target]) + page_packages()
    by_text = {normal((ROOT / name).read_text()): ["Postrider"] for name in OURS}
    listed = ["Postrider: MIT OR Apache-2.0", *heading(packages)]
    for line, text in [standard_library(), *map(debian_package, debian)]:
        listed.append(line)
        by_text.setdefault(text, []).append(line.partition(":")[0])
    for text, names in texts(packages).items():
        by_text.setdefault(text, []).extend(names)
    print(written(listed, by_text), end="")


main(*sys.argv[1:])
