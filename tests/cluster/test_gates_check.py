"""A test run's databases refuse the change of a row whose gate is not held."""

import contextlib

import pytest

from support import databases
from support.process import Died
from support.servers.postgres import Postgres, psql

ORGANIZATION, FIRST, SECOND, LABEL = 1001, 2001, 2002, 3001
NEW = 4001


def hold(*gates):
    return "".join(f"SELECT pg_advisory_xact_lock({gate});" for gate in gates)


def organization(id):
    return f"INSERT INTO organizations (id, name, timezone_id, time_created) VALUES ({id}, 'o{id}', 'UTC', 0);"


def project(id):
    values = f"{id}, {ORGANIZATION}, 'p{id}', 'p{id}', 'UTC', 0, 0, '{{}}', 0, 0, 0, 0"
    return (
        "INSERT INTO projects (id, organization_id, name, name_folded, timezone_id, auto_create_contacts, "
        "short_link_scheme, vars, message_life_ms, queue_cap, stopped, time_created) "
        f"VALUES ({values});"
    )


def label(id):
    return (
        "INSERT INTO labels (id, project_id, name, name_folded, time_created, vars) "
        f"VALUES ({id}, {FIRST}, 'l{id}', 'l{id}', 0, '{{}}');"
    )


LABELLED = f"INSERT INTO message_labels (label_id, labelled_id) VALUES ({LABEL}, 1);"
RENAMED = f"UPDATE projects SET name = 'other' WHERE id = {FIRST};"
STOPPED = f"UPDATE projects SET stopped = 1 WHERE id = {FIRST};"
AUDITED = (
    "INSERT INTO audit_log (id, organization_id, actor, action, target, time) "
    f"VALUES (1, {ORGANIZATION}, 'admin', 'edit', 'name', 0);"
)


@pytest.fixture(scope="module", autouse=True)
def _server():
    with contextlib.closing(Postgres()) as server, pytest.MonkeyPatch.context() as environment:
        environment.setenv(databases.VARIABLE, server.create().start().url())
        yield
        databases.drop_all()


@pytest.fixture
def run(tmp_path):
    url = databases.url(tmp_path)
    psql(url, hold(0, ORGANIZATION, FIRST) + organization(ORGANIZATION) + project(FIRST) + project(SECOND) + label(LABEL))
    return lambda sql: psql(url, sql)


@pytest.mark.parametrize(
    ("held", "change", "gate"),
    [
        ((), label(NEW), FIRST),
        ((SECOND,), label(NEW), FIRST),
        ((SECOND,), LABELLED, FIRST),
        ((0,), project(NEW), ORGANIZATION),
        ((), STOPPED, FIRST),
        ((FIRST,), RENAMED, ORGANIZATION),
        ((ORGANIZATION,), organization(NEW), 0),
        ((FIRST,), AUDITED, ORGANIZATION),
        ((SECOND,), f"DELETE FROM labels WHERE id = {LABEL};", FIRST),
    ],
)
def test_a_change_without_its_gate_is_refused(run, held, change, gate):
    with pytest.raises(Died, match=f"without its gate {gate}"):
        run(hold(*held) + change)


@pytest.mark.parametrize(
    ("held", "changes"),
    [
        ((FIRST,), label(NEW) + LABELLED + STOPPED),
        ((ORGANIZATION,), project(NEW) + AUDITED),
        ((ORGANIZATION, FIRST), RENAMED),
        ((0,), organization(NEW)),
    ],
)
def test_a_change_with_its_gate_is_made(run, held, changes):
    run(hold(*held) + changes)


def test_a_gate_counts_for_its_transaction_alone(run):
    with pytest.raises(Died, match=f"without its gate {FIRST}"):
        run("BEGIN;" + hold(FIRST) + label(NEW) + "COMMIT; BEGIN;" + STOPPED + "COMMIT;")


def test_what_a_transaction_made_is_its_own(run):
    made = project(NEW).replace(f", {ORGANIZATION},", f", {NEW + 1},")
    run(hold(0) + organization(NEW + 1) + made)
