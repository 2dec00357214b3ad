"""A hub whose data are in PostgreSQL: how it finds it, what it refuses, and a second hub on the database."""

import contextlib
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
import requests

from cluster.proxied import Proxied
from end_to_end import test_campaign_kills
from support import faketime
from support.databases import environment, fresh_url, query, url, use
from support.hub import Admin, Demo, Serve
from support.numbers import fresh_number
from support.paths import binary
from support.process import loopback_environment
from support.receiver import Answer
from support.rest import error
from support.wait import until


def run(*arguments, **variables):
    """Runs the program with these variables, and returns what it did."""
    env = loopback_environment(variables)
    command = [str(part) for part in (binary("route-hub"), *arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=env, check=False)


def without_password(address):
    """Returns a URL without its password, and the password."""
    scheme, rest = address.split("://")
    who, where = rest.split("@")
    user, password = who.split(":")
    return f"{scheme}://{user}@{where}", password


def sentence(done):
    """Returns the one sentence in which the program says why it ended."""
    assert done.returncode == 1, done
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("route-hub: "), done.stderr
    return lines[0]


def test_a_password_may_come_by_a_file_or_a_variable(tmp_path):
    address, password = without_password(url(tmp_path))
    listed = ("admin", "organization", "list", "--database", address)
    assert "password" in sentence(run(*listed))
    assert run(*listed, ROUTE_HUB_DATABASE_PASSWORD=password).returncode == 0
    file = tmp_path / "password"
    file.write_text(f"{password}\n")
    assert run(*listed, "--database-password-file", file).returncode == 0


def test_of_several_hosts_the_one_that_answers_is_taken(tmp_path):
    several = url(tmp_path).replace("@", "@127.0.0.1:1,")
    assert run("admin", "organization", "list", ROUTE_HUB_DATABASE=several).returncode == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda address, password: address.replace(password, "hunter2"), "password"),
        (lambda address, _: address.rsplit("/", 1)[0] + "/nowhere", "nowhere"),
        (lambda address, password: f"postgres://postrider:{password}@127.0.0.1:1/hub", "reached"),
        (lambda address, password: f"host=127.0.0.1 password={password} nonsense", "URL"),
    ],
)
def test_a_hub_that_cannot_start_says_why_in_one_sentence_without_the_password(tmp_path, change, why):
    _, password = without_password(url(tmp_path))
    wrong = change(url(tmp_path), password)
    said = sentence(run("serve", "--listen", "127.0.0.1:0", "--operator-listen", "off", ROUTE_HUB_DATABASE=wrong))
    assert why in said, said
    assert password not in said and "hunter2" not in said, said


def doctor(*arguments, **variables):
    """Returns the first line of each check, and the program's own code."""
    done = run("doctor", *arguments, "--listen", "127.0.0.1:0", "--operator-listen", "off", "--json", **variables)
    checks = json.loads(done.stdout)["checks"]
    return {line["check"]: (line["verdict"], line["says"]) for line in reversed(checks)}, done.returncode


def test_the_doctor_looks_at_the_database_and_what_stands_beside_it(tmp_path):
    nats = os.environ.get("POSTRIDER_TEST_NATS")
    hints = {"ROUTE_HUB_NATS": nats} if nats else {}
    found, code = doctor(**environment(tmp_path), **hints)
    assert code == 0, found
    for check in ("settings", "database", "conditions", "backup", *(["NATS"] if nats else [])):
        assert found[check][0] == "good", found
    assert "PostgreSQL 1" in found["database"][1] and "folder" not in found
    address, password = without_password(url(tmp_path))
    for wrong, why in (
        (f"postgres://postrider:{password}@127.0.0.1:1/hub", "reached"),
        (url(tmp_path).replace(password, "hunter2"), "password"),
        (fresh_url(), "empty"),
    ):
        found, code = doctor(ROUTE_HUB_DATABASE=wrong)
        assert code == 1 and found["database"][0] == "bad" and why in found["database"][1], found
        assert password not in str(found) and "hunter2" not in str(found)
    if nats:
        found, code = doctor(**environment(tmp_path), ROUTE_HUB_NATS="nats://127.0.0.1:1")
        assert code == 0 and found["NATS"][0] == "doubtful", found


@pytest.mark.parametrize("command", [("backup", "--to", "copy.db"), ("restore", "--from", "copy.db")])
def test_copies_are_left_to_the_database_s_own_tools(tmp_path, command):
    done = run(*command, "--dir", tmp_path, **environment(tmp_path))
    assert "pg_dump" in sentence(done)


def test_the_data_folder_is_not_used(tmp_path):
    data = tmp_path / "data"
    assert run("admin", "--dir", data, "organization", "create", "--name", "Clinic", **environment(data)).returncode == 0
    assert not data.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_root_keeps_no_files_in_another_users_data_folder(tmp_path):
    data, there = tmp_path / "data", {"ROUTE_HUB_DATABASE": url(tmp_path / "data")}
    data.mkdir()
    os.chown(data, 12345, 12345)
    done = run("serve", "--dir", data, "--listen", "127.0.0.1:0", "--operator-listen", "off", **there)
    assert done.returncode == 1 and done.stderr.splitlines()[-1].strip().startswith("sudo -u "), done.stderr
    assert run("admin", "--dir", data, "organization", "list", **there).returncode == 0
    assert not list(data.iterdir())


def test_a_hub_beside_the_demo_takes_messages_for_its_phones_and_shows_what_becomes_of_them(tmp_path):
    demo = Demo(tmp_path)
    second = Serve(tmp_path / "demo").start()
    try:
        other = second.rest(demo.api_key, demo.project_id)
        sent = [rest.send(fresh_number(), "from either")["id"] for rest in (demo.rest, other) for _ in range(5)]
        for message_id in sent:
            other.wait_status(message_id, "delivered", patience_s=60)
        assert sorted(line["message_id"] for line in demo.radio()) == sorted(sent)
    finally:
        second.program.kill()
        assert demo.program.stop() == 0


DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP///ywAAAAAAQABAAACAkQBADs="
APART = {"ROUTE_HUB_FILES_SHARED": "false", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "s"}


@pytest.mark.parametrize("place", ["folder", "s3://files/hub"])
def test_a_second_hub_that_sees_other_files_takes_none_while_there_are_none_and_says_what_it_needs(tmp_path, place):
    demo = Demo(tmp_path)
    elsewhere = place if place.startswith("s3:") else tmp_path / place
    second = Serve(tmp_path / "demo", arguments=["--files", elsewhere], env=APART).start()
    try:
        needed = f"--files {tmp_path / 'demo' / 'files'} --files-shared"
        assert any("takes no files" in line and needed in line for line in second.program.err_lines), second.program.words()
        other = second.rest(demo.api_key, demo.project_id)
        error(other.call("POST", "files", json={"data": DOT}), 503)
        other.wait_status(other.send(fresh_number(), "needs no file")["id"], "delivered")
        requests.get(demo.rest.post("files", {"data": DOT})["url"], timeout=10).raise_for_status()
    finally:
        second.program.kill()
        assert demo.program.stop() == 0


def test_a_hub_that_is_left_alone_takes_files(tmp_path):
    demo = Demo(tmp_path)
    second = Serve(tmp_path / "demo", arguments=["--files", tmp_path / "files"], env=APART).start()
    try:
        other = second.rest(demo.api_key, demo.project_id)
        error(other.call("POST", "files", json={"data": DOT}), 503)
        assert demo.program.stop() == 0
        until(lambda: other.call("POST", "files", json={"data": DOT}).status_code == 200, "it takes files", 30)
    finally:
        second.program.kill()
        demo.program.kill()


def test_a_second_hub_with_a_folder_of_its_own_for_files_is_refused(tmp_path):
    demo = Demo(tmp_path)
    try:
        demo.rest.post("files", {"data": DOT})
        second = ("serve", "--listen", "127.0.0.1:0", "--operator-listen", "off", "--files", tmp_path / "files")
        apart = environment(tmp_path / "demo") | {"ROUTE_HUB_FILES_SHARED": "false"}
        assert "--files-shared" in run(*second, **apart).stderr.splitlines()[-1]
        for elsewhere in (tmp_path / "files", "s3://files/hub"):
            place = apart | {"ROUTE_HUB_FILES": str(elsewhere), "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "s"}
            if elsewhere != "s3://files/hub":
                place["ROUTE_HUB_FILES_SHARED"] = "true"
            assert "not where the hub keeps" in run(*second[:-2], **place).stderr.splitlines()[-1]
        demo.rest.wait_status(demo.rest.send(fresh_number(), "the first one goes on")["id"], "delivered")
    finally:
        assert demo.program.stop() == 0


@pytest.mark.skipif(not faketime.is_there(), reason="needs libfaketime")
def test_the_operator_is_told_of_a_clock_that_is_off_though_there_is_no_project(tmp_path):
    admin, metric = Admin(tmp_path), 'route_hub_alert{kind="clock_off"}'
    hub = Serve(tmp_path, env=faketime.environment(5)).start()
    try:
        [alert] = until(admin.alerts, "the clock is told of", 30)
        assert (alert["kind"], alert["project_id"]) == ("clock_off", None) and alert["process"] in range(256), alert
        assert f"{metric} 1" in requests.get(f"{hub.operator_url}/metrics", timeout=10).text
        until(lambda: any("clock_off" in line for line in hub.program.err_lines), "the log tells of it")
    finally:
        assert hub.program.stop() == 0
    again = Serve(tmp_path).start()
    try:
        assert admin.alerts() == []
        assert f"{metric} 0" in requests.get(f"{again.operator_url}/metrics", timeout=10).text
    finally:
        assert again.program.stop() == 0


def test_a_database_that_is_away_has_one_line_in_the_log_and_another_when_it_is_back(tmp_path):
    port = urlsplit(url(tmp_path / "demo")).port
    with contextlib.closing(Proxied(port)) as proxy:
        use(tmp_path / "demo", url(tmp_path / "demo").replace(f":{port}/", f":{proxy.port}/"))
        demo = Demo(tmp_path, env={"ROUTE_HUB_LOG": "info"})
        before = len(demo.program.err_lines)
        proxy.refuse()
        proxy.cut()
        for _ in range(20):
            until(lambda: demo.rest.call("GET", "messages").status_code == 503, "requests are refused", 30)
        proxy.refuse(False)
        until(lambda: any("can be reached again" in line for line in demo.program.err_lines), "it is back", 30)
        said = [line for line in demo.program.err_lines[before:] if " WARN " in line or " ERROR " in line]
        assert len(said) == 1 and "the database cannot be reached" in said[0], said
        demo.rest.wait_status(demo.rest.send(fresh_number(), "it goes on")["id"], "delivered")
        assert demo.program.stop() == 0


def lose_hints(folder):
    """Has the server take the hints of all hubs that start from now on, and tell nobody."""
    name = query(folder, "SELECT current_database()")[0][0]
    query(folder, f"ALTER DATABASE {name} SET search_path TO public, pg_catalog")
    query(folder, "CREATE FUNCTION public.pg_notify(text, text) RETURNS void LANGUAGE sql AS 'SELECT'")


def test_messages_leave_through_another_hub_without_a_hint(tmp_path):
    lose_hints(tmp_path / "demo")
    demo = Demo(tmp_path)
    second = Serve(tmp_path / "demo").start()
    try:
        other = second.rest(demo.api_key, demo.project_id)
        message_id = other.send(fresh_number(), "nobody hints at it")["id"]
        other.wait_status(message_id, "delivered", patience_s=60)
    finally:
        second.program.kill()
        assert demo.program.stop() == 0


def play_through_each(demo, other):
    """Sends to the test route and simulates for a phone, through each hub: one of them does not own the project."""
    for rest in (demo.rest, other) * 2:
        for how in ({"route_id": demo.test_phone_id}, {"simulated": True}):
            sent = rest.send("+15005550012", "played", **how)["id"]
            other.wait_status(sent, "delivered", patience_s=30)


def test_what_is_simulated_is_played_whichever_hub_took_it(pair):
    demo, other, _ = pair
    play_through_each(demo, other)


def test_what_is_simulated_is_played_without_a_hint(tmp_path):
    lose_hints(tmp_path / "demo")
    demo = Demo(tmp_path)
    second = Serve(tmp_path / "demo").start()
    try:
        play_through_each(demo, second.rest(demo.api_key, demo.project_id))
    finally:
        second.program.kill()
        assert demo.program.stop() == 0


@pytest.fixture
def pair(tmp_path):
    """A demo, and a second hub on its database."""
    demo = Demo(tmp_path)
    second = Serve(tmp_path / "demo").start()
    yield demo, second.rest(demo.api_key, demo.project_id), tmp_path / "demo"
    second.program.kill()
    assert demo.program.stop() == 0


def key_id(key):
    """Returns the key of an API key's row."""
    return int(key.split("_")[1], 16)


def test_nothing_is_done_for_a_key_that_was_revoked_through_another_process(pair):
    _, other, folder = pair
    admin = Admin(folder)
    other.key = admin.key(other.project, ["send_messages"])
    other.send(fresh_number(), "before")
    admin("key", "revoke", f"AK{key_id(other.key):016x}")
    error(other.call("POST", "messages/send", json={"to_number": fresh_number(), "content": "after"}), 401)


def test_nothing_is_sent_in_a_project_that_was_stopped_through_another_process(pair):
    _, other, folder = pair
    other.send(fresh_number(), "before")
    Admin(folder)("project", "set", other.project, "--stopped", "true")
    refused = other.call("POST", "messages/send", json={"to_number": fresh_number(), "content": "after"})
    assert refused.status_code != 200, refused.text


def change_without_a_hint(folder, gate, scope, scope_id, change):
    """Changes a row as another process would whose hint is lost."""
    note = "INSERT INTO change_versions (scope, scope_id, version) "
    note += f"SELECT {scope}, {scope_id}, CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT) FROM changed "
    note += "ON CONFLICT (scope, scope_id) DO UPDATE SET version = excluded.version"
    query(folder, f"SELECT pg_advisory_xact_lock(({gate})); WITH changed AS ({change} RETURNING *) {note}")


def test_a_key_that_was_revoked_dies_without_a_hint(pair):
    _, other, folder = pair
    assert other.call("GET", "messages").status_code == 200
    revoke = f"UPDATE api_keys SET time_revoked = 1 WHERE id = {key_id(other.key)}"
    gate = f"SELECT organization_id FROM api_keys WHERE id = {key_id(other.key)}"
    change_without_a_hint(folder, gate, 2, "organization_id", revoke)
    until(lambda: other.call("GET", "messages").status_code == 401, "the key is dead")


def test_a_phone_that_was_revoked_is_closed_without_a_hint(pair):
    demo, _, folder = pair
    connected = "SELECT count(*) FROM devices WHERE connected_to IS NOT NULL"
    before = int(query(folder, connected)[0][0])
    assert before == len(demo.phones)
    gate = "SELECT project_id FROM devices LIMIT 1"
    revoke = "UPDATE devices SET state = 2 WHERE id = (SELECT min(id) FROM devices)"
    change_without_a_hint(folder, gate, 5, "id", revoke)
    until(lambda: int(query(folder, connected)[0][0]) == before - 1, "its link is closed")


def at_once(*acts):
    """Does all at the same moment, and returns what each returned."""
    with ThreadPoolExecutor(len(acts)) as pool:
        return [done.result() for done in [pool.submit(act) for act in acts]]


def test_tables_and_rows_that_two_hubs_make_at_the_same_moment_are_made_once(pair):
    demo, other, _ = pair
    hubs = [demo.rest, other]
    tables = at_once(*[lambda rest=rest: rest.post("tables", {"name": "Visits"}) for rest in hubs * 3])
    table = {table["id"] for table in tables}
    assert len(table) == 1
    rows = f"tables/{table.pop()}/rows"
    given = {"rows": [{"vars": {"code": f"A-{number}"}} for number in range(50)], "lookup_key": "vars.code"}
    imports = rows.replace("rows", "import_rows")
    made = at_once(*[lambda rest=rest: rest.post(imports, given)["rows"] for rest in hubs * 3])
    ids = [[row["id"] for row in answer] for answer in made]
    assert all(one == ids[0] for one in ids[1:])
    for rest in hubs:
        assert [row["id"] for row in rest.get(rows, page_size=200)["data"]] == sorted(ids[0])
    halves = zip(hubs, (ids[0][:25], ids[0][20:]))
    at_once(*[lambda rest=rest, half=half: [rest.call("DELETE", f"{rows}/{row}") for row in half] for rest, half in halves])
    assert [rest.get(rows)["data"] for rest in hubs] == [[], []]


def test_a_file_that_two_hubs_are_given_at_the_same_moment_is_one(pair):
    demo, other, _ = pair
    files = at_once(*[lambda rest=rest: rest.post("files", {"data": DOT}) for rest in [demo.rest, other] * 4])
    assert len({file["id"] for file in files}) == 1
    addresses = {requests.get(file["url"], timeout=10).content for file in files}
    assert len(addresses) == 1 and addresses.pop().startswith(b"GIF89a")


def test_a_task_that_either_hub_may_run_does_each_contact_once_though_its_hub_ends(tmp_path):
    demo = Demo(tmp_path)
    second = Serve(tmp_path / "demo").start()
    try:
        other = second.rest(demo.api_key, demo.project_id)
        for _ in range(20):
            other.post("import_contacts", {"contacts": [{"phone_number": fresh_number()} for _ in range(100)]})
        group = other.post("groups", {"name": "All"})["id"]
        to_all = {"filter_type": "query_contacts", "filter_params": {"all": True}}
        task = other.post("tasks", {"task_type": "add_group_members", "task_params": {"group_id": group}, **to_all})
        assert demo.program.stop() == 0
        until(lambda: other.get(f"tasks/{task['id']}")["status"] == "complete", "the task ends", 60)
        done = other.get(f"tasks/{task['id']}")
        members = other.get(f"groups/{group}")["num_members"]
        assert (done["current_row"], members) == (done["total_rows"], done["total_rows"])
    finally:
        second.program.kill()
        demo.program.kill()


def test_a_replay_that_a_killed_hub_had_promised_is_posted_by_the_other(tmp_path, receiver):
    demo = Demo(tmp_path)
    second = Serve(tmp_path / "demo", arguments=["--webhook-allow", "127.0.0.0/8"]).start()
    try:
        sent = demo.rest.send(fresh_number(), "tell me", status_url=receiver.url("/hook"), status_secret="topsecret")
        [first] = receiver.wait(id=sent["id"], status="delivered")
        other = second.rest(demo.api_key, demo.project_id)

        def told():
            rows = other.get("webhook_deliveries?status=delivered")["data"]
            return [one for one in rows if one["header_id"] == first.headers["webhook-id"]]

        [row] = until(told, "the delivery is there")
        receiver.answer = lambda delivery: Answer(503)
        other.post(f"webhook_deliveries/{row['id']}/replay")
        until(lambda: len(posts(receiver, first)) > 1, "it is posted again")
        second.program.kill()
        receiver.answer = lambda delivery: Answer(200)
        refused = len(posts(receiver, first))
        until(lambda: len(posts(receiver, first)) > refused, "the other posts it", 90)
        assert {post.body for post in posts(receiver, first)} == {first.body}
    finally:
        second.program.kill()
        demo.program.kill()


def posts(receiver, first):
    """Returns each time that a webhook was posted."""
    return [one for one in receiver.all() if one.headers["webhook-id"] == first.headers["webhook-id"]]


def test_campaigns_that_a_killed_hub_was_sending_go_out_once_by_the_other(tmp_path):
    demo = Demo(tmp_path)
    second = Serve(tmp_path / "demo").start()
    try:
        made = test_campaign_kills.prepare(demo.rest, demo.facts["test_phone_id"])
        other = second.rest(demo.api_key, demo.project_id)
        until(lambda: test_campaign_kills.begun(other), "the first goes out", 30)
        demo.program.kill()
        test_campaign_kills.judge(other, made)
    finally:
        second.program.kill()
        demo.program.kill()
