"""Bad requests over every operation, by seed: refused properly, never a fault of the hub."""

import base64
import json
import os
import socket
import threading

import pytest

from conformance.hostile import Maker, bases
from conformance.tables import LISTS, OPERATIONS
from conformance.world import World

REQUESTS = int(os.environ.get("CONFORMANCE_REQUESTS", "50000"))
SEED = int(os.environ.get("CONFORMANCE_SEED", "1"))
CONNECTIONS = 4
REFUSALS = {400, 401, 402, 404, 405, 413, 414, 415, 422, 429, 431}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A separate hub, because these requests may delete anything."""
    made = World(tmp_path_factory.mktemp("hostile"))
    yield made
    made.close()


class Line:
    """A connection that stays open as long as the hub allows."""

    def __init__(self, address):
        self.address = address
        self.socket = None
        self.rest = b""

    def exchange(self, method, data):
        """Sends a request and returns the status and body of its answer; None when there is none."""
        for attempt in (1, 2):
            fresh = self.socket is None
            if fresh:
                self.socket = socket.create_connection(self.address, timeout=30)
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.rest = b""
            try:
                try:
                    self.socket.sendall(data)
                except (BrokenPipeError, ConnectionResetError):
                    if not fresh:
                        raise
                return self.answer(method)
            except (BrokenPipeError, ConnectionResetError, EOFError):
                self.close()
                if fresh or attempt == 2:
                    return None
        return None

    def answer(self, method):
        """Reads one answer."""
        while b"\r\n\r\n" not in self.rest:
            self.more()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines[1:])}
        length = int(headers.get(b"content-length", 0)) if method != "HEAD" else 0
        while len(self.rest) < length:
            self.more()
        body, self.rest = self.rest[:length], self.rest[length:]
        status = int(lines[0].split(b" ")[1])
        if headers.get(b"connection") == b"close":
            self.close()
        return status, headers, body

    def more(self):
        """Reads what has come."""
        got = self.socket.recv(262_144)
        if not got:
            raise EOFError
        self.rest += got

    def close(self):
        """Closes the connection."""
        if self.socket:
            self.socket.close()
        self.socket = None


def wrong(method, data, answer):
    """Returns what is wrong with an answer; None if nothing is."""
    if answer is None:
        return "no answer"
    status, headers, body = answer
    if status == 200:
        return None if method == "HEAD" or json_of(headers, body) is not None else "a success that is no JSON"
    if status not in REFUSALS:
        return f"status {status}"
    if method == "HEAD" or not body and (status in (400, 431) or status == 414 and data.index(b"\n") > 60_000):
        # The HTTP server itself refuses what is not a request at all.
        return None
    inside = (json_of(headers, body) or {}).get("error")
    if not isinstance(inside, dict) or not inside.get("message") or not inside.get("code"):
        return "not the envelope of an error"
    if inside["code"] == "invalid_param" and "param" not in inside:
        return "no param"
    return None


def json_of(headers, body):
    """Returns the JSON of a body that says it is."""
    if headers.get(b"content-encoding") == b"gzip":
        return {"error": {"message": "packed", "code": "packed"}}
    if not headers.get(b"content-type", b"").startswith(b"application/json"):
        return None
    try:
        return json.loads(body)
    except ValueError:
        return None


def test_bad_input_is_never_a_fault_of_the_hub(world):
    known = bases(world, OPERATIONS * 6)
    markers = markers_of(world)
    key = "Basic " + base64.b64encode(f"{world.key}:".encode()).decode()
    lines_before = len(world.server.program.err_lines)
    found, counts, lock = [], {}, threading.Lock()

    def work(number):
        maker, line = Maker(SEED * 1_000 + number, known, markers, key), Line(world.server.address)
        mine = {}
        for at in range(REQUESTS // CONNECTIONS):
            method, data = maker.request()
            answer = line.exchange(method, data)
            problem = wrong(method, data, answer)
            status = answer[0] if answer else None
            mine[status] = mine.get(status, 0) + 1
            if problem:
                said = f"{problem}: CONFORMANCE_SEED={SEED}, connection {number}, request {at}"
                with lock:
                    found.append(f"{said}\n  {data[:3_000]!r}\n  -> {answer!r}"[:6_000])
                if len(found) > 20:
                    break
        line.close()
        with lock:
            for status, count in mine.items():
                counts[status] = counts.get(status, 0) + count

    def watched(number):
        try:
            work(number)
        except Exception as error:
            found.append(f"connection {number} ended: {error!r}")
            raise

    threads = [threading.Thread(target=watched, args=(number,)) for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"seed {SEED}: {sum(counts.values())} requests, by status {dict(sorted(counts.items(), key=str))}")
    assert not found, f"{len(found)} wrong, the first of them:\n\n" + "\n\n".join(found[:5])
    assert sum(counts.values()) == REQUESTS // CONNECTIONS * CONNECTIONS
    assert counts.get(200, 0) > REQUESTS / 100, "some of it must be good, or nothing deep is reached"
    assert counts.get(400, 0) > REQUESTS / 4
    healthy(world)
    said = [line for line in world.server.program.err_lines[lines_before:] if " ERROR " in line or "panicked" in line]
    assert not said, said[:5]


def markers_of(world):
    """Returns markers of several lists and orders."""
    markers = []
    for operation in LISTS:
        for sort in operation.sorts:
            path = world.path(operation)
            marker = world.caller.read(path, page_size=1, sort=sort)["next_marker"]
            markers += [marker] if marker else []
    assert len(markers) > 5
    return markers


def healthy(world):
    """Checks that the hub still works."""
    assert world.server._ready()
    phone = world.make("phone")["id"]
    body = {"to_number": "+15005550100", "content": "still there", "route_id": phone}
    assert world.caller.write(world.under("work", "messages/send"), body)["status"] == "queued"


@pytest.mark.parametrize("number", range(3))
def test_a_seed_makes_the_same_requests_again(world, number):
    known, markers = bases(world, OPERATIONS[:10]), ["a marker"]
    first, second = (Maker(number, known, markers, "Basic x") for _ in range(2))
    assert [first.request() for _ in range(200)] == [second.request() for _ in range(200)]
