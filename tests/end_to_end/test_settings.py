"""Settings of the program from its variables."""

import json
import re
import subprocess
from urllib.parse import unquote

import pytest

from support import databases
from support.hub import Demo, Serve
from support.paths import binary
from support.process import loopback_environment
from support.wait import until

WITHOUT_A_FLAG = ("ROUTE_HUB_DATABASE_PASSWORD", "ROUTE_HUB_NATS_PASSWORD", "ROUTE_HUB_FILES_SECRET_KEY")


def run(*arguments, env=None):
    command = [str(binary("route-hub")), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=loopback_environment(env))


def empty(*command):
    """Returns every variable that a command's help names, and those that none does, without a value."""
    named = re.findall(r"\[env: (ROUTE_HUB_\w+)", run(*command, "--help").stdout)
    assert "ROUTE_HUB_DATABASE" in named, "the help names variables"
    return dict.fromkeys((*named, *WITHOUT_A_FLAG), "")


def test_serve_takes_empty_variables_for_none(admin):
    admin.organization()
    given = empty("serve")
    assert {"ROUTE_HUB_PUBLIC_URL", "ROUTE_HUB_LOG", "ROUTE_HUB_HOSTS", "ROUTE_HUB_DRAIN_S"} <= given.keys()
    server = Serve(admin.folder, env={**given, **databases.environment(admin.folder)}).start()
    said = rf"INFO .*listening.* url=http://127\.0\.0\.1:{server.port}$"
    until(lambda: any(re.search(said, line) for line in server.program.err_lines), "the log has the address")
    assert server.program.stop() == 0


def test_the_demo_takes_empty_variables_for_none(tmp_path):
    demo = Demo(tmp_path, phones=0, env={**empty("demo"), **databases.environment(tmp_path / "demo")})
    assert not [line for line in demo.program.err_lines if " INFO " in line], "the demo logs warnings alone"
    assert demo.program.stop() == 0


@pytest.mark.parametrize("command", (["migrate"], ["admin", "alerts"]), ids=" ".join)
def test_a_command_beside_a_hub_takes_empty_variables_for_none(admin, command):
    admin.organization()
    given = {**empty(*command), **databases.environment(admin.folder)}
    done = run(*command, "--dir", admin.folder, env=given)
    assert done.returncode == 0, done.stderr


def test_an_invitation_has_the_address_that_the_hub_knows_where_its_variable_is_empty(hub):
    command = ("admin", "pair", "--project", hub.projects["first"], "--no-wait", "--dir", hub.admin.folder, "--json")
    given = {**databases.environment(hub.admin.folder), "ROUTE_HUB_PUBLIC_URL": ""}
    done = run(*command, env=given)
    assert done.returncode == 0, done.stderr
    assert f"127.0.0.1:{hub.server.port}" in unquote(json.loads(done.stdout)["uri"])
