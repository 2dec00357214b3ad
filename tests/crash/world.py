"""The processes of a crash run: one hub or several on a database, phones, the receiver, and the kills."""

import time

from crash.check import Restore
from support.hub import Admin, Serve
from support.operator import backup, restore
from support.phones import VirtualPhone
from support.receiver import Answer, Receiver
from support.wait import until

ALL_PERMISSIONS = ["view_messages", "send_messages", "delete_messages", "view_routes", "edit_routes"]


class World:
    """Served hubs with virtual phones, all of them processes that may be killed."""

    def __init__(self, folder, profiles, dice, phone_arguments=(), phone_binary=None, hub_fault=None, hubs=1):
        self.dice = dice
        self.folder = folder
        self.restores = []
        self.admin = Admin(folder / "hub")
        organization = self.admin.organization("Crash")
        self.project = self.admin.project(organization, "Crash")
        self.key = self.admin.key(self.project, ALL_PERMISSIONS)
        self.receiver = Receiver()
        self.receiver.answer = self._answer
        self._refused = set()
        arguments = ["--webhook-allow", "127.0.0.0/8"]
        fault = ["--fault", hub_fault[1]] if hub_fault else []
        self.servers = [Serve(self.admin.folder, arguments=[*arguments, *fault]) for _ in range(hubs)]
        for server in self.servers:
            server.binary = hub_fault[0] if hub_fault else None
            server.start()
        self.server = self.servers[0]
        self.rest = self.server.rest(self.key, self.project)
        self.phones = []
        self.panics = []
        self.ended = []
        self.typed = 0
        for index, profile in enumerate(profiles):
            root = f"http://127.0.0.1:{self.servers[index % hubs].port}"
            code = self.admin.pair("--project", self.project, "--yes")
            number = f"+150055598{index:02d}"
            arguments = ["--radio", profile, "--number", number, "--seed", str(index), *phone_arguments]
            phone = VirtualPhone(folder / f"phone{index}", root, code, folder / f"radio{index}.jsonl", arguments)
            phone.binary = phone_binary
            phone.start()
            self.phones.append(phone)
            until(lambda: len(self._active()) == index + 1, f"phone {index} has joined", 30)
        self.routes = self._active()

    def _active(self):
        return [p["id"] for p in self.rest.get("phones")["data"] if p["last_active_time"]]

    def _answer(self, delivery):
        """Refuses the first delivery of a few messages, so that retries happen."""
        message_id = delivery.form.get("id", "")
        if message_id.endswith("7") and message_id not in self._refused:
            self._refused.add(message_id)
            return Answer(500)
        return Answer(200)

    def _note_panics(self, program):
        self.panics += [line for line in program.err_lines if "panicked" in line]

    def _note_end(self, program):
        if not program.alive():
            self.ended.append(f"{program.name} ended with {program.process.returncode}: {program.words()[-300:]}")

    def kill_hub(self, index=0):
        """Kills one hub."""
        program = self.servers[index].program
        self._note_end(program)
        program.kill()
        self._note_panics(program)

    def kill_phone(self, index):
        """Kills one phone."""
        self._note_end(self.phones[index].program)
        self.phones[index].program.kill()
        self._note_panics(self.phones[index].program)

    def start_phone(self, index):
        """Starts a killed phone again on its folder."""
        self.phones[index].start()

    def kill_round(self, number):
        """Waits a random while, kills something, waits again, and restarts it. Returns what was done."""
        dice = self.dice
        self.type_incoming()
        time.sleep(dice.uniform(0.02, 0.9))
        what = dice.choice(["hub", "phone", "both", "hub", "phone"])
        indexes = [dice.randrange(len(self.phones))] if what != "hub" else []
        if what == "both" and dice.random() < 0.5:
            indexes = list(range(len(self.phones)))
        steps = [("hub", dice.randrange(len(self.servers)))] if what != "phone" else []
        steps += [("phone", index) for index in indexes]
        dice.shuffle(steps)
        for kind, index in steps:
            self.kill_hub(index) if kind == "hub" else self.kill_phone(index)
            time.sleep(dice.choice([0, 0, dice.uniform(0, 0.2)]))
        time.sleep(dice.uniform(0, 0.3))
        dice.shuffle(steps)
        for kind, index in steps:
            self.servers[index].start() if kind == "hub" else self.start_phone(index)
        names = " and ".join(f"{kind} {index}" for kind, index in steps)
        print(f"round {number}: killed {names}", flush=True)
        return steps

    def restore_round(self, number):
        """Takes a backup under load, and a while later replaces the hub's data by it."""
        dice = self.dice
        self.type_incoming()
        copy = self.folder / f"backup{number}.db"
        begun = time.monotonic()
        taken = backup(self.admin.folder, copy)
        time.sleep(dice.uniform(0.2, 1.5))
        self.kill_hub()
        killed = [dice.randrange(len(self.phones))] if dice.random() < 0.5 else []
        for index in killed:
            self.kill_phone(index)
        told = restore(self.admin.folder, copy)
        restored = time.monotonic()
        # Everything that the dead hub had sent has arrived by now, because it was answered on this machine.
        time.sleep(0.2)
        self.restores.append(Restore(begun, restored, len(self.receiver.all(event="send_status"))))
        self.server.start()
        for index in killed:
            self.start_phone(index)
        print(
            f"round {number}: backup of {taken['bytes'] // 1000} kB restored, generation {told['generation']}", flush=True
        )
        return [("hub", 0), *(("phone", index) for index in killed)]

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
        found, marker = {}, None
        while True:
            params = {"page_size": 500, **({"marker": marker} if marker else {})}
            page = self.rest.get("messages", **params)
            found.update({m["id"]: m for m in page["data"]})
            marker = page["next_marker"]
            if not page["truncated"]:
                return found

    def note_ends(self):
        """Notes which programs have ended although nothing killed them."""
        for program in [*(server.program for server in self.servers), *(phone.program for phone in self.phones)]:
            self._note_end(program)

    def close(self):
        """Ends everything."""
        for phone in self.phones:
            if phone.program.alive():
                phone.program.kill()
            self._note_panics(phone.program)
        for server in self.servers:
            if server.program.alive():
                server.program.kill()
            self._note_panics(server.program)
        self.admin.close()
        self.receiver.close()
