"""Databases that went backwards, or were left behind: no message leaves twice, and nobody is asked to notice first."""

import contextlib
import json
import subprocess

import pytest

from cluster.proxied import Proxied
from support import databases
from support.hub import Serve
from support.numbers import fresh_number
from support.paths import binary
from support.process import loopback_environment
from support.servers.postgres import USER, Postgres
from support.station import Station
from support.wait import until

PATIENCE_S = 90


@pytest.fixture
def parts():
    """Whatever a test starts ends with it, the last first."""
    with contextlib.ExitStack() as started:
        yield started


def begin(parts, server):
    """Starts a server that is ended with the test."""
    return parts.enter_context(contextlib.closing(server)).start()


def fresh(parts, archive=False):
    """Returns a server with an empty database for a hub."""
    server = Postgres().create()
    server = begin(parts, server.archive() if archive else server)
    server.ask("CREATE DATABASE hub")
    return server


def behind(parts, *ports):
    """Returns a proxy before servers."""
    return parts.enter_context(contextlib.closing(Proxied(*ports, postgres=True)))


def has_followed(standby, server):
    """Waits until a standby has what its server has now."""
    place = server.ask("SELECT pg_current_wal_lsn()")
    until(lambda: standby.ask(f"SELECT pg_last_wal_replay_lsn() >= '{place}'") == "t", "the standby follows")


def keep_in(folder, password, *ports):
    """Has the hubs of a test keep their data on these servers."""
    hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
    databases.use(folder / "hub", f"postgres://{USER}:{password}@{hosts}/hub")


def station_on(parts, folder, server, *ports):
    """Returns a hub on servers, with what follows it."""
    keep_in(folder, server.password, *(ports or (server.port,)))
    station = Station(folder)
    parts.callback(station.close)
    return station


def two_hubs_on(parts, folder, server, standby):
    """Returns a hub on servers, a second one, a phone, and a message that it delivered."""
    station = station_on(parts, folder, server, server.port, standby.port)
    other = Serve(station.admin.folder).start()
    parts.callback(other.program.kill)
    phone = station.join()
    before = send(station, phone, "before")
    delivered(station, before)
    return station, other, phone, before


def run(station, *arguments):
    """Runs the program on the station's database, and returns what it did."""
    env = loopback_environment(databases.environment(station.admin.folder))
    command = [str(part) for part in (binary("route-hub"), *arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)


def refused(station):
    """Returns why a hub does not start on the station's database."""
    done = run(station, "serve", "--listen", "127.0.0.1:0", "--operator-listen", "off")
    assert done.returncode == 1, done
    return done.stderr.splitlines()[-1]


def restored(station):
    """Says that the database was brought back, and returns what the command tells."""
    done = run(station, "restored", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def generation(server):
    """Returns how often the hub is known to have gone backwards, and once more."""
    return int(server.ask("SELECT COALESCE(max(value), '1') FROM hub_meta WHERE name = 'gen'", "hub"))


def send(station, phone, text):
    """Sends a message, as often as the hub says that it cannot take it now; returns its id."""
    body = {"content": text, "to_number": fresh_number(), "route_id": phone.route_id}

    def taken():
        answer = station.rest.call("POST", "messages/send", json=body, headers={"Idempotency-Key": text})
        assert answer.status_code in (200, 503), answer.text
        return answer.json()["id"] if answer.status_code == 200 else None

    return until(taken, "it is accepted", PATIENCE_S)


def queued_while_away(station, phone):
    """Returns a message that waits for a phone, which has left."""
    station.leave(phone)
    return send(station, phone, "queued")


def delivered(station, *ids):
    """Waits until messages are delivered, also while the hub cannot read them for a moment."""
    def is_delivered(message_id):
        answer = station.rest.call("GET", f"messages/{message_id}")
        return answer.status_code == 200 and answer.json()["status"] == "delivered"

    for message_id in ids:
        until(lambda: is_delivered(message_id), f"{message_id} is delivered", PATIENCE_S)


def each_left_once(station, *ids):
    """Checks that these messages left their phones, each once, and no other did."""
    assert sorted(station.handed_over()) == sorted(ids)


def goes_on_after_a_freeze(station, phone, *before):
    """Checks that the phone was asked what it holds, and that new messages leave by it."""
    until(lambda: "hub_frozen" in station.alerts(cleared_too=True), "somebody is told", PATIENCE_S)
    until(lambda: "hub_frozen" not in station.alerts(), "the freeze is over", PATIENCE_S)
    again = send(station, phone, "again")
    delivered(station, again)
    each_left_once(station, *before, again)


def test_a_database_brought_back_to_an_earlier_moment_is_refused_until_somebody_says_so(parts, tmp_path):
    server = fresh(parts, archive=True)
    station = station_on(parts, tmp_path, server)
    phone = station.join()
    copy = server.backup()
    queued = queued_while_away(station, phone)
    server.ask("SELECT pg_create_restore_point('before')")
    phone.start()
    forgotten = send(station, phone, "forgotten")
    delivered(station, queued, forgotten)
    station.server.program.kill()
    server.ask("SELECT pg_switch_wal()")
    until(lambda: server.ask("SELECT last_archived_wal IS NOT NULL FROM pg_stat_archiver") == "t", "it is kept")
    server.stop()

    back = begin(parts, copy.recover_to("before", server))
    until(lambda: back.ask("SELECT pg_is_in_recovery()") == "f", "it is brought back")
    keep_in(tmp_path, back.password, back.port)
    assert "route-hub restored" in refused(station)
    assert restored(station) == {
        "generation": 2,
        "phones_to_answer": 1,
        "phones_asked_before": 0,
        "schedules_passed_over": 0,
    }
    again = restored(station)
    assert (again["generation"], again["phones_to_answer"], again["phones_asked_before"]) == (3, 1, 1)
    station.server.start()
    delivered(station, queued)
    goes_on_after_a_freeze(station, phone, queued, forgotten)
    assert station.rest.call("GET", f"messages/{forgotten}").status_code == 404


def dumped_before_it_left(parts, folder, server):
    """Returns a hub on a server, a phone, the message that it delivered, and a dump in which that is queued."""
    station = station_on(parts, folder, server)
    phone = station.join()
    queued = queued_while_away(station, phone)
    dump = server.dump("hub")
    phone.start()
    delivered(station, queued)
    return station, phone, queued, dump


def goes_on_once_somebody_says_so(station, phone, queued):
    """Checks that a database that was brought back is refused until somebody says so, and that nothing leaves twice."""
    assert "route-hub restored" in refused(station)
    assert restored(station)["phones_to_answer"] == 1
    station.server.start()
    delivered(station, queued)
    goes_on_after_a_freeze(station, phone, queued)


def test_a_dump_in_a_new_server_is_refused_until_somebody_says_so(parts, tmp_path):
    server = fresh(parts)
    station, phone, queued, dump = dumped_before_it_left(parts, tmp_path, server)
    assert "works on it" in run(station, "restored").stderr, "a hub lives"
    assert station.server.program.stop() == 0

    back = begin(parts, Postgres(password=server.password).create())
    back.load(dump, "hub")
    keep_in(tmp_path, back.password, back.port)
    # A command that looks at it takes nobody's place.
    assert run(station, "admin", "organization", "list").returncode == 0
    moving = run(station, "migrate", "--from", databases.environment(station.admin.folder)["ROUTE_HUB_DATABASE"],
                 "--to", tmp_path / "elsewhere")
    assert moving.returncode == 1 and "route-hub restored" in moving.stderr, moving
    goes_on_once_somebody_says_so(station, phone, queued)


def test_a_dump_beside_its_own_database_is_noticed_too(parts, tmp_path):
    server = fresh(parts)
    station = station_on(parts, tmp_path, server)
    assert station.server.program.stop() == 0
    dump = server.dump("hub")
    server.ask("DROP DATABASE hub")
    server.load(dump, "hub")
    assert "route-hub restored" in refused(station)
    station.server.arguments.append("--nothing-lost")
    station.server.start()
    assert station.server.program.stop() == 0
    station.server.arguments.remove("--nothing-lost")
    station.server.start()
    assert generation(server) == 1


def test_a_dump_in_the_place_of_its_own_database_is_noticed_too(parts, tmp_path):
    server = fresh(parts)
    station, phone, queued, dump = dumped_before_it_left(parts, tmp_path, server)
    assert station.server.program.stop() == 0
    server.load_over(dump, "hub")
    goes_on_once_somebody_says_so(station, phone, queued)
    # The number that is kept is that of the new tables.
    assert station.server.program.stop() == 0
    station.server.start()


def test_a_standby_that_lacked_something_is_noticed_by_the_hubs(parts, tmp_path):
    server = fresh(parts)
    line = behind(parts, server.port)
    standby = begin(parts, server.standby(through=line.port))
    station = station_on(parts, tmp_path, server, server.port, standby.port)
    phone = station.join()
    queued = queued_while_away(station, phone)
    has_followed(standby, server)
    line.stall()
    phone.start()
    forgotten = send(station, phone, "forgotten")
    delivered(station, queued, forgotten)

    server.kill()
    line.cut()
    standby.promote()
    delivered(station, queued)
    goes_on_after_a_freeze(station, phone, queued, forgotten)
    assert generation(standby) > 1
    assert station.rest.call("GET", f"messages/{forgotten}").status_code == 404


def quiet_project(station, server):
    """Returns a caller of a project whose changes go by a writing connection that the hub hardly uses."""
    organization = station.admin.organization("Quiet")
    key = station.admin("key", "create", "--organization", organization)
    key = key.get("api_key") or key["key"]
    projects = [station.admin.project(organization, f"Quiet {number}") for number in range(8)]
    callers = [station.server.rest(key, project) for project in projects]
    for caller in callers:
        caller.post("labels", {"name": "first"})

    def commits():
        hub = "(SELECT number FROM processes WHERE serves = 1 AND ended = 0)"
        found = server.ask(f"SELECT writer, max(commits) FROM writers WHERE process = {hub} GROUP BY writer", "hub")
        return {writer: int(count) for writer, count in (line.split("|") for line in found.splitlines())}

    by_writer = {}
    for caller in callers:
        before = commits()
        caller.post("labels", {"name": "second"})
        for writer, count in commits().items():
            if count != before.get(writer):
                by_writer[writer] = caller
    counts = commits()
    return by_writer[min(by_writer, key=lambda writer: counts[writer])]


def test_a_loss_is_noticed_where_nothing_is_written_any_more(parts, tmp_path):
    server = fresh(parts)
    line = behind(parts, server.port)
    standby = begin(parts, server.standby(through=line.port))
    station = station_on(parts, tmp_path, server, server.port, standby.port)
    quiet = quiet_project(station, server)
    has_followed(standby, server)
    line.stall()
    quiet.post("labels", {"name": "forgotten"})
    server.kill()
    line.cut()
    standby.promote()
    until(lambda: generation(standby) > 1, "it is noticed", PATIENCE_S)


def test_what_a_hub_lost_that_died_with_the_primary_is_noticed_by_the_others(parts, tmp_path):
    server = fresh(parts)
    standby = begin(parts, server.standby())
    station, other, phone, before = two_hubs_on(parts, tmp_path, server, standby)
    server.kill()
    other.program.kill()
    standby.promote()
    goes_on_after_a_freeze(station, phone, before)
    assert generation(standby) == 2


def test_a_standby_that_had_everything_takes_over_and_nobody_is_frozen(parts, tmp_path):
    server = fresh(parts)
    standby = begin(parts, server.standby())
    server.wait_for_standby()
    station, other, phone, before = two_hubs_on(parts, tmp_path, server, standby)
    beats = "SELECT bool_and(synchronous = 1) FROM processes WHERE ended = 0"
    until(lambda: server.ask(beats, "hub") == "t", "the hubs have seen that commits wait")
    server.kill()
    other.program.kill()
    standby.promote()
    until(lambda: station.rest.call("GET", f"messages/{before}").status_code == 200, "the hub is back", PATIENCE_S)
    after = send(station, phone, "after")
    delivered(station, after)
    each_left_once(station, before, after)
    assert generation(standby) == 1 and station.alerts(cleared_too=True) == []

    # Nobody lives through the next change.
    third = begin(parts, standby.standby())
    assert station.server.program.stop() == 0
    has_followed(third, standby)
    standby.stop()
    third.promote()
    keep_in(tmp_path, server.password, third.port)
    assert "--nothing-lost" in refused(station)
    station.server.arguments.append("--nothing-lost")
    station.server.start()
    last = send(station, phone, "last")
    delivered(station, last)
    each_left_once(station, before, after, last)
    assert generation(third) == 1


def test_a_primary_that_was_left_behind_is_refused(parts, tmp_path):
    server = fresh(parts)
    standby = begin(parts, server.standby())
    fronts = [behind(parts, one.port) for one in (server, standby)]
    station = station_on(parts, tmp_path, server, *(front.port for front in fronts))
    phone = station.join()
    sent = [send(station, phone, "before")]
    delivered(station, *sent)
    standby.promote()
    fronts[0].refuse()
    fronts[0].cut()
    until(lambda: station.rest.call("GET", f"messages/{sent[0]}").status_code == 200, "the new primary is found", PATIENCE_S)
    newest = "SELECT count(*) FROM messages"
    before = server.ask(newest, "hub")

    # The old one, which lives and takes writes, can be reached again, and is the first of the hosts.
    fronts[0].refuse(False)
    fronts[1].cut()
    sent.append(send(station, phone, "after"))
    delivered(station, *sent)
    assert server.ask(newest, "hub") == before and standby.ask(newest, "hub") == "2"
    fronts[1].refuse()
    fronts[1].cut()
    until(lambda: any("left behind" in line for line in station.server.program.err_lines), "the hub says why")
    answer = station.rest.call("POST", "messages/send", json={"content": "never", "to_number": fresh_number()})
    assert answer.status_code == 503
    assert server.ask(newest, "hub") == before

    # Nor does a hub take it that starts now, and has seen neither.
    fronts[1].refuse(False)
    station.server.program.kill()
    station.server.start()
    sent.append(send(station, phone, "by a new process"))
    delivered(station, *sent)
    assert server.ask(newest, "hub") == before and standby.ask(newest, "hub") == "3"
