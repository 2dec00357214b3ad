-- Short links in the texts of messages, and the domains that they may be at.

CREATE TABLE short_links (
    project_id BIGINT NOT NULL,
    -- Its row may be gone, by the project's retention.
    message_id BIGINT NOT NULL,
    place BIGINT NOT NULL,
    code TEXT NOT NULL,
    -- What stands before the code in the text.
    prefix TEXT NOT NULL,
    -- NULL: the hub's own address.
    domain TEXT,
    -- Where it leads; NULL: to a file.
    destination TEXT,
    -- Which of the message's media it is; NULL: none of them.
    media_index BIGINT,
    file_id BIGINT,
    counted BIGINT NOT NULL,
    expiration_time BIGINT,
    time_clicked BIGINT,
    broadcast_id BIGINT,
    clicked_group_id BIGINT,
    PRIMARY KEY (project_id, message_id, place)
); -- clustered
CREATE UNIQUE INDEX short_links_by_code ON short_links (code);

-- Whose links may be at a domain; with neither, everybody's.
CREATE TABLE short_domains (
    name TEXT PRIMARY KEY,
    organization_id BIGINT,
    project_id BIGINT,
    time_created BIGINT NOT NULL
);

ALTER TABLE messages ADD COLUMN track_clicks BIGINT NOT NULL DEFAULT 0;

-- Of how many of its messages a link was clicked.
ALTER TABLE broadcasts ADD COLUMN clicked_count BIGINT NOT NULL DEFAULT 0;
