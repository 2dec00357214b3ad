"""Programs that send without a pause, and repeat each request with its key until it is accepted."""

import itertools
import threading
import time

import requests

from support.numbers import fresh_number

PAUSE_S = 0.1
_names = itertools.count(1)


class Load:
    """So many senders, each with one request at a time. Only a 503, or no answer, is repeated."""

    def __init__(self, rest, route_id, senders=4):
        self.accepted = {}
        self.refused = 0
        self.wrong = []
        self._rest = rest
        self._route_id = route_id
        self._ending = threading.Event()
        names = [next(_names) for _ in range(senders)]
        self._threads = [threading.Thread(target=self._go_on, args=(name,), daemon=True) for name in names]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error):
        self._ending.set()
        for thread in self._threads:
            thread.join()
        assert not self.wrong, self.wrong

    def _go_on(self, name):
        for number in itertools.count(1):
            if self._ending.is_set() or self.wrong:
                return
            self._send(f"{name} {number}", fresh_number())

    def _send(self, content, to_number):
        body = {"content": content, "to_number": to_number, "route_id": self._route_id}
        while True:
            try:
                answer = self._rest.call("POST", "messages/send", json=body, headers={"Idempotency-Key": content})
            except requests.RequestException:
                answer = None
            if answer is not None and answer.status_code == 200:
                self.accepted[content] = answer.json()["id"]
                return
            if answer is not None and answer.status_code != 503:
                self.wrong.append(f"{answer.status_code}: {answer.text[:300]}")
                return
            self.refused += 1
            time.sleep(PAUSE_S)
