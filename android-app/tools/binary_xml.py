"""Reads the manifest of an APK back from its compiled form."""

import struct

from resource_file import STRING_POOL, chunks, strings

START, END = 0x0102, 0x0103
NONE = 0xFFFFFFFF
REFERENCE, TEXT, BOOLEAN, HEXADECIMAL = 0x01, 0x03, 0x12, 0x11


class Element:
    """A name, {name of an attribute: its value as text}, and the elements within."""

    def __init__(self, name, attributes):
        self.name, self.attributes, self.children = name, attributes, []

    def all(self, *names):
        return [child for child in self.children if child.name in names]

    def one(self, name):
        (found,) = self.all(name)
        return found


def parse(data):
    """Returns the outermost element of a compiled XML file."""
    _, header, _ = struct.unpack_from("<HHI", data)
    texts, open_elements, root = [], [], None
    for kind, start, size, _ in chunks(data, header, len(data)):
        if kind == STRING_POOL:
            texts = strings(data, start)
        elif kind == START:
            element = _element(data, start + size, texts)
            if open_elements:
                open_elements[-1].children.append(element)
            root = root or element
            open_elements.append(element)
        elif kind == END:
            open_elements.pop()
    return root


def _element(data, at, texts):
    _, name, first, size, count = struct.unpack_from("<IIHHH", data, at)
    attributes = {}
    for number in range(count):
        _, key, raw, _, _, kind, value = struct.unpack_from("<IIIHBBI", data, at + first + size * number)
        attributes[texts[key]] = texts[raw] if raw != NONE else _value(kind, value, texts)
    return Element(texts[name], attributes)


def _value(kind, value, texts):
    if kind == TEXT:
        return texts[value]
    if kind == BOOLEAN:
        return "true" if value else "false"
    if kind == REFERENCE:
        return "@"  # the number changes with every new resource
    return f"{value:#x}" if kind == HEXADECIMAL else str(value)
