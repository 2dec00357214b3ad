"""Enforces deny.toml on what Cargo resolves: licences, bans, wildcards and sources.

It reads `cargo metadata`, which takes a second where building the usual tool from its sources would take
minutes of every fresh run. Advisories need the network and are left to that tool (`just deny`).
"""

import json
import re
import subprocess

import pytest

from lint.spdx import satisfied
from support.paths import ROOT

try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"
LOCK_FILES = [
    ROOT / "Cargo.lock",
    ROOT / "tests/requirements.txt",
    ROOT / "tests/clients/node/package-lock.json",
    *ROOT.glob("core/*/fuzz/Cargo.lock"),
]


@pytest.fixture(scope="module")
def rules():
    return tomllib.loads((ROOT / "deny.toml").read_text())


@pytest.fixture(scope="module")
def metadata():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


@pytest.fixture(scope="module")
def resolved(metadata):
    """Every package that the workspace's members reach."""
    used = {node["id"] for node in metadata["resolve"]["nodes"]}
    return [package for package in metadata["packages"] if package["id"] in used]


def test_expressions_are_read_as_they_are_meant():
    allowed = {"MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"}
    assert satisfied("MIT OR GPL-3.0", allowed)
    assert satisfied("MIT/Unknown", allowed)
    assert satisfied("(GPL-3.0 OR MIT) AND Apache-2.0 WITH LLVM-exception", allowed)
    assert not satisfied("MIT AND GPL-3.0", allowed)
    assert not satisfied("GPL-3.0 OR (MIT AND LGPL-2.1)", allowed)
    for broken in ("", "MIT OR", "(MIT", "MIT MIT"):
        with pytest.raises(ValueError):
            satisfied(broken, allowed)


def test_every_licence_is_allowed(resolved, rules):
    allowed = set(rules["licenses"]["allow"])
    wrong = [
        f"{p['name']} {p['version']}: {p['license']}"
        for p in resolved
        if not p["license"] or not satisfied(p["license"], allowed)
    ]
    assert not wrong


def test_no_banned_crate_is_used(metadata, rules):
    names = {package["id"]: package["name"] for package in metadata["packages"]}
    edges = [
        (names[node["id"]], names[dependency])
        for node in metadata["resolve"]["nodes"]
        for dependency in node["dependencies"]
    ]
    banned = {entry["crate"]: entry for entry in rules["bans"]["deny"]}
    assert not [
        f"{user} uses {name}: {banned[name]['reason']}"
        for user, name in edges
        if name in banned and user not in banned[name].get("wrappers", [])
    ]


def test_every_crate_comes_from_the_public_registry_or_this_repository(resolved):
    assert not [p["name"] for p in resolved if p["source"] not in (None, CRATES_IO)]


def test_no_member_asks_for_just_any_version(metadata):
    members = [p for p in metadata["packages"] if p["id"] in metadata["workspace_members"]]
    loose = [
        f"{p['name']} -> {d['name']}" for p in members for d in p["dependencies"] if d["req"] == "*" and not d.get("path")
    ]
    assert not loose


def test_members_take_their_versions_from_the_root():
    for manifest in ROOT.glob("**/Cargo.toml"):
        if manifest.parent == ROOT or {"target", "fuzz", "node_modules"} & set(manifest.relative_to(ROOT).parts):
            continue
        parsed = tomllib.loads(manifest.read_text())
        for section in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, value in parsed.get(section, {}).items():
                # A twin replaces a member under its name, and only a path can say so.
                is_twin = isinstance(value, dict) and value.keys() == {"package", "path"}
                assert is_twin or isinstance(value, dict) and value.get("workspace"), f"{manifest}: {name}"


@pytest.mark.parametrize("path", LOCK_FILES, ids=lambda path: path.name)
def test_a_lock_file_names_no_host_but_the_public_index(path):
    hosts = set(re.findall(r"https?://([^/\s\"]+)", path.read_text()))
    assert hosts <= {"github.com"}
