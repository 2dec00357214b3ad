"""The project whose lists are read: rows of every kind that differ in everything that lists filter and sort by."""

import base64
import time

from support.receiver import Receiver
from support.wait import until

FINAL = {"sent", "delivered", "not_delivered", "failed", "cancelled", "received", "ignored"}
CITIES = ("Oslo", "bergen", "Oslo", "Tromsø", None, "Bodø")
NOBODY = {"filter_type": "query_contacts", "filter_params": {"name": "nobody at all"}}


class Rows:
    """Fills the project `rows` once; afterwards nothing in it changes."""

    def __init__(self, world):
        self.world = world
        self.caller = world.caller
        self.project = world.projects["rows"]
        self.phone = world.own("phone", "rows")
        self.known = {"first phone": self.phone["id"]}
        self.receiver = Receiver()
        self.write("webhooks", {"url": self.receiver.url("/told"), "events": ["contact_update"]})
        self.fired = self.write("scheduled", {"to_number": self.number(40), "content": "now", "start_time_offset": 0})
        self.make_groups_and_labels()
        self.make_contacts(0)
        self.make_files("Alpha.gif", "beta.gif")
        self.make_tables()
        self.make_templates()
        self.make_campaigns(0)
        self.make_rows(0)
        self.make_messages(0)
        self.broadcast(2)
        on_a_day = {"time_of_day": "09:00", "date_variable": "nothing", "content": "x", "to_number": self.number(61)}
        self.write("relative_scheduled", on_a_day)
        self.make_phones_and_routes()
        second = int(time.time())
        until(lambda: int(time.time()) > second, "the clock goes on to its next second", 5)
        self.make_contacts(6)
        self.make_messages(6)
        self.broadcast(3)
        self.make_schedules()
        reported = {"to_number": "+15005550012", "content": "told of", "status_url": self.receiver.url("/status")}
        self.reported = self.write("messages/send", reported)["id"]
        self.make_files("Über.gif", None, "delta.gif")
        self.make_rows(6)
        self.make_campaigns(3)
        for number in range(3):
            self.write("webhooks", {"url": f"http://127.0.0.1:9/{number}"})
        for _ in range(3):
            self.write("tasks", {"task_type": "delete_contacts", **NOBODY})
        self.settle()

    def write(self, path, body):
        """Posts to the project."""
        return self.caller.write(self.world.under("rows", path), body)

    def all(self, path, **query):
        """Reads every row of one of the project's lists."""
        return self.caller.all(self.world.under("rows", path), **query)

    def number(self, n):
        """Returns one of this project's numbers."""
        return f"+15005558{n:03d}"

    def make_groups_and_labels(self):
        names = ("Alpha", "beta", "Gamma", "delta", "Über")
        self.groups = [self.write("create_group", {"name": name})["id"] for name in names]
        self.write("create_group", {"name": "dynamic ones", "filters": {"name": {"prefix": "A"}}})
        self.write("create_group", {"name": "All of them", "filters": {"time_created": {"gt": 1}}})
        self.labels = [self.write("labels", {"name": name})["id"] for name in ("Red", "green", "Blue", "no colour")]
        self.known |= {"full group": self.groups[0], "used label": self.labels[0]}

    def make_files(self, *names):
        for name in names:
            content = b"GIF89a" + str(name).encode() * (2 if name else 1)
            given = {"data": base64.b64encode(content).decode(), "type": "image/gif" if name else "image/x-own"}
            self.write("files", {**given, "filename": name})
        carried = "data:image/gif;base64," + base64.b64encode(b"GIF89a" + bytes(len(names))).decode()
        self.write("messages/send", {"to_number": self.number(90), "media_urls": [carried], "simulated": True})

    def make_campaigns(self, first):
        types = ("broadcast_text", "broadcast_call", "relative", "anniversary", "broadcast_text", "broadcast_text")
        names = ("Alpha", "beta", "Gamma", "Über", "delta", "echo")
        for n in range(first, first + 3):
            more = {"group_id": self.groups[n % 2], "label_ids": self.labels[: n % 3]}
            if types[n] == "broadcast_text":
                more |= {"content": f"campaign {n}", "schedule_time": int(time.time()) + 900_000 + n}
            made = self.write("campaigns", {"campaign_type": types[n], "name": names[n], **more})
            if n % 5 == 0:
                self.write(f"campaigns/{made['id']}/send", {})
        sent = self.write("campaigns", {"campaign_type": "broadcast_call", "group_id": self.groups[4]})
        self.write(f"campaigns/{sent['id']}/send", {})

    def make_templates(self):
        for name in ("Alpha", "beta", "Gamma", "Über"):
            self.write("message_templates", {"name": name, "content": f"template {name}"})

    def make_contacts(self, first):
        self.contacts = getattr(self, "contacts", [])
        for n in range(first, first + 6):
            body = {"lookup_key": "none", "name": f"{'Ann Bob cid Dan eve Ånd'.split()[n % 6]} {n}", "vars": {}}
            if n % 4 != 3:
                body["phone_number"] = self.number(n)
            city = CITIES[n % 6]
            if city:
                body["vars"] = {
                    "city": city,
                    "age": 20 + n if n % 2 else str(30.5 + n),
                    "joined": f"2026-0{n % 6 + 1}-01",
                }
            body["send_blocked"] = n == 10
            body["add_group_ids"] = self.groups[: n % 4] + self.groups[:1]
            self.contacts.append(self.write("contacts", body))
        self.known.setdefault("many messages", self.contacts[0]["id"])

    def make_tables(self):
        names = ("Alpha", "beta", "Gamma", "Über")
        tables = [self.write("tables", {"name": name})["id"] for name in names]
        views = [
            self.write(f"tables/{tables[0]}/views", {"name": name, "filters": {"vars.age": {"exists": True}}})["id"]
            for name in names
        ]
        self.known |= {"full table": tables[0], "full view": views[0]}

    def make_rows(self, first):
        for n in range(first, first + 6):
            given = {"city": CITIES[n % 6], "age": 20 + n if n % 2 else str(30.5 + n)} if CITIES[n % 6] else {}
            about = {"contact_id": self.contacts[n % 3]["id"]} if n % 4 != 3 else {}
            self.write(f"tables/{self.known['full table']}/rows", {"vars": given, **about})

    def make_messages(self, first):
        for n, status in enumerate((11, 12, 13, 14, 12, 30)):
            body = {"to_number": f"+150055500{status}", "content": f"message {first + n}", "simulated": True}
            body["label_ids"] = self.labels[: n % 3] + self.labels[:1]
            self.write("messages/send", body)
        to_contact = {"to_number": self.number(0), "content": "x", "label_ids": self.labels[:2]}
        self.starred = self.write("messages/send", to_contact)
        self.write(f"messages/{self.starred['id']}", {"starred": True})
        self.write("messages/send", {"message_type": "call", "to_number": self.number(1 + first)})
        self.write("messages/send", {"message_type": "ussd", "to_number": "*100#"})
        if not first:
            paused = {"phone_type": "simulated", "phone_number": self.number(99), "send_paused": True}
            self.paused = self.write("phones", {**paused, "name": "paused"})["id"]
        self.write("messages/send", {"to_number": self.number(0), "content": "waits", "route_id": self.paused})
        held = self.write("messages/send", {"to_number": self.number(2), "content": "waits", "route_id": self.paused})
        self.write(f"messages/{held['id']}/cancel", {})
        for n in (0, 1 + first, 50):
            body = {"from_number": self.number(n), "content": "in", "phone_id": self.phone["id"], "starred": n == 50}
            self.write("messages/receive", body)

    def broadcast(self, count):
        """Sends a broadcast to so many numbers."""
        numbers = [self.number(70 + n) for n in range(count)]
        self.write("send_broadcast", {"to_numbers": numbers, "content": "to all", "simulated": True})

    def make_phones_and_routes(self):
        for name in ("North", "south", "West", "Östlich"):
            number = self.number(200 + len(name))
            phone = self.write("phones", {"phone_type": "simulated", "phone_number": number, "name": name})
            actions = [{"type": "use_phone", "phone_ids": [phone["id"]]}]
            self.write("routes", {"name": f"by {name}", "actions": actions})

    def make_schedules(self):
        contact, group = self.contacts[0]["id"], self.groups[0]
        text = {"content": "planned"}
        for n, to in enumerate(({"contact_id": contact}, {"group_id": group}, {"to_number": self.number(60)})):
            for days in (30, 40):
                self.write("scheduled", {**text, **to, "start_time_offset": 86_400 * days + n})
        self.write("scheduled", {"message_type": "ussd", "to_number": "*100#", "start_time_offset": 9_000_000})
        self.write("scheduled", {"message_type": "call", "contact_id": contact, "start_time_offset": 9_000_005})
        on_a_day = {"time_of_day": "09:00", "date_variable": "birthday", "rrule": "FREQ=YEARLY"}
        self.relative = self.write("relative_scheduled", {**text, **on_a_day, "group_id": group})
        self.write("relative_scheduled", {**text, **on_a_day, "contact_id": contact})
        self.write("relative_scheduled", {**on_a_day, "message_type": "call", "contact_id": self.contacts[1]["id"]})
        self.write(f"contacts/{contact}", {"vars": {"birthday": "1960-02-29"}})

    def told(self):
        """Says whether the events of these rows arrived: one of each contact, and two of a message."""
        deliveries = self.all("webhook_deliveries")
        of_message = [one for one in deliveries if one["message_id"] == self.reported]
        expected = len(self.all("contacts")) + len(of_message)
        arrived = len(deliveries) == expected and all(one["status"] == "delivered" for one in deliveries)
        return arrived and any("&status=delivered&" in one["body"] for one in of_message)

    def settle(self):
        """Waits until nothing changes any more."""

        def quiet():
            messages = self.all("messages")
            open_ones = [m for m in messages if m["status"] not in FINAL and m["phone_id"] != self.paused]
            made = self.all("scheduled", relative_scheduled_id=self.relative["id"])
            open_ones += [task for task in self.all("tasks") if task["status"] != "complete"]
            broadcasts = self.all("broadcasts")
            open_ones += [one for one in broadcasts if one["status"] != "complete"]
            fired = [m for m in messages if m["scheduled_id"] == self.fired["id"]]
            return not open_ones and fired and made

        until(quiet, "the messages of the rows are sent and the schedules made", 60)
        until(self.told, "each new contact, and what became of a message, was delivered")
        self.receiver.close()
        self.groups_of = {contact["id"]: contact["group_ids"] for contact in self.all("contacts")}

    def path(self, operation):
        """Returns the path of a list, with this project's ids in it."""
        path = operation.path
        ids = {"project_id": self.project, "organization_id": self.world.organization}
        for name, known in operation.rows.items():
            ids[name] = self.known[known]
        for name, value in ids.items():
            path = path.replace("{" + name + "}", value)
        return path
