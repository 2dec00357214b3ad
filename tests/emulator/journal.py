"""Compares the phone's journal with what the hub was told."""

import sqlite3

# States that mean the message has ended, on either side.
ENDS = {"sent", "delivered", "not_delivered", "failed", "unknown", "revoked", "cancelled", "expired"}

# What a report may have told the phone after the hub's verdict.
REPORTED = {("sent", "delivered"), ("sent", "not_delivered")}


def differences(journal, state):
    """Returns a sentence for each message on which the journal and the hub's `GET /state` differ."""
    rows = read(journal)
    told = {(key(message["id"]), message["exposure"]): message for message in state["messages"] if message["states"]}
    found = []
    for which, message in told.items():
        if which not in rows:
            found.append(f"{message['id']}/{which[1]}: the hub was told of it, and the journal has no row")
        elif rows[which] != message["states"][-1] and (message["states"][-1], rows[which]) not in REPORTED:
            found.append(f"{message['id']}/{which[1]}: the journal has {rows[which]}, the hub {message['states'][-1]}")
    for which, here in rows.items():
        if which not in told and here in ENDS:
            found.append(f"SM{which[0]:016x}/{which[1]}: the journal has {here}, and the hub was told nothing")
    return found


def read(journal):
    """Returns the state of each exposure in a journal, by message and exposure."""
    with sqlite3.connect(journal) as database:
        return {(message, ep): state for message, ep, state in database.execute("SELECT id, ep, state FROM message")}


def key(message_id):
    """Returns the number of a message's id."""
    return int(message_id[2:], 16)
