"""A plain caller of the REST API, for what an official client would not send."""

import requests

from support.wait import until

FINAL = {"sent", "delivered", "not_delivered", "failed", "cancelled"}


class Rest:
    """Calls below one project's path, with a session that uses no proxy."""

    def __init__(self, base_url, key, project):
        self.base_url = base_url
        self.key = key
        self.project = project
        self.session = requests.Session()
        self.session.trust_env = False

    def call(self, method, path, **options):
        """Sends one request; a path that begins with / starts at the base URL, any other at the project."""
        url = self.base_url + (path if path.startswith("/") else f"/projects/{self.project}/{path}")
        options.setdefault("auth", (self.key, ""))
        options.setdefault("timeout", 60)
        options.setdefault("allow_redirects", False)
        return self.session.request(method, url.rstrip("/"), **options)

    def get(self, path, **params):
        """Reads, and returns the JSON of a success."""
        return success(self.call("GET", path, params=params))

    def post(self, path, body=None, **headers):
        """Writes a JSON body, and returns the JSON of a success."""
        return success(self.call("POST", path, json=body, headers=headers))

    def send(self, to_number, content="hello", **more):
        """Sends one message and returns it."""
        return self.post("messages/send", {"to_number": to_number, "content": content, **more})

    def message(self, message_id):
        """Reads one message."""
        return self.get(f"messages/{message_id}")

    def wait_status(self, message_id, *statuses, patience_s=20.0):
        """Waits until a message has one of the statuses, and returns it."""

        def reached():
            message = self.message(message_id)
            return message if message["status"] in statuses else None

        return until(reached, f"{message_id} becomes {' or '.join(statuses)}", patience_s)


def success(response):
    """Returns the JSON of a 200, and fails with the answer otherwise."""
    assert response.status_code == 200, f"{response.status_code}: {response.text[:500]}"
    answer = response.json()
    assert "error" not in answer, answer
    return answer


def error(response, status, code=None, param=...):
    """Checks that an answer is the error envelope with this status, and returns what is inside."""
    assert response.status_code == status, f"{response.status_code}: {response.text[:500]}"
    assert response.headers["content-type"].split(";")[0] == "application/json", response.headers
    envelope = response.json()
    assert set(envelope) == {"error"}, envelope
    inside = envelope["error"]
    assert isinstance(inside["message"], str) and inside["message"], inside
    assert isinstance(inside["code"], str) and inside["code"], inside
    if inside["code"] == "invalid_param":
        assert "param" in inside, inside
    if code is not None:
        assert inside["code"] == code, inside
    if param is not ...:
        assert inside.get("param") == param, inside
    return inside
