-- Variables are found by their beginning: PostgreSQL takes no more than some 2,700 bytes into an index.
DROP INDEX contact_vars_by_value;
CREATE INDEX contact_vars_by_value ON contact_vars (field_id, substr(value, 1, 300), bearer_id);
DROP INDEX row_vars_by_value;
CREATE INDEX row_vars_by_value ON row_vars (field_id, substr(value, 1, 300), bearer_id);
