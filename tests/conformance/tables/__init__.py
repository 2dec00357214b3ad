"""The REST API as tables, one file a resource: what each operation takes and answers."""

from conformance.tables import (
    broadcasts,
    campaigns,
    contacts,
    data_tables,
    fields,
    files,
    groups,
    labels,
    message_templates,
    messages,
    organizations,
    phones,
    projects,
    relative_scheduled,
    routes,
    scheduled,
    statistics,
    tasks,
    webhook_deliveries,
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
        message_templates,
        fields,
        files,
        data_tables,
        broadcasts,
        campaigns,
        scheduled,
        relative_scheduled,
        tasks,
        statistics,
        webhook_deliveries,
        webhooks,
    )
    for operation in table.OPERATIONS
]

LISTS = [operation for operation in OPERATIONS if operation.filters is not None]
