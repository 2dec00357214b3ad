//! The hub's storage: one SQL text, executors, migrations.
