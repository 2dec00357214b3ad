"""Root keeps out of another user's data folder, and is told the line that does the same as that user."""

import os
import pwd
import shlex
import subprocess

import pytest

from support.hub import Admin
from support.operator import backup
from support.paths import binary
from support.process import loopback_environment

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def free_uid():
    """The number of a user that the system does not know."""
    known = {user.pw_uid for user in pwd.getpwall()}
    return next(number for number in range(12345, 60000) if number not in known)


def give(folder, uid):
    """Gives a folder and all that is in it to a user."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, uid, uid)


def found(folder):
    """What is in a folder, whose it is, and what is in the files."""
    paths = sorted((folder, *folder.rglob("*")))
    return [(path, path.stat().st_uid, path.read_bytes() if path.is_file() else None) for path in paths]


def run(*command, **more):
    """Runs a command of the hub; further arguments are variables."""
    command = [str(part) for part in (binary("route-hub"), *command)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=loopback_environment(more))
    return command, done


@pytest.fixture
def hub(tmp_path):
    """A data folder with a database; it is still root's."""
    folder = tmp_path / "it's a hub"
    Admin(folder).organization("Ours")
    return folder


@pytest.fixture
def copy(hub, tmp_path):
    """A backup of it."""
    backup(hub, tmp_path / "copy.db")
    return tmp_path / "copy.db"


def commands(folder, copy, elsewhere):
    """Each command that enters a data folder."""
    there = ("--dir", folder)
    nowhere = ("--listen", "127.0.0.1:0")
    yield ("admin", *there, "organization", "list")
    yield ("admin", "organization", "create", "--name", "", *there)
    yield ("backup", *there, "--to", elsewhere / "copy.db")
    yield ("restore", *there, "--from", copy, "--replace")
    yield ("migrate", *there)
    yield ("migrate", "--from", folder, "--to", elsewhere / "new")
    yield ("serve", *there, *nowhere, "--operator-listen", "off")
    yield ("serve", *there, *nowhere, "--operator-listen", "off", "--create")
    yield ("demo", *there, *nowhere, "--json")
    yield ("doctor", *there, *nowhere, "--operator-listen", "off")


def test_each_command_is_refused_with_its_line_and_touches_nothing(hub, copy, tmp_path):
    uid = free_uid()
    give(hub, uid)
    before = found(hub)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for arguments in commands(hub, copy, elsewhere):
        command, done = run(*arguments)
        assert done.returncode == 1 and not done.stdout, arguments
        *words, line = done.stderr.splitlines()
        assert f"{hub} belongs to #{uid}" in words[-1], done.stderr
        assert shlex.split(line) == ["sudo", "-u", f"#{uid}", *command]
        assert found(hub) == before, arguments
        assert not list(elsewhere.iterdir()), arguments


def test_a_user_with_a_name_is_named(hub):
    nobody = pwd.getpwnam("nobody")
    give(hub, nobody.pw_uid)
    command, done = run("migrate", "--dir", hub)
    assert shlex.split(done.stderr.splitlines()[-1]) == ["sudo", "-u", "nobody", *command]


def test_variables_are_kept_by_name_and_their_values_are_not_shown(hub):
    uid = free_uid()
    give(hub, uid)
    command, done = run("admin", "organization", "list", ROUTE_HUB_DIR=str(hub), ROUTE_HUB_FILES_SECRET_KEY="hunter2")
    kept = "--preserve-env=ROUTE_HUB_DIR,ROUTE_HUB_FILES_SECRET_KEY"
    assert shlex.split(done.stderr.splitlines()[-1]) == ["sudo", "-u", f"#{uid}", kept, *command]
    assert "hunter2" not in done.stderr


def test_a_link_to_another_users_folder_is_that_folder(hub, tmp_path):
    give(hub, free_uid())
    (tmp_path / "link").symlink_to(hub)
    _, done = run("migrate", "--dir", tmp_path / "link")
    assert done.returncode == 1 and "sudo -u" in done.stderr


def test_roots_own_folder_and_one_that_is_to_be_made_are_roots(hub, tmp_path):
    os.chown(tmp_path, free_uid(), 0)
    for folder in (hub, tmp_path / "new"):
        _, done = run("migrate", "--dir", folder)
        assert done.returncode == 0, done.stderr
        assert {uid for _, uid, _ in found(folder)} == {0}
