"""Compares a table with the list of the interface: what one has and the other lacks."""

import re

from conformance.schema import ArrayOf, Good, ListOf, Resource, VOID
from conformance.shapes import Maybe

FREE = {"vars", "external_config"}
"""Objects whose members may have any name."""


def bare(value):
    """Returns the value to send for one that a row accepts."""
    return value.value if isinstance(value, Good) else value


def plain(name):
    """Returns a name as the list writes it: `vars.city` is a `vars.NAME`."""
    return re.sub(r"^vars\..+", "vars.NAME", name)


def succeeding(operation):
    """Returns the parameters of every request of the table that succeeds."""
    base = operation.base
    cases = [case.given if case.whole else {**base, **case.given} for case in operation.cases if case.status == 200]
    return [base, *cases]


def values(operation, name):
    """Returns every value of a parameter that is accepted."""
    found = [bare(value) for row in operation.parameters if (row.name, row.inside) == (name, "") for value in row.good]
    return found + [given[name] for given in succeeding(operation) if name in given]


def refused_values(operation, name):
    """Returns every value of a parameter that is refused."""
    found = [bad.value for row in operation.parameters if (row.name, row.inside) == (name, "") for bad in row.bad]
    cases = [case for case in operation.cases if case.status == 400 and case.param == name and name in case.given]
    return found + [case.given[name] for case in cases]


def members(found):
    """Returns the names in objects, and in arrays of objects."""
    names = set()
    for value in found:
        for item in value if isinstance(value, (list, tuple)) else [value]:
            names |= {plain(name) for name in item} if isinstance(item, dict) else set()
    return names


def deeper(found):
    """Returns the objects one level deeper; variables are a level of their own."""
    inside = [value for item in found if isinstance(item, dict) for value in item.values()]
    variables = [item["vars"] for item in found if isinstance(item, dict) and isinstance(item.get("vars"), dict)]
    named = [name for item in variables for name in item]
    objects = [item for item in inside if not (isinstance(item, dict) and set(item) & set(named))]
    return objects + [value for item in variables for value in item.values()]


def words(found):
    """Returns the texts among values, including those in arrays."""
    flat = [word for value in found for word in (value if isinstance(value, (list, tuple)) else [value])]
    return {plain(word) for word in flat if isinstance(word, str) and word}


def takes(operation, place=""):
    """Returns the names of one place that some request of the table gives and the hub accepts."""
    found = {row.name for row in operation.parameters if row.inside == place and row.good and not row.later}
    for given in succeeding(operation):
        found |= members([given.get(place)]) if place else set(given)
    return found


def operation_problems(operation, block, objects, every):
    """Yields where a table and the list differ about an operation."""
    yield from answer_problems(operation, block, every)
    yield from parameter_problems(operation, block)
    yield from member_problems(operation, block)
    yield from word_problems(operation, block)
    yield from list_problems(operation, block)
    yield from read_only_problems(operation, block, objects)


def answer_problems(operation, block, every):
    """Compares the answer, and whether its fields can be selected."""
    answer = operation.answer
    if isinstance(answer, ListOf):
        name = f"list of {answer.resource.name}"
    elif isinstance(answer, ArrayOf):
        name = f"array of {answer.resource.name}"
    else:
        name = {"int": "number", "object": "object"}[answer] if isinstance(answer, str) else answer.name
    if name != block.answer:
        yield f"answers with {name} in the table and with {block.answer} in the list"
    wants = every["object"].names("takes", "now") - block.names("takes", "later")
    wants = wants if name not in ("number", "object", "nothing") else set()
    if operation.fields != ("fields" in wants):
        yield "the table and the list differ about `fields`"


def parameter_problems(operation, block):
    """Compares parameters at the top, and in the objects of an array that has rows of its own."""
    places = {"takes": ""} | {row.inside + "[]": row.inside for row in operation.parameters if row.inside}
    for subject, place in places.items():
        rows = {row.name for row in operation.parameters if row.inside == place}
        took = takes(operation, place)
        for entry in block.entries(subject):
            if entry.name == "fields":
                continue
            if entry.name not in rows:
                yield f"{subject} {entry.name} ({entry.mark}) has no row"
            elif entry.here and entry.name not in took:
                yield f"{subject} {entry.name} ({entry.mark}) is never given a value that is taken"
            elif not entry.here and entry.name in took:
                yield f"{subject} {entry.name} is {entry.mark} in the list, and taken"
        for name in sorted((rows | took) - block.names(subject)):
            yield f"{subject} {name} is not in the list"


def member_problems(operation, block):
    """Compares the members of objects without rows of their own."""
    own = {row.inside for row in operation.parameters if row.inside}
    for row in operation.parameters:
        if row.inside or row.later or row.name in own | FREE:
            continue
        found = values(operation, row.name)
        for suffix, inside, wrong in (
            ("[]", [value for value in found if isinstance(value, (list, tuple))], refused_values(operation, row.name)),
            ("{}", [value for value in found if isinstance(value, dict)], refused_values(operation, row.name)),
            ("{}{}", deeper(found), []),
        ):
            yield from names_problems(block, row.name + suffix, members(inside), members(wrong))


def word_problems(operation, block):
    """Compares the words of choices: of parameters, filters and the path."""
    filters = {row.name: words(row.values) for row in operation.filters or () if row.kind == "one of"}
    for row in operation.parameters:
        subject = row.name + " ="
        if row.inside or row.later:
            continue
        if row.choice and subject not in block.subjects:
            yield f"the words of {row.name} are not in the list"
        if subject in block.subjects:
            wrong = words(refused_values(operation, row.name))
            yield from names_problems(block, subject, words(values(operation, row.name)), wrong)
    for name, found in filters.items():
        yield from names_problems(block, name + " =", found, set())
    for subject in block.subjects:
        if subject.startswith("{"):
            name = subject[1 : subject.index("}")]
            found = {case.path.get(name) for case in operation.cases if case.status == 200} | {operation.at.get(name)}
            yield from names_problems(block, subject, found - {None}, set())


def names_problems(block, subject, found, wrong):
    """Compares the names of one subject with those that are accepted and refused."""
    for entry in block.entries(subject):
        if entry.here and entry.name not in found:
            yield f"{subject} {entry.name} ({entry.mark}) is given by no row"
        if not entry.here and (entry.name in found or entry.name not in wrong):
            yield f"{subject} {entry.name} is {entry.mark} in the list, and no row has it refused"
    for name in sorted(found - block.names(subject)):
        yield f"{subject} {name} is not in the list"


def list_problems(operation, block):
    """Compares a list's filters, their modifiers and its orders."""
    filters = {row.name: set(row.modifiers) for row in operation.filters or ()}
    listed = {entry.name: set(entry.modifiers) for entry in block.entries("filters") if entry.here}
    for name in sorted(filters.keys() | listed.keys()):
        if name not in filters:
            yield f"the filter {name} has no row"
        elif name not in listed:
            yield f"the filter {name} is not in the list"
        elif filters[name] != listed[name]:
            yield f"the modifiers of {name} differ: {sorted(filters[name] ^ listed[name])}"
    if differ := set(operation.sorts) ^ {entry.name for entry in block.entries("sorts") if entry.here}:
        yield f"the orders differ: {sorted(differ)}"


def read_only_problems(operation, block, objects):
    """Checks that an update refuses by name all fields that it does not accept, and nothing else."""
    shown = objects[block.answer].names("shows") if block.answer in objects else set()
    for name in operation.read_only:
        if name not in shown or name in block.names("takes"):
            yield f"{name} is refused as read-only, and is no field that can only be read"
    if operation.method == "POST" and re.search(r"/(\w+)s/\{\1_id\}$", operation.path):
        here = {entry.name for entry in objects[block.answer].entries("shows") if entry.here}
        for name in sorted(here - block.names("takes") - set(operation.read_only)):
            yield f"{name} can only be read, and no row has it refused"


def resources(operations):
    """Returns every object that the tables show, by its name."""
    found = {}
    for operation in operations:
        answer = operation.answer
        resource = answer.resource if isinstance(answer, (ListOf, ArrayOf)) else answer
        if isinstance(resource, Resource) and resource is not VOID:
            found.setdefault(resource.name, []).append(resource.fields)
    return found


def object_problems(fields, blocks):
    """Yields where a table and the list differ about an object; an object with several forms has the fields of all."""
    listed = {entry.name: entry for block in blocks for entry in block.entries("shows")}
    is_here = any(entry.here for entry in listed.values())
    for name, entry in listed.items():
        if entry.here and name not in fields:
            yield f"{name} ({entry.mark}) is not in the table"
        if is_here and not entry.here and name in fields and not may_be_absent(fields[name]):
            yield f"{name} is {entry.mark} in the list, and always there in the table"
    for name, kind in fields.items():
        if name not in listed:
            yield f"{name} is not in the list"
        for block in blocks:
            if name in block.names("shows"):
                yield from shape_problems(name, kind, block)


def shape_problems(name, kind, block):
    """Compares the members and words of one field."""
    kind = kind.kind if isinstance(kind, Maybe) else kind
    inside = kind[0] if isinstance(kind, list) else kind
    is_array = isinstance(kind, list) or (isinstance(kind, str) and "[" in kind)
    suffix = "[]" if is_array else "{}"
    here = {entry.name for entry in block.entries(name + suffix) if entry.here}
    later = block.names(name + suffix) - here
    if isinstance(inside, dict):
        absent = {member for member, one in inside.items() if may_be_absent(one)}
        if differ := here ^ (inside.keys() - (later & absent)):
            yield f"the members of {name} differ: {sorted(differ)}"
    elif here:
        yield f"the members of {name} are not in the table"
    found = set(inside[inside.index("=") + 1 :].rstrip("?]").split("|")) if "=" in inside else set()
    if differ := found ^ block.names(name + " ="):
        yield f"the words of {name} differ: {sorted(differ)}"


def may_be_absent(kind):
    """Returns whether an answer may lack a field of this type."""
    return isinstance(kind, Maybe) or (isinstance(kind, str) and kind.startswith("~"))
