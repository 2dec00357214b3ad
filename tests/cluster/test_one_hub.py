"""One hub on a primary with a synchronous standby: under load answers are lost, links break, and the primary dies."""

import contextlib
import types

import pytest

from cluster.load import Load
from cluster.proxied import Proxied
from support import databases
from support.rest import success
from support.servers.postgres import USER, Postgres
from support.station import Station
from support.wait import until

PATIENCE_S = 120


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Primary and standby behind proxies, a hub that knows both, and a phone; the last test ends the primary."""
    folder = tmp_path_factory.mktemp("site")
    with contextlib.ExitStack() as parts:
        primary = parts.enter_context(contextlib.closing(Postgres())).create().start()
        standby = parts.enter_context(contextlib.closing(primary.standby())).start()
        primary.wait_for_standby()
        primary.ask("CREATE DATABASE hub")
        fronts = [parts.enter_context(contextlib.closing(Proxied(one.port, postgres=True))) for one in (primary, standby)]
        hosts = ",".join(f"127.0.0.1:{front.port}" for front in fronts)
        databases.use(folder / "hub", f"postgres://{USER}:{primary.password}@{hosts}/hub")
        station = Station(folder)
        yield types.SimpleNamespace(
            primary=primary, standby=standby, front=fronts[0], station=station, phone=station.join(), accepted=[]
        )
        assert station.server.program.alive(), station.server.program.words()
        assert not station.close()


def accepts_more(load, count=30):
    """Waits until so many more requests are accepted."""
    enough = len(load.accepted) + count
    until(lambda: len(load.accepted) >= enough, "requests are accepted", PATIENCE_S)


def status(site, message_id):
    """Returns a message's status, or `None` while the hub says that it cannot read it now."""
    answer = site.station.rest.call("GET", f"messages/{message_id}")
    if answer.status_code == 503:
        return None
    return success(answer)["status"]


def each_once(site, load, truth):
    """Checks that each message that was ever accepted is there, and left its phone, exactly once."""
    site.accepted += load.accepted.values()
    for message_id in load.accepted.values():
        until(lambda: status(site, message_id) == "delivered", f"{message_id} is delivered", PATIENCE_S)
    assert sorted(site.station.handed_over()) == sorted(site.accepted)
    assert truth.ask("SELECT count(*) FROM messages", "hub") == str(len(site.accepted))


def test_answers_to_commits_are_lost_under_load(site):
    with Load(site.station.rest, site.phone.route_id) as load:
        for _ in range(10):
            accepts_more(load, 5)
            before = site.front.seen()["swallowed"]
            site.front.swallow_commits(1)
            until(lambda: site.front.seen()["swallowed"] > before, "an answer is lost", PATIENCE_S)
        accepts_more(load)
    each_once(site, load, site.primary)


def test_links_to_the_database_break_and_stall_under_load(site):
    with Load(site.station.rest, site.phone.route_id) as load:
        accepts_more(load)
        assert site.front.cut()["cut"] > 0
        accepts_more(load)
        site.front.stall()
        until(lambda: load.refused, "a request is refused", PATIENCE_S)
        site.front.flow()
        accepts_more(load)
    each_once(site, load, site.primary)


def test_the_standby_is_promoted_after_the_primary_is_killed(site):
    with Load(site.station.rest, site.phone.route_id) as load:
        accepts_more(load)
        site.primary.kill()
        site.standby.promote()
        accepts_more(load)
    each_once(site, load, site.standby)
