"""What a run of faults consists of: served hubs, phones and a receiver, all of them programs that may be killed."""

from support.hub import Admin, Serve
from support.phones import VirtualPhone
from support.receiver import Answer, Receiver
from support.rest import Rest
from support.wait import until

ALL_PERMISSIONS = [
    "view_messages", "send_messages", "delete_messages", "view_routes", "edit_routes", "view_contacts",
]  # fmt: skip
WEBHOOKS_HERE = ("--webhook-allow", "127.0.0.0/8")


class World:
    """One project, its hubs and its phones; `close` ends everything."""

    def __init__(self, folder, dice):
        self.folder = folder
        self.dice = dice
        self.admin = Admin(folder / "hub")
        organization = self.admin.organization("Crash")
        self.project = self.admin.project(organization, "Crash")
        self.key = self.admin.key(self.project, ALL_PERMISSIONS)
        self.receiver = Receiver()
        self.receiver.answer = self._answer
        self.hooks_url = self.receiver.url()
        self.refused_posts = {}
        self.servers = []
        self.phones = []
        self.routes = []
        self.weights = []
        self.restores = []
        self.panics = []
        self.ended = []
        self.typed = 0

    @property
    def root(self):
        """Where programs and phones find a hub."""
        return f"http://127.0.0.1:{self.servers[0].port}"

    def rest(self):
        """Returns a caller of the API."""
        return Rest(f"{self.root}/v1", self.key, self.project)

    def serve(self, arguments=(), env=None):
        """Starts one more hub."""
        server = Serve(self.admin.folder, arguments=[*WEBHOOKS_HERE, *arguments], env=env)
        self.servers.append(server)
        return server.start()

    def join(self, profile, weight, arguments=()):
        """Starts one more phone, which gets this share of the messages, and waits until it has a route."""
        index = len(self.phones)
        code = self.admin.pair("--project", self.project, "--yes")
        number = f"+150055598{index:02d}"
        arguments = ["--radio", profile, "--number", number, "--seed", str(index), *arguments]
        phone = VirtualPhone(self.folder / f"phone{index}", self.root, code, self.folder / f"radio{index}.jsonl", arguments)
        self.phones.append(phone.start())
        until(lambda: set(self._active()) - set(self.routes), f"phone {index} has joined", 30)
        phone.route_id = (set(self._active()) - set(self.routes)).pop()
        self.routes.append(phone.route_id)
        self.weights.append(weight)

    def _active(self):
        return [p["id"] for p in self.rest().get("phones")["data"] if p["last_active_time"]]

    def _answer(self, delivery):
        """Refuses the first delivery of a few messages, so that retries happen."""
        message_id = delivery.form.get("id", "")
        if message_id.endswith("7") and message_id not in self.refused_posts:
            self.refused_posts[message_id] = delivery
            return Answer(500)
        return Answer(200)

    def kill(self, one):
        """Kills a hub or a phone."""
        self._note_end(one.program)
        one.program.kill()
        self.note_panics(one.program)

    def note_panics(self, program):
        """Keeps what a program that ended said of panics."""
        self.panics += [line for line in program.err_lines if "panicked" in line]

    def _note_end(self, program):
        if not program.alive():
            self.ended.append(f"{program.name} ended with {program.process.returncode}: {program.words()[-300:]}")

    def type_incoming(self):
        """Lets each phone receive a few messages; one may be lost with a phone killed before its journal has it."""
        for phone in self.phones:
            for _ in range(self.dice.randrange(4)):
                self.typed += 1
                line = f"+15005559{self.dice.randrange(1000):03d} incoming {self.typed}"
                if phone.program.alive():
                    phone.program.type(line)

    def radio(self):
        """Returns the lines of all radio logs."""
        return [line for phone in self.phones for line in phone.radio()]

    def messages(self):
        """Returns every message of the project by id."""
        return {message["id"]: message for message in self._all("messages")}

    def contacts(self):
        """Returns every contact of the project."""
        return list(self._all("contacts"))

    def _all(self, path):
        rest, marker = self.rest(), None
        while True:
            page = rest.get(path, page_size=500, **({"marker": marker} if marker else {}))
            yield from page["data"]
            marker = page["next_marker"]
            if not page["truncated"]:
                return

    def note_ends(self):
        """Notes which programs have ended although nothing killed them."""
        for one in [*self.servers, *self.phones]:
            self._note_end(one.program)

    def close(self):
        """Ends everything."""
        for one in [*self.phones, *self.servers]:
            one.program.kill()
            self.note_panics(one.program)
        self.admin.close()
        self.receiver.close()
