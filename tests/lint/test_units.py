"""The units of systemd give the hub no more rights than it needs."""

import configparser
import re
import shutil
import subprocess

import pytest

from support.paths import ROOT

UNITS = ROOT / "packaging" / "systemd"
SERVICES = ["route-hub.service", "route-hub-backup.service"]
EXPOSURE_MAX = 2.0
# The first version that judges a file.
VERSION_MIN = 250


def version():
    """Returns the number of systemd here; 0 where there is none."""
    if not shutil.which("systemd-analyze"):
        return 0
    told = subprocess.run(["systemd-analyze", "--version"], capture_output=True, text=True, check=True).stdout
    return int(re.match(r"systemd (\d+)", told).group(1))


def read(name):
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(UNITS / name)
    return unit


@pytest.mark.skipif(version() < VERSION_MIN, reason=f"there is no systemd {VERSION_MIN} here")
@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_exposed_as_little_as_it_can_be(name):
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", UNITS / name]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    exposure = float(re.search(r"Overall exposure level for \S+: ([0-9.]+)", told).group(1))
    assert exposure <= EXPOSURE_MAX, told


def test_the_hub_may_listen_on_any_port_and_nothing_else_of_roots():
    service = read("route-hub.service")["Service"]
    assert service["CapabilityBoundingSet"] == service["AmbientCapabilities"] == "CAP_NET_BIND_SERVICE"
    assert read("route-hub-backup.service")["Service"]["CapabilityBoundingSet"] == ""


@pytest.mark.parametrize("name", SERVICES)
def test_what_a_service_writes_is_its_users_alone(name):
    service = read(name)["Service"]
    assert (service["User"], service["UMask"]) == ("route-hub", "0077")


def test_the_hub_starts_with_the_right_time_and_says_when_it_serves():
    unit = read("route-hub.service")
    assert "time-sync.target" in unit["Unit"]["After"].split()
    assert unit["Service"]["Type"] == "notify"
    assert unit["Service"]["TimeoutStartSec"] == "infinity"
