"""Requests on one kept connection, simple and fast."""

import base64
import http.client
import json
from urllib.parse import quote, urlencode

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


class Answer:
    """One answer: status, headers, and its JSON."""

    def __init__(self, response, said):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.text = response.read()
        self.said = said

    @property
    def json(self):
        """The JSON of the body; every answer has one."""
        return json.loads(self.text)

    @property
    def error(self):
        """Returns what an error says."""
        return self.json["error"]

    def __repr__(self):
        return f"{self.said}\n  -> {self.status} {self.text[:400].decode('utf-8', 'replace')}"


class Caller:
    """Calls the API of one hub with one key."""

    def __init__(self, address, key):
        self.address = address
        self.authorization = "Basic " + base64.b64encode(f"{key}:".encode()).decode()
        self.connection = None

    def call(self, method, path, query=None, body=None, kind=JSON, headers=None, authorized=True):
        """Sends one request; a `body` that is not bytes is written as `kind` says."""
        if query:
            path += "?" + urlencode(flattened(query))
        given = dict(headers or {})
        if authorized:
            given.setdefault("Authorization", self.authorization)
        if body is not None and not isinstance(body, bytes):
            written = json.dumps(body) if kind == JSON else urlencode(flattened(body))
            body = written.encode()
        if body is not None:
            given.setdefault("Content-Type", kind)
        said = f"{method} {path} {(body or b'')[:600].decode('utf-8', 'replace')}"
        for attempt in (1, 2):
            fresh = self.connection is None
            if fresh:
                self.connection = http.client.HTTPConnection(*self.address, timeout=60)
            try:
                self.connection.request(method, "/v1" + quote(path, safe="/?&=%+[]:"), body, given)
                return Answer(self.connection.getresponse(), said)
            except (http.client.RemoteDisconnected, ConnectionError):
                self.close()
                if fresh or attempt == 2:
                    raise

    def close(self):
        """Closes the connection."""
        if self.connection:
            self.connection.close()
        self.connection = None

    def read(self, path, **query):
        """Reads, and returns the JSON of a success."""
        return success(self.call("GET", path, query))

    def write(self, path, body=None):
        """Posts JSON, and returns the JSON of a success."""
        return success(self.call("POST", path, body=body))

    def all(self, path, **query):
        """Reads every page of a list, and returns its rows."""
        rows, marker = [], None
        while True:
            page = self.read(path, page_size=500, **query, **({"marker": marker} if marker else {}))
            rows += page["data"]
            marker = page["next_marker"]
            if not page["truncated"]:
                return rows


def success(answer):
    """Returns the JSON of a 200, and fails with the answer otherwise."""
    assert answer.status == 200, repr(answer)
    return answer.json


def flattened(value, name=""):
    """Writes an object as names with brackets, for forms and query strings."""
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, (list, tuple)):
        members = enumerate(value)
    elif value is None:
        return [(name, "")]
    elif isinstance(value, bool):
        return [(name, "1" if value else "0")]
    else:
        return [(name, value)]
    within = (lambda key: f"{name}[{key}]") if name else str
    return [pair for key, member in members for pair in flattened(member, within(key))]
