"""Programs that send without a pause, and repeat each request with its key until it is accepted."""

import threading
import time

import requests

from support.numbers import fresh_number

PAUSE_S = 0.1


class Load:
    """So many senders, each with one request at a time."""

    def __init__(self, rest, route_id, senders=4):
        self.accepted = {}
        self.refused = 0
        self._rest = rest
        self._route_id = route_id
        self._ending = threading.Event()
        self._threads = [threading.Thread(target=self._go_on, args=(name,), daemon=True) for name in range(senders)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error):
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def _go_on(self, name):
        number = 0
        while not self._ending.is_set():
            number += 1
            content = f"{name} {number}"
            self.accepted[content] = self._send(content, fresh_number())

    def _send(self, content, to_number):
        body = {"content": content, "to_number": to_number, "route_id": self._route_id}
        while True:
            try:
                answer = self._rest.call("POST", "messages/send", json=body, headers={"Idempotency-Key": content})
                if answer.status_code == 200:
                    return answer.json()["id"]
            except requests.RequestException:
                pass
            self.refused += 1
            time.sleep(PAUSE_S)
