"""The crates of the registry that are linked into a program or library, and their licences."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = re.compile(r"^(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)


def crates(package, targets):
    """Returns (name, version, licence, folder) of every crate, by name."""
    found = {}
    for target in targets:
        for crate in linked(package, target):
            licence = re.sub(r"\s*/\s*", " OR ", crate["license"] or "see its licence file")
            folder = Path(crate["manifest_path"]).parent
            found[crate["name"], crate["version"]] = (crate["name"], crate["version"], licence, folder)
    return [found[key] for key in sorted(found)]


def linked(package, target):
    """Returns the crates that are linked for a target, ours apart."""
    read = json.loads(cargo("metadata", "--format-version", "1", "--filter-platform", target))
    crates_by_id = {crate["id"]: crate for crate in read["packages"]}
    nodes = {node["id"]: node for node in read["resolve"]["nodes"]}
    waiting = [key for key, crate in crates_by_id.items() if crate["name"] == package]
    found = set()
    while waiting:
        key = waiting.pop()
        if key not in found:
            found.add(key)
            deps = nodes[key]["deps"]
            waiting += [dep["pkg"] for dep in deps if any(kind["kind"] is None for kind in dep["dep_kinds"])]
    its_own = with_its_features(package, target)
    found = (crates_by_id[key] for key in found)
    return [one for one in found if one["source"] and (one["name"], one["version"]) in its_own]


def with_its_features(package, target):
    """Returns the names and versions of the crates with the features that the package's own build has.

    `cargo metadata` has those of the whole workspace, and so names crates that only others use.
    """
    said = cargo("tree", "-p", package, "--target", target, "-e", "normal", "--prefix", "none")
    words = (line.split() for line in said.splitlines() if line)
    return {(name, version.removeprefix("v")) for name, version, *_ in words}


def cargo(*arguments):
    command = ["cargo", *arguments, "--locked", "--offline"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if said.returncode != 0:
        sys.exit(said.stderr)
    return said.stdout


def heading(packages):
    """Returns a line for each package."""
    return [f"{name} {version}: {licence}" for name, version, licence, _ in packages]


def texts(packages):
    """Returns each licence text with the packages that bring it, in order of the first of them."""
    found = {}
    for name, _, _, folder in packages:
        for file in sorted(folder.iterdir()) if folder else []:
            if file.is_file() and NAMES.match(file.name):
                found.setdefault(normal(file.read_text(errors="replace")), []).append(name)
    return found


def normal(text):
    """Returns a text without what differs only in blanks."""
    lines = [line.strip() for line in text.replace("\f", "\n").strip().splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def written(listed, by_text):
    """Returns a page: the list, then each text below the names of those that bring it."""
    parts = ["\n".join(listed)]
    for text, names in by_text.items():
        parts += ["* " + ", ".join(dict.fromkeys(names)), text]
    return "\n\n".join(parts) + "\n"
