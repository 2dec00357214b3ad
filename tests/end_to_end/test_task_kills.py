"""A hub that is killed in an export or an import: each row is written and taken once."""

import csv
import io

import pytest
import requests

from end_to_end.test_files_gaps import bucket, gap, hub  # noqa: F401 (fixtures)
from support import faketime
from support.hub import Demo
from support.numbers import fresh_number
from support.ports import free_port
from support.wait import until

ROWS = 2_400
LONG = "x" * 4_000
"""So long that the rows fill several parts of a file."""


def table_of(rest, count=ROWS, text=LONG):
    """Makes a table with numbered rows; returns its id."""
    table = rest.post("tables", {"name": f"Answers {fresh_number()}"})["id"]
    for start in range(0, count, 200):
        rows = [{"vars": {"n": number, "text": text}} for number in range(start, min(start + 200, count))]
        rest.post(f"tables/{table}/import_rows", {"rows": rows})
    return table


def export(rest, table):
    """Begins to write the rows of a table to a file; returns the task's id."""
    given = {"filename": "rows.csv", "column_ids": ["vars.n", "vars.text"]}
    body = {"task_type": "export_rows", "task_params": given, "table_id": table}
    return rest.post("tasks", {**body, "filter_type": "query_rows", "filter_params": {"all": True}})["id"]


def ended(rest, task):
    """Waits until a task has ended, and returns it."""
    under_way = ("queued", "active")

    def end():
        found = rest.get(f"tasks/{task}")
        return found if found["status"] not in under_way else None

    return until(end, "the task ends", 120)


def judge(rest, task, count=ROWS):
    """Each row stands in the file once, in order, and there is no other file."""
    done = ended(rest, task)
    assert (done["status"], done["error_message"], done["current_row"]) == ("complete", None, count)
    files = rest.get("files?source=export")["data"]
    assert [one["id"] for one in files] == [done["file_id"]]
    text = requests.get(files[0]["url"], timeout=60).content.decode()
    numbers = [int(row["vars.n"]) for row in csv.DictReader(io.StringIO(text))]
    assert numbers == list(range(count))


@pytest.mark.skipif(not faketime.is_there(), reason="libfaketime is missing")
@pytest.mark.parametrize("named", ("TK", "uploadId"), ids=("a part", "the file"))
@pytest.mark.parametrize("before", (True, False), ids=("before its bytes", "between its bytes and its row"))
def test_an_export_that_is_killed_has_each_row_once(tmp_path, gap, bucket, named, before):  # noqa: F811
    pytest.importorskip("moto", reason="moto needs Python 3.11")
    demo = hub(tmp_path, gap)
    table = table_of(demo.rest)
    method = "PUT" if named == "TK" else "POST"
    gap.hold(method, before, named)
    task = export(demo.rest, table)
    assert gap.reached.wait(60)
    demo.program.kill()
    gap.pass_all()
    demo = hub(tmp_path, gap)
    judge(demo.rest, task)
    demo.program.kill()


def rows_of(rest, table):
    """Returns the numbers of the rows of a table."""
    found, marker = [], None
    while True:
        more = {"marker": marker} if marker else {}
        page = rest.get(f"tables/{table}/rows", page_size=500, **more)
        found += [int(row["vars"]["n"]) for row in page["data"]]
        marker = page.get("next_marker")
        if not page["truncated"]:
            return found


def test_tasks_that_are_killed_again_and_again_go_through_each_row_once(tmp_path):
    port, count = free_port(), 20_000
    demo = Demo(tmp_path, 0, listen=f"127.0.0.1:{port}")
    table = demo.rest.post("tables", {"name": "Imported"})["id"]
    text = "vars.n\n" + "".join(f"{number}\n" for number in range(count))
    file = demo.rest.call("POST", "files", data=text, headers={"Content-Type": "text/csv"}).json()
    body = {"task_type": "import_rows", "task_params": {"file_id": file["id"]}, "table_id": table}
    task = demo.rest.post("tasks", body)["id"]
    far = 0
    for _ in range(3):
        rest = demo.rest
        until(lambda: rest.get(f"tasks/{task}")["current_row"] > far or ended_now(rest, task), "it goes on", 60)
        far = rest.get(f"tasks/{task}")["current_row"]
        demo.program.kill()
        demo = Demo(tmp_path, 0, listen=f"127.0.0.1:{port}")
    done = ended(demo.rest, task)
    assert (done["status"], done["current_row"], done["preview"]["created"]) == ("complete", count, count)
    assert rows_of(demo.rest, table) == list(range(count))
    written = export_of_n(demo.rest, table)
    for _ in range(2):
        demo.program.kill()
        demo = Demo(tmp_path, 0, listen=f"127.0.0.1:{port}")
    judge(demo.rest, written, count)
    assert demo.program.stop() == 0


def ended_now(rest, task):
    """Says whether a task has ended."""
    return rest.get(f"tasks/{task}")["status"] not in ("queued", "active")


def export_of_n(rest, table):
    """As `export`, of the numbers alone."""
    body = {"task_type": "export_rows", "task_params": {"filename": "n.csv", "column_ids": ["vars.n"]}}
    filters = {"filter_type": "query_rows", "filter_params": {"all": True}}
    return rest.post("tasks", {**body, "table_id": table, **filters})["id"]
