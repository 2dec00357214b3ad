"""What the tests work on: a served hub, its projects, and things in them that are made on demand."""

import base64
import itertools
import time

from conformance.caller import Caller, success
from conformance.schema import Name, New, Nobodys, Number, Others, Own, Soon
from support.hub import Admin, Serve
from support.wait import until

PREFIXES = {
    "organization": "OR",
    "project": "PJ",
    "contact": "CT",
    "group": "CG",
    "message": "SM",
    "incoming": "SM",
    "held": "SM",
    "label": "LB",
    "campaign": "CP",
    "template": "MT",
    "file": "FI",
    "sheet": "FI",
    "table": "DT",
    "row": "DR",
    "view": "VW",
    "phone": "PN",
    "route": "RT",
    "webhook": "WH",
    "webhook_delivery": "WD",
    "scheduled": "SC",
    "relative_scheduled": "RS",
    "broadcast": "BC",
    "task": "TK",
}

KINDS_OF_PATHS = {"scheduled_id": "scheduled", "relative_scheduled_id": "relative_scheduled"}


class World:
    """A hub with two organizations; tests change the project `work`, and read the lists of `rows`."""

    def __init__(self, folder, arguments=()):
        self.admin = Admin(folder / "data")
        self.organization = self.admin.organization("Ours")
        self.foreign_organization = self.admin.organization("Theirs")
        self.projects = {name: self.admin.project(self.organization, name) for name in ("work", "rows", "second")}
        self.projects["foreign"] = self.admin.project(self.foreign_organization, "foreign")
        self.server = Serve(self.admin.folder, arguments=["--webhook-allow", "127.0.0.0/8", "--webhooks-max", "1000", *arguments]).start()
        keys = [
            self.admin.key(None, (), "--organization", organization)
            for organization in (self.organization, self.foreign_organization)
        ]
        self.key = keys[0]
        self.caller = Caller(self.server.address, self.key)
        self.foreigner = Caller(self.server.address, keys[1])
        self.made = {}
        self.numbers = itertools.count(0)
        self.names = itertools.count(1)
        for project in self.projects:
            self.own("phone", project)

    def callers_without(self, permission, permissions):
        """Returns a caller that may do everything else."""
        others = [other for other in permissions if other != permission]
        key = self.admin.key(None, others, "--organization", self.organization)
        return Caller(self.server.address, key)

    def one_project_key(self, project="work"):
        """Returns a caller whose key is only for one project."""
        return Caller(self.server.address, self.admin.key(self.projects[project]))

    def close(self):
        """Stops the hub, and returns what was wrong with its end."""
        lines = self.server.program.err_lines
        alive = self.server.program.alive()
        code = self.server.program.stop()
        wrong = [line for line in lines if "panicked" in line or " ERROR " in line]
        assert alive and code == 0, self.server.program.words()
        assert not wrong, wrong

    def number(self):
        """Returns a number of the tests' block; they repeat after ten thousand."""
        return f"+1500555{next(self.numbers) % 10_000:04d}"

    def name(self, begins="name"):
        """Returns a text that was not used before."""
        return f"{begins} {next(self.names)}"

    def under(self, project, path):
        """Returns a path below a project."""
        return f"/projects/{self.projects[project]}/{path}"

    def own(self, kind, project="work"):
        """Returns the thing of a kind that a project keeps."""
        if (kind, project) not in self.made:
            self.made[kind, project] = self.make(kind, project)
        return self.made[kind, project]

    def make(self, kind, project="work"):
        """Makes a new thing of a kind."""
        caller = self.foreigner if project == "foreign" else self.caller
        return getattr(self, f"make_{kind}")(lambda path, body: caller.write(self.under(project, path), body), project)

    def make_project(self, _write, project):
        path = f"/projects/{self.projects[project]}"
        return (self.foreigner if project == "foreign" else self.caller).read(path)

    def make_organization(self, _write, project):
        foreign = project == "foreign"
        organization = self.foreign_organization if foreign else self.organization
        return (self.foreigner if foreign else self.caller).read(f"/organizations/{organization}")

    def make_contact(self, write, _project):
        return write("contacts", {"lookup_key": "none", "name": self.name("contact"), "phone_number": self.number()})

    def make_friend(self, write, project):
        """A contact that no test changes."""
        return self.make_contact(write, project)

    def make_blocked(self, write, _project):
        body = {"lookup_key": "none", "name": self.name("blocked"), "phone_number": "+15005559999"}
        return write("contacts", {**body, "send_blocked": True})

    def make_group(self, write, _project):
        return write("create_group", {"name": self.name("group")})

    def make_dynamic(self, write, _project):
        return write("create_group", {"name": self.name("dynamic"), "filters": {"name": {"prefix": "contact"}}})

    def make_silent(self, write, _project):
        return write("create_group", {"name": self.name("silent"), "allow_sending": False})

    def make_label(self, write, _project):
        return write("labels", {"name": self.name("label")})

    def make_campaign(self, write, project):
        """One that can be sent."""
        body = {"campaign_type": "broadcast_text", "name": self.name("campaign"), "content": "news"}
        return write("campaigns", {**body, "group_id": self.own("group", project)["id"]})

    def make_sent_campaign(self, write, project):
        return write(f"campaigns/{self.make('campaign', project)['id']}/send", {})

    def make_waiting_campaign(self, write, project):
        made = self.make("campaign", project)
        write(f"campaigns/{made['id']}", {"schedule_time": int(time.time()) + 900_000})
        return write(f"campaigns/{made['id']}/send", {})

    def make_series(self, write, _project):
        """One by the dates of contacts, without items."""
        return write("campaigns", {"campaign_type": "relative", "name": self.name("series")})

    def make_template(self, write, _project):
        return write("message_templates", {"name": self.name("template"), "content": "See you!"})

    def make_table(self, write, _project):
        return write("tables", {"name": self.name("table")})

    def make_row(self, write, project):
        return write(f"tables/{self.own('table', project)['id']}/rows", {"vars": {"answer": "yes"}})

    def make_view(self, write, project):
        filters = {"vars.answer": "yes"}
        return write(f"tables/{self.own('table', project)['id']}/views", {"name": self.name("view"), "filters": filters})

    def make_file(self, write, _project):
        content = b"GIF89a" + self.name("file").encode()
        return write("files", {"data": base64.b64encode(content).decode(), "type": "image/gif", "filename": "a.gif"})

    def make_sheet(self, _write, project):
        caller = self.foreigner if project == "foreign" else self.caller
        return success(caller.call("POST", self.under(project, "files"), body=b"name\nAnn\n", kind="text/csv"))

    def make_message(self, write, _project):
        return write("messages/send", {"to_number": "+15005550100", "content": "of the tests", "simulated": True})

    def make_incoming(self, write, project):
        phone = self.own("phone", project)["id"]
        return write("messages/receive", {"from_number": "+15005550101", "content": "came in", "phone_id": phone})

    def make_held(self, write, project):
        """A message that stays queued, because its phone is paused."""
        paused = self.own("paused", project)["id"]
        return write("messages/send", {"to_number": "+15005550102", "content": "waits", "route_id": paused})

    def make_phone(self, write, _project):
        body = {"phone_type": "simulated", "phone_number": self.number(), "name": self.name("phone")}
        return write("phones", body)

    def make_paused(self, write, _project):
        body = {"phone_type": "simulated", "phone_number": self.number(), "send_paused": True}
        return write("phones", body)

    def make_quiet(self, write, _project):
        body = {"phone_type": "simulated", "phone_number": self.number(), "quiet_mode": "confirm"}
        return write("phones", {**body, "quiet_start": "00:00", "quiet_end": "23:59"})

    def make_spare(self, _write, _project):
        """A project with a phone, for changes of the project itself."""
        made = self.caller.write(f"/organizations/{self.organization}/projects", {"name": self.name("spare")})
        body = {"phone_type": "simulated", "phone_number": self.number()}
        return {**made, "phone_id": self.caller.write(f"/projects/{made['id']}/phones", body)["id"]}

    def make_provider(self, write, _project):
        return write("phones", {"phone_type": "twilio", "phone_number": self.number(), "name": self.name("provider")})

    def make_route(self, write, project):
        actions = [{"type": "use_phone", "phone_ids": [self.own("phone", project)["id"]]}]
        return write("routes", {"name": self.name("route"), "actions": actions})

    def make_webhook_delivery(self, write, project):
        """One to an address where nobody listens."""
        body = {"to_number": "+15005550107", "content": "told of", "simulated": True, "status_url": "http://127.0.0.1:9/"}
        message = write("messages/send", body)
        caller = self.foreigner if project == "foreign" else self.caller
        path = self.under(project, "webhook_deliveries")
        return until(lambda: caller.all(path, message_id=message["id"]), "a delivery was tried")[0]

    def make_scheduled(self, write, _project):
        body = {"to_number": "+15005550103", "content": "later", "start_time_offset": 900_000}
        return write("scheduled", body)

    def make_relative_scheduled(self, write, project):
        body = {"contact_id": self.own("contact", project)["id"], "content": "on the day", "time_of_day": "09:00"}
        return write("relative_scheduled", {**body, "date_variable": "birthday"})

    def make_task(self, write, project):
        given = {"variable": "city", "value": "Oslo"}
        ids = {"contact_ids": [self.own("contact", project)["id"]]}
        body = {"task_type": "update_contact_var", "task_params": given, "filter_type": "contact_ids"}
        return write("tasks", {**body, "filter_params": ids})

    def make_broadcast(self, write, _project):
        return write("send_broadcast", {"to_numbers": ["+15005550105"], "content": "to all", "simulated": True})

    def make_waiting_broadcast(self, write, project):
        """One whose messages wait, because their phone is paused."""
        paused = self.own("paused", project)["id"]
        return write("send_broadcast", {"to_numbers": ["+15005550106"], "content": "to all", "route_id": paused})

    def make_cancelled_broadcast(self, write, project):
        waiting = self.make("waiting_broadcast", project)["id"]
        return write(f"broadcasts/{waiting}/cancel", None)

    def make_webhook(self, write, _project):
        return write("webhooks", {"url": "http://127.0.0.1:9/", "events": ["message_metadata"]})

    def resolve(self, value):
        """Replaces the names in a table by real things."""
        if isinstance(value, dict):
            return {name: self.resolve(member) for name, member in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.resolve(member) for member in value]
        if isinstance(value, Others):
            return self.own(value.kind, "second")[value.name]
        if isinstance(value, New):
            return self.make(value.kind)[value.name]
        if isinstance(value, Own):
            return self.own(value.kind)[value.name]
        if isinstance(value, Nobodys):
            return PREFIXES[value.kind] + "0000000000000001"
        if isinstance(value, Number):
            return self.number()
        if isinstance(value, Name):
            return self.name(value.begins)
        if isinstance(value, Soon):
            return int(time.time()) + value.seconds
        return value

    def path(self, operation, **given):
        """Returns an operation's path with fresh things in it; `given` are ids that a test chooses."""
        path = operation.path
        for name in placeholders(path):
            if name not in given:
                given[name] = self.resolve(operation.at.get(name) or self.of_path(name, operation.method))
            path = path.replace("{" + name + "}", given[name])
        return path

    def of_path(self, name, method):
        """Returns the value for a placeholder that its table does not mention."""
        kind = kind_of_path(name)
        return Own(kind) if kind in ("project", "organization") or method == "GET" else New(kind)


def kind_of_path(name):
    """Returns the kind of thing that a placeholder names."""
    return KINDS_OF_PATHS.get(name, name.removesuffix("_id"))


def placeholders(path):
    """Returns the names in braces."""
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]
