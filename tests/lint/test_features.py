"""What any script builds for this computer has the features of the whole workspace, so that nothing is built twice."""

import json
import os
import re
import subprocess

import pytest

from support.paths import ROOT

PLACES = ("scripts", ".ci", "tests", "android-app")
BUILDS = r"build|test|run|rustc|bench|check|clippy|doc"
IN_SHELL = re.compile(rf"\bcargo (?:--?\w+ )*({BUILDS})\b([^|;&)>\n]*)")
IN_PYTHON = re.compile(rf'"cargo", "({BUILDS})"([^\]]*)\]')
EXCEPTIONS = {
    "scripts/size": "weighs one layer more each time",
    "android-app/tools/libraries.sh": "builds for phones",
}


def units(*arguments):
    """Everything that cargo would compile or run for a command: package, target, features, profile, purpose."""
    # Cargo has the list for nightly alone; nothing is compiled here.
    command = ["cargo", *arguments, "--locked", "--unit-graph", "-Z", "unstable-options"]
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    printed = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    return json.loads(printed)["units"]


def built(found):
    """Units as they can be compared: without what they are built from, and without tests and documentation of our own."""
    return {
        (unit["pkg_id"], unit["target"]["name"], unit["mode"], *unit["features"], unit["profile"]["opt_level"])
        for unit in found
        if unit["mode"] in ("build", "run-custom-build")
    }


@pytest.fixture(scope="module")
def whole():
    """What a build of the whole workspace, with all its tests, compiles."""
    return units("build", "--workspace", "--all-targets")


def members():
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--no-deps"]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)["packages"]


def scripts():
    """Every file that may call cargo."""
    for place in PLACES:
        for path in (ROOT / place).rglob("*"):
            inside = {"target", "node_modules", "__pycache__", "src"} & set(path.relative_to(ROOT).parts)
            if path.is_file() and not inside and path.suffix in ("", ".sh", ".py"):
                yield path
    yield ROOT / "justfile"


def calls(path):
    """The arguments of each of cargo's builds for this computer in a file."""
    text = re.sub(r"\\\n\s*", "", path.read_text(encoding="utf-8", errors="replace"))
    if path.suffix == ".py":
        return [" ".join(re.findall(r'"([^"]*)"', arguments)) for _, arguments in IN_PYTHON.findall(text)]
    lines = "\n".join(line for line in text.splitlines() if not re.match(r"\s*(#|echo |fail )", line))
    return [arguments for _, arguments in IN_SHELL.findall(lines)]


def test_each_build_selects_the_features_of_the_workspace():
    found = {str(path.relative_to(ROOT)): calls(path) for path in scripts()}
    assert found.keys() >= EXCEPTIONS.keys()
    assert all(found[name] for name in ("scripts/demo", "scripts/test", "scripts/bench", "android-app/tools/steps.sh"))
    single = [
        f"{name}: cargo{arguments}"
        for name, commands in found.items()
        if name not in EXCEPTIONS
        for arguments in commands
        if "--workspace" not in arguments and "-p postrider-features" not in arguments and '"${@:2}"' not in arguments
    ]
    assert single == []


@pytest.mark.parametrize("package", [package["name"] for package in members()])
def test_a_package_beside_the_features_builds_as_in_the_workspace(package, whole):
    found = units("build", "-p", "postrider-features", "-p", package, "--all-targets")
    assert built(found) <= built(whole)


def test_programs_of_the_workspace_build_as_with_everything(whole):
    assert built(units("build", "--workspace", "--bin", "route-hub", "--bin", "virtual-phone")) <= built(whole)


def only_on_the_way(found):
    """The packages that run only while something is built: derives, build scripts and what these alone stand on."""
    def at_build(unit):
        return {"proc-macro", "custom-build"} & set(unit["target"]["kind"])

    todo = [unit for unit in found if "/registry/" not in unit["pkg_id"] and "path+" in unit["pkg_id"] and not at_build(unit)]
    at_run, seen = set(), set()
    while todo:
        unit = todo.pop()
        key = id(unit)
        if key in seen:
            continue
        seen.add(key)
        at_run.add(unit["pkg_id"])
        todo += [found[edge["index"]] for edge in unit["dependencies"] if not at_build(found[edge["index"]])]
    return {unit["pkg_id"] for unit in found} - at_run


def test_what_runs_only_during_a_build_is_not_optimised(whole):
    packages = only_on_the_way(whole)
    assert any("serde_derive@" in package for package in packages)
    slow = {unit["pkg_id"].rpartition("#")[2] for unit in whole if unit["pkg_id"] in packages and unit["profile"]["opt_level"] != "0"}
    assert slow == set()
