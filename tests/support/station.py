"""A served hub with virtual phones as processes of their own, and the official client to drive it."""

import telerivet

from support.hub import Admin, Serve
from support.phones import VirtualPhone
from support.wait import until

PERMISSIONS = ["view_messages", "send_messages", "delete_messages", "view_routes", "edit_routes", "view_projects"]


class Station:
    """One project on one folder. What was started is ended by `close`."""

    def __init__(self, folder):
        self.folder = folder
        self.admin = Admin(folder / "hub")
        self.project_id = self.admin.project(self.admin.organization(), "Station")
        self.key = self.admin.key(self.project_id, PERMISSIONS)
        self.server = Serve(self.admin.folder).start()
        self.rest = self.server.rest(self.key, self.project_id)
        self.project = telerivet.API(self.key, self.server.base_url).initProjectById(self.project_id)
        self.phones = []

    @property
    def root(self):
        """Where phones find the hub."""
        return f"http://127.0.0.1:{self.server.port}"

    def join(self, radio="normal", device=None):
        """Pairs a virtual phone, or lets it take the place of `device`; it has `route_id` and `device_id`."""
        target = ["--device", device] if device else ["--project", self.project_id]
        before = {row["id"] for row in self.admin("device", "list")}
        code = self.admin.pair(*target, "--yes")
        number = f"+150055597{len(self.phones):02d}"
        arguments = ["--radio", radio, "--number", number]
        phone = VirtualPhone(self.folder / f"phone{len(self.phones)}", self.root, code, arguments=arguments)
        self.phones.append(phone)
        phone.start()
        if device is None:
            phone.device_id = until(lambda: {row["id"] for row in self.admin("device", "list")} - before, "it joins").pop()
        else:
            phone.device_id = device
        phone.route_id = until(lambda: self._route(phone.device_id), "its SIM has a route")
        until(lambda: self.is_connected(phone), "it is connected", 30)
        return phone

    def _route(self, device_id):
        return next((row["id"] for row in self.admin("phone", "list") if row["device_id"] == device_id), None)

    def device(self, phone):
        """Returns the hub's row of a phone's device."""
        return next(row for row in self.admin("device", "list") if row["id"] == phone.device_id)

    def is_connected(self, phone):
        """Says whether the hub holds a phone's link."""
        row = self.device(phone)
        return row["time_last_seen"] is not None and row["offline_since"] is None

    def send(self, phone, text, to_number, **more):
        """Sends one message by a phone with the official client."""
        return self.project.sendMessage(content=text, to_number=to_number, route_id=phone.route_id, **more)

    def leave(self, phone):
        """Ends a phone's program in good order and waits until the hub knows."""
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
        """Returns the kinds of alerts that stand, or all that ever did."""
        return [alert["kind"] for alert in self.admin("alerts", *(["--all"] if cleared_too else []))]

    def close(self):
        """Ends everything and says what panicked."""
        programs = [phone.program for phone in self.phones] + [self.server.program]
        for program in programs:
            program.kill()
        self.admin.close()
        return [line for program in programs for line in program.err_lines if "panicked" in line]
