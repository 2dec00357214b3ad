"""The Debian package: installed, started, upgraded from an older schema, removed and purged, in a system of its own."""

import configparser
import json
import shlex
import shutil
import sqlite3
import stat
import subprocess
from contextlib import closing

import pytest
import requests

from packages.dist import built
from packages.roots import Root
from support.paths import ROOT
from support.ports import free_port
from support.rest import Rest
from support.wait import until

DATA, BACKUPS, SETTINGS = "/var/lib/route-hub", "/var/backups/route-hub", "/etc/route-hub.toml"
EARLIER = ROOT / "route-hub/tests/fixtures/planned.sql"
PERMISSIONS = ["send_messages", "view_messages"]
PACKAGE = built("route-hub_*_amd64.deb")

pytestmark = [
    pytest.mark.skipif(not shutil.which("mmdebstrap"), reason="there is no mmdebstrap here"),
    pytest.mark.skipif(PACKAGE is None, reason="scripts/package has built no package"),
]


class Installed:
    """A system with the package, and the hub as its unit starts it."""

    def __init__(self, folder):
        self.root = Root(folder)
        self.port = free_port()
        self.said = self.root.dpkg("--install", PACKAGE)

    def start(self):
        """Starts what the unit starts, as its user."""
        words, user = self.unit()
        program = self.root.start(*words, "--listen", f"127.0.0.1:{self.port}", "--operator-listen", "off", user=user)
        until(lambda: not program.alive() or self.is_ready(), "the hub is ready", 60)
        return program

    def unit(self):
        """Returns the command and the user of the unit."""
        parsed = configparser.ConfigParser(strict=False, interpolation=None)
        parsed.optionxform = str
        parsed.read(self.root.at("/usr/lib/systemd/system/route-hub.service"))
        return shlex.split(parsed["Service"]["ExecStart"]), parsed["Service"]["User"]

    def is_ready(self):
        try:
            return requests.get(f"http://127.0.0.1:{self.port}/readyz", timeout=2).status_code == 200
        except requests.RequestException:
            return False

    def admin(self, *words):
        """Does a command of the operator's, as the hub's user."""
        done = self.root.run("route-hub", "admin", "--dir", DATA, *words, "--json", user="route-hub")
        return json.loads(done.stdout)

    def owner(self, path):
        """Returns the user, the group and the rights of a file."""
        return self.root.run("stat", "--format", "%U %G %a", path).stdout.strip()

    def schema(self):
        with closing(sqlite3.connect(self.root.at(f"{DATA}/hub.db"))) as connection:
            return connection.execute("SELECT max(version) FROM refinery_schema_history").fetchone()[0]

    def newer(self, folder):
        """Returns the package again, as the next version of it."""
        subprocess.run(["dpkg-deb", "--raw-extract", PACKAGE, folder / "newer"], check=True)
        control = folder / "newer/DEBIAN/control"
        text = control.read_text()
        version = text.split("Version: ")[1].split("\n")[0]
        control.write_text(text.replace(f"Version: {version}\n", f"Version: {version}.1\n"))
        subprocess.run(["dpkg-deb", "-Znone", "--build", "--root-owner-group", folder / "newer", folder / "newer.deb"], check=True, capture_output=True)
        return folder / "newer.deb"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("package") / "root")


def test_it_has_a_user_folders_settings_units_and_a_database(installed):
    for folder in (DATA, BACKUPS):
        assert installed.owner(folder) == "route-hub route-hub 700"
    assert installed.owner(f"{DATA}/hub.db") == "route-hub route-hub 600"
    assert installed.owner(SETTINGS) == "root route-hub 640"
    user = installed.root.run("getent", "passwd", "route-hub").stdout.strip().split(":")
    assert user[5] == DATA and user[6].endswith("nologin")
    wanted = "/etc/systemd/system/{}.target.wants/{}"
    assert installed.root.at(wanted.format("multi-user", "route-hub.service")).is_symlink()
    assert installed.root.at(wanted.format("timers", "route-hub-backup.timer")).is_symlink()
    copyright_file = installed.root.at("/usr/share/doc/route-hub/copyright").read_text()
    for name in ("Postrider", "rusqlite", "redoc", "Rust's standard library"):
        assert f"\n{name}" in f"\n{copyright_file}", name


def test_as_installed_it_starts_and_sends(installed):
    organization = installed.admin("organization", "create", "--name", "Clinic")["id"]
    project = installed.admin("project", "create", "--organization", organization, "--name", "Reminders", "--country", "KE")["id"]
    installed.admin("phone", "add-test", "--project", project)
    granted = [part for name in PERMISSIONS for part in ("--permission", name)]
    key = installed.admin("key", "create", "--project", project, "--name", "server", *granted)
    program = installed.start()
    try:
        rest = Rest(f"http://127.0.0.1:{installed.port}/v1", key.get("api_key") or key["key"], project)
        rest.wait_status(rest.send("+15005550012")["id"], "delivered")
    finally:
        assert program.stop() == 0, program.words()


def test_the_backup_of_the_timer_is_made_by_the_user(installed):
    parsed = configparser.ConfigParser(strict=False, interpolation=None)
    parsed.optionxform = str
    parsed.read(installed.root.at("/usr/lib/systemd/system/route-hub-backup.service"))
    installed.root.run(*shlex.split(parsed["Service"]["ExecStart"]), user=parsed["Service"]["User"])
    assert list(installed.root.at(BACKUPS).glob("hub-*.db"))
    if installed.root.run("which", "find", check=False).returncode == 0:
        installed.root.run(*shlex.split(parsed["Service"]["ExecStartPost"].replace("{}", "'{}'")), user="route-hub")
        assert list(installed.root.at(BACKUPS).glob("hub-*.db")), "only old ones go"


def test_an_upgrade_brings_an_older_schema_up_to_date_and_keeps_settings(installed, tmp_path):
    newest = installed.schema()
    for file in installed.root.at(DATA).glob("hub.db*"):
        file.unlink()
    with closing(sqlite3.connect(installed.root.at(f"{DATA}/hub.db"))) as connection:
        connection.executescript(EARLIER.read_text())
    installed.root.run("chown", "route-hub:route-hub", f"{DATA}/hub.db")
    earlier = installed.schema()
    settings = installed.root.at(SETTINGS)
    settings.write_text(settings.read_text() + "drain_s = 5\n")
    installed.root.dpkg("--install", installed.newer(tmp_path))
    assert installed.schema() == earlier, "the package leaves that to the start, which makes a copy first"
    assert settings.read_text().endswith("drain_s = 5\n")
    program = installed.start()
    try:
        assert installed.is_ready(), program.words()
        assert installed.schema() == newest > earlier
        assert list(installed.root.at(f"{DATA}/before-upgrade").glob(f"hub-v{earlier}-*.db"))
        assert installed.admin("organization", "list")
    finally:
        assert program.stop() == 0, program.words()


def test_an_upgrade_makes_no_empty_hub_where_the_disk_is_missing(installed, tmp_path):
    data, aside = installed.root.at(DATA), installed.root.at("/var/lib/aside")
    data.rename(aside)
    installed.root.run("install", "--directory", "--owner", "route-hub", "--group", "route-hub", "--mode", "0700", DATA)
    try:
        installed.root.dpkg("--install", installed.newer(tmp_path))
        assert list(data.iterdir()) == []
        program = installed.start()
        assert program.process.wait(60) == 1, "the unit makes no database"
        assert not (data / "hub.db").exists()
    finally:
        shutil.rmtree(data)
        aside.rename(data)


def test_removal_and_purge_keep_the_data_and_say_where(installed):
    before = installed.schema()
    for verb, path, is_there in (("--remove", "/usr/bin/route-hub", False), ("--purge", SETTINGS, False)):
        said = installed.root.dpkg(verb, "route-hub")
        assert DATA in said and BACKUPS in said
        assert installed.root.at(path).exists() == is_there
        assert installed.schema() == before and list(installed.root.at(BACKUPS).glob("hub-*.db"))
    assert "deluser" in said
    assert installed.owner(DATA) == "route-hub route-hub 700"


def test_installed_again_it_has_the_data_of_before(installed):
    before = installed.schema()
    installed.root.dpkg("--install", PACKAGE)
    assert installed.schema() == before
    assert stat.S_IMODE(installed.root.at(DATA).stat().st_mode) == 0o700
    assert installed.admin("organization", "list")
