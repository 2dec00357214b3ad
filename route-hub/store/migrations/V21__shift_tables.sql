-- Languages whose national shift tables a phone's platform uses: JSON, or NULL without any.

ALTER TABLE phones ADD COLUMN shift_tables TEXT;
