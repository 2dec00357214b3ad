"""Tasks: one operation on many things."""

import pytest
import requests
import telerivet

from support.numbers import fresh_number
from support.wait import until


def complete(project, task):
    """Waits until a task is done, and returns it."""

    def done():
        found = project.getTaskById(task.id)
        return found if found.status == "complete" else None

    return until(done, "the task is complete")


def test_a_task_is_made_done_and_found(project):
    contacts = [project.getOrCreateContact(phone_number=fresh_number()) for _ in range(3)]
    group = project.getOrCreateGroup(f"Group {fresh_number()}")
    made = project.createTask(
        task_type="add_group_members",
        task_params={"group_id": group.id},
        filter_type="contact_ids",
        filter_params={"contact_ids": [contact.id for contact in contacts[:2]]},
    )
    done = complete(project, made)
    assert (done.total_rows, done.current_row, done.error_message) == (2, 2, None)
    members = [contact.id for contact in group.queryContacts()]
    assert members == [contact.id for contact in contacts[:2]]
    assert made.id in [task.id for task in project.queryTasks(sort_dir="desc")]
    done.cancel()
    assert project.getTaskById(made.id).status == "complete"


def test_a_task_without_a_filter_is_refused(project):
    with pytest.raises(telerivet.APIException):
        project.createTask(task_type="delete_contacts", filter_type="query_contacts", filter_params={"nmae": "x"})


def test_contacts_are_exported_to_a_file(project):
    contact = project.getOrCreateContact(phone_number=fresh_number(), name="=1+1")
    made = project.createTask(
        task_type="export_contacts",
        task_params={"filename": "people.csv", "column_ids": ["phone_number", "name"]},
        filter_type="contact_ids",
        filter_params={"contact_ids": [contact.id]},
    )
    done = complete(project, made)
    file = project.getFileById(done.file_id)
    text = requests.get(file.url, timeout=10).text
    assert text == f"phone_number,name\r\n{contact.phone_number},'=1+1\r\n"


def test_a_file_of_contacts_is_imported(project, demo):
    number = fresh_number()
    text = f"Mobile;Name\n{number};Ann\n2.5E+11;Bob\n".encode("cp1252")
    file = demo.rest.call("POST", "files?filename=people.csv", data=text, headers={"Content-Type": "text/csv"}).json()
    columns = {"phone_number": "Mobile", "name": "Name"}
    made = project.createTask(task_type="import_contacts", task_params={"file_id": file["id"], "columns": columns})
    done = complete(project, made)
    assert (done.total_rows, done.preview["created"], done.preview["failed"]) == (2, 1, 1)
    assert done.preview["errors"][0]["column"] == "Mobile"
    assert project.getOrCreateContact(phone_number=number).name == "Ann"
    assert "Bob" in requests.get(project.getFileById(done.errors_file_id).url, timeout=10).text
