"""The REST API as tables, one file a resource: what each operation takes and answers."""

from conformance.tables import (
    broadcasts,
    contacts,
    fields,
    groups,
    labels,
    messages,
    organizations,
    phones,
    projects,
    relative_scheduled,
    routes,
    scheduled,
    webhooks,
)

OPERATIONS = [
    operation
    for table in (
        projects,
        organizations,
        messages,
        phones,
        routes,
        contacts,
        groups,
        labels,
        fields,
        broadcasts,
        scheduled,
        relative_scheduled,
        webhooks,
    )
    for operation in table.OPERATIONS
]

LISTS = [operation for operation in OPERATIONS if operation.filters is not None]
