"""Two hubs on one PostgreSQL that hint to each other through NATS, and what they tell of it, and of the database."""

import contextlib
import os
import re
import signal
import types

import pytest
import requests

from support import databases
from support.hub import Demo, Serve
from support.numbers import fresh_number
from support.process import Program
from support.servers.nats import Nats
from support.servers.postgres import Postgres
from support.wait import until

PATIENCE_S = 60


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A demo with phones, a second hub beside it, and their servers."""
    folder = tmp_path_factory.mktemp("hints")
    with contextlib.ExitStack() as parts:
        primary = parts.enter_context(contextlib.closing(Postgres())).create().start()
        nats = parts.enter_context(contextlib.closing(Nats())).start()
        primary.ask("CREATE DATABASE hub")
        databases.use(folder / "demo", primary.url("hub"))
        # The password goes by a variable, as no command line should show it.
        env = {"ROUTE_HUB_NATS": nats.url.replace(f":{nats.password}@", "@"), "ROUTE_HUB_NATS_PASSWORD": nats.password}
        demo = Demo(folder, env=env)
        parts.callback(demo.program.kill)
        second = Serve(folder / "demo", env=env).start()
        parts.callback(second.program.kill)
        yield types.SimpleNamespace(
            primary=primary, nats=nats, demo=demo, second=second, rest=second.rest(demo.api_key, demo.project_id)
        )


def metric(hub, name):
    """Returns what a hub tells its operator."""
    told = requests.get(f"{hub.operator_url}/metrics", timeout=10).text
    return int(re.search(rf"^route_hub_{name} (\d+)$", told, re.MULTILINE)[1])


def hubs(site):
    return [site.demo, site.second]


def until_hints_arrive(site, arrive):
    until(lambda: [metric(hub, "hints_arrive") for hub in hubs(site)] == [arrive, arrive], f"hints arrive: {arrive}", PATIENCE_S)


def sends_by_the_other_hub(site):
    """Sends one message through the second hub, whose phones are all with the first."""
    sent = site.rest.send(fresh_number(), "by another hub")["id"]
    site.rest.wait_status(sent, "delivered", patience_s=PATIENCE_S)


def test_hints_go_through_nats_and_not_through_the_database(site):
    until_hints_arrive(site, 1)
    before = metric(site.demo, "hints_received_total")
    sends_by_the_other_hub(site)
    assert metric(site.second, "hints_sent_total") > 0
    assert metric(site.demo, "hints_received_total") > before
    assert site.primary.ask("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'", "hub") == "0"


def test_a_nats_that_hangs_delays_messages_and_loses_none(site):
    until_hints_arrive(site, 1)
    os.kill(site.nats.program.pid, signal.SIGSTOP)
    try:
        until_hints_arrive(site, 0)
        sends_by_the_other_hub(site)
    finally:
        os.kill(site.nats.program.pid, signal.SIGCONT)
    until_hints_arrive(site, 1)


def test_a_nats_that_is_gone_delays_messages_and_loses_none(site):
    until_hints_arrive(site, 1)
    site.nats.program.kill()
    until_hints_arrive(site, 0)
    sends_by_the_other_hub(site)
    site.nats.start()
    until_hints_arrive(site, 1)
    sends_by_the_other_hub(site)


def test_no_log_shows_the_password(site):
    lines = [line for hub in hubs(site) for line in hub.program.err_lines]
    assert not [line for line in lines if site.nats.password in line]


def test_a_snapshot_that_somebody_holds_is_told(site):
    command = [site.primary.programs / "psql", "--dbname", site.primary.url("hub"), "--no-psqlrc", "--quiet"]
    holder = Program(command, name="psql")
    try:
        holder.type("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 'held';")
        while "held" not in holder.line():
            pass
        until(lambda: metric(site.second, "database_oldest_snapshot_seconds") >= 2, "its age is told", PATIENCE_S)
        sends_by_the_other_hub(site)
        assert metric(site.second, "database_oldest_snapshot_transactions") > 0
    finally:
        holder.kill()
    until(lambda: metric(site.second, "database_oldest_snapshot_seconds") < 2, "it is gone", PATIENCE_S)


def test_standbys_are_told(site):
    assert [metric(site.second, f"database_{name}") for name in ("awaits_standby", "standbys")] == [0, 0]
    with contextlib.closing(site.primary.standby()) as standby:
        standby.start()
        site.primary.wait_for_standby()
        awaited = ("awaits_standby", "standbys")
        until(lambda: [metric(site.second, f"database_{name}") for name in awaited] == [1, 1], "it is seen", PATIENCE_S)
        site.primary.ask("ALTER SYSTEM RESET synchronous_standby_names")
        site.primary.ask("SELECT pg_reload_conf()")
