"""Short links: followed, counted once, at a domain of their own, and after kills."""

import threading

import pytest
import requests

from support.hub import Admin, Demo
from support.numbers import fresh_number
from support.wait import until

PAGE = "https://a.example/page?x=1"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def follow(demo, url, method="GET", **headers):
    """Asks for a short link as a browser does, which is at the hub whatever its domain."""
    code = url.rsplit("/", 1)[1]
    host, port = demo.address
    place = f"/{code}" if "host" in headers else f"/s/{code}"
    given = {"user-agent": "Mozilla/5.0 (Linux; Android 14) Gecko/20100101 Firefox/127.0", **headers}
    return requests.request(method, f"http://{host}:{port}{place}", headers=given, allow_redirects=False, timeout=10)


def tracked(demo, **more):
    """Sends a text whose link is counted; returns the message and its short URL."""
    sent = demo.rest.send(fresh_number(), f"Read {PAGE}", track_clicks=True, **more)
    [link] = sent["short_urls"]
    assert (link["link_type"], link["destination_url"]) == ("redirect", PAGE)
    assert link["short_url"] in sent["content"] and PAGE not in sent["content"]
    return sent, link["short_url"]


def clicked(demo, sent):
    """Returns when a link of a message was first clicked."""
    return demo.rest.get(f"messages/{sent['id']}").get("time_clicked")


def test_a_click_leads_on_and_is_told_once(demo, receiver):
    sent, url = tracked(demo, status_url=receiver.url(), status_secret="topsecret")
    receiver.wait(id=sent["id"], status="delivered")
    told = len(receiver.all(id=sent["id"]))
    for robot in (
        follow(demo, url, "HEAD"),
        follow(demo, url, **{"user-agent": "WhatsApp/2.23.20.0"}),
        follow(demo, url, **{"sec-purpose": "prefetch"}),
    ):
        assert (robot.status_code, robot.headers["location"]) == (302, PAGE)
    assert clicked(demo, sent) is None
    answers = [follow(demo, url) for _ in range(3)]
    assert {(one.status_code, one.headers["location"], one.headers["cache-control"]) for one in answers} == {
        (302, PAGE, "no-store")
    }
    first = clicked(demo, sent)
    assert first is not None
    [event] = receiver.wait(id=sent["id"], time_clicked=str(first))
    assert (event.form["event"], event.form["status"]) == ("send_status", "delivered")
    assert len(receiver.all(id=sent["id"])) == told + 1


def test_a_broadcast_counts_each_message_once(demo):
    numbers = [fresh_number() for _ in range(3)]
    body = {"to_numbers": numbers, "content": f"{PAGE} or http://b.example", "track_clicks": True}
    broadcast = demo.rest.post("send_broadcast", body)
    assert broadcast["clicked_count"] == 0
    place = f"broadcasts/{broadcast['id']}"
    until(lambda: demo.rest.get(place)["message_count"] == 3, "all are made")
    messages = demo.rest.get("messages", broadcast_id=broadcast["id"])["data"]
    links = [[link["short_url"] for link in message["short_urls"]] for message in messages]
    assert len({url for urls in links for url in urls}) == 6
    for url in (*links[0], links[1][0]):
        follow(demo, url)
    assert demo.rest.get(place)["clicked_count"] == 2


def test_links_that_end_go_or_never_were(demo):
    sent, url = tracked(demo, short_link_params={"expiration_sec": 1})
    until(lambda: follow(demo, url).status_code == 410, "the link ends")
    demo.rest.wait_status(sent["id"], "delivered")
    _, other = tracked(demo)
    gone, url = tracked(demo)
    demo.rest.wait_status(gone["id"], "delivered")
    demo.rest.call("DELETE", f"messages/{gone['id']}")
    assert follow(demo, url).status_code == 404
    assert follow(demo, other).status_code == 302


def test_a_person_whose_link_leads_nowhere_gets_a_page_and_a_program_json(demo):
    _, ended = tracked(demo, short_link_params={"expiration_sec": 1})
    until(lambda: follow(demo, ended).status_code == 410, "the link ends")
    for url, status, english, french in (
        (ended, 410, "This link has expired", "Ce lien a expiré"),
        ("https://hub.example/s/00000000000", 404, "This link does not work", "Ce lien ne fonctionne pas"),
    ):
        for language, title in (("de,en;q=0.5", english), ("fr-CA,fr;q=0.9,en;q=0.8", french)):
            page = follow(demo, url, **{"accept": BROWSER, "accept-language": language})
            assert (page.status_code, page.headers["cache-control"]) == (status, "no-store")
            assert page.headers["content-type"] == "text/html; charset=utf-8"
            assert page.headers["content-security-policy"].startswith("default-src 'none'; style-src")
            assert f"<h1>{title}</h1>" in page.content.decode() and "<script" not in page.text
        for accept in ("*/*", "application/json", "application/json, text/html;q=0.5"):
            told = follow(demo, url, accept=accept)
            assert (told.status_code, told.headers["content-type"]) == (status, "application/json")
            assert told.json()["error"]["code"] == ("gone" if status == 410 else "not_found")


def test_a_short_domain_has_links_and_nothing_else(tmp_path):
    demo = Demo(tmp_path)
    admin = Admin(tmp_path / "demo")
    admin("short-domain", "add", "go.example", "--project", demo.project_id)
    sent, url = tracked(demo, short_link_params={"domain": "go.example"})
    assert url.startswith("https://go.example/")
    assert follow(demo, url).status_code == 404, "the hub's own address has none of it"
    assert follow(demo, url, host="go.example").headers["location"] == PAGE
    assert clicked(demo, sent) is not None
    base = demo.base_url.removesuffix("/v1")
    for path in ("/v1/projects", "/healthz", "/docs", f"/s/{url.rsplit('/', 1)[1]}"):
        there = requests.get(base + path, headers={"host": "go.example"}, timeout=10)
        assert there.status_code == 404, path
    for number in range(60):
        answer = requests.get(f"{base}/s/{number:011}", timeout=10)
        if answer.status_code == 429:
            break
    page = requests.get(f"{base}/s/{0:011}", headers={"accept": BROWSER}, timeout=10)
    assert (page.status_code, int(page.headers["retry-after"]) > 0) == (429, True)
    assert "<h1>Too many attempts</h1>" in page.text
    assert answer.status_code == 429 and number <= 50 and int(answer.headers["retry-after"]) > 0
    demo.program.kill()


@pytest.mark.parametrize("round_", range(2))
def test_who_was_led_on_by_a_hub_that_is_killed_has_clicked(tmp_path, round_):
    demo = Demo(tmp_path)
    sent = [tracked(demo) for _ in range(30)]
    led_on, begun = [], threading.Event()

    def click():
        for message, url in sent:
            try:
                if follow(demo, url).status_code == 302:
                    led_on.append(message)
            except requests.RequestException:
                return
            if len(led_on) == 5 + 10 * round_:
                begun.set()

    clicking = threading.Thread(target=click)
    clicking.start()
    assert begun.wait(30)
    demo.program.kill()
    clicking.join()
    demo = Demo(tmp_path)
    assert all(clicked(demo, message) is not None for message in led_on)
    demo.program.kill()
