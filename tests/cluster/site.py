"""Three hubs on a primary and a synchronous standby, with NATS and phones; each link passes through a proxy of ours."""

import contextlib
import re

import requests

from cluster.check import Post
from cluster.proxied import Proxied
from crash.world import World
from support import databases
from support.rest import Rest
from support.servers.nats import Nats
from support.servers.postgres import USER, Postgres
from support.wait import until

HUBS = 3
TAKEN_OVER = "another one has taken its place"
# What a database server logs if transactions of hubs are in each other's way.
CONFLICTS = ("deadlock detected", "could not serialize access")


class Site(World):
    """A world of several hubs. `primary` and `standby` are the database servers as they stand now."""

    def __init__(self, folder, dice):
        self._parts = contextlib.ExitStack()
        self.primary = self._keep(Postgres()).create().start()
        self.replication = self._proxied(self.primary.port)
        self.standby = self._follow()
        self.primary.ask("CREATE DATABASE hub")
        self.sides = [self.primary, self.standby]
        self.databases = [[self._proxied(side.port, postgres=True) for side in self.sides] for _ in range(HUBS)]
        self.nats = self._keep(Nats()).start()
        self.hints = [self._proxied(self.nats.port) for _ in range(HUBS)]
        databases.use(folder / "hub", self._url(0))
        super().__init__(folder, dice)
        self.hooks = self._proxied(self.receiver.port)
        self.hooks_url = f"http://127.0.0.1:{self.hooks.port}/hook"
        self.front = self._proxied()
        for number in range(HUBS):
            self.serve(["--public-url", self.root], env=self._servers_of(number))
        self.balance()
        self.paused = set()
        self._conflicts = []
        self._read = {}
        self._logs = []

    def _keep(self, part):
        return self._parts.enter_context(contextlib.closing(part))

    def _proxied(self, *ports, **more):
        return self._keep(Proxied(*ports, **more))

    def _follow(self):
        standby = self._keep(self.primary.standby(through=self.replication.port)).start()
        self.primary.wait_for_standby()
        return standby

    def _url(self, number):
        hosts = ",".join(f"127.0.0.1:{door.port}" for door in self.databases[number])
        return f"postgres://{USER}:{self.primary.password}@{hosts}/hub"

    def _servers_of(self, number):
        nats = f"nats://postrider@127.0.0.1:{self.hints[number].port}"
        return {
            "ROUTE_HUB_DATABASE": self._url(number),
            "ROUTE_HUB_FILES": str(self.folder / "files"),
            "ROUTE_HUB_FILES_SHARED": "true",
            "ROUTE_HUB_NATS": nats,
            "ROUTE_HUB_NATS_PASSWORD": self.nats.password,
        }

    @property
    def root(self):
        return f"http://127.0.0.1:{self.front.port}"

    def rest(self):
        """Returns a caller whose every request goes to the next hub."""
        rest = super().rest()
        rest.session.headers["Connection"] = "close"
        return rest

    def balance(self, without=None):
        """Leads new clients to the hubs in turn, but for one."""
        self.front.lead_to(*(server.port for server in self.servers if server is not without))

    def links_to_primary(self):
        """Returns the proxies between the hubs and the primary."""
        side = self.sides.index(self.primary)
        return [doors[side] for doors in self.databases]

    def promote(self):
        """Makes the standby the primary; there is no standby until `follow_anew`."""
        self.standby.promote()
        self.primary, self.standby = self.standby, None

    def follow_anew(self):
        """Ends the server that was the primary, and puts a synchronous standby in its place."""
        side = 1 - self.sides.index(self.primary)
        self._conflicts += conflicts_of(self.sides[side])
        self.sides[side].close()
        self.replication.lead_to(self.primary.port)
        self.replication.refuse(False)
        self.standby = self.sides[side] = self._follow()
        for doors in self.databases:
            doors[side].lead_to(self.standby.port)
            doors[side].refuse(False)

    def without_hints(self):
        """Returns the hubs that the hints of others do not reach, as they say themselves."""
        return [server for server in self.servers if not hears_hints(server)]

    def takeovers(self, without=None):
        """Returns how many processes the hubs, but for one, have taken over."""
        return sum(counter(server, "store_takeovers") for server in self.servers if server is not without)

    def revive(self, server):
        """Starts a hub again that the others took for dead, as whoever runs it would."""
        if not server.program.alive():
            until(lambda: TAKEN_OVER in server.program.words(), "the hub says why it ended")
            self.note_panics(server.program)
            server.start()

    def new_errors(self):
        """Returns what the hubs have logged as errors since the last call."""
        found = []
        for server in self.servers:
            lines = server.program.err_lines[self._read.get(server.program, 0) :]
            self._read[server.program] = len(server.program.err_lines)
            found += [line for line in lines if re.search(r"\bERROR\b", line)]
        return found

    def refused_phones(self):
        """Returns the devices that the hub does not let in any more."""
        return [row for row in self.admin("device", "list") if row["state"] != "active"]

    def posts(self):
        """Returns the webhooks that arrived."""
        return [
            Post(one.form["id"], one.form["status"], one.at, self.refused_posts.get(one.form["id"]) is one)
            for one in self.receiver.all(event="send_status")
        ]

    def conflicts(self):
        """Returns what the database servers logged of transactions in each other's way."""
        return self._conflicts + [line for side in self.sides for line in conflicts_of(side)]

    def note_panics(self, program):
        super().note_panics(program)
        self._logs.append(program)

    def keep_logs(self):
        """Writes what each hub logged into the run's folder."""
        for number, program in enumerate(self._logs):
            (self.folder / f"log{number}.txt").write_text("\n".join([program.name, *program.err_lines]))

    def close(self):
        try:
            super().close()
        finally:
            self._parts.close()


def hears_hints(server):
    """Says whether hints of other hubs reach this one, by what it said last."""
    said = [line for line in server.program.err_lines if "hints of other processes" in line]
    return not said or "arrive again" in said[-1]


def conflicts_of(server):
    """Returns what a database server logged of transactions in each other's way."""
    return [line for line in server.program.err_lines if any(word in line for word in CONFLICTS)]


def counter(server, name):
    """Returns a counter of a hub's metrics; 0 while it does not answer."""
    try:
        told = requests.get(f"{server.operator_url}/metrics", timeout=2).text
    except requests.RequestException:
        return 0
    return sum(int(value) for value in re.findall(rf"^\w*{name}_total (\d+)$", told, re.MULTILINE))
