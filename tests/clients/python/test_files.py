"""Files: given, found, changed, sent and removed."""

import base64

import pytest
import requests
import telerivet

from support.numbers import fresh_number

DOT = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"


def upload(project, name):
    """Gives a file whose content nobody else gives."""
    content = DOT + name.encode()
    data = base64.b64encode(content).decode()
    return project.uploadFile(data=data, type="image/gif", filename=name), content


def test_a_file_is_kept_as_it_was_given_and_had_under_its_address(project):
    file, content = upload(project, "kept.gif")
    assert (file.filename, file.type, file.size, file.source) == ("kept.gif", "image/gif", len(content), "api")
    assert requests.get(file.url, timeout=10).content == content
    assert requests.get(file.thumbnail_url, timeout=10).headers["content-type"] == "image/jpeg"
    assert upload(project, "kept.gif")[0].id == file.id
    again = project.getFileById(file.id)
    assert (again.sha256, again.project_id) == (file.sha256, project.id)
    assert project.initFileById(file.id).filename == "kept.gif"


def test_files_are_found_by_what_they_are(project):
    file, _ = upload(project, "found.gif")
    assert [found.id for found in project.queryFiles(sha256=file.sha256)] == [file.id]
    assert file.id in [found.id for found in project.queryFiles(type="image/*", sort="size")]
    assert project.queryFiles(filename={"prefix": "no such"}).count() == 0


def test_a_file_is_renamed_and_removed(project):
    file, _ = upload(project, "old.gif")
    file.filename, file.description = "new.gif", "A dot."
    file.save()
    again = project.getFileById(file.id)
    assert (again.filename, again.description) == ("new.gif", "A dot.")
    file.delete()
    with pytest.raises(telerivet.NotFoundException):
        project.getFileById(file.id)


def test_a_message_carries_a_file_and_keeps_it(project, demo):
    file, content = upload(project, "sent.gif")
    message = project.sendMessage(
        message_type="mms", to_number=fresh_number(), media=[{"file_id": file.id}], route_id=demo.test_phone_id
    )
    carried = project.getMessageById(message.id).media[0]
    assert (carried["type"], carried["filename"], carried["size"]) == ("image/gif", "sent.gif", len(content))
    assert requests.get(carried["url"], timeout=10).content == content
    with pytest.raises(telerivet.InvalidParameterException):
        file.delete()


def test_what_is_no_medium_is_refused(project):
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        project.uploadFile(data=base64.b64encode(b"<svg/>").decode(), type="image/png")
    assert refused.value.param == "data"
