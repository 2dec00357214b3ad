"""What systemd hears: that the hub serves, that it stops, and a log as its journal takes it."""

import os
import re
import signal
import socket
import subprocess

import pytest
import requests

from support import databases
from support.paths import binary
from support.ports import free_port
from support.process import loopback_environment

LEVELED = re.compile(r"<[3467]>route_hub")
TIMED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")


@pytest.fixture
def manager(tmp_path):
    """The socket that a service manager listens at."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(60)
        yield listening


def in_journal(stream):
    """Returns the variable by which systemd names the journal's stream."""
    found = os.fstat(stream.fileno())
    return {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"}


def serve(admin, stream, *arguments, **variables):
    port = free_port()
    command = [binary("route-hub"), "serve", "--dir", admin.folder, "--listen", f"127.0.0.1:{port}", "--operator-listen", "off"]
    env = loopback_environment({**databases.environment(admin.folder), **in_journal(stream), **variables})
    return subprocess.Popen([str(part) for part in (*command, *arguments)], stderr=stream, env=env), port


def test_the_service_manager_hears_that_the_hub_serves_and_that_it_stops(admin, manager, tmp_path):
    admin.organization()
    with open(tmp_path / "journal", "wb") as stream:
        program, port = serve(admin, stream, NOTIFY_SOCKET=manager.getsockname())
        try:
            assert manager.recv(100) == b"READY=1\n"
            assert requests.get(f"http://127.0.0.1:{port}/readyz", timeout=10).status_code == 200
            program.send_signal(signal.SIGTERM)
            assert manager.recv(100) == b"STOPPING=1\n"
            assert program.wait(60) == 0
        finally:
            program.kill()
    lines = (tmp_path / "journal").read_text().splitlines()
    assert len(lines) > 1 and all(LEVELED.match(line) for line in lines), lines
    assert not any(TIMED.search(line) for line in lines), lines


def test_a_start_that_fails_is_an_error_of_the_journal(admin, tmp_path):
    admin.organization()
    with open(tmp_path / "journal", "wb") as stream:
        program, _ = serve(admin, stream, "--tls-cert", "/nowhere.pem")
        assert program.wait(60) == 1
    lines = (tmp_path / "journal").read_text().splitlines()
    assert lines and all(line.startswith("<3>") for line in lines), lines


def test_an_error_elsewhere_has_no_level_of_the_journal(admin, tmp_path):
    admin.organization()
    with open(tmp_path / "log", "wb") as log, open(tmp_path / "journal", "wb") as journal:
        program, _ = serve(admin, log, "--tls-cert", "/nowhere.pem", **in_journal(journal))
        assert program.wait(60) == 1
    assert (tmp_path / "log").read_text().startswith("route-hub: ")
