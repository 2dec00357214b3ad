"""Slow clients do not delay others, and are disconnected. (A separate file, because it waits for a minute.)"""

import threading

from support.raw import Wire, request
from support.rest import success

JSON = "Content-Type: application/json"


def test_a_slow_body_holds_up_nobody_else_and_is_ended(demo):
    path = f"/v1/projects/{demo.project_id}/messages/send"
    head = request("POST", path, demo.api_key, [JSON, "Content-Length: 1000"], length=False)
    slow = [Wire(demo.address, patience_s=90) for _ in range(20)]
    try:
        for wire in slow:
            wire.send(head + b'{"content":"')
        for _ in range(20):
            success(demo.rest.call("GET", "/projects"))
        stop = threading.Event()

        def drip():
            while not stop.wait(1):
                slow[0].send(b"x")

        dripping = threading.Thread(target=drip, daemon=True)
        dripping.start()
        try:
            for wire in slow[:2]:
                answer = wire.answer()
                assert answer is None or (answer.status == 408 and answer.json()["error"]["code"])
        finally:
            stop.set()
            dripping.join()
    finally:
        for wire in slow:
            wire.close()
