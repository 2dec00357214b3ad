#!/usr/bin/env python3
"""Writes the list of the packages in the app and their licences, for the screen that shows it.

    licences.py           writes src/main/res/raw/licences.txt
    licences.py --check   fails when that file names other packages, versions or licences

The packages are what cargo links into the library for Android, and what the pom ships. Each
licence text is written once, below the names of the packages that bring it.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

APP = Path(__file__).resolve().parent.parent
OUT = APP / "src/main/res/raw/licences.txt"
TARGETS = ["aarch64-linux-android", "armv7-linux-androideabi", "x86_64-linux-android"]
NAMES = re.compile(r"^(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)


def linked(target):
    """Returns the names and versions of the packages with the features that the app's own build has.

    `cargo metadata` has those of the whole workspace, and so names packages that only others use.
    """
    command = ["cargo", "tree", "--locked", "--offline", "-p", "postrider-android", "--target", target]
    said = subprocess.run([*command, "-e", "normal", "--prefix", "none"], cwd=APP.parent, capture_output=True, text=True, check=False)
    if said.returncode != 0:
        sys.exit(said.stderr)
    words = (line.split() for line in said.stdout.splitlines() if line)
    return {(name, version.removeprefix("v")) for name, version, *_ in words}


def shipped(target):
    """Returns the packages that are linked for a target, ours apart."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", target]
    said = subprocess.run(command, cwd=APP.parent, capture_output=True, text=True, check=False)
    if said.returncode != 0:
        sys.exit(said.stderr)
    read = json.loads(said.stdout)
    packages = {package["id"]: package for package in read["packages"]}
    nodes = {node["id"]: node for node in read["resolve"]["nodes"]}
    waiting = [key for key, package in packages.items() if package["name"] == "postrider-android"]
    found = set()
    while waiting:
        key = waiting.pop()
        if key not in found:
            found.add(key)
            deps = nodes[key]["deps"]
            waiting += [dep["pkg"] for dep in deps if any(kind["kind"] is None for kind in dep["dep_kinds"])]
    ours = linked(target)
    found = (packages[key] for key in found)
    return [one for one in found if one["source"] and (one["name"], one["version"]) in ours]


def crates():
    """Returns (name, version, licence, folder) of every crate, by name."""
    found = {}
    for target in TARGETS:
        for package in shipped(target):
            licence = re.sub(r"\s*/\s*", " OR ", package["license"] or "see its licence file")
            folder = Path(package["manifest_path"]).parent
            found[package["name"], package["version"]] = (package["name"], package["version"], licence, folder)
    return [found[key] for key in sorted(found)]


def jars():
    """Returns the same of the jars that the pom ships; their licences are known."""
    pom = (APP / "pom.xml").read_text()
    version = lambda name: re.search(rf"<{name}>([^<]+)</{name}>", pom).group(1)
    return [
        ("Kotlin standard library", version("kotlin.version"), "Apache-2.0", None),
        ("ZXing core", version("zxing.version"), "Apache-2.0", None),
        ("JNA", version("jna.version"), "Apache-2.0 OR LGPL-2.1-or-later", None),
    ]


def heading(packages):
    return [f"{name} {version}: {licence}" for name, version, licence, _ in packages]


def texts(packages):
    """Returns each licence text with the packages that bring it, in order of the first of them."""
    found = {}
    for name, _, _, folder in packages:
        for file in sorted(folder.iterdir()) if folder else []:
            if file.is_file() and NAMES.match(file.name):
                text = normal(file.read_text(errors="replace"))
                found.setdefault(text, []).append(name)
    return found


def normal(text):
    lines = [line.strip() for line in text.replace("\f", "\n").strip().splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def main():
    packages = jars() + crates()
    listed = "\n".join(heading(packages))
    if sys.argv[1:] == ["--check"]:
        if OUT.read_text().split("\n\n", 1)[0] != listed:
            sys.exit(f"{OUT.name} names other packages than the app has: run android-app/tools/licences.py")
        return
    parts = [listed]
    for text, names in texts(packages).items():
        parts.append("* " + ", ".join(dict.fromkeys(names)))
        parts.append(text)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text("\n\n".join(parts) + "\n")


main()
