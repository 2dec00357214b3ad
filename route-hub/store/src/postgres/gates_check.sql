-- For test runs alone: refuses the change of a row behind a gate that its transaction does not hold.
--
-- Loaded into a database that is migrated, it checks every job of the hub on it. What it is tried
-- with, each on a database with one organization, two projects A and B, and a message in A:
--
--   1. no gate held, a message of A changed: refused, and the text names the table and the gate;
--   2. the gate of B held: refused as well; that of A: done;
--   3. a row of `moves` of A's message (found through the message): refused without A's gate;
--   4. a project inserted with the hub's gate alone: refused; with the organization's: done;
--   5. A's name changed with A's gate alone: refused; with the organization's too: done;
--   6. an organization, a project in it and its audit line in one transaction with the hub's gate:
--      done, since nobody else can know what this transaction made;
--   7. an idempotency row of A removed without a gate: done, as is what is left of a group that is gone.

-- Says whether this transaction holds a gate.
CREATE FUNCTION holds_gate(gate bigint) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
        AND granted AND mode = 'ExclusiveLock' AND objsubid = 1
        AND (classid::bigint << 32 | objid::bigint) = gate)
    OR EXISTS (SELECT FROM projects WHERE id = gate AND xmin = pg_current_xact_id()::xid)
    OR EXISTS (SELECT FROM organizations WHERE id = gate AND xmin = pg_current_xact_id()::xid)
$$;

CREATE FUNCTION need_gate(gate bigint, of text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF gate IS NOT NULL AND NOT holds_gate(gate) THEN
        RAISE EXCEPTION 'a row of % was changed without its gate %', of, gate;
    END IF;
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
    PERFORM need_gate(CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE NEW.id END, 'organizations');
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
            AND table_name NOT IN ('api_keys', 'audit_log')
        UNION ALL SELECT * FROM (VALUES
            ('api_keys', '''organization_id'''),
            ('audit_log', '''organization_id'''),
            ('api_requests', '''hub'''),
            ('hub_meta', '''hub'''),
            ('broadcast_numbers', '''broadcast_id'', ''broadcasts'''),
            ('contact_vars', '''bearer_id'', ''contacts'''),
            ('facts_aside_counts', '''device_id'', ''devices'''),
            ('group_members', '''group_id'', ''contact_groups'''),
            ('inbound_counted', '''device_id'', ''devices'''),
            ('lost_installs', '''device_id'', ''devices'''),
            ('message_labels', '''label_id'', ''labels'''),
            ('moves', '''message_id'', ''messages'''),
            ('past_exposures', '''message_id'', ''messages'''),
            ('phone_accounts', '''phone_id'', ''phones''')) AS others (tab, args)
        WHERE to_regclass(tab) IS NOT NULL
    LOOP
        -- What is over in these goes by age, for all projects at once: nobody reads it any more.
        EXECUTE format('CREATE TRIGGER gate AFTER INSERT OR UPDATE %s ON %I FOR EACH ROW EXECUTE '
            'FUNCTION check_gate(%s)',
            CASE WHEN rule.tab IN ('idempotency', 'pairings') THEN '' ELSE 'OR DELETE' END,
            rule.tab, rule.args);
    END LOOP;
END
$$;
