"""A program that changes the schema of a data folder's file copies the file first."""

import sqlite3
import subprocess
from contextlib import closing

import pytest

from support.hub import Admin, Serve
from support.operator import restore
from support.paths import ROOT, binary
from support.process import Program, loopback_environment
from support.wait import until

EARLIER = ROOT / "route-hub/tests/fixtures/planned.sql"


def make_earlier(folder):
    """Makes a data folder with the database of an earlier version; returns its schema."""
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "hub.db")) as connection:
        connection.executescript(EARLIER.read_text())
    return schema(folder / "hub.db")


def schema(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT max(version) FROM refinery_schema_history").fetchone()[0]


def copies(folder):
    return sorted((folder / "before-upgrade").glob("hub-*.db"))


def run(*command, **more):
    command = [str(part) for part in (binary("route-hub"), *command)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=loopback_environment(more))


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "data"
    make_earlier(path)
    return path


def test_a_hub_copies_the_file_before_its_schema_changes_and_logs_where(folder):
    earlier = schema(folder / "hub.db")
    server = Serve(folder).start()
    (copy,) = copies(folder)
    assert schema(copy) == earlier and copy.name.startswith(f"hub-v{earlier}-")
    assert copy.stat().st_mode & 0o777 == 0o600
    assert copy.parent.stat().st_mode & 0o777 == 0o700
    until(lambda: any(str(copy) in line and "INFO" in line for line in server.program.err_lines), "the log names it")
    assert server.program.stop() == 0
    assert schema(folder / "hub.db") > earlier
    server.start()
    assert server.program.stop() == 0
    assert copies(folder) == [copy], "its schema is the newest already"


@pytest.mark.parametrize("command", (("migrate",), ("admin", "organization", "list")), ids=" ".join)
def test_a_command_copies_the_file_too_and_says_so_beside_its_answer(folder, command):
    earlier = schema(folder / "hub.db")
    done = run(*command, "--dir", folder)
    assert done.returncode == 0, done.stderr
    (copy,) = copies(folder)
    assert str(copy) in done.stderr and str(copy) not in done.stdout
    assert schema(copy) == earlier


def test_the_copy_can_be_restored(folder):
    assert run("migrate", "--dir", folder).returncode == 0
    (copy,) = copies(folder)
    newest = schema(folder / "hub.db")
    before = Admin(folder)("organization", "list")
    restore(folder, copy)
    assert schema(folder / "hub.db") == newest
    assert Admin(folder)("organization", "list") == before and before


@pytest.mark.parametrize("name", ("migrate", "serve"))
def test_no_copy_is_made_where_none_is_wanted(folder, name):
    if name == "serve":
        assert Serve(folder, arguments=["--no-backup"]).start().program.stop() == 0
    else:
        assert run("migrate", "--dir", folder, "--no-backup").returncode == 0
    assert not copies(folder)


def test_a_new_hub_has_nothing_to_copy(tmp_path):
    assert run("migrate", "--dir", tmp_path / "new").returncode == 0
    assert not (tmp_path / "new" / "before-upgrade").exists()


def test_two_programs_at_once_make_one_copy(folder):
    command = [binary("route-hub"), "migrate", "--dir", folder]
    programs = [Program(command, name="route-hub migrate") for _ in range(4)]
    for program in programs:
        assert program.process.wait(timeout=60) == 0, program.words()
    assert len(copies(folder)) == 1


@pytest.fixture
def small_disk(tmp_path):
    """A file system with little room; only for users who may mount one."""
    path = tmp_path / "disk"
    path.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", path], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("needs the right to mount a file system")
    yield path
    subprocess.run(["umount", "-l", path], check=True)


def test_without_room_for_a_copy_each_program_refuses_and_names_the_way_out(small_disk):
    folder = small_disk / "data"
    earlier = make_earlier(folder)
    there = ("--dir", folder)
    serve = ("serve", *there, "--listen", "127.0.0.1:0", "--operator-listen", "off")
    for command in (serve, ("migrate", *there), ("admin", *there, "organization", "list")):
        done = run(*command)
        assert done.returncode == 1, done.stderr
        assert "--no-backup" in done.stderr and "MB are free" in done.stderr, done.stderr
        assert schema(folder / "hub.db") == earlier and not copies(folder), command
    assert run("migrate", *there, "--no-backup").returncode == 0
    assert schema(folder / "hub.db") > earlier
