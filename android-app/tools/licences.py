#!/usr/bin/env python3
"""Writes the list of the packages in the app and their licences, for the screen that shows it.

    licences.py           writes src/main/res/raw/licences.txt
    licences.py --check   fails when that file names other packages, versions or licences

The packages are what cargo links into the library for Android, and what the pom ships. Each
licence text is written once, below the names of the packages that bring it.
"""

import re
import sys
from pathlib import Path

APP = Path(__file__).resolve().parent.parent
sys.path.append(str(APP.parent / "packaging"))

from crates import crates, heading, texts, written  # noqa: E402

OUT = APP / "src/main/res/raw/licences.txt"
TARGETS = ["aarch64-linux-android", "armv7-linux-androideabi", "x86_64-linux-android"]


def jars():
    """Returns the same of the jars that the pom ships; their licences are known."""
    pom = (APP / "pom.xml").read_text()
    version = lambda name: re.search(rf"<{name}>([^<]+)</{name}>", pom).group(1)
    return [
        ("Kotlin standard library", version("kotlin.version"), "Apache-2.0", None),
        ("ZXing core", version("zxing.version"), "Apache-2.0", None),
        ("JNA", version("jna.version"), "Apache-2.0 OR LGPL-2.1-or-later", None),
    ]


def main():
    packages = jars() + crates("postrider-android", TARGETS)
    listed = heading(packages)
    if sys.argv[1:] == ["--check"]:
        if OUT.read_text().split("\n\n", 1)[0] != "\n".join(listed):
            sys.exit(f"{OUT.name} names other packages than the app has: run android-app/tools/licences.py")
        return
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(written(listed, texts(packages)))


main()
