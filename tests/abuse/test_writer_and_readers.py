"""The writer and the readers are shared: one project's many requests leave another its turn."""

import threading
from concurrent.futures import ThreadPoolExecutor

import requests

from support.rest import error, success

CROWD = 60
IMPORTED = 200
FILTERS_MAX = 100


class Crowd:
    """The same request of one project, many times at once; counts the answers."""

    def __init__(self, rest, ask):
        self.rest = rest
        self.ask = ask
        self.answered = 0
        self.statuses = []
        self.lock = threading.Lock()
        self.first = threading.Event()
        self.pool = ThreadPoolExecutor(CROWD)
        self.running = [self.pool.submit(self.one, number) for number in range(CROWD)]

    def one(self, number):
        """Asks once on its own connection."""
        method, path, options = self.ask(number)
        url = f"{self.rest.base_url}/projects/{self.rest.project}/{path}"
        with requests.Session() as session:
            session.trust_env = False
            response = session.request(method, url, auth=(self.rest.key, ""), timeout=60, **options)
        with self.lock:
            self.answered += 1
            self.statuses.append(response.status_code)
        self.first.set()

    def end(self):
        """Waits for the last answer; a full share may refuse, and nothing else may fail."""
        for one in self.running:
            one.result(timeout=60)
        self.pool.shutdown()
        assert set(self.statuses) <= {200, 503}, self.statuses


def contacts(number, count=IMPORTED):
    """The body of an import, with contacts that no other number makes."""
    first = number * count
    return {
        "contacts": [
            {
                "phone_number": f"+1500555{(first + place) % 10_000:04}",
                "name": f"Name {first + place}",
                "vars": {f"v{variable}": f"{first + place}-{variable}" for variable in range(20)},
            }
            for place in range(count)
        ]
    }


def test_a_send_goes_before_the_imports_of_another_project(hub):
    """Sixty imports wait: a send of another project is answered while most of them still wait."""
    hub.second.send("+15005550199", "before")
    crowd = Crowd(hub.first, lambda number: ("POST", "import_contacts", {"json": contacts(number)}))
    assert crowd.first.wait(60)
    hub.second.send("+15005550199", "beside")
    answered = crowd.answered
    crowd.end()
    assert answered <= CROWD // 2, f"{answered} of {CROWD} imports went first"


def test_a_reading_goes_before_the_lists_of_another_project(hub):
    """Sixty slow lists wait: a list of another project is answered while most of them still wait."""
    for number in range(40):
        hub.first.post("import_contacts", contacts(number))
    hub.second.get("messages")
    slow = {"vars[v1][not_prefix]": "x", "name[not_prefix]": "y", "sort": "name", "count": "1"}
    crowd = Crowd(hub.first, lambda _: ("GET", "contacts", {"params": slow}))
    assert crowd.first.wait(60)
    hub.second.get("messages")
    answered = crowd.answered
    crowd.end()
    assert answered <= CROWD // 2, f"{answered} of {CROWD} lists went first"


def test_a_list_with_too_many_filters_is_refused_by_the_first_of_them(hub):
    """1,100 filters would make a statement that the engine cannot read: the parameter is named, and no 5xx."""
    names = [f"v{number:04}" for number in range(1_100)]
    refused = hub.first.call("GET", "contacts", json={"vars": dict.fromkeys(names, "x")})
    error(refused, 400, "invalid_param", f"vars[{names[FILTERS_MAX]}]")
    success(hub.first.call("GET", "contacts", json={"vars": dict.fromkeys(names[:FILTERS_MAX], "x")}))


def test_a_large_group_that_is_deleted_is_gone_at_once(hub):
    """From the answer on its members are in no group, however many there were."""
    group = hub.first.post("groups", {"name": "Large"})["id"]
    for number in range(10):
        body = contacts(number) | {"group_ids": [group]}
        ids = [contact["id"] for contact in hub.first.post("import_contacts", body)["contacts"]]
    hub.second.send("+15005550199", "before")
    success(hub.first.call("DELETE", f"groups/{group}"))
    assert hub.first.get(f"contacts/{ids[-1]}/groups")["data"] == []
    error(hub.first.call("GET", f"groups/{group}"), 404)
    hub.second.send("+15005550199", "after")
