"""Which files of a crate use which: a small reader of Rust's modules, imports and paths.

    cd tests && python -m lint.rust_uses [FOLDER…]    prints the circles of each crate

A name counts where it is defined, through any number of re-exports. Methods are not followed: only names and paths.
"""

import re
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

from support.paths import ROOT

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<raw>[bc]?r(?P<hashes>\#*)".*?"(?P=hashes))
    |(?P<text>[bc]?"(?:\\.|[^"\\])*")
    |(?P<letter>b?'(?:\\[^\n]+?|[^\\'\n])'|'\w+)
    |(?P<word>(?:r\#)?\w+)
    |(?P<sign>::|\.\.=?|.)""",
    re.S | re.X,
)
WORD = re.compile(r"[^\W\d]\w*$")
DEFINES = {"fn", "struct", "enum", "union", "trait", "type", "const", "static"}
BEGINS = DEFINES | {"pub", "impl", "mod", "use", "async", "unsafe", "extern", "macro_rules"}
ENDS_WITH_SEMICOLON = {"use", "const", "static", "type", "let"}
# A name goes through fewer imports and re-exports than this.
LINKS_MAX = 20
OPEN, CLOSE = {"(", "[", "{"}, {")", "]", "}"}


def tokens(text):
    """The words and signs of a source, without comments; a text in quotes is one token."""
    found = []
    for match in TOKEN.finditer(text):
        if match.lastgroup != "skip":
            found.append(match.group().removeprefix("r#") if match.lastgroup == "word" else match.group())
    return found


def closing(words, at):
    """Where the bracket that opens at a place is closed."""
    depth = 0
    for place in range(at, len(words)):
        if words[place] in OPEN:
            depth += 1
        elif words[place] in CLOSE:
            depth -= 1
            if depth == 0:
                return place
    return len(words) - 1


def end_of_item(words, at):
    """The place behind an item, field, arm or statement, attributes before it included."""
    while words[at : at + 2] == ["#", "["]:
        at = closing(words, at + 1) + 1
    is_item = words[at] in BEGINS
    head = next((word for word in words[at : at + 8] if word in DEFINES | {"use", "let", "impl", "mod"}), "")
    while at < len(words):
        if words[at] in OPEN:
            at, bracket = closing(words, at), words[at]
            if bracket == "{" and head not in ENDS_WITH_SEMICOLON:
                return at + 1
        elif words[at] == ";" or (words[at] == "," and not is_item):
            return at + 1
        elif words[at] in CLOSE:
            return at
        at += 1
    return at


def is_test(attribute):
    """Whether `#[cfg(…)]` keeps something for tests alone."""
    return attribute[:3] == ["cfg", "(", "test"] or attribute[:5] == ["cfg", "(", "all", "(", "test"]


def without_tests(words):
    """A source without what stands there for tests alone."""
    kept, at = [], 0
    while at < len(words):
        if words[at : at + 2] == ["#", "["] and is_test(words[at + 2 : closing(words, at + 1)]):
            at = end_of_item(words, at)
        else:
            kept.append(words[at])
            at += 1
    return kept


def is_test_file(path):
    """Whether a file is of tests alone."""
    return path.stem in ("tests", "testing") or path.stem.endswith("_tests") or "tests" in path.parts


def path_at(words, at):
    """The path that begins at a place (`a::b::c`), and the place behind it."""
    path = [words[at]]
    while words[at + 1 : at + 2] == ["::"] and at + 2 < len(words) and WORD.match(words[at + 2]):
        at += 2
        path.append(words[at])
    return path, at + 1


def imported(words, at, before=()):
    """What a tree of `use` imports, as pairs of a path and its name here, and the place behind it."""
    path = list(before)
    while at < len(words):
        word = words[at]
        if word == "{":
            found, end = [], closing(words, at)
            at += 1
            while at < end:
                more, at = imported(words, at, path)
                found += more
                at += words[at] == ","
            return found, end + 1
        if word == "*":
            return [(path, "*")], at + 1
        if word == "as":
            return [(path, words[at + 1])], at + 2
        if word in (",", ";", "}"):
            break
        if word != "::":
            path.append(word)
        at += 1
    if len(path) > 1 and path[-1] == "self":
        path.pop()
    return [(path, path[-1])], at


class Module:
    """A module: what it defines, what it imports, and which paths stand in it."""

    def __init__(self, name, file, folder, parent=None):
        self.name, self.file, self.folder, self.parent = name, file, folder, parent
        self.items, self.children = set(), {}
        self.imports, self.globs, self.paths = defaultdict(list), [], set()

    def root(self):
        return self.parent.root() if self.parent else self

    def above(self):
        """The modules that it is in."""
        return [self.parent, *self.parent.above()] if self.parent else []


class Crate:
    """The modules of a crate, read from its root file down."""

    def __init__(self, root_file, own_name=""):
        self.own_name = own_name
        self.modules = []
        self.macros = {}
        self.root = self.read_file("crate", root_file, root_file.parent, None)

    def read_file(self, name, file, folder, parent):
        module = Module(name, file, folder, parent)
        self.read(module, without_tests(tokens(file.read_text())))
        return module

    def read(self, module, words):
        """Reads the words of one module; `depth` counts the brackets that are no module's."""
        self.modules.append(module)
        at, depth = 0, 0
        while at < len(words):
            word = words[at]
            following = words[at + 1] if at + 1 < len(words) else ""
            if word == "mod" and depth == 0 and WORD.match(following):
                at = self.read_child(module, words, at + 1)
                continue
            if word == "use" and words[at - 1 : at] != ["."] and (WORD.match(following) or following in ("::", "{")):
                found, at = imported(words, at + 1)
                for path, name in found:
                    if name == "*":
                        module.globs.append(path)
                    elif name != "_":
                        module.imports[name].append(path)
                    module.paths.add(tuple(path))
                continue
            if word == "macro_rules":
                module.items.add(words[at + 2])
                self.macros[words[at + 2]] = module
                at += 3
                continue
            if depth == 0 and word == "!" and following == "{":
                # What a macro is given may be items.
                end = closing(words, at + 1)
                pairs = zip(words[at:end], words[at + 1 : end], strict=False)
                module.items |= {name for kind, name in pairs if kind in DEFINES and WORD.match(name)}
            if depth == 0 and word in DEFINES and WORD.match(following):
                module.items.add(following)
            depth += (word in OPEN) - (word in CLOSE)
            if word.startswith('"') and "::" in word and re.fullmatch(r"\w+(::\w+)+", word[1:-1]):
                module.paths.add(tuple(word[1:-1].split("::")))
            if not WORD.match(word) or words[at - 1 : at] == ["."]:
                at += 1
                continue
            path, behind = path_at(words, at)
            if len(path) > 1 or word[0].isupper() or words[behind : behind + 1] in (["("], ["!"]):
                module.paths.add(tuple(path))
            at = behind

    def read_child(self, module, words, at):
        """Reads `mod name;` or `mod name { … }`, and says where it ends."""
        name, following = words[at], words[at + 1]
        folder = module.folder / name
        if following == "{":
            end = closing(words, at + 1)
            child = Module(name, module.file, folder, module)
            module.children[name] = child
            self.read(child, words[at + 2 : end])
            return end + 1
        beside, within = module.folder / f"{name}.rs", folder / "mod.rs"
        file = beside if beside.exists() else within
        if file.exists() and not is_test_file(file.relative_to(self.source(module))):
            module.children[name] = self.read_file(name, file, folder, module)
        return at + 2

    @staticmethod
    def source(module):
        return module.root().file.parent

    def find(self, module, path, seen=frozenset()):
        """What a path names, seen from a module: modules, and the files of what is defined."""
        head, rest = path[0], path[1:]
        if head in ("crate", self.own_name):
            return self.within(self.root, rest, seen)
        if head in ("self", "super"):
            start = module if head == "self" else module.parent
            while start and rest[:1] == ("super",):
                start, rest = start.parent, rest[1:]
            return self.within(start, rest, seen) if start else set()
        return self.look_up(module, path, seen)

    def within(self, module, path, seen):
        """What a path below a module names; what is not found there is taken for its own."""
        if not path:
            return {module}
        return self.look_up(module, path, seen) or {module.file}

    def look_up(self, module, path, seen):
        """What a path names whose first word is known in a module."""
        name, rest = path[0], path[1:]
        if (module, path) in seen or len(seen) > LINKS_MAX:
            return set()
        seen |= {(module, path)}
        found = set()
        if name in module.children:
            found |= self.within(module.children[name], rest, seen)
        if name in module.items and not (rest and found):
            found.add(module.file)
        for target in module.imports.get(name, ()):
            if target[0] != name:
                found |= self.find(module, (*target, *rest), seen)
            elif name in module.children:
                found |= self.within(module.children[name], (*target[1:], *rest), seen)
        if not found:
            for target in module.globs:
                for start in self.find(module, tuple(target), seen):
                    if isinstance(start, Module):
                        found |= self.look_up(start, path, seen)
        if not found and not rest and name in self.macros and module.file != self.macros[name].file:
            found.add(self.macros[name].file)
        return found

    def edges(self):
        """For each file, the others that it uses, without those of the folders that it is in."""
        used = defaultdict(set)
        for module in self.modules:
            own = {module.file} | {above.file for above in module.above()}
            used[module.file] |= set()
            for path in module.paths:
                files = {found for found in self.find(module, path) if not isinstance(found, Module)}
                used[module.file] |= files - own
        return dict(used)


def circles(edges):
    """The groups that reach each other, each sorted."""

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


def crates():
    """The folders of the crates that are held to this."""
    manifests = [*(ROOT / "core").glob("*/Cargo.toml"), ROOT / "route-hub/Cargo.toml"]
    manifests += [*(ROOT / "route-hub").glob("*/Cargo.toml"), ROOT / "server-stub/Cargo.toml"]
    return sorted(manifest.parent for manifest in manifests)


@cache
def uses_of(folder):
    """For each file of a crate, the others of it that it uses; library and program together."""
    name = re.search(r'^name = "([\w-]+)"', (folder / "Cargo.toml").read_text(), re.M).group(1).replace("-", "_")
    used = {}
    for root in ("lib.rs", "main.rs"):
        if (folder / "src" / root).exists():
            used |= Crate(folder / "src" / root, name if root == "lib.rs" else "").edges()
    source = folder / "src"
    return {
        str(file.relative_to(source)): {str(other.relative_to(source)) for other in others}
        for file, others in used.items()
    }


def main(folders):
    total = 0
    for folder in map(Path, folders):
        edges = uses_of(ROOT / folder)
        for group in circles(edges):
            total += 1
            print(f"{folder}: {len(group)} files")
            for file in group:
                print(f"  {file} -> {' '.join(sorted(edges[file] & set(group)))}")
    print(f"{total} circles")


if __name__ == "__main__":
    main(sys.argv[1:] or [folder.relative_to(ROOT) for folder in crates()])
