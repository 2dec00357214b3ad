"""Which way the sources look: no crate of the hub above its layer, and no files that use each other in a circle."""

import re

import pytest

from lint.rust_uses import Crate, circles, crates, uses_of
from support.paths import ROOT

HUB = ROOT / "route-hub"
# What each crate of the hub may stand on, of the hub's own crates.
MAY_USE = {
    "domain": set(),
    "outage": set(),
    "view": set(),
    "rules": {"domain"},
    "store": {"domain", "outage"},
    "outgoing": {"outage"},
    "media": {"outage"},
    "nats": {"outage", "store"},
    "web": {"view"},
    "app": {"domain", "media", "outgoing", "rules", "store", "view"},
    "api": {"app", "domain", "outgoing", "rules", "store", "view", "web"},
    "link": {"app", "domain", "store", "view", "web"},
}
# Files that are still in a circle. The lists only get shorter: whoever takes one out removes its name.
IN_CIRCLES = {
    "route-hub/app": [
        [f"messages/{name}.rs" for name in ("draft", "linking", "outgoing", "ready", "sending", "writing")],
    ],
}
CRATES = [str(folder.relative_to(ROOT)) for folder in crates()]


def uses(crate):
    """The hub's crates that one of them names among its dependencies."""
    manifest = (HUB / crate / "Cargo.toml").read_text().split("[dev-dependencies]")[0]
    return set(re.findall(r"^hub-(\w+)\.workspace", manifest, re.M))


def graph(crate):
    """For each module at the top of a crate of the hub, the others that it uses."""
    modules = {}
    for file, others in uses_of(HUB / crate).items():
        modules.setdefault(top(file), set()).update(map(top, others))
    return {name: used - {name} for name, used in modules.items() if name not in ("lib", "main")}


def top(file):
    return file.split("/")[0].removesuffix(".rs")


@pytest.mark.parametrize("crate", MAY_USE)
def test_a_crate_of_the_hub_stands_on_lower_ones_alone(crate):
    assert uses(crate) <= MAY_USE[crate]


@pytest.mark.parametrize("crate", CRATES)
def test_no_other_files_use_each_other_in_a_circle(crate):
    assert circles(uses_of(ROOT / crate)) == IN_CIRCLES.get(crate, [])


@pytest.mark.parametrize("crate", MAY_USE)
def test_no_folders_of_a_crate_of_the_hub_use_each_other_in_a_circle(crate):
    assert circles(graph(crate)) == []


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


LIB = "mod a;\nmod b;\npub mod c;\npub use a::One;\npub use c::*;\n"
# Two files that use each other, by how the second names the first.
PLANTED = {
    "a path": "pub struct Two(crate::a::One);",
    "an import": "use crate::a::One;\npub struct Two(One);",
    "a nested import": "use {crate::{a::{self, One as First}}, std::fmt};\npub struct Two(First);",
    "a re-export": "pub struct Two(crate::One);",
    "a re-export by a glob": "use crate::c::Again;\npub struct Two(Again);",
    "a re-export through a folder": "use crate::c::deep::Deep;\npub struct Two(Deep);",
    "super": "pub struct Two(super::a::One);",
    "super of a module within": "mod inner {\n    pub struct Two(super::super::a::One);\n}\npub use inner::Two;",
    "a glob": "use crate::a::*;\npub struct Two(One);",
    "a glob of super": "use super::*;\npub struct Two(One);",
    "a path within a function": "pub struct Two;\nfn two(all: &str) -> u8 {\n    all.len() as u8 + crate::a::one()\n}",
    "an import within a function": "pub struct Two;\nfn two() {\n    use crate::a::one as f;\n    f();\n}",
    "a module's name": "use crate::a;\npub struct Two;\nfn two() {\n    a::one();\n}",
    "a macro": "pub struct Two;\nfn two() {\n    ones!();\n}",
    "a function in an attribute": 'pub struct Two {\n    #[serde(with = "crate::a::one")]\n    two: u8,\n}',
}
# What is no use of the first file.
HARMLESS = {
    "a comment": "/// As [`One`](crate::a::One).\npub struct Two; // crate::a::One\n/* crate::a::one() */",
    "a text": 'pub struct Two;\nconst TEXT: &str = "use crate::a::One;";\nconst RAW: &str = r#"crate::a::One""#;',
    "a test": "pub struct Two;\n#[cfg(test)]\nmod tests {\n    use crate::a::One;\n}",
    "what only tests use": "pub struct Two;\n#[cfg(test)]\nuse crate::a::One;\n"
    "#[cfg(test)]\nimpl Two {\n    fn one(self) -> One {}\n}",
    "a name of its own": "pub struct One;\npub struct Two(One);",
    "another crate": "use other::a::One;\npub struct Two(One);",
}


def planted(folder, second):
    """The circles of a crate whose file `b.rs` is this one, and whose `a.rs` uses it."""
    sources = {
        "lib.rs": LIB,
        "a.rs": "use crate::b::Two;\npub struct One(Box<Two>);\npub fn one() -> u8 {\n    '{' as u8\n}\n"
        "macro_rules! ones {\n    () => {};\n}\n",
        "b.rs": second,
        "c/mod.rs": "pub mod deep;\npub use crate::a::One as Again;\n",
        "c/deep.rs": "pub use super::Again as Deep;\npub struct Folder(super::Again);\n",
    }
    for name, text in sources.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    edges = Crate(folder / "lib.rs").edges()
    named = {file.name: {other.name for other in others} for file, others in edges.items()}
    return circles(named)


@pytest.mark.parametrize("way", PLANTED)
def test_a_planted_circle_is_found(tmp_path, way):
    assert planted(tmp_path, PLANTED[way]) == [["a.rs", "b.rs"]]


@pytest.mark.parametrize("way", HARMLESS)
def test_what_is_no_use_makes_no_circle(tmp_path, way):
    assert planted(tmp_path, HARMLESS[way]) == []


def test_a_file_may_use_the_folders_that_it_is_in(tmp_path):
    sources = {"lib.rs": "mod x;\npub struct Top;\n", "x.rs": "mod y;\npub struct Own(y::Y);\n"}
    sources["x/y.rs"] = "use super::Own;\npub struct Y(Box<Own>, crate::Top);\n"
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert circles(Crate(tmp_path / "lib.rs").edges()) == []


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles({"a": {"b"}, "b": set()}) == []
