"""The interface as a list: every operation with its names, whether this hub has them or not.

The files `*.txt` are read here. A block begins with an operation, `MARK METHOD /path: ANSWER`, with `object NAME`,
`event NAME`, or with `every …`; below it are lines `MARK SUBJECT: NAMES`. The marks:

| Mark | The interface has it | This hub |
|---|---|---|
| `now` | yes | has it |
| `later (WHAT)` | yes | refuses or lacks it until WHAT comes |
| `ours` | no | has it |
| `refused` | no | refuses it by its name |

The subjects: `takes` are parameters, `filters` a list's, with their modifiers in brackets, `sorts` its orders, `shows`
an object's fields, `tells` an event's parameters. `NAME[]` are the members of the objects in an array, `NAME{}` those
of an object, `NAME =` its words. `filters as` and `the same as` name another operation that has the same.

What scripts and rules can use, and the shapes that the interface leaves open, are not here.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
MARK = r"(?P<mark>now|ours|refused|later) ?(?:\((?P<what>[^()]+)\) )?"
OPERATION = re.compile(MARK + r"(?P<method>GET|POST|PUT|DELETE) (?P<path>/\S+): (?P<answer>.+)")
OTHER = re.compile(r"(?P<kind>object|event|every) (?P<name>[\w ]+)")
LINE = re.compile(r"  " + MARK + r"(?P<subject>[^:=]*[^:= ])(?:: | = )(?P<names>.+)")
COPY = re.compile(r"  " + MARK + r"(?P<subject>filters as|the same as): (?P<method>[A-Z]+) (?P<path>/\S+)")
NAME = re.compile(r"(?P<name>[\w.-]+)(?:\[(?P<modifiers>[a-z_ ]+)\])?")


@dataclass(frozen=True)
class Entry:
    """A name of the list with its mark."""

    name: str
    mark: str
    modifiers: tuple = ()

    @property
    def here(self):
        """Whether this hub has it."""
        return self.mark in ("now", "ours")


@dataclass
class Block:
    """An operation or object: its names by subject. A subject of words ends with ` =`."""

    title: str
    mark: str = "now"
    answer: str = ""
    subjects: dict = field(default_factory=dict)

    def entries(self, subject, *marks):
        """Returns the entries of a subject, only those with these marks if any is given."""
        found = self.subjects.get(subject, {}).values()
        return [entry for entry in found if not marks or entry.mark in marks]

    def names(self, subject, *marks):
        """Returns the names of a subject."""
        return {entry.name for entry in self.entries(subject, *marks)}


class Interface:
    """The content of the files: by operation `(method, path)`, by object, by event and for all of them."""

    def __init__(self, texts):
        self.operations, self.objects, self.events, self.every, self.copies = {}, {}, {}, {}, []
        for where, text in texts:
            block = None
            for at, line in enumerate(text.splitlines(), 1):
                if line and not line.startswith("#"):
                    try:
                        block = self.read(line, block)
                    except ValueError as error:
                        raise ValueError(f"{where}, line {at}: {error}: {line}") from None
        for block, subject, source in self.copies:
            whole = subject == "the same as"
            words = {name + " =" for name in source.subjects.get("filters", {})}
            for name, entries in source.subjects.items():
                if whole or name == "filters" or name in words:
                    block.subjects.setdefault(name, {}).update(entries)

    def read(self, line, block):
        """Reads one line; returns the block to which the next one belongs."""
        if line.startswith("  "):
            if block is None:
                raise ValueError("belongs to nothing")
            self.read_names(line, block)
            return block
        if found := OPERATION.fullmatch(line):
            made, kind = Block(f"{found['method']} {found['path']}", marked(found), found["answer"]), self.operations
            key = (found["method"], found["path"])
        elif found := OTHER.fullmatch(line):
            kind = {"object": self.objects, "event": self.events, "every": self.every}[found["kind"]]
            made, key = Block(found["name"]), found["name"]
        else:
            raise ValueError("is not understood")
        if key in kind:
            raise ValueError("stands here twice")
        kind[key] = made
        return made

    def read_names(self, line, block):
        """Reads the names of one line."""
        if found := COPY.fullmatch(line):
            marked(found)
            source = self.operations.get((found["method"], found["path"]))
            if source is None:
                raise ValueError("names an operation that does not stand before it")
            self.copies.append((block, found["subject"], source))
            return
        found = LINE.fullmatch(line)
        if found is None:
            raise ValueError("is not understood")
        mark = marked(found)
        if block.mark == "later" != mark:
            raise ValueError("is in an operation that comes later")
        is_words = line[found.end("subject")] == " "
        into = block.subjects.setdefault(found["subject"] + (" =" if is_words else ""), {})
        rest = NAME.sub("", found["names"]).strip()
        if rest:
            raise ValueError(f"has {rest!r} in it")
        for name in NAME.finditer(found["names"]):
            if name["name"] in into:
                raise ValueError(f"has {name['name']} a second time")
            into[name["name"]] = Entry(name["name"], mark, tuple((name["modifiers"] or "").split()))


def marked(found):
    """Returns a line's mark; `later` says with what."""
    if (found["mark"] == "later") != bool(found["what"]):
        raise ValueError("what comes later says with what, and nothing else does")
    return found["mark"]


INTERFACE = Interface((path.name, path.read_text()) for path in sorted(HERE.glob("*.txt")))
