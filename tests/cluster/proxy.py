"""A TCP proxy that does to connections what networks do: it balances, delays, stalls and cuts, and loses answers.

A program of its own, so that its work is not the test's; `proxied.py` starts it and gives it orders.
"""

import asyncio
import json
import sys
from collections import Counter

AT_ONCE = 65536
UP, DOWN = "up", "down"
# What PostgreSQL tells of a COMMIT that was done: kind, length, tag.
COMMITTED = b"C" + (4 + len(b"COMMIT\0")).to_bytes(4, "big") + b"COMMIT\0"
# What a client asks for a COMMIT with: kind, length, statement.
COMMIT = b"Q" + COMMITTED[1:]
# Answers of one byte to a client that asks for encryption first.
NO_ENCRYPTION = ord("N")
HEAD = 5


class Answers:
    """Follows what a PostgreSQL server says on one connection without TLS."""

    def __init__(self):
        self._waiting = bytearray()
        self._begun = False

    def tell_of_commit(self, data):
        """Says whether these bytes complete the answer to a COMMIT that was done, however they arrive."""
        self._waiting += data
        at, found = 0, False
        while len(self._waiting) - at >= HEAD:
            if not self._begun and self._waiting[at] == NO_ENCRYPTION:
                at += 1
                continue
            self._begun = True
            end = at + 1 + int.from_bytes(self._waiting[at + 1 : at + HEAD], "big")
            if end > len(self._waiting):
                break
            found = found or self._waiting[at:end] == COMMITTED
            at = end
        del self._waiting[:at]
        return found


class Link:
    """One connection of a client, with its connection to a target."""

    def __init__(self, proxy, client, server):
        self._proxy = proxy
        self._client, self._server = client, server
        self.port = server[1].get_extra_info("peername")[1]
        self._answers = Answers()

    async def run(self):
        """Passes on bytes in both directions until both have ended, or the link is cut."""
        (from_client, to_client), (from_server, to_server) = self._client, self._server
        await asyncio.gather(self._pass_on(from_client, to_server, UP), self._pass_on(from_server, to_client, DOWN))
        to_client.close()
        to_server.close()

    async def _pass_on(self, reader, writer, way):
        try:
            while data := await reader.read(AT_ONCE):
                if self._proxy.delay_s:
                    self._proxy.told["delayed"] += len(data)
                    await asyncio.sleep(self._proxy.delay_s)
                if not self._proxy.flows[way].is_set():
                    self._proxy.told["held"] += len(data)
                    await self._proxy.flows[way].wait()
                if self._proxy.loses(way, self._answers, data):
                    self.cut()
                    return
                writer.write(data)
                await writer.drain()
                self._proxy.told[way] += len(data)
            writer.write_eof()
        except (OSError, RuntimeError):
            self.cut()

    def cut(self):
        """Breaks both connections off, without what is still on its way."""
        for _, writer in (self._client, self._server):
            writer.transport.abort()


class Proxy:
    """Listens on a port of loopback, and does as it is told."""

    def __init__(self, targets, is_postgres):
        self.targets = targets
        self.is_postgres = is_postgres
        self.turn = 0
        self.links = set()
        self.flows = {UP: asyncio.Event(), DOWN: asyncio.Event()}
        for flow in self.flows.values():
            flow.set()
        self.delay_s = 0.0
        self.refuses = False
        self.to_lose = {"swallowed": 0, "withheld": 0}
        self.told = dict.fromkeys(("accepted", "cut", "swallowed", "withheld", "held", "delayed", UP, DOWN), 0)

    async def accept(self, reader, writer):
        """Takes a client and connects it with the next target that answers."""
        server = None if self.refuses else await self._next_target()
        if server is None:
            writer.transport.abort()
            return
        link = Link(self, (reader, writer), server)
        self.told["accepted"] += 1
        self.links.add(link)
        try:
            await link.run()
        finally:
            self.links.discard(link)

    async def _next_target(self):
        for _ in self.targets:
            host, port = self.targets[self.turn % len(self.targets)]
            self.turn += 1
            try:
                return await asyncio.open_connection(host, port)
            except OSError:
                continue
        return None

    def loses(self, way, answers, data):
        """Says whether these bytes are to be lost with their connection."""
        if not self.is_postgres:
            return False
        what = "swallowed" if way == DOWN else "withheld"
        if not (answers.tell_of_commit(data) if way == DOWN else COMMIT in data) or not self.to_lose[what]:
            return False
        self.to_lose[what] -= 1
        self.told[what] += 1
        return True

    def do(self, order):
        """Does what a line asks for, and returns what has happened so far."""
        self.targets = order.get("targets", self.targets)
        self.delay_s = order.get("delay_s", self.delay_s)
        self.refuses = order.get("refuse", self.refuses)
        self.to_lose["swallowed"] += order.get("swallow", 0)
        self.to_lose["withheld"] += order.get("withhold", 0)
        for way in order.get("stall", ()):
            self.flows[way].clear()
        for way in order.get("flow", ()):
            self.flows[way].set()
        if order.get("cut"):
            self.told["cut"] += len(self.links)
            for link in list(self.links):
                link.cut()
        return {**self.told, "open": len(self.links), "to": Counter(link.port for link in self.links)}


async def main():
    settings = json.loads(sys.argv[1])
    proxy = Proxy(settings["targets"], settings["postgres"])
    listener = await asyncio.start_server(proxy.accept, "127.0.0.1", 0)
    print(listener.sockets[0].getsockname()[1], flush=True)
    orders = asyncio.StreamReader()
    reading = asyncio.StreamReaderProtocol(orders)
    await asyncio.get_running_loop().connect_read_pipe(lambda: reading, sys.stdin)
    while line := await orders.readline():
        print(json.dumps(proxy.do(json.loads(line))), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
