"""Clients that openapi-typescript and oapi-codegen make of the hub's description, compiled and used."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import requests

from support.numbers import fresh_number

HERE = Path(__file__).parent


@pytest.fixture
def folder(demo, tmp_path, request):
    """A copy of a program that uses a client, beside the description."""
    made = tmp_path / request.param
    shutil.copytree(HERE / request.param, made)
    (made / "openapi.json").write_bytes(requests.get(demo.base_url + "/openapi.json", timeout=10).content)
    return made


def run(folder, *command):
    """Runs a command in a folder; returns what it printed."""
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)
    assert ended.returncode == 0, ended.stdout[-2_000:] + ended.stderr[-2_000:]
    return ended.stdout


def sends_and_lists(demo, folder, *command):
    """Lets a program send a message and find it in the list."""
    number = fresh_number()
    sent, listed = json.loads(run(folder, *command, demo.base_url, demo.api_key, demo.project_id, number))
    assert listed == [sent]
    demo.rest.wait_status(sent, "delivered")


@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not here")
@pytest.mark.parametrize("folder", ["typescript"], indirect=True)
def test_typescript(demo, folder):
    run(folder, "npm", "ci", "--no-audit", "--no-fund", "--silent", "--ignore-scripts")
    run(folder, "npx", "openapi-typescript", "openapi.json", "-o", "api.d.ts")
    run(folder, "npx", "tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "node", "main.ts", "api.d.ts")
    sends_and_lists(demo, folder, "node", "main.js")


@pytest.mark.skipif(not shutil.which("go"), reason="Go is not here")
@pytest.mark.parametrize("folder", ["go"], indirect=True)
def test_go(demo, folder):
    made = run(folder, "go", "tool", "oapi-codegen", "-package", "api", "-generate", "types,client", "openapi.json")
    (folder / "api").mkdir()
    (folder / "api" / "api.go").write_text(made)
    run(folder, "go", "build", "-o", "client", ".")
    sends_and_lists(demo, folder, "./client")
