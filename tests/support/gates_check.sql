-- For test runs alone: refuses the change of a row behind a gate that its transaction does not hold.
-- `databases.py` loads it into the databases of test runs; `tests/cluster/test_gates_check.py` tries it.

-- Says whether this transaction holds a gate.
CREATE FUNCTION holds_gate(gate bigint) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
        AND granted AND mode = 'ExclusiveLock' AND objsubid = 1
        AND (classid::bigint << 32 | objid::bigint) = gate)
$$;

-- The list of locks takes long to make, so what was found to be held is kept until the transaction ends.
CREATE FUNCTION keep_held(gate bigint) RETURNS void LANGUAGE sql AS $$
    SELECT set_config('tests.held', format('%s<%s>', current_setting('tests.held', true), gate), true)
$$;

CREATE FUNCTION need_gate(gate bigint, of text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF gate IS NULL OR strpos(current_setting('tests.held', true), format('<%s>', gate)) > 0 THEN
        RETURN;
    END IF;
    IF NOT holds_gate(gate) THEN
        RAISE EXCEPTION 'a row of % was changed without its gate %', of, gate;
    END IF;
    PERFORM keep_held(gate);
END
$$;

-- The arguments: 'hub'; or a column that has the gate's key; or a column and the table of the row that
-- it names, which has the project's. A row of something that is gone is nobody's.
CREATE FUNCTION check_gate() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed jsonb := to_jsonb(CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END);
    gate bigint := 0;
BEGIN
    IF TG_ARGV[0] <> 'hub' THEN
        gate := (changed ->> TG_ARGV[0])::bigint;
    END IF;
    IF TG_NARGS = 2 THEN
        EXECUTE format('SELECT project_id FROM %I WHERE id = $1', TG_ARGV[1]) INTO gate USING gate;
    END IF;
    PERFORM need_gate(gate, TG_TABLE_NAME);
    RETURN NULL;
END
$$;

CREATE FUNCTION check_project_gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM need_gate(NEW.organization_id, 'projects');
        -- Nobody else can know what this transaction made.
        PERFORM keep_held(NEW.id);
        RETURN NULL;
    END IF;
    PERFORM need_gate(NEW.id, 'projects');
    IF (NEW.name, NEW.url_slug) IS DISTINCT FROM (OLD.name, OLD.url_slug) THEN
        PERFORM need_gate(NEW.organization_id, 'projects');
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION check_organization_gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM need_gate(0, 'organizations');
        PERFORM keep_held(NEW.id);
    ELSE
        PERFORM need_gate(NEW.id, 'organizations');
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER gate AFTER INSERT OR UPDATE ON projects
    FOR EACH ROW EXECUTE FUNCTION check_project_gate();
CREATE TRIGGER gate AFTER INSERT OR UPDATE ON organizations
    FOR EACH ROW EXECUTE FUNCTION check_organization_gate();

DO $$
DECLARE
    rule record;
BEGIN
    FOR rule IN
        SELECT table_name::text AS tab, '''project_id''' AS args FROM information_schema.columns
        WHERE table_schema = current_schema() AND column_name = 'project_id'
            AND table_name NOT IN ('api_keys', 'audit_log', 'short_domains')
        UNION ALL SELECT * FROM (VALUES
            ('api_keys', '''organization_id'''),
            ('audit_log', '''organization_id'''),
            ('api_requests', '''hub'''),
            ('hub_alerts', '''hub'''),
            ('hub_meta', '''hub'''),
            ('pairing_tries', '''hub'''),
            ('rate_tokens', '''hub'''),
            ('short_domains', '''hub'''),
            ('broadcast_numbers', '''broadcast_id'', ''broadcasts'''),
            ('contact_vars', '''bearer_id'', ''contacts'''),
            ('facts_aside_counts', '''device_id'', ''devices'''),
            ('group_members', '''group_id'', ''contact_groups'''),
            ('inbound_counted', '''device_id'', ''devices'''),
            ('lost_installs', '''device_id'', ''devices'''),
            ('message_labels', '''label_id'', ''labels'''),
            ('moves', '''message_id'', ''messages'''),
            ('past_exposures', '''message_id'', ''messages'''),
            ('phone_accounts', '''phone_id'', ''phones'''),
            ('row_vars', '''bearer_id'', ''data_rows''')) AS others (tab, args)
        WHERE to_regclass(tab) IS NOT NULL
    LOOP
        -- What is over in these goes for all projects at once, by age or with its task: nobody reads it any more.
        EXECUTE format('CREATE TRIGGER gate AFTER INSERT OR UPDATE %s ON %I FOR EACH ROW EXECUTE '
            'FUNCTION check_gate(%s)',
            CASE WHEN rule.tab IN ('idempotency', 'pairings', 'task_bad_rows', 'task_parts') THEN ''
                ELSE 'OR DELETE' END,
            rule.tab, rule.args);
    END LOOP;
END
$$;
