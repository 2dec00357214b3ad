"""Bad requests by seed: each takes an operation's valid request from the tables and puts something wrong in it.

Request number N of a seed is the same bytes in every run on the same world. To see one again, read the
failing test's output: it prints the seed, the number and the whole request.
"""

import gzip
import json
import random
from urllib.parse import quote, urlencode

from conformance.caller import flattened
from conformance.schema import LIST_PARAMETERS
from conformance.world import placeholders

HUGE = (
    10**30,
    -(10**30),
    2**63,
    -(2**63) - 1,
    2**64,
    2**53 + 1,
    1e308,
    -1e308,
    5e-324,
    0.1,
    -0.0,
    1e-9,
    -1,
    0,
    1,
    999_999_999,
)
WORDS = (
    *("NaN", "nan", "Infinity", "-Infinity", "inf", "1e999", "0x10", "1_000", "١٢٣", "true", "False", "null", "None"),
    *("", " ", "\t", "\r\n", "\x01", "\x07\x1b[31m", "\x7f", "\u0085", "\u2028", "\u202e", "\ufeff", "\U0001f600", "é"),
    *("' OR 1=1 --", '"; DROP TABLE messages; --', "%", "_%", "\\", "../../etc/passwd", "${jndi:x}", "{{7*7}}", "[[x"),
    *("[[contact.name|", "[[a|b|c|d]]", "<script>", "&amp;", "a=b&c=d", "[0]", "a[b", "vars.x", "contact.vars.x"),
    *("2026-02-30", "24:60", "-1:-1", "FREQ=DAILY;COUNT=99999999", "FREQ=YEARLY;BYDAY=99MO", "BYMONTH=2;BYMONTHDAY=31"),
    *(
        "FREQ=HOURLY;BYSETPOS=-366;BYHOUR=1",
        "+",
        "+1",
        "+" + "9" * 40,
        "*",
        "#",
        "*#06#",
        "+1500\u00a0555",
        "tel:+15005550100",
    ),
    *("data:text/html,x", "http://[::1", "http://a b", "http://\x00", "file:///etc/passwd", "https://" + "a" * 300),
)
ODD_IDS = (
    "0",
    "-",
    "x",
    "PJ",
    "SM0000000000000000",
    "SMffffffffffffffff",
    "SM8000000000000000",
    "SM000000000000000G",
    "sm0000000000000001",
)
ODD_PATHS = (
    "%00",
    "%ff",
    "%2e%2e",
    "%252e",
    "%F0%9F%98%80",
    "a%2Fb",
    "'",
    "*",
    "~",
    "%E2%80%AE",
    "+",
    "%20",
    "[]",
    ";x=1",
)
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "BREW", "get", "M-SEARCH")
KINDS = (
    *("application/json; charset=utf-8", "application/json;charset=latin1", "text/plain", "text/json", "", "garbage"),
    *(
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded; charset=utf-8",
        "application/json, text/x",
    ),
    *("APPLICATION/JSON", "application/jsonx", "application/octet-stream", "a/b;" + "x" * 500),
)
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
FORMS_OF_BODIES = ("json", "json", "json", "form", "gzip", "query")


class Maker:
    """Makes requests from a seed; `bases` are valid parameters and paths, prepared once."""

    def __init__(self, seed, bases, markers, key):
        self.random = random.Random(seed)
        self.bases = bases
        self.markers = markers
        self.key = key

    def request(self):
        """Returns the bytes of a request, and its method."""
        operation, ids, body = self.random.choice(self.bases)
        method, path = operation.method, self.path(operation, ids)
        if self.chance(0.03):
            method = self.random.choice(METHODS)
        if self.chance(0.5) and operation.filters is not None:
            return self.written(method, path, self.query(operation), b"", None)
        given = self.wrong(operation, body)
        return self.dressed(operation, method, path, given)

    def chance(self, part):
        """Returns true with this probability."""
        return self.random.random() < part

    def path(self, operation, ids):
        """Returns the path, sometimes with ids that are invalid or another thing's."""
        path = operation.path
        for name in placeholders(path):
            value = ids[name]
            if self.chance(0.01 if name in ("project_id", "organization_id") else 0.12):
                others = [other for _, known, _ in self.random.sample(self.bases, 1) for other in known.values()]
                value = self.random.choice((*ODD_IDS, *ODD_PATHS, *others, "x" * self.random.choice((35, 300, 3_000))))
            path = path.replace("{" + name + "}", value)
        if self.chance(0.01):
            path += self.random.choice(("/", "//", "/x", "?", "#x", "/.", "/..", "%2F"))
        return "/v1" + path

    def query(self, operation):
        """Returns a query string of a list."""
        pairs = []
        names = [row.name for row in operation.filters] + list(LIST_PARAMETERS) * 2
        for _ in range(self.random.randint(1, 4)):
            name = self.random.choice(names)
            if name == "vars" or self.chance(0.05):
                name += f"[{self.random.choice(('a', 'city', 'x' * 33, 'é', ''))}]"
            if self.chance(0.4):
                modifier = ("min", "max", "ne", "exists", "prefix", "gte", "near", "", "0", "a][b", "eq")
                name += f"[{self.random.choice(modifier)}]"
            pairs.append((name, self.word()))
        if self.chance(0.3):
            pairs.append(("marker", self.marker()))
        if self.chance(0.3):
            pairs.append(("sort", self.random.choice((*operation.sorts, "name", "x"))))
        text = urlencode([(name, value) for name, value in pairs], errors="replace")
        return text if self.chance(0.9) else self.mangled(text.encode()).decode("latin-1")

    def marker(self):
        """Returns a marker of another list, intact or broken, or anything."""
        marker = self.random.choice(self.markers)
        return self.random.choice((marker, marker[:-1], marker + "A", marker[::-1], self.word(), "A" * 1_025))

    def word(self):
        """Returns a text of a kind that often breaks programs."""
        choice = self.random.random()
        if choice < 0.6:
            return self.random.choice(WORDS)
        if choice < 0.75:
            return str(self.random.choice(HUGE))
        if choice < 0.85:
            return "".join(
                chr(self.random.choice((self.random.randrange(1, 0xD800), self.random.randrange(32, 127))))
                for _ in range(self.random.randint(1, 40))
            )
        if choice < 0.95:
            return self.random.choice(ODD_IDS)
        return self.random.choice("xé\U0001f600") * self.random.choice((33, 128, 1_001, 2_049, 4_097))

    def value(self, depth=0):
        """Returns any JSON value."""
        choice = self.random.random()
        if choice < 0.35:
            return self.word()
        if choice < 0.55:
            return self.random.choice(HUGE)
        if choice < 0.65:
            return self.random.choice((True, False, None))
        if choice < 0.68:
            return self.nested(self.random.choice((7, 8, 9, 60)))
        if depth > 2:
            return []
        if choice < 0.84:
            return [self.value(depth + 1) for _ in range(self.random.choice((0, 1, 2, 6, 30)))]
        return {self.name(): self.value(depth + 1) for _ in range(self.random.choice((0, 1, 3, 8)))}

    def name(self):
        """Returns the name of a member: one from the tables, or any word."""
        if self.chance(0.6):
            operation, _, _ = self.random.choice(self.bases)
            names = sorted(operation.names | {row.name for row in operation.parameters})
            if names:
                return self.random.choice(names)
        return self.word()[:60]

    def nested(self, levels):
        """Returns a deeply nested array or object."""
        value = 1
        for _ in range(levels):
            value = [value] if self.chance(0.5) else {"a": value}
        return value

    def wrong(self, operation, body):
        """Returns the valid parameters with some of them wrong."""
        given = dict(body)
        rows = [row.name for row in operation.parameters if not row.inside] + list(operation.read_only) + ["fields"]
        inside = [row for row in operation.parameters if row.inside]
        for _ in range(self.random.choice((1, 1, 1, 2, 4))):
            choice = self.random.random()
            if inside and choice < 0.3:
                row = self.random.choice(inside)
                items = given.get(row.inside)
                items = items if isinstance(items, list) else []
                items = [dict(item) for item in items if isinstance(item, dict)] or [{}]
                items[self.random.randrange(len(items))][row.name] = self.value()
                given[row.inside] = items
            elif choice < 0.8:
                given[self.random.choice(rows)] = self.value()
            elif choice < 0.9 and given:
                given.pop(self.random.choice(sorted(given)))
            else:
                given[self.name()] = self.value()
        return given

    def dressed(self, operation, method, path, given):
        """Writes parameters as JSON, form or query, sometimes compressed, cut or with a wrong content type."""
        how = "query" if method in ("GET", "HEAD") else self.random.choice(FORMS_OF_BODIES)
        if how in ("query", "form"):
            text = urlencode([(name, value) for name, value in flattened(given)][:3_000], errors="replace")
            if how == "query":
                return self.written(method, path, text[: self.random.choice((9_000, 4_000))], b"", None)
            body, kind = text.encode(), FORM
        else:
            body, kind = json.dumps(given, ensure_ascii=self.chance(0.5)).encode("utf-8", "replace"), JSON
        if self.chance(0.15):
            body = self.mangled(body)
        if self.chance(0.04):
            kind = self.random.choice(KINDS)
        encoding = None
        if how == "gzip":
            body, encoding = self.packed(body), "gzip"
        elif self.chance(0.01):
            encoding = self.random.choice(("gzip", "br", "x", "gzip, gzip"))
        return self.written(method, path, "", body, kind, encoding)

    def packed(self, body):
        """Compresses a body, sometimes one that grows enormously, or breaks it."""
        if self.chance(0.01):
            body += b" " * self.random.choice((600_000, 2_000_000))
        packed = gzip.compress(body, self.random.choice((1, 9)), mtime=0)
        if self.chance(0.2):
            packed = self.mangled(packed)
        return packed

    def mangled(self, body):
        """Cuts bytes off, inserts some, doubles a part, or flips some."""
        at = self.random.randrange(len(body) + 1)
        choice = self.random.random()
        if choice < 0.35:
            return body[:at]
        if choice < 0.55:
            return (
                body[:at]
                + self.random.choice(
                    (
                        b"\xff\xfe",
                        b"\x00",
                        b"\xed\xa0\x80",
                        b'"',
                        b",",
                        b"}",
                        b"%zz",
                        b"[" * self.random.choice((1, 9, 9_999)),
                        b'{"a":' * 999,
                        b"&",
                    )
                )
                + body[at:]
            )
        if choice < 0.75:
            return body[:at] + body[max(0, at - 20) :]
        if choice < 0.85:
            return body[:-1] + b"," + body[1:] if body.startswith(b"{") else body + b"&" + body
        return body[:at] + bytes(self.random.randrange(256) for _ in range(self.random.randint(1, 8))) + body[at + 1 :]

    def written(self, method, path, query, body, kind, encoding=None):
        """Writes the bytes of a request, and returns them with the method."""
        target = path + ("?" + query if query else "")
        target = quote(target, safe="/?&=%+[]:#;,~*'!@$()")
        lines = [f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", "Authorization: " + self.authorization()]
        if body or kind is not None:
            lines.append(f"Content-Length: {len(body)}")
        if kind is not None:
            lines.append(f"Content-Type: {kind}")
        if encoding:
            lines.append(f"Content-Encoding: {encoding}")
        if self.chance(0.02):
            lines.append("Idempotency-Key: " + self.random.choice(("a", "b", "x" * 300, "\u00ff", "c")))
        if self.chance(0.02):
            lines.append("Accept-Encoding: " + self.random.choice(("gzip", "gzip;q=0", "*", "x")))
        return method, "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + body

    def authorization(self):
        """Returns the header of the key, sometimes of another."""
        return (
            self.key
            if self.chance(0.99)
            else self.random.choice(("Basic eDp4", "Basic", "Bearer x", "Basic " + "A" * 5_000))
        )


def bases(world, operations):
    """Prepares valid parameters and a path for each operation, with things made only for it."""
    made = []
    for operation in operations:
        ids = {}
        for name in placeholders(operation.path):
            there = operation.at.get(name) or world.of_path(name, "POST")
            ids[name] = world.resolve(there)
        made.append((operation, ids, world.resolve(dict(operation.base))))
    return made
