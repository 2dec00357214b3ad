"""A served hub with virtual phones in their own processes, and the official client to drive it."""

import telerivet

from support.hub import Admin, Serve
from support.phones import VirtualPhone
from support.wait import until

PERMISSIONS = ["view_messages", "send_messages", "delete_messages", "view_routes", "edit_routes", "view_projects"]


class Station:
    """One project on one folder. `close` ends everything that was started."""

    def __init__(self, folder):
        self.folder = folder
        self.admin = Admin(folder / "hub")
        self.project_id = self.admin.project(self.admin.organization(), "Station")
        self.key = self.admin.key(self.project_id, PERMISSIONS)
        self.server = Serve(self.admin.folder, arguments=["--webhook-allow", "127.0.0.0/8"]).start()
        self.rest = self.server.rest(self.key, self.project_id)
        self.project = telerivet.API(self.key, self.server.base_url).initProjectById(self.project_id)
        self.phones = []

    @property
    def root(self):
        """Where phones find the hub."""
        return f"http://127.0.0.1:{self.server.port}"

    def join(self, radio="normal", device=None, sims=1):
        """Pairs a virtual phone with so many SIMs, or replaces `device` by it.

        It has `device_id`, `numbers`, the `routes` of its SIMs by slot, and `route_id`, the first of these.
        """
        target = ["--device", device] if device else ["--project", self.project_id]
        before = {row["id"] for row in self.admin("device", "list")}
        code = self.admin.pair(*target, "--yes")
        numbers = [f"+15005559{700 + 10 * len(self.phones) + slot}" for slot in range(sims)]
        arguments = ["--radio", radio, *(part for number in numbers for part in ("--number", number))]
        phone = VirtualPhone(self.folder / f"phone{len(self.phones)}", self.root, code, arguments=arguments)
        phone.numbers = numbers
        self.phones.append(phone)
        phone.start()
        if device is None:
            phone.device_id = until(lambda: {row["id"] for row in self.admin("device", "list")} - before, "it joins").pop()
        else:
            phone.device_id = device
        phone.routes = until(lambda: self._routes(phone.device_id, sims), "each of its SIMs has a route")
        phone.route_id = phone.routes[0]
        until(lambda: self.is_connected(phone), "it is connected", 30)
        return phone

    def _routes(self, device_id, sims):
        found = {row["sim"]: row["id"] for row in self.admin("phone", "list") if row["device_id"] == device_id}
        return [found[slot] for slot in sorted(found)] if len(found) >= sims else None

    def device(self, phone):
        """Returns the hub's row of a phone's device."""
        return next(row for row in self.admin("device", "list") if row["id"] == phone.device_id)

    def is_connected(self, phone):
        """Returns whether the hub holds a phone's link."""
        row = self.device(phone)
        return row["time_last_seen"] is not None and row["offline_since"] is None

    def send(self, phone, text, to_number, sim=0, **more):
        """Sends one message by a phone, by its first SIM by default, with the official client."""
        return self.project.sendMessage(content=text, to_number=to_number, route_id=phone.routes[sim], **more)

    def set(self, route_id, **settings):
        """Changes the settings of one SIM's Phone with the official client."""
        route = self.project.getPhoneById(route_id)
        for name, value in settings.items():
            setattr(route, name, value)
        route.save()

    def tell(self, receiver):
        """Makes the hub report incoming messages to a receiver."""
        self.admin("project", "set", self.project_id, "--incoming-url", receiver.url("/in"), "--incoming-secret", "in")

    def leave(self, phone):
        """Stops a phone's program in good order and waits until the hub knows."""
        phone.program.stop()
        until(lambda: not self.is_connected(phone), "it has left", 30)

    def handed_over(self):
        """Returns the ids of all messages that any radio got, one for each time."""
        return [line["message_id"] for phone in self.phones for line in phone.radio()]

    def incoming(self):
        """Returns the texts of all incoming messages."""
        found = self.rest.get("messages", direction="incoming", page_size=500)["data"]
        return sorted(message["content"] for message in found)

    def alerts(self, cleared_too=False):
        """Returns the kinds of standing alerts, or of all alerts ever."""
        return [alert["kind"] for alert in self.admin("alerts", *(["--all"] if cleared_too else []))]

    def close(self):
        """Ends everything and returns what panicked."""
        programs = [phone.program for phone in self.phones] + [self.server.program]
        for program in programs:
            program.kill()
        self.admin.close()
        return [line for program in programs for line in program.err_lines if "panicked" in line]
