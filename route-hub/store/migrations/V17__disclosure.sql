-- What a message shows to those who may not view contacts: the template of a text that was written
-- from more of its contact than id, name and number; and whether who made it could view contacts,
-- NULL for messages from before.
ALTER TABLE messages ADD COLUMN template TEXT;
ALTER TABLE messages ADD COLUMN maker_sees BIGINT;

-- A slug is one project's of an organization: its oldest project keeps it, others get a number.
UPDATE projects SET url_slug = substr(url_slug, 1, 7) || '-' || CAST(id % 10000000000 AS TEXT)
WHERE EXISTS (SELECT 1 FROM projects AS first
    WHERE first.organization_id = projects.organization_id
    AND first.url_slug = projects.url_slug AND first.id < projects.id);
UPDATE projects SET url_slug = NULL
WHERE EXISTS (SELECT 1 FROM projects AS first
    WHERE first.organization_id = projects.organization_id
    AND first.url_slug = projects.url_slug AND first.id < projects.id);
CREATE UNIQUE INDEX projects_by_slug ON projects (organization_id, url_slug);
