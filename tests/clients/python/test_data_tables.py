"""Data tables, their rows, fields and views."""

import pytest
import telerivet

from support.numbers import fresh_number


def ids(cursor):
    return [item.id for item in cursor]


@pytest.fixture
def table(project):
    """A table that no other test uses."""
    made = project.getOrCreateDataTable(f"Table {fresh_number()}")
    yield made
    made.delete()


def test_a_table_is_made_once_changed_and_deleted(project):
    name = f"Table {fresh_number()}"
    table = project.getOrCreateDataTable(name)
    assert project.getOrCreateDataTable(name.upper()).id == table.id
    table.show_stats, table.vars.owner = False, "clinic"
    table.save()
    again = project.getDataTableById(table.id)
    assert (again.name, again.show_stats, again.vars.owner, again.num_rows) == (name, False, "clinic", 0)
    assert table.id in ids(project.queryDataTables(name={"prefix": name}))
    table.delete()
    with pytest.raises(telerivet.NotFoundException):
        project.getDataTableById(table.id).load()


def test_rows_are_added_found_changed_and_deleted(project, table):
    contact = project.getOrCreateContact(phone_number=fresh_number())
    first = table.createRow(contact_id=contact.id, vars={"answer": "yes", "age": 30})
    second = table.createRow(from_number="+15005550107", vars={"answer": "no", "age": 40})
    assert ids(table.queryRows()) == [first.id, second.id]
    assert ids(table.queryRows(vars={"age": {"min": 35}})) == [second.id]
    assert ids(table.queryRows(contact_id=contact.id)) == [first.id]
    assert ids(contact.queryDataRows()) == [first.id]
    second.vars.answer = "yes"
    second.save()
    assert dict(table.countRowsByValue("answer")) == {"yes": 2}
    first.delete()
    assert ids(table.queryRows()) == [second.id]
    assert table.getRowById(second.id).from_number == "+15005550107"


def test_rows_are_imported_by_a_key(table):
    rows = [{"vars": {"code": n, "answer": "yes"}} for n in (1, 2)]
    made = table.importRows(rows=rows, lookup_key="vars.code")
    again = table.importRows(rows=[{"vars": {"code": 2, "answer": "no"}}, {"vars": {"code": 3}}], lookup_key="vars.code")
    imported = [[row["id"] for row in answer["rows"]] for answer in (made, again)]
    assert imported[0][1] == imported[1][0] and len(set(imported[0] + imported[1])) == 3
    assert dict(table.countRowsByValue("answer")) == {"yes": 1, "no": 1}


def test_fields_are_those_of_the_table_alone(project, table):
    table.createRow(vars={"answer": "yes"})
    assert [field["variable"] for field in table.getFields()] == ["answer"]
    table.setFieldMetadata("answer", name="Answer", type="select", items=[{"value": "yes", "label": "Yes"}])
    assert table.getFields()[0]["name"] == "Answer"
    table.updateFields(metadata=[{"variable": "answer", "delete": True}, {"variable": "comment"}])
    assert [field["variable"] for field in table.getFields()] == ["comment"]
    assert ids(table.queryRows(vars={"answer": {"exists": True}})) == []


def test_a_view_has_the_rows_of_now(table):
    view = table.createView(name="Said yes", filters={"vars.answer": "yes"})
    row = table.createRow(vars={"answer": "yes"})
    table.createRow(vars={"answer": "no"})
    assert ids(view.queryRows()) == [row.id]
    view.name = "Agreed"
    view.save()
    assert [(one.name, one.num_rows) for one in table.queryViews()] == [("Agreed", 1)]
    view.delete()
    with pytest.raises(telerivet.NotFoundException):
        table.getViewById(view.id).load()
