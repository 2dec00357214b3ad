"""Requests that schemathesis makes from the hub's own description, good and bad ones, with a fixed seed.

No answer is a 5xx, none has a status, a type or a field that the description lacks, and bad data is refused.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conformance.tables import OPERATIONS
from conformance.world import PREFIXES, World, kind_of_path, placeholders

EXAMPLES = 50 if os.environ.get("POSTRIDER_TEST_DATABASE", "sqlite") == "sqlite" else 5
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"),
    "negative_data_rejection",
)
RESOURCES = (
    "messages|message_templates|labels|phones",
    "scheduled|relative_scheduled|broadcasts|campaigns",
    "contacts|groups|contact_fields|message_fields",
    "tables",
    "files|tasks|routes|webhooks|webhook_deliveries",
)
"""What stateful runs go through, each with the list of projects, where they begin. All at once have so many ways from one
operation to the next that no first one is found."""

RUNS = (
    ("fuzzing", ("--exclude-method", "GET")),
    ("fuzzing", ("--include-method", "GET")),
    ("examples,coverage", ()),
    *(("stateful", ("--include-path-regex", rf"^/projects$|^/projects/\{{project_id\}}/({names})(/|$)")) for names in RESOURCES),
)
"""Schemathesis' phases with what each is about: two at a time, the longest first."""

REFUSED = (400, 401, 402, 403, 404, 405, 408, 413, 414, 415, 422, 429, 431, 503)
"""How bad data may be refused: by what it is, or by what comes first, such as the length of a URL."""


def places():
    """Returns every placeholder of a path whose value a project has."""
    names = {name for operation in OPERATIONS for name in placeholders(operation.path)}
    return sorted(name for name in names if kind_of_path(name) in PREFIXES)


def generated(folder, phases, about):
    """Lets schemathesis send requests to a hub of their own, since they delete what they find; returns what went wrong."""
    folder.mkdir()
    world = World(folder)
    try:
        code, printed = schemathesis(folder, world, phases, about)
    finally:
        world.close()
    if code == 0 and phases == "stateful" and not re.search(r"Links: +[1-9]\d* covered", printed):
        return f"no answer led to another request\n{printed}"
    return printed if code else None


def schemathesis(folder, world, phases, about):
    """Runs schemathesis; returns its exit code and what it printed. Stateful runs find everything but the project by themselves."""
    known = ["project_id"] if phases == "stateful" else places()
    ids = "".join(f'"path.{name}" = "{world.own(kind_of_path(name))["id"]}"\n' for name in known)
    config = folder / "schemathesis.toml"
    config.write_text(f"[parameters]\n{ids}\n[checks]\nnegative_data_rejection.expected-statuses = {list(REFUSED)}\n")
    host, port = world.server.address
    base = f"http://{host}:{port}"
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run", base + "/openapi.json"]
    command += ["--url", base + "/v1", "--auth", world.key + ":", "--seed", "1", "--max-examples", str(EXAMPLES)]
    command += ["--phases", phases, "--checks", ",".join(CHECKS), "--workers", "1", "--no-color", *about]
    here = Path(__file__).parent
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "generated_hooks", "PYTHONPATH": str(here), "NO_PROXY": "127.0.0.1"}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
    return ended.returncode, "\n".join(line[:300] for line in ended.stdout.splitlines())[-6_000:] + ended.stderr[-500:]


def test_generated_requests_are_answered_as_described(tmp_path):
    pytest.importorskip("schemathesis", reason="schemathesis needs Python 3.10 or newer")
    with ThreadPoolExecutor(2) as two:
        wrong = list(two.map(lambda run: generated(tmp_path / str(run[0]), *run[1]), enumerate(RUNS)))
    wrong = [f"{phases} {' '.join(about)}: {text}" for (phases, about), text in zip(RUNS, wrong) if text]
    assert not wrong, "\n\n".join(wrong)
