"""Files of a hub that is killed, and in its backups."""

import base64
import hashlib
import threading

import requests

from support.hub import Demo

DOT = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"


def upload(rest, name):
    """Gives a file of 200 KiB, whose content nobody else gives."""
    content = DOT + name.encode().ljust(200_000, b".")
    given = {"data": base64.b64encode(content).decode(), "type": "image/gif", "filename": name}
    return rest.post("files", given)


def listed(rest):
    """Returns every file by its id."""
    files, marker = {}, {}
    while marker is not None:
        page = rest.get("files", page_size=200, **marker)
        files |= {file["id"]: file for file in page["data"]}
        marker = {"marker": page["next_marker"]} if page["truncated"] else None
    return files


def test_a_killed_hub_has_whole_what_it_answered_and_nothing_else(tmp_path):
    answered, removed, ended = {}, set(), threading.Event()
    demo = Demo(tmp_path, phones=0)

    def give_and_take(giver):
        for number in range(1_000):
            try:
                file = upload(demo.rest, f"{giver} {number}")
                answered[file["id"]] = file
                if number % 3 == 0:
                    removed.add(file["id"])
                    demo.rest.call("DELETE", f"files/{file['id']}")
            except (requests.RequestException, AssertionError):
                return
            if number == 10:
                ended.set()

    givers = [threading.Thread(target=give_and_take, args=(giver,)) for giver in range(4)]
    for giver in givers:
        giver.start()
    assert ended.wait(60)
    demo.program.kill()
    for giver in givers:
        giver.join()

    demo = Demo(tmp_path, phones=0)
    there = listed(demo.rest)
    assert set(answered) - removed <= set(there)
    for file in there.values():
        content = requests.get(file["url"], timeout=10).content
        assert hashlib.sha256(content).hexdigest() == file["sha256"], file["filename"]
        assert len(content) == file["size"]
        again = upload(demo.rest, file["filename"])
        assert again["id"] == file["id"], "the same content is the same file"
    demo.program.kill()
