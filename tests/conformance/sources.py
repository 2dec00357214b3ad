"""What the hub's sources say about its operations: the URLs of `routes.rs`, and words that may name parameters."""

import re

from support.paths import ROOT

HUB = ROOT / "route-hub"
READERS = (HUB / "api" / "src", HUB / "web" / "src")


def code(path):
    """Returns a Rust file without its unit tests and comments."""
    text = path.read_text().split("#[cfg(test)]")[0]
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))


def routes():
    """Returns every method and URL of `routes.rs` with its handler: `{(method, path): handler}`."""
    text = code(HUB / "src" / "routes.rs")
    bodies = dict(re.findall(r"fn (\w+)\(\) -> Routes \{(.*?)\n\}", text, re.DOTALL))
    found = {}

    def walk(name, prefix):
        for path, handlers in re.findall(r'\.route\("([^"]+)", (.*)\)\n', bodies[name] + "\n"):
            for method, handler in re.findall(r"\b(get|post|put|delete|patch)\(([\w:]+)\)", handlers):
                found[method.upper(), (prefix + path).rstrip("/")] = handler
        for path, within in re.findall(r'\.nest\("([^"]+)", (\w+)\(\)\)', bodies[name]):
            walk(within, prefix + path)

    walk("v1", "")
    return found


def words():
    """Returns every text in the sources that may be the name of a parameter."""
    found = set()
    for folder in (*READERS, HUB / "src", HUB / "app" / "src", HUB / "domain" / "src"):
        for path in sorted(folder.rglob("*.rs")):
            found |= set(re.findall(r'"([a-z][a-z0-9_]{0,40})"', code(path)))
    return found


READING = (
    r'\bget\(\s*"(\w+)"',
    r'\bgiven\(\s*params,\s*"(\w+)"',
    r'\bEntry::\w+(?:::<[^>]*>)?\(\s*"(\w+)"',
    r'"(\w+)": LaterDefault::',
    r'\bname: "(\w+)"',
    r'bounded\(params, "(\w+)"',
    r'Self::new\("(\w+)", FilterKind',
)


def read_names():
    """Returns the names that the sources clearly read, each with a file that does."""
    found = {}
    for folder in READERS:
        for path in sorted(folder.rglob("*.rs")):
            for pattern in READING:
                for name in re.findall(pattern, code(path)):
                    found.setdefault(name, path.relative_to(ROOT).as_posix())
    return found
