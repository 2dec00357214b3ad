"""Which way the hub's sources look: no crate above its layer, and no new circles between the folders of a crate."""

import re

import pytest

from support.paths import ROOT

HUB = ROOT / "route-hub"
# What each crate of the hub may stand on, of the hub's own crates.
MAY_USE = {
    "domain": set(),
    "view": set(),
    "rules": {"domain"},
    "store": {"domain"},
    "outgoing": set(),
    "media": set(),
    "nats": {"store"},
    "web": {"view"},
    "app": {"domain", "media", "outgoing", "rules", "store", "view"},
    "api": {"app", "domain", "outgoing", "rules", "store", "view", "web"},
    "link": {"app", "domain", "store", "view", "web"},
}
# Modules that are still in a circle. The lists only get shorter: whoever takes one out removes its name.
IN_CIRCLES = {}
PATH = re.compile(r"\bcrate::(\{|[a-z_]+)")


def uses(crate):
    """The hub's crates that one of them names among its dependencies."""
    manifest = (HUB / crate / "Cargo.toml").read_text().split("[dev-dependencies]")[0]
    return set(re.findall(r"^hub-(\w+)\.workspace", manifest, re.M))


def without_tests(text):
    """A source without its comments, without the tests at its end and without what only they use."""
    text = re.split(r"\n#\[cfg\(test\)\]\nmod \w+ \{", text)[0]
    return re.sub(r"//[^\n]*|#\[cfg\(test\)\]\nuse [^;]+;", "", text)


def named(text):
    """The modules at the top of its own crate that a source names."""
    found = set()
    for match in PATH.finditer(text):
        if match.group(1) != "{":
            found.add(match.group(1))
            continue
        depth, word, names = 1, "", []
        for letter in text[match.end() :]:
            if letter == "{":
                depth += 1
            elif letter == "}":
                depth -= 1
            if depth == 1 and letter not in "{},":
                word += letter
            elif depth <= 1 and letter in ",}":
                names.append(word)
                word = ""
            if depth == 0:
                break
        found |= {name.strip().split("::")[0].split(" ")[0] for name in names if name.strip()}
    return found


def graph(crate):
    """For each module at the top of a crate, the others that it names."""
    root = HUB / crate / "src"
    modules = {}
    for file in sorted(root.rglob("*.rs")):
        name = file.relative_to(root).parts[0].removesuffix(".rs")
        is_test = file.stem == "tests" or file.stem.endswith("_tests") or file.stem == "testing"
        if name in ("lib", "main") or is_test:
            continue
        modules.setdefault(name, set()).update(named(without_tests(file.read_text())))
    return {name: (found & modules.keys()) - {name} for name, found in modules.items()}


def circles(edges):
    """The groups of modules that reach each other, each sorted."""

    def reached(start):
        seen, todo = set(), [start]
        while todo:
            for other in edges[todo.pop()]:
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return seen

    reach = {name: reached(name) for name in edges}
    groups = {frozenset({one} | {other for other in reach[one] if one in reach[other]}) for one in edges}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles({"a": {"b"}, "b": set()}) == []
    assert named("use crate::{a, b::{c, d}, e::f};\nuse crate::g::h;") == {"a", "b", "e", "g"}


@pytest.mark.parametrize("crate", MAY_USE)
def test_a_crate_of_the_hub_stands_on_lower_ones_alone(crate):
    assert uses(crate) <= MAY_USE[crate]


@pytest.mark.parametrize("crate", MAY_USE)
def test_nothing_else_is_in_a_circle(crate):
    found = {module for group in circles(graph(crate)) for module in group}
    assert found == set(IN_CIRCLES.get(crate, "").split())


def layers(crate):
    """The modules of a crate whose list shows its layers, the lowest first: a comment begins each."""
    text = (HUB / crate / "src/lib.rs").read_text()
    parts = re.split(r"^// .*$", text, flags=re.M)[1:]
    return [set(re.findall(r"^(?:pub )?mod (\w+);", part, re.M)) - {"testing"} for part in parts]


def test_a_module_of_hub_app_uses_its_own_layer_and_lower_ones():
    edges, known = graph("app"), set()
    for layer in layers("app"):
        known |= layer
        upward = {name: edges[name] - known for name in layer if edges[name] - known}
        assert not upward
    assert known == edges.keys()
