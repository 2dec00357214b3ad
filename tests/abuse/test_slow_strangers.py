"""Slow strangers, all at once: each has its deadline, and a phone and a client do not wait.

(A separate file, because it waits for the longest of these deadlines, 15 s.)
"""

import json
import threading

import pytest
from support.link import SUB_PROTOCOL, LinkPhone
from support.numbers import fresh_number
from support.raw import Wire, request
from support.rest import success
from websockets.frames import Frame, Opcode

PATIENCE_S = 60.0
COUNT = 10

UPGRADE = [
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    f"Sec-WebSocket-Protocol: {SUB_PROTOCOL}",
]


def text(frame):
    return Frame(Opcode.TEXT, json.dumps(frame).encode()).serialize(mask=True)


class Slow:
    """Connections that each write something first and then one drop a second."""

    def __init__(self, address, first, drop):
        self.drop = drop
        self.wires = [Wire(address, PATIENCE_S) for _ in range(COUNT)]
        for wire in self.wires:
            wire.send(first)

    def drip(self):
        for wire in self.wires:
            wire.send(self.drop)

    def said(self, wire):
        """Returns everything that the hub wrote until it closed."""
        said = b""
        try:
            while piece := wire.socket.recv(65536):
                said += piece
        except ConnectionResetError:
            pass
        return said


@pytest.fixture
def slow(hub):
    """One group for each way of being slow."""
    link = request("GET", "/link", None, UPGRADE, length=False)
    ping = {"t": "ping", "n": 1, "mono": 1, "next_s": 240}
    groups = {
        "head": (b"GET /v1/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Pad: ", b"x"),
        "silent link": (link, b""),
        "link that pings": (link, text(ping)),
        "link that says nothing new": (link, text({"t": "from a later version"})),
        "link with half a hello": (link + text({"t": "hello", "pad": "x" * 1000})[:-300], b"x"),
    }
    made = {name: Slow(hub.server.address, *words) for name, words in groups.items()}
    yield made
    for group in made.values():
        for wire in group.wires:
            wire.close()


def test_each_has_its_deadline_and_nobody_else_waits(hub, pair, slow):
    stop = threading.Event()

    def drip():
        while not stop.wait(1):
            for group in slow.values():
                group.drip()

    dripping = threading.Thread(target=drip, daemon=True)
    dripping.start()
    try:
        success(hub.first.call("GET", "/projects"))
        phone: LinkPhone = pair("first", fresh_number())
        link = phone.connect()
        link.fact("health", battery=77, charging=True, network="wifi", sims=[{"slot": 0}])
        link.wait_acked()
        for name, group in slow.items():
            for wire in group.wires:
                said = group.said(wire)
                assert b"pong" not in said and b"welcome" not in said, name
                if name != "head":
                    assert said.startswith(b"HTTP/1.1 101"), (name, said[:100])
        link.fact("health", battery=78, charging=True, network="wifi", sims=[{"slot": 0}])
        link.wait_acked()
        link.close()
    finally:
        stop.set()
        dripping.join()


def test_a_ping_of_the_websocket_is_not_answered_before_a_hello(hub):
    link = request("GET", "/link", None, UPGRADE, length=False)
    ping = Frame(Opcode.PING, b"who is there").serialize(mask=True)
    slow = Slow(hub.server.address, link + ping, b"")
    for wire in slow.wires:
        assert b"who is there" not in slow.said(wire)
        wire.close()
