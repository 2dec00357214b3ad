"""One hub serves a data folder: a second one is refused, and told who is there."""

import datetime
import json
import re
import signal
import socket
import subprocess

import pytest

from support import raw
from support.hub import Admin, Serve
from support.operator import backup
from support.paths import binary
from support.process import Program, loopback_environment
from support.wait import until

ELSEWHERE = ["--listen", "127.0.0.1:0"]
HUBS = {
    "serve": ["serve", *ELSEWHERE, "--operator-listen", "off"],
    "demo": ["demo", *ELSEWHERE, "--json", "--phones", "0"],
}
SERVED = re.compile(r"is served already, by process (\d+) on (\S+) since (\S+)\. ")


def begin(name, folder):
    """Starts a hub and waits until it serves."""
    program = Program([binary("route-hub"), *HUBS[name], "--dir", folder], name=f"route-hub {name}")
    if name == "demo":
        json.loads(program.line())
    else:
        until(lambda: any("listening" in line for line in program.err_lines), "it serves")
    return program


def refused(name, folder, cwd=None):
    """What a hub says that may not serve a folder."""
    command = [str(part) for part in (binary("route-hub"), *HUBS[name], "--dir", folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd, env=loopback_environment())
    assert done.returncode == 1, done.stderr
    assert not done.stdout
    return done.stderr


def is_served_by(program, words):
    """Says whether a refusal names a program as the one that serves."""
    found = SERVED.search(words)
    return bool(found) and int(found[1]) == program.pid


@pytest.fixture
def folder(tmp_path):
    """A folder in which either kind of hub may serve: that of a demo."""
    path = tmp_path / "hub"
    assert begin("demo", path).stop() == 0
    return path


@pytest.mark.parametrize("second", HUBS)
@pytest.mark.parametrize("first", HUBS)
def test_a_second_hub_is_refused_and_told_who_serves(folder, first, second):
    before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    program = begin(first, folder)
    after = datetime.datetime.now(datetime.timezone.utc)
    words = refused(second, folder)
    assert str(folder) in words
    pid, host, since = SERVED.search(words).groups()
    assert (int(pid), host) == (program.pid, socket.gethostname())
    assert before <= datetime.datetime.fromisoformat(since.replace("Z", "+00:00")) <= after
    assert is_served_by(program, refused(second, folder)), "a refusal leaves it as it is"
    assert program.stop() == 0
    again = begin(second, folder)
    assert is_served_by(again, refused(first, folder))
    assert again.stop() == 0


@pytest.mark.parametrize("first", HUBS)
def test_a_lock_that_a_kill_left_refuses_nobody(folder, first):
    for second in HUBS:
        begin(first, folder).kill()
        program = begin(second, folder)
        assert is_served_by(program, refused(first, folder))
        assert program.stop() == 0


def test_a_folder_is_the_same_by_whatever_path(folder, tmp_path):
    (tmp_path / "by-link").symlink_to(folder)
    (tmp_path / "parent").symlink_to(tmp_path)
    (tmp_path / "other").mkdir()
    program = begin("serve", tmp_path / "by-link")
    for path in (folder, tmp_path / "parent" / "hub", tmp_path / "other" / ".." / "hub", f"{folder}/"):
        assert is_served_by(program, refused("serve", path)), path
    for path, cwd in (("hub", tmp_path), ("../by-link", tmp_path / "other"), (".", folder)):
        assert is_served_by(program, refused("serve", path, cwd)), path
    assert program.stop() == 0


def test_commands_work_beside_the_hub_that_serves(folder, tmp_path):
    program = begin("serve", folder)
    assert [one["name"] for one in Admin(folder)("organization", "list")] == ["Demo"]
    assert backup(folder, tmp_path / "copy.db")["bytes"] > 0
    assert program.stop() == 0


def test_a_hub_that_stops_holds_its_folder_to_the_end(tmp_path):
    """It still works on the database while a request that it has begun is not answered."""
    admin = Admin(tmp_path / "hub")
    project = admin.project(admin.organization())
    admin("phone", "add-test", "--project", project)
    key = admin.key(project, ["send_messages"])
    server = Serve(admin.folder).start()
    body = json.dumps({"to_number": "+15005550150", "content": "the last one"}).encode()
    head = ["Content-Type: application/json", f"Content-Length: {len(body)}", "Expect: 100-continue"]
    with raw.Wire(server.address) as wire:
        wire.send(raw.request("POST", f"/v1/projects/{project}/messages/send", key, head, length=False))
        assert wire.socket.recv(1024).startswith(b"HTTP/1.1 100 ")
        server.program.process.send_signal(signal.SIGTERM)
        until(lambda: any("stopping" in line for line in server.program.err_lines), "it stops")
        assert is_served_by(server.program, refused("serve", admin.folder))
        assert server.program.alive()
        wire.send(body)
        assert wire.answer().status == 200
    assert server.program.stop(signal.SIGTERM) == 0
    server.start()
    assert server.program.stop() == 0
