"""What the documents name is there: files and folders in backticks, and the targets of links."""

import re
import subprocess

import pytest

from support.paths import ROOT

TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
DOCUMENTS = [name for name in TRACKED if name.endswith(".md")]
TOP = {name.split("/")[0] for name in TRACKED if "/" in name}
BACKTICKS = re.compile(r"`([\w.-]+/[\w./*{},-]*)`")
SOURCE = re.compile(r"`([\w./-]+\.(?:rs|py|kt))`")
FOLDER = re.compile(r"`([a-z_/-]+/)`")
LINK = re.compile(r"\]\(([^)#: ]+)(?:#[^)]*)?\)")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
MADE = ("android-app/target", "android-app/build", "android-app/.keys", "target/")
"""What exists only once something was built."""


def braces(text):
    """Writes out `a/{b,c}.rs` as two paths."""
    if not (found := re.search(r"\{([^{}]*)\}", text)):
        return [text]
    return [one for word in found[1].split(",") for one in braces(text[: found.start()] + word + text[found.end() :])]


def is_there(path, base):
    """Returns whether a path, or a pattern of paths, names something below the folder."""
    return any(base.glob(path.rstrip("/"))) if "*" in path else (base / path).exists()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_a_document_names_is_there(name):
    text = CODE.sub("", (ROOT / name).read_text())
    beside = (ROOT / name).parent
    missing = [link for link in LINK.findall(text) if not is_there(link, beside)]
    for quoted in BACKTICKS.findall(text):
        for path in braces(quoted):
            if path.split("/")[0] in TOP and not path.startswith(MADE):
                missing += [path] if not (is_there(path, ROOT) or is_there(path, beside)) else []
    missing += [end for end in SOURCE.findall(text) if not any(f"/{path}".endswith(f"/{end}") for path in TRACKED)]
    missing += [part for part in FOLDER.findall(text) if not any(f"/{part}" in f"/{path}" for path in TRACKED)]
    assert not missing, f"{name} names what is not there: {missing}"
