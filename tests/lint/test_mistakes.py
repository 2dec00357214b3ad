"""Each switch for a planted mistake is used by a suite, and each name that a suite plants has a switch."""

import re

from support.paths import ROOT

SWITCH = re.compile(r'(?:mistake::is|mistakes::is_about|mistakes\.is)\(\s*"(\w+)"')
PLANTED = re.compile(r'(?:\(\s*|run_with\(\d+, |url\(\), )"([a-z_+]+)"[,)]')
SOURCES = (
    "core/link/src",
    "core/machine/src",
    "tests/simulation/src",
    "route-hub/app/src",
    "route-hub/store/src/postgres",
)
SUITES = (
    "tests/model/tests",
    "tests/simulation/tests/mistakes",
    "route-hub/store/tests/several",
    "route-hub/tests/api/several",
)


def found(pattern, folders):
    texts = (path.read_text() for folder in folders for path in (ROOT / folder).rglob("*.rs"))
    return {name for text in texts for names in pattern.findall(text) for name in names.split("+")}


def test_each_switch_is_planted_and_each_planted_name_has_a_switch():
    assert found(PLANTED, SUITES) == found(SWITCH, SOURCES) - {"name"}
