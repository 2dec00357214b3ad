"""docs/accounting.md names a test for each way to crash: each of these tests must exist."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "accounting.md"
SOURCES = ("core", "route-hub", "server-stub", "tests")
TESTS = {
    ".py": re.compile(r"^\s*def (test_\w+)", re.M),
    ".rs": re.compile(r"#\[(?:tokio::)?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:async )?fn (\w+)"),
}


def defined():
    """Returns the name of every Rust and Python test under the source folders."""
    names = set()
    for folder in SOURCES:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in TESTS and "target" not in path.parts:
                names.update(TESTS[path.suffix].findall(path.read_text(encoding="utf-8")))
    return names


def rows():
    """Returns {number of the row: names of tests} of the table of crashes."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    found = {}
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].isdigit():
            found[int(cells[0])] = re.findall(r"`(\w+)`", cells[-1])
    return found


def test_every_row_of_the_crash_table_is_there():
    assert sorted(rows()) == list(range(1, 19))


def test_every_row_of_the_crash_table_names_a_test():
    assert [number for number, tests in rows().items() if not tests] == []


def test_each_test_that_the_crash_table_names_exists():
    names = defined()
    missing = [name for tests in rows().values() for name in tests if name not in names]
    assert missing == []
