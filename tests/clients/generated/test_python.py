"""The client that openapi-python-client makes of the hub's description, with its defaults."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from support.numbers import fresh_number

USE = """
import json, sys
from postrider_client import Client
from postrider_client.api.messages import list_messages, send_message
from postrider_client.models import NewMessage

base, key, project, number = sys.argv[1:]
client = Client(base_url=base, httpx_args={"auth": (key, "")})
sent = send_message.sync(project, client=client, body=NewMessage(to_number=number, content="Hello!"))
listed = list_messages.sync(project, client=client, contact_id=sent.contact_id, count=False)
print(json.dumps([sent.id, [one.id for one in listed.data]]))
"""
SHEET = "WARNING parsing POST /projects/{project_id}/files"
"""It knows no body of CSV, and makes that of JSON alone."""


def run(*command, cwd):
    """Runs a program of the environment that the tests run in, and returns what it printed and its warnings."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(command, cwd=cwd, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout[-2_000:] + ended.stderr[-2_000:]
    return ended.stdout, ended.stderr


def test_a_client_sends_and_lists(demo, tmp_path):
    pytest.importorskip("openapi_python_client", reason="openapi-python-client needs Python 3.11 or newer")
    document = tmp_path / "openapi.json"
    document.write_bytes(requests.get(demo.base_url + "/openapi.json", timeout=10).content)
    _, warnings = run("openapi-python-client", "generate", "--path", document, "--output-path", "client", cwd=tmp_path)
    assert [line[: len(SHEET)] for line in warnings.splitlines() if "WARNING" in line] == [SHEET], warnings
    client = tmp_path / "client"
    run(sys.executable, "-m", "compileall", "-q", "postrider_client", cwd=client)
    number = fresh_number()
    used, _ = run(sys.executable, "-c", USE, demo.base_url, demo.api_key, demo.project_id, number, cwd=client)
    sent, listed = json.loads(used)
    assert listed == [sent]
    demo.rest.wait_status(sent, "delivered")
