-- What is sent later is kept as the command that sends it, with its version, in place of the
-- parameters of the request that asked for it. What is no such text stays as it is: whoever reads it
-- sets its row aside.

CREATE TABLE messages_for_later (
    holder BIGINT NOT NULL,
    id BIGINT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (holder, id)
); -- clustered
INSERT INTO messages_for_later (holder, id, message)
SELECT 1, id, message FROM schedules WHERE json_valid(message)
UNION ALL SELECT 2, id, message FROM relative_schedules WHERE json_valid(message)
UNION ALL SELECT 3, id, message FROM broadcasts WHERE json_valid(message);
DELETE FROM messages_for_later WHERE json_type(message) <> 'object';

-- A patch of an empty object leaves out whatever is null.
UPDATE messages_for_later SET message = json_patch('{}', json_object('v', 1, 'command', json_object(
    'item', json_object(
        'content', message -> 'content',
        'priority', message -> 'priority',
        'vars', message -> 'vars',
        'status_url', message -> 'status_url',
        'status_secret', message -> 'status_secret'
    ),
    'options', json_object(
        'sender', json(CASE
            WHEN message -> 'route_id' IS NOT NULL
                THEN json_object('param', 'route_id', 'value', message -> 'route_id')
            WHEN message -> 'phone_id' IS NOT NULL
                THEN json_object('param', 'phone_id', 'value', message -> 'phone_id')
        END),
        'kind', CASE message ->> 'message_type'
            WHEN 'ussd' THEN 'ussd' WHEN 'call' THEN 'call' ELSE 'text'
        END,
        'payload', message -> 'route_params',
        'replaces_variables', json(CASE
            WHEN message -> 'replace_variables' IS NOT NULL THEN
                json_object('param', 'replace_variables', 'value', message -> 'replace_variables')
            WHEN message -> 'is_template' IS NOT NULL
                THEN json_object('param', 'is_template', 'value', message -> 'is_template')
        END),
        'links', json(CASE
            WHEN message -> 'media_urls' IS NOT NULL
                THEN json_object('param', 'media_urls', 'value', message -> 'media_urls')
        END),
        'labels', message -> 'label_ids',
        'simulated', message -> 'simulated',
        'on_unknown', message -> 'on_unknown',
        'ttl_sec', message -> 'ttl_sec'
    ),
    'maker_sees', message -> 'maker sees contacts',
    'tts_lang', message -> 'tts_lang',
    'tts_voice', message -> 'tts_voice'
)));

UPDATE schedules SET message = later.message
    FROM messages_for_later AS later WHERE later.holder = 1 AND later.id = schedules.id;
UPDATE relative_schedules SET message = later.message
    FROM messages_for_later AS later WHERE later.holder = 2 AND later.id = relative_schedules.id;
UPDATE broadcasts SET message = later.message
    FROM messages_for_later AS later WHERE later.holder = 3 AND later.id = broadcasts.id;
DROP TABLE messages_for_later;
