"""Requests that schemathesis makes from the hub's own description, good and bad ones, with a fixed seed.

No answer is a 5xx, none has a status, a type or a field that the description lacks, and bad data is refused.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.tables import OPERATIONS
from conformance.world import PREFIXES, World, kind_of_path, placeholders

EXAMPLES = 50 if os.environ.get("POSTRIDER_TEST_DATABASE", "sqlite") == "sqlite" else 5
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"),
    "negative_data_rejection",
)
REFUSED = (400, 401, 402, 403, 404, 405, 408, 413, 414, 415, 422, 429, 431, 503)
"""How bad data may be refused: by what it is, or by what comes first, such as the length of a URL."""


def places():
    """Returns every placeholder of a path whose value a project has."""
    names = {name for operation in OPERATIONS for name in placeholders(operation.path)}
    return sorted(name for name in names if kind_of_path(name) in PREFIXES)


@pytest.fixture
def own_world(tmp_path):
    """A hub of its own, since these requests delete what they find."""
    made = World(tmp_path)
    yield made
    made.close()


def test_generated_requests_are_answered_as_described(own_world, tmp_path):
    pytest.importorskip("schemathesis", reason="schemathesis needs Python 3.10 or newer")
    config = tmp_path / "schemathesis.toml"
    ids = "".join(f'"path.{name}" = "{own_world.own(kind_of_path(name))["id"]}"\n' for name in places())
    config.write_text(f"[parameters]\n{ids}\n[checks]\nnegative_data_rejection.expected-statuses = {list(REFUSED)}\n")
    host, port = own_world.server.address
    base = f"http://{host}:{port}"
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run", base + "/openapi.json"]
    command += ["--url", base + "/v1", "--auth", own_world.key + ":", "--seed", "1", "--max-examples", str(EXAMPLES)]
    command += ["--checks", ",".join(CHECKS), "--workers", "1", "--no-color"]
    here = Path(__file__).parent
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "generated_hooks", "PYTHONPATH": str(here), "NO_PROXY": "127.0.0.1"}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=900)
    assert ended.returncode == 0, "\n".join(line[:300] for line in ended.stdout.splitlines())[-6_000:] + ended.stderr[-500:]
