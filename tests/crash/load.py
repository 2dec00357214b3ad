"""The senders: thousands of messages, each repeated with its key until the hub has answered."""

import itertools
import random
import threading
import time

import requests

from crash.check import Accepted
from support.wait import until

SENDERS = 6
# Requests without a key, which are never repeated: so a hub that does one twice sends it twice.
KEYLESS = 0.2


class Load:
    """Threads that send without pause until they are told to stop, and then finish their last request.

    `many` is the share of requests that are a `send_multi` of at most `most` messages.
    """

    def __init__(self, world, seed, rate_per_s, many=0.1, most=20):
        self.world = world
        self._many, self._most = many, most
        self.accepted = []
        self.unanswered = []
        self.server_errors = []
        self.answered_otherwise = []  # accepted ones whose repeat was given another id
        self.repeats = 0
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._gap_s = SENDERS * (1 - many + many * (2 + most) / 2) / rate_per_s
        self._threads = [
            threading.Thread(target=self._send_all, args=(random.Random(f"{seed}/{index}"),), daemon=True)
            for index in range(SENDERS)
        ]
        for thread in self._threads:
            thread.start()

    def goes_on(self, count=1):
        """Waits until so many more messages are accepted."""
        enough = len(self.accepted) + count
        until(lambda: len(self.accepted) >= enough, f"{count} more messages are accepted", 60)

    def stop(self):
        """Ends the load; by then every message that was begun is answered."""
        self._stop.set()
        for thread in self._threads:
            thread.join(120)
            if thread.is_alive():
                self.unanswered.append(thread.name)

    def _send_all(self, dice):
        rest = self.world.rest()
        while not self._stop.is_set():
            if dice.random() < self._many:
                self._send_many(rest, dice)
            else:
                self._send_one(rest, dice)
            self._stop.wait(dice.expovariate(1 / self._gap_s))

    def _body(self, dice):
        with self._lock:
            number = next(self._numbers)
        content = f"message {number}"
        if dice.random() < 0.03:
            content += " and so on" * 20
        return {"content": content, "to_number": f"+1500555{1000 + number % 500:04d}"}

    def _common(self, dice):
        common = {"status_url": self.world.hooks_url}
        if dice.random() < 0.9:
            common["route_id"] = dice.choices(self.world.routes, self.world.weights)[0]
        if dice.random() < 0.15:
            common["on_unknown"] = "resend"
        return common

    def _send_one(self, rest, dice):
        body = {**self._body(dice), **self._common(dice)}
        has_key = dice.random() >= KEYLESS
        ask = self._until_answered if has_key else self._once_answered
        answer = ask(rest, "messages/send", body, body["content"])
        if answer is None:
            return
        accepted = self._accepted(answer, body, body)
        with self._lock:
            self.accepted.append(accepted)
        if dice.random() < 0.05:
            accepted.cancel_asked = True
            self._attempt(rest, f"messages/{accepted.id}/cancel", {}, {})
        if has_key and dice.random() < 0.05:
            again = self._until_answered(rest, "messages/send", body, body["content"])
            if again is not None and again["id"] != accepted.id:
                with self._lock:
                    self.answered_otherwise.append(accepted)

    def _send_many(self, rest, dice):
        common = self._common(dice)
        messages = [self._body(dice) for _ in range(dice.randint(2, self._most))]
        ask = self._until_answered if dice.random() >= KEYLESS else self._once_answered
        answer = ask(rest, "send_multi", {"messages": messages, **common}, messages[0]["content"])
        if answer is None:
            return
        with self._lock:
            self.accepted += [self._accepted(made, asked, common) for asked, made in zip(messages, answer["messages"])]

    def _accepted(self, made, asked, common):
        on_unknown, route_id = common.get("on_unknown", "fail"), common.get("route_id", "")
        return Accepted(made["id"], asked["content"], on_unknown, at=time.monotonic(), route_id=route_id)

    def _once_answered(self, rest, path, body, _key):
        """Sends without a key: what is not answered may be sent once or never, and is not sent again."""
        response = self._attempt(rest, path, body, {})
        return response.json() if response is not None and response.status_code == 200 else None

    def _until_answered(self, rest, path, body, key):
        headers = {"Idempotency-Key": key}
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            response = self._attempt(rest, path, body, headers)
            if response is not None and response.status_code == 200:
                return response.json()
            if response is not None and response.status_code not in (429, 503):
                with self._lock:
                    self.server_errors.append(f"{path}: {response.status_code} {response.text[:200]}")
                return None
            with self._lock:
                self.repeats += 1
            time.sleep(0.05)
        with self._lock:
            self.unanswered.append(key)
        return None

    def _attempt(self, rest, path, body, headers):
        try:
            response = rest.call("POST", path, json=body, headers=headers, timeout=15)
        except requests.RequestException:
            return None
        if response.status_code in (500, 502):
            with self._lock:
                self.server_errors.append(f"{path}: {response.status_code} {response.text[:200]}")
            return None
        return response
