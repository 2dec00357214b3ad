"""Tasks: one operation on many things."""

import pytest
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
