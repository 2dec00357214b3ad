"""Servers behind our TCP proxy, and the orders that a test gives it."""

import json
import sys
from pathlib import Path

from support.process import Program

PROGRAM = Path(__file__).with_name("proxy.py")
UP, DOWN = "up", "down"
BOTH = (UP, DOWN)


class Proxied:
    """A proxy before servers on loopback ports; with `postgres` it can lose the answers to COMMITs.

    Each order returns what has happened so far: links accepted, cut, open, and open to each port; answers swallowed
    and COMMITs withheld; bytes passed on `UP` and `DOWN`, and those that were delayed or held.
    """

    def __init__(self, *ports, postgres=False):
        settings = {"targets": targets(ports), "postgres": postgres}
        self.program = Program([sys.executable, PROGRAM, json.dumps(settings)], name="proxy")
        self.port = int(self.program.line())

    def close(self):
        """Ends the proxy, and with it each connection."""
        self.program.kill()

    def seen(self):
        """Returns what has happened so far."""
        return self._do()

    def open_to(self, port):
        """Returns how many links to a server's port are open."""
        return self.seen()["to"].get(str(port), 0)

    def lead_to(self, *ports):
        """Connects new clients with these ports in turn; open links stay."""
        return self._do(targets=targets(ports))

    def refuse(self, refuses=True):
        """Breaks off each new client at once, or no longer; open links stay."""
        return self._do(refuse=refuses)

    def cut(self):
        """Breaks off each open link."""
        return self._do(cut=True)

    def stall(self, *ways):
        """Passes on nothing in these directions, and breaks nothing off: `UP` is towards the servers."""
        return self._do(stall=ways or BOTH)

    def flow(self):
        """Passes on everything again, also what was held."""
        return self._do(flow=BOTH)

    def delay(self, seconds):
        """Passes on whatever arrives this much later."""
        return self._do(delay_s=seconds)

    def swallow_commits(self, count):
        """Loses the answers to the next so many COMMITs that were done, and cuts their connections."""
        return self._do(swallow=count)

    def withhold_commits(self, count):
        """Loses the next so many COMMITs on their way to the server, and cuts their connections."""
        return self._do(withhold=count)

    def _do(self, **order):
        self.program.type(json.dumps(order))
        return json.loads(self.program.line())


def targets(ports):
    """Returns the addresses of these ports on loopback."""
    return [["127.0.0.1", port] for port in ports]
