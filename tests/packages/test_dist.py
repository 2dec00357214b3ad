"""The files of `dist`, as somebody finds them who has downloaded them."""

import subprocess

import pytest

from packages.dist import DIST, built, checksums

pytestmark = pytest.mark.skipif(not DIST.exists(), reason="scripts/package has built nothing")
ARCHS = [arch for arch in ("amd64", "arm64") if built(f"route-hub-*-linux-{arch}.tar.gz")]


def test_every_file_has_its_checksum():
    assert checksums() == {path.name: True for path in DIST.iterdir() if path.name != "SHA256SUMS"}


@pytest.mark.parametrize("arch", ARCHS)
def test_the_tarball_has_the_program_its_units_settings_and_licences(arch):
    listed = subprocess.run(["tar", "tzf", built(f"route-hub-*-linux-{arch}.tar.gz")], capture_output=True, text=True, check=True)
    names = {line.partition("/")[2] for line in listed.stdout.splitlines()}
    wanted = "route-hub route-hub.service route-hub-backup.service route-hub-backup.timer route-hub.toml licences.txt LICENSE-MIT"
    assert names >= set(wanted.split())


@pytest.mark.parametrize("arch", ARCHS)
def test_the_package_is_for_its_architecture_and_marks_its_settings(arch, tmp_path):
    package = built(f"route-hub_*_{arch}.deb")
    fields = subprocess.run(["dpkg-deb", "--field", package], capture_output=True, text=True, check=True).stdout
    assert f"\nArchitecture: {arch}\n" in fields
    subprocess.run(["dpkg-deb", "--control", package, tmp_path], check=True)
    assert (tmp_path / "conffiles").read_text().split() == ["/etc/route-hub.toml"]
