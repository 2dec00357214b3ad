"""Files that a project keeps."""

from conformance.schema import (
    HIDDEN,
    VOID,
    Bad,
    Case,
    Filter,
    Good,
    Operation,
    Parameter,
    Resource,
    listed,
    text,
)

TEXT = ("ne", "prefix", "not_prefix", "gte", "gt", "lt", "lte")
CATEGORIES = ("outgoing_media", "incoming_media", "call_audio", "test_recording", "script_module", "icon", "task_data")
SOURCES = ("upload", "message", "recording", "api", "export", "import")
FILE = Resource(
    "StoredFile",
    {
        "id": "id",
        "filename": "text?",
        "type": "text",
        "size": "int",
        "description": "text?",
        "category": "=" + "|".join(CATEGORIES),
        "source": "=" + "|".join(SOURCES),
        "message_id": "id?",
        "sha256": "text",
        "time_created": "time",
        "user_id": "id?",
        "url": "text?",
        "thumbnail_url": "text?",
        "project_id": "id",
    },
)
READ_ONLY = ("id", "type", "size", "category", "source", "message_id", "sha256", "time_created", "user_id", "url")
DOT = "R0lGODlhAQABAAAAACw="
FILENAME = text("filename", 127, good=("dot.gif",))
DESCRIPTION = text("description", 1_000, good=("A dot.",))
ONE = "/projects/{project_id}/files/{file_id}"
FILTERS = (
    Filter("filename", "text", TEXT),
    Filter("type", "text"),
    Filter("category", "one of", values=CATEGORIES, nothing=True),
    Filter("source", "one of", values=SOURCES),
    Filter("size", "int", ("min", "max")),
    Filter("time_created", "time", ("min", "max")),
    Filter("message_id", "id", nothing=True),
    Filter("sha256", "text"),
)

OPERATIONS = (
    listed("/projects/{project_id}/files", "view_messages", FILE, FILTERS, ("filename", "size", "time_created")),
    Operation(
        "POST",
        "/projects/{project_id}/files",
        "send_messages",
        FILE,
        base={"data": DOT, "type": "image/gif"},
        parameters=(
            Parameter(
                "data",
                (f"data:image/gif;base64,{DOT}", DOT),
                (
                    Bad("a number", 17),
                    Bad("nothing", ""),
                    Bad("no base64", "????"),
                    Bad("an empty URI", "data:image/gif;base64,"),
                    Bad("a page", "data:text/html;base64,PHA+"),
                    Bad("markup", "PHN2Zy8+"),
                    Bad("an archive", "UEsDBAoAAAAAAA=="),
                ),
                required=True,
                shown=HIDDEN,
            ),
            text("filename", 127, good=("dot.gif",), shown=HIDDEN),
            text("description", 1_000, good=("A dot.",), shown=HIDDEN),
            text(
                "type",
                good=("image/png", Good("IMAGE/GIF", "image/gif")),
                bad=(Bad("a page", "text/html"), Bad("no type", "gif")),
                required=True,
            ),
        ),
        cases=(
            Case("the same again", {"data": DOT, "type": "image/gif"}, shows={"source": "api", "size": 14}),
        ),
    ),
    Operation("GET", ONE, "view_messages", FILE),
    Operation(
        "POST",
        ONE,
        "send_messages",
        FILE,
        parameters=(FILENAME, DESCRIPTION),
        read_only=(*READ_ONLY, "thumbnail_url", "project_id"),
    ),
    Operation("DELETE", ONE, "send_messages", VOID, fields=False),
)
