"""Backup beside a running hub, restore, and phones that know more than the backup."""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import threading
from contextlib import closing

import pytest

from support.hub import Serve
from support.numbers import fresh_number
from support.operator import Refused, backup, backup_command, begin, copy_by_hand, put_back_by_hand, restore, restore_command
from support.paths import binary
from support.process import loopback_environment
from support.station import Station
from support.wait import until


@pytest.fixture
def station(tmp_path):
    """A hub without phones."""
    one = Station(tmp_path)
    yield one
    assert not one.close()


def query(path, sql):
    """Reads one value of a database that nobody writes to."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchone()[0]


def test_a_backup_beside_a_running_hub_holds_every_message_of_before(station, tmp_path):
    phone = station.join()
    before = [station.send(phone, f"before {n}", fresh_number()).id for n in range(5)]
    stop, during = threading.Event(), []

    def keep_sending():
        while not stop.is_set():
            during.append(station.rest.send(fresh_number(), "during", route_id=phone.route_id)["id"])

    sender = threading.Thread(target=keep_sending)
    sender.start()
    try:
        until(lambda: during, "sends go on")
        taken = backup(station.admin.folder, tmp_path / "copy.db")
    finally:
        stop.set()
        sender.join()
    copy = tmp_path / "copy.db"
    assert taken["file"] == str(copy) and taken["bytes"] == copy.stat().st_size and taken["seconds"] > 0
    assert copy.stat().st_mode & 0o777 == 0o600
    assert query(copy, "PRAGMA integrity_check") == "ok"
    assert not [name for name in os.listdir(tmp_path) if "part" in name or name.endswith(("-wal", "-shm"))]
    known = query(copy, "SELECT count(*) FROM messages WHERE content LIKE 'before%'")
    assert known == len(before)
    for message_id in before + during:
        station.rest.wait_status(message_id, "delivered")


def test_a_broadcast_that_a_backup_has_in_the_middle_reaches_nobody_again(station, tmp_path):
    phone = station.join()
    station.set(phone.route_id, send_paused=True)
    assert station.server.program.stop() == 0
    station.admin("project", "set", station.project_id, "--queue-cap", "1")
    station.server.start()
    numbers = [fresh_number() for _ in range(3)]
    body = {"to_numbers": numbers, "content": "to all", "route_id": phone.route_id}
    path = f"broadcasts/{station.rest.post('send_broadcast', body)['id']}"
    until(lambda: station.rest.get(path)["message_count"] == 1, "there is room for one message")
    backup(station.admin.folder, tmp_path / "copy.db")
    station.admin("project", "set", station.project_id, "--queue-cap", "1000")
    station.set(phone.route_id, send_paused=False)
    until(lambda: station.rest.get(path)["status_counts"]["delivered"] == 3, "it reaches everybody", 60)
    assert station.server.program.stop() == 0
    restore(station.admin.folder, tmp_path / "copy.db")
    station.server.start()
    shown = until(lambda: (one := station.rest.get(path))["status"] == "complete" and one, "its phone has spoken", 60)
    assert shown["message_count"] == 1 and "restored" in shown["error_message"]
    assert sorted(line["to"] for line in phone.radio()) == sorted(numbers)


def test_a_backup_overwrites_nothing_and_finds_a_name_in_a_folder(station, tmp_path):
    (tmp_path / "taken.db").write_text("precious")
    with pytest.raises(Refused, match="exists already"):
        backup(station.admin.folder, tmp_path / "taken.db")
    assert (tmp_path / "taken.db").read_text() == "precious"
    folder = tmp_path / "backups"
    folder.mkdir()
    taken = backup(station.admin.folder, folder)
    assert [str(folder / name) for name in os.listdir(folder)] == [taken["file"]]
    with pytest.raises(Refused, match="no database"):
        backup(tmp_path / "backups", tmp_path / "other.db")


def test_a_restore_refuses_what_it_must_not_touch(station, tmp_path):
    copy = tmp_path / "copy.db"
    backup(station.admin.folder, copy)
    with pytest.raises(Refused, match="in use"):
        restore(station.admin.folder, copy)
    assert station.server.program.stop() == 0
    before = query(station.admin.folder / "hub.db", "SELECT count(*) FROM api_keys")
    with pytest.raises(Refused, match="--replace"):
        restore(station.admin.folder, copy, replace=False)
    for wrong, words in (("half.db", "damaged"), ("notes.txt", "not a route hub"), ("missing.db", "no database")):
        path = tmp_path / wrong
        if wrong == "half.db":
            path.write_bytes(copy.read_bytes()[: copy.stat().st_size // 2])
        elif wrong == "notes.txt":
            path.write_text("notes " * 1000)
        with pytest.raises(Refused, match=words):
            restore(station.admin.folder, path)
    assert query(station.admin.folder / "hub.db", "SELECT count(*) FROM api_keys") == before
    station.server.start()
    assert station.rest.get("phones")["data"] == []


def test_a_backup_restored_elsewhere_is_the_same_hub(station, tmp_path):
    copy, elsewhere = tmp_path / "copy.db", tmp_path / "elsewhere"
    backup(station.admin.folder, copy)
    told = restore(elsewhere, copy, replace=False)
    assert told["generation"] == 2 and told["set_aside"] is None
    assert (elsewhere / "hub.db").stat().st_mode & 0o777 == 0o600
    assert query(elsewhere / "hub.db", "SELECT count(*) FROM projects") == 1
    assert not list(elsewhere.glob("rest*"))


def live_on(station, first, second):
    """Events after the backup, in which `queued` and `moved` wait for the first phone."""
    queued = station.send(first, "queued", fresh_number())
    moved = station.send(first, "moved", fresh_number())
    yield queued, moved
    moved.resend(route_id=second.route_id)
    station.rest.wait_status(moved.id, "delivered")
    first.start()
    station.rest.wait_status(queued.id, "delivered")
    forgotten = station.send(second, "forgotten", fresh_number())
    station.rest.wait_status(forgotten.id, "delivered")
    first.program.type("+15005559001 came in after the backup")
    until(lambda: "came in after the backup" in station.incoming(), "it came in")
    yield forgotten


def test_after_a_restore_everything_is_accounted_for_and_nothing_is_sent_twice(station, tmp_path):
    first, second = station.join(), station.join()
    first.program.type("+15005559001 came in before the backup")
    until(lambda: station.incoming(), "it came in")
    known = station.send(first, "known", fresh_number())
    station.rest.wait_status(known.id, "delivered")
    station.leave(first)
    life = live_on(station, first, second)
    queued, moved = next(life)
    copy = tmp_path / "copy.db"
    backup(station.admin.folder, copy)
    forgotten = next(life)
    # The first phone answers at once, the second one only when it is started again.
    second.program.kill()
    station.server.program.kill()
    told = restore(station.admin.folder, copy)
    assert told["generation"] == 2 and told["phones_to_answer"] == 2
    assert station.alerts() == ["hub_frozen"]

    station.server.start()
    until(lambda: not station.device(first)["frozen"], "the first phone has answered", 60)
    station.rest.wait_status(queued.id, "delivered")
    waits = station.rest.message(moved.id)
    assert (waits["status"], waits["waiting_for"], waits["phone_id"]) == ("queued", "frozen", first.route_id)
    fresh = station.send(first, "fresh", fresh_number())
    station.rest.wait_status(fresh.id, "delivered")
    assert station.rest.message(moved.id)["status"] == "queued", "it may be on the phone that has not answered"

    second.start()
    station.rest.wait_status(moved.id, "delivered", patience_s=60)
    until(lambda: station.alerts() == [], "the freeze is over")
    assert "hub_frozen" in station.alerts(cleared_too=True)
    station.project.sendMessage(content="goes on", to_number=fresh_number(), route_id=second.route_id)
    expected = [known.id, queued.id, moved.id, forgotten.id, fresh.id]
    until(lambda: len(station.handed_over()) == len(expected) + 1, "the last one goes on")
    once = station.handed_over()
    assert len(once) == len(set(once)) and set(expected) < set(once)
    assert station.rest.call("GET", f"messages/{forgotten.id}").status_code == 404
    assert station.incoming() == ["came in after the backup", "came in before the backup"]


def test_a_folder_that_was_copied_back_by_hand_is_noticed(station, tmp_path):
    phone, other = station.join(), station.join()
    station.leave(phone)
    station.leave(other)
    queued = [station.send(one, "queued", fresh_number()).id for one in (phone, other)]
    assert station.server.program.stop() == 0
    copy_by_hand(station.admin.folder, tmp_path / "by-hand")
    station.server.start()
    for one in (phone, other):
        one.start()
    for message_id in queued:
        station.rest.wait_status(message_id, "delivered", patience_s=60)
    phone.program.type("+15005559002 came in since")
    until(lambda: station.incoming() == ["came in since"], "it came in")
    station.server.program.kill()
    put_back_by_hand(tmp_path / "by-hand", station.admin.folder)
    station.server.start()
    for message_id in queued:
        station.rest.wait_status(message_id, "delivered", patience_s=90)
    until(lambda: "hub_frozen" in station.alerts(cleared_too=True), "somebody is told")
    until(lambda: station.incoming() == ["came in since"], "it is uploaded again and counts once")
    until(lambda: "hub_frozen" not in station.alerts(), "the freeze is over", 60)
    again = station.send(phone, "again", fresh_number())
    station.rest.wait_status(again.id, "delivered", patience_s=60)
    assert sorted(station.handed_over()) == sorted([*queued, again.id])


def restored_without(station, tmp_path, lost):
    """Returns what is queued for `lost` phones and for a present one, from which the restored hub has heard."""
    gone, here = [station.join() for _ in range(lost)], station.join()
    for phone in (*gone, here):
        station.leave(phone)
    queued = [station.send(phone, "queued", fresh_number()).id for phone in (*gone, here)]
    copy = tmp_path / "copy.db"
    backup(station.admin.folder, copy)
    station.server.program.kill()
    restore(station.admin.folder, copy)
    station.server.start()
    here.start()
    until(lambda: not station.device(here)["frozen"], "the one that is here has answered", 60)
    for message_id in queued:
        message = station.rest.message(message_id)
        assert (message["status"], message["waiting_for"]) == ("queued", "frozen")
    return gone, here, queued


def all_are_unknown_and_life_goes_on(station, here, queued):
    """Any queued message may have been moved to a phone that was given up; new messages go on."""
    for message_id in queued:
        assert station.rest.wait_status(message_id, "failed")["error_code"] == "unknown_outcome"
    fresh = station.send(here, "fresh", fresh_number())
    station.rest.wait_status(fresh.id, "delivered")
    assert station.handed_over() == [fresh.id]


def test_what_a_phone_that_never_comes_back_may_hold_is_unknown_after_the_operators_word(station, tmp_path):
    (gone, other), here, queued = restored_without(station, tmp_path, 2)
    assert station.admin("unfreeze", "--phone", gone.route_id) == {"devices": [gone.device_id]}
    all_are_unknown_and_life_goes_on(station, here, queued)
    assert station.device(other)["frozen"] and station.alerts() == ["hub_frozen"], "that one may still answer"
    other.start()
    until(lambda: station.alerts() == [], "nobody is waited for", 60)
    assert station.admin("unfreeze") == {"devices": []}


def test_the_operators_word_without_a_phone_gives_up_all_that_have_not_answered(station, tmp_path):
    gone, here, queued = restored_without(station, tmp_path, 2)
    freed = station.admin("unfreeze")["devices"]
    assert sorted(freed) == sorted(phone.device_id for phone in gone)
    all_are_unknown_and_life_goes_on(station, here, queued)
    assert not any(station.device(phone)["frozen"] for phone in gone)
    until(lambda: station.alerts() == [], "nobody is waited for")


def enlarge(path, name):
    """Makes a database that takes long enough to interrupt, and marks it."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO hub_meta (name, value) VALUES (?, ?)",
            [(f"filler {n}", "x" * 1_000_000) for n in range(60)],
        )
        connection.execute("INSERT INTO hub_meta (name, value) VALUES ('marker', ?)", (name,))


def test_a_backup_killed_at_any_moment_leaves_none_or_a_sound_one(station, tmp_path):
    assert station.server.program.stop() == 0
    enlarge(station.admin.folder / "hub.db", "old")
    station.server.start()
    copy, part = tmp_path / "copy.db", tmp_path / ".copy.db.part"
    for megabytes in (0, 1, 20, 40, 59):
        program = begin(backup_command(station.admin.folder, copy))
        until(lambda: not program.alive() or (part.exists() and part.stat().st_size >= megabytes * 1_000_000), "it works")
        program.kill()
        if copy.exists():
            assert query(copy, "PRAGMA integrity_check") == "ok"
            copy.unlink()
    taken = backup(station.admin.folder, copy)
    assert taken["bytes"] > 60_000_000 and not part.exists()


def marker(folder):
    """Returns which of the two databases a folder has, after the next program has opened it."""
    command = [str(binary("route-hub")), "migrate", "--dir", str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=60, env=loopback_environment())
    assert query(folder / "hub.db", "PRAGMA integrity_check") == "ok"
    marked = query(folder / "hub.db", "SELECT value FROM hub_meta WHERE name = 'marker'")
    generation = query(folder / "hub.db", "SELECT max(value) FROM hub_meta WHERE name = 'gen'")
    return marked, int(generation or 1)


def test_a_restore_killed_at_any_moment_leaves_the_old_data_or_the_new(station, tmp_path):
    assert station.server.program.stop() == 0
    copy, folder = tmp_path / "copy.db", station.admin.folder
    backup(folder, copy)
    enlarge(copy, "new")
    enlarge(folder / "hub.db", "old")
    kept = tmp_path / "kept"
    copy_by_hand(folder, kept)
    seen = set()
    moments = ["restoring", *(f"restoring/{n}" for n in (1, 30, 60)), "restored", "replaced", "end"]
    for moment in moments:
        work = tmp_path / "work"
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(kept, work)
        program = begin(restore_command(work, copy))
        until(lambda: not program.alive() or reached(work, moment), moment)
        if moment == "end":
            until(lambda: not program.alive(), "it ends")
        program.kill()
        found = marker(work)
        assert found in (("old", 1), ("new", 2)), found
        if found[0] == "new":
            aside = next(work.glob("replaced-*/hub.db"))
            assert query(aside, "SELECT value FROM hub_meta WHERE name = 'marker'") == "old"
        assert not (work / "restored").exists()
        seen.add(found)
    assert seen == {("old", 1), ("new", 2)}


def reached(folder, moment):
    """Returns whether a restore has come this far."""
    if moment.startswith("restoring/"):
        made = folder / "restoring" / "hub.db"
        return made.exists() and made.stat().st_size >= int(moment.split("/")[1]) * 1_000_000
    return any(folder.glob(f"{moment}*")) if moment != "end" else True


def test_a_backup_carries_the_files_and_names_what_is_missing(station, tmp_path):
    rest, folder = station.rest, station.admin.folder
    kept, lost = (rest.post("files", {"data": data, "type": "text/vcard"}) for data in ("S2VwdA==", "TG9zdA=="))
    (folder / "files" / lost["id"][-2:] / lost["id"]).unlink()
    taken = backup(folder, tmp_path / "copy.db")
    assert taken["files"]["count"] == 1 and taken["files"]["missing"] == [lost["id"]]
    new = tmp_path / "new"
    restored = restore(new, tmp_path / "copy.db")
    assert restored["files"] == taken["files"]
    blob = new / "files" / kept["id"][-2:] / kept["id"]
    assert hashlib.sha256(blob.read_bytes()).hexdigest() == kept["sha256"]


def test_a_hub_starts_on_what_was_restored_whatever_was_in_the_folder_before(station, tmp_path):
    rest, folder = station.rest, station.admin.folder
    kept = rest.post("files", {"data": "S2VwdA==", "type": "text/vcard"})
    backup(folder, tmp_path / "copy.db")
    used, alone = tmp_path / "used", tmp_path / "alone"
    fresh = Serve(used, arguments=["--create"]).start()
    assert fresh.program.stop() == 0
    restore(used, tmp_path / "copy.db")
    shutil.copy(tmp_path / "copy.db", alone.with_suffix(".db"))
    assert restore(alone, alone.with_suffix(".db"))["files"]["missing"] == [kept["id"]]
    for restored in (used, alone):
        hub = Serve(restored).start()
        assert hub.program.stop() == 0
