"""Each switch for a planted mistake is used by a suite, and each name that a suite plants has a switch."""

import re

from crash.run import FAULTS, HUB_FAULTS
from lint.planted import held, main, switches
from support.paths import ROOT

PLANTED = re.compile(r'(?:\(\s*|run_with\(\d+, |url\(\), )"([a-z_+]+)"[,)]')
SUITES = (
    "tests/model/tests",
    "tests/simulation/tests/mistakes",
    "route-hub/store/tests/several",
    "route-hub/tests/api/several",
)


def planted():
    texts = (path.read_text() for suite in SUITES for path in (ROOT / suite).rglob("*.rs"))
    found = {name for text in texts for names in PLANTED.findall(text) for name in names.split("+")}
    return found | {fault for fault, *_ in FAULTS + HUB_FAULTS}


def test_each_switch_is_planted_and_each_planted_name_has_a_switch():
    assert planted() == switches()


def test_a_name_is_found_in_a_program(tmp_path, capsys):
    assert held(b"\x00no_voidno_fence\x00none") == ["no_fence", "no_void"]
    (tmp_path / "sound").write_bytes(b"none")
    (tmp_path / "planted").write_bytes(b"\x00no_void\x00")
    assert main(tmp_path / "sound") == 0
    assert main(tmp_path / "sound", tmp_path / "planted") == 1
    assert capsys.readouterr().out == f"{tmp_path / 'planted'} holds no_void\n"
