"""The checker: compares what was promised with what the radio, the API and the webhooks say.

It knows nothing of processes: it gets records and returns what is wrong with them, so that it can be
tested by itself (`test_check.py`).
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

ON_AIR = {"sent", "delivered", "not_delivered"}
FINAL = ON_AIR | {"failed", "cancelled"}
UNKNOWN = "unknown_outcome"
# Result codes that leave open whether the message was sent; see the table in core/text.
AMBIGUOUS = {"1", "101", "124"}
PARTIAL = "partial"
# How far along a status is; a webhook may repeat one, and only the end of an unknown outcome may be corrected.
RANK = {"queued": 0, "failed_queued": 1, "cancelled": 5, "failed": 5, "sent": 6, "not_delivered": 8, "delivered": 9}


@dataclass
class Accepted:
    """One message that the hub answered with 200."""

    id: str
    content: str
    on_unknown: str = "fail"
    cancel_asked: bool = False
    at: float = 0.0  # when it was answered, on the clock of `Restore`
    route_id: str = ""  # the phone that it was for, if one was named


@dataclass
class Restore:
    """The hub was replaced by a backup: it no longer knows what was accepted in between."""

    backup_begun: float
    restored: float
    webhooks_before: int = 0  # how many webhooks had come by then

    def forgets(self, accepted):
        """Returns whether a message may be missing."""
        return self.backup_begun <= accepted.at <= self.restored


@dataclass
class Evidence:
    """Everything that is known after the run."""

    accepted: list  # of Accepted
    refused_contents: set = field(default_factory=set)  # never answered with success: may exist at most once
    messages: dict = field(default_factory=dict)  # id -> message of the API
    radio: list = field(default_factory=list)  # lines of all radio logs
    webhooks: list = field(default_factory=list)  # (id, status) in the order of arrival
    alerts: list = field(default_factory=list)
    incoming_texts: list = field(default_factory=list)  # contents of all incoming messages
    contact_numbers: list = field(default_factory=list)  # of all contacts
    server_errors: list = field(default_factory=list)
    answered_otherwise: list = field(default_factory=list)  # accepted ones whose repeat was given another id
    panics: list = field(default_factory=list)
    ended: list = field(default_factory=list)  # programs that ended although nothing killed them
    restores: list = field(default_factory=list)  # of Restore
    kinds_ever: list = field(default_factory=list)  # kinds of all alerts, those that ended too


def findings(evidence):
    """Returns {what is checked: [what is wrong]}; all lists are empty if every promise was kept."""
    lines = defaultdict(list)
    for line in evidence.radio:
        lines[line["message_id"]].append(line)
    told = defaultdict(list)
    for message_id, status in evidence.webhooks:
        told[message_id].append(status)
    told_since = _since_restores(evidence)
    wrong = {
        "accepted and lost": _lost(evidence),
        "one request, two messages": _repeated(evidence),
        "in the radio log twice without a sender's choice": _twice(evidence, lines),
        "a status that contradicts the radio log": _contradictions(evidence, lines),
        "a text or a recipient that was changed on the way": _changed(evidence, lines),
        "neither final nor truthfully waiting": _stuck(evidence),
        "a final status without its webhook": _untold(evidence, told),
        "webhooks of one message out of order": [line for part in told_since for line in _disordered(part)],
        "an incoming message twice": _twice_in(evidence.incoming_texts),
        "two contacts of one number": _twice_in(evidence.contact_numbers),
        "a hub that kept its data taken for one that went backwards": _falsely_frozen(evidence),
        "a sound phone taken for a copied one": [a for a in evidence.alerts if "clon" in a or "cop" in a],
        "a program that ended by itself": evidence.ended,
        "a 5xx other than 503, or a panic": evidence.server_errors + evidence.panics,
    }
    return wrong


def _lost(evidence):
    return [a.id for a in evidence.accepted if a.id not in evidence.messages and not _forgotten(evidence, a)]


def _forgotten(evidence, accepted):
    return any(restore.forgets(accepted) for restore in evidence.restores)


def _since_restores(evidence):
    """Splits the webhooks at each restore: a hub that went back repeats webhooks that it forgot."""
    cuts = [0, *(restore.webhooks_before for restore in evidence.restores), len(evidence.webhooks)]
    parts = []
    for begin, end in zip(cuts, cuts[1:]):
        told = defaultdict(list)
        for message_id, status in evidence.webhooks[begin:end]:
            told[message_id].append(status)
        parts.append(told)
    return parts


def _falsely_frozen(evidence):
    return [] if evidence.restores else [kind for kind in evidence.kinds_ever if kind == "hub_frozen"]


def _repeated(evidence):
    contents = Counter(m["content"] for m in evidence.messages.values() if m["direction"] == "outgoing")
    doubled = [content for content, count in sorted(contents.items()) if count > 1]
    # A restore forgets the key along with its message.
    two_ids = [a for a in evidence.answered_otherwise if not _forgotten(evidence, a)]
    return doubled + [f"{a.content}: two ids under one key" for a in two_ids]


def _twice(evidence, lines):
    choice = {a.id: a.on_unknown for a in evidence.accepted}
    wrong = []
    for message_id, handed_over in lines.items():
        most = 2 if choice.get(message_id) == "resend" else 1
        exposures = {line["exposure"] for line in handed_over}
        if len(handed_over) > most or len(exposures) < len(handed_over):
            wrong.append(f"{message_id}: {len(handed_over)} times, exposures {sorted(exposures)}")
    return wrong


def _contradictions(evidence, lines):
    wrong = []
    for message_id, message in evidence.messages.items():
        if message["direction"] != "outgoing":
            continue
        status, code = message["status"], str(message.get("error_code"))
        on_air = bool(lines.get(message_id))
        if status in ON_AIR and not on_air:
            wrong.append(f"{message_id}: {status}, and never handed over")
        if status == "cancelled" and on_air:
            wrong.append(f"{message_id}: cancelled, and handed over")
        if status == "failed" and on_air and code not in {UNKNOWN, PARTIAL} | AMBIGUOUS:
            wrong.append(f"{message_id}: failed with {code}, and handed over")
    accepted = {a.id: a for a in evidence.accepted}
    for message_id in lines:
        if message_id not in evidence.messages and not _may_be_unknown(evidence, accepted.get(message_id)):
            wrong.append(f"{message_id}: handed over, and unknown to the hub")
    return wrong


def _may_be_unknown(evidence, accepted):
    # An answer that was cut off by the hub's death belongs to a message of the moment before.
    return bool(evidence.restores) and (accepted is None or _forgotten(evidence, accepted))


def _changed(evidence, lines):
    wrong = []
    for message_id, handed_over in lines.items():
        message = evidence.messages.get(message_id)
        if message is None:
            continue
        if any(line["text"] != message["content"] or line["to"] != message["to_number"] for line in handed_over):
            wrong.append(message_id)
    for accepted in evidence.accepted:
        message = evidence.messages.get(accepted.id)
        if message is not None and message["content"] != accepted.content:
            wrong.append(accepted.id)
    return wrong


def _stuck(evidence):
    return [
        f"{message_id}: {message['status']}, waiting for {message.get('waiting_for')}"
        for message_id, message in evidence.messages.items()
        if message["direction"] == "outgoing" and message["status"] not in FINAL
    ]


def _untold(evidence, told):
    wrong = []
    for accepted in evidence.accepted:
        message = evidence.messages.get(accepted.id)
        if message is None or message["status"] not in FINAL:
            continue
        if not told[accepted.id] or told[accepted.id][-1] != message["status"]:
            wrong.append(f"{accepted.id}: {message['status']}, told {told[accepted.id]}")
    return wrong


def _disordered(told):
    wrong = []
    for message_id, statuses in told.items():
        changes = [s for i, s in enumerate(statuses) if i == 0 or s != statuses[i - 1]]
        if any(RANK[after] < RANK[before] for before, after in zip(changes, changes[1:])):
            wrong.append(f"{message_id}: {changes}")
        elif len(set(changes)) < len(changes):
            wrong.append(f"{message_id}: {changes}")
    return wrong


def _twice_in(texts):
    return [text for text, count in sorted(Counter(texts).items()) if count > 1]
