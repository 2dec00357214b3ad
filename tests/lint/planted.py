#!/usr/bin/env python3
"""Names the switches of planted mistakes, and finds those that a program holds.

    planted.py               prints each name
    planted.py PROGRAM…      prints the names that a program or library holds, and fails if there is one
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SWITCH = re.compile(r'(?:mistake::is|mistakes::is_about)\(\s*"(\w+)"')
CRATES = ("core", "route-hub", "android-bindings", "server-stub", "tests")
# The name that stands for any in comments.
EXAMPLE = "name"


def switches():
    """Returns the name of each switch in the sources."""
    files = (path for crates in CRATES for path in (ROOT / crates).glob("**/src/**/*.rs"))
    texts = (path.read_text(encoding="utf-8") for path in files)
    return {name for text in texts for name in SWITCH.findall(text)} - {EXAMPLE}


def held(program):
    """Returns the names of switches that the bytes of a program hold, in order."""
    return sorted(name for name in switches() if name.encode() in program)


def main(*programs):
    if not programs:
        print(*sorted(switches()), sep="\n")
        return 0
    found = [f"{path} holds {name}" for path in programs for name in held(Path(path).read_bytes())]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
