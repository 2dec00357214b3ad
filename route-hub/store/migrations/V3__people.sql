-- Groups, labels, and custom variables as rows that lists can be filtered by.

CREATE TABLE contact_groups (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    filters TEXT,
    num_members BIGINT NOT NULL,
    time_created BIGINT NOT NULL,
    allow_sending BIGINT NOT NULL,
    add_time_variable TEXT,
    vars TEXT NOT NULL
);
CREATE UNIQUE INDEX contact_groups_by_name ON contact_groups (project_id, name_folded);
CREATE INDEX contact_groups_by_project ON contact_groups (project_id, id);

CREATE TABLE group_members (
    group_id BIGINT NOT NULL,
    member_id BIGINT NOT NULL,
    time_joined BIGINT NOT NULL,
    PRIMARY KEY (group_id, member_id)
); -- clustered
CREATE INDEX group_members_by_contact ON group_members (member_id, group_id);

CREATE TABLE labels (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    time_created BIGINT NOT NULL,
    vars TEXT NOT NULL
);
CREATE UNIQUE INDEX labels_by_name ON labels (project_id, name_folded);
CREATE INDEX labels_by_project ON labels (project_id, id);

CREATE TABLE message_labels (
    label_id BIGINT NOT NULL,
    labelled_id BIGINT NOT NULL,
    PRIMARY KEY (label_id, labelled_id)
); -- clustered
CREATE INDEX message_labels_by_message ON message_labels (labelled_id, label_id);

-- The variables that contacts (owner 1) and messages (owner 2) of a project have had. A field
-- with clearing set is gone for everybody: only its values still have to be taken away.
CREATE TABLE fields (
    id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    owner BIGINT NOT NULL,
    variable TEXT NOT NULL,
    name TEXT,
    field_type BIGINT NOT NULL,
    place BIGINT NOT NULL,
    items TEXT,
    readonly BIGINT NOT NULL,
    lookup_key BIGINT NOT NULL,
    show_on_conversation BIGINT NOT NULL,
    hide_values BIGINT NOT NULL,
    clearing BIGINT NOT NULL
);
CREATE UNIQUE INDEX fields_by_variable ON fields (project_id, owner, variable) WHERE clearing = 0;
CREATE INDEX fields_clearing ON fields (id) WHERE clearing = 1;

-- A contact's variables once more: the folded text, and the number where it is one.
CREATE TABLE contact_vars (
    bearer_id BIGINT NOT NULL,
    field_id BIGINT NOT NULL,
    value TEXT NOT NULL,
    number DOUBLE PRECISION,
    PRIMARY KEY (bearer_id, field_id)
); -- clustered
CREATE INDEX contact_vars_by_value ON contact_vars (field_id, value, bearer_id);
CREATE INDEX contact_vars_by_number ON contact_vars (field_id, number, bearer_id)
    WHERE number IS NOT NULL;
