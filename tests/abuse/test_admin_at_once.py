"""Many operator commands at once, each in its own process: none fails."""

import subprocess

from support.hub import loopback_environment
from support.paths import binary

AT_ONCE = 8
ROUNDS = 4


def all_at_once(folder, *command):
    """Runs a command in so many processes at the same moment; returns the output of each."""
    line = [str(binary("route-hub")), "admin", "--dir", str(folder), "--json", *command]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": loopback_environment()}
    running = [subprocess.Popen(line, **pipes) for _ in range(AT_ONCE)]
    said = [(process.communicate(timeout=120), process.returncode) for process in running]
    failed = [err for (_, err), code in said if code != 0]
    assert not failed, failed
    return [out for (out, _), _ in said]


def test_codes_that_are_drawn_at_once_are_all_good(hub):
    """Eight `admin pair` beside a running hub: each gets its own code, round after round."""
    folder, project = hub.admin.folder, hub.first.project
    command = ["pair", "--project", project, "--no-wait"]
    codes = [out for _ in range(ROUNDS) for out in all_at_once(folder, *command)]
    assert len(set(codes)) == AT_ONCE * ROUNDS


def test_the_first_commands_may_come_at_once(tmp_path):
    """Eight processes each make the database, its schema and an organization in an empty folder."""
    for number in range(ROUNDS):
        folder = tmp_path / f"hub{number}"
        made = all_at_once(folder, "organization", "create", "--name", "Clinic")
        assert len(set(made)) == AT_ONCE
