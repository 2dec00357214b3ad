-- How many API requests and webhook calls an organization made on each of its days.

CREATE TABLE api_requests (
    organization_id BIGINT NOT NULL,
    day TEXT NOT NULL,
    requests BIGINT NOT NULL,
    PRIMARY KEY (organization_id, day)
);
