"""A pooler between a hub and its database is refused, with why."""

import contextlib

import pytest

from cluster.test_refusals import shared  # noqa: F401 (a fixture)
from support.servers import Missing
from support.servers.pgbouncer import PgBouncer, program

# What the hub asks for its sessions.
IGNORING = {"ignore_startup_parameters": "options,extra_float_digits"}


@pytest.fixture(autouse=True)
def is_there():
    """Skips where there is no pooler."""
    try:
        program()
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("settings", [{}, IGNORING], ids=["as it comes", "passing over what it does not know"])
@pytest.mark.parametrize("mode", ["session", "transaction", "statement"])
def test_a_pooler_is_refused(shared, mode, settings):  # noqa: F811
    server, look = shared
    with contextlib.closing(PgBouncer(server, mode, **settings)) as pooler:
        assert "there is a pooler before it" in look(pooler.start().url("hub"))
