"""What a document shows: its blocks of code, and the commands within its sentences."""

import re
import shlex
import textwrap
from dataclasses import dataclass

FENCE = re.compile(r"^(\s*)```(\S*) ?(.*)$")
SPAN = re.compile(r"`([^`]+)`")
# A sentence names a command of the hub by the program's name or by the command alone.
COMMANDS = "serve demo migrate backup restore restored admin doctor settings".split()
GROUPS = "organization project key phone device short-domain alerts unfreeze pair".split()


@dataclass(frozen=True)
class Block:
    """A block of code; `remark` is what follows the language, such as `not run: it needs a container engine`."""

    line: int
    language: str
    remark: str
    text: str

    @property
    def runs(self):
        """Whether the document promises that it runs as printed."""
        return not self.remark.startswith("not run: ")


def blocks(path):
    """Yields the blocks of a document, indentation of lists taken off."""
    begun, lines = None, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if begun is None:
            if fence:
                begun, lines = (number, fence[2], fence[3]), []
        elif line.strip() == "```":
            yield Block(*begun, textwrap.dedent("\n".join(lines)) + "\n")
            begun = None
        else:
            lines.append(line)
    assert begun is None, f"{path.name}:{begun[0]}: the block has no end"


def commands(text):
    """Splits a block for a shell into its commands; what a shell would only print or skip is left out."""
    joined = re.sub(r"\\\n\s*", "", text)
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in joined.splitlines())
    return [line for line in lines if line]


def spoken(path):
    """Yields the line and the words of each command of the hub within a document's sentences."""
    is_block = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_block = not is_block
        if not is_block:
            for span in SPAN.findall(line):
                if words := command_words(span):
                    yield number, words


def command_words(span):
    """Returns the arguments of `route-hub` that a span names, or None if it is no command."""
    try:
        words = shlex.split(span)
    except ValueError:
        return None
    if words[:2] == ["sudo", "-u"]:
        words = words[3:]
    if words[:1] == ["route-hub"]:
        return words[1:] if len(words) > 1 else None
    if len(words) < 2:
        return None
    if words[0] in COMMANDS:
        return words
    return ["admin", *words] if words[0] in GROUPS and re.fullmatch(r"[a-z-]+|--.*", words[1]) else None
