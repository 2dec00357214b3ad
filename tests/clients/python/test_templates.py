"""Message templates."""

import pytest
import telerivet

from support.numbers import fresh_number


def test_a_template_is_made_found_changed_and_deleted(project):
    name = f"Template {fresh_number()}"
    made = project.createMessageTemplate(
        name=name,
        content="See you, [[contact.name]]!",
        attachments=[{"url": "https://files.example/map.png"}],
        route_params={"port": 16_000, "data": "AP8="},
        short_link_params={"domain": "a.example"},
    )
    assert (made.name, made.track_clicks, made.readonly) == (name, False, False)
    assert [one["type"] for one in made.attachments] == ["image/png"]
    made.content, made.track_clicks, made.vars.owner = "See you soon!", True, "clinic"
    made.save()
    again = project.getMessageTemplateById(made.id)
    assert (again.content, again.track_clicks, again.vars.owner) == ("See you soon!", True, "clinic")
    assert again.short_link_params == {"domain": "a.example", "expiration_sec": None}
    assert project.initMessageTemplateById(made.id).name == name
    found = project.queryMessageTemplates(name={"prefix": name}, sort="name")
    assert [template.id for template in found] == [made.id]
    assert project.queryMessageTemplates(waba_id="1").all() == []
    made.delete()
    with pytest.raises(telerivet.NotFoundException):
        project.getMessageTemplateById(made.id).load()
