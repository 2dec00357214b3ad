"""Building a part of the workspace gives the same features as building the whole, so that nothing is built twice."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILDS = {"scripts/demo": 1, "scripts/bench": 1, "scripts/test": 2}


def features(*packages):
    """Returns each package of a build with its features."""
    command = ["cargo", "tree", "--locked", *packages, "-e", "normal,build,dev", "--prefix", "none", "--format", "{p} [{f}]"]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.removesuffix(" (*)") for line in lines if line}


def selections(script):
    """Returns the packages that each build of a script names."""
    text = (ROOT / script).read_text(encoding="utf-8").replace("\\\n", " ")
    lists = re.findall(r"(?:-p [\w-]+ *)+", text)
    return [found.split() for found in lists if "route-hub" in found]


@pytest.fixture(scope="module")
def whole():
    """The features of the workspace."""
    return features("--workspace")


@pytest.mark.parametrize("script", BUILDS)
def test_a_script_builds_with_the_features_of_the_workspace(script, whole):
    found = selections(script)
    assert len(found) == BUILDS[script], found
    for packages in found:
        assert features(*packages) <= whole, " ".join(packages)
