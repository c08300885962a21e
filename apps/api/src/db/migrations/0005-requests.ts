/**
 * Requests with an `Idempotency-Key`, kept for a day, and the counters of the rate limits.
 *
 * A request's key, body and person are HMACs under the account's key; its answer is sealed under it. A row is in one of
 * these states: claimed (`claim_id`, no answer), answered (`answer_sealed`), a secret issued (only `resource_id`), or
 * erased with its person (none of them).
 *
 * `rate_limits` is UNLOGGED: a counter is not worth an fsync, and losing it in a crash is harmless. The rate limiter
 * writes the first three columns, in this order.
 */
export const migration0005 = {
  name: '0005-requests',
  sql: `
CREATE TABLE idempotent_requests (
  account_id     text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  key_hmac       bytea NOT NULL CHECK (octet_length(key_hmac) = 32),
  state          text NOT NULL CHECK (state IN ('claimed', 'answered', 'secret-issued', 'erased')),
  request_hmac   bytea CHECK (octet_length(request_hmac) = 32),
  claim_id       uuid,
  claimed_until  timestamptz(3),
  answer_sealed  bytea,
  resource_id    text,
  list_id        text,
  person_hmac    bytea CHECK (octet_length(person_hmac) = 32),
  expires_at     timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, key_hmac)
);
CREATE INDEX idempotent_requests_by_expiry ON idempotent_requests (expires_at);
CREATE INDEX idempotent_requests_by_list ON idempotent_requests (account_id, list_id, person_hmac) WHERE list_id IS NOT NULL;

CREATE UNLOGGED TABLE rate_limits (
  key     text PRIMARY KEY,
  points  integer NOT NULL DEFAULT 0,
  expire  bigint
) WITH (fillfactor = 50);
CREATE INDEX rate_limits_by_expiry ON rate_limits (expire);
`,
} as const;
